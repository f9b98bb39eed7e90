"""The spectral solution: shares where nothing was rectified, and what is kept in memory."""

import tracemalloc

import numpy as np
import pytest

import chatham as ch
from chatham.learners.anchor.refine import sweep_documents
from tests.conftest import plant

SETTINGS = {"refine": 0, "min_anchor_df": 0.02, "random_state": 0}


def bursty(n=600, d=40, k=4, seed=0):
    """Documents in which what was said once is said again: the diagonal of C is too large."""
    counts, topics, weights = plant(n=n, d=d, k=k, seed=seed, length=40)
    rng = np.random.default_rng(seed)
    rows = counts.toarray()
    often = rng.permutation(d)[: d // 2]
    rows[:, often] *= rng.integers(1, 6, (n, d // 2))
    return rows, topics, weights


@pytest.mark.parametrize("recover", ["admm", "l2", "kl"])
def test_shares_are_by_bayes_rule_where_nothing_was_rectified(recover):
    rows, _, _ = bursty()
    model = ch.AnchorWords(
        4, rectify="none", recover=recover, keep_cooccurrence=True, **SETTINGS
    ).fit(rows)
    by_rows = model.correlations_.sum(axis=1) / model.correlations_.sum()
    assert np.abs(by_rows - model.prevalence_).max() > 0.01
    unigram = model.cooccurrence_.sum(axis=1)
    np.testing.assert_allclose(model.prevalence_ @ model.components_, unigram, atol=1e-12)
    assert np.abs(by_rows @ model.components_ - unigram).max() > 1e-3


def test_they_are_nearer_to_the_truth():
    errors = []
    for seed in range(5):
        rows, topics, weights = bursty(seed=seed)
        model = ch.AnchorWords(4, rectify="none", mean_over="documents", **SETTINGS).fit(rows)
        own = np.abs(model.components_[:, None] - topics[None]).sum(axis=2).argmin(axis=1)
        by_rows = model.correlations_.sum(axis=1) / model.correlations_.sum()
        truth = weights.mean(axis=0)[own]
        errors.append([np.abs(shares - truth).sum() for shares in (model.prevalence_, by_rows)])
    by_bayes, by_rows = np.mean(errors, axis=0)
    assert by_bayes < 0.8 * by_rows


@pytest.mark.parametrize(
    "settings", [{}, {"rectify": "diagonal"}, {"rectify": "none", "recover": "inverse"}], ids=str
)
def test_elsewhere_they_are_the_sums_of_the_correlations(settings):
    model = ch.AnchorWords(5, **settings, **SETTINGS).fit(plant()[0])
    sums = model.correlations_.sum(axis=1)
    np.testing.assert_allclose(model.prevalence_, sums / sums.sum(), rtol=1e-12)


class Watching(ch.Alone):
    """Notes how much memory there is in use when the documents are swept."""

    seen = 0

    def _total(self, step, shared, precision):
        if step is sweep_documents:
            self.seen = max(self.seen, tracemalloc.get_traced_memory()[0])
        return super()._total(step, shared, precision)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("rectify", ["alternating", "none"])
def test_no_co_occurrence_is_in_memory_when_documents_are_swept(rectify, keep):
    d = 600
    rows = Watching(plant(n=60, d=d, k=3)[0])
    tracemalloc.start()
    try:
        model = ch.AnchorWords(
            3, rectify=rectify, refine=1, keep_cooccurrence=keep, precision="double"
        ).fit(rows)
    finally:
        tracemalloc.stop()
    size = 8 * d * d
    assert (0.9 * size < rows.seen < 1.9 * size) if keep else rows.seen < 0.9 * size
    assert hasattr(model, "cooccurrence_") == keep
