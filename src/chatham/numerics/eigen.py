"""Eigenvectors of a large matrix known by its products: subspaces, and the best within them.

Rayleigh–Ritz: in a space with an orthonormal basis Z, the best approximations to eigenvectors of C
are Z times those of ZᵀCZ. Spaces are grown by products with C (Krylov), each part made orthogonal
to those before, until the eigenvectors are accurate enough. Tall arrays are processed in fixed
blocks of rows over our threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from chatham.numerics.products import gram
from chatham.numerics.settled import without_ties
from chatham.numerics.threads import each

Array = NDArray[np.float64]

ROWS = 1024
ORTHOGONAL = 1e-11
"""Inner products of unit vectors up to this size count as zero."""
NOISE = 1e-14
"""The share of a vector that rounding leaves when it adds nothing new."""
SMALLEST = 1e-6
"""Eigenvalues below this share of the first need only the accuracy of one at that share."""

Times = Callable[[Array], Array]
"""The matrix, known by its products."""


def inner(left: Array, right: Array) -> Array:
    """leftᵀ × right."""
    return gram(left, right, _blocks(len(left)))


def mixed(vectors: Array, turns: Array) -> Array:
    """Vectors × turns: other vectors of the same space."""
    product = np.empty((len(vectors), turns.shape[1]))

    def work(block: tuple[int, int]) -> None:
        np.matmul(vectors[slice(*block)], turns, out=product[slice(*block)])

    each(work, _blocks(len(vectors)))
    return product


def new_directions(basis: Array, vectors: Array) -> Array:
    """An orthonormal basis of what the vectors add to `basis`.

    Where they add nothing (the matrix has a low rank, the basis is nearly everything) rounding
    alone is left, which isn't orthogonal to the basis and would count eigenvalues twice, or is by
    chance and would choose among equal ones: it is dropped.
    """
    least = NOISE * np.linalg.norm(vectors, axis=0)
    shared = inner(basis, vectors)
    for _ in range(2):
        vectors = vectors - mixed(basis, shared)
        new = np.linalg.norm(vectors, axis=0) > least
        vectors = orthonormal(vectors if new.all() else np.ascontiguousarray(vectors[:, new]))
        least = np.zeros(vectors.shape[1])
        shared = inner(basis, vectors)
        off = np.abs(shared).max(axis=0, initial=0.0)
        if (off < ORTHOGONAL).all():
            return vectors
    return vectors[:, off < ORTHOGONAL]


def orthonormal(vectors: Array) -> Array:
    """Cholesky's QR, repeated; Householder's, several times slower, where vectors nearly depend."""
    basis = vectors / np.maximum(np.linalg.norm(vectors, axis=0), np.finfo(float).tiny)
    try:
        for _ in range(3):
            products = inner(basis, basis)
            if np.abs(products - np.eye(len(products))).max(initial=0.0) < ORTHOGONAL:
                return basis
            basis = mixed(basis, _inverse(np.linalg.cholesky(products)).T)
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.qr(vectors)[0])


def leading(
    times: Times,
    start: Array,
    count: int,
    *,
    tol: float,
    depth: int,
    most: int,
    blind: int = 0,
    smallest: float = SMALLEST,
    tell: Callable[[float], None] | None = None,
) -> tuple[Array, Array]:
    """The largest eigenvalues of C, as many as `start` has columns, and their eigenvectors.

    The space [Q, CQ, C²Q, …] grows until ‖Cv − λv‖ ≤ `tol`·λ for each of the first `count` vectors.
    After `depth` products it restarts from the best vectors in it; after `most` products in total
    it stops with what it has. The first `blind` products are made without a check for convergence,
    since a check costs too. `tell` is called with the error at every check, and `smallest` is the
    share of the first eigenvalue below which others need no more accuracy.
    """
    width, products = start.shape[1], 1
    basis, image = start, times(start)
    while True:
        space = _Space(basis, image, depth)
        for _ in range(depth):
            space.grow(times)
            products += 1
            if products < blind:
                continue
            values, turns = space.best(width)
            error = space.errors(values, turns, count, smallest)
            if tell is not None:
                tell(error)
            if error <= tol or products >= most:
                return mixed(space.basis, turns), values
        basis, image = mixed(space.basis, turns), mixed(space.image, turns)


def by_power(times: Times, start: Array, count: int, steps: int) -> tuple[Array, Array]:
    """The `count` largest eigenvalues and eigenvectors of C after `steps` block power iterations.

    One more product reads them off. Cheaper than `leading` where a rough answer will do.
    """
    basis = np.linalg.qr(start)[0]
    for _ in range(steps):
        basis = np.linalg.qr(times(basis))[0]
    image = times(basis)
    within = 0.5 * (basis.T @ image + image.T @ basis)
    turns = np.linalg.eigh(without_ties(within))[1]
    values = np.einsum("ij,ik,kj->j", turns, within, turns)
    largest = max(values.max(), np.finfo(float).tiny)
    order = np.argsort(-np.round(values / largest, 9), kind="stable")[:count]
    return values[order], basis @ turns[:, order]


class _Space:
    """An orthonormal basis Z, its image CZ, and ZᵀCZ, in preallocated arrays.

    Columns are contiguous in memory, so a part is written in one go and unused space costs nothing.
    """

    def __init__(self, basis: Array, image: Array, depth: int) -> None:
        d, width = basis.shape
        room = min(width * (depth + 1), d)
        self._basis, self._image = np.empty((room, d)).T, np.empty((room, d)).T
        self._within = np.empty((room, room))
        self.size = 0
        self._add(basis, image)

    @property
    def basis(self) -> Array:
        return self._basis[:, : self.size]

    @property
    def image(self) -> Array:
        return self._image[:, : self.size]

    def grow(self, times: Times) -> None:
        """Add C times the part added last."""
        more = new_directions(self.basis, self._image[:, self._last])
        self._add(more, times(more) if more.size else more)

    def best(self, width: int) -> tuple[Array, Array]:
        """The `width` largest eigenvalues of C within the space, and the rotation to its
        vectors."""
        within = self._within[: self.size, : self.size]
        values, turns = np.linalg.eigh((within + within.T) / 2)
        best = np.argsort(-values, kind="stable")[:width]
        return values[best], np.ascontiguousarray(turns[:, best])

    def errors(self, values: Array, turns: Array, count: int, smallest: float = SMALLEST) -> float:
        """The largest ‖Cv − λv‖ / λ among the first `count` vectors.

        C leads out of the space only from the part added last: the images of all others were added
        to it. An eigenvalue below `smallest` of the first counts as that much.
        """
        last, turned = self._image[:, self._last], turns[self._last, :count]
        inside = self._within[: self.size, self._last]
        outside = inner(last, last) - inside.T @ inside
        squares = np.maximum(np.einsum("ij,ij->j", turned, outside @ turned), 0.0)
        least = max(smallest * float(values[0]), np.finfo(float).tiny)
        return float((np.sqrt(squares) / np.maximum(values[:count], least)).max(initial=0.0))

    def _add(self, part: Array, image: Array) -> None:
        before, self.size = self.size, self.size + part.shape[1]
        self._last = slice(before, self.size)
        self._basis[:, self._last], self._image[:, self._last] = part, image
        products = inner(self.basis, image)
        self._within[: self.size, self._last] = products
        self._within[self._last, :before] = products[:before].T


def _inverse(factor: NDArray[Any]) -> Array:
    eye: Any = np.eye(len(factor))
    return np.asarray(scipy.linalg.solve_triangular(factor, eye, lower=True))


def _blocks(n: int) -> list[tuple[int, int]]:
    return [(first, min(first + ROWS, n)) for first in range(0, n, ROWS)]
