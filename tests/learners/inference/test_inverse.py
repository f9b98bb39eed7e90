"""The left inverse with the smallest entries: its constraints, its size by another programme."""

import numpy as np
import pytest
from scipy.optimize import linprog

from chatham.errors import InputError
from chatham.learners.inference import left_inverse
from chatham.numerics.threads import threads


def some_topics(k=5, d=40, seed=0):
    return np.random.default_rng(seed).dirichlet(np.full(d, 0.3), k)


def largest_entry(topics, delta, topic):
    """λ by the dual programme: the greatest y_k − δ‖y‖₁ with ‖By‖₁ ≤ 1."""
    k, d = topics.shape
    own = np.zeros(k)
    own[topic] = 1.0
    # y = plus − minus, |By| ≤ sizes, Σ sizes ≤ 1
    costs = np.concatenate([delta - own, delta + own, np.zeros(d)])
    by = np.hstack([topics.T, -topics.T])
    above = np.vstack(
        [
            np.hstack([by, -np.eye(d)]),
            np.hstack([-by, -np.eye(d)]),
            np.concatenate([np.zeros(2 * k), np.ones(d)])[None],
        ]
    )
    right = np.append(np.zeros(2 * d), 1.0)
    return -linprog(costs, A_ub=above, b_ub=right, bounds=(0, None)).fun


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("delta", [0.0, 0.01, 0.2])
def test_each_row_is_as_small_as_can_be_within_its_bias(seed, delta):
    topics = some_topics(seed=seed)
    inverse = left_inverse(topics, delta)
    assert np.abs(inverse @ topics.T - np.eye(5)).max() <= delta + 1e-9
    expected = [largest_entry(topics, delta, topic) for topic in range(5)]
    assert np.abs(inverse).max(axis=1) == pytest.approx(expected, rel=1e-7)


def test_without_bias_it_is_an_inverse_to_the_last_digits():
    topics = some_topics(k=20, d=300, seed=1)
    assert np.abs(left_inverse(topics) @ topics.T - np.eye(20)).max() < 1e-12


def test_entries_are_smaller_than_those_of_the_pseudo_inverse():
    topics = some_topics()
    assert np.abs(left_inverse(topics)).max() < 0.9 * np.abs(np.linalg.pinv(topics.T)).max()


def test_words_that_no_topic_utters_have_zeros():
    topics = np.insert(some_topics(), 7, 0.0, axis=1)
    inverse = left_inverse(topics)
    assert (inverse[:, 7] == 0).all()
    assert np.delete(inverse, 7, axis=1) == pytest.approx(left_inverse(some_topics()), abs=1e-12)


def test_one_topic():
    topics = some_topics(k=1)
    inverse = left_inverse(topics)
    assert (inverse @ topics.T).item() == pytest.approx(1.0, abs=1e-14)
    assert inverse.max() == pytest.approx(1.0, abs=1e-9)


def test_topics_that_are_alike_have_none():
    topics = some_topics()
    topics[3] = topics[0]
    with pytest.raises(InputError, match="Topic 0 is nearly a mixture of the other 4 topics"):
        left_inverse(topics)
    mixed = some_topics()
    mixed[2] = (mixed[0] + mixed[1]) / 2
    with pytest.raises(InputError, match="'tli'"):
        left_inverse(mixed)


def test_alike_topics_have_one_with_enough_bias():
    topics = some_topics()
    topics[3] = topics[0]
    inverse = left_inverse(topics, 0.6)
    assert np.abs(inverse @ topics.T - np.eye(5)).max() <= 0.6 + 1e-9


@pytest.mark.parametrize("delta", [-0.1, 1.0, np.nan, "a", None])
def test_a_bias_that_means_nothing_is_refused(delta):
    with pytest.raises(InputError, match="delta="):
        left_inverse(some_topics(), delta)


def test_threads_change_nothing():
    with threads(1):
        one = left_inverse(some_topics())
    with threads(3):
        assert np.array_equal(left_inverse(some_topics()), one)
