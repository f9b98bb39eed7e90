"""Every learner is audited end to end, as a model and as a transcript; counts alone are enough."""

import json
import re

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.audit.report import as_html, as_json
from chatham.audit.sizes import carry_out_sizes, prepare_sizes
from tests.audit.test_uplift import planted

pytestmark = pytest.mark.filterwarnings("ignore")

LEARNERS = {
    "kmeans": {"max_iter": 3},
    "nmf": {"max_iter": 3},
    "plsa": {"max_iter": 5},
    "lda": {"max_iter": 5},
    "svd": {},
    "anchor": {"refine": 0, "max_iter": 5, "exact_totals": True},
}
"""Anchor words refuse so few documents unless all know that totals are exact."""
ASKED = {"n_components": 3, "party_size": 0.5, "documents": ["3", "7"], "databases": 64}


@pytest.mark.parametrize("sees", ["model", "transcript"])
@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_every_learner_is_audited(name, sees):
    counts = planted(n=120, d=40)
    verdict = ch.audit(counts, name, sees=sees, **ASKED, **LEARNERS[name])
    assert {each.document for each in verdict.documents} == {"3", "7"}
    assert all(0 <= each.right.low <= each.right.high <= 1 for each in verdict.documents)
    assert ("totals of all rounds" in verdict.adversary) == (sees == "transcript")
    json.dumps(verdict.to_dict(), allow_nan=False)


@pytest.mark.parametrize("name", ["kmeans", "svd"])
def test_a_decision_has_all_parts_for_distributions_and_directions(name):
    decision = ch.audit.decide(planted(n=120, d=40), name, **ASKED, **LEARNERS[name])
    measures = [gain.measure for gain in decision.uplift.gains]
    assert measures == (["explained"] if name == "svd" else ["completion", "npmi"])
    assert (decision.crossing.small_counts.small_topics is None) == (name == "svd")
    told = json.loads(as_json(decision))
    assert told["rebuilding"]["sessions"][0]["documents"] == decision.size == 60
    assert "What you would gain" in as_html(decision)


def test_what_cannot_be_gained_is_said():
    counts = planted(n=40, d=20)
    decision = ch.audit.decide(counts, "kmeans", **{**ASKED, "party_size": 0.95}, max_iter=2)
    assert decision.uplift is not None
    rows = sp.vstack([counts[:30]] * 4, format="csr")
    without = ch.audit.decide(rows, "kmeans", uplift=False, **ASKED, max_iter=2)
    assert without.uplift is None
    assert without.gain_in_words == "It wasn't measured."


def test_counts_and_words_in_files_are_enough(tmp_path):
    """UCI's docword and a matrix with its vocabulary, read as any corpus is; no word is told."""
    counts = planted(n=120, d=40).astype(int)
    words = [f"marker{i:02d}x" for i in range(40)]
    sp.save_npz(tmp_path / "bags.npz", sp.csr_matrix(counts))
    (tmp_path / "bags.vocab.txt").write_text("\n".join(words) + "\n")
    cells = sp.coo_array(counts)
    lines = [f"{i + 1} {j + 1} {n}" for i, j, n in zip(*cells.coords, cells.data, strict=True)]
    (tmp_path / "docword.bags.txt").write_text("\n".join(["120", "40", str(cells.nnz), *lines]))
    (tmp_path / "vocab.bags.txt").write_text("\n".join(words) + "\n")
    found = []
    for file in ("bags.npz", "docword.bags.txt"):
        corpus = ch.read_corpus(tmp_path / file, min_df=1, max_df=1.0, stop_words=None)
        asked = {**ASKED, "documents": 2, "max_iter": 2}
        decision = ch.audit.decide(corpus, "kmeans", uplift=False, **asked)
        page = as_html(decision) + as_json(decision)
        assert not re.search(r"marker\d\dx", page)
        found.append(decision.verdict)
    assert [each.right for each in found[0].documents] == [
        each.right for each in found[1].documents
    ]


def test_sizes_ask_about_the_same_documents_and_the_smallest_comes_first(tmp_path):
    counts = planted(n=120, d=40)
    asked = {**ASKED, "documents": 3, "max_iter": 2}
    del asked["party_size"]
    audits = prepare_sizes(counts, "kmeans", [0.6, 0.2, 0.6], **asked)
    assert [each.size for each in audits] == [24, 72]
    assert audits[0].ids == audits[1].ids
    sizes = carry_out_sizes(audits, tmp_path, uplift=False)
    table = sizes.table()
    assert table["documents"].tolist() == [24, 72]
    assert (table["auc_low"] <= table["auc"]).all()
    assert (table["auc"] <= table["auc_high"]).all()
    for decision, row in zip(sizes.decisions, table.itertuples(), strict=True):
        assert row.auc == decision.verdict.pooled.auc.estimate
        assert row.exposed == len(decision.verdict.exposed)
    assert set(sizes.exposed) <= set(audits[0].ids)
    assert np.isfinite(table[["recognised_low", "recognised_high"]].to_numpy()).all()
    again = carry_out_sizes(audits, tmp_path, uplift=False)
    assert again.to_dict() == sizes.to_dict()
