"""Where NMF begins: what is left, what crossed, which way is ahead, a tiny run."""

import json

import numpy as np
import pytest

import chatham as ch
import initialisations
from chatham.corpus.synthetic.corpora import synthetic_corpus
from chatham.corpus.synthetic.planting import planted_topics
from initialisations_study.documents import RATINGS, Source
from initialisations_study.lines import MAIN, Case, Line
from initialisations_study.report import _order, page
from initialisations_study.study import Effort, Plan, study
from initialisations_study.trials import LOCAL, RANDOM, SINGULAR, TWICE, Apart, run_trial

K, WORDS, DOCUMENTS = 4, 60, 360
PLAN = Plan((Effort(K, 2, 1),), iterations=8, other_parties=(3,))


@pytest.fixture(scope="module")
def corpus():
    """Documents of planted topics; who holds them is in their labels."""
    topics, _ = planted_topics(K, WORDS, concentration=0.1, random_state=0)
    drawn = synthetic_corpus(topics, DOCUMENTS, lengths=80, prior=0.3, random_state=0).corpus
    labels = np.array(["ann", "bob", "eve"])[np.arange(DOCUMENTS) % 3]
    return ch.Corpus(drawn.counts, drawn.vocabulary, labels=labels)


@pytest.fixture(scope="module")
def source(corpus):
    return Source("planted", corpus, {}, "label", "three people")


@pytest.fixture(scope="module")
def case(source):
    return study(PLAN, [source], None)[0]


def test_what_is_left_of_one_topic_is_what_the_first_singular_value_leaves(corpus):
    values = np.linalg.svd(corpus.counts.toarray().astype(float), compute_uv=False)
    source = Source("planted", corpus, {"constraint": "none"})
    found = run_trial(source, 1, RANDOM, source.parties(3, 0), 60, 0)
    assert found["left"][-1] == pytest.approx(1 - values[0] ** 2 / (values**2).sum(), rel=1e-9)


@pytest.mark.parametrize("settings", [{}, {"loss": "relative"}])
def test_what_is_left_is_that_of_the_weights_and_topics(corpus, settings):
    source = Source("planted", corpus, settings)
    found = run_trial(source, K, SINGULAR, source.parties(3, 0), 300, 0)
    nmf = ch.NMF(K, max_iter=300, tol=0, random_state=0, **settings).fit(corpus.counts)
    rows = corpus.counts.toarray() / corpus.counts.toarray().sum(axis=1, keepdims=True)
    errors = ((rows - nmf.transform(corpus.counts) @ nmf.components_) ** 2).sum(axis=1)
    norms = (rows**2).sum(axis=1)
    relative = (errors / norms).mean() if settings else errors.sum() / norms.sum()
    assert found["left"][-1] == pytest.approx(relative, rel=1e-6)


def test_the_first_half_of_twice_as_many_iterations_is_random(source, case):
    alone = run_trial(source, K, RANDOM, source.parties(9, 0), 8, 0)
    assert case.lines[RANDOM].left[0].tolist() == alone["left"]
    assert case.lines[TWICE].left[0, :4].tolist() == alone["left"][1::2]
    assert (case.lines[TWICE].end <= case.lines[RANDOM].end).all()


@pytest.mark.parametrize("init", [TWICE, SINGULAR])
@pytest.mark.parametrize("settings", [{}, RATINGS])
def test_a_split_changes_no_start_but_that_from_own_topics(corpus, init, settings):
    source = Source("planted", corpus, settings)
    pooled, split = (run_trial(source, K, init, source.parties(n, 3), 8, 0)["left"] for n in (1, 9))
    assert split == pytest.approx(pooled, rel=1e-9)


def test_masks_change_nothing(source):
    parts = source.parties(3, 0)
    plain, masked = (
        ch.NMF(K, init="local", max_iter=8, tol=0, random_state=0).fit(commons).objective_
        for commons in (Apart(parts), ch.Simulated(parts, secure=True, exact_totals=True))
    )
    assert plain == pytest.approx(masked, rel=1e-6)


def test_own_topics_of_parties_alike_are_nearly_there(case):
    best = case.best
    assert case.lines[LOCAL].left[:, 0].max() < best * 1.01
    assert case.lines[RANDOM].left[:, 0].min() > best * 1.05


@pytest.mark.parametrize("settings", [{}, RATINGS])
def test_what_crosses_follows_from_sizes(corpus, settings):
    source = Source("planted", corpus, settings)
    found = run_trial(source, K, SINGULAR, source.parties(3, 0), 5, 0)
    gram = WORDS * K * (K + 1) // 2 if settings else K * K
    (sent,) = set(np.diff(found["bytes"]))  # every iteration sends as much
    assert 0 < sent - 8 * (WORDS * K + gram) <= 8 * 5 * K  # a few numbers a topic besides
    rounds, before = found["before"]
    power = 7 * WORDS * (K + 10)  # seven images of a basis; the rest is small
    assert 9 <= rounds <= 10
    assert 0 < before - 8 * power <= 8 * 5 * K
    assert found["rounds"] == list(range(rounds + 1, rounds + 6))


def test_own_topics_cost_the_rounds_in_which_they_are_mixed(source):
    found = run_trial(source, K, LOCAL, source.parties(3, 0), 3, 0)
    rounds, sent = found["before"]
    mixing = rounds - 3  # documents, own topics and the norm are each told once
    assert 2 <= mixing <= 100
    assert 0 < sent - 8 * mixing * (WORDS * K + K * K) <= 8 * 5 * K


def test_parties(source):
    assert [len(part) for part in source.parties(9, 0)] == [40] * 9
    assert {part.labels[0] for part in source.parties("three people", 0)} == {"ann", "bob", "eve"}
    first, again, other = (source.parties(3, seed)[0].ids.tolist() for seed in (0, 0, 1))
    assert first == again != other


def test_what_takes_long_is_tried_less_often(source):
    slow = Source("slow", source.corpus, {}, "label", "three people", most={K: 1})
    assert len(PLAN.trials(source, PLAN.efforts[0])) == 2 * 2 + 1 + 1 + 2
    assert [trial[:2] for trial in PLAN.trials(slow, PLAN.efforts[0])] == [
        (SINGULAR, 9), (SINGULAR, 1), (LOCAL, 9), (TWICE, 9), (LOCAL, "three people"),
    ]  # fmt: skip


def test_where_a_line_is():
    line = Line(
        np.array([[0.9, 0.5, 0.4], [0.8, 0.7, 0.3]]),
        np.array([[3, 4, 5], [7, 8, 9]]),
        np.array([[10, 20, 30], [50, 60, 70]]),
        np.array([[2, 0], [6, 40]]),
    )
    assert line.reaches(0.5) == {"trials": 2, "iteration": 2.5, "rounds": 6.5, "bytes": 45.0}
    assert line.reaches(0.35) == {"trials": 1, "iteration": 3.0, "rounds": 9.0, "bytes": 70.0}
    assert line.reaches(0.2) == {"trials": 0}
    assert line.at_round(8).tolist() == [0.4, 0.7]
    assert line.at_round(6) is None


def test_the_order_is_by_means_and_says_what_is_alike(source):
    def record(init, *left):
        costs = {"rounds": [1] * len(left), "bytes": [1] * len(left), "before": [0, 0]}
        return {"init": init, "parties": 9, "left": list(left), **costs, "revived": 0}

    records = [
        record(TWICE, 0.9, 0.7), record(TWICE, 0.8, 0.5), record(SINGULAR, 0.62, 0.6),
        record(LOCAL, 0.4), record(LOCAL, 0.41),
    ]  # fmt: skip
    case = Case(Source("x", source.corpus), K, 1, 9, records)
    assert _order(case, 1) == "local < random_2x ≈ nndsvd < random"


def test_the_page_has_every_way_and_party(case):
    written = page(PLAN, [case])
    rows = [line.split(" | ")[0].removeprefix("| ") for line in written.splitlines()]
    assert all(rows.count(name) == 1 for name in (*MAIN, "local, three people"))
    assert "| 3 parties | 9 parties | natural ones |" in written
    assert case.unlike_pooled < 1e-9


def test_a_tiny_run(tmp_path):
    keep = tmp_path / "kept.jsonl"
    run = ["--topics", "3", "--trials", "2", "--others", "1", "--iterations", "5",
           "--keep", str(keep), "--output", str(tmp_path / "out")]  # fmt: skip
    assert initialisations.main(run) == 0
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert sorted(written) == [
        "initialisations.md",
        "initialisations.png",
        "initialisations_cost.png",
    ]
    kept = [json.loads(line) for line in keep.read_text("utf-8").splitlines()]
    assert len(kept) == 2 * 2 + 1 + 1 + 3
    assert all(0 < left <= 1 for line in kept for left in line["found"]["left"])
    assert b"nan" not in written["initialisations.md"].lower()
    # Again from what was kept: the same bytes, nothing new.
    assert initialisations.main(run) == 0
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert len(keep.read_text("utf-8").splitlines()) == len(kept)


def test_what_is_missing_is_said(tmp_path, capsys):
    assert initialisations.main(["--data", str(tmp_path)]) == 1
    assert "enron_ham.parquet" in capsys.readouterr().err


def test_numbers_that_don_t_go_together_are_refused(capsys):
    with pytest.raises(SystemExit):
        initialisations.main(["--topics", "3", "4", "--trials", "2"])
    assert "go together" in capsys.readouterr().err
