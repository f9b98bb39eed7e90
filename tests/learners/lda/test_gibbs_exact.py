"""The sampler draws from the distribution that Algorithm 4 is meant to draw from."""

from itertools import product

import numpy as np
from scipy.special import gammaln
from scipy.stats import chisquare

from chatham.learners.documents import Documents
from chatham.learners.lda.gibbs import (
    draw_weights,
    priors_of,
    tokens_of,
)
from chatham.numerics.lanes import LANES, aligned
from tests.learners.lda.samplers import sampler_of

TINY = np.array([[2, 1, 0], [0, 1, 1], [1, 0, 0]])
ALPHA, BETA = np.array([0.3, 0.9]), np.array([0.2, 0.5, 0.1])


def tokens_in(counts):
    """(document, word) of each token, in the order in which the kernels hold them."""
    return [
        (i, j) for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(int(n))
    ]


def log_joint(topics, tokens, alpha, beta):
    """log p(words, topics | alpha, beta), up to what doesn't depend on the topics."""
    by_document = np.zeros((1 + max(i for i, _ in tokens), len(alpha)))
    by_word = np.zeros((len(beta), len(alpha)))
    for topic, (i, j) in zip(topics, tokens, strict=True):
        by_document[i, topic] += 1
        by_word[j, topic] += 1
    return (
        gammaln(by_document + alpha).sum()
        + gammaln(by_word + beta[:, None]).sum()
        - gammaln(by_word.sum(axis=0) + beta.sum()).sum()
    )


def enumerate_states():
    """The probability of every assignment of two topics to the tokens of TINY."""
    tokens = tokens_in(TINY)
    states = list(product(range(2), repeat=len(tokens)))
    log_p = np.array([log_joint(state, tokens, ALPHA, BETA) for state in states])
    p = np.exp(log_p - log_p.max())
    return p / p.sum()


def p_value(samples):
    """How well samples of all tokens' topics agree with the exact distribution."""
    exact = enumerate_states()
    place = samples @ (2 ** np.arange(samples.shape[1])[::-1])
    observed = np.bincount(place, minlength=len(exact))
    return chisquare(observed, exact * len(samples)).pvalue


def compiled_samples(n_samples, thin):
    """The very sweeps that a fit with one holder makes."""
    sampler = sampler_of(Documents(TINY), 2, 1, seed=5, holder=0)
    samples = np.empty((n_samples, len(sampler.tokens.topics)), dtype=int)
    for number in range(-100, n_samples * thin):
        sampler.sweep(sampler.mine.copy(), ALPHA, BETA, number + 200)
        if number >= 0:
            samples[number // thin] = sampler.tokens.topics
    return samples


def plain_samples(n_samples, thin, removes):
    """Algorithm 4 in plain Python; with `removes=False` it forgets to take the token out."""
    rng, tokens = np.random.default_rng(2), tokens_in(TINY)
    topics = rng.integers(2, size=len(tokens))
    by_document, by_word = np.zeros((3, 2)), np.zeros((3, 2))
    for topic, (i, j) in zip(topics, tokens, strict=True):
        by_document[i, topic] += 1
        by_word[j, topic] += 1
    samples = []
    for number in range(n_samples * thin):
        for token, (i, j) in enumerate(tokens):
            by_document[i, topics[token]] -= removes
            by_word[j, topics[token]] -= removes
            first, second = (
                (by_word[j, t] + BETA[j]) / (by_word[:, t].sum() + BETA.sum())
                * (by_document[i, t] + ALPHA[t])
                for t in range(2)
            )  # fmt: skip
            new = int(rng.random() * (first + second) >= first)
            if not removes:
                by_document[i, topics[token]] -= 1
                by_word[j, topics[token]] -= 1
            topics[token] = new
            by_document[i, new] += 1
            by_word[j, new] += 1
        if number % thin == thin - 1:
            samples.append(topics.copy())
    return np.array(samples)


def test_the_sampler_has_the_exact_distribution():
    assert p_value(compiled_samples(8_000, thin=6)) > 0.01


def test_a_plain_sampler_has_the_exact_distribution():
    assert p_value(plain_samples(2_000, thin=5, removes=True)) > 0.01


def test_a_sampler_that_keeps_the_token_in_fails():
    assert p_value(plain_samples(2_000, thin=5, removes=False)) < 1e-6


def test_weights_of_a_new_document_have_the_exact_mean():
    topics = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    counts, alpha = np.array([[2, 1, 2]]), np.array([0.4, 0.8])
    words = [j for _, j in tokens_in(counts)]
    exact, mass = np.zeros(2), 0.0
    for state in product(range(2), repeat=len(words)):
        n = np.bincount(state, minlength=2)
        p = np.exp(gammaln(n + alpha).sum()) * np.prod(topics[list(state), words])
        exact, mass = exact + p * (n + alpha) / (n + alpha).sum(), mass + p
    tokens = tokens_of(Documents(counts), np.zeros(1, np.uint64))
    by_word, weights = aligned(3, 32), np.zeros((1, 2))
    by_word[:, :2] = topics.T
    padded_alpha = priors_of(alpha, 0.0, 32).alpha
    room = aligned(3, 32 + LANES)
    draw_weights(tokens, 0, 1, by_word.ravel(), padded_alpha, 50, 100_000, room, weights, 0)
    np.testing.assert_allclose(weights[0], exact / mass, atol=0.005)
