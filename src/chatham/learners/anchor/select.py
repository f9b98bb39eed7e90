"""Anchors by pivoted QR: each next one is the word that is farthest from the span of those before.

Lee (2018), Algorithms 2 and 8: C̄ is neither changed nor projected; an orthonormal basis Q of the
anchors' rows is kept, and u, each word's squared distance from its span. (Equation A.8 writes the
projection as ⟨q, p⟩ where ⟨q, p⟩q is meant.)

As Q grows u can only shrink, so an old u is an upper bound. Only words whose bound exceeds the
farthest distance known are brought up to date: the choice is that of the algorithm, and most rows
of C̄ needn't be read again for it.
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

USUAL_SHARE, WORDS_A_TOPIC = 0.02, 10
AS_FAR = 1e-6
"""Squared distances within this share of the largest count as equal, so that of words that always
go together (boilerplate is full of them) the first is taken, not the one that rounding favours."""
CANCELLED = 1e-5
"""Where less than this share of ‖p‖² is left of u, the distance is computed from the vector."""
ROUNDING = 100.0
"""Distances below so many units of rounding of the vector's own length are taken for zero."""
AT_ONCE, PIECE = 128, 32
"""Words brought up to date together, and how many of them by one thread at a time."""


@dataclass(frozen=True)
class Points:
    """What anchors are chosen among: vectors by their places, and their squared lengths."""

    rows: Callable[[NDArray[np.int64]], Array]
    squared_norms: Array
    width: int
    precision: float
    """The rounding unit of the numbers that the vectors come from."""


def candidate_words(
    document_frequencies: Array, kept: int, least: int | float
) -> NDArray[np.bool_]:
    """Which words may be anchors: those in at least `least` documents, or that share of the kept.

    >>> candidate_words(np.array([0.0, 1.0, 2.0, 40.0]), 100, 2).tolist()
    [False, False, True, True]
    >>> candidate_words(np.array([0.0, 1.0, 2.0, 40.0]), 100, 0.03).tolist()
    [False, False, False, True]
    """
    check_least(least)
    fewest = least
    if not isinstance(least, Integral):
        fewest = max(math.ceil(round(least * kept, 6)), 1)  # 0.07 × 100 is over 7
    return np.asarray(document_frequencies >= fewest)


def usual_least(document_frequencies: Array, kept: int, k: int) -> int:
    """In how many documents an anchor must be where nobody says: a share, with enough words left.

    Rare words make anchors of noise, frequent ones belong to several topics. Where documents are
    short few words are in many of them, so the limit falls until there are ten words a topic.

    >>> usual_least(np.array([90.0, 50.0, 3.0, 1.0, 0.0] * 9), 100, 2)
    2
    >>> usual_least(np.array([90.0, 50.0, 3.0, 1.0, 0.0] * 9), 100, 3)
    1
    """
    share = math.ceil(USUAL_SHARE * kept)
    words = np.sort(document_frequencies[document_frequencies > 0])[::-1]
    enough = words[min(WORDS_A_TOPIC * k, len(words)) - 1] if len(words) else 1.0
    return max(1, min(share, int(enough)))


def pivoted_qr(
    conditional: Conditional,
    k: int,
    candidates: NDArray[np.bool_],
    given: Sequence[Group] = (),
) -> tuple[list[Group], Array]:
    """k anchors, `given` ones first, and each one's distance from the span of those before it.

    >>> joint = np.diag([0.3, 0.2, 0.3, 0.2])
    >>> anchors, _ = pivoted_qr(Conditional(joint), 2, np.array([False, True, True, True]))
    >>> [group.tolist() for group in anchors]
    [[1], [2]]
    """
    free = free_words(conditional, k, candidates, given)
    points = Points(
        conditional.rows,
        conditional.squared_norms(),
        len(conditional),
        float(np.finfo(conditional.joint.dtype).eps),
    )
    chosen, distances = farthest_points(points, k, free, given_rows(conditional, given))
    return as_groups(given, chosen), distances


def free_words(
    conditional: Conditional, k: int, candidates: NDArray[np.bool_], given: Sequence[Group]
) -> NDArray[np.bool_]:
    """The candidates that occur and aren't given already; refuse if they are too few."""
    check_number(len(given), k)
    check_groups(conditional, given)
    free = candidates & conditional.occurs
    usable = int(free.sum())
    if given:
        free[np.concatenate(given)] = False
    if free.sum() < k - len(given):
        also = f" besides the {plural(len(given), 'given anchor')}" if given else ""
        raise InputError(
            f"{topics_need(k)} {plural(k - len(given), 'anchor')}{also}, and only "
            f"{plural(int(free.sum()), 'word')} may be one ({usable} are frequent enough); choose "
            "fewer topics, or let rarer words be candidates."
        )
    return free


def given_rows(conditional: Conditional, given: Sequence[Group]) -> Array:
    """A row for each given anchor."""
    return conditional.rows_of(given) if given else np.empty((0, len(conditional)))


def as_groups(given: Sequence[Group], chosen: Sequence[int]) -> list[Group]:
    """Given anchors, then the chosen words as anchors of one word each."""
    first = [np.asarray(group, dtype=np.int64) for group in given]
    return first + [np.array([word], dtype=np.int64) for word in chosen]


def farthest_points(
    points: Points, k: int, free: NDArray[np.bool_], first: Array
) -> tuple[list[int], Array]:
    """Places chosen after the vectors `first`, and the distances of all k from those before."""
    span = Span(points, k, free)
    for number, vector in enumerate(first):
        if not span.add(vector):
            raise InputError(
                f"Given anchor {number} (counting from 0) co-occurs with words just as a mixture "
                "of the anchors given before it does, so it adds no topic; leave it out."
            )
    chosen: list[int] = []
    while span.size < k:
        place = span.farthest()
        if not span.add(points.rows(np.array([place]))[0]):
            raise InputError(
                f"{topics_need(k)} {plural(k, 'anchor')}, but after {span.size} of them "
                "every candidate co-occurs with words as a mixture of those; choose at most "
                f"{plural(span.size, 'topic')}, or let rarer words be candidates."
            )
        span.bounds[place] = -1.0
        chosen.append(place)
    return chosen, span.distances


class Span:
    """The span of the vectors so far, and how far from it the free points are at most."""

    def __init__(self, points: Points, k: int, free: NDArray[np.bool_]) -> None:
        self.points = points
        self.size = 0
        self.basis = np.empty((k, points.width))
        self.distances = np.zeros(k)
        self.bounds: Array = np.where(free, points.squared_norms, -1.0)
        """u: squared distances from the span of the first `known` basis vectors."""
        self.known = np.zeros(len(self.bounds), dtype=np.int64)

    def add(self, vector: Array) -> bool:
        """Let the span grow by a vector; False if it is in the span already."""
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
        """The farthest free point; of those as far, the first."""
        while True:
            fresh = self.known == self.size
            best = self.bounds.max(where=fresh, initial=0.0) * (1.0 - AS_FAR)
            stale = np.flatnonzero(~fresh & (self.bounds >= best))
            if len(stale) == 0:
                return int(np.argmax(self.bounds >= best))
            self._update(stale[np.argsort(-self.bounds[stale], kind="stable")[:AT_ONCE]])

    def _update(self, places: NDArray[np.int64]) -> None:
        """Bring points up to date, those that miss the same basis vectors together."""
        places = places[np.argsort(self.known[places], kind="stable")]
        each(self._shrink, [places[i : i + PIECE] for i in range(0, len(places), PIECE)])

    def _shrink(self, places: NDArray[np.int64]) -> None:
        """u ← u − (q·p)² for each basis vector that these points don't yet know."""
        rows, known = self.points.rows(places), self.known[places]
        first = int(known.min())
        products = rows @ self.basis[first : self.size].T
        products[np.arange(first, self.size) < known[:, None]] = 0.0
        squared = self.bounds[places] - np.einsum("ij,ij->i", products, products)
        lost = squared < CANCELLED * self.points.squared_norms[places]
        if lost.any():
            squared[lost] = self._from_vectors(rows[lost])
        self.bounds[places] = squared
        self.known[places] = self.size

    def _from_vectors(self, rows: Array) -> Array:
        basis = self.basis[: self.size]
        rest = rows - (rows @ basis.T) @ basis
        return np.asarray(np.einsum("ij,ij->i", rest, rest))
