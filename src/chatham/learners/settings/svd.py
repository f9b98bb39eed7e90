"""The parameters of the SVD, and the rules for its vectors and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from chatham.errors import InputError
from chatham.learners.parameters import check_choice
from chatham.learners.settings.base import Array, Settings
from chatham.learners.settings.learned import Series

SUMS = ("secure", "normed")

NORMED_TOL = 1e-6
"""The default `tol` of normed sums, which are less precise than plain ones."""


class SVDSettings(Settings):
    """The kind of sum by which directions are found."""

    algorithm = "svd"
    learned: ClassVar = {"singular_values_": Series()}
    directions = True
    _signed = True
    _fits_privately = True

    singular_values_: Array

    def __init__(
        self,
        n_components: int = 10,
        *,
        sums: str = "secure",
        max_iter: int = 300,
        tol: float = 1e-10,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.sums = sums
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def _takes_normed_sums(cls, parameters: Mapping[str, Any]) -> bool:
        return parameters.get("sums") == "normed"

    @classmethod
    def _for_parties(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {"tol": NORMED_TOL} if cls._takes_normed_sums(parameters) else {}

    @classmethod
    def _reveals(cls, parameters: Mapping[str, Any], exact: bool) -> str:
        normed = cls._takes_normed_sums(parameters)
        told = (
            "The directions of sums over all documents, and not their lengths, the singular values"
            if normed
            else "Products of all documents with blocks of directions, and so singular vectors "
            "and values"
        )
        if exact:
            return (
                f"{told}, all exact. Attacked, they showed two colluding parties which words occur "
                "with a rare one (docs/security.md), and a document unlike all others may become a "
                "direction of its own."
            )
        return (
            f"{told}, each party's with noise. Attacked, no row of a rare word came back; but a "
            "document unlike all others may become a direction of its own (docs/security.md)."
        )

    @classmethod
    def _reveals_privately(cls, parameters: Mapping[str, Any]) -> str:
        told = "directions of products" if cls._takes_normed_sums(parameters) else "products"
        return (
            f"The {told} of all documents, each scaled to unit length, with directions in five "
            "passes, all with as much noise as the privacy below needs."
        )

    def _most_normed_sums(self) -> int:
        return self.n_components * self.max_iter if self._hidden else 0

    @property
    def _on_simplex(self) -> bool:
        return False

    @property
    def _hidden(self) -> bool:
        return self.sums == "normed"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice(self, "sums", SUMS)

    def _check_fitted(self) -> None:
        """What a model file must satisfy besides shapes and ranges."""
        products = self.components_ @ self.components_.T
        squared_norms = np.diag(products).round()
        if (
            set(squared_norms) - {0.0, 1.0}
            or np.abs(products - np.diag(squared_norms)).max() > 1e-6
        ):
            raise InputError("The directions of an SVD must be orthonormal, or zero.")
        values = self.singular_values_
        if len(values) not in (0, len(squared_norms)) or (np.diff(values, append=0.0) > 0).any():
            raise InputError("There must be one singular value per direction, the largest first.")
