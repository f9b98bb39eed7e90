"""How similar the topics of several models are, matched one to one: over seeds, samples, learners.

The topics of each two models are matched so that the matched ones are as similar as possible. A
topic is stable if it is found again every time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from chatham.errors import InputError
from chatham.measures.diversity import jaccard, rank_biased_overlaps
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.measure import UndefinedError
from chatham.measures.settings import check_whole
from chatham.measures.subject import Subject
from chatham.model.fit import fit
from chatham.naming import value_shown
from chatham.wording import say

Array = NDArray[np.float64]

SIMILARITIES = ("words", "rbo", "cosine")


@dataclass(frozen=True, eq=False)
class Stability:
    """How similar matched topics are: over all, by topic of the first model, and which match.

    `value` is the mean over pairs of models, `per_topic` the mean over the first model's pairs.
    `matching` has a row for each two matched topics: the models' numbers `left` and `right`, the
    topics' numbers `left_topic` and `right_topic`, and their `similarity`.
    """

    value: float
    per_topic: list[float]
    matching: pd.DataFrame


def stability(models: Sequence[Any], n_words: int = 10, by: str = "words") -> Stability:
    """How similar the topics of two or more models are, from 0 to 1, after the best matching.

    `by` is "words" (the Jaccard index of both topics' `n_words` top words), "rbo"
    (rank-biased overlap of these words, p = 0.9) or "cosine" (of topics over the words that both
    vocabularies have). Of models with different numbers of topics, the topics left over are
    similar to nothing: 0, so that the mean is over the larger number. A topic without words is
    similar to none, not even to another such topic. Where several matchings are equally good,
    the spelling of the topics' words decides, not the topics' numbers.

    >>> from chatham.measures.subject import Subject
    >>> first = Subject(vocabulary=np.array([]), lists=[["tea", "milk"], ["rum", "gin"]])
    >>> second = Subject(vocabulary=np.array([]), lists=[["gin", "rum"], ["tea", "cake"]])
    >>> result = stability([first, second])
    >>> round(result.value, 3), [round(each, 3) for each in result.per_topic]
    (0.667, [0.333, 1.0])
    """
    check_whole("n_words", n_words, 1)
    if by not in SIMILARITIES:
        listed = ", ".join(repr(each) for each in SIMILARITIES)
        raise InputError(f"Topics can't be compared by {value_shown(by)}; choose one of {listed}.")
    subjects = [as_subject(model) for model in models]
    if len(subjects) < 2:
        raise InputError(f"Stability compares models; give two or more. Got {len(subjects)}.")
    if not all(subject.n_topics for subject in subjects):
        raise InputError("A model without topics can't be compared; give models with one at least.")
    pairs = list(combinations(range(len(subjects)), 2))
    tables = [_matched(subjects, left, right, n_words, by) for left, right in pairs]
    larger = [max(subjects[left].n_topics, subjects[right].n_topics) for left, right in pairs]
    means = [t["similarity"].sum() / k for t, k in zip(tables, larger, strict=True)]
    matching = pd.concat(tables, ignore_index=True)
    return Stability(float(np.mean(means)), _of_first(matching, subjects), matching)


def stability_across_seeds(
    name: str,
    corpus: Any,
    seeds: Iterable[int],
    *,
    n_words: int = 10,
    by: str = "words",
    **parameters: Any,
) -> Stability:
    """How similar the topics are that a learner finds in the same corpus from different seeds.

    `name`, `corpus` and the parameters are those of `ch.fit`. A learner whose start hardly depends
    on its seed (NMF with `init="nndsvd"`, its default) is stable whatever the corpus; give NMF
    `init="random"` to learn something about the corpus.
    """
    seeds = [int(seed) for seed in seeds]
    if "random_state" in parameters:
        raise InputError(say("Stability sets {random_state} itself; give the seeds as {seeds=}."))
    if len(set(seeds)) < max(len(seeds), 2):
        raise InputError(f"Stability needs two or more different seeds. Got {seeds} instead.")
    fitted = [fit(name, corpus, random_state=seed, **parameters) for seed in seeds]
    return stability(fitted, n_words, by)


def _matched(subjects: list[Subject], left: int, right: int, n_words: int, by: str) -> pd.DataFrame:
    """The best matching of two models' topics, in the order of the first one's."""
    first, second = subjects[left], subjects[right]
    similarities = _similarities(first, second, n_words, by)
    first_order, second_order = _by_spelling(first, n_words), _by_spelling(second, n_words)
    rows, columns = linear_sum_assignment(
        similarities[np.ix_(first_order, second_order)], maximize=True
    )
    rows, columns = first_order[rows], second_order[columns]
    order = np.argsort(rows)
    rows, columns = rows[order], columns[order]
    return pd.DataFrame(
        {
            "left": left,
            "right": right,
            "left_topic": rows,
            "right_topic": columns,
            "similarity": similarities[rows, columns],
        }
    )


def _by_spelling(subject: Subject, n_words: int) -> NDArray[np.intp]:
    words = subject.top_words(n_words)
    return np.array(sorted(range(len(words)), key=words.__getitem__), dtype=np.intp)


def _similarities(first: Subject, second: Subject, n_words: int, by: str) -> Array:
    if by == "cosine":
        return _cosines(first, second)
    compare = jaccard if by == "words" else rank_biased_overlaps
    return compare(first.top_words(n_words), second.top_words(n_words))


def _cosines(first: Subject, second: Subject) -> Array:
    left, right = first.distributions, second.distributions
    _, left_columns, right_columns = np.intersect1d(
        first.vocabulary.astype(str), second.vocabulary.astype(str), return_indices=True
    )
    if not len(left_columns):
        raise UndefinedError("The two models have no word in common to compare topics by.")
    return np.clip(
        _directions(left[:, left_columns]) @ _directions(right[:, right_columns]).T, 0.0, 1.0
    )


def _directions(topics: Array) -> Array:
    """Topics of length one; a topic of zeros stays one."""
    lengths = np.linalg.norm(topics, axis=1, keepdims=True)
    return np.asarray(topics / np.where(lengths > 0, lengths, 1.0))


def _of_first(matching: pd.DataFrame, subjects: list[Subject]) -> list[float]:
    of_first = matching[matching["left"] == 0]
    sums = np.zeros(subjects[0].n_topics)
    np.add.at(sums, of_first["left_topic"].to_numpy(), of_first["similarity"].to_numpy())
    return [float(each) for each in sums / (len(subjects) - 1)]
