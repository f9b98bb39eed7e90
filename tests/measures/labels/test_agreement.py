"""Agreement with labels: by hand, beside scikit-learn, for awkward labels, and across holders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    adjusted_rand_score,
    mutual_info_score,
    normalized_mutual_info_score,
)

from chatham.commons import Alone, Simulated
from chatham.corpus import Corpus
from chatham.errors import HolderError
from chatham.measures.labels.agreement import (
    AdjustedRandIndex,
    AdjustedRandIndexOfMainTopics,
    AdjustedRandIndexOverAllPairs,
    Agreement,
    NormalizedMutualInformation,
    VariationOfInformation,
    adjusted_rand,
    adjusted_rand_over_all_pairs,
    information_apart,
    main_topics,
    normalized_mutual_information,
)
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject, folding
from tests.conftest import plant, split

SOFT = [AdjustedRandIndex(), AdjustedRandIndexOverAllPairs(), VariationOfInformation()]
HARD = [AdjustedRandIndexOfMainTopics(), NormalizedMutualInformation()]
INDICES = [*SOFT, *HARD]
HELD_OUT = [index(held_out=True) for index in INDICES]


class WordsAsTopics:
    """Each word is a topic of its own, so that a document's weights are its frequencies."""

    def transform(self, counts):
        return counts.toarray() / counts.sum(axis=1)[:, None]


def words_as_topics(k, classes):
    vocabulary = np.array([f"w{word}" for word in range(k)], dtype=object)
    return Subject(vocabulary, np.eye(k), estimator=WordsAsTopics(), classes=tuple(classes))


def labelled(counts, labels):
    counts = np.asarray(counts)
    return Corpus(counts, [f"w{word}" for word in range(counts.shape[1])], labels=labels)


def table(topics, classes, k=None, c=None):
    found = np.zeros((k or max(topics) + 1, c or max(classes) + 1))
    np.add.at(found, (topics, classes), 1.0)
    return found


partitions = st.integers(2, 40).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)


def test_hard_groups_by_hand():
    # A = [[2, 1], [0, 2]]: 1 + 1 = 2 pairs in both; 3 + 1 = 4 in a topic; 1 + 3 = 4 in a class;
    # 10 in all; by chance 4·4 / 10 = 1.6.
    shared = np.array([[2.0, 1.0], [0.0, 2.0]])
    assert adjusted_rand(shared) == pytest.approx((2 - 1.6) / (4 - 1.6))
    assert adjusted_rand_over_all_pairs(shared) == pytest.approx((2 - 1.6) / (10 - 1.6))
    # H(Y|W): topic 1 has three documents, ⅔ and ⅓ of two classes; topic 2 has but one class.
    # H(W|Y): class 2 has three documents, ⅓ and ⅔ of two topics; class 1 has but one topic.
    uneven = -(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3))
    assert information_apart(shared) == pytest.approx(2 * 3 / 5 * uneven)


def test_soft_weights_by_hand():
    # Weights ¾ and ¼ of four documents, two of each class: A = [[1.5, 0.5], [0.5, 1.5]].
    # C(1.5, 2) = 0.375 and C(0.5, 2) = −0.125 make 0.5 in both; 2 in a topic, 2 in a class, 6 in
    # all; by chance 2·2 / 6 = ⅔.
    corpus = labelled([[3, 1], [3, 1], [1, 3], [1, 3]], ["a", "a", "b", "b"])
    ari, of_all, apart = (
        each.measure(words_as_topics(2, "ab"), Alone(corpus)).value for each in SOFT
    )
    assert ari == pytest.approx((0.5 - 2 / 3) / (2 - 2 / 3))
    assert of_all == pytest.approx((0.5 - 2 / 3) / (6 - 2 / 3))
    assert apart == pytest.approx(-2 * (0.75 * np.log(0.75) + 0.25 * np.log(0.25)))


@given(partitions)
@settings(max_examples=150, deadline=None)
def test_hard_groups_as_scikit_learn_has_them(groups):
    topics, classes = groups
    shared = table(topics, classes)
    assert adjusted_rand(shared) == pytest.approx(adjusted_rand_score(classes, topics), abs=1e-12)
    own = mutual_info_score(topics, topics) + mutual_info_score(classes, classes)
    expected = own - 2 * mutual_info_score(topics, classes)
    assert information_apart(shared) == pytest.approx(expected, abs=1e-12)
    nmi = normalized_mutual_info_score(classes, topics)
    assert normalized_mutual_information(shared) == pytest.approx(nmi, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_main_topics_of_weights_as_scikit_learn_has_them(seed, k, holders):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.5, (60, k)) + (np.arange(k) == rng.integers(k, size=(60, 1)))
    labels = rng.choice(["a", "b", "c"], 60)
    weights = counts / counts.sum(axis=1)[:, None]
    ordered = np.sort(weights, axis=1)
    clear = np.ones(60, dtype=bool) if k == 1 else ordered[:, -1] > ordered[:, -2]
    counts, labels, weights = counts[clear], labels[clear], weights[clear]
    if len(labels) < 2:
        return
    parts = [
        labelled(part, named)
        for part, named in zip(split(counts, holders), split(labels, holders), strict=True)
    ]
    by_hand = {"hard_ari": adjusted_rand_score, "nmi": normalized_mutual_info_score}
    for index in HARD:
        found = index.measure(words_as_topics(k, "abc"), Simulated(parts))
        expected = by_hand[index.name](labels, weights.argmax(axis=1))
        assert found.value == pytest.approx(expected, abs=1e-9)


def test_main_topics_that_are_equally_large_share_the_document():
    weights = np.array([[0.5, 0.5, 0.0], [0.3, 0.3 + 1e-15, 0.4], [0.0, 0.0, 0.0]])
    assert main_topics(weights).tolist() == [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    thirds = np.array([[0.3, 0.1 + 0.2, 0.3]])  # 0.30000000000000004 in the middle
    assert main_topics(thirds).tolist() == [[1 / 3, 1 / 3, 1 / 3]]
    # One word as often as the other: half of the document is in each topic.
    corpus = labelled([[2, 2], [3, 1], [1, 3]], ["a", "a", "b"])
    shared, _ = Alone(corpus).sum(HARD[0].local_statistics, words_as_topics(2, "ab"))
    assert shared.tolist() == [[1.5, 0.0], [0.5, 1.0]]


def test_hard_indices_reach_1_where_soft_ones_cannot():
    corpus = labelled([[3, 1], [3, 2], [1, 3], [2, 3]], ["a", "a", "b", "b"])
    subject = words_as_topics(2, "ab")
    assert [index.measure(subject, Alone(corpus)).value for index in HARD] == [1.0, 1.0]
    assert AdjustedRandIndex().measure(subject, Alone(corpus)).value < 0.1


def test_documents_of_several_classes_are_in_each_in_equal_parts():
    corpus = labelled([[3, 1], [1, 3], [1, 3]], [["a", "b"], "a", ["b"]])
    shared, counted = Alone(corpus).sum(HARD[1].local_statistics, words_as_topics(2, "ab"))
    assert shared.tolist() == [[0.5, 0.5], [1.0, 1.0]]
    assert counted.tolist() == [3.0, 0.0]
    # H(W) = H(⅓), H(Y) = ln 2 and they are independent.
    assert HARD[1].measure(words_as_topics(2, "ab"), Alone(corpus)).value == pytest.approx(0.0)


@given(partitions)
@settings(max_examples=60, deadline=None)
def test_the_index_over_all_pairs_counts_pairs(groups):
    topics, classes = (np.array(side) for side in groups)
    above = np.triu_indices(len(topics), 1)
    same_topic, same_class = (np.equal.outer(side, side)[above] for side in (topics, classes))
    chance = same_topic.sum() * same_class.sum() / len(same_topic)
    if chance < len(same_topic):
        expected = ((same_topic & same_class).sum() - chance) / (len(same_topic) - chance)
        found = adjusted_rand_over_all_pairs(table(topics, classes))
        assert found == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_information_apart_has_its_bounds_and_no_order(seed, k, classes):
    rng = np.random.default_rng(seed)
    shared = rng.dirichlet(np.full(k, 0.3), 30).T @ np.eye(classes)[rng.integers(classes, size=30)]
    apart = information_apart(shared)
    assert 0 <= apart <= np.log(k) + np.log(classes) + 1e-12
    moved = shared[rng.permutation(k)][:, rng.permutation(classes)]
    assert information_apart(moved) == pytest.approx(apart, abs=1e-12)
    assert adjusted_rand(moved) == pytest.approx(adjusted_rand(shared), abs=1e-12)


def test_the_same_groups_by_other_names():
    shared = np.array([[0.0, 5.0, 0.0], [0.0, 0.0, 2.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert adjusted_rand(shared) == 1.0
    assert information_apart(shared) == pytest.approx(0.0, abs=1e-12)
    # 10 + 1 + 3 = 14 pairs of 45; by chance 14² / 45.
    assert adjusted_rand_over_all_pairs(shared) == pytest.approx(14 / 45 / (1 + 14 / 45))


@pytest.mark.parametrize("index", [adjusted_rand, adjusted_rand_over_all_pairs])
def test_one_topic(index):
    assert index(np.array([[7.0]])) == 1.0  # one class too: the same group
    assert index(np.array([[4.0, 3.0]])) == pytest.approx(0.0, abs=1e-12)
    assert information_apart(np.array([[4.0, 4.0]])) == pytest.approx(np.log(2))
    assert normalized_mutual_information(np.array([[7.0]])) == 1.0
    assert normalized_mutual_information(np.array([[4.0, 3.0]])) == pytest.approx(0.0, abs=1e-12)


def test_every_document_by_itself():
    assert adjusted_rand(np.eye(4)) == 1.0  # as scikit-learn has it
    assert adjusted_rand_over_all_pairs(np.eye(4)) == 0.0  # no pair at all, of six


def test_weights_thinner_than_documents_are_undefined():
    # 16 · C(¼, 2) = −1.5 pairs in both, none in a topic or a class: nothing to divide by.
    with pytest.raises(UndefinedError, match="too few labelled documents"):
        adjusted_rand(np.full((4, 4), 0.25))
    with pytest.raises(UndefinedError, match="too few labelled documents"):
        adjusted_rand(np.full((40, 4), 0.025))  # 40 · C(0.1, 2) = −1.8 pairs in a topic


def test_topics_and_classes_without_documents_change_nothing():
    shared = np.array([[2.0, 1.0], [0.0, 2.0]])
    wide = np.zeros((4, 5))
    wide[np.ix_([0, 2], [1, 4])] = shared
    for index in (adjusted_rand, adjusted_rand_over_all_pairs, information_apart):
        assert index(wide) == pytest.approx(index(shared), abs=1e-12)


def test_documents_of_several_classes_none_or_without_words():
    corpus = labelled(
        [[1, 0], [0, 2], [0, 0], [4, 0], [1, 1]], ["a", ["b", "a"], "b", None, ["b", "b"]]
    )
    shared, counted = Alone(corpus).sum(Agreement.local_statistics, words_as_topics(2, "ab"))
    # Document 1 is (topic 1, a); 2 is topic 2 and half of each class; 5 is half of each topic, b.
    assert shared.tolist() == [[1.0, 0.5], [0.5, 1.0]]
    assert counted.tolist() == [3.0, 1.0]
    notes = VariationOfInformation().measure(words_as_topics(2, "ab"), Alone(corpus)).notes
    assert notes == {"documents": 3, "unlabelled": 1, "classes_of_one": 0}


def test_classes_of_one_document_or_less_are_counted():
    # a has two documents, b one, c a half, d a half of each of two, e one and a half, f none
    labels = ["a", "a", "b", ["c", "e"], ["d", "e"], ["d", "e"]]
    counts = [[1, 0], [2, 1], [3, 1], [1, 7], [1, 9], [4, 5]]  # weights in thirds and so on
    for index in INDICES:
        notes = index.measure(words_as_topics(2, "abcdef"), Alone(labelled(counts, labels))).notes
        assert notes["classes_of_one"] == 3  # b, c and d
    shared, _ = Alone(labelled(counts, labels)).sum(
        Agreement.local_statistics, words_as_topics(2, "abcdef")
    )
    assert shared[:, 1].tolist() == [0.75, 0.25]  # as the docstring warns: b's document's weights


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("labels", [None, [None, None], ["a", None]])
def test_too_few_labels(index, labels):
    with pytest.raises(UndefinedError, match="Fewer than two documents"):
        index.measure(words_as_topics(2, "ab"), Alone(labelled([[1, 0], [0, 1]], labels)))


def test_a_class_of_another_name_is_refused_in_a_sentence():
    here, there = labelled([[1, 0]], ["sport"]), labelled([[0, 1]], ["Sports"])
    with pytest.raises(
        HolderError, match=r"Holder 2 of 2 .*1 of the labels.*must use the same class"
    ):
        INDICES[0].measure(words_as_topics(2, ["politics", "sport"]), Simulated([here, there]))


@pytest.mark.parametrize("index", INDICES + HELD_OUT)
def test_split_among_holders_as_pooled(index):
    counts, topics, weights = plant(n=120)
    words = [f"w{word}" for word in range(counts.shape[1])]
    labels = np.array([f"c{topic}" for topic in weights.argmax(axis=1)], dtype=object)
    labels[::10] = None
    subject = Subject(
        np.array(words, dtype=object), topics, estimator=folding("nmf", topics),
        classes=tuple(f"c{topic}" for topic in range(5)),
    )  # fmt: skip
    parts = [
        Corpus(part, words, labels=named)
        for part, named in zip(split(counts, 9), split(labels, 9), strict=True)
    ]
    nobody = Corpus(counts[:0], words, labels=[])
    pooled = index.measure(subject, Alone(Corpus(counts, words, labels=labels)))
    apart = index.measure(subject, Simulated([*parts, nobody]))
    assert apart.value == pytest.approx(pooled.value, abs=1e-9)
    assert apart.notes == pooled.notes
    assert pooled.notes["unlabelled"] > 0


def test_topics_of_other_documents_agree_less():
    counts, topics, weights = plant(n=200)
    words = np.array([f"w{word}" for word in range(counts.shape[1])], dtype=object)
    labels = [f"c{row}" for row in weights.argmax(axis=1)]
    strange = np.random.default_rng(3).permuted(topics, axis=1)
    for index in INDICES:
        own, others = (
            index.measure(
                Subject(words, each, estimator=folding("nmf", each), classes=tuple(set(labels))),
                Alone(Corpus(counts, list(words), labels=labels)),
            ).value
            for each in (topics, strange)
        )
        assert (own > others) == index.higher_is_better


def test_held_out_versions_are_about_held_out_documents():
    assert {index.documents for index in INDICES} == {"corpus"}
    assert {index.documents for index in HELD_OUT} == {"held_out"}
    assert [index.name for index in HELD_OUT] == [f"{index.name}_held_out" for index in INDICES]
