"""The study of refinement: its starts, its updates, its arithmetic, a tiny run."""

import json

import numpy as np
import pytest

import chatham as ch
import refinement
from chatham.learners.anchor.refine import FIRST_SUM, STEPS, UNIGRAM, refine
from inference_study.records import Records
from refinement_study.documents import read
from refinement_study.planted import l1_error
from refinement_study.scores import scores_of
from refinement_study.starts import (
    AUTO,
    PROJECTIONS,
    fewest_documents,
    random_start,
    spectral,
)
from refinement_study.study import Case, run
from refinement_study.tables import control_table, gaps, main_table, shown_gap, sums_of
from refinement_study.updates import UPDATES, sweeps_by
from refinement_study.ways import PARTS, Usual, Way

K = 6
USUAL = Usual(0.02, 0.03, (2, 4), (10, 20), (5, 10), 10)
TINY_RUN = [
    "--topics", "4", "--sweeps", "1", "2", "--gibbs", "5", "10", "--from-start", "5",
    "--peer-sweeps", "5", "--control", "2", "--planted", "4", "60", "150", "40",
    "--planted-seeds", "2", "--seeds", "1",
]  # fmt: skip


@pytest.fixture(scope="module")
def parts():
    (found,) = read(None, (), 0)
    return found


@pytest.fixture(scope="module")
def start(parts):
    return spectral(parts.train, K).start(20)


def after(update, learning, counts, start, sweeps, beta=0.03):
    swept = sweeps_by(update, learning, counts, start, beta)
    return [next(swept) for _ in range(sweeps)][-1]


def test_the_start_is_that_of_anchor_words(parts, start):
    settings = {"mean_over": "documents", "max_iter": PROJECTIONS, "tol": 0}
    learner = ch.AnchorWords(K, refine=0, min_anchor_df=20, **settings).fit(parts.train.counts)
    order = np.argsort(-start.shares)
    np.testing.assert_allclose(start.topics[order], learner.components_, atol=1e-9)
    np.testing.assert_allclose(start.alpha[order], learner.alpha_, rtol=1e-9)


def test_our_update_is_that_of_anchor_words(parts, start):
    how = {"sweeps": 5, "beta": 0.03}
    refined = refine(ch.Alone(parts.train), start.topics, start.shares, start.unigram, **how)
    topics, alpha = after("document", "learned", parts.train.counts, start, 5)
    np.testing.assert_array_equal(topics, refined.topics)
    np.testing.assert_array_equal(alpha, refined.alpha)


@pytest.mark.parametrize("update", UPDATES)
def test_updates_follow_their_formulas(parts, start, update):
    counts = parts.train.counts[:12]
    for sweeps in (1, 2):
        topics, _ = after(update, "fixed", counts, start, sweeps)
        np.testing.assert_allclose(topics, naive(update, counts, start, sweeps), rtol=2e-4)


def naive(update, counts, start, sweeps, beta=0.03):
    """The formulas of `updates`, a token's worth at a time; CVB0 keeps γ in single precision."""
    from scipy.special import psi

    dense, d = counts.toarray().astype(float), counts.shape[1]
    topics = (1 - UNIGRAM) * start.topics + UNIGRAM * start.unigram
    alpha = FIRST_SUM * np.maximum(start.shares, UNIGRAM / K)
    n = dense.sum(axis=1, keepdims=True) * alpha / alpha.sum()
    totals = topics * start.shares[:, None] * dense.sum()
    kept = np.zeros((len(dense), d, K))
    for _ in range(sweeps):
        expected, new_kept = np.zeros((K, d)), np.zeros_like(kept)
        for row, words in enumerate(dense):
            own = kept[row].copy() if update == "cvb0" else np.zeros((d, K))
            for _ in range(STEPS):
                lean, n[row] = n[row] + alpha, 0
                for word in np.flatnonzero(words):
                    part = own[word] if update in ("document", "cvb0") else 0
                    a = np.exp(psi(lean)) if update == "vb" else lean - part
                    b = topics[:, word]
                    if update == "cvb0":
                        past = kept[row, word]
                        left = np.maximum(totals[:, word] - past, 0) + beta
                        b = left / (totals.sum(axis=1) + d * beta - past)
                    own[word] = a * b / (a * b).sum()
                    n[row] += words[word] * own[word]
            new_kept[row] = own
            expected += (words[:, None] * own).T
        kept, totals = new_kept, expected
        topics = (expected + beta) / (expected + beta).sum(axis=1, keepdims=True)
    return topics


def test_how_alpha_is_learned(parts, start):
    counts = parts.train.counts
    sums = {
        how: after("document", how, counts, start, 10)[1].sum()
        for how in ("learned", "plain", "fixed")
    }
    assert sums["fixed"] == pytest.approx(FIRST_SUM)
    # ψ at the mean counts too much for small counts, so α is larger.
    assert sums["plain"] > sums["learned"] != sums["fixed"]


def test_the_limit_for_anchors(parts):
    for least in (0.004, 0.03, AUTO):
        fewest = fewest_documents(parts.train, K, least)
        one, other = (
            ch.AnchorWords(K, refine=0, min_anchor_df=limit, rectify="none").fit(parts.train.counts)
            for limit in (least, fewest)
        )
        np.testing.assert_array_equal(one.components_, other.components_)


def test_scores_are_alike_for_everyone(parts):
    rng = np.random.default_rng(0)
    flat = np.full((K, parts.train.n_words), 1 / parts.train.n_words)
    scores = scores_of(flat, np.full(K, 0.1), parts, 1)
    assert scores["completion"] == pytest.approx(-np.log(parts.train.n_words))
    assert scores["alpha"] == pytest.approx(0.1 * K)
    drawn = rng.dirichlet(np.full(parts.train.n_words, 0.05), K)
    order = rng.permutation(K)
    one, other = (scores_of(t, np.ones(K), parts, 1) for t in (drawn, drawn[order]))
    assert one["npmi"] == pytest.approx(other["npmi"])
    assert one["completion"] == pytest.approx(other["completion"], abs=0.02)


def test_sweeps_improve_and_gibbs_may_begin_anywhere(parts):
    wanted = ("sweeps", "gibbs", "from start")
    records = run(parts, K, wanted, USUAL, Records(None), seed=0, n_jobs=1)
    ((_, row),) = main_table(records).items()
    assert list(row) == [
        "anchors", "refined 2", "refined 4", "Gibbs 10", "Gibbs 20", "Gibbs from anchors 5",
        "Gibbs from anchors 10", "Gibbs from refined 10",
    ]  # fmt: skip
    assert row["refined 4"]["completion"] > row["refined 2"]["completion"]
    assert row["refined 2"]["completion"] > row["anchors"]["completion"]
    assert row["Gibbs from anchors 10"]["completion"] > row["Gibbs 10"]["completion"]


def test_sweeps_go_on_where_they_were(parts):
    going, anew = Case(parts, K, 0, 1), Case(parts, K, 0, 1)
    for sweeps in (1, 3, 2):  # after 3 there is no way back to 2
        found = going.find(Way("anchors", sweeps, 0.02, 0.03))
        anew.running = None
        np.testing.assert_array_equal(
            found.topics, anew.find(Way("anchors", sweeps, 0.02, 0.03)).topics
        )
    other = going.find(Way("anchors", 2, 0.02, 0.1))
    assert np.abs(other.topics - found.topics).max() > 0


def test_how_many_sums_a_model_takes(parts):
    corpus = parts.train.rows(np.arange(200))
    together = ch.Recorded(ch.Simulated([corpus.counts[:100], corpus.counts[100:]]))
    ch.AnchorWords(3, refine=4).fit(together)
    assert together.ledger[-1].round == sums_of(vars(Way("anchors", 4, 0.02)))
    together = ch.Recorded(ch.Simulated([corpus.counts[:100], corpus.counts[100:]]))
    ch.LDA(3, max_iter=4).fit(together)
    assert together.ledger[-1].round == sums_of(vars(Way("gibbs", 4)))
    assert sums_of(vars(Way("gibbs", 4, 0.02, refined=3))) == 1 + 3 + 3 + 4


def test_what_a_result_depends_on(parts):
    case = Case(parts, K, 0, 1)
    share, rule = (case.asked(Way("anchors", 0, least)) for least in (0.02, AUTO))
    assert share == rule  # the same limit in documents, so fitted once
    different = {json.dumps(case.asked(way)) for part in PARTS.values() for way in part(USUAL)}
    assert len(different) == len({way for part in PARTS.values() for way in part(USUAL)}) - 2


def test_gaps():
    table = {
        ("a", 5): {"x": {"npmi": 0.3}, "y": {"npmi": 0.1}},
        ("b", 5): {"x": {"npmi": 0.1}, "y": {"npmi": 0.2}},
        ("c", 5): {"x": {"npmi": 0.5}},
    }
    assert gaps(table, "x", "y", "npmi") == pytest.approx([0.2, -0.1])
    assert shown_gap([0.2, -0.1]) == "+0.050 (−0.100 to +0.200; more in 1 of 2)"
    assert shown_gap([]) == "–"


def test_l1_error():
    truth = np.eye(3)
    assert l1_error(truth[[2, 0, 1]], truth) == 0
    assert l1_error(np.array([[0, 0.5, 0.5], [1.0, 0, 0], [0, 0, 1.0]]), truth) == pytest.approx(
        1 / 3
    )


def test_a_tiny_run(tmp_path):
    kept = tmp_path / "kept.jsonl"
    arguments = [*TINY_RUN, "--keep", str(kept), "--output", str(tmp_path / "one")]
    assert refinement.main(arguments) == 0
    lines = kept.read_text().splitlines()
    page, figure = tmp_path / "one" / "refinement.md", tmp_path / "one" / "refinement.png"
    for title in ("Sweeps", "In how many documents", "β", "Other updates", "Planted topics"):
        assert f"## {title}" in page.read_text()
    assert "nan" not in page.read_text().lower()
    # All that was kept isn't fitted again, a cut line is; page and figure are the same bytes.
    kept.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:20])
    assert refinement.main([*arguments[:-1], str(tmp_path / "two")]) == 0
    assert len(kept.read_text().splitlines()) == len(lines) + 1
    assert (tmp_path / "two" / "refinement.png").read_bytes() == figure.read_bytes()


def test_a_folder_without_corpora(tmp_path, capsys):
    assert refinement.main(["--data", str(tmp_path), "--corpora", "KOS"]) == 1
    assert "kos.npz" in capsys.readouterr().err


def test_a_random_start(parts):
    one, other = (random_start(parts.train, K, seed) for seed in (0, 1))
    np.testing.assert_allclose(one.topics.sum(axis=1), 1)
    assert np.abs(one.topics - other.topics).max() > 0
    assert one.alpha.sum() == pytest.approx(FIRST_SUM)
    usual = Usual(0.02, 0.03, (2,), (10,), (5,), 10, (3, 6))
    records = run(parts, K, ["control"], usual, Records(None), seed=0, n_jobs=1)
    ((_, row),) = control_table(records).items()
    assert row["random, 6 sweeps"]["completion"] > row["random, 3 sweeps"]["completion"]
    assert row["anchors, 3 sweeps"]["completion"] > row["random, 3 sweeps"]["completion"]


def test_a_limit_that_leaves_too_few_words_is_left_out(parts):
    usual = Usual(0.99, 0.03, (2,), (10,), (5,), 10)
    assert run(parts, K, ["sweeps"], usual, Records(None), seed=0, n_jobs=1) == []
