"""The experiment on documents' weights: its cases, its ways, its arithmetic, a tiny run."""

import json
from dataclasses import replace

import numpy as np
import pytest

import chatham as ch
import inference
from chatham.learners.anchor.correlations import dirichlet_prior
from inference_study.cases import FEWER_ROUNDS, SETTINGS, Plan, anchor_words
from inference_study.documents import read
from inference_study.real import agreement_of
from inference_study.records import Records
from inference_study.scores import HIGHER, SHOWN, Found, prior_distance, scores_of
from inference_study.tables import (
    completion_gaps,
    curve,
    mean_gap,
    over_sizes,
    times_best,
)  # fmt: skip
from inference_study.ways import WAYS, Chain, Known, gibbs_weights, uttered, weights_by
from shared_spread import NOTE

TINY = Plan(documents=40, real=20, chain=Chain(4, 4), long=Chain(5, 10), seed=0)
TINY_RUN = [
    "--topics", "3", "4", "--real-topics", "3", "--documents", "30", "--real", "20", "--words",
    "150", "--sweeps", "2", "4", "--seeds", "2",
]  # fmt: skip


@pytest.fixture(scope="module")
def corpus():
    (found,) = read(None, (), 150).values()
    return found.rows(np.arange(400))


@pytest.fixture(scope="module")
def cases(corpus):
    return {c.setting: c for make in SETTINGS.values() for c in make(corpus, 3, TINY)}


def test_the_cases(corpus, cases):
    fewer = [f"FR, unseen, rounds: {n}" for n in FEWER_ROUNDS]
    assert list(cases) == ["SS", "SS, true A", "SR", "FR, seen", "FR, unseen", *fewer]
    length = round(corpus.n_tokens / len(corpus))
    for name in ("SS", "SS, true A", "SR"):
        sizes = cases[name].corpus.counts.sum(axis=1)
        assert len(sizes) == TINY.documents
        assert (sizes == length).all()
    synthetic, told = cases["SS"], cases["SS, true A"]
    np.testing.assert_allclose(synthetic.known.alpha, 5 / 3)
    np.testing.assert_array_equal(synthetic.truth, told.truth)
    assert prior_distance(told.known.correlations, told.truth) < 1e-12
    assert prior_distance(synthetic.known.correlations, synthetic.truth) > 0.01
    semi_real = cases["SR"]
    assert prior_distance(semi_real.known.correlations, semi_real.truth) < 1e-12
    np.testing.assert_allclose(semi_real.known.alpha, dirichlet_prior(semi_real.known.correlations))


def test_unseen_documents_are_in_no_way_known(corpus, cases):
    seen, unseen = cases["FR, seen"], cases["FR, unseen"]
    assert len(seen.corpus) <= TINY.real
    assert len(unseen.corpus) <= len(corpus) * 0.1
    train, held = corpus.split(0.1, random_state=0)
    topics = unseen.known.topics
    np.testing.assert_array_equal(topics, anchor_words(train, 3, TINY, refine=0).components_)
    np.testing.assert_array_equal(
        unseen.corpus.counts.toarray(),
        uttered(held.counts, topics).toarray()[: len(unseen.corpus)],
    )
    assert seen.known.dual is unseen.known.dual


def test_more_rounds_come_nearer_to_a(corpus, cases):
    seen, _ = corpus.split(0.1, random_state=0)
    all_rounds, one, five = (case.known for name, case in cases.items() if "FR, unseen" in name)
    none = replace(one, dual=np.zeros((3, 3)))
    gaps = [
        prior_distance(
            known.correlations, weights_by("padd", seen.counts, known, chain=TINY.chain, seed=0)
        )
        for known in (none, one, five, all_rounds)
    ]
    assert gaps[0] > gaps[1] > gaps[2] > gaps[3]
    assert gaps[-1] < 0.5 * gaps[0]


@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_weights(cases, way):
    for case in cases.values():
        weights = weights_by(way, case.corpus.counts, case.known, chain=TINY.chain, seed=0)
        assert weights.shape == case.truth.shape
        assert weights.min() >= -1e-12
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-9)


def test_what_is_told_matters_to_those_who_use_it(cases):
    plain, told = cases["SS"], cases["SS, true A"]
    for way in WAYS:
        both = [
            weights_by(way, plain.corpus.counts, known, chain=TINY.chain, seed=0)
            for known in (plain.known, told.known)
        ]
        assert np.array_equal(*both) == (way not in ("spi", "padd"))


def test_gibbs_is_the_transform_of_lda(cases):
    case = cases["SS"]
    lda = ch.LDA(3, max_iter=10, random_state=0).fit(case.corpus.counts)
    lda.components_, lda.alpha_ = case.known.topics, case.known.alpha
    found = gibbs_weights(case.corpus.counts, lda.components_, lda.alpha_, Chain(20, 30), 0)
    np.testing.assert_array_equal(found, lda.transform(case.corpus.counts))
    again = weights_by("gibbs", case.corpus.counts, case.known, chain=Chain(20, 30), seed=0)
    np.testing.assert_array_equal(again, found)


def test_long_gibbs_is_nearer_the_posterior_than_a_short_one(cases):
    case, args = cases["SR"], (cases["SR"].known.topics, cases["SR"].known.alpha)
    long = gibbs_weights(case.corpus.counts, *args, Chain(100, 1500), 1)
    other = gibbs_weights(case.corpus.counts, *args, Chain(100, 1500), 2)
    short = gibbs_weights(case.corpus.counts, *args, Chain(2, 4), 2)
    assert np.abs(long - other).sum() < 0.3 * np.abs(long - short).sum()
    mean = weights_by("posterior", case.corpus.counts, case.known, chain=TINY.chain, seed=0)
    assert np.abs(long - mean).sum(axis=1).mean() < 0.1


def test_words_that_no_topic_utters_are_left_out():
    topics = np.array([[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]])
    assert uttered(np.array([[1, 2, 3]]), topics).toarray().tolist() == [[1, 2, 0]]
    alpha = np.array([1.0, 3.0])
    found = gibbs_weights(np.array([[0, 0, 7], [5, 0, 2]]), topics, alpha, Chain(1, 2), 0)
    np.testing.assert_allclose(found, [[0.25, 0.75], [6 / 9, 3 / 9]], atol=1e-6)


def test_the_truth_scores_best(cases):
    case = cases["SS, true A"]
    scores = scores_of(case, case.truth)
    assert list(scores) == list(SHOWN)
    for name, value in scores.items():
        if name != "non_support":  # what lies beyond the mass of 0.8 of the truth itself
            assert value == pytest.approx(1.0 if name in HIGHER else 0.0, abs=1e-5)
    assert 0 < scores["non_support"] <= 0.2
    worse = scores_of(case, np.roll(case.truth, 1, axis=0))
    assert all((worse[name] < scores[name]) == (name in HIGHER) for name in HIGHER)


def test_prior_distance_by_hand():
    weights = np.array([[1.0, 0.0], [0.5, 0.5]])  # moments: 5/8, 1/8, 1/8, 1/8
    target = 2 * np.array([[0.5, 0.0], [0.0, 0.5]])  # brought to sum one
    expected = np.sqrt((1 / 8) ** 2 + 2 * (1 / 8) ** 2 + (3 / 8) ** 2)
    assert prior_distance(target, weights) == pytest.approx(expected)


def test_shares_are_the_rows_of_a():
    known = Known.of(np.eye(2), np.array([[0.6, 0.2], [0.2, 0.6]]) * 3)
    np.testing.assert_allclose(known.shares, [0.5, 0.5])
    np.testing.assert_allclose(
        replace(known, correlations=np.diag([3.0, 1.0])).shares, [0.75, 0.25]
    )


def test_agreement_with_labels():
    class Main:
        def transform(self, counts):
            return np.asarray(counts.toarray(), dtype=float)

    given = ch.Corpus(np.array([[2, 1], [3, 0], [0, 4], [1, 2]]), ["a", "b"], labels=list("xxyy"))
    assert agreement_of(given, Main()) == {"nmi": pytest.approx(1.0), "ari": pytest.approx(1.0)}


def test_found_weights_are_for_their_documents_only():
    with pytest.raises(AssertionError):
        Found(np.ones((2, 1))).transform(np.ones((3, 1)))


def record(way, k, corpus="a", case="SS", **scores):
    return {"case": case, "corpus": corpus, "k": k, "way": way, "scores": scores or None}


RECORDS = [
    record("spi", 25, hellinger=0.4, f1_of_topics=0.9), record("padd", 25, hellinger=0.3,
                                                               f1_of_topics=0.8),
    record("spi", 5, hellinger=0.1, f1_of_topics=0.5), record("padd", 5, hellinger=0.2,
                                                              f1_of_topics=0.6),
    record("tli", 5, hellinger=0.5, f1_of_topics=0.1), record("tli", 25),
    record("spi", 5, case="SR", hellinger=9.0),
]  # fmt: skip


def test_who_is_best():
    ways = ["tli", "spi", "padd"]
    assert times_best(RECORDS, "SS", "hellinger", ways) == {"tli": 0, "spi": 1, "padd": 1}
    assert times_best(RECORDS, "SS", "hellinger", ways, range(25, 99)) == {
        "tli": 0, "spi": 0, "padd": 1,
    }  # fmt: skip
    assert times_best(RECORDS, "SS", "f1_of_topics", ways, range(25)) == {
        "tli": 0, "spi": 0, "padd": 1,
    }  # fmt: skip


def test_lines_and_means():
    assert curve(RECORDS, "SS", "a", "spi", "hellinger") == ([5, 25], [0.1, 0.4])
    assert curve(RECORDS, "SS", "a", "tli", "hellinger") == ([5], [0.5])
    assert over_sizes(RECORDS, "SS", "a", "spi", "hellinger") == pytest.approx(0.25)
    assert over_sizes(RECORDS, "SS", "a", "tli", "hellinger") is None  # a mean over other K
    assert mean_gap(RECORDS, "SS", "hellinger", "spi", "padd") == pytest.approx(0.0)
    assert mean_gap(RECORDS, "SS", "hellinger", "tli", "padd") == pytest.approx(0.3)


def test_completion_is_lost_against_the_posterior():
    rows = [
        {"corpus": "a", "k": 5, "refine": 0, "way": way, "scores": {"completion": value}}
        for way, value in (("posterior", -7.0), ("padd", -7.5))
    ]
    assert completion_gaps(rows) == {0: {"a, K=5": {"posterior": 0.0, "padd": 0.5}}}


def test_records_survive_an_interruption(tmp_path):
    keep = tmp_path / "kept.jsonl"
    Records(keep).add({"way": "spi", "k": 5}, {"scores": {"x": 1.0}})
    keep.write_text(keep.read_text("utf-8") + '{"asked": {"way": "pa', "utf-8")
    records = Records(keep)
    assert records.get({"k": 5, "way": "spi"}) == {"k": 5, "way": "spi", "scores": {"x": 1.0}}
    assert not records.has({"way": "spi", "k": 6})
    records.add({"way": "tli", "k": 5}, {"scores": None})
    assert Records(keep).has({"way": "tli", "k": 5})


def test_a_tiny_run(tmp_path):
    keep = tmp_path / "kept.jsonl"
    run = [*TINY_RUN, "--keep", str(keep), "--output", str(tmp_path)]
    assert inference.main(run) == 0
    kept = keep.read_text("utf-8").splitlines()
    assert len(kept) == 2 * (2 * 6 + 2 * (7 + 2 + 7 + 7 + 7 + 2))
    assert all(
        np.isfinite(list((json.loads(line)["found"]["scores"] or {"none": 0}).values())).all()
        for line in kept
    )
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path != keep}
    assert set(written) == {
        "inference_default.md", "inference_default.png", "inference_documents.md",
        "inference_fr.png", "inference_sr.png", "inference_ss.png",
    }  # fmt: skip
    for page in ("inference_default.md", "inference_documents.md"):
        assert NOTE in written[page].decode()
        assert "seeds 0, 1" in written[page].decode().lower()
    assert inference.main(run) == 0  # everything is kept: the same pages and figures
    assert keep.read_text("utf-8").splitlines() == kept
    assert written == {path.name: path.read_bytes() for path in tmp_path.iterdir() if path != keep}


def test_what_is_lacking_is_said(tmp_path, capsys):
    assert inference.main(["--data", str(tmp_path), "--output", str(tmp_path)]) == 1
    assert "lacks nips12_bow.npz" in capsys.readouterr().err
