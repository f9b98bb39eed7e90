"""How topics are related: in the same documents, as a model has learned it, or by their words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.looking.contingency import Contingency, contingency_of, learned_contingency
from chatham.looking.distances import overlap, word_distances
from chatham.looking.seriation import Order, seriated_by
from chatham.looking.topics import Topics, topics_of
from chatham.naming import value_shown
from chatham.wording import say

Array = NDArray[np.float64]

MOST_ALIKE = 4.0

BY = ("documents", "correlations", "words")


@dataclass(frozen=True, eq=False)
class Relations:
    """Topics, and what relates them; `by` is one of `BY`."""

    topics: Topics
    by: str
    contingency: Contingency | None = None

    @property
    def likeness(self) -> Array:
        """How alike two topics are (k×k): how many times as often as by chance they are in the same
        documents, or by words the share of these that they have in common.

        What a topic is to itself says nothing, and is NaN.
        """
        alike = (
            overlap(self.topics.profiles) if self.contingency is None else self.contingency.lifts
        )
        return np.where(np.eye(len(alike), dtype=bool), np.nan, alike)

    def distances(self, distance: str = "hellinger") -> Array:
        """How far they are from each other (k×k); `distance` is one by words."""
        if self.contingency is not None:
            return self.contingency.distances
        return word_distances(self.topics.profiles, distance)

    def order(self) -> Order:
        """Their rows in an order in which neighbours are alike, by bond energy.

        Two odd topics of a few documents may be together fifty times as often as by chance, and
        would decide where all others are: what is beyond four times counts as four.
        """
        alike = np.minimum(np.nan_to_num(self.likeness), MOST_ALIKE)
        return seriated_by(alike + np.diag(alike.max(axis=1, initial=0.0)))

    @property
    def shares(self) -> Array:
        """How large topics are: in the documents that were counted, or as the model has it."""
        if self.contingency is None or not self.contingency.counted:
            return self.topics.shares
        return self.contingency.sizes / self.contingency.documents


def relations_of(
    model: Any,
    documents: Any = None,
    *,
    by: str | None = None,
    vocabulary: Any = None,
    n_jobs: int | None = None,
) -> Relations:
    """How the topics of a model, or of anything else that `as_subject` takes, are related.

    By default by the documents if there are any, else by the correlations that the model has
    learned, else by words.
    """
    topics = topics_of(model, vocabulary)
    if by is not None and by not in BY:
        raise InputError(
            say(
                "{by} must be one of {names}. Got {it} instead.",
                names=", ".join(map(repr, BY)), it=value_shown(by),
            )
        )  # fmt: skip
    if by == "documents" and documents is None:
        raise InputError("To relate topics by documents, give the documents.")
    learned = learned_contingency(topics)
    if by == "correlations" and learned is None:
        raise InputError(
            say("These topics have no correlations; leave {by} out, or give documents.")
        )
    if by is None:
        by = "documents" if documents is not None else "words" if learned is None else BY[1]
    if by == "documents":
        return Relations(topics, by, contingency_of(topics, documents, n_jobs))
    return Relations(topics, by, learned if by == "correlations" else None)
