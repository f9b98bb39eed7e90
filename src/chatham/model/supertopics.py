"""The topics of a model below their supertopics, and the words of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.words import words_of_topics
from chatham.model.edits import check_unedited
from chatham.wording import Either, say

if TYPE_CHECKING:
    from chatham.model.topic_model import TopicModel


Array = NDArray[np.float64]


class Levels(Protocol):
    """Topics over words on several levels; level 1 are the model's own."""

    @property
    def sizes(self) -> Sequence[int]:
        """How many topics there are on each level."""

    def topics_over_words(self, level: int) -> Array:
        """The topics of a level."""

    def prevalence(self, level: int) -> Array:
        """How large each is."""


def hierarchy_of(model: TopicModel, levels: Sequence[int]) -> Any:
    """The supertopics of a model's topics, if its learner knows their correlations."""
    if not hasattr(model.estimator, "hierarchy"):
        raise InputError(
            say(
                "The topics of {learner} have no correlations to build a hierarchy from; fit a "
                "model that has them, with {example}.",
                learner=model._learner,
                example=Either("ch.fit('anchor', ...)", "--model anchor"),
            )
        )
    check_unedited(model, "a hierarchy has")
    return model.estimator.hierarchy(levels)


def hierarchy_words(
    model: TopicModel, hierarchy: Levels, n: int, by: str = "prevalence", lam: float = 0.6
) -> list[list[list[str]]]:
    """The `n` best words of each topic of each level, level 1 first, as the model has them."""
    words = [model.top_word_lists(n, by, lam)]
    for level in range(2, len(hierarchy.sizes) + 1):
        topics, shares = hierarchy.topics_over_words(level), hierarchy.prevalence(level)
        words.append(words_of_topics(topics, shares, list(model.vocabulary), n, by, lam))
    return words
