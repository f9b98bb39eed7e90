"""The learners by name: those of Chatham, and anybody's.

A model file, or a session, holds a name and never that of a module or a class. What it names is a
learner of Chatham's, or a class that was passed to `load`, or to `register` in this process. So
reading a file imports nothing. What other packages offer (entry points of the group
`chatham.learners`) is imported only for a name that the user typed.

A learner is represented by its settings: what is known of it without the libraries that fitting
needs. For Chatham's own these are separate classes; anybody else's class is its own settings.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from chatham.errors import InputError, UnknownLearnerError
from chatham.learners.parameters import learner_called
from chatham.learners.settings.base import Settings
from chatham.learners.settings.learned import check_learned
from chatham.learners.settings.unknown import UnknownLearnerSettings
from chatham.naming import shown, value_shown
from chatham.wording import Either, say

if TYPE_CHECKING:
    from chatham.learners.base import TopicLearner

ENTRY_POINTS = "chatham.learners"
EVERY = ("n_components", "max_iter", "tol", "random_state", "n_jobs", "verbose")
"""The parameters that every learner has."""
DECLARED = ("algorithm", "learned", "utters_all", "directions")
"""What a class declares about a learner; no parameter can have such a name."""
NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")

Class = TypeVar("Class", bound=type)
Learners = Mapping[str, type[Settings]]


@dataclass(frozen=True)
class BuiltIn:
    """Where a learner of Chatham's is; it is imported when it is needed, and not before."""

    module: str
    class_name: str
    settings_module: str

    @property
    def estimator(self) -> type[TopicLearner]:
        """The class itself."""
        learner: type[TopicLearner] = getattr(import_module(self.module), self.class_name)
        return learner

    @property
    def settings(self) -> type[Settings]:
        """What is known of it without the libraries that fitting needs."""
        module = import_module(self.settings_module)
        learner: type[Settings] = getattr(module, f"{self.class_name}Settings")
        return learner


LEARNERS: dict[str, BuiltIn] = {
    name: BuiltIn(f"chatham.learners.{module}", class_name, f"chatham.learners.settings.{settings}")
    for name, module, class_name, settings in (
        ("nmf", "nmf", "NMF", "nmf"),
        ("lda", "lda", "LDA", "lda"),
        ("online-lda", "online_lda", "OnlineLDA", "online_lda"),
        ("plsa", "plsa", "PLSA", "plsa"),
        ("anchor", "anchor", "AnchorWords", "anchor_words"),
        ("kmeans", "kmeans", "KMeans", "kmeans"),
        ("svd", "svd", "SVD", "svd"),
    )
}

_registered: dict[str, type[Settings]] = {}


def register(learner: Class) -> Class:
    """Make your own learner known in this process, by its name; also as a decorator.

    Then `ch.fit` takes the name, and `ch.load` gives its models their estimator.

    >>> import chatham as ch
    >>> @ch.register
    ... class Patient(ch.NMF):
    ...     algorithm = "patient-nmf"
    >>> texts = ["cats purr", "dogs bark", "cats and dogs"]
    >>> ch.fit("patient-nmf", texts, n_components=2, random_state=0).algorithm
    'patient-nmf'
    """
    kind = _checked_class(learner)
    if kind.algorithm not in LEARNERS:
        _refuse_second(kind, _registered.get(kind.algorithm))
        _registered[kind.algorithm] = kind
    return learner


def learner_named(name: Any) -> type[Settings]:
    """The learner of a name that may be from a file; case doesn't matter.

    >>> learner_named("NMF").__name__
    'NMFSettings'
    """
    kind = known(name.lower()) if isinstance(name, str) else None
    if kind is None:
        listed = _listed([*LEARNERS, *_registered])
        raise InputError(f"There is no learner called {value_shown(name)}; choose one of {listed}.")
    return kind


def learner_typed(name: Any) -> type[Settings]:
    """The learner of a name that the user typed: some package may have it as an entry point."""
    if isinstance(name, str) and known(name.lower()) is None:
        _register_offered(name.lower())
    return learner_named(name)


def known(name: str, learners: Learners = MappingProxyType({})) -> type[Settings] | None:
    """Chatham's own learner of that name, else one that was given, else a registered one."""
    if name in LEARNERS:
        return LEARNERS[name].settings
    return learners.get(name, _registered.get(name))


def check_learners(learners: Iterable[type]) -> Learners:
    """The learners passed to one call, checked, by their names."""
    if isinstance(learners, type):
        raise InputError(
            f"learners= must be a list of classes; give learners=[{learners.__name__}]."
        )
    by_name: dict[str, type[Settings]] = {}
    for kind in map(_checked_class, learners):
        _refuse_second(kind, by_name.get(kind.algorithm))
        by_name[kind.algorithm] = kind
    return by_name


def settings_of(learner: Any) -> type[Settings]:
    """The learner passed to `fit`: its name as it was typed, its class, or an instance."""
    kind = learner if isinstance(learner, type) else type(learner)
    return _checked(kind) if issubclass(kind, Settings) else learner_typed(learner)


def algorithm_of(estimator: Settings) -> str:
    """The name of an estimator's learner, or that of its settings."""
    if isinstance(estimator, UnknownLearnerSettings):
        return estimator.algorithm
    if not isinstance(estimator, Settings):
        raise InputError(
            f"A {type(estimator).__name__} can't be the estimator of a TopicModel; it must be one "
            f"of {', '.join(learner.class_name for learner in LEARNERS.values())}, or derive from "
            "TopicLearner."
        )
    return _checked(type(estimator)).algorithm


def _checked_class(learner: Any) -> type[Settings]:
    """The class, if it is that of a learner."""
    if not isinstance(learner, type) or not issubclass(learner, Settings):
        raise InputError(
            f"{value_shown(learner)} isn't the class of a learner; give one that derives from "
            "ch.TopicLearner."
        )
    return _checked(learner)


def _checked(kind: type[Settings]) -> type[Settings]:
    """The class, if its declarations are valid."""
    name, class_name = kind.algorithm, kind.__name__
    if name in LEARNERS:
        if kind is LEARNERS[name].settings or kind is LEARNERS[name].estimator:
            return kind
        raise InputError(
            f"The learner {class_name} can't be called {value_shown(name)}, which is Chatham's own "
            f"{LEARNERS[name].class_name}; give it another name, as in algorithm = 'my-{name}'."
        )
    if inspect.isabstract(kind):
        lacking = " and ".join(sorted(getattr(kind, "__abstractmethods__", ())))
        raise InputError(
            f"{class_name} lacks {lacking}; give the class of a learner that has them."
        )
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InputError(
            f"The learner {class_name} can't be called {value_shown(name)}; declare algorithm = "
            "'...' with up to 40 lower-case letters, digits, - and _, a letter first."
        )
    parameters = kind._parameter_names()
    for parameter in EVERY:
        if parameter not in parameters:
            raise InputError(
                f"The learner {class_name} has no parameter {parameter!r}; every learner has "
                f"{_listed(EVERY)}."
            )
    for declared in DECLARED:
        if declared in parameters:
            raise InputError(
                f"The learner {class_name} has a parameter {declared!r}, which is what its class "
                "declares; call the parameter something else."
            )
    check_learned(class_name, kind.learned)
    return kind


def _refuse_second(kind: type[Settings], other: type[Settings] | None) -> None:
    """One class per name; but one that is defined again, as in a notebook, is the same."""
    if other is not None and _full_name(kind) != _full_name(other):
        raise InputError(
            f"Two learners are called {value_shown(kind.algorithm)}: {_full_name(other)} and "
            f"{_full_name(kind)}; give one of them another name, as algorithm = '...'."
        )


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _register_offered(name: str) -> None:
    """Import what a package offers under that name, and register it."""
    from importlib.metadata import entry_points

    offered = {point for point in entry_points(group=ENTRY_POINTS) if point.name.lower() == name}
    if len({point.value for point in offered}) > 1:
        raise InputError(
            f"Several packages offer a learner called {name!r} "
            f"({_listed(sorted(point.value for point in offered))}); remove all but one of them."
        )
    for point in offered:
        try:
            learner = point.load()
        except Exception as error:
            raise InputError(
                f"The learner {name!r} can't be imported from {point.value!r}: "
                f"{type(error).__name__}: {error}."
            ) from error
        if _checked_class(learner).algorithm != name:
            raise InputError(
                f"A package offers {point.value!r} as {name!r}, and the learner calls itself "
                f"{learner.algorithm!r}; both names must be the same."
            )
        register(learner)


def estimator_class(kind: type[Settings]) -> type[TopicLearner]:
    """The class that fits."""
    built_in = LEARNERS.get(kind.algorithm)
    estimator: Any = kind if built_in is None else built_in.estimator
    return estimator


def make_estimator(learner: str | type[Settings], parameters: Mapping[str, Any]) -> TopicLearner:
    """A new estimator with these parameters, each of them checked."""
    kind = learner_named(learner) if isinstance(learner, str) else learner
    estimator: Any = _instance(estimator_class(kind), parameters)
    return estimator


def make_settings(learner: str | type[Settings], parameters: Mapping[str, Any]) -> Settings:
    """The same parameters with the same checks, without the libraries that fitting needs."""
    return _instance(learner_named(learner) if isinstance(learner, str) else learner, parameters)


def _instance(kind: Any, parameters: Mapping[str, Any]) -> Settings:
    check_known(kind, parameters)
    learner: Settings = kind(**parameters)
    learner._check_parameters()
    return learner


def estimator_of(settings: Settings) -> TopicLearner:
    """The estimator with all that its settings hold: parameters, and what was fitted."""
    if settings.algorithm not in LEARNERS:
        raise UnknownLearnerError(
            say(
                "The learner {name!r} of this model isn't known here: its topics can be shown, but "
                "its estimator can't be used; {how}.",
                name=settings.algorithm,
                how=Either(
                    "load it with ch.load(folder, learners=[...]), its class in the list",
                    f"if an installed package offers it, give --learner {settings.algorithm}",
                ),
            )
        )
    estimator = LEARNERS[settings.algorithm].estimator(**settings._parameter_values())
    estimator.__dict__.update(vars(settings))
    return estimator


def check_known(kind: type[Settings], parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that the learner doesn't have."""
    names = kind._parameter_names()
    for parameter in parameters:
        if parameter not in names:
            raise InputError(_unknown(learner_called(kind), parameter, names))


def _unknown(learner: str, parameter: str, names: list[str]) -> str:
    synonyms = {"n_topics", "num_topics", "topics", "k", "nr_topics"}  # what peers call it
    near = difflib.get_close_matches(str(parameter), names, n=1)
    if parameter in synonyms:
        near = ["n_components"]
    advice = f"did you mean {near[0]!r}?" if near else f"it has {_listed(names)}."
    return f"{learner} has no parameter {shown(parameter)}; {advice}"


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
