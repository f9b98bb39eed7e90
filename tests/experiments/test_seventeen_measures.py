"""The experiment on the thesis's seventeen measures: its draws, its arithmetic, a tiny run."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import chatham as ch
import seventeen_measures
from chatham.measures.registry import MEASURES
from seventeen.documents import read_reuters
from seventeen.report import _labels, _of_one_topic
from seventeen.search import Plan, settings_of
from seventeen.tables import agreement, best_record, lead, scores_on, table_4, table_5, table_6
from seventeen.thesis import ALGORITHMS, KMEANS, LDA, NMF, ROWS, TIMES_BEST
from shared_spread import NOTE

TINY = ["--trials", "2", "--most-topics", "10", "--iterations", "3", "--seeds", "1"]


def record(corpus, algorithm, k, **scores):
    return {
        "corpus": corpus,
        "algorithm": algorithm,
        "settings": {"n_components": k},
        "scores": scores,
    }


RECORDS = [
    # Lower is better for frobenius, higher for topic_uniform; NMF's second trial is better by one.
    record("a", LDA, 5, frobenius=8.0, topic_uniform=2.0, closeness=0.0),
    record("a", NMF, 5, frobenius=5.0, topic_uniform=1.0, closeness=0.0),
    record("a", NMF, 10, frobenius=4.0, topic_uniform=0.5, closeness=1.0),
    record("a", KMEANS, 5, frobenius=5.0, topic_uniform=4.0, closeness=0.0),
    record("b", LDA, 5, frobenius=9.0, topic_uniform=6.0),
    record("b", NMF, 5, frobenius=10.0, topic_uniform=4.0),
    record("b", KMEANS, 5, frobenius=20.0, topic_uniform=1.0),
]


def tables(records=RECORDS):
    return {name: scores_on(records, name) for name in ("a", "b")}


def row_of(table, measure):
    return table.set_index("measure").loc[measure]


def test_the_thesis_numbers_add_up():
    # Table 1.5 follows from Table 1.4, so a slip in copying either would show.
    for name, (times, mean) in TIMES_BEST.items():
        leads = [row.delta for row in ROWS if row.best == name]
        assert len(leads) == times
        assert sum(leads) / times == pytest.approx(mean, abs=0.02)  # both are rounded


def test_there_are_seventeen_measures_and_all_exist():
    assert len(ROWS) == len({row.measure for row in ROWS}) == 17
    for row in ROWS:
        assert ("labels" in MEASURES[row.measure].needs) == row.labels
        outside = row.name.endswith("oos")
        assert ("held_out" in MEASURES[row.measure].needs) == outside


def test_settings_come_from_the_stated_distributions():
    plan = Plan(trials=400, most_topics=200)
    drawn = {name: [settings_of(plan, name, t) for t in range(400)] for name in ALGORITHMS}
    topics = [each["n_components"] for each in drawn[LDA]]
    assert all([each["n_components"] for each in drawn[name]] == topics for name in ALGORITHMS)
    # 400 trials over 40 numbers of topics, one from each four-hundredth: ten of each.
    assert pd.Series(topics).value_counts().to_dict() == dict.fromkeys(range(5, 201, 5), 10)
    for prior in ("alpha", "beta"):
        logs = pd.Series([math.log(each[prior] * each["n_components"]) for each in drawn[LDA]])
        assert logs.median() == pytest.approx(0, abs=0.01)
        assert logs.std() == pytest.approx(0.5, abs=0.02)
    for penalty, deviation in (("l2_topics", 0.5), ("l2_weights", 0.02)):
        values = pd.Series([each[penalty] for each in drawn[NMF]])
        assert values.mean() == pytest.approx(0, abs=0.02 * deviation)
        assert values.std() == pytest.approx(deviation, rel=0.04)
    for name in (NMF, KMEANS):
        assert sum(each["weighting"] == "tfidf" for each in drawn[name]) == 200
    firsts = pd.DataFrame({"k": topics, "alpha": [each["alpha"] for each in drawn[LDA]]})
    assert abs((firsts["alpha"] * firsts["k"]).corr(firsts["k"])) < 0.2


def test_a_model_is_the_same_for_the_same_seed_only():
    assert settings_of(Plan(), NMF, 3) == settings_of(Plan(), NMF, 3)
    assert settings_of(Plan(), NMF, 3) != settings_of(Plan(seed=1), NMF, 3)


@pytest.mark.parametrize(
    ("best", "second", "higher", "percent"),
    [
        (3, 2, True, 50),  # (3 − 2) / 2
        (2, 4, False, 50),  # (4 − 2) / 4
        (-1, -4, True, 75),  # (−1 + 4) / |−4|
        (0, 5, False, 100),  # (5 − 0) / 5
        (2, 4, True, -50),  # the second is ahead here
        (1, 0, True, math.inf),
        (0, 0, False, 0),
    ],
)
def test_lead(best, second, higher, percent):
    assert lead(best, second, higher) == percent


def test_the_best_trial_counts():
    assert best_record(RECORDS, "a", NMF, "frobenius")["settings"]["n_components"] == 10
    assert best_record(RECORDS, "a", NMF, "topic_uniform")["settings"]["n_components"] == 5
    assert best_record(RECORDS, "b", NMF, "closeness") is None


def test_scores_on_one_corpus():
    frobenius = row_of(scores_on(RECORDS, "a"), "frobenius")
    assert [frobenius[name] for name in ALGORITHMS] == [8.0, 4.0, 5.0]
    assert (frobenius["best"], frobenius["second"]) == (NMF, KMEANS)
    assert frobenius["delta"] == pytest.approx(0.2)  # |4 − 5| / 5
    assert 100 * frobenius["delta"] == pytest.approx(lead(4.0, 5.0, False))


def test_best_over_corpora():
    fourth = table_4(tables())
    # Ranks: LDA 3, 1; NMF 1, 2; k-means 2, 3. On a ∆ is (8 − 4)/8, on b (9 − 10)/9.
    frobenius = row_of(fourth, "frobenius")
    assert (frobenius["best"], frobenius["second"]) == (NMF, LDA)
    assert frobenius["delta"] == pytest.approx(100 * (4 / 8 - 1 / 9) / 2)
    assert (frobenius["first_on"], frobenius["corpora"]) == (1, 2)
    # Ranks: LDA 2, 1; NMF 3, 2; k-means 1, 3. ∆ of LDA over k-means: (2 − 4)/4 and (6 − 1)/1.
    uniform = row_of(fourth, "topic_uniform")
    assert (uniform["best"], uniform["second"]) == (LDA, KMEANS)
    assert uniform["delta"] == pytest.approx(100 * (-0.5 + 5) / 2)


def test_of_equal_ranks_the_larger_lead_is_best():
    # LDA and NMF are first and second in turn; LDA leads by (12 − 10)/10, NMF by (20 − 10)/10.
    records = [
        record("a", LDA, 5, topic_uniform=12.0), record("a", NMF, 5, topic_uniform=10.0),
        record("a", KMEANS, 5, topic_uniform=1.0), record("b", LDA, 5, topic_uniform=10.0),
        record("b", NMF, 5, topic_uniform=20.0), record("b", KMEANS, 5, topic_uniform=1.0),
    ]  # fmt: skip
    uniform = row_of(table_4(tables(records)), "topic_uniform")
    assert (uniform["best"], uniform["second"]) == (NMF, LDA)
    # (10 − 12)/12 and (20 − 10)/10
    assert uniform["delta"] == pytest.approx(100 * (-1 / 6 + 1) / 2)


def test_nobody_is_best_where_all_are_alike_or_nothing_was_measured():
    fourth = table_4(tables())
    closeness, coherence = row_of(fourth, "closeness"), row_of(fourth, "expected_umass")
    assert (closeness["best"], closeness["delta"], closeness["corpora"]) == (None, 0.0, 1)
    assert (coherence["best"], coherence["corpora"]) == (None, 0)
    fifth = table_5(fourth).set_index("algorithm")
    assert fifth["times_best"].to_dict() == {LDA: 1, NMF: 1, KMEANS: 0}
    assert fifth.loc[NMF, "mean_delta"] == pytest.approx(100 * (4 / 8 - 1 / 9) / 2)
    assert agreement(fourth) == {
        "both": [],
        "best": ["frob fit is"],  # NMF before LDA; the thesis has k-means second
        "neither": ["topic uniform", "closeness"],
    }


def test_best_settings():
    sixth = table_6(RECORDS, "a").set_index("measure")
    assert sixth.loc["frobenius", NMF] == {"n_components": 10}
    assert sixth.loc["expected_umass", NMF] is None


def test_reuters_is_cut_to_the_labels_of_both_halves(tmp_path):
    kinds = [
        ("train", "cocoa|wheat"), ("train", "rare"), ("train", ""), ("test", "cocoa"),
        ("", "cocoa"), ("test", "wheat|odd"),
    ]  # fmt: skip
    table = pd.DataFrame(kinds * 20, columns=["modapte", "labels"])
    # Each word in ten documents, five of them kept: neither too few nor too many.
    table["title"] = [f"word{number // 10}" for number in range(len(table))]
    table = table.assign(id=range(len(table)), text="")
    table.to_parquet(tmp_path / "reuters.parquet")
    corpus = read_reuters(tmp_path / "reuters.parquet")
    assert list(corpus.labels) == [["cocoa", "wheat"], ["cocoa"], ["wheat"]] * 20


def test_a_tiny_run(tmp_path):
    keep, output = tmp_path / "trials.jsonl", tmp_path / "page.md"
    run = [*TINY, "--keep", str(keep), "--output", str(output)]
    assert seventeen_measures.main(run) == 0
    page, kept = output.read_text("utf-8"), keep.read_text("utf-8").splitlines()
    assert len(kept) == 2 * 3
    sections = {part.split("\n")[0]: part.split("\n") for part in page.split("\n## ")[1:]}
    for title, lines in sections.items():
        if "Table 1.4" in title or "Table 1.6" in title or title.startswith("Scores"):
            assert sum(line.startswith("| ") for line in lines) == 2 + 17
    fifth = next(lines for title, lines in sections.items() if "Table 1.5" in title)
    assert [line.split(" | ")[0] for line in fifth if line.startswith("| ")][2:] == [
        "| LDA", "| NMF", "| k-means",
    ]  # fmt: skip
    for line in kept:
        scores = json.loads(line)["scores"]
        assert list(scores) == [row.measure for row in ROWS]
        assert all(math.isfinite(value) for value in scores.values())

    # Cut off in its last line, the run goes on; the lines that are whole are believed.
    first = json.loads(kept[0])
    first["scores"]["topic_uniform"] = 123.45
    keep.write_text("\n".join([json.dumps(first), *kept[1:5], kept[5][:40]]), "utf-8")
    assert seventeen_measures.main(run) == 0
    again = keep.read_text("utf-8").splitlines()
    assert len(again) == 7
    assert json.loads(again[6])["scores"] == json.loads(kept[5])["scores"]
    assert "123.45" in output.read_text("utf-8")


def test_several_seeds_make_one_page(tmp_path):
    keep, output = tmp_path / "trials.jsonl", tmp_path / "page.md"
    run = [*TINY[:-2], "--seeds", "2", "--keep", str(keep), "--output", str(output)]
    assert seventeen_measures.main(run) == 0
    page, kept = output.read_text("utf-8"), keep.read_text("utf-8").splitlines()
    assert len(kept) == 2 * 2 * 3
    assert "--seed 0 --seeds 2`" in page
    assert NOTE in page
    assert " to " in page[page.index("## Scores") :]


def test_what_is_missing_is_said(tmp_path, capsys):
    assert seventeen_measures.main(["--data", str(tmp_path)]) == 1
    assert "reuters21578.parquet" in capsys.readouterr().err


def test_reuters_is_as_large_as_in_the_thesis(shared_data):
    corpus = read_reuters(shared_data / "reuters21578.parquet")
    # Table 1.3 has 10,788 documents and 90 labels.
    assert len(corpus) == 10789
    assert len({name for label in corpus.labels for name in label}) == 90


def test_the_page_says_what_a_single_topic_for_all_has():
    labels = [["tea", "rum"], ["tea"], ["rum"], ["milk"]]
    corpus = ch.Corpus(np.array([[2, 1], [1, 1], [1, 3], [0, 2]]), ["a", "b"], labels=labels)
    model = ch.fit("plsa", corpus, n_components=1)
    name = "variation_of_information"
    measured = ch.evaluate(model, corpus, measures=[name])["value"].item()
    assert _of_one_topic(corpus) == f"{measured:.3f}"
    assert _labels(corpus) == "3"
    assert _of_one_topic(replace(corpus, labels=None)) == "–"
