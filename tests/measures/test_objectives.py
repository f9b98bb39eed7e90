import math

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import chatham as ch
from chatham.errors import InputError
from chatham.measures.evaluate import evaluate
from chatham.measures.objectives import (
    AverageWeightsPerplexity,
    FrobeniusError,
    LogLikelihood,
)
from chatham.measures.subject import Subject
from tests.conftest import plant

WORDS = ["tea", "milk", "sea"]


class Fixed:
    """Finds the weights that it was made with, so that a value can be worked out by hand."""

    def __init__(self, weights):
        self.given = np.array(weights)

    def transform(self, counts):
        return self.given


def subject_of(topics, weights=None, shares=None):
    return Subject(
        vocabulary=np.array(WORDS[: len(topics[0])], dtype=object),
        topics=np.array(topics),
        prevalence=None if shares is None else np.array(shares),
        estimator=None if weights is None else Fixed(weights),
    )


def value_of(measure, subject, counts, held_out=None):
    scores = evaluate(subject, sp.csr_array(counts), measures=[measure], held_out=held_out)
    return scores.iloc[0]


def test_frobenius_error_by_hand():
    # X = (1/2, 1/2), (0, 1); WT = (1, 0), (1/2, 1/2): ½ (1/4 + 1/4 + 1/4 + 1/4) = 1/2
    subject = subject_of([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]])
    row = value_of("frobenius", subject, [[1, 1], [0, 7]])
    assert row["value"] == pytest.approx(0.5)
    assert row["settings"]["per_document"] == pytest.approx(0.25)
    assert row["settings"]["documents"] == 2


def test_frobenius_error_is_that_of_the_dense_residue():
    counts, topics, weights = plant(n=40, d=20, k=3)
    subject = Subject(
        vocabulary=np.array([f"w{j}" for j in range(20)], dtype=object),
        topics=topics,
        estimator=Fixed(weights),
    )
    X = counts.toarray() / counts.toarray().sum(axis=1, keepdims=True)
    expected = 0.5 * np.sum((X - weights @ topics) ** 2)
    assert value_of("frobenius", subject, counts)["value"] == pytest.approx(expected, rel=1e-12)


def test_log_likelihood_by_hand():
    # X = (1/2, 1/2), (0, 1); WT = (3/4, 1/4) twice: ½ ln 3/4 + ½ ln 1/4 + ln 1/4
    subject = subject_of([[1.0, 0.0], [0.0, 1.0]], [[0.75, 0.25], [0.75, 0.25]])
    row = value_of(LogLikelihood(smoothing=0), subject, [[3, 3], [0, 1]])
    assert row["value"] == pytest.approx(0.5 * math.log(0.75) + 1.5 * math.log(0.25))


def test_log_likelihood_is_smoothed_by_default():
    # "milk" has probability zero in the only topic: (1 − 0.01)·0 + 0.01/2
    subject = subject_of([[1.0, 0.0]], [[1.0]])
    assert value_of("log_likelihood", subject, [[0, 4]])["value"] == pytest.approx(math.log(0.005))
    with pytest.raises(InputError, match="1 of the documents have a word of probability zero"):
        value_of(LogLikelihood(smoothing=0), subject, [[0, 4]])


def test_log_likelihood_of_many_cells_is_that_of_the_dense_product():
    counts, topics, weights = plant(n=3000, d=60, k=3, length=60)
    assert counts.nnz > 2**16  # more than one piece
    subject = Subject(
        vocabulary=np.array([f"w{j}" for j in range(60)], dtype=object),
        topics=topics,
        estimator=Fixed(weights),
    )
    X = counts.toarray() / 60
    expected = np.sum(X * np.log(weights @ topics))
    found = value_of(LogLikelihood(smoothing=0), subject, counts)["value"]
    assert found == pytest.approx(expected, rel=1e-12)


def best_on_simplex(objective, k, seed=0):
    """The least value over weights on the simplex, by a general solver from several starts."""
    starts = np.random.default_rng(seed).dirichlet(np.ones(k), 5)
    sums_to_one = {"type": "eq", "fun": lambda w: w.sum() - 1}
    found = [
        minimize(objective, start, bounds=[(1e-12, 1)] * k, constraints=sums_to_one, tol=1e-14).fun
        for start in starts
    ]
    return min(found)


def test_held_out_objectives_take_the_best_weights():
    counts, topics, _ = plant(n=12, d=15, k=3, length=30)
    subject = Subject(
        vocabulary=np.array([f"w{j}" for j in range(15)], dtype=object), topics=topics
    )
    X = counts.toarray() / 30
    error = sum(best_on_simplex(lambda w, x=x: 0.5 * np.sum((x - w @ topics) ** 2), 3) for x in X)
    fit = sum(best_on_simplex(lambda w, x=x: -np.sum(x * np.log(w @ topics)), 3) for x in X)
    scores = evaluate(
        subject,
        measures=[FrobeniusError(held_out=True), LogLikelihood(smoothing=0, held_out=True)],
        held_out=counts,
    )
    assert scores["value"].tolist() == pytest.approx([error, -fit], rel=1e-6)


def test_perplexity_of_average_weights_by_hand():
    # Average document of the model: ¼ (1, 0) + ¾ (½, ½) = (5/8, 3/8); E = (1, 0), (½, ½):
    # exp(−(1.5 ln 5/8 + 0.5 ln 3/8) / 2)
    subject = subject_of([[1.0, 0.0], [0.5, 0.5]], shares=[0.25, 0.75])
    scores = evaluate(
        subject,
        measures=[AverageWeightsPerplexity(smoothing=0)],
        held_out=np.array([[2, 0], [3, 3]]),
    )
    expected = math.exp(-(1.5 * math.log(5 / 8) + 0.5 * math.log(3 / 8)) / 2)
    assert scores["value"][0] == pytest.approx(expected)


def test_uniform_topics_have_the_vocabulary_as_perplexity():
    subject = subject_of([[1 / 3, 1 / 3, 1 / 3]])
    scores = evaluate(
        subject, measures="perplexity_of_average_weights", held_out=np.array([[2, 0, 1]])
    )
    assert scores["value"][0] == pytest.approx(3)


def test_documents_without_known_words_have_no_value():
    counts = np.zeros((2, 2))
    scores = evaluate(subject_of([[0.5, 0.5]], [[1.0]]), counts, held_out=counts)
    for name in ("frobenius", "frobenius_held_out", "log_likelihood", "log_likelihood_held_out",
                 "perplexity_of_average_weights"):  # fmt: skip
        assert "No document has any word" in scores.attrs["skipped"][name]


def test_models_fitted_on_weighted_counts_are_measured_on_plain_ones():
    corpus = ch.sample_corpus().rows(range(200))
    model = ch.fit("nmf", corpus, n_components=3, random_state=0)
    assert model.vectorizer.weighting == "tfidf"
    weights = model.transform(corpus)
    X = corpus.counts.toarray() / corpus.counts.toarray().sum(axis=1, keepdims=True)
    expected = 0.5 * np.sum((X - weights @ model.topics) ** 2)
    found = evaluate(model, corpus, measures="frobenius")["value"][0]
    assert found == pytest.approx(expected, rel=1e-10)


def test_held_out_weights_are_the_best_for_smoothed_topics():
    topics, s = np.array([[0.9, 0.1, 0.0], [0.2, 0.0, 0.8]]), 0.3
    mixed = (1 - s) * topics + s / 3
    x = np.array([0.5, 0.4, 0.1])
    expected = -best_on_simplex(lambda w: -np.sum(x * np.log(w @ mixed)), 2)
    held_out = np.array([[5, 4, 1]])
    scores = evaluate(
        subject_of(topics), measures=[LogLikelihood(s, held_out=True)], held_out=held_out
    )
    assert scores["value"][0] == pytest.approx(expected, rel=1e-7)


def test_held_out_words_in_no_topic_have_no_likelihood():
    subject = subject_of([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    held_out = np.array([[1, 1, 0], [1, 0, 1]])
    with pytest.raises(InputError, match="1 of the documents"):
        evaluate(subject, measures=[LogLikelihood(smoothing=0, held_out=True)], held_out=held_out)
    scores = evaluate(subject, measures=["log_likelihood_held_out"], held_out=held_out)
    assert np.isfinite(scores["value"]).all()


@pytest.mark.parametrize("measure", [LogLikelihood, AverageWeightsPerplexity])
@pytest.mark.parametrize("smoothing", [math.nan, 1.5, -0.1, "much"])
def test_smoothing_that_makes_no_sense(measure, smoothing):
    with pytest.raises(InputError, match="smoothing must be"):
        measure(smoothing=smoothing)


def test_topics_without_words_take_no_part_in_the_average():
    topics = np.array([[0.5, 0.5, 0.0], [0.2, 0.0, 0.8]])
    with_empty = np.vstack([topics, np.zeros((3, 3))])
    values = [
        evaluate((each, WORDS), np.array([[2, 1, 1]]), held_out=np.array([[2, 1, 1]]),
                 measures=["perplexity_of_average_weights", "discriminability_words", "entropy"],
                 )["value"].tolist()
        for each in (topics, with_empty)
    ]  # fmt: skip
    assert values[0] == pytest.approx(values[1], rel=1e-6)
