"""A learner that isn't known here, as far as a model's file describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatham.errors import InputError
from chatham.learners.settings.base import Settings
from chatham.learners.settings.learned import Learned


class UnknownLearnerSettings(Settings):
    """Its name, its parameters, and its fitted attributes by kind, all as they were read.

    Fitted attributes are kept so that the file can be written again, but aren't set here: nobody
    knows what they mean, and only the learner could have checked them. Its topics may be whatever
    any learner's topics may be.
    """

    directions = True

    def __init__(
        self, algorithm: str, parameters: Mapping[str, Any], learned: Mapping[str, Learned]
    ) -> None:
        self.algorithm = algorithm  # type: ignore[misc]  # a class attribute elsewhere
        self.learned = learned  # type: ignore[misc]
        self._parameters = dict(parameters)
        self._learned: dict[str, Any] = {}
        self.n_jobs, self.verbose = None, 0
        for name in ("n_components", "max_iter", "tol", "random_state"):
            if name not in parameters:
                raise InputError(f"its parameters lack {name!r}, which every learner has.")
            setattr(self, name, parameters[name])

    @property
    def _on_simplex(self) -> bool:
        return False

    @property
    def _gives_directions(self) -> bool:
        return bool((self.components_ < 0).any())

    def _parameter_values(self) -> dict[str, Any]:
        return dict(self._parameters)

    def _learned_values(self) -> dict[str, Any]:
        return dict(self._learned)

    def _keep_learned(self, learned: Mapping[str, Any]) -> None:
        self._learned = dict(learned)
