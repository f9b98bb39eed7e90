"""Leaving documents out: both audits ask about the same ones, and differences have intervals."""

import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.audit.auditing import prepare
from chatham.audit.excluding import compare, difference_of, folder_without, prepare_without
from chatham.audit.intervals import Estimate
from chatham.audit.two_sample import holm
from chatham.errors import InputError
from tests.audit.toys import bags

pytestmark = pytest.mark.filterwarnings("ignore")

ASKED = {
    "n_components": 3, "party_size": 0.35, "databases": 64, "max_iter": 10, "exact_totals": True,
    "documents": ["letter-5", "letter-6", "letter-70"],
}  # fmt: skip


def two_alike(n=120, d=30):
    """Two documents of the same words, which no other has: each hides the other."""
    counts = bags(n, d=d).toarray()
    counts[:, :3] = 0
    counts[[5, 6]] = 0
    counts[5, :3] = [200, 180, 160]
    counts[6, :3] = [190, 190, 150]
    ids = [f"letter-{row}" for row in range(n)]
    return ch.Corpus(sp.csr_array(counts), [f"word{i:02d}" for i in range(d)], ids)


def test_leaving_out_the_one_that_hid_it_exposes_the_other_more():
    corpus = two_alike()
    before = prepare(corpus, "nmf", weighting="counts", **ASKED)
    after = prepare_without(before, corpus, "nmf", ["letter-5"], weighting="counts", **ASKED)
    assert after.ids == ("letter-6", "letter-70")
    assert "letter-5" not in after.corpus.ids
    assert len(after.corpus) == 119
    found = compare(before, after.run(), ["letter-5"])
    assert {each.document for each in found.before.documents} == set(after.ids)
    change = {each.document: each for each in found.changes}["letter-6"]
    assert change.difference.estimate > 0.1
    assert found.more_exposed == ("letter-6",)
    assert found.auc.estimate > 0
    assert "1 document left out" in found.in_words
    assert found.to_dict()["more_exposed"] == ["letter-6"]


def test_judging_only_some_corrects_for_these_alone():
    corpus = two_alike()
    prepared = prepare(corpus, "nmf", weighting="counts", **ASKED)
    everything, some = prepared.run(), prepared.run(only={"letter-70"})
    [one] = some.documents
    same = next(each for each in everything.documents if each.document == "letter-70")
    assert (one.right, one.p) == (same.right, same.p)
    alone = holm([[finding.p for finding in one.findings]])
    assert [finding.p_holm for finding in one.findings] == pytest.approx(alone[0].tolist())


def test_idf_is_that_of_documents_that_remain():
    corpus = two_alike()
    whole = prepare(corpus, "nmf", **ASKED)
    less = prepare_without(whole, corpus, "nmf", ["letter-5", "letter-6"], **ASKED)
    kept = [row for row in range(120) if row not in (5, 6)]
    read = prepare(corpus.rows(kept), "nmf", **{**ASKED, "documents": ["letter-70"]})
    assert (less.corpus.rows != read.corpus.rows).nnz == 0
    assert not (less.corpus.scale == whole.corpus.scale).all()


def test_a_coalition_stays_the_same_and_rows_of_a_matrix_keep_their_numbers():
    counts = bags(120)
    asked = {**ASKED, "documents": ["3", "4"], "colluding": 0.25}
    before = prepare(counts, "nmf", **asked)
    gone = [before.corpus.ids[before.own[0]], "3"]
    after = prepare_without(before, counts, "nmf", gone, **asked)
    assert after.ids == ("4",)
    own = [[each.corpus.ids[row] for row in each.own] for each in (before, after)]
    assert own[1] == own[0][1:]
    rows = after.corpus.rows[[after.corpus.ids.index("4")]]
    assert (rows != counts[[4]]).nnz == 0


def test_nothing_left_or_nothing_known_is_refused():
    corpus = two_alike()
    before = prepare(corpus, "nmf", **ASKED)
    with pytest.raises(InputError, match="All 3 documents in question are left out"):
        prepare_without(before, corpus, "nmf", ASKED["documents"], **ASKED)
    with pytest.raises(InputError, match="no document 'letter-500'"):
        prepare_without(before, corpus, "nmf", ["letter-500"], **ASKED)


def test_differences_are_newcombes():
    """His example: 56 of 70 and 48 of 80 with Wilson's intervals, 0.2 (0.0524 to 0.3339)."""
    one = Estimate(56 / 70, 0.6917, 0.8771, 0.95)
    other = Estimate(48 / 80, 0.4907, 0.7003, 0.95)
    found = difference_of(one, other)
    assert found.estimate == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=2e-4)


def test_each_choice_of_documents_has_a_folder_of_its_own(tmp_path):
    assert folder_without(["a"], None) is None
    names = {folder_without(each, tmp_path) for each in (["a"], ["b"], ["a", "b"], ["b", "a"])}
    assert len(names) == 3
