"""The experiment on the two designs, on a small scale."""

import numpy as np
import pytest

import chatham as ch
from two_designs import Cases, area, page, rank_correlation, run_both


def test_areas_are_shares_of_pairs():
    values = np.array([1.0, 2.0, 2.0, 3.0])
    assert area(values, np.array([False, False, True, True])) == 3.5 / 4
    assert area(values, np.ones(4, bool)) == 0.5


def test_documents_of_a_group_are_drawn_together():
    databases = [np.arange(40), np.arange(40), np.arange(40, 80)]
    values = [np.random.default_rng(i).normal(size=40) for i in (0, 0, 0)]
    present = [np.arange(40) % 2 == 0] * 3
    drawn = Cases(databases, values, present).drawn_areas(20, 0)
    np.testing.assert_array_equal(drawn[:, 0], drawn[:, 1])
    assert (drawn[:, 0] != drawn[:, 2]).any()


def test_rank_correlation_of_the_same_order_is_one():
    ranked = rank_correlation(np.arange(9.0), np.arange(9.0) ** 3, 0)
    assert ranked.estimate == pytest.approx(1.0)
    assert ranked.low > 0.99


@pytest.mark.filterwarnings("ignore")
def test_both_designs_are_laid_side_by_side(tmp_path):
    corpus = ch.sample_corpus(max_features=200).rows(np.arange(0, 2887, 8))
    both = run_both(corpus, topics=2, size=100, documents=3, an_arm=10, folder=tmp_path, n_jobs=1)
    assert both.coins.plan.design.databases == 20
    assert both.one_by_one.plan.design.databases == 60
    written = page(both, "Some documents.")
    assert written.count("| topic_weights |") == 1
    assert "## topic_weights, document by document" in written
    assert "Algorithm 11: 60 fits; default: 20." in written
    assert (tmp_path / "coins" / "plan.json").exists()
