"""Topics that are in memory, as subjects: lists of words, arrays, OCTIS's dictionaries.

Whole topics become nonnegative rows that sum to one; a topic of zeros stays zero. Documents'
weights are found by maximum likelihood, whatever made the topics, so that different tools are
compared in the same way. Lists of words have no probabilities, so only measures of words apply to
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.words import as_probabilities
from chatham.measures.subject import Subject, folding, smoothed
from chatham.model.schema import LONGEST_WORD
from chatham.model.vocabulary import as_vocabulary
from chatham.numerics.topics import as_topics
from chatham.wording import Either, say

Array = NDArray[np.float64]


FOLDING_SHARE = 1e-9
"""The uniform share mixed in where weights are found: a word in no topic favours none."""


def subject_of_lists(
    lists: Iterable[Iterable[str]], name: str = "topics", prevalence: Array | None = None
) -> Subject:
    """Topics of which only the best words are known; a topic may have none, but not all."""
    topics = [list(words) for words in lists]
    for number, words in enumerate(topics):
        check_words(number, words)
    distinct = sorted(set(chain.from_iterable(topics)))
    if not distinct:
        raise InputError(
            "There is no word in any of the topics; give each as a list of words, best first."
        )
    vocabulary = as_vocabulary(distinct, len(distinct))
    return Subject(vocabulary, lists=topics, prevalence=prevalence, name=name)


def subject_of_topics(
    topics: Any,
    vocabulary: Any,
    name: str = "topics",
    *,
    alpha: Any = None,
    prevalence: Array | None = None,
) -> Subject:
    """Whole topics, in any positive scale, over the words of `vocabulary`."""
    if vocabulary is None and isinstance(topics, pd.DataFrame):
        vocabulary = [str(column) for column in topics.columns]
    rows = as_probabilities(measurable(topics))
    words = words_for(rows, needed_words(vocabulary, "an array of topics"))
    return Subject(
        words,
        topics=rows,
        prevalence=prevalence,
        alpha=as_alpha(alpha, len(rows)),
        estimator=folding("plsa", smoothed(rows, FOLDING_SHARE)),
        name=name,
    )


def subject_of_sequence(model: Any, vocabulary: Any, name: str) -> Subject:
    """A pair of array and words, lists of words, or lists of numbers."""
    if len(model) == 2 and is_array(_as_rows(model[0])) and _all_words(model[1]):
        return subject_of_topics(_as_rows(model[0]), model[1], name)
    if any(isinstance(topic, str) for topic in model):
        raise InputError(
            "Topics must be lists of words, and one of these is a single string; split it into "
            "words, or give a path alone to read a file."
        )
    numbers = _as_rows(model)
    if is_array(numbers):
        return subject_of_topics(numbers, vocabulary, name)
    if not all(isinstance(topic, Iterable) for topic in model):
        raise InputError("Topics must be lists of words, or rows of numbers of the same length.")
    return subject_of_lists(model, name)


def subject_of_octis(output: Mapping[Any, Any], vocabulary: Any, name: str) -> Subject:
    """A model's output as OCTIS returns it: whole topics with a vocabulary, or lists of words."""
    matrix = output.get("topic-word-matrix")
    words = output.get("vocabulary") if vocabulary is None else vocabulary
    weights = output.get("topic-document-matrix")
    if matrix is not None and words is not None:
        subject = subject_of_topics(matrix, words, name)
        shares = _mean_weights(weights, subject.n_topics)
        return replace(subject, prevalence=shares)
    lists = output.get("topics")
    if not isinstance(lists, list | tuple):
        raise InputError(
            "The dictionary has neither 'topics' as lists of words nor 'topic-word-matrix' with a "
            "vocabulary; give OCTIS's output, and the vocabulary with it."
        )
    if not all(isinstance(topic, list | tuple | np.ndarray) for topic in lists):
        raise InputError("The dictionary's 'topics' must be lists of words.")
    return subject_of_lists(lists, name, _mean_weights(weights, len(lists)))


def shares_of(sizes: Any) -> Array | None:
    """Sizes of topics as shares that sum to one, or None where they can't be."""
    shares = np.asarray(sizes, dtype=np.float64)
    total = shares.sum()
    is_valid = np.isfinite(shares).all() and (shares >= 0).all() and 0 < total < np.inf
    return shares / total if is_valid else None


def _mean_weights(weights: Any, k: int) -> Array | None:
    """Each topic's share of the documents, from OCTIS's K×n matrix, if it is one."""
    if weights is None:
        return None
    rows = _as_rows(weights)
    if not is_array(rows) or rows.shape[0] != k or rows.shape[1] == 0:
        raise InputError(
            f"The dictionary's 'topic-document-matrix' must have a row for each of the {k} topics."
        )
    return shares_of(measurable(rows, "The dictionary's 'topic-document-matrix'").sum(axis=1))


def is_array(model: Any) -> bool:
    """Whether it is an array, a sparse matrix or a table."""
    return sp.issparse(model) or isinstance(model, np.ndarray | pd.DataFrame)


def _as_rows(model: Any) -> Any:
    """Lists of numbers as an array; anything else as it is."""
    if not isinstance(model, list | tuple) or not model:
        return model
    try:
        rows = np.array(model)
    except ValueError:  # rows of different lengths
        return model
    return rows if rows.dtype.kind in "iufb" and rows.ndim == 2 and rows.size else model


def _all_words(words: Any) -> bool:
    listed = isinstance(words, Iterable) and not isinstance(words, str | Mapping)
    return listed and all(isinstance(word, str) for word in words)


def needed_words(vocabulary: Any, source: str) -> Any:
    """The words, if they are given: `source` doesn't have its own."""
    if vocabulary is None or isinstance(vocabulary, str) or not isinstance(vocabulary, Iterable):
        raise InputError(
            say(
                "The words of {source} are needed: {how}.",
                source=source,
                how=Either(
                    say("give {vocabulary=}, one word for each column"),
                    "give a .csv file that has them as its head",
                ),
            )
        )
    return vocabulary


def measurable(topics: Any, name: str = "The array of topics") -> Array:
    """The rows of an array of which at least one has a number above zero."""
    rows = as_topics(topics, name)
    if not rows.any():
        raise InputError(f"{name} holds zeros only; there is nothing to measure.")
    return rows


def check_words(number: int, words: list[Any]) -> None:
    """A topic of words has strings that are not empty, too long or repeated."""
    if not all(isinstance(word, str) and word for word in words):
        raise InputError(f"Topic {number} holds something that isn't a word; give strings only.")
    _check_lengths(words)
    if len(set(words)) < len(words):
        # Not the word itself: a document may have been taken for a topic.
        again = next(place for place, word in enumerate(words) if word in words[:place])
        raise InputError(
            f"Topic {number} has the same word twice, as its words {words.index(words[again]) + 1} "
            f"and {again + 1}; give each word once."
        )


def _check_lengths(words: list[Any]) -> None:
    """As for a model that is loaded: a text in place of a word would make every table huge."""
    longest = max((word for word in words if isinstance(word, str)), key=len, default="")
    if len(longest) > LONGEST_WORD:
        raise InputError(
            f"A word has {len(longest):,} characters; at most {LONGEST_WORD} are allowed."
        )


def words_for(rows: Array, vocabulary: Any) -> NDArray[np.object_]:
    """The words of the columns, one for each."""
    words = [str(word) if isinstance(word, np.str_) else word for word in vocabulary]
    _check_lengths(words)
    if len(words) == len(rows) != rows.shape[1]:
        raise InputError(
            f"The array has {rows.shape[1]:,} columns and the vocabulary {len(words):,} words, as "
            "many as the array has rows; topics are rows here: transpose the array."
        )
    return as_vocabulary(words, rows.shape[1])


def as_alpha(alpha: Any, k: int) -> Array | None:
    """A prior for each topic, from one each or one for all; None unless all are above zero."""
    if alpha is None:
        return None
    try:
        values = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    values = np.full(k, float(values)) if values.ndim == 0 else values
    is_valid = values.shape == (k,) and np.isfinite(values).all() and (values > 0).all()
    return values if is_valid else None
