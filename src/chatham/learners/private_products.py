"""Differentially private products XᵀXV, by which parties find singular vectors (thesis, 3.3.2).

Every row is scaled to unit length. With y in the place of x, XᵀX changes by xxᵀ − yyᵀ, whose norm
is √(2 − 2(x·y)²), at most √2; so does XᵀXV for any orthonormal V, and so do all passes of a fit
*together* if their blocks are orthogonal to each other, as those of a Krylov space are. Each pass
thus may have the noise that one alone would need: what a document's place costs over all of them is
bounded whatever earlier totals were (Feldman & Zrnic, Individual privacy accounting via a Rényi
filter, 2021). Only passes that go over
the same space again, as Algorithm 10's do, share it out among them.

Noise goes in before anything is normalised. Outside of ε are the number of rows and how many of
them aren't empty.
"""

from __future__ import annotations

from math import ceil, log2, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.privacy import Spending
from chatham.errors import InputError
from chatham.learners.documents import Documents
from chatham.learners.noised_totals import inverse_norms
from chatham.numerics.products import multiply

Array = NDArray[np.float64]

REPLACED = sqrt(2.0)
"""The largest norm of xxᵀ − yyᵀ for rows of unit length."""
ORTHONORMAL = 1e-9
"""By how much products of directions may differ from those of orthonormal ones."""


class PrivateProducts:
    """XᵀXV/scale from noised sums, for so many blocks of directions that are orthogonal to each
    other; or, with `again`, for that many passes over any such blocks."""

    def __init__(self, commons: Commons, rows: int, blocks: int, again: int = 1) -> None:
        assert commons.privacy is not None
        self.commons = commons
        self.scale = 2.0 ** ceil(log2(max(rows, 1)))
        self.spending = Spending(commons.privacy)
        self.noise = self.spending.noise(
            "products with directions", 1.0, REPLACED, again, arrays=blocks
        )
        self.deviation = self.noise * sqrt(commons.holders) / self.scale
        """The standard deviation of the noise in a cell."""

    def __call__(self, basis: Array) -> Array:
        """The products with a block of directions."""
        total = self.commons.sum(bounded_gram_image, basis, noise=self.noise)
        return np.asarray(total) / self.scale

    def direction(self, vector: Array) -> Array:
        """The direction of the product with one vector."""
        found = self.commons.normed_sum(bounded_gram_image, vector[:, None], noise=self.noise)
        return np.asarray(found)[:, 0]


def bounded_gram_image(rows: Any, memory: Memory, basis: Array) -> Array:
    """XᵀX times orthonormal directions, of rows of unit length; noise is added before it leaves."""
    products = basis.T @ basis
    if np.abs(products - np.eye(len(products))).max(initial=0.0) > ORTHONORMAL:
        raise InputError("Noise is measured by orthonormal directions, and these aren't.")
    documents = memory.derived("unit rows", unit_rows, rows)
    image = multiply(documents, np.ascontiguousarray(basis))
    return np.asarray(multiply(documents.by_word, image))


def unit_rows(rows: Any) -> Documents:
    """Rows of unit length, negative numbers included; an empty one stays empty."""
    documents = Documents(rows, signed=True)
    largest = np.zeros(documents.n)
    np.maximum.at(largest, documents.owners, np.abs(documents.data))
    # Squares of tiny numbers would vanish, and the rest pass for longer than it is.
    documents.data = documents.data / largest[documents.owners]
    documents.data = documents.data * inverse_norms(documents)[documents.owners]
    return documents
