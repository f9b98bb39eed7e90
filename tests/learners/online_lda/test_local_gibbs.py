"""Local Gibbs: expectations of a document equal sums over all assignments of its tokens."""

import math
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln, psi
from scipy.stats import norm

from chatham.errors import InputError
from chatham.learners.documents import Documents
from chatham.learners.online_lda import expected_counts
from chatham.learners.online_lda.local_gibbs import QUANTUM, expectations, expected_weights

TOPICS = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
ALPHA = np.array([0.5, 0.5])
KNOWN = [0, 0, 1, 2]
"""The document of the known answer, as words of its tokens."""


def enumerated(tokens, topics, alpha):
    """p(x), E[S] and E[log θ], by adding up all assignments of the tokens."""
    k, n = len(alpha), len(tokens)
    chance, counts, logs = 0.0, np.zeros(topics.shape), np.zeros(k)
    for assigned in product(range(k), repeat=n):
        sizes = np.bincount(assigned, minlength=k)
        prior = gammaln(alpha.sum()) - gammaln(alpha.sum() + n)
        prior += (gammaln(alpha + sizes) - gammaln(alpha)).sum()
        joint = math.exp(prior) * math.prod(topics[list(assigned), tokens])
        chance += joint
        np.add.at(counts, (list(assigned), tokens), joint)
        logs += joint * (psi(alpha + sizes) - psi(alpha.sum() + n))
    return chance, counts / chance, logs / chance


def row_of(tokens, d):
    return np.bincount(tokens, minlength=d)[None].astype(float)


def check_means(samples, wanted, seeds, fine=0.004):
    """Means over seeds are within their standard errors, all together with chance 1 − 1e-6."""
    samples = np.array(samples).reshape(seeds, -1)
    errors = samples.std(axis=0, ddof=1) / np.sqrt(seeds)
    widest = norm.isf(1e-6 / (2 * samples.shape[1]))
    assert (errors > 0).all()
    assert (errors < fine).all()  # or the test would find no mistake
    assert (np.abs(samples.mean(axis=0) - np.ravel(wanted)) < widest * errors).all()


def test_the_known_answer_by_enumeration():
    chance, counts, _ = enumerated(KNOWN, TOPICS, ALPHA)
    assert chance == pytest.approx(0.009759375, abs=1e-12)
    assert counts[0] == pytest.approx([1.723663, 0.566763, 0.356388], abs=5e-7)


@pytest.mark.parametrize(
    ("tokens", "topics", "alpha"),
    [
        (KNOWN, TOPICS, ALPHA),
        ([0, 1, 1, 2, 2], TOPICS, np.array([0.2, 1.3])),
        (
            [0, 1, 1, 3, 3],
            np.random.default_rng(5).dirichlet(np.full(4, 0.5), 3),
            np.array([0.1, 0.4, 0.9]),
        ),
    ],
)
def test_sampled_expectations_are_the_enumerated_ones(tokens, topics, alpha):
    _, counts, logs = enumerated(tokens, topics, alpha)
    documents, seeds = Documents(row_of(tokens, topics.shape[1])), 60
    found = [expectations(documents, topics, alpha, 1100, 100, seed) for seed in range(seeds)]
    used = np.unique(tokens)
    check_means([each.counts[:, used] for each in found], counts[:, used], seeds)
    check_means([each.log_weights for each in found], logs, seeds, fine=0.025)


@pytest.mark.parametrize("tokens", [KNOWN, [0, 1, 2], [1, 1]])
def test_how_well_tokens_predict_each_other_is_the_enumerated_probability(tokens):
    whole = enumerated(tokens, TOPICS, ALPHA)[0]
    wanted = sum(
        math.log(whole / enumerated(tokens[:i] + tokens[i + 1 :], TOPICS, ALPHA)[0])
        for i in range(len(tokens))
    )
    documents = Documents(row_of(tokens, 3))
    found = [
        expectations(documents, TOPICS, ALPHA, 4100, 100, seed).log_likelihood for seed in range(60)
    ]
    check_means(found, wanted, 60)


def test_a_document_s_weights_are_the_enumerated_ones():
    counts = enumerated(KNOWN, TOPICS, ALPHA)[1]
    documents = Documents(np.vstack([row_of(KNOWN, 3), np.zeros((1, 3))]))
    found = [expected_weights(documents, TOPICS, ALPHA, 600, 100, seed) for seed in range(60)]
    check_means([each[0] for each in found], (counts.sum(axis=1) + ALPHA) / 5, 60)
    assert (found[0][1] == 0.5).all()  # of nothing, the prior


def test_a_single_token_needs_no_sampling():
    found = expectations(Documents([[0, 1, 0]]), TOPICS, ALPHA, 3, 1, 0)
    assert found.counts[:, 1] == pytest.approx([0.4, 0.6], abs=1e-6)
    assert found.log_likelihood == pytest.approx(math.log(0.25), abs=1e-5)


def documents_at_random(n=300, d=50, k=4, seed=0):
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(d, 0.1), k) * (1 - 1e-6) + 1e-6 / d
    return sp.csr_array(rng.poisson(0.4, (n, d)).astype(float)), topics, np.full(k, 0.3)


def test_split_order_and_threads_change_no_bit():
    counts, topics, alpha = documents_at_random(2000)
    draws = {"sweeps": 6, "burn_in": 2, "seed": 7}
    together = expected_counts(counts, topics, alpha, **draws)
    parts = [counts[:3], counts[3:700], counts[700:], counts[:0]]
    apart = sum(expected_counts(part, topics, alpha, **draws) for part in parts)
    assert together.tobytes() == apart.tobytes()
    shuffled = counts[np.random.default_rng(1).permutation(2000)]
    assert together.tobytes() == expected_counts(shuffled, topics, alpha, **draws).tobytes()
    threaded = expected_counts(counts, topics, alpha, n_jobs=3, **draws)
    assert together.tobytes() == threaded.tobytes()
    other = expected_counts(counts, topics, alpha, **draws | {"seed": 8})
    assert not np.array_equal(together, other)


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 5), st.floats(0.01, 5))
def test_every_token_is_expected_in_some_topic(seed, k, sweeps, concentration):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.5, (12, 9)) + rng.integers(0, 2, (12, 9)) * 0.25
    topics = rng.dirichlet(np.full(9, 0.5), k) * 0.99 + 0.01 / 9
    alpha = np.full(k, concentration)
    found = expected_counts(counts, topics, alpha, sweeps=sweeps, burn_in=sweeps - 1, seed=seed)
    assert found.min() >= 0
    np.testing.assert_allclose(found.sum(axis=0), counts.sum(axis=0), rtol=2e-6, atol=1e-6)
    assert (found / QUANTUM == np.rint(found / QUANTUM)).all()


def test_a_fractional_token_weighs_as_much_as_it_is():
    """One token of weight w alone: its topic is as likely as that of a whole one."""
    found = expected_counts([[0, 0.3, 0]], TOPICS, ALPHA, sweeps=2, burn_in=0, seed=0)
    assert found[:, 1] == pytest.approx([0.3 * 0.4, 0.3 * 0.6], abs=1e-6)


def test_empty_documents_add_nothing():
    found = expectations(Documents(np.zeros((3, 3))), TOPICS, ALPHA, 2, 1, 0)
    assert not found.counts.any()
    assert not found.log_weights.any()
    assert found.log_likelihood == 0


def test_bad_sweeps_and_unreachable_words_are_refused():
    with pytest.raises(InputError, match="Of 3 sweeps, 3 are to be discarded"):
        expected_counts([[1, 1, 1]], TOPICS, ALPHA, sweeps=3, burn_in=3, seed=0)
    topics = np.array([[0.5, 0.5, 0.0], [0.1, 0.9, 0.0]])
    with pytest.raises(InputError, match="Word 2 occurs"):
        expected_counts([[1, 1, 1]], topics, ALPHA, sweeps=3, burn_in=1, seed=0)
