"""Synthetic corpora with known topics: documents drawn from given topics.

The semi-synthetic corpora of Arora et al. (2013, section 5) and Lee (2018, sections 4.4 and A.4):
topics fitted to real documents, compositions drawn from a prior, and words drawn from both. Where
topics share all their words, an anchor of its own can be added to each. `planted_topics` makes
topics from nothing, for a corpus that is separable by construction.

Documents don't depend on how many follow: a larger corpus with the same seed and settings begins
with the documents of a smaller one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.corpus.checks import whole
from chatham.corpus.corpus import Corpus
from chatham.corpus.synthetic.compositions import Prior, as_prior
from chatham.corpus.synthetic.planting import Indices, Planted, generators, with_anchors
from chatham.errors import InputError
from chatham.naming import plural
from chatham.numerics.threads import threads
from chatham.numerics.topics import as_topics
from chatham.wording import say

Array = NDArray[np.float64]

LONGEST = 2**30
"""Tokens of a document: its counts are 32-bit numbers, even if lengths vary about a mean."""


@dataclass(frozen=True, eq=False)
class Synthetic:
    """A corpus and the truth behind it."""

    corpus: Corpus
    """Its metadata has a document's true weights as columns ``topic_0``, ``topic_1``, ..., so that
    parties and parts of the corpus keep theirs."""
    topics: Array
    """k×d, as they were used: rows sum to 1, added anchors are the last columns."""
    weights: Array
    """n×k, the true compositions."""
    anchors: Indices | None
    """The column of each topic's anchor, where anchors were added or known."""

    @property
    def correlations(self) -> Array:
        """The mean of w wᵀ: the joint probability of two topics, k×k."""
        with threads(None):
            return self.weights.T @ self.weights / len(self.weights)


def synthetic_corpus(
    topics: Any,
    n_documents: int,
    *,
    lengths: float | Sequence[int] | NDArray[Any] = 100,
    poisson: bool = False,
    prior: float | Sequence[float] | NDArray[Any] | Prior = 0.1,
    anchors: str | float | Sequence[int] | NDArray[Any] | None = None,
    vocabulary: Iterable[str] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Synthetic:
    """Draw documents from topics.

    Parameters
    ----------
    topics : a k×d array, a TopicModel, a fitted estimator, or what `planted_topics` returns
        Rows are scaled to sum to 1.
    lengths : tokens of every document; or lengths to draw from, such as those of the real corpus
    poisson : take lengths as means of a Poisson distribution; a document may then be empty
    prior : a `Dirichlet` or `LogisticNormal`; a number, or one for each topic, is a Dirichlet's α
    anchors : "top" or a probability, to add to each topic a word that no other has
        "top" gives it the probability of the topic's most probable word, after which the topic is
        scaled to sum to 1 again (Arora, section 5.3); a number is its final probability. The words
        are called ``anchor_0``, ``anchor_1``, ... Or the k columns of anchors that the topics
        already have.
    vocabulary : the d words; by default those of the model, else ``word_0``, ``word_1``, ...
    random_state : a seed, Generator or RandomState; the same seed gives the same documents.
    n_jobs : threads to use, -1 for all cores; the documents are the same.

    >>> topics = [[3, 1, 0], [0, 1, 1]]
    >>> drawn = synthetic_corpus(topics, 4, lengths=5, anchors="top", random_state=0)
    >>> drawn.corpus
    Corpus(4 documents, 0 empty, 5 words, 20 tokens)
    >>> drawn.topics.round(3)
    array([[0.429, 0.143, 0.   , 0.429, 0.   ],
           [0.   , 0.333, 0.333, 0.   , 0.333]])
    >>> drawn.anchors, drawn.corpus.vocabulary[drawn.anchors].tolist()
    (array([3, 4]), ['anchor_0', 'anchor_1'])
    """
    from chatham.corpus.synthetic.drawing import (
        draw_counts,  # compiled: few who read corpora need it
    )

    if not whole(n_documents) or n_documents < 1:
        raise InputError(
            say("{n_documents} must be a whole number of at least 1, not {it!r}.", it=n_documents)
        )
    words = _words(topics, vocabulary)
    topics_used, anchor_columns, words = with_anchors(*_as_topics(topics), words, anchors)
    of_weights, of_tokens, *of_lengths = generators(random_state, 4)
    weights = as_prior(prior).draw(n_documents, len(topics_used), of_weights)
    sizes = _draw_lengths(lengths, poisson, n_documents, of_lengths)
    keys = of_tokens.integers(0, 2**64, n_documents, dtype=np.uint64)
    with threads(n_jobs):
        counts = draw_counts(weights, topics_used, sizes, keys)
    truth = pd.DataFrame(weights, columns=[f"topic_{t}" for t in range(len(topics_used))])
    note = f"Drawn from {plural(len(topics_used), 'topic')}, not from documents."
    corpus = Corpus(counts, np.array(words, dtype=np.str_), metadata=truth, notes=[note])
    return Synthetic(corpus, topics_used, weights, anchor_columns)


def _as_topics(source: Any) -> tuple[Array, Indices | None]:
    topics = as_topics(source, each_with_words=True)
    # First by the largest: the sum of huge numbers may overflow, that of tiny ones vanish.
    topics /= topics.max(axis=1, keepdims=True)
    topics /= topics.sum(axis=1, keepdims=True)
    return topics, source.anchors if isinstance(source, Planted) else None


def _words(source: Any, vocabulary: Iterable[str] | None) -> list[str] | None:
    words = getattr(source, "vocabulary", None) if vocabulary is None else vocabulary
    return None if words is None else [str(word) for word in words]


def _draw_lengths(
    lengths: Any, poisson: bool, n: int, rngs: Sequence[np.random.Generator]
) -> NDArray[np.int64]:
    means = np.asarray(lengths)
    if means.dtype.kind not in "iuf" or means.ndim > 1 or means.size == 0:
        raise InputError(
            say("{lengths} must be a number of tokens, or a list of them to draw from.")
        )
    if not (np.isfinite(means).all() and means.min() >= 0 and 0 < means.max() < LONGEST):
        raise InputError(
            say("{lengths} must be finite numbers of at least 0, not all 0, and below 2^30.")
        )
    drawn = np.full(n, means) if means.ndim == 0 else means[rngs[0].integers(0, len(means), n)]
    if poisson:
        return rngs[1].poisson(drawn).astype(np.int64)
    if (means != np.floor(means)).any():
        raise InputError(say("{lengths} must be whole numbers of tokens, unless {poisson=True}."))
    return drawn.astype(np.int64)
