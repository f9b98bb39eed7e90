"""Eigenvectors of a large matrix that is known by its products: spaces, and the best within them.

Rayleigh–Ritz: in a space with an orthonormal basis Z, the best approximations to eigenvectors of C
are Z times those of ZᵀCZ. Spaces are grown by products with C (Krylov), each part made orthogonal
to what there is. Tall arrays are worked on by fixed blocks of rows over our threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from chatham.numerics.products import gram
from chatham.numerics.threads import each

Array = NDArray[np.float64]

ROWS = 1024
ORTHOGONAL = 1e-11
"""Up to this, products of unit vectors that should be orthogonal count as rounding."""


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
    alone is left, which isn't orthogonal to the basis and would count eigenvalues twice: out with
    it.
    """
    for _ in range(2):
        vectors = orthonormal(vectors - mixed(basis, inner(basis, vectors)))
        off = np.abs(inner(basis, vectors)).max(axis=0, initial=0.0)
        if (off < ORTHOGONAL).all():
            return vectors
    return vectors[:, off < ORTHOGONAL]


def orthonormal(vectors: Array) -> Array:
    """Cholesky's QR, twice; Householder's, several times slower, where vectors nearly depend."""
    found = vectors / np.maximum(np.linalg.norm(vectors, axis=0), np.finfo(float).tiny)
    try:
        for _ in range(2):
            factor = np.linalg.cholesky(inner(found, found))
            found = mixed(found, _inverse(factor).T)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.qr(vectors)[0])
    off = np.abs(inner(found, found) - np.eye(found.shape[1])).max(initial=0.0)
    return np.asarray(found if off < ORTHOGONAL else np.linalg.qr(vectors)[0])


def ritz(basis: Array, image: Array, width: int) -> tuple[Array, Array]:
    """The `width` best eigenvectors within a space, largest eigenvalue first; `image` is C ×
    basis."""
    within = inner(basis, image)
    values, turns = np.linalg.eigh((within + within.T) / 2)
    best = np.argsort(-values, kind="stable")[:width]
    return mixed(basis, np.ascontiguousarray(turns[:, best])), values[best]


def _inverse(factor: NDArray[Any]) -> Array:
    eye: Any = np.eye(len(factor))
    return np.asarray(scipy.linalg.solve_triangular(factor, eye, lower=True))


def _blocks(n: int) -> list[tuple[int, int]]:
    return [(first, min(first + ROWS, n)) for first in range(0, n, ROWS)]
