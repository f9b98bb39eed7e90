"""How different topics' top words are: closeness, unique words, diversity, overlap of lists.

Closeness is that of the thesis (Fig. 1.18), unique words those of Arora et al. (section 5.1), which
Lee calls dissimilarity, diversity that of Dieng, Ruiz and Blei (2020), and rank-biased overlap that
of Webber, Moffat and Zobel (2010). All of them use only lists of top words, so they work
for topics given as lists too; then the lists are taken in their own order, and `by` and `lam` have
no effect. A word that is twice in a list counts where it comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.learners.words import check_ordering
from chatham.measures.measure import Measure, Score, UndefinedError, known_or_none, weighted_mean
from chatham.measures.settings import check_share, check_whole
from chatham.measures.spectral import dissimilarity_words
from chatham.measures.subject import Subject

Array = NDArray[np.float64]
Lists = Sequence[Sequence[str]]


def shared_words(left: Lists, right: Lists) -> Array:
    """How many words each list on the left has in common with each on the right.

    >>> shared_words([["tea", "milk"]], [["milk", "tea"], ["tea"], []]).tolist()
    [[2.0, 1.0, 0.0]]
    """
    column = {word: number for number, word in enumerate(_distinct(_chained(left, right)))}
    return np.asarray((_presence(left, column) @ _presence(right, column).T).toarray())


def jaccard(left: Lists, right: Lists) -> Array:
    """|A ∩ B| / |A ∪ B| of each list on the left and each on the right; 0 for two empty lists.

    >>> jaccard([["tea", "milk"]], [["milk", "rum"]]).round(3).tolist()
    [[0.333]]
    """
    common = shared_words(left, right)
    union = _lengths(left)[:, None] + _lengths(right)[None, :] - common
    return np.asarray(common / np.maximum(union, 1.0))


def rank_biased_overlaps(left: Lists, right: Lists, p: float = 0.9) -> Array:
    """The rank-biased overlap of each list on the left and each on the right."""
    check_share("p", p, above_zero=True, below_one=True)
    left, right = [[_distinct(words) for words in lists] for lists in (left, right)]
    left_size, right_size = _lengths(left)[:, None], _lengths(right)[None, :]
    short, long = np.minimum(left_size, right_size), np.maximum(left_size, right_size)
    total, agreement, at_short = (np.zeros(long.shape) for _ in range(3))
    deepest = int(long.max(initial=0))
    for depth in range(1, deepest + 1):
        common = shared_words(_cut(left, depth), _cut(right, depth))
        at_short = np.where(short == depth, common, at_short)
        # Beyond the end of both lists agreement stays what it was there.
        reached = np.maximum(np.minimum(depth, long), 1)
        unseen = at_short * np.maximum(reached - short, 0) / (np.maximum(short, 1) * reached)
        agreement = common / reached + unseen
        total += (1 - p) * p ** (depth - 1) * agreement
    return np.asarray(np.clip(total + agreement * p**deepest, 0.0, 1.0))


def rank_biased_overlap(left: Sequence[str], right: Sequence[str], p: float = 0.9) -> float:
    """How much two ranked lists agree, the first ranks most: 1 the same, 0 nothing in common.

    With X_d words in common among the first d, this is RBO_ext, the extrapolated overlap (their
    eq. 32): (1−p)/p Σ_d A_d p^d + A_l p^l up to the longer length l, where A_d is X_d/d, and past
    the end s of the shorter list X_d/d + X_s (d−s)/(s d). An empty list agrees with nothing.

    >>> round(rank_biased_overlap(["tea", "milk"], ["milk", "tea"], p=0.5), 6)
    0.5
    """
    return float(rank_biased_overlaps([left], [right], p)[0, 0])


def topic_words(subject: Subject, n: int, by: str = "prevalence", lam: float = 0.6) -> Lists:
    """Each topic's top words, each word once; it is an error if no topic has any."""
    lists = [_distinct(words) for words in subject.top_words(n, by, lam)]
    if not any(lists):
        raise UndefinedError("No topic has any words.")
    return lists


@dataclass(frozen=True)
class OfTopWords(Measure):
    """A measure of the topics' `n_words` top words; fewer where a topic has fewer."""

    n_words: int = 10
    needs: ClassVar[frozenset[str]] = frozenset({"words"})

    def __post_init__(self) -> None:
        check_whole("n_words", self.n_words, 1)


@dataclass(frozen=True)
class Closeness(OfTopWords):
    """Σ_t w_t max_{t'≠t} |V_m(t) ∩ V_m(t')|, with the m top words V_m by uplift (Fig. 1.18).

    Beware that uplift with λ = 0.6 ranks words that only one topic has above all others, so that on
    real text closeness is often exactly 0 for every model; `by="prevalence"` is more informative.

    w_t is the topic's share of the training documents, so that no documents are needed; topics
    whose shares aren't known, such as lists of words, all count the same. A single topic is close
    to nothing: 0. A topic without words has no value.
    """

    by: str = "uplift"
    lam: float = 0.6
    name: ClassVar[str] = "closeness"
    higher_is_better: ClassVar[bool] = False
    source: ClassVar[str] = "Fig. 1.18, eq. 1.32"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ordering(self.by, self.lam)

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics' words and shares."""
        lists = topic_words(subject, self.n_words, self.by, self.lam)
        common = shared_words(lists, lists)
        np.fill_diagonal(common, 0.0)
        closest = known_or_none(common.max(axis=1), lists)
        return Score(weighted_mean(closest, subject.shares.tolist()), closest)


@dataclass(frozen=True)
class UniqueWords(OfTopWords):
    """How many of a topic's `n_words` top words are in no other topic's; the mean over topics.

    All of them for a single topic. A topic without words has no unique ones: 0.
    """

    n_words: int = 20
    name: ClassVar[str] = "unique_words"
    higher_is_better: ClassVar[bool] = True
    source: ClassVar[str] = "Arora et al. 2013, section 5.1; Lee 2018, section 3.5.1"

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics' words."""
        lists = topic_words(subject, self.n_words)
        return dissimilarity_words(lists, self.n_words)


@dataclass(frozen=True)
class TopicDiversity(OfTopWords):
    """The share of distinct words among the `n_words` top words of all topics together.

    From 1/k, all topics the same, to 1, no word twice (always so for a single topic). The share is
    of the words listed: a topic with fewer than `n_words`, or none, adds only those.
    """

    n_words: int = 25
    name: ClassVar[str] = "topic_diversity"
    higher_is_better: ClassVar[bool] = True
    source: ClassVar[str] = "Dieng, Ruiz and Blei 2020"

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics' words."""
        listed = list(_chained(topic_words(subject, self.n_words)))
        return Score(len(set(listed)) / len(listed))


@dataclass(frozen=True)
class Overlap(OfTopWords):
    """|A ∩ B| / |A ∪ B| of two topics' top words, the mean over all pairs of topics.

    A topic's own value is its mean with all others. Topics without words are left out; one topic
    by itself overlaps with nothing: 0.
    """

    name: ClassVar[str] = "overlap"
    higher_is_better: ClassVar[bool] = False
    source: ClassVar[str] = "Jaccard 1912"

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics' words."""
        lists = topic_words(subject, self.n_words)
        return _mean_over_pairs(jaccard(lists, lists), lists)


@dataclass(frozen=True)
class RankBiasedOverlap(OfTopWords):
    """The extrapolated rank-biased overlap of two topics' top words, the mean over all pairs.

    `p` is how much each further rank still counts: at 0.9 the first ten have 86% of the weight.
    A topic's own value is its mean with all others. Topics without words are left out; one topic
    by itself overlaps with nothing: 0.
    """

    p: float = 0.9
    name: ClassVar[str] = "rank_biased_overlap"
    higher_is_better: ClassVar[bool] = False
    source: ClassVar[str] = "Webber, Moffat and Zobel 2010, eq. 32"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share("p", self.p, above_zero=True, below_one=True)

    def value(self, totals: Any, subject: Subject) -> Score:
        """From the topics' words in their order."""
        lists = topic_words(subject, self.n_words)
        return _mean_over_pairs(rank_biased_overlaps(lists, lists, self.p), lists)


def _mean_over_pairs(similarities: Array, lists: Lists) -> Score:
    """An empty list is similar to nothing, so only the number of others has to leave it out."""
    np.fill_diagonal(similarities, 0.0)
    others = max(int((_lengths(lists) > 0).sum()) - 1, 1)
    means = similarities.sum(axis=1) / others
    return Score(float(means.sum()) / (others + 1), known_or_none(means, lists))


def _chained(*groups: Lists) -> Iterable[str]:
    return (word for lists in groups for words in lists for word in words)


def _distinct(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))


def _cut(lists: Lists, n: int) -> Lists:
    return [words[:n] for words in lists]


def _lengths(lists: Lists) -> Array:
    return np.array([len(set(words)) for words in lists], dtype=np.float64)


def _presence(lists: Lists, column: dict[str, int]) -> sp.csr_array:
    cells = [(row, column[word]) for row, words in enumerate(lists) for word in set(words)]
    rows, columns = zip(*cells, strict=True) if cells else ((), ())
    return sp.csr_array((np.ones(len(cells)), (rows, columns)), shape=(len(lists), len(column)))
