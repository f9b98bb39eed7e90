"""Anchors by FastAnchorWords (Arora 2013, Algorithm 4): greedy among randomly projected rows.

The rows of C̄ are projected to a random space of few dimensions, by normally distributed numbers
or by a sparse matrix of signs (5 % plus, 5 % minus: Lee 2018, section 1.4); each anchor is the
point farthest from the span of those before. A clean-up pass then replaces each anchor by the point
that is farthest from the span of all the others; anchors given by the user stay.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Array, Conditional, Group
from chatham.learners.anchor.select import (
    AS_FAR,
    Points,
    as_groups,
    farthest_points,
    free_words,
    given_rows,
)
from chatham.learners.settings.anchor_words import FAST_DIMENSIONS, PROJECTIONS
from chatham.wording import say

SHARE_OF_EACH_SIGN = 0.05


def fast_anchors(
    conditional: Conditional,
    k: int,
    candidates: NDArray[np.bool_],
    *,
    dimensions: int = FAST_DIMENSIONS,
    projection: str = "gaussian",
    seed: int = 0,
    given_anchors: Sequence[Group] = (),
) -> tuple[list[Group], Array]:
    """k anchors, the given ones first, and each one's distance from the span of all the others.

    Rows of no more than `dimensions` words are used as they are: nothing would be saved. Distances
    are those in the projected space, which are about the true ones.

    >>> joint = np.diag([0.3, 0.2, 0.3, 0.2])
    >>> anchors, _ = fast_anchors(Conditional(joint), 2, np.array([False, True, True, True]))
    >>> [group.tolist() for group in anchors]
    [[1], [2]]
    """
    free = free_words(conditional, k, candidates, given_anchors)
    points, given_vectors = _projected(conditional, given_anchors, k, dimensions, projection, seed)
    chosen, _ = farthest_points(_as_points(points, conditional), k, free, given_vectors)
    cleaning = Cleaning(points, free, given_vectors, chosen)
    for number in range(len(chosen)):
        cleaning.renew(number)
    return as_groups(given_anchors, cleaning.chosen), cleaning.distances()


def random_directions(d: int, dimensions: int, projection: str, seed: int) -> Array:
    """A random d×dimensions matrix that leaves lengths as they are on average."""
    generator = np.random.default_rng(seed)
    if projection == "gaussian":
        return generator.standard_normal((d, dimensions)) / np.sqrt(dimensions)
    uniform = generator.random((d, dimensions))
    signs = (uniform < SHARE_OF_EACH_SIGN).astype(np.float64)
    signs -= uniform >= 1.0 - SHARE_OF_EACH_SIGN
    return signs / np.sqrt(2.0 * SHARE_OF_EACH_SIGN * dimensions)


class Cleaning:
    """The clean-up pass: anchors v, an orthonormal basis of their span, and all points' distances.

    The squared distance from the span of all anchors but vᵢ is u, that from the whole span, plus
    (h·x)², where h is the unit vector of the span that is orthogonal to the others. So one product
    with the points is enough for each anchor that changes, and none for one that stays.
    """

    def __init__(
        self, points: Array, free: NDArray[np.bool_], given_vectors: Array, chosen: Sequence[int]
    ) -> None:
        self.points = points
        self.free = free
        self.chosen = list(chosen)
        self.n_given = len(given_vectors)
        vectors = np.vstack([given_vectors, points[self.chosen]])
        self.basis: Array = np.linalg.qr(vectors.T)[0].T
        self.within: Array = points @ self.basis.T
        """Each point's coordinates within the span."""
        self.anchors: Array = vectors @ self.basis.T
        norms = np.einsum("ij,ij->i", points, points)
        self.beyond: Array = norms - np.einsum("ij,ij->i", self.within, self.within)
        """u."""

    def renew(self, number: int) -> None:
        """Replace an anchor by the point that is farthest from the span of the others."""
        old, anchor = self.chosen[number], self.n_given + number
        direction = self._apart(anchor)
        squared = np.maximum(self.beyond, 0.0) + (self.within @ direction) ** 2
        squared[~self.free] = -1.0
        squared[[other for other in self.chosen if other != old]] = -1.0
        new = int(np.argmax(squared >= squared.max() * (1.0 - AS_FAR)))
        if new != old:
            self.chosen[number] = new
            self._exchange(anchor, direction, new)

    def distances(self) -> Array:
        """How far each anchor is from the span of all the others."""
        return np.asarray(1.0 / np.linalg.norm(np.linalg.inv(self.anchors), axis=0))

    def _apart(self, anchor: int) -> Array:
        """h, as coordinates: the unit vector of the span that is orthogonal to other anchors."""
        unit = np.zeros(len(self.anchors))
        unit[anchor] = 1.0
        apart = np.linalg.solve(self.anchors, unit)
        return np.asarray(apart / np.linalg.norm(apart))

    def _exchange(self, anchor: int, direction: Array, new: int) -> None:
        """Rotate the basis until its first vector is ±h, and put the new direction in its place."""
        turn = direction.copy()
        turn[0] += 1.0 if turn[0] >= 0 else -1.0
        turn /= np.linalg.norm(turn)
        self.beyond += (self.within @ direction) ** 2
        for array in (self.within, self.anchors):
            array -= 2.0 * np.outer(array @ turn, turn)
        self.basis -= 2.0 * np.outer(turn, turn @ self.basis)
        rest = self.points[new]
        for _ in range(2):
            rest = rest - (self.basis[1:] @ rest) @ self.basis[1:]
        self.basis[0] = rest / np.linalg.norm(rest)
        self.within[:, 0] = self.points @ self.basis[0]
        self.beyond -= self.within[:, 0] ** 2
        self.anchors[:, 0] = 0.0
        self.anchors[anchor] = self.within[new]


def _projected(
    conditional: Conditional,
    given_anchors: Sequence[Group],
    k: int,
    dimensions: int,
    projection: str,
    seed: int,
) -> tuple[Array, Array]:
    """All words' rows and the given anchors' rows, projected."""
    if projection not in PROJECTIONS:
        raise InputError(f"The projection must be one of {PROJECTIONS}; it is {projection!r}.")
    if dimensions < k:
        raise InputError(
            say(
                "A projection to {dimensions} dimensions can't have {k} independent anchors; "
                "{fast_dimensions} must be as large as the number of topics, better ten times.",
                dimensions=dimensions,
                k=k,
            )
        )
    given_vectors = given_rows(conditional, given_anchors)
    if dimensions >= len(conditional):
        return conditional.rows(slice(None)), given_vectors
    directions = random_directions(len(conditional), dimensions, projection, seed)
    return conditional.times(directions), given_vectors @ directions


def _as_points(points: Array, conditional: Conditional) -> Points:
    return Points(
        lambda indices: points[indices],
        np.einsum("ij,ij->i", points, points),
        points.shape[1],
        float(np.finfo(conditional.joint.dtype).eps),
    )
