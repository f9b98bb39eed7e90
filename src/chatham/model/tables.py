"""The tables of a topic model: its words, its topics, and which topics co-occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.words import best_words, own_words_fit
from chatham.numerics.joint import lifts
from chatham.wording import say

if TYPE_CHECKING:
    import pandas as pd

    from chatham.model.topic_model import TopicModel

Array = NDArray[np.float64]


def in_a_row(words: Sequence[str]) -> str:
    """Words in a row, with semicolons between them if any contains a space, as titles do.

    >>> in_a_row(["tea", "milk"]), in_a_row(["Alien", "Toy Story"])
    ('tea milk', 'Alien; Toy Story')
    """
    return ("; " if any(" " in word for word in words) else " ").join(words)


def anchor_labels(model: TopicModel) -> list[str] | None:
    """Each topic's anchor words, in brackets where they no longer fit it.

    They don't where another topic gives them a larger probability than their own does, which can
    result from refinement. None for models without anchors.
    """
    groups = model._anchor_columns
    if groups is None:
        return None
    labels = [in_a_row([str(word) for word in model.vocabulary[group]]) for group in groups]
    if not all(map(len, groups)):  # the parts of a topic that was split have none
        return labels
    fits = own_words_fit(model.topics, groups)
    return [label if fit else f"({label})" for label, fit in zip(labels, fits, strict=True)]


def checked_number(n: Any) -> int:
    """The number of rows of a kind that a table is to have, if it can be one."""
    if not isinstance(n, Integral) or n < 1:
        raise InputError(say("{n} must be a whole number of at least 1. Got {it!r} instead.", it=n))
    return int(n)


def table_of(columns: Mapping[str, Any]) -> pd.DataFrame:
    """A table of the columns that aren't None."""
    import pandas as pd

    return pd.DataFrame({name: each for name, each in columns.items() if each is not None})


def beside(table: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """A table with the corpus's other columns behind its own, row by row.

    One that is called like a column of ours is `corpus_` and its name.

    >>> import pandas as pd
    >>> topics, own = pd.DataFrame({"topic": [3]}), pd.DataFrame({"year": [1999], "topic": ["tea"]})
    >>> beside(topics, own).columns.tolist()
    ['topic', 'year', 'corpus_topic']
    """
    import pandas as pd

    taken = {str(name) for name in table.columns}
    names = []
    for name in map(str, others.columns):
        while name in taken:
            name = f"corpus_{name}"
        taken.add(name)
        names.append(name)
    return pd.concat(
        [table.reset_index(drop=True), others.set_axis(names, axis=1).reset_index(drop=True)],
        axis=1,
    )


def word_table(
    best: Sequence[NDArray[np.intp]],
    scores: Array,
    vocabulary: NDArray[Any],
    numbers: NDArray[np.int64],
    kind: str = "topic",
) -> pd.DataFrame:
    """One row per topic and rank: the topic's word of that rank, and its score."""
    import pandas as pd

    lengths = [len(words) for words in best]
    row = np.repeat(np.arange(len(best)), lengths)
    column = np.concatenate(best)
    rank = np.concatenate([np.arange(1, length + 1) for length in lengths])
    return pd.DataFrame(
        {
            kind: numbers[row],
            "rank": rank,
            "word": vocabulary[column].astype(object),
            "score": scores[row, column],
        }
    )


def rows_of_words(model: TopicModel, words: Sequence[Sequence[str]]) -> list[str]:
    """The words of each topic in a row; of a direction, those of its other end with a minus."""
    return [in_a_row(listed) for listed in signed_words(model, words)]


def signed_words(model: TopicModel, words: Sequence[Sequence[str]]) -> list[list[str]]:
    """The words of topics as they are; those of a direction's other end with a minus."""
    if model.kind == "topic":
        return [list(listed) for listed in words]
    column_of = {str(word): column for column, word in enumerate(model.vocabulary)}
    return [
        [word if entries[column_of[word]] > 0 else f"−{word}" for word in listed]
        for entries, listed in zip(model.topics, words, strict=True)
    ]


def largest_entries(
    directions: Array, vocabulary: Sequence[str], n: int, by: str
) -> tuple[list[NDArray[np.intp]], Array]:
    """For each direction, the words with the `n` largest entries of either sign; the entries."""
    if by != "prevalence":
        raise InputError(
            say(
                "Directions have no order of words by {it!r}, as topics have; leave {by} out.",
                it=by,
            )
        )
    sizes = np.abs(directions)
    return best_words(sizes, sizes, vocabulary, n), directions


def weight_table(
    weights: Array, ids: Any, numbers: Sequence[int] | NDArray[np.int64], kind: str = "topic"
) -> pd.DataFrame:
    """One row per document: its id, and its weights as topic_0, topic_1, …."""
    import pandas as pd

    table = pd.DataFrame(weights, columns=[f"{kind}_{topic}" for topic in numbers])
    table.insert(0, "id", ids)
    return table


Related = tuple[int, int, int, float]
"""A topic, a rank, the other topic of that rank, and the lift: how often relative to chance."""


def related_pairs(correlations: Array, n: int) -> list[Related]:
    """For each topic, up to `n` others that it co-occurs with more often than by chance."""
    return [
        (topic, rank, int(other), float(row[other]))
        for topic, row in enumerate(lifts(correlations))
        for rank, other in enumerate(np.argsort(-row, kind="stable")[:n], start=1)
        if row[other] > 1.0
    ]


def related_table(correlations: Array, numbers: NDArray[np.int64], n: int) -> pd.DataFrame:
    """The same as a table, one row for each."""
    import pandas as pd

    table = pd.DataFrame(
        related_pairs(correlations, n), columns=["topic", "rank", "related", "lift"]
    )
    for column in ("topic", "related"):
        table[column] = numbers[table[column].to_numpy(dtype=np.int64)]
    return table
