"""Topics' error by corpus size: exact moments, ways, errors, a tiny run."""

import json

import numpy as np
import pytest

import chatham as ch
import sample_size
from chatham.corpus.synthetic.planting import planted_topics
from sample_size_study.cases import CASES, CONCENTRATION, Case
from sample_size_study.study import INFINITE, Plan, matched_errors, spread, uniform_error
from sample_size_study.truth import anchored
from sample_size_study.ways import (
    AP,
    GIBBS,
    KL,
    RECOVER,
    REFINED,
    WAYS,
    counted_in,
    from_documents,
    without_noise,
)

SPECTRAL = [way for way in WAYS if way not in (REFINED, GIBBS)]
PLANTED = Case("anchors added", "3", 50, anchors=True)


@pytest.fixture(scope="module")
def topics():
    rng = np.random.default_rng(0)
    return rng.dirichlet(np.full(60, 0.3), 4)


@pytest.mark.parametrize("case", [CASES[0], CASES[-1]])
def test_moments_are_those_of_drawn_compositions(case, topics):
    weights = case.draw(topics, 40_000, 0, 1).weights
    assert case.moments(4) == pytest.approx(weights.T @ weights / len(weights), abs=3e-3)
    assert case.moments(4).sum() == pytest.approx(1.0)


def test_moments_of_the_dirichlet():
    # E[w²] of a Beta(0.03, 0.03), and the rest by Σw = 1.
    squared = 0.5 * (CONCENTRATION + 1) / (2 * CONCENTRATION + 1)
    both = [[squared, 0.5 - squared], [0.5 - squared, squared]]
    assert CASES[0].moments(2) == pytest.approx(np.array(both))


def test_correlated_topics_come_together():
    moments = Case("logistic normal", "4", 300, correlation=0.9).moments(4)
    assert moments[0, 1] > 1.2 * moments[0, 2]


@pytest.mark.parametrize("case", [PLANTED, Case("as fitted", "2", 50)])
def test_the_exact_cooccurrence_is_what_many_documents_tend_to(case, topics):
    exact = case.exact(topics)
    few, many = (
        np.abs(counted_in(case.draw(topics, n, 0, 1).corpus.counts, 4, 0).words.joint - exact).sum()
        for n in (300, 30_000)
    )
    assert many < few / 5  # ten times as near, but for chance
    assert exact.shape[0] == 60 + (4 if case.anchors else 0)


@pytest.mark.parametrize("way", SPECTRAL)
def test_every_way_is_exact_without_noise_and_with_anchors(way, topics):
    counted = without_noise(PLANTED.exact(topics), 4, 0)
    errors = matched_errors(counted.topics(way), PLANTED.topics(topics))
    assert errors.max() < (1e-6 if way == RECOVER else 0.02)


def test_added_anchors_are_as_probable_as_the_top_word(topics):
    added = PLANTED.topics(topics)
    assert added[:, 60:].diagonal() == pytest.approx(added[:, :60].max(axis=1))
    assert added.sum(axis=1) == pytest.approx(1.0)


def test_rectified_and_refined_are_the_learner(topics):
    counts = PLANTED.draw(topics, 400, 0, 1).corpus.counts
    published = {"mean_over": "documents", "max_iter": 15, "tol": 0.0, "precision": "double"}
    plain = ch.AnchorWords(4, refine=0, random_state=0, **published).fit(counts)
    assert matched_errors(counted_in(counts, 4, 0).topics(AP), plain.components_).max() < 1e-9
    usual = ch.AnchorWords(4).get_params()  # the refined way is the library's own choice
    refined = plain.set_params(refine=usual["refine"]).fit(counts)
    found = from_documents(REFINED, counts, 4, 0, 1)
    assert found == pytest.approx(refined.components_, abs=1e-12)


def test_errors_don_t_depend_on_the_order_of_topics(topics):
    assert matched_errors(topics[::-1], topics) == pytest.approx(np.zeros(4))
    moved = topics.copy()
    moved[0] = np.roll(np.eye(60)[0], 5)
    errors = matched_errors(moved, topics)
    assert sorted(errors)[:3] == pytest.approx([0, 0, 0])
    assert errors.max() == pytest.approx(2 - 2 * topics[0, 5])


def test_spread_and_uniform():
    assert spread(np.array([0.0, 0.0, 3.0])) == {
        "mean": 1.0,
        "deviation": pytest.approx(np.sqrt(2)),
        "median": 0.0,
    }
    assert uniform_error(np.eye(4)) == pytest.approx(1.5)


def test_anchored_topics():
    topics, _ = planted_topics(3, 30, concentration=5.0, random_state=0)
    assert anchored(topics) == 1.0
    assert anchored(np.array([[0.5, 0.5, 0.0], [0.4, 0.6, 0.0], [0.0, 0.5, 0.5]])) == 1 / 3


def test_what_is_tried():
    plan = Plan(kl_sizes=(10,), gibbs_tokens=7000)
    assert plan.ways(CASES[0], INFINITE) == SPECTRAL
    assert plan.ways(CASES[0], 100) == [way for way in WAYS if way != KL]  # 7,000 tokens
    assert plan.ways(CASES[1], 100) == [way for way in WAYS if way not in (KL, GIBBS)]
    assert plan.ways(CASES[1], 10) == list(WAYS)


def test_a_tiny_run(tmp_path):
    keep = tmp_path / "kept.jsonl"
    run = ["--words", "60", "--topics", "3", "--sizes", "60", "120", "--kl-sizes", "60",
           "--gibbs-tokens", "4200", "--seeds", "2"]  # fmt: skip
    run += ["--keep", str(keep), "--output", str(tmp_path)]
    assert sample_size.main(run) == 0
    page = (tmp_path / "sample_size.md").read_text("utf-8")
    picture = (tmp_path / "sample_size.png").read_bytes()
    kept = [json.loads(line) for line in keep.read_text("utf-8").splitlines()]
    errors = [line["found"]["mean"] for line in kept if "way" in line["asked"]]
    # Two kinds have two lengths, and one exact co-occurrence for both.
    assert len(errors) == 2 * (7 * (4 + 1 + 4) + 2 + 5 * 4)
    assert {line["asked"]["seed"] for line in kept if "way" in line["asked"]} == {0, 1}
    assert "Seeds 0, 1." in page
    assert " ± " in page[page.index("| Recover |") :].split("\n")[0].partition("; ")[2]
    assert all(0 <= error <= 2 for error in errors)
    assert page.count("| Recover |") == len(CASES)
    assert "NaN" not in page
    # Again from what was kept: the same bytes, nothing new.
    assert sample_size.main(run) == 0
    assert (tmp_path / "sample_size.md").read_text("utf-8") == page
    assert (tmp_path / "sample_size.png").read_bytes() == picture
    assert len(keep.read_text("utf-8").splitlines()) == len(kept)


def test_what_is_missing_is_said(tmp_path, capsys):
    assert sample_size.main(["--data", str(tmp_path)]) == 1
    assert "nips12_bow.npz" in capsys.readouterr().err
