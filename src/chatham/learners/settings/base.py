"""What the settings of every learner share: the common parameters, and what other rooms may ask.

Generic code knows no learner by name. It asks here, and a learner that differs says so.
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
    """A learner's parameters and fitted attributes, each with its rules.

    The class of a learner's settings is named after the learner, with `Settings` appended. Its
    `__init__` is the learner's own, as scikit-learn requires: all parameters, each with a default.
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
    """The name of the learner in calls and in its models' files; by default the name of the class
    in lower case."""

    learned: ClassVar[Mapping[str, Learned]] = {}
    """Fitted attributes besides topics and their shares, with the kind of each."""

    utters_all: ClassVar[bool] = False
    """Whether each of its topics gives every word a probability above zero, and relies on that."""

    directions: ClassVar[bool] = False
    """Whether its topics are directions, whose entries may be negative and need not sum to one."""

    _signed: ClassVar[bool] = False
    """Whether rows may hold negative numbers."""

    _fits_privately: ClassVar[bool] = False
    """Whether there is a fit whose every sum has the noise that differential privacy needs."""

    _weighs_rows: ClassVar[bool] = False
    """Whether its objective weights rows and cells where these have weights."""

    _better: ClassVar[int] = 1
    """Of several fits the best has the largest last objective (1), or the smallest (−1)."""

    def __init_subclass__(cls) -> None:
        """Name the learner after its class, unless it or its settings declare a name.

        Python's own error for a wrong call then names the learner too, not its settings.
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

    def _parameter_values(self) -> dict[str, Any]:
        """The parameters with their values."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def _learned_values(self) -> dict[str, Any]:
        """Fitted attributes besides topics and their shares."""
        return {name: getattr(self, name) for name in self.learned}

    def _keep_learned(self, learned: Mapping[str, Any]) -> None:
        """Set fitted attributes that were read from a file."""
        vars(self).update(learned)

    @classmethod
    def _for_text(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters that `ch.fit` adds to these by default, to suit text."""
        return {}

    @classmethod
    def _text_weighting(cls, parameters: Mapping[str, Any]) -> str:
        """How `ch.fit` weights the words of texts by default: "counts" or "tfidf"."""
        return "counts"

    @classmethod
    def _for_text_between_parties(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The same where parties fit together: what suits text and tells no more than it must."""
        return cls._for_text(parameters)

    @classmethod
    def _for_parties(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters that a session of several parties adds to these by default."""
        return {}

    @classmethod
    def _reveals(cls, parameters: Mapping[str, Any], exact: bool) -> str:
        """What the totals of a fit between parties reveal, for a person who decides to take part.

        `exact` is whether all parties know of totals that give documents away.
        """
        return (
            "Whatever the learner's own sums do; the ledger says what each of them means. Nobody "
            "has tried to rebuild documents from them here."
        )

    @classmethod
    def _reveals_privately(cls, parameters: Mapping[str, Any]) -> str:
        """The same of a fit that is differentially private, from learners that have one."""
        return "Sums over documents, all with noise."

    @classmethod
    def _takes_normed_sums(cls, parameters: Mapping[str, Any]) -> bool:
        """Whether a fit with these parameters takes sums that reveal only a direction."""
        return False

    def _most_normed_sums(self) -> int:
        """The maximum number of such sums in a fit."""
        return 0

    def _idle(self, threads: int, tokens: float) -> Any:
        """What would help if a fit of so many tokens leaves most of these threads without work."""
        return None

    def _repeated(self) -> dict[str, int]:
        """What the fit repeated, and how often."""
        return {"iteration": int(self.n_iter_)}

    @property
    def _restarts(self) -> int:
        """From how many starts a fit begins, of which the best is kept."""
        return 1

    @property
    def _on_simplex(self) -> bool:
        """Whether topics are probabilities, so that each sums to one."""
        return True

    @property
    def _gives_directions(self) -> bool:
        """Whether what a fit found are directions and not topics."""
        return self.directions

    @property
    def _observes(self) -> bool:
        """Whether cells that aren't stored are unknown, and not zeros, as in a table of ratings."""
        return False

    def _check_parameters(self) -> None:
        """Refuse parameters that the learner can't work with."""
        check_whole(self, "n_components")
        check_whole(self, "max_iter")
        check_real(self, "tol", 0)
        check_jobs(self)

    def _check_fitted(self) -> None:
        """Refuse numbers that no fit can produce, beyond what shapes and ranges show."""
