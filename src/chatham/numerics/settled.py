"""A fixed choice among vectors that aren't unique, so that rounding doesn't choose.

An eigenvector may point either way, and of a space of equal eigenvalues any basis will do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

EQUAL, ROUNDING = 1e-9, 1e-12
"""Values this close to each other, and to the first value's rounding, count as equal."""
CLOSE = 1e-7
"""Eigenvalues closer than this share of the largest let rounding turn their vectors."""
TIE = 1e-6
"""Entries this close to the largest tie with it."""


def upright(rows: Array) -> Array:
    """Rows turned so that the largest entry of each is positive; of equal entries, the first.

    >>> upright(np.array([[0.1, -0.9], [-0.5, 0.5]]))
    array([[-0.1,  0.9],
           [ 0.5, -0.5]])
    """
    rows = rows.copy()
    for row in rows:
        if row[_first_largest(np.abs(row))] < 0:
            row *= -1.0
    return rows


def settled(values: Array, vectors: Array) -> Array:
    """Orthonormal vectors (columns, by falling values); of equal values a fixed basis.

    In the space of equal values the first vector is the one nearest to a word: the word that lies
    most in the space. The second is found in the same way in what is left of it, and so on.
    """
    chosen = vectors.copy()
    close = EQUAL * values[:-1] + ROUNDING * values.max(initial=0.0)
    ends = np.flatnonzero(np.append(-np.diff(values) > close, True)) + 1
    first = 0
    for last in ends.tolist():
        if last - first > 1:
            chosen[:, first:last] = _by_space(vectors[:, first:last])
        first = last
    return chosen


def without_ties(matrix: Array) -> Array:
    """A small symmetric matrix whose eigenvectors rounding doesn't choose.

    Where eigenvalues coincide a little is added to the diagonal, so that everyone gets the same
    basis of their space.
    """
    values = np.linalg.eigvalsh(matrix)
    largest = max(values[-1], np.finfo(float).tiny)
    if np.diff(values[values > ROUNDING * largest]).min(initial=largest) > CLOSE * largest:
        return matrix
    return matrix + 1e-6 * largest * np.diag(np.linspace(1.0, 2.0, len(matrix)))


def _by_space(basis: Array) -> Array:
    """An orthonormal basis that depends on the space alone."""
    rest, chosen = basis, []
    while rest.shape[1]:
        word = _first_largest((rest**2).sum(axis=1))
        turn = np.linalg.qr(rest[word][:, None], mode="complete")[0]
        turned = rest @ turn
        chosen.append(turned[:, 0] * np.sign(turned[word, 0]))
        rest = turned[:, 1:]
    return np.stack(chosen, axis=1)


def _first_largest(sizes: Array) -> int:
    return int(np.argmax(sizes >= (1.0 - TIE) * sizes.max()))
