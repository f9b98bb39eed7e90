"""Anchors in the order in which they are taken: corners of a hull in 3-D, or greedy ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.commons import Alone
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.hull import embed, hull_vertices
from chatham.learners.anchor.projected import fast_anchors, random_directions
from chatham.learners.anchor.select import Points, farthest_points, free_words
from chatham.learners.cooccurrence import cooccurrence

TSNE, PCA, GREEDY = "t-SNE", "PCA", "greedy"
TSNE_OF_C, PCA_OF_C = "t-SNE of C", "PCA of C"
METHODS = (TSNE, PCA, TSNE_OF_C, PCA_OF_C, GREEDY)
EMBEDDINGS = {TSNE: "tsne", PCA: "pca", TSNE_OF_C: "tsne", PCA_OF_C: "pca"}
OF_C = (TSNE_OF_C, PCA_OF_C)
"""The thesis says that C is projected. We embed the rows of C̄, of which topics are made, unless
told otherwise: in C the most frequent words lie farthest out."""
DIMENSIONS = 3
PROJECTED = 1000
"""The dimensions of greedy's sparse random projection."""
FEWEST_DOCUMENTS = 4
"""An anchor must be in more than three documents."""


class Joint(Conditional):
    """C in the place of C̄: rows are left as they are."""

    def __init__(self, joint: NDArray[Any]) -> None:
        super().__init__(joint)
        self.totals = self._scale = np.ones(len(joint))


@dataclass(frozen=True)
class Words:
    """The words' co-occurrence in training documents, as counted, and which may be anchors."""

    conditional: Conditional
    candidates: NDArray[np.bool_]


def words_of(train: ch.Corpus) -> Words:
    """Count who meets whom; nothing is rectified."""
    counted = cooccurrence(Alone(train.counts))
    return Words(Conditional(counted.matrix), counted.document_frequencies >= FEWEST_DOCUMENTS)


def hull_order(words: Words, method: str, seed: int) -> list[int]:
    """All corners of the candidates' hull, the farthest from the centroid first."""
    places = np.flatnonzero(words.candidates)
    rows = words.conditional
    rows = Joint(rows.joint) if method in OF_C else rows
    points = embed(rows, places, DIMENSIONS, EMBEDDINGS[method], seed)
    corners = hull_vertices(points)
    distances = np.linalg.norm(points[corners] - points.mean(axis=0), axis=1)
    return [int(word) for word in places[corners[np.argsort(-distances, kind="stable")]]]


def greedy_order(words: Words, k: int, seed: int) -> list[int]:
    """k words, each the farthest from the span of those before it, without a clean-up pass.

    The pass would look at all anchors again once the last is there, and the first K would no
    longer be those of a model of K topics, as the thesis says they are.
    """
    conditional = words.conditional
    free = free_words(conditional, k, words.candidates, ())
    if len(conditional) > PROJECTED:
        directions = random_directions(len(conditional), PROJECTED, "sparse", seed)
        rows = conditional.times(directions)
    else:
        rows = conditional.rows(slice(None))
    points = Points(
        lambda places: rows[places],
        np.einsum("ij,ij->i", rows, rows),
        rows.shape[1],
        float(np.finfo(np.float64).eps),
    )
    return farthest_points(points, k, free, np.empty((0, rows.shape[1])))[0]


def cleaned_up(words: Words, order: list[int], seed: int) -> int:
    """How many of the greedy anchors the clean-up pass replaces."""
    found, _ = fast_anchors(
        words.conditional, len(order), words.candidates,
        dimensions=PROJECTED, projection="sparse", seed=seed,
    )  # fmt: skip
    return len(set(order) - {int(group[0]) for group in found})
