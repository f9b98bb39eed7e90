"""The learners by name: the one fixed table from which `fit` and `load` take their classes.

A model file holds a name of this table and never the name of a module or a class, so loading one
can't import anything. A new learner is a file of its own and a line here.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from chatham.errors import InputError
from chatham.learners.base import TopicLearner

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

    @property
    def estimator(self) -> type[TopicLearner]:
        """The class itself; imported here, so that nobody pays for a learner they don't use."""
        found: type[TopicLearner] = getattr(import_module(self.module), self.class_name)
        return found


LEARNERS: dict[str, Learner] = {
    "nmf": Learner("chatham.learners.nmf", "NMF", events=("revived_",)),
    "lda": Learner(
        "chatham.learners.lda", "LDA", {"alpha_": (("k",),), "beta_": ((), ("d",))}, utters_all=True
    ),
    "plsa": Learner("chatham.learners.plsa", "PLSA"),
    "anchor": Learner(
        "chatham.learners.anchor",
        "AnchorWords",
        {"alpha_": (("k",),)},
        signed={"correlations_": ("k", "k"), "dual_": ("k", "k")},
        series=("likelihood_",),
        groups=("anchor_groups_",),
    ),
    "kmeans": Learner("chatham.learners.kmeans", "KMeans", events=("revived_",)),
    "svd": Learner("chatham.learners.svd", "SVD", series=("singular_values_",), directions=True),
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


def algorithm_of(estimator: TopicLearner) -> str:
    """The name under which an estimator's class is in the table."""
    for name, learner in LEARNERS.items():
        if learner.class_name == type(estimator).__name__:
            return name
    raise InputError(
        f"A {type(estimator).__name__} can't be the estimator of a TopicModel; it must be one of "
        f"{', '.join(learner.class_name for learner in LEARNERS.values())}."
    )


def make_estimator(name: str, parameters: Mapping[str, Any]) -> TopicLearner:
    """A new estimator with these parameters, each of them checked."""
    learner = learner_named(name)
    known = learner.estimator._get_param_names()
    for parameter in parameters:
        if parameter not in known:
            raise InputError(_unknown(learner, parameter, known))
    estimator = learner.estimator(**parameters)
    estimator._check_parameters()
    return estimator


def _unknown(learner: Learner, parameter: str, known: list[str]) -> str:
    elsewhere = {"n_topics", "num_topics", "topics", "k", "nr_topics"}  # what peers call it
    near = difflib.get_close_matches(str(parameter), known, n=1)
    if parameter in elsewhere:
        near = ["n_components"]
    advice = f"did you mean {near[0]!r}?" if near else f"it has {_listed(known)}."
    return f"{learner.class_name} has no parameter {str(parameter)!r}; {advice}"


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
