"""p(x₂|x₁), the rows of C̄: anchors are chosen among them, and words are mixtures of them.

C̄ is C with rows that sum to one. It is never formed: products with it are products with C, divided
by the words' own probabilities, so there is one d×d array and not two, or none at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.anchor.clipped import ClippedRows
from chatham.numerics.threads import each

Array = NDArray[np.float64]
Group = NDArray[np.int64]
"""The indices of one topic's anchor words: one word, or several given together."""

Joint = NDArray[Any] | ClippedRows
"""C, in full or by rows."""

ROWS_AT_ONCE = 256


class Conditional:
    """The conditional distributions of a joint one; a word that never occurs has a row of zeros."""

    def __init__(self, joint: Joint) -> None:
        self.joint = joint
        self.totals: Array = joint.sum(axis=1, dtype=np.float64)
        """p(x): each word's own probability."""
        self.occurs: NDArray[np.bool_] = self.totals > 0
        self._scale = np.where(self.occurs, 1.0 / np.where(self.occurs, self.totals, 1.0), 0.0)

    def __len__(self) -> int:
        """Count the words."""
        return len(self.joint)

    def times(self, right: Array) -> Array:
        """C̄ × right (d×m)."""
        product = np.empty((len(self), right.shape[1]))
        right = np.ascontiguousarray(right, dtype=self.joint.dtype)

        def work(rows: slice) -> None:
            product[rows] = self.joint[rows] @ right

        each(work, self._slices)
        product *= self._scale[:, None]
        return product

    def rows(self, indices: Any) -> Array:
        """Some rows of C̄ (m×d), in double precision."""
        return np.asarray(self.joint[indices] * self._scale[indices][:, None], dtype=np.float64)

    def rows_of(self, groups: Sequence[Group]) -> Array:
        """A row for each group of words, as if its words were one: p(x₂ | x₁ is one of them)."""
        merged = np.stack([self.joint[group].sum(axis=0, dtype=np.float64) for group in groups])
        return merged / np.maximum(merged.sum(axis=1, keepdims=True), np.finfo(float).tiny)

    def squared_norms(self) -> Array:
        """‖C̄ᵢ‖² of each word."""

        def work(rows: slice) -> Array:
            block = self.joint[rows]
            return np.einsum("ij,ij->i", block, block, dtype=np.float64)

        return np.concatenate(each(work, self._slices)) * self._scale**2

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """C̄, a few rows at a time."""
        for rows in self._slices:
            yield rows, self.rows(rows)

    @property
    def _slices(self) -> list[slice]:
        return [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(self), ROWS_AT_ONCE)]


def check_groups(conditional: Conditional, groups: Sequence[Group]) -> None:
    """Each group has indices of words, and one of them co-occurs with another word."""
    for number, group in enumerate(groups):
        indices = np.asarray(group)
        if not len(indices) or indices.min() < 0 or indices.max() >= len(conditional):
            raise InputError(
                f"Anchor {number} (counting from 0) must be indices of words from 0 to "
                f"{len(conditional) - 1}, at least one; it is {indices.tolist()}."
            )
        if not conditional.occurs[indices].any():
            raise InputError(
                f"Anchor {number} (counting from 0) never occurs together with another word, so no "
                "topic can be learned from it; leave it out or choose another."
            )
