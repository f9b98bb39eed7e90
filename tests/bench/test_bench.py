"""The contests run, are fair in what they report, and make a page; speed itself is not tested."""

import numpy as np
import pytest
import scipy.sparse as sp

from chatham.bench.contest import Contender, contest
from chatham.bench.corpora import corpora
from chatham.bench.report import as_markdown
from chatham.bench.run import run
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
    page = as_markdown(results, {"planted": float(counts.sum())}, 1)
    assert page.count("\n## ") == 4
    assert all(result.contender in page for result in results)


def test_an_unknown_contest_is_named():
    with pytest.raises(InputError, match="no contest called 'svm'"):
        run({}, ["svm"], 1)


def test_corpora_without_the_real_ones(tmp_path):
    assert list(corpora(None)) == ["bundled sample"]
    with pytest.raises(InputError, match="has neither"):
        corpora(tmp_path)
