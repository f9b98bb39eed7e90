"""How well topics agree with labels: adjusted Rand indices, variation of information, NMI.

Tsikhanovich (2018), section 1.3.3. All of them are made from A = WᵀY alone (k×C): A_tc is how many
documents of class c topic t has, a document with weights over several topics being in each of them
in part. None depends on the order of topics or of classes, so nobody has to say which topic stands
for which class. Documents without a label are left out and counted in the notes.

Most papers take each document's main topic as its cluster and compare clusters with classes:
`hard_ari` and `nmi` do, from the same A with weights of 0 and 1, and give the numbers known from
there. The others use weights as they are, and are soft.

A is what crosses: a class with a single document reveals that document's weights. The notes say how
many classes have no more than one (`classes_of_one`).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Memory
from chatham.commons.precision import BY_DOCUMENT, Budgets
from chatham.measures.evidence import classes_at, weights_at
from chatham.measures.measure import Measure, Score, UndefinedError, by_settings, named
from chatham.measures.subject import Subject

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

ROUNDING = 1e-12
"""What is smaller than this, relative to the numbers it was subtracted from, is zero."""

TIE = 1e-9
"""Weights that differ by less are equal: which of them is larger would be up to the processor."""

CLOSE = 1e-6
"""A class with this little more than one document has one: sums of weights are rounded."""


def pairs_in(sizes: Any) -> Array:
    """x(x − 1)/2: how many pairs there are in groups of these sizes, also of fractions.

    For x between 0 and 1 it is negative: the price of an approximation for soft groups.

    >>> pairs_in([2, 3, 2.5]).tolist()
    [1.0, 3.0, 1.875]
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    return np.asarray(sizes * (sizes - 1) / 2)


@dataclass(frozen=True)
class _Pairs:
    """Pairs of documents: all, those in one topic, in one class, in both, and in both by chance."""

    all: float
    topics: float
    classes: float
    both: float

    @classmethod
    def of(cls, shared: Array) -> _Pairs:
        each = (shared.sum(), shared.sum(axis=1), shared.sum(axis=0), shared)
        return cls(*(float(pairs_in(sizes).sum()) for sizes in each))

    @property
    def chance(self) -> float:
        return self.topics * self.classes / self.all

    def beyond_chance(self, most: float) -> float:
        """How far `both` is above chance, as a share of how far it can be, up to `most`."""
        room, scale = most - self.chance, max(abs(self.topics), abs(self.classes))
        if room > ROUNDING * scale:
            return (self.both - self.chance) / room
        difference = max(abs(self.both - self.topics), abs(self.both - self.classes))
        if abs(room) <= ROUNDING * scale and difference <= ROUNDING * max(scale, 1.0):
            return 1.0
        raise UndefinedError(
            "There are too few labelled documents for so many topics: the pairs that weights have "
            "in common can't be distinguished from chance."
        )


def adjusted_rand(shared: Array) -> float:
    """The adjusted Rand index of Hubert and Arabie, from A (topics × classes), whole or in parts.

    >>> adjusted_rand(np.array([[3.0, 0.0], [0.0, 2.0]]))
    1.0
    """
    pairs = _Pairs.of(shared)
    return pairs.beyond_chance((pairs.topics + pairs.classes) / 2)


def adjusted_rand_over_all_pairs(shared: Array) -> float:
    """The index of eq. 1.24, from A (topics × classes): all pairs are in its denominator.

    >>> round(adjusted_rand_over_all_pairs(np.array([[3.0, 0.0], [0.0, 2.0]])), 4)  # 2.4 / 8.4
    0.2857
    """
    pairs = _Pairs.of(shared)
    return pairs.beyond_chance(pairs.all)


def entropy(shares: Array) -> float:
    """−Σ p log p in natural logarithms, where 0 log 0 is 0."""
    positive = shares[shares > 0]
    return -float(positive @ np.log(positive))


def information_apart(shared: Array) -> float:
    """H(W|Y) + H(Y|W) from A (topics × classes), in natural logarithms.

    >>> round(information_apart(np.ones((2, 2))), 4)  # 2 ln 2
    1.3863
    """
    joint = shared / shared.sum()
    marginals = entropy(joint.sum(axis=1)) + entropy(joint.sum(axis=0))
    # By the chain rule each conditional entropy is the joint one minus the other's own.
    return max(2 * entropy(joint.ravel()) - marginals, 0.0)


def normalized_mutual_information(shared: Array) -> float:
    """2 I(W; Y) / (H(W) + H(Y)) from A (topics × classes): 1 for the same groups, 0 by chance.

    >>> normalized_mutual_information(np.array([[3.0, 0.0], [0.0, 2.0]]))
    1.0
    """
    joint = shared / shared.sum()
    marginals = entropy(joint.sum(axis=1)) + entropy(joint.sum(axis=0))
    if marginals <= ROUNDING:
        return 1.0  # one topic and one class are the same group
    return min(max(2 * (marginals - entropy(joint.ravel())) / marginals, 0.0), 1.0)


def main_topics(weights: Array) -> Array:
    """1 where a document has its largest weight, in equal parts if several are as large.

    Weights this close are a tie: the last bits of a sum depend on how it is split.

    >>> main_topics(np.array([[0.2, 0.8, 0.0], [0.4, 0.4, 0.2], [0.0, 0.0, 0.0]])).tolist()
    [[0.0, 1.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]
    """
    most = weights.max(axis=1, keepdims=True, initial=0.0)
    largest = (weights >= most - TIE) & (most > 0)
    return np.asarray(largest / np.maximum(largest.sum(axis=1, keepdims=True), 1))


def _shared(rows: Any, memory: Memory, subject: Subject, weights: Array) -> tuple[Array, Whole]:
    classes = classes_at(rows, memory, subject)
    labelled = int((np.diff(classes.indptr) > 0).sum())
    counted = np.array([labelled, len(weights) - labelled], dtype=np.int64)
    return np.asarray((classes.T @ weights).T), counted


@dataclass(frozen=True)
class Agreement(Measure):
    """What measures from A = WᵀY share: the statistic, and the notes on labels.

    A class with a single document reveals that document's weights in A. `classes_of_one` in the
    notes is how many classes hold one document or less, where one with several labels counts in
    parts. With `held_out` it is computed on documents that the model has not seen.
    """

    held_out: bool = False
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = by_settings(
        lambda m: frozenset({"weights", "labels"} | ({"held_out"} if m.held_out else set()))
    )
    budget: ClassVar[Budgets] = BY_DOCUMENT

    @staticmethod
    def local_statistics(rows: Any, memory: Memory, subject: Subject) -> tuple[Array, Whole]:
        """The weight of each topic in the documents of each class; how many have a label or none.

        A document with several labels is in each class in equal parts. Documents without words
        count in neither number. A class with a single document reveals that document's weights.
        """
        return _shared(rows, memory, subject, weights_at(rows, memory, subject))

    @property
    def definition(self) -> str:
        """For unseen documents, the same as for seen ones."""
        unseen = f"`{type(self).name}` on documents that the model has not seen."
        return unseen if self.held_out else super().definition

    @abstractmethod
    def index(self, shared: Array) -> float:
        """The number, from A (topics × classes)."""

    def value(self, totals: Any, subject: Subject) -> Score:
        """The number, with how many documents had a label, how many had none, and rare classes."""
        shared, (labelled, unlabelled) = totals
        if labelled < 2:
            raise UndefinedError("Fewer than two documents have both words and a label.")
        sizes = shared.sum(axis=0)
        notes = {
            "documents": int(labelled),
            "unlabelled": int(unlabelled),
            "classes_of_one": int(((sizes > 0) & (sizes < 1 + CLOSE)).sum()),
        }
        return Score(self.index(shared), notes=notes)


@dataclass(frozen=True)
class AdjustedRandIndex(Agreement):
    """How many pairs of documents topics and classes both put together, beyond chance; soft.

    (Σ_tc C(A_tc, 2) − E) / (½[Σ_t C(a_t, 2) + Σ_c C(b_c, 2)] − E), where a and b are the sums of
    A's rows and columns, E = Σ_t C(a_t, 2) Σ_c C(b_c, 2) / C(n, 2), and C(x, 2) = x(x − 1)/2 for
    fractions too: 1 for the same groups, about 0 by chance. Of weights of 0 and 1 it is the index
    of Hubert and Arabie (1985), which the name means elsewhere, and which `hard_ari`
    gives for any weights; this is the same formula of weights as they are.
    `ari_over_all_pairs` is the one of eq. 1.24.

    Weights are used as they are, never hardened, so that only weights of 0 and 1 reach 1. One
    topic and one class are the same groups and have 1, as have n classes in n topics; one topic
    and several classes have 0. Undefined for fewer than two labelled documents, and where there
    are so few for the topics that the denominator isn't positive.
    """

    name: ClassVar[str] = named("ari")
    source: ClassVar[str] = "after Hubert and Arabie (1985); section 1.3.3"

    def index(self, shared: Array) -> float:
        """The formula of Hubert and Arabie, of weights."""
        return adjusted_rand(shared)


@dataclass(frozen=True)
class AdjustedRandIndexOverAllPairs(Agreement):
    """Pairs of documents together in topics and classes, beyond chance, of all pairs (eq. 1.24).

    (Σ_tc C(A_tc, 2) − E) / (C(n, 2) − E), with E as in `ari`, which differs in the denominator:
    there it is the most pairs that groups of these sizes could have in common, here it is all
    pairs. So even the same groups are below 1 unless there is only one (two of equal size have
    about ⅓), and values can be compared only on the same labelled documents. What
    eq. 1.22 calls the Rand index counts pairs that are together only, not those apart in both,
    and 1.24 takes it and E as numbers of pairs, not yet divided by C(n, 2).

    Undefined for fewer than two labelled documents; one topic and one class have 1.
    """

    name: ClassVar[str] = named("ari_over_all_pairs")
    source: ClassVar[str] = "Fig. 1.13, eq. 1.24"

    def index(self, shared: Array) -> float:
        """The index of eq. 1.24."""
        return adjusted_rand_over_all_pairs(shared)


@dataclass(frozen=True)
class VariationOfInformation(Agreement):
    """What topics don't say about classes, nor classes about topics, H(W|Y) + H(Y|W) (eq. 1.26).

    In natural logarithms, from P(W = t, Y = c) = A_tc / n; between 0, for the same groups by
    whatever names, and ln C + ln k. Weights over several topics are uncertainty like any other,
    so a model of mixed documents is never at 0. With one topic it is the entropy of the classes,
    with one class that of the topics. A topic or a class without documents changes nothing.
    Undefined for fewer than two labelled documents.
    """

    name: ClassVar[str] = named("variation_of_information")
    higher_is_better: ClassVar[bool] = False
    source: ClassVar[str] = "Fig. 1.14, eq. 1.26"

    def index(self, shared: Array) -> float:
        """Both conditional entropies."""
        return information_apart(shared)


@dataclass(frozen=True)
class OfMainTopics(Agreement):
    """Agreement of main topics: each document is wholly in the topic that it has most of.

    Topics that it has equally most of share it in equal parts.
    """

    @staticmethod
    def local_statistics(rows: Any, memory: Memory, subject: Subject) -> tuple[Array, Whole]:
        """How many documents of each class have each main topic; how many have a label or none.

        A document with several labels is in each class in equal parts. Documents without words
        count in neither number. A class with a single document reveals that document's main topic.
        """
        weights = main_topics(weights_at(rows, memory, subject))
        return _shared(rows, memory, subject, weights)


@dataclass(frozen=True)
class AdjustedRandIndexOfMainTopics(OfMainTopics):
    """The adjusted Rand index of Hubert and Arabie between main topics and labels.

    (Σ_tc C(A_tc, 2) − E) / (½[Σ_t C(a_t, 2) + Σ_c C(b_c, 2)] − E), where A_tc is how many documents
    of class c have t as their main topic, the one of the largest weight, a and b are the sums of
    A's rows and columns, E = Σ_t C(a_t, 2) Σ_c C(b_c, 2) / C(n, 2), and C(x, 2) = x(x − 1)/2. It
    is scikit-learn's `adjusted_rand_score` where each document has one label and no two largest
    weights: 1 for the same groups, about 0 by chance.

    A document with several labels is in each class in equal parts, and topics of equal weight
    share it. Undefined for fewer than two labelled documents.
    """

    name: ClassVar[str] = named("hard_ari")
    source: ClassVar[str] = "Hubert and Arabie (1985)"

    def index(self, shared: Array) -> float:
        """The index of Hubert and Arabie."""
        return adjusted_rand(shared)


@dataclass(frozen=True)
class NormalizedMutualInformation(OfMainTopics):
    """How much main topics say about labels, and labels about main topics: NMI, from 0 to 1.

    2 I(W; Y) / (H(W) + H(Y)) from P(W = t, Y = c) = A_tc / n, where A_tc is how many documents of
    class c have t as their main topic, the one of the largest weight. Mutual information is
    divided by the mean of both entropies, so that it is 1 for the same groups; this is
    scikit-learn's `normalized_mutual_info_score` with its default, `arithmetic`. Chance isn't
    subtracted: with more topics it rises a little even if they are drawn by lot.

    A document with several labels is in each class in equal parts, and topics of equal weight
    share it. One topic and one class are the same group and have 1; one topic and several classes
    have 0. Undefined for fewer than two labelled documents.
    """

    name: ClassVar[str] = named("nmi")
    source: ClassVar[str] = "Rosenberg and Hirschberg (2007), as V-measure"

    def index(self, shared: Array) -> float:
        """Mutual information as a share of the mean entropy."""
        return normalized_mutual_information(shared)
