"""Two models side by side: each topic with the one of the other model that is most like it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from chatham.explorer.numbering import names_of, numbers_of
from chatham.model.topic_model import TopicModel

Array = NDArray[np.float64]
WORDS = 8


def compared(here: TopicModel, there: TopicModel, title: str, other: str) -> dict[str, Any]:
    """Pairs of topics, none twice, so that they are as alike as they can be in all; then the rest.

    Similarity is 1 − ½ Σ_j |T_tj − T'_t'j|, over the words of both models.
    """
    alike = similarities(here, there)
    rows, columns = linear_sum_assignment(-alike)
    pairs: list[tuple[int | None, int | None]] = list(
        zip(rows.tolist(), columns.tolist(), strict=True)
    )
    pairs += [(row, None) for row in range(alike.shape[0]) if row not in set(rows.tolist())]
    pairs += [
        (None, column) for column in range(alike.shape[1]) if column not in set(columns.tolist())
    ]
    words = here.top_word_lists(WORDS, "relevance"), there.top_word_lists(WORDS, "relevance")
    ours, theirs, names = numbers_of(here), numbers_of(there), names_of(there)
    return {
        "here": title,
        "there": other,
        "names": names,
        "pairs": [
            {
                "topic": None if row is None else ours[row],
                "other": None if column is None else theirs[column],
                "similarity": None if row is None or column is None else float(alike[row, column]),
                "here": [] if row is None else words[0][row],
                "there": [] if column is None else words[1][column],
            }
            for row, column in pairs
        ],
    }


def similarities(here: TopicModel, there: TopicModel) -> Array:
    """One minus half the ℓ1 distance of every two topics; a word that one lacks has none of it."""
    words = sorted({*map(str, here.vocabulary), *map(str, there.vocabulary)})
    place = {word: column for column, word in enumerate(words)}
    ours, theirs = (_over(model, place) for model in (here, there))
    distances = np.array([np.abs(theirs - topic).sum(axis=1) for topic in ours])
    return np.asarray(1.0 - distances / 2)


def _over(model: TopicModel, place: dict[str, int]) -> Array:
    topics = np.zeros((model.n_topics, len(place)))
    topics[:, [place[str(word)] for word in model.vocabulary]] = model.topics
    return topics
