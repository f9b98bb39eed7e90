"""The prior that makes weights most probable, from the means of their logarithms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import psi

from chatham.numerics.dirichlet import SMALLEST, most_likely_prior

PRIORS = st.lists(st.floats(1e-3, 100.0), min_size=2, max_size=30)


@given(PRIORS, st.floats(0.01, 10.0))
def test_it_solves_its_equation_from_any_start(prior, start):
    prior = np.array(prior)
    means = psi(prior) - psi(prior.sum())
    found = most_likely_prior(means, np.full(len(prior), start))
    np.testing.assert_allclose(found, prior, rtol=1e-5)


def test_of_drawn_weights_it_is_the_prior_that_drew_them():
    prior, n = np.array([0.2, 1.0, 4.0]), 20_000
    logs = np.log(np.random.default_rng(0).dirichlet(prior, n))
    found = most_likely_prior(logs.mean(axis=0), np.ones(3))
    # The maximum's standard errors are the inverse of n times the Fisher information.
    information = n * (np.diag(psi_prime(prior)) - psi_prime(prior.sum()))
    errors = np.sqrt(np.diag(np.linalg.inv(information)))
    assert (np.abs(found - prior) < 5 * errors).all()


def psi_prime(x):
    from scipy.special import polygamma

    return polygamma(1, x)


def test_one_topic_needs_none_and_a_dead_one_stays_above_zero():
    assert most_likely_prior(np.zeros(1), np.array([0.7])).tolist() == [0.7]
    found = most_likely_prior(np.array([-1e9, -0.7, -0.7]), np.ones(3))
    assert found.min() >= SMALLEST
    assert np.isfinite(found).all()
    assert found[1] == pytest.approx(found[2])
