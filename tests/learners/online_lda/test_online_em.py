"""Online EM: running means against sums over all batches, written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.errors import InputError
from chatham.learners.online_lda import step_size, topics_of
from chatham.learners.online_lda.local_gibbs import Expectations
from chatham.learners.online_lda.online_em import RunningMeans

K, D = 3, 5


def batch_of(rng, documents):
    """Sums over so many documents, whose own numbers are at hand."""
    counts, logs = rng.random((documents, K, D)), -rng.random((documents, K))
    weights = rng.dirichlet(np.ones(K), documents)
    sums = (counts.sum(axis=0), logs.sum(axis=0), weights.sum(axis=0), np.array(0.0))
    return Expectations(*sums), (counts, logs, weights)


def learned(sizes, size, kappa, offset, seed=0):
    rng, means = np.random.default_rng(seed), RunningMeans.of_nothing(K, D)
    everything = []
    for documents in sizes:
        found, single = batch_of(rng, documents)
        means.learn(found, documents, size, kappa, offset)
        everything.append(single)
    return means, [np.concatenate(parts) for parts in zip(*everything, strict=True)]


def document_weights(sizes, size, kappa, offset):
    """How much each document weighs: ρ of its batch, times 1 − ρ of every later one, shared."""
    steps = []
    for documents, seen in zip(sizes, np.cumsum(sizes), strict=True):
        steps.append(min(1.0, documents / size * (seen / size + offset) ** -kappa))
    later = np.cumprod([1.0, *(1 - step for step in steps[:0:-1])])[::-1]
    shares = np.repeat(np.array(steps) * later / sizes, sizes)
    return shares / shares.sum()


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=8),
    st.integers(1, 8), st.floats(0.0, 1.0), st.floats(0.0, 5.0),
)  # fmt: skip
def test_means_are_weighted_averages_of_all_documents(sizes, size, kappa, offset):
    means, (counts, logs, weights) = learned(sizes, size, kappa, offset)
    shares = document_weights(sizes, size, kappa, offset)
    np.testing.assert_allclose(means.counts, np.tensordot(shares, counts, 1), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(means.log_weights, shares @ logs, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(means.weights, shares @ weights, rtol=1e-9, atol=1e-12)
    assert means.evidence == pytest.approx(1 / (shares**2).sum(), rel=1e-9)
    assert means.documents == sum(sizes)


def test_with_kappa_one_all_documents_of_equal_batches_count_the_same():
    means, (counts, *_) = learned([4] * 7, 4, 1.0, 0.0)
    np.testing.assert_allclose(means.counts, counts.mean(axis=0), rtol=1e-12)
    assert means.evidence == pytest.approx(28)
    assert means.mass == 1


def test_the_first_batch_takes_all_whatever_its_step():
    for kappa, offset, documents in ((0.7, 0.0, 4), (0.7, 30.0, 4), (1.0, 2.0, 1)):
        means, (counts, *_) = learned([documents], 4, kappa, offset)
        np.testing.assert_allclose(means.counts, counts.mean(axis=0), rtol=1e-12)


def test_equation_2_where_batches_are_full():
    """s ← (1 − ρ_t) s + ρ_t E[S], with ρ_t = t^−κ."""
    rng, means, wanted = np.random.default_rng(1), RunningMeans.of_nothing(K, D), 0
    for t in range(1, 9):
        found, _ = batch_of(rng, 6)
        means.learn(found, 6, 6, 0.7, 0.0)
        rho = step_size(t, kappa=0.7)
        wanted = (1 - rho) * wanted + rho * found.counts / 6
    np.testing.assert_allclose(means.counts, wanted, rtol=1e-12)


def test_topics_are_smoothed_rows():
    topics = topics_of(np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 2.0]]), 0.5)
    np.testing.assert_allclose(topics, [[3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5], [1 / 7, 1 / 7, 5 / 7]])
    with pytest.raises(InputError, match="Topic 1 has no words"):
        topics_of(np.array([[3.0, 1.0], [0.0, 0.0]]), 0.0)
