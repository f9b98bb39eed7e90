"""How often two topics occur in the same documents: the contingency C = WᵀW (thesis 1.3.6.2).

C_ij is in how many documents one expects to draw a word of topic i and then one of topic j. It is
local statistics plus a sum, k×k numbers however many documents there are; as weights sum to one,
each document adds one to all of C, and row i sums to the weight of topic i. Where holders mustn't
see each other's documents and totals may not be exact, each holder adds noise to each number.

By the probabilistic conversion similarities become distances. Rows of C divided by their sums are
P(j|i), the probability of topic j where topic i was observed, and if this were a spherical Gaussian
around topic i,

    P(j|i) = 1/√(2πσ²) · exp(−D_ij / 2σ²)        (1.33)
    D_ij = −2σ² · log(P(j|i) · √(2πσ²))           (1.34)

with the squared distance D_ij. (In the source both equations lack the sign.) σ is free; here it is
the largest for which no D_ij is negative, so that the two topics which are closest are at one
place, and for a map its scale is all that another would change beside that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Alone, Commons, Memory
from chatham.commons.precision import MOMENTS
from chatham.errors import InputError
from chatham.learners.noised_totals import NOISE
from chatham.learners.small_parties import warn_of_few
from chatham.looking.topics import Topics
from chatham.measures.evaluate import read_once
from chatham.measures.evidence import weights_at
from chatham.measures.subject import Subject
from chatham.numerics.joint import lifts, normalised
from chatham.numerics.threads import threads

Array = NDArray[np.float64]

UNKNOWN_SIZE = 1000.0
"""For how many documents correlations stand whose number nobody has counted."""


@dataclass(frozen=True, eq=False)
class Contingency:
    """How often topics occur together, from documents or as a model has learned it."""

    counts: Array
    """C (k×k), symmetric; its sum is how many documents have words."""
    counted: bool = True
    """Whether documents were counted, or what was learned of them is all that is known."""

    @property
    def documents(self) -> float:
        """How many documents it stands for."""
        return float(self.counts.sum())

    @property
    def sizes(self) -> Array:
        """The weight of each topic in all documents: expected numbers of documents."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def lifts(self) -> Array:
        """How many times as often as by chance two different topics co-occur (k×k)."""
        return lifts(self.counts)

    @property
    def conditional(self) -> Array:
        """P(j|i), with one more document that has all topics alike, so that nothing is zero."""
        k = len(self.counts)
        smoothed = self.counts + 1.0 / k**2
        return smoothed / smoothed.sum(axis=1, keepdims=True)

    @property
    def distances(self) -> Array:
        """How far topics are from each other (k×k): the roots of eq. 1.34's D, both ways."""
        given = self.conditional
        sigma = 1.0 / (np.sqrt(2 * np.pi) * given.max())
        squared = squared_distances(given, float(sigma))
        np.fill_diagonal(squared, 0.0)
        return np.sqrt(np.maximum((squared + squared.T) / 2, 0.0))


def squared_distances(given: Array, sigma: float) -> Array:
    """D_ij = −2σ² log(P(j|i) √(2πσ²)) (eq. 1.34).

    >>> given = np.array([[0.5, 0.5], [0.25, 0.75]])
    >>> distances = squared_distances(given, 0.4)
    >>> bool(np.allclose(np.exp(-distances / (2 * 0.4**2)) / np.sqrt(2 * np.pi * 0.4**2), given))
    True
    """
    return np.asarray(-2 * sigma**2 * np.log(given * np.sqrt(2 * np.pi * sigma**2)))


def contingency_of(topics: Topics, documents: Any, n_jobs: int | None = None) -> Contingency:
    """The contingency of documents: a corpus, whatever `read_corpus` reads, or a commons."""
    if topics.kind == "direction":
        raise InputError(
            f"Documents have no shares of the directions of {topics.subject.learner}; leave the "
            "documents out, or give a model of topics."
        )
    rows = read_once(documents, [topics.subject])
    commons = rows if isinstance(rows, Commons) else Alone(rows)
    with threads(n_jobs), commons.fitting():
        warn_of_few(commons)
        upper = commons.sum(add_up_pairs, topics.subject, most=MOMENTS, noise=NOISE)
    k = len(topics)
    counts = np.zeros((k, k))
    counts[np.triu_indices(k)] = np.maximum(upper, 0.0)  # noise may lead below zero
    counts += np.triu(counts, 1).T
    if not counts.any():
        raise InputError("No document has any word of the model's vocabulary.")
    return Contingency(counts)


def add_up_pairs(rows: Any, memory: Memory, subject: Subject) -> Array:
    """For each pair of topics, the sum over my documents of the product of their weights."""
    weights = weights_at(rows, memory, subject)
    return np.asarray((weights.T @ weights)[np.triu_indices(weights.shape[1])])


def learned_contingency(topics: Topics) -> Contingency | None:
    """What a model has learned of which topics occur together, if it has."""
    correlations = topics.subject.correlations
    if correlations is None:
        return None
    joint = normalised(np.maximum(np.asarray(correlations, dtype=np.float64), 0.0))
    return Contingency(UNKNOWN_SIZE * (joint + joint.T) / 2, counted=False)
