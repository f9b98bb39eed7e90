"""Totals by topic that aren't exact: what learners share that add up documents between parties.

Exact totals give documents away: what changed between two rounds may be one document, and in a
single total words that one document alone brings share value/idf (`tests/attacks`). So a document
is scaled to unit length, and every holder adds Gaussian noise to each cell, large beside a word of
one document and small beside a topic's words. There are ten rounds and no tolerance, for when a fit
ends would tell something too; and topics are estimated from the totals with the noise taken out as
far as can be. All the rest is made of noised totals, and tells nothing that they don't.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.errors import InputError
from chatham.learners.beginnings import beginnings_for
from chatham.learners.documents import Documents, frequencies_of, own_seed
from chatham.learners.nearest import totals_by
from chatham.learners.parameters import EXACT, check_topics, learner_called, normalised
from chatham.notes import IgnoredParametersWarning
from chatham.numerics.keyed import uniforms
from chatham.wording import Parameter, say

Array = NDArray[np.float64]

NOISE = 0.2
"""The standard deviation of what each party adds to a cell: a document's norm is one."""
SIZE_NOISE = 1.0
"""The same for the size of a topic, to which a document adds one at most."""
BEYOND = 2.0
"""By how many standard deviations of the noise a word must differ from what is usual."""
EMPTY = 3.0
"""How far beyond its average noise may be, in standard deviations."""
DIGITS = 2.0**16
"""The steps, from nothing to its most frequent word, in which a topic's words are told apart."""
ROUNDS = 10
"""How often documents are added up at most: whoever averages over rounds averages the noise."""


class NoisedTotals:
    """What is told in one fit, and what can be made of it.

    `noise` is the standard deviation of what each holder adds to a cell.
    """

    def __init__(self, commons: Commons, noise: float) -> None:
        assert commons.counted is not None
        self.documents = commons.counted.with_words
        self.commons, self.noise = commons, noise
        self.deviation = self.of_all(noise)
        self._together = np.zeros(commons.n_features)

    def of_all(self, noise: float) -> float:
        """The standard deviation of a total to which each holder adds noise of this one."""
        return float(noise * np.sqrt(self.commons.holders))

    def start(self, learner: Any, seed: int) -> Array:
        """The first topics: those that the learner was given, or averages of random groups."""
        k, commons = learner.n_components, self.commons
        if not isinstance(learner.init, str):
            return check_topics(learner, learner.init, commons.n_features)
        assert commons.counted is not None
        groups = beginnings_for(commons).groups(k, commons.counted)
        totals = commons.sum(add_random_groups, groups, seed, noise=self.noise)
        usual = self.usual(totals)
        averages = estimated_topics(totals, totals.sum(axis=1), usual, self.deviation)
        return mixed_averages(averages, k, seed)

    def usual(self, totals: Array) -> Array:
        """How frequent each word is in all documents, from all totals so far, topics × words.

        In every round the topics together are all documents, so the rounds' noise averages out.
        """
        self._together += totals.sum(axis=0)
        return usual_words(self._together)


def usual_words(together: Array) -> Array:
    """The distribution of words in all documents, from a noised total of them."""
    usual = np.maximum(together, 0.0)
    if not usual.any():
        usual = np.ones_like(usual)
    return np.asarray(usual / usual.sum())


def estimated_topics(totals: Array, sizes: Array, usual: Array, deviation: float) -> Array:
    """Topics, from totals with noise of this standard deviation in each cell.

    A word is taken to be as frequent in a topic of this size as is `usual`, unless the total
    differs from that by more than noise does; then the excess counts (soft thresholding).
    """
    expected = np.maximum(sizes, 0.0)[:, None] * usual
    differences = totals - expected
    beyond = np.sign(differences) * np.maximum(np.abs(differences) - BEYOND * deviation, 0.0)
    topics = np.maximum(expected + beyond, 0.0)
    return normalised(np.where(topics.any(axis=1, keepdims=True), topics, usual))


def mixed_averages(averages: Array, k: int, seed: int) -> Array:
    """A topic for each average; where there are fewer, mixtures of them.

    Groups that overlap wouldn't do: what they have in common follows from them.
    """
    if len(averages) == k:
        return averages
    draws = np.random.default_rng(seed)
    mixtures = draws.dirichlet(np.ones(len(averages)), k) @ averages
    return normalised(mixtures * draws.uniform(0.5, 1.5, mixtures.shape))


def without_empty(topics: Array, sizes: Array, seed: int) -> Array:
    """The same topics, but those of no size become variations of the largest, one each."""
    draws, topics = np.random.default_rng(seed), topics.copy()
    largest = np.argsort(-sizes, kind="stable")
    for topic, model in zip(np.flatnonzero(sizes == 0), largest, strict=False):
        topics[topic] = topics[model] * draws.uniform(0.5, 1.5, topics.shape[1])
    return normalised(topics)


def rounded(topics: Array) -> Array:
    """Topics with as many digits as they have: finer ones would be those of noise.

    A model is given to people who weren't told the totals, and has no more than it needs.
    """
    largest = topics.max(axis=1, keepdims=True)
    return normalised(np.rint(topics / largest * DIGITS))


def check_usual(learner: Any, usual: Mapping[str, Sequence[Any]]) -> None:
    """Refuse settings whose totals would have to be exact: each has the usual values it may have.

    Given topics are no total, and may be anything.
    """
    for name, values in usual.items():
        value = getattr(learner, name)
        if name == "init" and not isinstance(value, str):
            continue
        if value not in values:
            raise InputError(
                say(
                    "{setting} needs exact totals between parties, and these give documents away; "
                    "leave it at {usual}, or let all parties know ({exact_totals_know}).",
                    setting=Parameter(name, repr(value)),
                    usual=repr(values[0]),
                ),
                kind=EXACT,
            )


def warn_of_ignored(learner: Any, rounds: int, *usual_tol: float, stacklevel: int = 6) -> None:
    """Say so if somebody chose what has no effect: more rounds than these, or a tolerance."""
    usual = type(learner)()
    fewer = learner.max_iter <= rounds or learner.max_iter == usual.max_iter
    if fewer and learner.tol in (0, usual.tol, *usual_tol):
        return
    warnings.warn(
        say(
            "{learner} got {max_iter=} and {tol=}, and between parties it takes {rounds} rounds "
            "at most and no tolerance, since each round tells more; to have them count, all "
            "parties must know that totals are exact.",
            learner=learner_called(learner),
            max_iter=learner.max_iter,
            tol=learner.tol,
            rounds=rounds,
        ),
        IgnoredParametersWarning,
        stacklevel=stacklevel,
    )


def add_random_groups(rows: Any, memory: Memory, groups: int, seed: int) -> Array:
    """Random groups of documents of unit length, added up; noise is added before it leaves."""
    documents = frequencies_of(rows, memory)
    return unit_totals(documents, group_at_random(documents, memory, groups, seed), groups)


def group_at_random(
    documents: Documents, memory: Memory, groups: int, seed: int
) -> NDArray[np.int64]:
    """A group for each document, by its content and this holder's secret; −1 for an empty one."""
    draws = uniforms(documents.keys(own_seed(seed, memory)), 1)[:, 0]
    group_of = np.minimum((draws * groups).astype(np.int64), groups - 1)
    return np.where(documents.empty, -1, group_of)


def unit_totals(documents: Documents, labels: NDArray[np.int64], topics: int) -> Array:
    """The sum of each topic's documents, each of unit length; a label of −1 is no topic's."""
    return totals_by(documents, inverse_norms(documents), labels, topics)


def inverse_norms(documents: Documents) -> Array:
    """What to multiply each document by to make it one of unit length; an empty one stays so."""
    norms = np.sqrt(documents.squared_norms)
    return np.asarray(1.0 / np.where(norms > 0, norms, 1.0))
