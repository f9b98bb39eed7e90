"""Classification by weights: beside scikit-learn, and across holders."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import chatham as ch
from chatham.commons import Alone, Recorded, Simulated
from chatham.corpus import Corpus
from chatham.measures.labels.accuracy import Accuracy, coins
from chatham.measures.subject import Subject, folding, subject_of_model
from tests.conftest import plant, split
from tests.measures.labels.noisy import TRIAL, noisy_corpus


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
    test = coins(corpus.counts.astype(float), TRIAL)
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
    test, weights = coins(corpus.counts.astype(float), TRIAL), subject.weights(corpus.counts)
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
    test = coins(counts, TRIAL)
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
    test = coins(counts, TRIAL)
    assert test.mean() == pytest.approx(0.2, abs=0.03)
    order = np.random.default_rng(0).permutation(2000)
    assert (coins(sp.csr_array(counts[order]), TRIAL) == test[order]).all()
    assert (coins(counts, TRIAL._replace(random_state=1)) != test).any()
    assert (coins(counts, TRIAL._replace(test=0.4)) >= test).all()


def test_another_random_state_tries_other_documents():
    subject, corpus = noisy_corpus(n=200)
    for random_state in (0, 1):
        test = coins(corpus.counts.astype(float), TRIAL._replace(random_state=random_state))
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
