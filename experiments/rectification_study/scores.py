"""Lee's measures of a factorisation (sections 2.4, 3.5.1 and A.4), all against the original C."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import chatham as ch
from chatham.commons import Alone
from chatham.learners.words import best_words
from chatham.measures.coherence.pairwise import UMass
from chatham.measures.measure import Score, UndefinedError
from chatham.measures.spectral import (
    approximation_error,
    dissimilarity_words,
    dominancy,
    legality,
    normalised_entropy,
    recovery_error,
    sparsity,
    specificity,
    validity,
)
from chatham.measures.subject import Subject
from rectification_study.factors import Counted, Factors

N_WORDS, N_LISTED = 20, 7
"""Top words that are measured, and those in the lists."""
SMOOTHING = 0.01
"""ε of coherence, in documents: Arora's, since Lee doesn't say."""


@dataclass(frozen=True)
class Row:
    """A measure: its name, what is better, and whether it spans orders of magnitude."""

    name: str
    better: str
    logarithmic: bool = False


ROWS = (
    Row("recovery", "lower"),
    Row("approximation", "lower", True),
    Row("dominancy", "near Gibbs"),
    Row("specificity", "higher"),
    Row("dissimilarity", "higher"),
    Row("coherence", "higher"),
    Row("entropy", "lower"),
    Row("sparsity", "higher"),
    Row("legality", "near 1", True),
    Row("validity", "lower", True),
)


def scores_of(counted: Counted, found: Factors, tops: list[list[str]]) -> dict[str, float | None]:
    """Every measure of a model; None where it is undefined."""
    topics, correlations, anchors = found.topics, found.correlations, found.anchors
    matrix, unigram, shares = counted.matrix, counted.unigram, found.coefficients
    return {
        "recovery": (
            None if anchors is None else _value(lambda: recovery_error(matrix, shares, anchors))
        ),
        "approximation": _value(lambda: approximation_error(matrix, topics, correlations)),
        "dominancy": _value(lambda: dominancy(correlations)),
        "specificity": _value(lambda: specificity(topics, unigram)),
        "dissimilarity": _value(lambda: dissimilarity_words(tops, N_WORDS)),
        "coherence": _value(lambda: coherence(counted.corpus, tops)),
        "entropy": _value(lambda: normalised_entropy(shares)),
        "sparsity": _value(lambda: sparsity(topics)),
        "legality": _value(lambda: legality(correlations)),
        "validity": _value(lambda: validity(correlations, shares, unigram)),
    }


def top_words(counted: Counted, found: Factors) -> list[list[str]]:
    """The most probable words of each topic."""
    vocabulary = [str(word) for word in counted.corpus.vocabulary]
    places = best_words(found.topics, found.topics, vocabulary, N_WORDS)
    return [[vocabulary[place] for place in row] for row in places]


def coherence(corpus: ch.Corpus, tops: list[list[str]]) -> Score:
    """Σ_{x₁≠x₂} log((D(x₁, x₂) + ε) / D(x₂)), the mean over topics, of all ordered pairs (1.10).

    UMass has each pair once, over the better word; the same of the lists turned round is the rest.
    """
    measure, rows = UMass(n_words=N_WORDS, smoothing=SMOOTHING), Alone(corpus)
    subject = Subject(np.array([], dtype=object), lists=tops)
    turned = replace(subject, lists=[words[::-1] for words in tops])
    values = [measure.measure(each, rows).value for each in (subject, turned)]
    return Score(sum(values))


def unique_words(tops: list[list[str]], n: int = N_LISTED) -> int:
    """How many different words the topics' `n` top words are.

    >>> unique_words([["tea", "milk"], ["tea", "rain"]])
    3
    """
    return len({word for words in tops for word in words[:n]})


def _value(score: Callable[[], Score]) -> float | None:
    try:
        return score().value
    except UndefinedError:
        return None
