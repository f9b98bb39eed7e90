"""Topics from noised totals: nearer to the truth than the totals are, and always distributions."""

import numpy as np

from chatham.learners.noised_totals import NOISE, estimated_topics, usual_words, without_empty


def estimated(totals, deviation):
    """Each topic as large as its total."""
    return estimated_topics(totals, totals.sum(axis=1), usual_words(totals.sum(axis=0)), deviation)


def test_totals_without_noise_are_only_divided():
    totals = np.array([[4.0, 2.0, 0.0], [1.0, 1.0, 2.0]])
    expected = totals / totals.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(estimated(totals, 0.0), expected, atol=1e-15)


def test_what_differs_less_than_noise_does_is_as_usual():
    usual = np.array([0.5, 0.3, 0.2])
    noise = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]])
    totals = np.array([100 * usual, 300 * usual]) + noise
    np.testing.assert_allclose(estimated(totals, 1.0), [usual, usual], atol=1e-3)
    totals[0, 2] += 50
    found = estimated(totals, 1.0)
    assert found[0, 2] > 0.3
    assert found[1, 2] < found[0, 2]


def test_totals_of_nothing_but_noise_are_distributions():
    noise = np.random.default_rng(0).normal(size=(6, 40))
    for totals in (noise, np.zeros((2, 5)), -np.ones((2, 5)), np.vstack([noise + 9, -noise - 9])):
        topics = estimated(totals, 1.0)
        assert topics.min() >= 0
        np.testing.assert_allclose(topics.sum(axis=1), 1, atol=1e-12)


def test_estimates_are_nearer_to_the_truth_than_totals_are():
    """Of topics as text has them: most words are about as frequent in one as in another."""
    rng = np.random.default_rng(1)
    usual = rng.dirichlet(np.full(500, 0.5))
    topics = np.array([usual * rng.lognormal(0, 0.3, 500) for _ in range(6)])
    topics[np.arange(6), np.arange(6)] += 0.1
    topics /= topics.sum(axis=1, keepdims=True)
    totals = topics * rng.uniform(200, 900, (6, 1))
    deviation = NOISE * np.sqrt(9)
    heard = totals + deviation * rng.normal(size=totals.shape)
    plain = np.maximum(heard, 0)
    plain /= plain.sum(axis=1, keepdims=True)
    found = estimated(heard, deviation)
    assert np.abs(found - topics).sum() < 0.75 * np.abs(plain - topics).sum()


def test_topics_without_documents_become_variations_of_the_largest():
    topics = np.random.default_rng(0).dirichlet(np.ones(30), 5)
    found = without_empty(topics, np.array([9.0, 0.0, 25.0, 0.0, 16.0]), 3)
    np.testing.assert_allclose(found[[0, 2, 4]], topics[[0, 2, 4]])
    for topic, model in ((1, 2), (3, 4)):
        ratios = found[topic] / topics[model]
        assert ratios.max() / ratios.min() <= 3
        assert ratios.std() > 0.1
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert np.array_equal(found, without_empty(topics, np.array([9.0, 0.0, 25.0, 0.0, 16.0]), 3))
    nothing = without_empty(topics, np.zeros(5), 3)
    assert np.isfinite(nothing).all()
