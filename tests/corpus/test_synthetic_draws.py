"""Drawn corpora: moments of compositions, frequencies of words, anchors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.corpus import (
    Dirichlet,
    LogisticNormal,
    block_covariance,
    planted_topics,
    synthetic_corpus,
)
from chatham.corpus.synthetic.drawing import _alias_tables, draw_counts
from tests.corpus.drawn import ALONE, FIVE_SIGMA, TOPICS, fits

# Compositions


@pytest.mark.parametrize("alpha", [0.1, [0.05, 0.4, 1.5], [3.0, 0.5, 8.0]])
def test_dirichlet_has_its_mean_and_correlations(alpha):
    n, k = 40_000, 3
    a = np.broadcast_to(alpha, k)
    whole = a.sum()
    drawn = synthetic_corpus(np.eye(k), n, lengths=1, prior=alpha, random_state=0)
    together = (np.diag(a) + np.outer(a, a)) / (whole * (whole + 1))
    weights = drawn.weights
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    error = weights.std(axis=0) / np.sqrt(n)
    assert (np.abs(weights.mean(axis=0) - a / whole) < FIVE_SIGMA * error).all()
    products = weights[:, :, None] * weights[:, None, :]
    error = products.std(axis=0) / np.sqrt(n)
    assert (np.abs(drawn.correlations - together) < FIVE_SIGMA * error).all()
    np.testing.assert_allclose(drawn.correlations, products.mean(axis=0), atol=1e-14)


@pytest.mark.parametrize("alpha", [1e-300, 1e-9, 1e12])
def test_extreme_priors_give_compositions(alpha):
    weights = Dirichlet(alpha).draw(500, 4, np.random.default_rng(0))
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-12)
    strongest = weights.max(axis=1)
    assert (strongest > 0.999).all() if alpha < 1 else (np.abs(strongest - 0.25) < 1e-4).all()


def test_logistic_normal_has_its_log_ratios():
    n, k = 40_000, 4
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(k, 2))
    covariance = factor @ factor.T + np.diag([0.1, 0.5, 1.0, 2.0])
    mean = np.array([0.0, 1.0, -2.0, 0.5])
    weights = LogisticNormal(mean, covariance).draw(n, k, np.random.default_rng(1))
    ratio = np.hstack([np.eye(k - 1), -np.ones((k - 1, 1))])
    logs = np.log(weights) @ ratio.T
    expected = ratio @ covariance @ ratio.T
    variances = np.diag(expected)
    error = np.sqrt(variances / n)
    assert (np.abs(logs.mean(axis=0) - ratio @ mean) < FIVE_SIGMA * error).all()
    # The variance of a sample covariance of normal numbers.
    error = np.sqrt((np.outer(variances, variances) + expected**2) / n)
    assert (np.abs(np.cov(logs.T) - expected) < FIVE_SIGMA * error).all()


def test_a_singular_covariance_will_do():
    weights = LogisticNormal(0.0, np.ones((3, 3))).draw(50, 3, np.random.default_rng(0))
    np.testing.assert_allclose(weights, 1 / 3, rtol=1e-6)


def test_a_logistic_normal_of_given_compositions_draws_the_like():
    true = LogisticNormal([1.0, 0.0, -1.0], block_covariance(3, groups=2, correlation=0.7))
    weights = true.draw(40_000, 3, np.random.default_rng(0))
    found = LogisticNormal.of(weights, smallest=1e-12)
    centre = np.eye(3) - 1 / 3
    np.testing.assert_allclose(found.mean, centre @ true.mean, atol=0.03)
    np.testing.assert_allclose(found.covariance, centre @ true.covariance @ centre, atol=0.03)
    assert np.isfinite(LogisticNormal.of(np.eye(3)).covariance).all()


def test_blocks_of_correlated_topics():
    covariance = block_covariance(7, groups=3, correlation=0.05, variance=2.0)
    group = np.array([0, 0, 0, 1, 1, 2, 2])
    expected = np.where(group[:, None] == group, 0.1, 0.0)
    np.fill_diagonal(expected, 2.0)
    np.testing.assert_allclose(covariance, expected)
    np.testing.assert_array_equal(block_covariance(3, groups=3), np.eye(3))
    weakest = block_covariance(6, groups=2, correlation=-0.5)
    assert np.isfinite(LogisticNormal(0.0, weakest).draw(5, 6, np.random.default_rng(0))).all()


# Words


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1e-300, 1e-12]), min_size=1, max_size=30))
def test_alias_tables_hold_the_very_probabilities(values):
    if max(values) == 0:
        values[0] = 1.0
    topic = np.array([values]) / np.sum(values)
    shares, others = _alias_tables(topic)
    d = topic.shape[1]
    found = shares[0] + np.bincount(others[0], weights=1 - shares[0], minlength=d)
    np.testing.assert_allclose(found / d, topic[0], atol=1e-14)
    assert (shares[0][topic[0] == 0] == 0).all()
    assert (topic[0][others[0][shares[0] < 1]] > 0).all()


def test_words_have_the_frequencies_of_their_topic():
    topics = np.random.default_rng(0).dirichlet(np.full(200, 0.3), 5)
    drawn = synthetic_corpus(topics, 2000, lengths=150, prior=ALONE, random_state=1)
    topic = drawn.weights.argmax(axis=1)
    assert (drawn.weights.max(axis=1) == 1).all()
    for t in range(5):
        observed = drawn.corpus.counts[topic == t].sum(axis=0)
        assert fits(observed, observed.sum() * topics[t])


def test_a_long_document_has_the_frequencies_of_its_mixture():
    topics = np.random.default_rng(0).dirichlet(np.full(50, 0.3), 4)
    drawn = synthetic_corpus(topics, 6, lengths=200_000, prior=0.5, random_state=2)
    for row in range(6):
        observed = drawn.corpus.counts[[row]].toarray()[0]
        assert fits(observed, 200_000 * drawn.weights[row] @ topics)


def test_two_words_of_a_document_come_together_as_topics_do():
    """E[(h hᵀ − diag h) / m(m − 1)] = topicsᵀ · mean(w wᵀ) · topics, if tokens are independent."""
    drawn = synthetic_corpus(TOPICS, 20_000, lengths=7, prior=[0.2, 0.4], random_state=0)
    counts = drawn.corpus.counts.toarray()
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(4, dtype=int)
    found = pairs / (7 * 6)
    error = found.std(axis=0) / np.sqrt(len(counts))
    expected = TOPICS.T @ drawn.correlations @ TOPICS
    assert (np.abs(found.mean(axis=0) - expected) < FIVE_SIGMA * error + 1e-12).all()


def test_counts_vary_between_documents_as_a_multinomial():
    length, n = 30, 20_000
    drawn = synthetic_corpus(TOPICS, n, lengths=length, prior=1e12, random_state=3)
    share = TOPICS.mean(axis=0)
    expected = length * (np.diag(share) - np.outer(share, share))
    variances = np.diag(expected)
    error = np.sqrt((np.outer(variances, variances) + expected**2) / n)
    found = np.cov(drawn.corpus.counts.toarray().T)
    assert (np.abs(found - expected) < FIVE_SIGMA * error).all()


def test_no_topic_of_weight_zero_is_drawn():
    weights = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]]).repeat(300, axis=0)
    keys = np.arange(600, dtype=np.uint64)
    counts = draw_counts(weights, np.eye(3), np.full(600, 40), keys).toarray()
    assert (counts[weights == 0] == 0).all()
    assert (counts[weights > 0] > 0).all()


# Anchors


def test_arora_s_anchors_have_the_probability_of_the_top_word():
    drawn = synthetic_corpus(TOPICS, 5, anchors="top", random_state=0)
    for topic in range(2):
        longer = np.concatenate([TOPICS[topic], np.eye(2)[topic] * TOPICS[topic].max()])
        np.testing.assert_allclose(drawn.topics[topic], longer / longer.sum(), rtol=1e-14)
    assert drawn.anchors.tolist() == [4, 5]
    assert drawn.corpus.vocabulary.tolist() == [
        *("word_0", "word_1", "word_2", "word_3"),
        *("anchor_0", "anchor_1"),
    ]


def test_anchors_of_a_given_probability():
    drawn = synthetic_corpus(TOPICS, 5, anchors=0.005, random_state=0)
    np.testing.assert_array_equal(drawn.topics[:, 4:], 0.005 * np.eye(2))
    np.testing.assert_allclose(drawn.topics[:, :4], 0.995 * TOPICS)


def test_anchors_occur_in_their_topic_alone():
    topics = planted_topics(6, 80, anchor_probability=0.05, random_state=0)
    drawn = synthetic_corpus(topics, 600, prior=ALONE, random_state=0)
    counts = drawn.corpus.counts.toarray()[:, drawn.anchors]
    about = drawn.weights.argmax(axis=1)
    assert (counts[np.arange(6) != about[:, None]] == 0).all()
    per_topic = counts[np.arange(600), about]
    assert abs(per_topic.mean() - 5) < FIVE_SIGMA * np.sqrt(100 * 0.05 * 0.95 / 600)


def test_new_anchors_never_take_the_name_of_a_word():
    words = ["anchor_1", "tea", "_anchor_0", "milk"]
    corpus = synthetic_corpus(TOPICS, 3, anchors="top", vocabulary=words, random_state=0).corpus
    assert corpus.vocabulary.tolist() == [*words, "__anchor_0", "__anchor_1"]


def test_planted_topics_are_separable_and_sum_to_one():
    topics, anchors = planted_topics(20, 2000, random_state=0)
    np.testing.assert_allclose(topics.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(topics[:, anchors], 0.005 * np.eye(20))
    assert len(set(anchors.tolist())) == 20
    again = planted_topics(20, 2000, random_state=0)
    np.testing.assert_array_equal(again.topics, topics)
    np.testing.assert_array_equal(again.anchors, anchors)
    # Σ p² of a Dirichlet with d equal parameters η is (η + 1) / (dη + 1) in the mean.
    rest = np.delete(topics, anchors, axis=1) / 0.995
    assert (rest**2).sum(axis=1).mean() == pytest.approx(1.05 / (1980 * 0.05 + 1), rel=0.15)


def test_known_anchors_are_kept():
    planted = planted_topics(3, 12, random_state=1)
    assert synthetic_corpus(planted, 2).anchors is planted.anchors
    given_places = synthetic_corpus(planted.topics, 2, anchors=planted.anchors.tolist())
    np.testing.assert_array_equal(given_places.anchors, planted.anchors)
    assert synthetic_corpus(planted.topics, 2).anchors is None
    both = synthetic_corpus(planted, 2, anchors="top").anchors
    np.testing.assert_array_equal(both, [12, 13, 14])
