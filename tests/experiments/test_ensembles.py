"""Ensembles of topic models: small runs of three experiments, and that they do what they say."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_selection import mutual_info_classif

import bars
import ensembles
import triangle
from chatham.ensembles.lda import pseudo_documents
from ensembles_study.corpora import Labelled, folds, information_gains
from ensembles_study.study import accuracies
from ensembles_study.ways import (
    Watched,
    as_in_the_source,
    base,
    lda,
    merged,
    plsa,
    published,
    relative_change,
)
from tests.conftest import plant

SMALL = [
    "--words", "60", "--documents", "150", "--topics", "3", "4", "--parties", "2", "--more", "3",
    "--at", "3", "--sizes", "100", "--folds", "1",
]  # fmt: skip


@pytest.fixture(scope="module")
def counts():
    rows = plant(n=120, d=40, k=3, length=60)[0]
    return sp.csr_array(rows[np.asarray(rows.sum(axis=1)).ravel() > 0], dtype=np.float64)


# The three experiments


def test_a_small_run_has_all_tables_and_goes_on_where_it_was(tmp_path, capsys):
    kept = tmp_path / "kept"
    assert ensembles.main([*SMALL, "--keep", str(kept), "--output", str(tmp_path)]) == 0
    page = (tmp_path / "ensembles.md").read_text(encoding="utf-8")
    for heading in ("topics, 2 parties (Fig. 6)", "parties, 3 topics (Fig. 7)", "(Fig. 8)",
                    "documents, 3 topics", "`ch.publish` would tell", "counted"):  # fmt: skip
        assert heading in page
    assert "| bundled sample | 1 | 3 | LDA-E, rescaled, C = 3 |" in page
    assert (tmp_path / "ensembles_classes.png").stat().st_size > 1000
    lines = kept.read_text().splitlines()
    assert len(lines) == 3
    kept.write_text("\n".join(lines))
    capsys.readouterr()
    assert ensembles.main([*SMALL, "--keep", str(kept)]) == 0
    assert capsys.readouterr().out == page
    found = [json.loads(line)["found"] for line in lines]
    for ensemble in found[0]["ensembles"]["2"].values():
        assert 0 < ensemble["slowest"] < ensemble["bases"] < 2 * ensemble["slowest"] + 1e-9


def test_a_folder_without_the_corpora_is_refused(tmp_path, capsys):
    assert ensembles.main(["--data", str(tmp_path), "--folds", "1"]) == 1
    assert "lacks reuters21578.parquet" in capsys.readouterr().err


def test_bars_are_found(tmp_path):
    arguments = ["--seeds", "1", "--keep", str(tmp_path / "kept"), "--output", str(tmp_path)]
    assert bars.main([*arguments, "--documents", "300"]) == 0
    found = [json.loads(line) for line in (tmp_path / "kept").read_text().splitlines()]
    drawn = next(each["found"] for each in found if each["asked"]["prior"] == bars.DRAWN)
    for way in (bars.POOLED, bars.MERGED, bars.RESCALED):
        assert bars.distance(drawn[way][0]) < 0.3
    page = (tmp_path / "bars.md").read_text(encoding="utf-8")
    assert page.count("| LDA-E, rescaled |") == 2
    assert (tmp_path / "bars.png").stat().st_size > 1000


def test_the_bars_are_rows_and_columns():
    topics = bars.bars()
    assert topics.sum(axis=1) == pytest.approx(np.ones(6))
    assert np.flatnonzero(topics[1]).tolist() == [3, 4, 5]
    assert np.flatnonzero(topics[3]).tolist() == [0, 3, 6]
    assert bars.distance(topics[[0, 1, 2, 3, 4, 5]]) == 0


def test_merged_topics_of_the_triangle_are_those_of_all_documents(tmp_path):
    arguments = ["--seeds", "1", "--keep", str(tmp_path / "kept"), "--output", str(tmp_path)]
    assert triangle.main(arguments) == 0
    found = json.loads((tmp_path / "kept").read_text())["found"]
    topics = found["topics"]
    assert triangle.apart(topics[triangle.MERGED][0], topics[triangle.POOLED][0]) < 0.1
    assert triangle.apart(topics[triangle.POOLED][0], triangle.ENDS) < 0.3
    assert "| merged |" in (tmp_path / "triangle.md").read_text(encoding="utf-8")
    assert (tmp_path / "triangle.png").stat().st_size > 1000


# What they are made of


def test_information_gain_is_mutual_information(counts):
    classes = np.arange(counts.shape[0]) % 3
    has = (counts > 0).toarray()
    expected = mutual_info_classif(has, classes, discrete_features=True)
    assert information_gains(counts, classes) == pytest.approx(expected, abs=1e-12)


def test_folds_test_every_document_once_and_copies_together(counts):
    twice = sp.csr_array(sp.vstack([counts, counts]))
    corpus = Labelled("planted", twice, np.arange(twice.shape[0]), 2)
    tested = []
    for fold in folds(corpus):
        assert not set(fold.classes) & set(fold.test_classes)
        tested += fold.test_classes.tolist()
        halves = np.array(sorted(fold.test_classes)) % counts.shape[0]
        assert (np.bincount(halves, minlength=counts.shape[0]) % 2 == 0).all()
        parties = fold.parties(3)
        assert sum(part.sum() for part in parties) == fold.train.sum()
    assert sorted(tested) == list(range(twice.shape[0]))


def test_em_ends_by_the_relative_change_of_the_likelihood(counts):
    assert not relative_change([-100.0], 1e-4)
    assert not relative_change([-100.0, -99.98], 1e-4)
    assert relative_change([-100.0, -99.995], 1e-4)
    with as_in_the_source():
        objective = plsa(3, 0).fit(counts).objective_
    changes = np.abs(np.diff(objective) / objective[:-1])
    assert changes[-1] < 1e-4
    assert (changes[:-1] >= 1e-4).all()


@pytest.mark.parametrize("kind", ["plsa", "lda"])
def test_an_exact_summary_counts_every_token_by_the_last_state(kind, counts):
    with as_in_the_source():
        found = base(kind, counts, 3, 0, "A")
    name = {"plsa": "expected", "lda": "counts"}[kind]
    counted = found.summary.statistics[name]
    assert counted.sum(axis=0) == pytest.approx(np.asarray(counts.sum(axis=0)).ravel())
    # What was counted is what topics were made of.
    smoothed = counted + (0.01 if kind == "lda" else 0.0)
    smoothed /= smoothed.sum(axis=1, keepdims=True)
    expected = found.learner.components_
    if kind == "lda":
        assert smoothed == pytest.approx(expected, abs=1e-12)
    else:
        assert np.abs(smoothed - expected).sum(axis=1).max() < 0.1


def test_a_watched_fit_is_the_fit(counts):
    with as_in_the_source():
        for make in (lda, plsa):
            watched = make(3, 0).fit(Watched(counts))
            assert np.array_equal(watched.components_, make(3, 0).fit(counts).components_)


def test_merging_takes_the_counts_of_all_parties_and_fewer_if_rescaled(counts):
    with as_in_the_source():
        told = [base("lda", counts[start::2], 3, 0, name).summary
                for start, name in enumerate("AB")]  # fmt: skip
        model = merged(told, 3, 0)
    assert pseudo_documents(model.parts).sum() == counts.sum()
    assert model.parts.complete
    assert pseudo_documents(model.parts, True).sum() < counts.sum()


def test_what_chatham_publishes_is_less(counts):
    few = sp.csr_array(counts[:30])
    with as_in_the_source():
        found = base("lda", few, 3, 0, "A")
    told = published(found, few)
    frequencies = np.asarray((few > 0).sum(axis=0)).ravel()
    assert len(told.vocabulary) == (frequencies >= 5).sum() < len(found.summary.vocabulary)


def test_topics_that_know_the_class_tell_pairs_apart(counts):
    classes = np.arange(counts.shape[0]) % 3
    corpus = Labelled("planted", counts, classes, 3)
    fold = next(folds(corpus))
    known = np.eye(3)[fold.classes], np.eye(3)[fold.test_classes]
    same = np.ones((len(fold.classes), 2)), np.ones((len(fold.test_classes), 2))
    found = accuracies({"known": known, "same": same}, fold, 3)
    assert list(found) == ["bag of words", "known", "same"]
    assert found["known"] == [1.0] * 3
    assert max(found["same"]) < 0.8
