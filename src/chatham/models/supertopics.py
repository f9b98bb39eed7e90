"""The topics of a model below their supertopics, and the words of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.models.words import best_words, score_words

if TYPE_CHECKING:  # so that a hierarchy, too, may take its words from here
    from chatham.models.anchor.hierarchy import Hierarchy
    from chatham.models.topic_model import TopicModel

Array = NDArray[np.float64]


def hierarchy_of(model: TopicModel, levels: Sequence[int]) -> Hierarchy:
    """The supertopics of a model's topics, if it knows how these go together."""
    if not hasattr(model.estimator, "hierarchy"):
        raise InputError(
            f"The topics of {type(model.estimator).__name__} have no correlations to build a "
            "hierarchy from; fit a model whose topics have, with ch.fit('anchor', ...)."
        )
    found: Hierarchy = model.estimator.hierarchy(levels)
    return found


def hierarchy_words(
    model: TopicModel, hierarchy: Hierarchy, n: int, by: str = "prevalence", lam: float = 0.6
) -> list[list[list[str]]]:
    """The `n` best words of each topic of each level, level 1 first and as the model has them."""
    words = [model.top_word_lists(n, by, lam)]
    for level in range(2, len(hierarchy.sizes) + 1):
        topics, shares = hierarchy.topics_over_words(level), hierarchy.prevalence(level)
        words.append(words_of_topics(topics, shares, list(model.vocabulary), n, by, lam))
    return words


def words_of_topics(
    topics: Array,
    shares: Array,
    vocabulary: Sequence[Any],
    n: int,
    by: str = "prevalence",
    lam: float = 0.6,
) -> list[list[str]]:
    """The `n` best words of each topic, ordered as a model's top words are.

    >>> topics = np.array([[0.6, 0.3, 0.1], [0.0, 0.2, 0.8]])
    >>> words_of_topics(topics, np.array([0.5, 0.5]), ["tea", "milk", "rain"], 2)
    [['tea', 'milk'], ['rain', 'milk']]
    """
    places = best_words(score_words(topics, shares, by, lam), topics, vocabulary, n)
    return [[str(vocabulary[place]) for place in best] for best in places]
