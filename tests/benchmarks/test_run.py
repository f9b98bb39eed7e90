"""The contests run, are fair in what they report, and make a page; speed itself is not tested."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.contest import Contender, Result, as_markdown, contest
from benchmarks.run import corpora, main, run
from chatham.errors import InputError
from tests.conftest import plant


def test_the_best_try_counts_and_ratios_are_against_the_peer():
    times = {"peer": iter([3.0, 2.0]), "ours": iter([1.0, 4.0])}

    def runner(name):
        return lambda: (next(times[name]), 0.5)

    contenders = [
        Contender("peer", runner("peer"), is_peer=True),
        Contender("ours", runner("ours")),
    ]
    peer, ours = contest("NMF", "corpus", 5, 1, contenders, tries=2)
    assert (peer.seconds, ours.seconds) == (2.0, 1.0)
    assert peer.ratio == 1.0
    assert ours.ratio == 2.0


@pytest.mark.filterwarnings("ignore")
def test_all_contests_on_a_planted_corpus():
    counts = sp.csr_array(plant(n=250, d=50, k=4)[0], dtype=float)
    results = run({"planted": counts}, ["nmf", "plsa", "lda", "fits"], tries=1, topics=[4])
    by_task = {}
    for result in results:
        assert result.seconds > 0
        by_task.setdefault(result.task, {})[(result.threads, result.contender)] = result.quality
    nmf = by_task["NMF"]
    assert nmf[2, "chatham"] == pytest.approx(nmf[2, "scikit-learn cd"], rel=1e-6)
    plsa = by_task["PLSA"]
    reached = plsa[2, "chatham, to the same likelihood"]
    # Ours is less the pseudo-count's share, which matters where documents are few.
    assert reached >= plsa[2, "scikit-learn KL-NMF mu"] - 1e-4
    for (_, contender), quality in by_task["LDA"].items():
        if contender != "tomotopy":
            assert quality == pytest.approx(by_task["LDA"][1, "chatham, exact"], rel=0.02)
            assert quality == pytest.approx(by_task["LDA"].get((1, "tomotopy"), quality), rel=0.02)
    assert all(np.isfinite(quality) for quality in by_task["LDA, whole fits"].values())
    page = as_markdown(results, 1)
    assert page.count("\n## ") == 4
    assert page.count(" M tokens/s |") == len(by_task["LDA"])
    assert all(result.contender in page for result in results)


def test_an_unknown_contest_is_named():
    with pytest.raises(InputError, match="no contest called 'svm'"):
        run({}, ["svm"], 1)


def test_corpora_without_the_real_ones(tmp_path):
    assert list(corpora(None)) == ["bundled sample"]
    with pytest.raises(InputError, match="has neither"):
        corpora(tmp_path)


WRONG = {"no such contest": "nmf,foo", "no contest": ""}


@pytest.mark.parametrize("names", WRONG.values(), ids=WRONG.keys())
def test_used_wrongly_is_2(capsys, names):
    with pytest.raises(SystemExit) as ended:
        main(["--only", names])
    assert ended.value.code == 2
    assert "must name some of nmf, plsa" in capsys.readouterr().err


UNWRITABLE = {
    "in a pseudo file system": "/proc/x.md",
    "onto a folder": "HERE/dir.csv",
    "into nothing": "HERE/no/x.md",
}


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="there is no /proc here")
@pytest.mark.parametrize("place", UNWRITABLE.values(), ids=UNWRITABLE.keys())
def test_a_place_is_checked_before_the_work(monkeypatch, capsys, tmp_path, place):
    def worked(*_):
        pytest.fail("the work began before its place was checked")

    monkeypatch.setattr("benchmarks.run.corpora", worked)
    (tmp_path / "dir.csv").mkdir()
    assert main(["-o", place.replace("HERE", str(tmp_path))]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Error: ")
    assert os.path.basename(place) in shown.err
    assert [path.name for path in tmp_path.iterdir()] == ["dir.csv"]


def test_a_page_keeps_the_sections_that_were_not_run():
    def result(task, seconds):
        return Result(task, "corpus", 5, 1, "ours", seconds, 0.5)

    first = as_markdown([result("NMF", 1.0), result("LDA", 2.0)], 3)
    both = as_markdown([result("LDA", 4.0), result("PLSA", 8.0)], 1, first)
    sections = both.split("\n## ")
    assert [section.split("\n")[0] for section in sections[1:]] == ["NMF", "PLSA", "LDA"]
    assert "Best of 3, at revision" in sections[1]
    assert "| 1.00 |" in sections[1]
    assert "Best of 1, at revision" in sections[3]
    assert "| 4.00 |" in sections[3]
    assert "| 2.00 |" not in both
    assert as_markdown([], 1, both) == both
    assert "in one run" not in both


def test_the_page_that_is_kept_is_as_the_program_writes_it():
    kept = (Path(__file__).parents[2] / "benchmarks" / "results.md").read_text("utf-8")
    assert as_markdown([], 1, kept) == kept


@pytest.mark.filterwarnings("ignore")
def test_a_page_for_people_and_json_for_machines(monkeypatch, capsys, tmp_path):
    counts = sp.csr_array(plant(n=60, d=30, k=3)[0], dtype=float)
    monkeypatch.setattr("benchmarks.run.corpora", lambda folder: {"planted": counts})
    asked = ["--only", "plsa", "--tries", "1", "-k", "3"]
    assert main([*asked, "-o", str(tmp_path / "page.md")]) == 0
    shown = capsys.readouterr()
    assert shown.out == (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| planted | 3 | 2 | chatham, as many iterations |" in shown.out
    assert "plsa, planted, 3 topics, 2 threads" in shown.err
    assert main([*asked, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*asked, "--json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert [result["topics"] for result in results] == [3, 3, 3]
