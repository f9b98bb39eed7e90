"""What a measure is: local statistics plus a sum, as a learner is, and a number from the total.

A measure says what it needs, `local_statistics` runs where the documents are and returns small
arrays, and `value` turns their sum into a score. So a model is scored across parties as it is
alone, and nothing but the sum crosses between them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self, TypeVar, cast

from chatham.commons import Commons
from chatham.commons.interface import Step
from chatham.commons.precision import BY_DOCUMENT, Budget, Budgets
from chatham.errors import InputError
from chatham.measures.subject import Subject
from chatham.naming import value_shown
from chatham.wording import Sentence

NEEDS: dict[str, str] = {
    "words": "the topics' top words",
    "topics": "topics as distributions over words",
    "anchors": "an anchor word for each topic",
    "correlations": "the topics' correlations",
    "held_out": "held-out documents",
    "reference": "documents to count words in",
    "corpus": "documents",
    "weights": "documents and topics, to find the documents' weights",
    "labels": "documents with labels",
    "order": "texts, with words in their order",
    "ratings": "a model to which cells that aren't stored are unknown",
    "true_topics": "the true topics",
    "true_weights": "the documents' true weights",
    "vectors": "word vectors",
}
"""Everything that a measure may need, by its name in `needs`; if several are missing, the first is
reported."""


class UndefinedError(InputError):
    """A measure has no value for its input, such as coherence for topics of one word."""


class Lack(Sentence):
    """What a measure needs and doesn't have: a sentence about it, or its predicate alone.

    >>> lack = Lack.of("needs the true topics")
    >>> lack, lack.predicate
    ('It needs the true topics.', 'needs the true topics')
    """

    @classmethod
    def of(cls, predicate: Any) -> Self:
        """The sentence whose subject is the measure."""
        return cls("It ", predicate, ".")

    @property
    def predicate(self) -> Any:
        """What it needs, as can be said of several measures."""
        return self.parts[1]


@dataclass(frozen=True)
class Score:
    """A measure's value, for each topic too where that has a meaning.

    A topic for which the measure has no value (it has no two known words, say) has None. `notes`
    are what was noticed on the way, such as how many words the reference doesn't have.
    """

    value: float
    per_topic: Sequence[float | None] | None = None
    notes: dict[str, Any] = field(default_factory=dict)


T = TypeVar("T")


class _BySettings:
    """A class attribute that is computed from the settings whenever it is looked at."""

    def __init__(self, rule: Callable[[Any], Any]) -> None:
        self.rule = rule

    def __get__(self, measure: Any, owner: Any) -> Any:
        return self.rule(owner if measure is None else measure)


def by_settings(rule: Callable[[Any], T]) -> T:
    """A property of a measure that follows from its settings, such as what it needs.

    For a class it follows from the settings' defaults.
    """
    return cast(T, _BySettings(rule))


def named(name: str) -> str:
    """The name of a measure that there is for held-out documents too: by its field `held_out`."""
    return by_settings(lambda measure: f"{name}_held_out" if measure.held_out else name)


@dataclass(frozen=True)
class Measure(ABC):
    """One measure; its settings are the fields of its dataclass, each with a default that works.

    The class says the rest: `name` is how it is requested, `needs` (a set of the names in NEEDS)
    its input, `higher_is_better` how to read it, `source` where it is defined. Calling
    a measure returns the same one with other settings: `MEASURES["npmi"](window=10)`.

    A measure that makes sense of both seen and unseen documents has a field `held_out`, False by
    default; its name and its needs then say which documents it is about (`by_settings`).
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool]
    needs: ClassVar[frozenset[str]]
    source: ClassVar[str]
    by_default: ClassVar[bool] = True
    """Whether it is computed where no measure is named; if not, it has to be requested."""

    counts_absence: ClassVar[bool] = False
    """Whether a word that a document doesn't have counts as zero; then it isn't for ratings."""

    takes_coordinates: ClassVar[bool] = False
    """Whether any numbers may be documents' weights, also their coordinates along directions."""

    local_statistics: ClassVar[Step | None] = None
    """The step `(rows, memory, subject, *shared)` that runs where the documents are (a static
    method whose docstring's first line says what crosses), or None where none are needed."""

    budget: ClassVar[Budgets] = BY_DOCUMENT
    """How much a document contributes to the step's sums: a budget for all of its arrays, or one
    for each. Whole numbers don't need it."""

    exact_totals: ClassVar[bool] = False
    """Whether its sums give documents away by being exact: between parties all must know of it."""

    @property
    def tells_exactly(self) -> bool:
        """The same for these settings."""
        return type(self).exact_totals

    @property
    def most(self) -> Budgets:
        """The budget for these settings."""
        return type(self).budget

    def __call__(self, **settings: Any) -> Measure:
        """The same measure with these settings."""
        return replace(self, **settings)

    @property
    def step(self) -> Step | None:
        """What runs where the documents are; a measure that has two chooses between them."""
        return type(self).local_statistics

    def __init_subclass__(cls) -> None:
        """Refuse a budget that isn't one: measures don't count documents, as learners do."""
        super().__init_subclass__()
        listed = cls.budget if isinstance(cls.budget, list | tuple) else [cls.budget]
        if not all(isinstance(budget, Budget) for budget in listed):
            raise InputError(
                f"The budget of the measure {cls.__name__} must be one of those in "
                f"chatham.commons.precision, such as BY_DOCUMENT; got {value_shown(cls.budget)}."
            )

    @abstractmethod
    def value(self, totals: Any, subject: Subject) -> Score:
        """The score, from the sum of everyone's statistics and what everyone knows."""

    def shared(self, subject: Subject) -> tuple[Any, ...]:
        """Further arguments of the step, equal at every holder: arrays and plain values."""
        return ()

    def suited(self, subject: Subject) -> Measure:
        """The same measure, with settings that are left to the subject settled."""
        return self

    def measure(self, subject: Subject, commons: Commons | None) -> Score:
        """One sum and the value; a measure that takes several rounds has its own."""
        own = self.suited(subject)
        if own.step is None:
            return own.value((), subject)
        assert commons is not None, f"{self.name} needs documents"
        totals = commons.sum(own.step, subject, *own.shared(subject), most=own.most)
        return own.value(totals, subject)

    @property
    def documents(self) -> str | None:
        """Which documents it is about: "held_out", "reference", "corpus", or none at all."""
        for kind in ("held_out", "reference"):
            if kind in self.needs:
                return kind
        about = {"corpus", "weights", "labels", "order", "true_weights"}
        return "corpus" if about & self.needs else None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by name; `documents` says whether they are held-out ones."""
        names = [each.name for each in fields(self) if each.name != "held_out"]
        return {name: getattr(self, name) for name in names}

    @property
    def definition(self) -> str:
        """What it measures, in the first paragraph of its docstring."""
        return (type(self).__doc__ or "").split("\n\n")[0].replace("\n    ", " ").strip()


NO_TOPIC = "No topic has a value for this measure."


def known_or_none(values: Iterable[float], defined: Iterable[Any]) -> list[float | None]:
    """Each topic's value, and None where it has none.

    >>> known_or_none([0.5, 0.0], [True, False])
    [0.5, None]
    """
    return [float(v) if is_defined else None for v, is_defined in zip(values, defined, strict=True)]


def mean_known(values: Iterable[float | None], lacking: str = NO_TOPIC) -> float:
    """The plain mean over those that have a value; without any, an error that says `lacking`.

    >>> mean_known([0.5, None, 1.0])
    0.75
    """
    defined = [value for value in values if value is not None]
    if not defined:
        raise UndefinedError(lacking)
    return math.fsum(defined) / len(defined)


def weighted_mean(values: Sequence[float | None], shares: Sequence[float]) -> float:
    """The mean of per-topic values by the topics' shares, over the topics that have a value."""
    defined = [(v, s) for v, s in zip(values, shares, strict=True) if v is not None]
    total = sum(share for _, share in defined)
    if not defined or total <= 0:
        raise UndefinedError(NO_TOPIC)
    return sum(value * share for value, share in defined) / total
