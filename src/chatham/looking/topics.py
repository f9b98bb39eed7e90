"""The topics that a picture is about: numbers, names, shares and words, whatever they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.words import as_probabilities, score_words
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.subject import Subject
from chatham.model.names import CANDIDATES, automatic_names, numbers_listed
from chatham.model.topic_model import TopicModel
from chatham.naming import value_shown
from chatham.wording import say

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics from anywhere, in the order of their rows."""

    subject: Subject
    numbers: tuple[int, ...]
    names: tuple[str, ...]
    directions: Array | None = None
    """The entries of a decomposition's directions (k×d), of either sign; None for topics."""

    def __len__(self) -> int:
        """How many there are."""
        return len(self.numbers)

    @property
    def kind(self) -> str:
        """What they are: "topic", or "direction" for a decomposition such as SVD."""
        return "topic" if self.directions is None else "direction"

    @property
    def shares(self) -> Array:
        """How large each is; they sum to one."""
        shares = np.asarray(self.subject.shares, dtype=np.float64)
        return shares / max(float(shares.sum()), np.finfo(float).tiny)

    @property
    def vocabulary(self) -> NDArray[np.object_]:
        """The words of the columns."""
        return self.subject.vocabulary

    @cached_property
    def profiles(self) -> Array:
        """What each uses of the words, as distributions (k×d); a topic without words has none.

        Of a direction, the squares of its entries: they sum to one. Of a list of words, all alike.
        """
        if self.directions is not None:
            return as_probabilities(self.directions**2)
        if self.subject.topics is not None:
            return self.subject.topics
        column = {str(word): place for place, word in enumerate(self.vocabulary)}
        listed = np.zeros((len(self), len(self.vocabulary)))
        for row, words in zip(listed, self.subject.lists or (), strict=True):
            row[[column[word] for word in words]] = 1.0
        return as_probabilities(listed)

    @property
    def entries(self) -> Array:
        """What stands at each word: a topic's probability, or a direction's entry (k×d)."""
        return self.profiles if self.directions is None else self.directions

    def words(self, n: int, by: str = "prevalence", lam: float = 0.6) -> list[list[str]]:
        """The `n` first words of each; of directions, those with the largest entries."""
        if self.directions is None:
            return self.subject.top_words(n, by, lam)
        _check_one_order(by)
        sizes = replace(self.subject, topics=self.profiles, directions=0, space=None)
        return sizes.top_words(n)

    def scores(self, by: str = "prevalence", lam: float = 0.6) -> Array:
        """By what the words of each are ordered (k×d)."""
        if self.directions is not None:
            _check_one_order(by)
        if self.directions is not None or self.subject.topics is None:
            return self.profiles
        return score_words(self.subject.ordering, self.subject.shares, by, lam)

    def rows_of(self, numbers: Sequence[int] | None) -> list[int]:
        """The rows of these numbers, in their order; all of them by default."""
        if numbers is None:
            return list(range(len(self)))
        row = {number: place for place, number in enumerate(self.numbers)}
        for number in numbers:
            if number not in row:
                raise InputError(
                    f"There is no {self.kind} {value_shown(number)}; the model has "
                    f"{numbers_listed(self.numbers).replace('topic', self.kind)}."
                )
        return [row[number] for number in numbers]

    def largest(self, most: int) -> list[int]:
        """The rows of the largest, in their order."""
        return sorted(np.argsort(-self.shares, kind="stable")[:most].tolist())


def topics_of(model: Any, vocabulary: Any = None) -> Topics:
    """The topics of a model of Chatham's, or of whatever else `as_subject` takes."""
    if isinstance(model, Topics):
        return model
    subject = as_subject(model, vocabulary)
    numbers = tuple(subject.numbers)
    if isinstance(model, TopicModel):
        directions = model.topics if model.kind == "direction" else None
        return Topics(subject, numbers, tuple(model.names.values()), directions)
    directions = np.asarray(subject.estimator.components_) if subject.directions else None
    found = Topics(subject, numbers, (), directions)
    telling = found.words(CANDIDATES, "relevance" if directions is None else "prevalence")
    return replace(found, names=tuple(automatic_names(telling, set())))


def _check_one_order(by: str) -> None:
    if by != "prevalence":
        raise InputError(
            say(
                "Directions have no order of words by {it!r}, as topics have; leave {by} out.",
                it=by,
            )
        )
