"""LDA's priors, given and learned, and the likelihood that they are learned by."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln, psi

from chatham.learners.lda import LDA
from chatham.numerics.dirichlet import best_scale, digamma, log_likelihood, next_prior
from tests.conftest import plant


@pytest.fixture(scope="module")
def small():
    """Counts, topics and weights of a planted corpus."""
    return plant(n=300, seed=1)


def dirichlet_corpus(alpha, n=1500, length=60, seed=0):
    """Documents whose weights come from Dir(alpha), over topics that share no word."""
    rng = np.random.default_rng(seed)
    topics = np.kron(np.eye(len(alpha)), np.full(8, 1 / 8))
    return np.array([rng.multinomial(length, w @ topics) for w in rng.dirichlet(alpha, n)])


def test_a_planted_asymmetric_alpha_is_learned():
    alpha = np.array([2.0, 0.9, 0.4, 0.15])
    lda = LDA(4, max_iter=400, burn_in=20, random_state=0).fit(dirichlet_corpus(alpha))
    np.testing.assert_allclose(lda.alpha_, alpha, rtol=0.15)


def test_priors_stay_where_they_were_given_unless_learned(small):
    alpha, beta = [0.3, 0.1, 0.2, 0.1, 0.5], np.linspace(0.01, 0.1, 60)
    given_ = LDA(5, alpha=alpha, beta=beta, learn_priors=False, max_iter=20, random_state=0)
    given_.fit(small[0])
    assert sorted(given_.alpha_) == sorted(alpha)
    np.testing.assert_array_equal(given_.beta_, beta)
    learned = LDA(5, alpha=alpha, beta=beta, burn_in=5, max_iter=60, random_state=0).fit(small[0])
    ratio = learned.beta_ / beta
    np.testing.assert_allclose(ratio, ratio[0])
    assert abs(ratio[0] - 1) > 0.01


def test_the_default_alpha_sums_to_five(small):
    lda = LDA(4, learn_priors=False, max_iter=1, random_state=0).fit(small[0])
    np.testing.assert_array_equal(lda.alpha_, 1.25)
    assert lda.beta_ == 0.01


def test_the_fixed_point_has_no_slope_left():
    """Where the fixed point rests, the likelihood's derivative by each alpha is zero."""
    rng, alpha = np.random.default_rng(0), np.ones(3)
    counts = np.array([rng.multinomial(30, w) for w in rng.dirichlet([3, 1, 0.3], 800)])
    for _ in range(2000):
        top = (psi(counts + alpha) - psi(alpha)).sum(axis=0)
        bottom = (psi(30 + alpha.sum()) - psi(alpha.sum())) * len(counts)
        alpha = next_prior(alpha, top, bottom)
    np.testing.assert_allclose(top, bottom, rtol=1e-6)
    np.testing.assert_allclose(alpha, [3, 1, 0.3], rtol=0.15)


def test_the_scale_of_beta_is_the_most_probable_one():
    rng = np.random.default_rng(1)
    topics = rng.dirichlet(np.full(200, 0.05), 30)
    counts = np.array([rng.multinomial(2000, topic) for topic in topics], dtype=np.float32).T
    beta = np.full(200, 0.5)
    scale = best_scale(counts, beta)
    np.testing.assert_allclose(scale * 0.5, 0.05, rtol=0.1)
    best = log_likelihood(counts, beta * scale)
    assert best > log_likelihood(counts, beta * scale * 1.03)
    assert best > log_likelihood(counts, beta * scale / 1.03)


@given(st.floats(1e-8, 1e6))
def test_digamma(x):
    assert digamma(x) == pytest.approx(psi(x), rel=1e-10, abs=1e-10)


def test_log_likelihood_of_words_is_the_plain_formula():
    counts, beta = np.float32([[2, 0], [1, 3], [0, 1]]), np.array([0.5, 0.2, 0.1])
    plain = sum(
        gammaln(0.8) - gammaln(0.8 + column.sum()) + (gammaln(beta + column) - gammaln(beta)).sum()
        for column in counts.T
    )
    assert log_likelihood(counts, beta) == pytest.approx(plain)


def test_the_objective_is_the_joint_likelihood_of_words_and_topics():
    """Over topics that share no word the topics of tokens are known, and so is the objective."""
    counts = dirichlet_corpus([0.5, 0.5], n=60)
    lda = LDA(2, alpha=0.5, beta=1e-8, learn_priors=False, max_iter=60, random_state=0).fit(counts)
    by_word = np.zeros((16, 2), np.float32)
    by_word[:8, 0], by_word[8:, 1] = counts[:, :8].sum(axis=0), counts[:, 8:].sum(axis=0)
    by_document = np.stack([counts[:, :8].sum(axis=1), counts[:, 8:].sum(axis=1)])
    known = log_likelihood(by_word, np.full(16, 1e-8))
    known += log_likelihood(np.float32(by_document), np.full(2, 0.5))
    assert lda.objective_[-1] == pytest.approx(known / counts.sum(), rel=1e-9)


def test_priors_are_not_learned_before_the_burn_in():
    """The last look learns nothing, so with looks at 10, 20 and 30 sweeps only the 20th may."""
    counts = plant(n=60, d=20, k=3)[0]
    alphas = [
        LDA(3, max_iter=30, burn_in=burn_in, random_state=0).fit(counts).alpha_
        for burn_in in (0, 11, 12)
    ]
    assert np.array_equal(alphas[1], alphas[2])  # neither learns at the 10th sweep
    assert not np.array_equal(alphas[0], alphas[1])
