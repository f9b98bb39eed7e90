"""Noised totals of k-means: documents told once are told once, a tiny run, its page."""

import numpy as np
import pytest

import chatham as ch
import noised_totals
from chatham.commons import Simulated
from noised_totals import WAYS, InBatches, Plan, noised, page, scores_planted
from tests.conftest import plant, split


@pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")
def test_every_document_is_in_one_batch():
    counts = plant(n=90, d=30)[0]
    commons = ch.Recorded(Simulated(split(counts, 3), secure=True, exact_totals=True))
    totals = []

    class Kept(InBatches):
        def _topics(self, commons, sums, batches):
            totals.append(sums)
            return super()._topics(commons, sums, batches)

    Kept(4, random_state=0).fit(commons)
    rows = counts.toarray().astype(float)
    norms = np.linalg.norm(rows, axis=1)
    units = rows[norms > 0] / norms[norms > 0, None]
    np.testing.assert_allclose(totals[-1].sum(axis=0), units.sum(axis=0), atol=1e-6)
    steps = [entry.statistic.rsplit(".", 1)[1] for entry in commons.ledger]
    assert steps == ["count_documents", "begin_from_batch", *["add_batch"] * 9, "count_by_topic"]


def test_noise_is_what_the_way_says():
    assert noised(ch.KMeans, 0.1)._noise == 0.1
    assert ch.KMeans._noise == 0.2
    assert {way.exact for way in WAYS if "noise" in way.name} == {False}


@pytest.mark.filterwarnings("ignore:.*were restarted")
def test_a_tiny_run_has_a_row_for_each_way(monkeypatch):
    monkeypatch.setattr(noised_totals, "PLANTED_DOCUMENTS", 150)
    monkeypatch.setattr(noised_totals, "PLANTED_WORDS", 60)
    monkeypatch.setattr(noised_totals, "PLANTED_TOPICS", 3)
    plan = Plan(3, 1)
    corpus = ch.sample_corpus(max_features=300).rows(np.arange(0, 2887, 12))
    together = noised_totals.scores_together(corpus, plan, WAYS[1:3])
    planted = scores_planted(plan, WAYS[:3])
    assert all(0 < row["1 − cosine"] < 1 for row in together)
    assert [row["way"] for row in planted] == ["one topic", "exact totals", "noise of 0.05"]
    assert all(0 < row["ℓ1"] < 2 for row in planted)
    written = page(plan, {"some": together, noised_totals.PLANTED: planted})
    assert written.count("| exact totals |") == 2
    assert "3 parties" in written
