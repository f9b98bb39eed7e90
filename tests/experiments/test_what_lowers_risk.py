"""What lowers the risk: a tiny run has a row for each setting, and what is kept is used again."""

import pytest

import what_lowers_risk
from chatham.audit.intervals import Estimate
from what_lowers_risk import SETTINGS, Plan, Setting, audited, page, row_of, together

pytestmark = pytest.mark.filterwarnings("ignore")

TINY = Plan(documents=2, databases=64, seeds=2)
FEW = Setting("few topics, few words", {"n_components": 2, "max_iter": 1}, "kmeans",
              {"max_features": 200})  # fmt: skip


def test_a_setting_is_audited_and_kept(tmp_path):
    verdicts = [audited(TINY, FEW, seed, tmp_path, 1) for seed in range(2)]
    assert [len(each.documents) for each in verdicts] == [2, 2]
    asked = [{each.document for each in verdict.documents} for verdict in verdicts]
    assert asked[0] != asked[1]
    written = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("batch-*")}
    again = audited(TINY, FEW, 1, tmp_path, 1)
    assert again.to_dict() == verdicts[1].to_dict()
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("batch-*")} == written
    row = row_of(FEW, verdicts)
    assert row[1].endswith("of 4")
    written_page = page(TINY, [row])
    assert "| few topics, few words |" in written_page
    assert "2 audits" in written_page


def test_an_interval_over_seeds_has_all_of_theirs():
    found = together([Estimate(0.6, 0.5, 0.7, 0.95), Estimate(0.8, 0.75, 0.9, 0.95)])
    assert found == Estimate(pytest.approx(0.7), 0.5, 0.9, 0.95)


def test_settings_have_folders_of_their_own_and_parameters_that_exist():
    assert len({each.folder for each in SETTINGS}) == len(SETTINGS)
    known = {*what_lowers_risk.USUAL, "max_iter", "sees", "exact_totals", "privacy"}
    assert {name for each in SETTINGS for name in each.changed} <= known
