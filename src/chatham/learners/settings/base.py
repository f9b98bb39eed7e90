"""What the settings of every learner share: the parameters that all have, and what others may ask.

What is generic knows no learner by name. It asks here, and a learner that is different answers.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.learners.parameters import check_jobs, check_real, check_whole, learner_called
from chatham.learners.settings.learned import Learned

Array = NDArray[np.float64]


class Settings:
    """A learner's parameters with their rules, and the numbers of a fit with theirs.

    The class of a learner's settings is called like the learner, with `Settings` at the end. Its
    `__init__` is the learner's own, as scikit-learn wants it: all parameters, each with a default.
    """

    n_components: int
    max_iter: int
    tol: float
    random_state: Any
    n_jobs: int | None
    verbose: int

    components_: Array
    prevalence_: Array
    objective_: Array
    n_iter_: int
    n_features_in_: int

    algorithm: ClassVar[str]
    """The name that the learner is asked for by, and that its models' files have; if it isn't
    declared, the name of the class in small letters."""

    learned: ClassVar[Mapping[str, Learned]] = {}
    """What a fit leaves behind besides topics and their shares, by the attribute that has it."""

    utters_all: ClassVar[bool] = False
    """Whether each of its topics gives every word a probability above zero, and counts on it."""

    directions: ClassVar[bool] = False
    """Whether its topics are directions, whose numbers may be negative and have no sum."""

    _signed: ClassVar[bool] = False
    """Whether rows may hold negative numbers."""

    _text_weighting: ClassVar[str] = "counts"
    """How `ch.fit` weighs the words of texts unless told otherwise: "counts" or "tfidf"."""

    def __init_subclass__(cls) -> None:
        """Name the learner after its class, unless it or its settings have a name of their own.

        Where a call doesn't fit, Python names the learner too, and not its settings.
        """
        super().__init_subclass__()
        bases = {base.__name__ for base in cls.__bases__}
        if "algorithm" not in vars(cls) and f"{cls.__name__}Settings" not in bases:
            cls.algorithm = learner_called(cls).lower()
        if "__init__" in vars(cls):
            cls.__init__.__qualname__ = f"{learner_called(cls)}.__init__"

    @classmethod
    def _parameter_names(cls) -> list[str]:
        """The parameters, as scikit-learn orders them."""
        return sorted(set(inspect.signature(cls.__init__).parameters) - {"self"})

    def _told(self) -> dict[str, Any]:
        """The parameters with their values."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def _kept(self) -> dict[str, Any]:
        """What was learned besides topics and their shares."""
        return {name: getattr(self, name) for name in self.learned}

    def _keep_learned(self, learned: Mapping[str, Any]) -> None:
        """Have what was learned from a file."""
        vars(self).update(learned)

    @classmethod
    def _for_text(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """What `ch.fit` sets besides these parameters unless told otherwise: what suits text."""
        return {}

    @classmethod
    def _for_parties(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """What a session of several parties sets besides these parameters."""
        return {}

    @classmethod
    def _takes_normed_sums(cls, parameters: Mapping[str, Any]) -> bool:
        """Whether a fit with these parameters brings home a sum's direction without its size."""
        return False

    def _most_normed_sums(self) -> int:
        """The most such sums that a fit takes."""
        return 0

    def _repeated(self) -> dict[str, int]:
        """What the fit did again and again, and how often."""
        return {"iteration": int(self.n_iter_)}

    @property
    def _on_simplex(self) -> bool:
        """Whether topics are probabilities, so that each sums to one."""
        return True

    def _check_parameters(self) -> None:
        """Refuse what the learner can't work with."""
        check_whole(self, "n_components")
        check_whole(self, "max_iter")
        check_real(self, "tol", 0)
        check_jobs(self)

    def _check_fitted(self) -> None:
        """Refuse numbers that no fit gives: what shapes and ranges alone don't show."""
