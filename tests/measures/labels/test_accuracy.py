"""Classification by weights: beside scikit-learn, for awkward labels, and across holders."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import chatham as ch
from chatham.commons import Alone, Recorded, Simulated
from chatham.corpus import Corpus
from chatham.errors import HolderError, InputError
from chatham.measures.labels import accuracy
from chatham.measures.labels.accuracy import Accuracy, commonest
from chatham.measures.labels.classified import Features, coins
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject, folding, subject_of_model
from tests.conftest import plant, split
from tests.measures.labels.test_agreement import labelled, words_as_topics

ASKED = Features("weights", 0.2, 0)


def noisy_corpus(n=400, seed=0):
    """A planted corpus whose labels are drawn from the weights, so that none is sure."""
    counts, topics, weights = plant(n=n, seed=seed, concentration=0.5)
    rng = np.random.default_rng(seed)
    labels = np.array([f"c{rng.choice(5, p=row)}" for row in weights], dtype=object)
    words = [f"w{word}" for word in range(counts.shape[1])]
    subject = Subject(
        np.array(words, dtype=object), topics, estimator=folding("nmf", topics),
        classes=tuple(f"c{topic}" for topic in range(5)),
    )  # fmt: skip
    return subject, Corpus(counts, words, labels=labels)


def scikit_learn(features, labels, test, penalty=1.0):
    """The accuracy of the same regression, features divided by the same one number."""
    features = sp.csr_array(features)
    features = features / np.sqrt(features[~test].toarray().var(axis=0).sum())
    names = labels.astype(str)
    fit = LogisticRegression(C=1 / penalty, tol=1e-6, max_iter=5000)
    return fit.fit(features[~test], names[~test]).score(features[test], names[test])


def frequencies(counts):
    counts = sp.csr_array(counts, dtype=np.float64)
    return sp.csr_array(sp.diags_array(1 / counts.sum(axis=1)) @ counts)


def parts_of(corpus, holders):
    """The corpus at so many holders, and at one who has nothing."""
    counts, labels = split(corpus.counts, holders), split(corpus.labels, holders)
    parts = [Corpus(c, corpus.vocabulary, labels=y) for c, y in zip(counts, labels, strict=True)]
    return [*parts, Corpus(corpus.counts[:0], corpus.vocabulary, labels=[])]


@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
def test_planted_as_scikit_learn_has_it(penalty):
    subject, corpus = noisy_corpus()
    test = coins(corpus.counts.astype(float), ASKED)
    score = Accuracy(penalty=penalty).measure(subject, Alone(corpus))
    weights = subject.weights(corpus.counts)
    expected = scikit_learn(weights, corpus.labels, test, penalty)
    assert score.value == pytest.approx(expected, abs=1e-12)
    words = scikit_learn(frequencies(corpus.counts), corpus.labels, test, penalty)
    assert score.notes["bag_of_words"] == pytest.approx(words, abs=1e-12)
    assert 0.4 < score.value < 1
    assert score.notes["tried_on"] == test.sum()
    assert score.notes["learned_on"] == (~test).sum()


def test_pairs_as_scikit_learn_has_them():
    subject, corpus = noisy_corpus(n=200)
    test, weights = coins(corpus.counts.astype(float), ASKED), subject.weights(corpus.counts)
    size = np.sqrt(weights[~test].var(axis=0).sum())
    expected = []
    for first in range(5):
        for second in range(first):
            own = np.isin(corpus.labels, [f"c{first}", f"c{second}"])
            names = corpus.labels.astype(str)
            fit = LogisticRegression(tol=1e-8, max_iter=5000)
            fit.fit(weights[own & ~test] / size, names[own & ~test])
            expected.append(fit.score(weights[own & test] / size, names[own & test]))
    score = Accuracy(pairs=True, baseline=False).measure(subject, Alone(corpus))
    assert score.value == pytest.approx(np.mean(expected), abs=1e-12)
    assert score.notes["problems"] == 10
    assert "bag_of_words" not in score.notes


def test_sample_as_scikit_learn_has_it():
    corpus = ch.sample_corpus(max_features=500)
    model = ch.fit("nmf", corpus, n_components=8, random_state=0)
    subject = subject_of_model(model)
    subject = Subject(
        subject.vocabulary, subject.topics, estimator=subject.estimator,
        classes=("applications", "generation", "resources"),
    )  # fmt: skip
    score = Accuracy().measure(subject, Alone(corpus))
    counts = sp.csr_array(corpus.counts, dtype=np.float64)
    test = coins(counts, ASKED)
    expected = scikit_learn(subject.weights(counts), corpus.labels, test)
    assert score.value == pytest.approx(expected, abs=2.5 / test.sum())
    words = scikit_learn(frequencies(counts), corpus.labels, test)
    assert score.notes["bag_of_words"] == pytest.approx(words, abs=2.5 / test.sum())
    assert score.notes["commonest_class"] < score.value < score.notes["bag_of_words"]


@pytest.mark.parametrize("pairs", [False, True])
def test_split_among_holders_as_pooled(pairs):
    subject, corpus = noisy_corpus(n=250)
    corpus.labels[::11] = None
    measure = Accuracy(pairs=pairs, baseline=True)
    pooled = measure.measure(subject, Alone(corpus))
    apart = measure.measure(subject, Simulated(parts_of(corpus, 9)))
    assert apart.value == pytest.approx(pooled.value, abs=1e-9)
    rounds = {"rounds", "rounds_of_words"}  # the last bits may end the search a step apart
    for note in pooled.notes.keys() - rounds:
        assert apart.notes[note] == pytest.approx(pooled.notes[note], abs=1e-9)


def test_only_topics_or_words_by_classes_cross():
    shapes = []
    for n in (100, 200):
        subject, corpus = noisy_corpus(n=n)
        commons = Recorded(Simulated(parts_of(corpus, 3)))
        Accuracy(max_rounds=30, baseline=True).measure(subject, commons)
        shapes.append({entry.shape for entry in commons.ledger})
        assert all(entry.meaning for entry in commons.ledger)
    assert shapes[0] == shapes[1]
    assert shapes[0] == {(2, 5), (2,), (5,), (60,), (1,), (6, 5), (61, 5)}


def test_between_holders_words_cross_only_if_asked_for():
    subject, corpus = noisy_corpus(n=100)
    commons = Recorded(Simulated(parts_of(corpus, 3)))
    notes = Accuracy().measure(subject, commons).notes
    assert "bag_of_words" not in notes
    assert all(max(entry.shape) <= 6 for entry in commons.ledger)
    assert "bag_of_words" in Accuracy().measure(subject, Alone(corpus)).notes


def test_a_coin_belongs_to_the_words_of_a_document():
    counts = sp.csr_array(plant(n=2000)[0], dtype=np.float64)
    test = coins(counts, ASKED)
    assert test.mean() == pytest.approx(0.2, abs=0.03)
    order = np.random.default_rng(0).permutation(2000)
    assert (coins(sp.csr_array(counts[order]), ASKED) == test[order]).all()
    assert (coins(counts, ASKED._replace(random_state=1)) != test).any()
    assert (coins(counts, ASKED._replace(test=0.4)) >= test).all()


def test_another_random_state_tries_other_documents():
    subject, corpus = noisy_corpus(n=200)
    for random_state in (0, 1):
        test = coins(corpus.counts.astype(float), ASKED._replace(random_state=random_state))
        score = Accuracy(random_state=random_state, baseline=False).measure(subject, Alone(corpus))
        weights = subject.weights(corpus.counts)
        assert score.value == pytest.approx(scikit_learn(weights, corpus.labels, test))
        assert score.notes["tried_on"] == test.sum()


def test_order_of_documents_topics_and_classes_does_not_matter():
    subject, corpus = noisy_corpus(n=200)
    first = Accuracy(baseline=False).measure(subject, Alone(corpus)).value
    order = np.random.default_rng(2).permutation(200)
    shuffled = Corpus(corpus.counts[order], corpus.vocabulary, labels=corpus.labels[order])
    topics = subject.topics[::-1].copy()
    turned = Subject(
        subject.vocabulary, topics, estimator=folding("nmf", topics),
        classes=subject.classes[::-1],
    )  # fmt: skip
    assert Accuracy(baseline=False).measure(turned, Alone(shuffled)).value == pytest.approx(first)


def test_one_topic_scores_as_the_commonest_class():
    _, corpus = noisy_corpus(n=200)
    one = np.full((1, corpus.n_words), 1 / corpus.n_words)
    subject = Subject(
        corpus.vocabulary.astype(object), one, estimator=folding("nmf", one),
        classes=tuple(f"c{topic}" for topic in range(5)),
    )  # fmt: skip
    for pairs in (False, True):
        score = Accuracy(pairs=pairs, baseline=False).measure(subject, Alone(corpus))
        assert score.value == pytest.approx(score.notes["commonest_class"])


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
    test = coins(sp.csr_array(counts, dtype=np.float64), ASKED)
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
    learned = ~coins(sp.csr_array(counts, dtype=np.float64), ASKED)
    labels = np.array(["a", "b"] * 25)[learned]
    with pytest.raises(UndefinedError, match="No document is left"):
        Accuracy().measure(subject, Alone(labelled(counts[learned], labels)))


def test_tests_of_a_class_that_no_pair_has():
    counts = two_words(50)
    test = coins(sp.csr_array(counts, dtype=np.float64), ASKED)
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
        "61 × 5 parameters are more than 304; take fewer words."
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
        np.flatnonzero(coins(sp.csr_array(counts, dtype=np.float64), ASKED) == side)
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
    lonely = int(np.flatnonzero(~coins(sp.csr_array(counts, dtype=np.float64), ASKED))[0])
    labels = ["b"] * 40 + ["a"] * 40
    labels[lonely] = "c"
    commons, subject = Alone(labelled(counts, labels)), words_as_topics(2, "abc")
    sums, _ = commons.sum(accuracy.feature_moments, subject, ASKED)
    _, slope = commons.sum(
        Accuracy.local_statistics, subject, ASKED, np.arange(3), np.zeros((3, 3))
    )
    assert sums / 3 - slope[:-1, 2] == pytest.approx(counts[lonely] / counts[lonely].sum())


def test_a_class_of_another_name_is_refused_in_a_sentence():
    with pytest.raises(HolderError, match="count_classes: 1 of the labels here"):
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
