"""What the thesis measures of one model (section 1.4.2), and what its topics' top words are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import chatham as ch
from chatham.learners.anchor.recover import recover
from chatham.measures import spectral
from chatham.measures.held_out.left_to_right import LeftToRight
from hulls_study.anchors import Words

Array = NDArray[np.float64]

TOP = 20
"""Words of a topic in coherence; the thesis doesn't say how many."""
SMOOTHING = 0.01
"""ε of coherence, in documents, as in Arora et al.; the thesis gives no number."""
LEAST = 1e-5
"""What anchors have in the topics of others before the likelihood is taken, as in the thesis."""
UNIFORM = 1e-6
"""The uniform share of topics there: a word that no training document has isn't impossible."""


@dataclass(frozen=True)
class Row:
    """A measure: its name, its figure, which way is better, and what the thesis found.

    `verdict` says of the hulls' anchors against greedy: "better", "worse" or "alike".
    """

    key: str
    name: str
    figure: str
    higher: bool
    verdict: str


ROWS = (
    Row("recovery_error", "recovery error", "1.4", False, "alike"),
    Row("entropy", "normalised entropy", "1.5", False, "better"),
    Row("specificity", "specificity", "1.6", True, "better"),
    Row("dissimilarity", "dissimilarity", "1.6", True, "better"),
    Row("coherence", "coherence", "1.7", True, "worse"),
    Row("hard_rank", "hard rank of anchors", "1.8", False, "better"),
    Row("soft_rank", "soft rank of anchors", "1.8", False, "better"),
    Row("held_out", "held-out log-likelihood", "1.9", True, "better"),
    Row("distinct", "share of distinct top words", "", True, "better"),
)


def together(train: ch.Corpus) -> Array:
    """In how many documents each two words are."""
    present = sp.csr_array((train.counts > 0).astype(np.float64))
    return np.asarray((present.T @ present).toarray())


def coherence(topics: Array, documents: Array) -> float:
    """The mean over topics of Σ log (D(x₁, x₂) + ε) / D(x₁), x₁ ≠ x₂ top words (eq. 1.10).

    >>> coherence(np.array([[0.6, 0.4]]), np.array([[2.0, 1.99], [1.99, 4.0]])).__round__(6)
    -0.693147
    """
    sums = []
    for topic in topics:
        top = np.argsort(-topic, kind="stable")[:TOP]
        top = top[documents[top, top] > 0]
        pairs = np.log((documents[np.ix_(top, top)] + SMOOTHING) / documents[top, top][:, None])
        np.fill_diagonal(pairs, 0.0)
        sums.append(float(pairs.sum()))
    return float(np.mean(sums))


def scores_of(words: Words, anchors: Sequence[int], documents: Array, held_out: ch.Corpus,
              n_jobs: int) -> dict[str, Any]:  # fmt: skip
    """Recover topics from the anchors by least squares (RecoverL2), and measure them."""
    groups = [np.array([word], dtype=np.int64) for word in anchors]
    found = recover(words.conditional, groups, "l2")
    topics, coefficients = found.topics, found.coefficients
    assert coefficients is not None, "least squares gives coefficients"
    joint, unigram = words.conditional.joint, words.conditional.totals
    tops = [int(word) for word in topics.argmax(axis=1)]
    return {
        "recovery_error": spectral.recovery_error(joint, coefficients, anchors).value,
        "entropy": spectral.normalised_entropy(coefficients).value,
        "specificity": spectral.specificity(topics, unigram).value,
        "dissimilarity": spectral.dissimilarity_radius(topics).value,
        "coherence": coherence(topics, documents),
        "hard_rank": spectral.hard_rank(topics, anchors).value,
        "soft_rank": spectral.soft_rank(topics, anchors).value,
        "held_out": likelihood(topics, anchors, held_out, n_jobs),
        **top_word_shares(tops),
        "top_words": [str(held_out.vocabulary[word]) for word in tops],
    }


def top_word_shares(tops: Sequence[int]) -> dict[str, float]:
    """Different top words by the number of topics, and the topics whose top word no other has.

    >>> top_word_shares([7, 7, 3, 5])
    {'distinct': 0.75, 'own': 0.5}
    """
    times = Counter(tops)
    own = sum(times[word] == 1 for word in tops)
    return {"distinct": len(times) / len(tops), "own": own / len(tops)}


def likelihood(topics: Array, anchors: Sequence[int], held_out: ch.Corpus, n_jobs: int) -> float:
    """The log-probability of a token, from left to right with α = 0.1 (Wallach et al. 2009)."""
    measure = LeftToRight(alpha=0.1, smoothing=UNIFORM)
    table = ch.evaluate(
        lifted(topics, anchors), vocabulary=held_out.vocabulary, held_out=held_out,
        measures=[measure], n_jobs=n_jobs,
    )  # fmt: skip
    return float(table["value"].iloc[0])


def lifted(topics: Array, anchors: Sequence[int]) -> Array:
    """Topics in which no anchor is impossible: 1e-5 for zeros in their columns, then normalised.

    >>> lifted(np.array([[0.5, 0.0, 0.5], [0.0, 0.5, 0.5]]), [0, 1]).round(6).tolist()
    [[0.499995, 1e-05, 0.499995], [1e-05, 0.499995, 0.499995]]
    """
    changed = topics.copy()
    columns = changed[:, list(anchors)]
    changed[:, list(anchors)] = np.where(columns > 0, columns, LEAST)
    return np.asarray(changed / changed.sum(axis=1, keepdims=True))
