"""Classification by weights: awkward labels and settings."""

import numpy as np
import pytest
import scipy.sparse as sp

from chatham.commons import Alone, Recorded
from chatham.errors import HolderError, InputError
from chatham.measures.labels import accuracy
from chatham.measures.labels.accuracy import Accuracy, coins, commonest
from chatham.measures.measure import UndefinedError
from tests.measures.labels.noisy import TRIAL, noisy_corpus
from tests.measures.labels.test_agreement import labelled, words_as_topics


def test_commonest_class_by_hand():
    counts = np.array([[5.0, 3.0, 0.0], [2.0, 4.0, 2.0]])  # class 2 is never learned
    assert commonest(counts, np.array([0, 1])) == 2 / 8
    assert commonest(counts, np.array([[0, 1]])) == 2 / 6
    level = np.array([[3.0, 3.0], [1.0, 2.0]])
    assert commonest(level, np.array([[0, 1]])) == 0.5  # either, at the toss of a coin


def two_words(n, seed=0):
    """Documents of two words, all different, so that each has a coin of its own."""
    rng = np.random.default_rng(seed)
    few, many = rng.permutation(np.arange(1, n + 1)), rng.permutation(np.arange(n, 2 * n))
    return np.stack([few, many], axis=1)


def test_labels_that_are_missing_or_several_are_left_out_and_counted():
    counts = np.vstack([two_words(40), two_words(40, 1)[:, ::-1]])
    labels = ["b"] * 40 + ["a"] * 40
    plain = Accuracy().measure(words_as_topics(2, "ab"), Alone(labelled(counts, labels)))
    more = np.vstack([counts, [[0, 0], [7, 1], [1, 7], [3, 3]]])
    corpus = labelled(more, [*labels, "a", None, ["a", "b"], {"a", "b"}])
    score = Accuracy().measure(words_as_topics(2, "ab"), Alone(corpus))
    assert score.value == plain.value == 1.0
    assert score.notes == plain.notes | {"unlabelled": 1, "several_labels": 2}


def test_a_class_that_only_tests_have_is_never_right():
    counts = np.vstack([two_words(60), two_words(60, 1)[:, ::-1]])
    test = coins(sp.csr_array(counts, dtype=np.float64), TRIAL)
    labels = ["b"] * 60 + ["a"] * 60
    strange = int(np.flatnonzero(test)[0])
    labels[strange] = "c"
    corpus, subject = labelled(counts, labels), words_as_topics(2, "abc")
    score = Accuracy().measure(subject, Alone(corpus))
    assert score.value == pytest.approx(1 - 1 / test.sum())
    assert score.notes["classes_never_learned"] == 1
    pairs = Accuracy(pairs=True).measure(subject, Alone(corpus))
    assert pairs.value == 1.0
    assert pairs.notes["problems"] == 1


def test_where_there_is_no_accuracy():
    subject = words_as_topics(2, "ab")
    for labels in (["a"] * 50, [None] * 50, None, [["a", "b"]] * 50):
        with pytest.raises(UndefinedError, match="fewer than two classes"):
            Accuracy().measure(subject, Alone(labelled(two_words(50), labels)))
    counts = two_words(50)
    learned = ~coins(sp.csr_array(counts, dtype=np.float64), TRIAL)
    labels = np.array(["a", "b"] * 25)[learned]
    with pytest.raises(UndefinedError, match="No document is left"):
        Accuracy().measure(subject, Alone(labelled(counts[learned], labels)))


def test_tests_of_a_class_that_no_pair_has():
    counts = two_words(50)
    test = coins(sp.csr_array(counts, dtype=np.float64), TRIAL)
    corpus = labelled(counts, np.where(test, "c", np.array(["a", "b"] * 25)))
    assert Accuracy().measure(words_as_topics(2, "abc"), Alone(corpus)).value == 0.0
    with pytest.raises(UndefinedError, match="No document is left"):
        Accuracy(pairs=True).measure(words_as_topics(2, "abc"), Alone(corpus))


def test_labels_that_are_no_classes_are_refused(monkeypatch):
    counts = np.vstack([two_words(60), two_words(60, 1)[:, ::-1]])
    names = [f"id{row:03}" for row in range(60)]
    subject = words_as_topics(2, [*names, "x"])
    as_many = labelled(counts, np.repeat(names, 2))  # sixty classes of 120 documents
    assert 0 <= Accuracy().measure(subject, Alone(as_many)).value <= 1
    one_more = labelled(counts, [*np.repeat(names, 2)[:-1], "x"])
    with pytest.raises(UndefinedError, match=r"120 documents have 61 different .* an id column"):
        Accuracy().measure(subject, Alone(one_more))
    monkeypatch.setattr(accuracy, "MOST_CLASSES", 59)
    with pytest.raises(UndefinedError, match="120 documents have 60 different"):
        Accuracy().measure(subject, Alone(as_many))


def test_words_by_too_many_classes_are_no_baseline(monkeypatch):
    subject, corpus = noisy_corpus(n=100)  # 61 × 5 parameters
    monkeypatch.setattr(accuracy, "MOST_PARAMETERS", 61 * 5)
    whole = Accuracy().measure(subject, Alone(corpus))
    assert whole.notes["bag_of_words"] > 0
    monkeypatch.setattr(accuracy, "MOST_PARAMETERS", 61 * 5 - 1)
    commons = Recorded(Alone(corpus))
    score = Accuracy().measure(subject, commons)
    assert score.value == whole.value
    assert score.notes["bag_of_words"] is None
    assert score.notes["bag_of_words_left_out"] == (
        "61 × 5 parameters are more than 304; use fewer words."
    )
    assert "rounds_of_words" not in score.notes
    assert (61, 5) not in {entry.shape for entry in commons.ledger}


def test_pairs_of_too_many_classes(monkeypatch):
    subject, corpus = noisy_corpus(n=100)  # 6 × 10 parameters
    monkeypatch.setattr(accuracy, "MOST_PARAMETERS", 60)
    assert Accuracy(pairs=True).measure(subject, Alone(corpus)).notes["bag_of_words"] is None
    monkeypatch.setattr(accuracy, "MOST_PARAMETERS", 59)
    with pytest.raises(UndefinedError, match="10 pairs of classes with 6 parameters each"):
        Accuracy(pairs=True).measure(subject, Alone(corpus))


def test_classes_with_one_document_to_learn_on_are_counted():
    counts = np.vstack([two_words(40), two_words(40, 1)[:, ::-1]])
    learned, tried = (
        np.flatnonzero(coins(sp.csr_array(counts, dtype=np.float64), TRIAL) == side)
        for side in (False, True)
    )
    labels = ["b"] * 40 + ["a"] * 40
    for row, name in zip([*learned[:2], *tried[:3]], "cddef", strict=True):
        labels[row] = name
    notes = Accuracy().measure(words_as_topics(2, "abcdef"), Alone(labelled(counts, labels))).notes
    assert notes["classes_of_one"] == 2  # c and d; nobody learns on e and f
    assert notes["classes_never_learned"] == 2


def test_a_class_of_one_shows_its_document_as_the_docstring_warns():
    # At the first step all classes are as likely: the gradient of class c is Σ x / C − its own x.
    counts = np.vstack([two_words(40), two_words(40, 1)[:, ::-1]])
    lonely = int(np.flatnonzero(~coins(sp.csr_array(counts, dtype=np.float64), TRIAL))[0])
    labels = ["b"] * 40 + ["a"] * 40
    labels[lonely] = "c"
    commons, subject = Alone(labelled(counts, labels)), words_as_topics(2, "abc")
    sums, _ = commons.sum(accuracy.feature_moments, subject, TRIAL)
    _, slope = commons.sum(
        Accuracy.local_statistics, subject, TRIAL, np.arange(3), np.zeros((3, 3))
    )
    assert sums / 3 - slope[:-1, 2] == pytest.approx(counts[lonely] / counts[lonely].sum())


def test_a_class_of_another_name_is_refused_in_a_sentence():
    with pytest.raises(HolderError, match=r"of each class .*: 1 of the labels here"):
        Accuracy().measure(words_as_topics(2, "ab"), Alone(labelled(two_words(2), ["a", "B"])))


def test_few_rounds_are_said_to_be_too_few():
    subject, corpus = noisy_corpus(n=100)
    score = Accuracy(max_rounds=2).measure(subject, Alone(corpus))
    assert not score.notes["converged"]
    assert 0 <= score.value <= 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"test": 0}, {"test": 1.0}, {"penalty": 0.0}, {"max_rounds": 0}, {"max_rounds": 2.5},
        {"random_state": -1}, {"random_state": 0.5}, {"random_state": None},
    ],
    ids=str,
)  # fmt: skip
def test_settings_that_mean_nothing(wrong):
    with pytest.raises(InputError, match=f"{next(iter(wrong))} must be"):
        Accuracy(**wrong)
