"""Drawn corpora: lengths, repeatability, what topics may be, what is refused."""

import numpy as np
import pytest

import chatham as ch
from chatham.corpus import (
    LogisticNormal,
    block_covariance,
    planted_topics,
    synthetic_corpus,
)
from chatham.errors import InputError
from tests.corpus.drawn import FIVE_SIGMA, TOPICS, fits, same

# Lengths


def test_lengths_are_exact():
    counts = synthetic_corpus(TOPICS, 50, lengths=37, random_state=0).corpus.counts
    assert (counts.sum(axis=1) == 37).all()
    assert counts.dtype.kind == "i"
    assert counts.has_canonical_format
    assert (counts.data > 0).all()


def test_lengths_are_drawn_from_those_given():
    drawn = synthetic_corpus(TOPICS, 4000, lengths=[0, 3, 3, 50], random_state=0).corpus
    lengths = np.asarray(drawn.counts.sum(axis=1))
    observed = np.array([(lengths == length).sum() for length in (0, 3, 50)])
    assert observed.sum() == 4000
    assert fits(observed, np.array([1000, 2000, 1000]))
    assert drawn.empty.sum() == observed[0]


@pytest.mark.parametrize("mean", [4.5, 120])
def test_lengths_about_a_mean(mean):
    n = 10_000
    drawn = synthetic_corpus(TOPICS, n, lengths=mean, poisson=True, random_state=0)
    lengths = np.asarray(drawn.corpus.counts.sum(axis=1))
    assert abs(lengths.mean() - mean) < FIVE_SIGMA * np.sqrt(mean / n)
    assert abs(lengths.var() - mean) < FIVE_SIGMA * np.sqrt((2 * mean**2 + mean) / n)


# Repeatability


@pytest.mark.parametrize("prior", [0.1, LogisticNormal(covariance=block_covariance(4, 2, 0.5))])
def test_the_same_documents_at_any_number_of_threads(prior):
    topics = planted_topics(4, 60, random_state=0)
    # Enough tokens for several blocks.
    options = {"lengths": [20, 200, 400], "prior": prior, "random_state": 5}
    alone = synthetic_corpus(topics, 2000, **options)
    for jobs in (1, 2, 5, -1):
        same(synthetic_corpus(topics, 2000, n_jobs=jobs, **options), alone)


def test_another_seed_gives_other_documents():
    first, second = (synthetic_corpus(TOPICS, 20, random_state=seed) for seed in (0, 1))
    assert (first.corpus.counts != second.corpus.counts).nnz > 0
    assert len(np.unique(first.corpus.counts.toarray(), axis=0)) > 15


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_generators_are_taken_and_move_on(make):
    state = make(3)
    first, second = (synthetic_corpus(TOPICS, 20, random_state=state) for _ in range(2))
    same(first, synthetic_corpus(TOPICS, 20, random_state=make(3)))
    assert (first.weights != second.weights).any()


@pytest.mark.parametrize("prior", [0.3, LogisticNormal(0.5, block_covariance(2, 1, 0.5))])
def test_a_larger_corpus_begins_with_the_smaller(prior):
    options = {"lengths": [5, 9, 40], "poisson": True, "prior": prior, "random_state": 0}
    small, large = (synthetic_corpus(TOPICS, n, **options) for n in (30, 900))
    np.testing.assert_allclose(large.weights[:30], small.weights, rtol=1e-13)
    assert (large.corpus.counts[:30] != small.corpus.counts).nnz == 0


# What topics may be


def test_from_a_model_and_from_an_estimator(planted):
    corpus = ch.Corpus(planted[0], [f"w{word}" for word in range(planted[0].shape[1])])
    model = ch.fit("plsa", corpus, n_components=3, random_state=0, max_iter=5)
    drawn = synthetic_corpus(model, 4, anchors=0.01, random_state=0)
    assert drawn.corpus.vocabulary.tolist()[-4:] == ["w59", "anchor_0", "anchor_1", "anchor_2"]
    np.testing.assert_allclose(drawn.topics[:, :60], 0.99 * model.topics, rtol=1e-12)
    estimator = ch.NMF(3, constraint="none", random_state=0, max_iter=5).fit(planted[0])
    drawn = synthetic_corpus(estimator, 4, random_state=0)
    sums = estimator.components_.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(drawn.topics, estimator.components_ / sums, rtol=1e-12)


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e308])
def test_rows_of_any_size_are_topics(size):
    topics = synthetic_corpus(np.full((2, 4), size), 3, random_state=0).topics
    np.testing.assert_array_equal(topics, 0.25)


def test_parts_of_a_corpus_keep_their_weights():
    drawn = synthetic_corpus(TOPICS, 40, random_state=0)
    part = drawn.corpus.rows(slice(10, 20))
    np.testing.assert_array_equal(part.metadata[["topic_0", "topic_1"]], drawn.weights[10:20])


def test_given_topics_are_left_as_they_are():
    topics = np.array([[2.0, 1.0], [1.0, 1.0]])
    drawn = synthetic_corpus(topics, 3, random_state=0)
    np.testing.assert_array_equal(topics, [[2.0, 1.0], [1.0, 1.0]])
    drawn.topics[:] = 0
    assert topics.sum() == 5


# Bad input


@pytest.mark.parametrize(
    ("topics", "options", "said"),
    [
        ([1.0, 2.0], {}, "topics × words, not an array of shape"),
        (np.zeros((0, 3)), {}, "shape (0, 3)"),
        ([[0.5, -0.5]], {}, "at least 0"),
        ([[0.5, np.nan]], {}, "finite numbers"),
        ([[1, 0], [0, 0]], {}, "Topic 1 (counted from 0) has no word"),
        (object(), {}, "this object is neither"),
        (TOPICS, {"n_documents": 0}, "n_documents must be a whole number of at least 1, not 0"),
        (TOPICS, {"n_documents": 2.5}, "not 2.5"),
        (TOPICS, {"lengths": 0}, "not all 0"),
        (TOPICS, {"lengths": 2.5}, "unless poisson=True"),
        (TOPICS, {"lengths": [3, -1]}, "at least 0"),
        (TOPICS, {"lengths": []}, "number of tokens"),
        (TOPICS, {"lengths": "long"}, "number of tokens"),
        (TOPICS, {"lengths": 2**30}, "below 2^30"),
        (TOPICS, {"prior": 0}, "alpha must be larger than 0"),
        (TOPICS, {"prior": np.inf}, "alpha must hold finite numbers"),
        (TOPICS, {"prior": "flat"}, "alpha must hold finite numbers"),
        (TOPICS, {"prior": [1.0, 1.0, 1.0]}, "alpha has 3 numbers for 2 topics"),
        (TOPICS, {"prior": LogisticNormal([0.0])}, "mean has 1 number for 2 topics"),
        (TOPICS, {"prior": LogisticNormal(0, np.eye(3))}, "covariance is 3×3 and there are 2"),
        (TOPICS, {"anchors": 0}, "anchors must be a probability"),
        (TOPICS, {"anchors": 1.0}, "anchors must be a probability"),
        (TOPICS, {"anchors": "all"}, "not 'all'"),
        (TOPICS, {"anchors": [0, 1]}, "in its own topic alone"),
        (TOPICS, {"anchors": [0]}, "columns of 2 words"),
        (TOPICS, {"anchors": [0, 4]}, "columns of 2 words"),
        (TOPICS, {"anchors": [0.0, 3.0]}, "columns of 2 words"),
        (TOPICS, {"vocabulary": ["tea"]}, "1 word and the topics have 4"),
        (TOPICS, {"vocabulary": ["tea"] * 4}, "twice"),
        (TOPICS, {"random_state": "today"}, "random_state must be"),
        (TOPICS, {"random_state": -1}, "random_state must be"),
    ],
)
def test_bad_input_is_refused_and_said(topics, options, said):
    options = {"n_documents": 3, "random_state": 0, **options}
    with pytest.raises(InputError) as refused:
        synthetic_corpus(topics, **options)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: LogisticNormal(np.nan), "mean must hold finite"),
        (lambda: LogisticNormal(0, np.ones((2, 3))), "square"),
        (lambda: LogisticNormal(0, [[1, 0.5], [0.4, 1]]), "symmetric"),
        (lambda: LogisticNormal(0, [[1, 2], [2, 1]]), "smallest is -1"),
        (lambda: LogisticNormal(0, -np.eye(2)), "negative eigenvalue"),
        (lambda: LogisticNormal.of([0.5, 0.5]), "at least 2 documents"),
        (lambda: LogisticNormal.of(np.eye(2), smallest=0), "smallest must lie"),
        (lambda: block_covariance(5), "groups must be a whole number"),
        (lambda: block_covariance(6, groups=2, correlation=-0.6), "between -0.5 and 1"),
        (lambda: block_covariance(6, groups=2, correlation=1.1), "between -0.5 and 1"),
        (lambda: block_covariance(6, groups=2, variance=0), "variance must be"),
        (lambda: planted_topics(3, 3), "d > k"),
        (lambda: planted_topics(3, 9, anchor_probability=1), "anchor_probability must be"),
        (lambda: planted_topics(3, 9, concentration=0), "alpha must be"),
    ],
)
def test_bad_settings_are_refused_and_said(make, said):
    with pytest.raises(InputError) as refused:
        make()
    assert said in str(refused.value)
