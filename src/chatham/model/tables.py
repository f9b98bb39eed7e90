"""The tables of a topic model: its words, its topics, and which topics go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.anchor.correlations import LEAST_SHARE, normalised

Array = NDArray[np.float64]


def in_a_row(words: Sequence[str]) -> str:
    """Words one after the other, with semicolons where one is several, as titles are.

    >>> in_a_row(["tea", "milk"]), in_a_row(["Alien", "Toy Story"])
    ('tea milk', 'Alien; Toy Story')
    """
    return ("; " if any(" " in word for word in words) else " ").join(words)


def anchor_labels(model: Any) -> list[str] | None:
    """The words that each topic was found by, in brackets where they don't fit it any more.

    They don't where another topic gives them a larger probability than their own does, as may come
    of refinement. None for models that weren't found by anchors.
    """
    if model.anchors is None:
        return None
    pairs = zip(model.anchors, model.estimator.anchors_fit_, strict=True)
    return [in_a_row(words) if fits else f"({in_a_row(words)})" for words, fits in pairs]


def checked_number(n: Any) -> int:
    """How many rows of a kind a table is to have."""
    if not isinstance(n, Integral) or n < 1:
        raise InputError(f"n must be a whole number of at least 1. Got {n!r} instead.")
    return int(n)


def table_of(columns: Mapping[str, Any]) -> pd.DataFrame:
    """The columns that there are as a table."""
    return pd.DataFrame({name: each for name, each in columns.items() if each is not None})


def word_table(
    places: Sequence[NDArray[np.intp]], scores: Array, vocabulary: NDArray[Any]
) -> pd.DataFrame:
    """One row a topic and rank: the word at that place of the topic's best, and its score."""
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
    table = pd.DataFrame(weights, columns=[f"topic_{topic}" for topic in range(weights.shape[1])])
    table.insert(0, "id", ids)
    return table


def related_table(correlations: Array, n: int) -> pd.DataFrame:
    """One row a topic and rank: another topic that it meets more often than by chance."""
    lift = lifts(correlations)
    rows = [
        (topic, rank, int(other), float(row[other]))
        for topic, row in enumerate(lift)
        for rank, other in enumerate(np.argsort(-row, kind="stable")[:n], start=1)
        if row[other] > 1.0
    ]
    return pd.DataFrame(rows, columns=["topic", "rank", "related", "lift"])


def lifts(correlations: Array) -> Array:
    """How many times as often as by chance two different topics meet in a document (k×k).

    By chance they meet in proportion to their sizes a = A1: under any Dirichlet prior A_kl is the
    same share of a_k·a_l for all k ≠ l. So the lift is A_kl / (a_k·a_l), divided by what that is
    over all pairs of different topics; a topic has none with itself, nor has one that is never
    drawn, and there it is zero. (The plain correlation of weights, from A − aaᵀ, would not do:
    weights sum to one, so where most documents have one main topic, every two topics seem to
    avoid each other.)

    >>> lifts(np.array([[0.2, 0.1, 0.1], [0.1, 0.15, 0.0], [0.1, 0.0, 0.25]])).round(2)
    array([[0.  , 1.64, 1.17],
           [1.64, 0.  , 0.  ],
           [1.17, 0.  , 0.  ]])
    """
    joint = normalised(correlations)
    sizes = joint.sum(axis=1)
    chance = np.multiply.outer(sizes, sizes)
    drawn = sizes > LEAST_SHARE
    apart = np.multiply.outer(drawn, drawn) & ~np.eye(len(joint), dtype=bool)
    overall = joint[apart].sum() / max(chance[apart].sum(), LEAST_SHARE**2)
    if not overall > 0:
        return np.zeros_like(joint)
    return np.where(apart, joint / overall / np.where(apart, chance, 1.0), 0.0)
