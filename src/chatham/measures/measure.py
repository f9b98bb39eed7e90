"""What a measure is: local statistics plus a sum, as a learner is, and a number from the total.

A measure says what it needs, `local_statistics` runs where the documents are and returns small
arrays, and `value` turns their sum into a score. So a model is scored across parties as it is
alone, and nothing but the sum crosses the wall.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from chatham.commons import Commons
from chatham.commons.interface import Step
from chatham.commons.precision import BY_DOCUMENT, Most
from chatham.errors import InputError
from chatham.measures.subject import Subject

NEEDS: dict[str, str] = {
    "words": "the topics' top words",
    "topics": "topics as distributions over words",
    "held_out": "held-out documents",
    "reference": "documents to count words in",
    "corpus": "documents",
    "weights": "documents and topics, to find the documents' weights",
    "labels": "documents with labels",
    "order": "texts, in which words stand in their order",
    "true_topics": "the true topics",
    "true_weights": "the documents' true weights",
    "vectors": "word vectors",
}
"""Everything that a measure may need, by the name that its `needs` has it under; who lacks several
is told of the first."""


class UndefinedError(InputError):
    """A measure has no value for what it was given, such as coherence for topics of one word."""


@dataclass(frozen=True)
class Score:
    """A measure's value, for each topic too where that has a meaning.

    A topic for which the measure has no value (it has no two known words, say) has None. `notes`
    are what was met on the way, such as how many words the reference doesn't have.
    """

    value: float
    per_topic: Sequence[float | None] | None = None
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Measure(ABC):
    """One measure; its settings are the fields of its dataclass, each with a default that works.

    The class says the rest: `name` is how it is asked for, `needs` (a set of the names in NEEDS)
    what it must be given, `higher_is_better` how to read it, `source` where it is defined.
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool]
    needs: ClassVar[frozenset[str]]
    source: ClassVar[str]

    local_statistics: ClassVar[Step | None] = None
    """The step `(rows, memory, subject, *shared)` that runs where the documents are (a static
    method whose docstring's first line says what crosses), or None where none are needed."""

    most: ClassVar[Most] = BY_DOCUMENT
    """How large a document's part in the step's sums is: a budget for all of its arrays, or one for
    each. Whole numbers have no need of it."""

    @abstractmethod
    def value(self, totals: Any, subject: Subject) -> Score:
        """The score, from the sum of everyone's statistics and what everyone knows."""

    def shared(self, subject: Subject) -> tuple[Any, ...]:
        """What else the step is told, equal at every holder: arrays and plain values."""
        return ()

    def measure(self, subject: Subject, commons: Commons | None) -> Score:
        """One sum and the value; a measure that takes several rounds has its own."""
        step = type(self).local_statistics
        if step is None:
            return self.value((), subject)
        assert commons is not None, f"{self.name} needs documents"
        totals = commons.sum(step, subject, *self.shared(subject), most=type(self).most)
        return self.value(totals, subject)

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
        """The settings by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


NO_TOPIC = "No topic has a value for this measure."


def known_or_none(values: Iterable[float], known: Iterable[Any]) -> list[float | None]:
    """Each topic's value, and None where it has none.

    >>> known_or_none([0.5, 0.0], [True, False])
    [0.5, None]
    """
    return [float(v) if is_known else None for v, is_known in zip(values, known, strict=True)]


def mean_known(values: Iterable[float | None], lacking: str = NO_TOPIC) -> float:
    """The plain mean over those that have a value; without any, an error that says `lacking`.

    >>> mean_known([0.5, None, 1.0])
    0.75
    """
    known = [value for value in values if value is not None]
    if not known:
        raise UndefinedError(lacking)
    return math.fsum(known) / len(known)


def weighted_mean(values: Sequence[float | None], shares: Sequence[float]) -> float:
    """The mean of per-topic values by the topics' shares, over the topics that have a value."""
    known = [(v, s) for v, s in zip(values, shares, strict=True) if v is not None]
    total = sum(share for _, share in known)
    if not known or total <= 0:
        raise UndefinedError(NO_TOPIC)
    return sum(value * share for value, share in known) / total
