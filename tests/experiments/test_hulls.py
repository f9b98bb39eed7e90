"""Hulls against greedy anchors: orders, scores, the claims table, a tiny run."""

import json
import math

import numpy as np
import pytest
import sklearn.decomposition

import hulls
from chatham.corpus import Corpus
from chatham.corpus.synthetic.corpora import synthetic_corpus
from chatham.corpus.synthetic.planting import planted_topics
from chatham.errors import InputError
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.hull import hull_anchors, hull_vertices
from chatham.learners.anchor.projected import fast_anchors
from hulls_study import anchors as anchors_module
from hulls_study.anchors import (
    GREEDY,
    METHODS,
    PCA,
    PCA_OF_C,
    TSNE,
    Words,
    greedy_order,
    hull_order,
)
from hulls_study.documents import parts_of
from hulls_study.report import _steadiness, _wins
from hulls_study.scores import ROWS, coherence, lifted, scores_of, top_word_shares
from hulls_study.study import Found, Plan, study


@pytest.fixture(scope="module")
def separable():
    """A separable model without noise: topics, its anchors, and C = BABᵀ."""
    topics, places = planted_topics(
        4, 80, concentration=1.0, anchor_probability=0.1, random_state=0
    )
    joint = topics.T @ (0.05 * np.eye(4) + 0.05) @ topics
    return topics, places, joint / joint.sum()


@pytest.fixture(scope="module")
def words(separable):
    return Words(Conditional(separable[2]), np.ones(80, dtype=bool))


def test_greedy_finds_the_anchors_of_a_separable_model(separable, words, monkeypatch):
    assert set(greedy_order(words, 4, 0)) == set(separable[1])
    monkeypatch.setattr(anchors_module, "PROJECTED", 30)  # projected too
    assert set(greedy_order(words, 4, 0)) == set(separable[1])


def test_the_first_greedy_anchors_are_those_of_fewer_topics(words, monkeypatch):
    monkeypatch.setattr(anchors_module, "PROJECTED", 30)
    assert greedy_order(words, 4, 3)[:2] == greedy_order(words, 2, 3)
    one = fast_anchors(words.conditional, 1, words.candidates, dimensions=30, projection="sparse",
                       seed=3)[0]  # fmt: skip
    assert greedy_order(words, 1, 3) == [int(one[0][0])]


@pytest.mark.parametrize("method", [PCA, TSNE])
def test_the_order_of_a_hull_is_that_of_the_library(words, method):
    order = hull_order(words, method, 0)
    assert len(order) == len(set(order)) >= 4
    how = {"method": {PCA: "pca", TSNE: "tsne"}[method], "dimensions": 3, "seed": 0}
    found, _ = hull_anchors(words.conditional, len(order), words.candidates, **how)
    assert order == [int(group[0]) for group in found]


def test_the_rows_of_c_itself_are_embedded_if_told_so(words):
    joint, order = words.conditional.joint, hull_order(words, PCA_OF_C, 0)
    points = sklearn.decomposition.PCA(3, svd_solver="full").fit_transform(joint)
    corners = hull_vertices(points)
    distances = np.linalg.norm(points[corners], axis=1)  # PCA has centred them
    assert order == corners[np.argsort(-distances)].tolist()
    assert set(order) != set(hull_order(words, PCA, 0))


def test_coherence_is_over_all_ordered_pairs():
    documents = np.array([[4.0, 2.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 0.0]])
    # The third word is in no training document, and left out.
    found = coherence(np.array([[0.5, 0.3, 0.2]]), documents)
    assert found == pytest.approx(math.log(2.01 / 4) + math.log(2.01 / 5))


def test_anchors_are_lifted_in_the_topics_of_others_only():
    topics = np.array([[0.4, 0.0, 0.6, 0.0], [0.0, 0.7, 0.3, 0.0]])
    found = lifted(topics, [0, 1])
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert found[0, 1] == pytest.approx(1e-5 / (1 + 1e-5))
    assert (found[:, 3] == 0).all()  # no anchor
    assert topics[0, 1] == 0  # not changed in place


def test_scores_of_the_true_anchors_of_a_separable_model(separable, words):
    topics, places, _ = separable
    drawn = synthetic_corpus(topics, 30, lengths=20, random_state=1)
    found = scores_of(words, list(places), np.ones((80, 80)), drawn.corpus, 1)
    assert found["recovery_error"] < 1e-3
    top = topics.max(axis=1)
    soft = np.log(top / topics[np.arange(4), places]).mean()
    assert found["soft_rank"] == pytest.approx(soft, abs=1e-2)
    mixture = drawn.weights @ topics  # no model knows documents better than the truth
    best = (drawn.corpus.counts.toarray() * np.log(np.maximum(mixture, 1e-300))).sum() / 600
    assert best - 1.0 < found["held_out"] < best
    assert found["top_words"] == [str(drawn.corpus.vocabulary[w]) for w in topics.argmax(axis=1)]


def test_top_words():
    assert top_word_shares([1, 1, 1, 2]) == {"distinct": 0.5, "own": 0.25}


def found_with(greedy, own, key):
    models = [
        {"method": method, "k": k, key: value}
        for method, values in ((GREEDY, greedy), (PCA, own))
        for k, value in values.items()
    ]
    return Found({}, [], 0, models)


def test_wins_count_the_numbers_of_topics_that_the_hull_has():
    by_key = {row.key: row for row in ROWS}
    found = found_with({5: 4.0, 10: 4.0, 20: 1.0}, {5: 2.0, 10: 4.0}, "soft_rank")
    assert _wins(found, PCA, by_key["soft_rank"]) == "1/2 (-25%)"  # lower is better
    found = found_with({5: -4.0, 10: -4.0}, {5: -2.0, 10: -1.0}, "coherence")
    assert _wins(found, PCA, by_key["coherence"]) == "2/2 (+62%)"


def test_steady_corners():
    text = _steadiness([[1, 2, 3], [2, 3], [3, 4, 2, 5]])
    assert "3 starts: 2 to 4 corners; 2 words" in text


def test_short_documents_are_dropped():
    counts = np.array([row for n in range(20) for row in ([9, 0], [5, 5 + n])])
    parts = parts_of(Corpus(counts, ["tea", "milk"]), 0, "–")
    assert len(parts.train) + len(parts.held_out) == 20
    assert len(parts.held_out) == 1


def test_a_hull_with_too_few_corners_is_said():
    rng = np.random.default_rng(0)
    corpus = Corpus(rng.integers(0, 3, (60, 30)), [f"word{number}" for number in range(30)])
    with pytest.raises(InputError, match="ask for smaller models"):
        study(Plan(topics=(28,)), {"tiny": parts_of(corpus, 0, "–")}, None)


def test_a_tiny_run(tmp_path):
    keep, run = tmp_path / "kept.jsonl", ["--topics", "5", "8", "--output", str(tmp_path)]
    run += ["--keep", str(keep), "--seeds", "1"]
    assert hulls.main(run) == 0
    page, picture = (tmp_path / "hulls.md").read_text("utf-8"), tmp_path / "hulls.png"
    first, drawn = keep.read_text("utf-8").splitlines(), picture.read_bytes()
    kept = [json.loads(line) for line in first]
    models = [line["found"] for line in kept if "method" in line["asked"]]
    assert len(models) == 2 * len(METHODS)
    assert all(math.isfinite(model[row.key]) for model in models for row in ROWS)
    assert all(f"| {row.name} |" in page for row in ROWS)
    assert "| 12 |" in page
    # Again, cut off in its last line: the same page and picture, one more line.
    keep.write_text("\n".join([*first[:-1], first[-1][:20]]), "utf-8")
    assert hulls.main(run) == 0
    assert (tmp_path / "hulls.md").read_text("utf-8") == page
    assert picture.read_bytes() == drawn
    assert json.loads(keep.read_text("utf-8").splitlines()[-1]) == kept[-1]


def test_what_is_missing_is_said(tmp_path, capsys):
    assert hulls.main(["--data", str(tmp_path)]) == 1
    assert "poliblog5k.npz" in capsys.readouterr().err
