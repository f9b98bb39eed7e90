"""The tables of a topic model: its words, its topics, and which topics go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.words import own_words_fit
from chatham.numerics.joint import lifts
from chatham.wording import say

if TYPE_CHECKING:
    import pandas as pd

    from chatham.model.topic_model import TopicModel

Array = NDArray[np.float64]


def in_a_row(words: Sequence[str]) -> str:
    """Words one after the other, with semicolons where one is several, as titles are.

    >>> in_a_row(["tea", "milk"]), in_a_row(["Alien", "Toy Story"])
    ('tea milk', 'Alien; Toy Story')
    """
    return ("; " if any(" " in word for word in words) else " ").join(words)


def anchor_labels(model: TopicModel) -> list[str] | None:
    """The words that each topic was found by, in brackets where they don't fit it any more.

    They don't where another topic gives them a larger probability than their own does, as may come
    of refinement. None for models that weren't found by anchors.
    """
    places = model._anchor_places
    if places is None:
        return None
    labels = [in_a_row([str(word) for word in model.vocabulary[group]]) for group in places]
    fits = own_words_fit(model.topics, places)
    return [label if own else f"({label})" for label, own in zip(labels, fits, strict=True)]


def checked_number(n: Any) -> int:
    """How many rows of a kind a table is to have."""
    if not isinstance(n, Integral) or n < 1:
        raise InputError(say("{n} must be a whole number of at least 1. Got {it!r} instead.", it=n))
    return int(n)


def table_of(columns: Mapping[str, Any]) -> pd.DataFrame:
    """The columns that there are as a table."""
    import pandas as pd

    return pd.DataFrame({name: each for name, each in columns.items() if each is not None})


def word_table(
    places: Sequence[NDArray[np.intp]], scores: Array, vocabulary: NDArray[Any]
) -> pd.DataFrame:
    """One row a topic and rank: the word at that place of the topic's best, and its score."""
    import pandas as pd

    lengths = [len(best) for best in places]
    topic = np.repeat(np.arange(len(places)), lengths)
    column = np.concatenate(places)
    rank = np.concatenate([np.arange(1, length + 1) for length in lengths])
    return pd.DataFrame(
        {
            "topic": topic,
            "rank": rank,
            "word": vocabulary[column].astype(object),
            "score": scores[topic, column],
        }
    )


def weight_table(weights: Array, ids: Any) -> pd.DataFrame:
    """One row a document: its id, and its weights as topic_0, topic_1, …."""
    import pandas as pd

    table = pd.DataFrame(weights, columns=[f"topic_{topic}" for topic in range(weights.shape[1])])
    table.insert(0, "id", ids)
    return table


Related = tuple[int, int, int, float]
"""A topic, a rank, the other topic of that rank, and how many times as often as by chance."""


def related_pairs(correlations: Array, n: int) -> list[Related]:
    """For each topic, up to `n` others that it meets more often than by chance."""
    return [
        (topic, rank, int(other), float(row[other]))
        for topic, row in enumerate(lifts(correlations))
        for rank, other in enumerate(np.argsort(-row, kind="stable")[:n], start=1)
        if row[other] > 1.0
    ]


def related_table(correlations: Array, n: int) -> pd.DataFrame:
    """The same with a row for each."""
    import pandas as pd

    return pd.DataFrame(
        related_pairs(correlations, n), columns=["topic", "rank", "related", "lift"]
    )
