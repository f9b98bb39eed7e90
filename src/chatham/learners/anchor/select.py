"""Anchors by pivoted QR: each is the word that is farthest from the span of those before.

Lee (2018), Algorithms 2 and 8: C̄ is neither changed nor projected; an orthonormal basis Q of the
anchors' rows is kept, and u, each word's squared distance from its span. (Equation A.8 writes the
projection as ⟨q, p⟩ where ⟨q, p⟩q is meant.)

As Q grows u can only shrink, so an old u is an upper bound. Only words whose bound exceeds the
farthest distance known are updated: the choice is that of the algorithm, and most rows of C̄
needn't be read again for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Array, Conditional, Group, check_groups
from chatham.learners.settings.anchor_words import check_least
from chatham.learners.settings.given_anchors import check_number, topics_need
from chatham.naming import plural
from chatham.numerics.threads import each

USUAL_SHARE, WORDS_PER_TOPIC = 0.02, 10
AS_FAR = 1e-6
"""Squared distances within this share of the largest count as equal, so that of words that always
occur together (boilerplate is full of them) the first is taken, not the one that rounding
favours."""
CANCELLED = 1e-5
"""Where less than this share of ‖p‖² is left of u, the distance is computed from the vector."""
ROUNDING = 100.0
"""Distances below this many rounding units of the vector's own length count as zero."""
AT_ONCE, PIECE = 128, 32
"""The number of words updated together, and by one thread at a time."""


@dataclass(frozen=True)
class Points:
    """What anchors are chosen among: vectors by their indices, and their squared lengths."""

    rows: Callable[[NDArray[np.int64]], Array]
    squared_norms: Array
    width: int
    precision: float
    """The rounding unit of the numbers that the vectors come from."""


def candidate_words(
    document_frequencies: Array, n_documents: int, least: int | float
) -> NDArray[np.bool_]:
    """Which words may be anchors: those in at least `least` documents, or that share of all.

    >>> candidate_words(np.array([0.0, 1.0, 2.0, 40.0]), 100, 2).tolist()
    [False, False, True, True]
    >>> candidate_words(np.array([0.0, 1.0, 2.0, 40.0]), 100, 0.03).tolist()
    [False, False, False, True]
    """
    check_least(least)
    fewest = least
    if not isinstance(least, Integral):
        fewest = max(math.ceil(round(least * n_documents, 6)), 1)  # 0.07 × 100 is over 7
    return np.asarray(document_frequencies >= fewest)


def usual_least(document_frequencies: Array, n_documents: int, k: int) -> int:
    """The default minimum document frequency of an anchor: a share, with enough words left.

    The co-occurrence of rare words is noise, frequent words belong to several topics. Where
    documents are short few words are in many of them, so the limit falls until there are ten
    candidates per topic.

    >>> usual_least(np.array([90.0, 50.0, 3.0, 1.0, 0.0] * 9), 100, 2)
    2
    >>> usual_least(np.array([90.0, 50.0, 3.0, 1.0, 0.0] * 9), 100, 3)
    1
    """
    share = math.ceil(USUAL_SHARE * n_documents)
    words = np.sort(document_frequencies[document_frequencies > 0])[::-1]
    enough = words[min(WORDS_PER_TOPIC * k, len(words)) - 1] if len(words) else 1.0
    return max(1, min(share, int(enough)))


def pivoted_qr(
    conditional: Conditional,
    k: int,
    candidates: NDArray[np.bool_],
    given_anchors: Sequence[Group] = (),
) -> tuple[list[Group], Array]:
    """k anchors, the given ones first, and each one's distance from the span of those before it.

    >>> joint = np.diag([0.3, 0.2, 0.3, 0.2])
    >>> anchors, _ = pivoted_qr(Conditional(joint), 2, np.array([False, True, True, True]))
    >>> [group.tolist() for group in anchors]
    [[1], [2]]
    """
    free = free_words(conditional, k, candidates, given_anchors)
    points = Points(
        conditional.rows,
        conditional.squared_norms(),
        len(conditional),
        float(np.finfo(conditional.joint.dtype).eps),
    )
    chosen, distances = farthest_points(points, k, free, given_rows(conditional, given_anchors))
    return as_groups(given_anchors, chosen), distances


def free_words(
    conditional: Conditional, k: int, candidates: NDArray[np.bool_], given_anchors: Sequence[Group]
) -> NDArray[np.bool_]:
    """The candidates that occur and aren't given already; refuse if they are too few."""
    check_number(len(given_anchors), k)
    check_groups(conditional, given_anchors)
    free = candidates & conditional.occurs
    usable = int(free.sum())
    if given_anchors:
        free[np.concatenate(given_anchors)] = False
    if free.sum() < k - len(given_anchors):
        also = f" besides the {plural(len(given_anchors), 'given anchor')}" if given_anchors else ""
        raise InputError(
            f"{topics_need(k)} {plural(k - len(given_anchors), 'anchor')}{also}, and only "
            f"{plural(int(free.sum()), 'word')} may be one ({usable} are frequent enough); choose "
            "fewer topics, or let rarer words be candidates."
        )
    return free


def given_rows(conditional: Conditional, given_anchors: Sequence[Group]) -> Array:
    """A row for each given anchor."""
    return conditional.rows_of(given_anchors) if given_anchors else np.empty((0, len(conditional)))


def as_groups(given_anchors: Sequence[Group], chosen: Sequence[int]) -> list[Group]:
    """Given anchors, then the chosen words as anchors of one word each."""
    first = [np.asarray(group, dtype=np.int64) for group in given_anchors]
    return first + [np.array([word], dtype=np.int64) for word in chosen]


def farthest_points(
    points: Points, k: int, free: NDArray[np.bool_], given_vectors: Array
) -> tuple[list[int], Array]:
    """Indices chosen after the `given_vectors`, and the distances of all k from those before."""
    span = Span(points, k, free)
    for number, vector in enumerate(given_vectors):
        if not span.add(vector):
            raise InputError(
                f"Given anchor {number} (counting from 0) co-occurs with words just like a mixture "
                "of the anchors given before it, so it adds no topic; leave it out."
            )
    chosen: list[int] = []
    while span.size < k:
        index = span.farthest()
        if not span.add(points.rows(np.array([index]))[0]):
            raise InputError(
                f"{topics_need(k)} {plural(k, 'anchor')}, but after {span.size} of them "
                "every candidate co-occurs with words like a mixture of those; choose at most "
                f"{plural(span.size, 'topic')}, or let rarer words be candidates."
            )
        span.bounds[index] = -1.0
        chosen.append(index)
    return chosen, span.distances


class Span:
    """The span of the vectors so far, and upper bounds of the free points' distances from it."""

    def __init__(self, points: Points, k: int, free: NDArray[np.bool_]) -> None:
        self.points = points
        self.size = 0
        self.basis = np.empty((k, points.width))
        self.distances = np.zeros(k)
        self.bounds: Array = np.where(free, points.squared_norms, -1.0)
        """u: squared distances from the span of the first `n_used` basis vectors."""
        self.n_used = np.zeros(len(self.bounds), dtype=np.int64)

    def add(self, vector: Array) -> bool:
        """Extend the span by a vector; False if it is in the span already."""
        basis = self.basis[: self.size]
        rest = vector
        for _ in range(2):  # once leaves rounding errors along the basis
            rest = rest - (rest @ basis.T) @ basis
        distance = float(np.linalg.norm(rest))
        if distance <= ROUNDING * self.points.precision * float(np.linalg.norm(vector)):
            return False
        self.basis[self.size] = rest / distance
        self.distances[self.size] = distance
        self.size += 1
        return True

    def farthest(self) -> int:
        """The farthest free point; of ties, the first."""
        while True:
            fresh = self.n_used == self.size
            best = self.bounds.max(where=fresh, initial=0.0) * (1.0 - AS_FAR)
            stale = np.flatnonzero(~fresh & (self.bounds >= best))
            if len(stale) == 0:
                return int(np.argmax(self.bounds >= best))
            self._update(stale[np.argsort(-self.bounds[stale], kind="stable")[:AT_ONCE]])

    def _update(self, indices: NDArray[np.int64]) -> None:
        """Update the bounds of points, those that lack the same basis vectors together."""
        indices = indices[np.argsort(self.n_used[indices], kind="stable")]
        each(self._shrink, [indices[i : i + PIECE] for i in range(0, len(indices), PIECE)])

    def _shrink(self, indices: NDArray[np.int64]) -> None:
        """u ← u − (q·p)² for each basis vector that isn't yet in these points' bounds."""
        rows, n_used = self.points.rows(indices), self.n_used[indices]
        first = int(n_used.min())
        products = rows @ self.basis[first : self.size].T
        products[np.arange(first, self.size) < n_used[:, None]] = 0.0
        squared = self.bounds[indices] - np.einsum("ij,ij->i", products, products)
        lost = squared < CANCELLED * self.points.squared_norms[indices]
        if lost.any():
            squared[lost] = self._from_vectors(rows[lost])
        self.bounds[indices] = squared
        self.n_used[indices] = self.size

    def _from_vectors(self, rows: Array) -> Array:
        basis = self.basis[: self.size]
        rest = rows - (rows @ basis.T) @ basis
        return np.asarray(np.einsum("ij,ij->i", rest, rest))
