"""A learner that isn't known here, as far as the file of one of its models speaks of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chatham.errors import InputError
from chatham.learners.settings.base import Settings
from chatham.learners.settings.learned import Learned


class UnknownLearnerSettings(Settings):
    """Its name, its parameters, and what it learned by kind, all as they were read.

    What it learned is kept for a file to be written again and is no attribute: nobody knows what
    it means, and only its learner could have checked it. Its topics may be anything that topics of
    any learner are.
    """

    directions = True

    def __init__(
        self, algorithm: str, parameters: Mapping[str, Any], learned: Mapping[str, Learned]
    ) -> None:
        self.algorithm = algorithm  # type: ignore[misc]  # a class says it where there is one
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

    def _told(self) -> dict[str, Any]:
        return dict(self._parameters)

    def _kept(self) -> dict[str, Any]:
        return dict(self._learned)

    def _keep_learned(self, learned: Mapping[str, Any]) -> None:
        self._learned = dict(learned)
