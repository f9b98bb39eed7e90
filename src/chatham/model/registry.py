"""The learners by name: the one fixed table from which `fit` and `load` take their classes.

A model file holds a name of this table and never the name of a module or a class, so loading one
can't import anything. A new learner is a file of its own and a line here.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from chatham.errors import InputError
from chatham.learners.parameters import learner_called

if TYPE_CHECKING:
    from chatham.learners.base import TopicLearner
    from chatham.learners.settings.base import Settings

Shape = tuple[str, ...]
"""Lengths of an array, in `k` topics and `d` words; () is a single number."""


@dataclass(frozen=True)
class Learner:
    """Where a learner's class is, and what it has learned besides topics and their shares."""

    module: str
    class_name: str
    fitted: Mapping[str, tuple[Shape, ...]] = field(default_factory=dict)
    """Further fitted numbers by name, all above zero, with the shapes that they may have."""
    signed: Mapping[str, Shape] = field(default_factory=dict)
    """Those that may be zero or negative, with their shape; square ones are symmetric."""
    series: tuple[str, ...] = ()
    """Fitted numbers of which there are some for each fit, one after the other, by name."""
    groups: tuple[str, ...] = ()
    """Fitted lists with some places of words for each topic, by name."""
    events: tuple[str, ...] = ()
    """Fitted lists of (iteration, topic) pairs by name."""
    utters_all: bool = False
    """Whether each of its topics gives every word a probability above zero, and counts on it."""
    directions: bool = False
    """Whether its topics are directions, whose numbers may be negative and have no sum."""
    settings_module: str | None = None
    """Where its settings are, if they can be had without what fitting needs."""

    @property
    def estimator(self) -> type[TopicLearner]:
        """The class itself; imported here, so that nobody pays for a learner they don't use."""
        found: type[TopicLearner] = getattr(import_module(self.module), self.class_name)
        return found

    @property
    def settings(self) -> type[Settings]:
        """What is known of it without fitting: its settings, or the class itself."""
        if self.settings_module is None:
            return self.estimator
        module = import_module(self.settings_module)
        found: type[Settings] = getattr(module, f"{self.class_name}Settings")
        return found


SETTINGS = "chatham.learners.settings."

LEARNERS: dict[str, Learner] = {
    "nmf": Learner(
        "chatham.learners.nmf",
        "NMF",
        events=("revived_",),
        settings_module=SETTINGS + "nmf",
    ),
    "lda": Learner(
        "chatham.learners.lda",
        "LDA",
        {"alpha_": (("k",),), "beta_": ((), ("d",))},
        utters_all=True,
        settings_module=SETTINGS + "lda",
    ),
    "plsa": Learner("chatham.learners.plsa", "PLSA", settings_module=SETTINGS + "plsa"),
    "anchor": Learner(
        "chatham.learners.anchor",
        "AnchorWords",
        {"alpha_": (("k",),)},
        signed={"correlations_": ("k", "k"), "dual_": ("k", "k")},
        series=("likelihood_",),
        groups=("anchor_groups_",),
        settings_module=SETTINGS + "anchor_words",
    ),
    "kmeans": Learner(
        "chatham.learners.kmeans",
        "KMeans",
        events=("revived_",),
        settings_module=SETTINGS + "kmeans",
    ),
    "svd": Learner(
        "chatham.learners.svd",
        "SVD",
        series=("singular_values_",),
        directions=True,
        settings_module=SETTINGS + "svd",
    ),
}


def learner_named(name: Any) -> Learner:
    """The learner of that name; upper and lower case are alike.

    >>> learner_named("NMF").class_name
    'NMF'
    """
    return LEARNERS[learner_name(name)]


def learner_name(name: Any) -> str:
    """The name as the table has it."""
    if isinstance(name, str) and name.lower() in LEARNERS:
        return name.lower()
    raise InputError(f"There is no learner called {name!r}; choose one of {_listed(LEARNERS)}.")


def algorithm_of(estimator: Settings) -> str:
    """The name under which an estimator's class is in the table, or that of its settings."""
    for name, learner in LEARNERS.items():
        if learner.class_name == learner_called(estimator):
            return name
    raise InputError(
        f"A {type(estimator).__name__} can't be the estimator of a TopicModel; it must be one of "
        f"{', '.join(learner.class_name for learner in LEARNERS.values())}."
    )


def make_estimator(name: str, parameters: Mapping[str, Any]) -> TopicLearner:
    """A new estimator with these parameters, each of them checked."""
    learner = learner_named(name)
    _check_known(learner, learner.estimator, parameters)
    estimator = learner.estimator(**parameters)
    estimator._check_parameters()
    return estimator


def make_settings(name: str, parameters: Mapping[str, Any]) -> Settings:
    """The same parameters with the same checks, without what fitting needs."""
    learner = learner_named(name)
    _check_known(learner, learner.settings, parameters)
    kind: Any = learner.settings
    settings: Settings = kind(**parameters)
    settings._check_parameters()
    return settings


def estimator_of(settings: Settings) -> TopicLearner:
    """The estimator with all that its settings hold: what was told, and what was fitted."""
    learner = LEARNERS[algorithm_of(settings)]
    told = {name: getattr(settings, name) for name in settings._parameter_names()}
    estimator = learner.estimator(**told)
    estimator.__dict__.update(vars(settings))
    return estimator


def _check_known(learner: Learner, kind: type[Settings], parameters: Mapping[str, Any]) -> None:
    known = kind._parameter_names()
    for parameter in parameters:
        if parameter not in known:
            raise InputError(_unknown(learner, parameter, known))


def _unknown(learner: Learner, parameter: str, known: list[str]) -> str:
    elsewhere = {"n_topics", "num_topics", "topics", "k", "nr_topics"}  # what peers call it
    near = difflib.get_close_matches(str(parameter), known, n=1)
    if parameter in elsewhere:
        near = ["n_components"]
    advice = f"did you mean {near[0]!r}?" if near else f"it has {_listed(known)}."
    return f"{learner.class_name} has no parameter {str(parameter)!r}; {advice}"


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
