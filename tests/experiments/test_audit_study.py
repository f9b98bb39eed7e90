"""The audit's experiments on a small scale: planted leaks are found, runs go on where they were."""

import doctest
import json

import numpy as np
import pytest
import scipy.sparse as sp

import audit_learners
import ksdp_nmf
import ksdp_svd
import private_learning
from audit_study import options, runs, tested, words
from audit_study.documents import Audited
from audit_study.runs import COINS, ONE_BY_ONE, Cell, Runner
from audit_study.tested import mean_of
from chatham.audit.mechanisms import FitMechanism
from tests.audit.toys import Constant, Database, bags

pytestmark = pytest.mark.filterwarnings("ignore")


def corpus(n=240, d=30, seed=0):
    owners = tuple("abcd"[each % 4] if each % 3 else "e" for each in range(n))
    return Audited("made", bags(n, d, seed=seed), owners)


def cell(mechanism, design=COINS, **more):
    made = corpus()
    asked = {"what": type(mechanism).__name__, "design": design, **more}
    return Cell(asked, mechanism, made.counts, made.targets(3), 60, 64, design)


@pytest.mark.parametrize("module", [words, audit_learners, private_learning])
def test_examples_are_right(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("design", [COINS, ONE_BY_ONE])
def test_one_that_tells_nothing_and_one_that_tells_all(design, tmp_path):
    runner = Runner(tmp_path)
    nothing = tested.tested(runner.run(cell(Constant(), design)).samples)
    assert (nothing.p == 1).all()
    assert nothing.exposed.estimate == 0
    ran = runner.run(cell(Database(), design))
    everything = tested.tested(ran.samples)
    assert everything.exposed.estimate == 1
    assert everything.least.max() < 1e-8
    risk, right = tested.attacked(ran.samples)
    assert risk.auc.estimate > 0.99
    assert tested.median_right(right).low > 0.8


def test_p_values_of_fewer_statistics_and_after_correction():
    found = tested.Tested(("a", "b"), np.array([[0.01, 0.5], [0.4, 0.02]]))
    assert found.least.tolist() == [0.01, 0.02]
    assert found.only(["b", "unknown"]).least.tolist() == [0.5, 0.02]
    assert found.corrected == pytest.approx([0.04, 0.06])
    assert (found.exposed.estimate, found.only(["b"]).exposed.estimate) == (0.5, 0.5)


def test_a_mean_over_documents_has_an_interval():
    each = mean_of(np.random.default_rng(1).random(400))
    assert each.low < 0.5 < each.high
    assert each.high - each.low == pytest.approx(2 * 1.96 * np.sqrt(1 / 12 / 400), rel=0.15)


def test_a_run_goes_on_where_it_was(tmp_path):
    asked = cell(Database())
    runner, later = Runner(tmp_path), Runner(tmp_path, finished=True)
    assert later.run_all([asked]) == []
    first = runner.run(asked)
    files = sorted((tmp_path / asked.folder).glob("batch-*"))
    before = [file.read_bytes() for file in files]
    files[1].unlink()
    assert later.run_all([asked]) == []
    assert "Database, coin flips" in runs.unfinished([asked], [])
    assert runs.unfinished([asked], [first]) == ""
    again = runner.run(asked)
    assert [file.read_bytes() for file in files] == before
    assert again.seconds > first.seconds > 0
    assert len(later.run_all([asked])) == 1
    taken = json.loads((tmp_path / asked.folder / "taken.json").read_text("utf-8"))
    assert taken["processes"] == 1


def test_the_coalitions_rows_are_nobody_elses():
    made = corpus()
    targets = made.targets(5)
    own = ksdp_svd.coalition(made, targets, 80)
    counts, among = runs.without(made.counts, own, targets)
    assert not set(own) & set(targets)
    assert counts.shape[0] == 160
    assert (counts[among] != made.counts[targets]).nnz == 0
    assert len(ksdp_svd.coalition(made, targets, 200)) == 35


def test_rows_of_unit_length():
    rows = corpus().of_unit_length().counts.toarray()
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(240))


SMALL = ksdp_nmf.Plan(
    shares=(0.1, 0.6), topics=(2,), noised=(0.6,), own_start=(0.6,), one_by_one=0.6, rarer=0.6,
    documents=2, users=1, one_by_one_documents=1, databases=64, iterations=5, rating_iterations=2,
)  # fmt: skip


def test_nmf_by_party_size(tmp_path, monkeypatch):
    films = Audited("films", sp.csr_array(np.minimum(corpus(200, 12).counts.toarray(), 5)), ())
    monkeypatch.setattr(ksdp_nmf, "read_documents", lambda data, name, min_df: corpus())
    monkeypatch.setattr(ksdp_nmf, "read_films", lambda data: films)
    assert ksdp_nmf.run(SMALL, tmp_path, Runner(tmp_path / "kept"), tmp_path / "out") == 0
    page = (tmp_path / "out" / "ksdp_nmf.md").read_text("utf-8")
    assert "nan" not in page
    assert page.count("| 10 % | 24 | 2 |") == page.count("| 10 % | 20 | 2 |") == 3
    assert "log p correlates by" in page
    again = tmp_path / "again"
    assert ksdp_nmf.run(SMALL, tmp_path, Runner(tmp_path / "kept", finished=True), again) == 0
    for file in again.iterdir():
        assert file.read_bytes() == (tmp_path / "out" / file.name).read_bytes()


def test_hidden_and_revealed_singular_values(tmp_path, monkeypatch):
    monkeypatch.setattr(ksdp_svd, "read_documents", lambda data, name, min_df: corpus())
    plan = ksdp_svd.Plan(
        shares=(0.1, 0.3), k=2, others_k=(3,), others_bits=(59,), beside=0.3, documents=1,
        databases=64, passes=3,
    )  # fmt: skip
    assert ksdp_svd.run(plan, None, Runner(tmp_path / "kept"), tmp_path) == 0
    page = (tmp_path / "ksdp_svd.md").read_text("utf-8")
    assert "nan" not in page
    assert page.count("Σ hidden |") == page.count("Σ revealed |") == 2 + 4 + 2
    made = corpus().of_unit_length()
    for kind, scale in ((ksdp_svd.HIDDEN, False), (ksdp_svd.REVEALED, True)):
        each = ksdp_svd._cell(plan, made, kind, 0.3, 2, 31, ksdp_svd.EXACT)
        seen = each.mechanism(each.counts[:72], 0)
        everything = np.vstack([each.mechanism.own[0].toarray(), each.counts[:72].toarray()])
        truth = np.linalg.svd(everything, compute_uv=False)[:2] ** 2
        assert bool(np.allclose(seen.squares, truth, rtol=1e-4)) == scale


def test_learners_between_newsrooms(tmp_path, monkeypatch):
    monkeypatch.setattr(audit_learners, "read_documents", lambda data, name, min_df: corpus(400))
    chosen = {
        name: each for name, each in audit_learners.learners(audit_learners.Plan(topics=2)).items()
        if name in ("NMF", "SVD")
    }  # fmt: skip
    monkeypatch.setattr(audit_learners, "learners", lambda plan: chosen)
    plan = audit_learners.Plan(topics=2, documents=2, databases=64, seeds=1, own_each=10)
    assert audit_learners.run(plan, None, Runner(tmp_path / "kept"), tmp_path) == 0
    page = (tmp_path / "audit_learners.md").read_text("utf-8")
    assert page.count("| NMF |") == page.count("| SVD |") == 4
    assert "nan" not in page
    parties = audit_learners.parties_of(corpus(400), plan, 0)
    owners = np.array(corpus(400).owners)
    assert set(owners[parties.pool]) == set(parties.honest)
    assert [len(rows) for rows in parties.own] == [10, 10, 10]
    assert not set(parties.pool) & set(np.concatenate(parties.own))


def test_an_adversary_that_sees_the_model_has_no_statistics_of_totals(tmp_path):
    learner = audit_learners.learners(audit_learners.Plan(topics=2))["NMF"]
    ran = Runner(tmp_path).run(cell(FitMechanism(learner, sees="transcript", exact_totals=True)))
    narrow = audit_learners.OfModel(ran.samples.plan, ran.samples.contents)
    assert "change_max" in ran.samples.statistics
    assert set(narrow.statistics) < set(ran.samples.statistics)
    assert "change_max" not in narrow.statistics
    first = ran.samples.records(["topic_weights"]).values
    np.testing.assert_array_equal(first, narrow.records(["topic_weights"]).values)


def test_a_fit_that_a_party_refuses_is_told(tmp_path):
    anchors = audit_learners.learners(audit_learners.Plan(topics=2))["anchor words"]
    cells = [cell(FitMechanism(anchors, others=2)), cell(Constant())]
    found, refused = audit_learners.run_willing(cells, Runner(tmp_path))
    assert [each.cell for each in found] == cells[1:]
    assert [each for each, _ in refused] == cells[:1]
    assert "## Refused" in audit_learners.said(refused)
    assert audit_learners.said([]) == ""


def test_without_noise_a_common_model_is_the_pooled_one(tmp_path):
    plan = private_learning.Plan(k=2, epsilons=(), parties=4, seeds=2)
    records = private_learning.Records(tmp_path / "kept.jsonl")
    for what in (private_learning.NMF, private_learning.SVD):
        made = corpus().of_unit_length() if what == private_learning.SVD else corpus()
        found = private_learning.study(plan, what, made, records)
        assert len(found) == 4
        exact = next(r for r in found if r["noise"] == private_learning.NOTHING)
        members = private_learning.of_sizes(240, ((0.25, 4),), 0)
        pooled = private_learning.fitted(
            what, plan, 0, made.counts[np.concatenate([each.train for each in members])]
        )
        for error, member in zip(exact["together"], members, strict=True):
            expected = private_learning.error_of(what, pooled, made.counts[member.test])
            assert error == pytest.approx(expected, abs=1e-4)
        assert "nan" not in private_learning.page(plan, found)
    rows = made.counts[members[0].test].toarray()
    left = np.linalg.norm(rows - rows @ pooled.components_.T @ pooled.components_)
    assert private_learning.error_of(
        private_learning.SVD, pooled, made.counts[members[0].test]
    ) == (pytest.approx(left))


def test_what_is_used_wrongly_is_said(tmp_path, capsys):
    assert ksdp_nmf.main(["--data", str(tmp_path)]) == 1
    assert "lacks enron_ham.parquet" in capsys.readouterr().err
    for main in (ksdp_nmf.main, ksdp_svd.main, audit_learners.main):
        with pytest.raises(SystemExit) as stopped:
            main(["--databases", "10"])
        assert stopped.value.code == 2
        assert f"at least {options.LEAST_DATABASES}" in capsys.readouterr().err
