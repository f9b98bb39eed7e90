"""Least squares on the simplex: the weights under which the expected words come closest.

min ‖Bw − h̃‖² over the simplex is PADD's objective (Lee 2018, eq. 4.1) without its constraint on the
moments, and the problem of Algorithm 3 with topics in place of anchors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatham.learners.documents import Documents
from chatham.learners.inference.base import Inference, products
from chatham.numerics.douglas_rachford import least_on_simplices

Array = NDArray[np.float64]

MOST_ITERATIONS, AT_REST = 2000, 1e-13
"""When a document's weights are converged: so far that the other documents make no difference."""


@dataclass(frozen=True, eq=False)
class LeastSquares(Inference):
    """The w on the simplex that minimises ‖Bw − h̃‖² for each document."""

    def _estimate(self, documents: Documents, shares: Array) -> Array:
        linear = products(documents, self.topics, shares)
        return least_on_simplices(self._curvature(), linear, max_iter=MOST_ITERATIONS, tol=AT_REST)[
            0
        ]

    def _curvature(self) -> Array:
        return self.topics @ self.topics.T
