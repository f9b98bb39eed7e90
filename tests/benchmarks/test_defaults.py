"""The benchmark of defaults: the same documents for all, fair measures, verdicts, kept cells."""

import json
import os
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from benchmarks.defaults import cells, contenders, judging
from benchmarks.defaults.__main__ import main
from benchmarks.defaults.cells import Cell, Kitchen, Row, cells_of, current, run
from benchmarks.defaults.contenders import CONTENDERS, Contender, Found, taking_part
from benchmarks.defaults.documents import cut, parts_of
from benchmarks.defaults.judging import Kept, completion, keep, nmi, npmi, scores_of
from benchmarks.defaults.page import page_of
from benchmarks.defaults.standing import Question, Values, field_of, first_of, standings, within
from chatham.corpus import Corpus
from tests.conftest import matched_distance, plant

K = 4


@pytest.fixture(scope="module")
def planted_parts():
    counts, topics, weights = plant(n=300, d=60, k=K, seed=3, concentration=0.1)
    words = [f"word{column:02d}" for column in range(60)]
    labels = [f"class {topic}" for topic in weights.argmax(axis=1)]
    parts = parts_of("planted", Corpus(counts, words, labels=labels))
    kept = [words.index(word) for word in parts.train.vocabulary]
    shares = topics[:, kept] / topics[:, kept].sum(axis=1, keepdims=True)
    return parts, shares


def test_copies_of_a_document_stay_on_one_side():
    rng = np.random.default_rng(0)
    once = rng.integers(0, 3, (60, 12)) + np.eye(60, 12, dtype=int)
    counts = np.vstack([once, once[:30], once[:10]])
    train, test = cut(Corpus(counts, [f"w{i}" for i in range(12)]), 0.2)
    seen = {row.tobytes() for row in train.counts.toarray()}
    assert not any(row.tobytes() in seen for row in test.counts.toarray())
    assert len(train) + len(test) == 100
    assert 17 <= len(test) <= 20


def test_words_are_those_of_training_documents_and_labels_are_single():
    rng = np.random.default_rng(1)
    counts = np.hstack([rng.integers(1, 4, (40, 5)), np.eye(40, dtype=int)])
    labels = (["tea", "milk|tea", None, ""] * 10)[:40]
    parts = parts_of("few", Corpus(counts, [f"w{i:02d}" for i in range(45)], labels=labels))
    assert parts.train.n_words == parts.test.n_words == 5 + len(parts.train)
    assert len(parts.everything) == 40
    assert set(parts.classes) == {"tea", None}
    assert (parts.classes == "tea").sum() == sum(label == "tea" for label in parts.train.labels)


def test_the_fingerprint_is_of_the_documents(planted_parts):
    parts, _ = planted_parts
    other = replace(parts, train=parts.train.rows(slice(1, None)))
    again = replace(parts, name="another name")
    assert again.fingerprint == parts.fingerprint != other.fingerprint


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", taking_part())
def test_everyone_finds_planted_topics_and_scores(planted_parts, name):
    parts, truth = planted_parts
    starts = [CONTENDERS[name].fit(parts, K, seed) for seed in range(3)]  # one may be unlucky
    found = min(starts, key=lambda each: matched_distance(each.topics[0], truth))
    kept = keep(found, parts)
    # k-means' centres are means of mixed documents; all others are near the truth.
    nearest = matched_distance(found.topics[0], truth)
    assert nearest < (0.6 if name == "chatham kmeans" else 0.3)
    for topics in found.topics:
        np.testing.assert_allclose(topics.sum(axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(kept.weights.sum(axis=1), 1.0, atol=1e-5)
    assert all(len(words) == 10 for words in found.words)
    assert all(len(main) == len(parts.train) for main in found.main)
    scores = scores_of(kept, parts)
    assert scores["nmi"] > 0.5
    # Near what the true topics give, and nobody's own weights beat the most likely ones by far.
    assert scores["completion"] == pytest.approx(completion(truth, parts), abs=0.12)
    assert scores["own_completion"] < scores["completion"] + 0.1


@pytest.mark.filterwarnings("ignore")
def test_ours_are_what_fit_makes_by_default(planted_parts):
    parts, _ = planted_parts
    model = ch.fit("nmf", parts.train, n_components=K, random_state=5)
    found = CONTENDERS["chatham nmf"].fit(parts, K, 5)
    assert (found.topics[0] == model.topics).all()
    assert found.words == model.top_word_lists(10)
    assert (found.main[0] == model.transform(parts.train.counts).argmax(axis=1)).all()


def test_weights_of_weighted_words_count_as_shares_of_plain_words():
    """Two rare words and two common ones: tf-idf alone would give a mixed document to the rare."""
    rows = [[9, 9, 0, 0]] * 40 + [[0, 0, 9, 9]] * 8 + [[6, 6, 4, 4]] * 2
    corpus = Corpus(sp.csr_array(np.array(rows)), ["a", "b", "c", "d"])
    parts = parts_of("mixed", corpus)
    parts = replace(parts, train=corpus, test=corpus)
    found = CONTENDERS["scikit-learn NMF"].fit(parts, 2, 0)
    common = int(found.topics[0][:, 0].argmax())
    assert (found.main[0][-2:] == common).all()
    mixed = found.weigh(corpus.counts)[-1]
    assert mixed[common] == pytest.approx(0.6, abs=0.05)


def test_completion_by_the_likeliest_weights_is_plsas_own(planted_parts):
    """Two ways to one number: by `evaluate` of an array, and with weights that PLSA gives."""
    parts, _ = planted_parts
    model = ch.fit("plsa", parts.train, n_components=K, random_state=0)
    kept = keep(CONTENDERS["chatham plsa"].fit(parts, K, 0), parts)
    by_evaluate = ch.evaluate(model, held_out=parts.test, measures=["completion"])["value"].iloc[0]
    assert completion(kept.topics[0], parts) == pytest.approx(by_evaluate, abs=1e-6)
    assert completion(kept.topics[0], parts, kept.weights) == pytest.approx(by_evaluate, abs=1e-9)


def test_npmi_and_nmi_have_their_known_values(planted_parts):
    counts = np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 10)
    parts = parts_of("pairs", Corpus(counts, ["a", "b", "c", "d"], labels=["x", "y"] * 10))
    # Copies stay together, so all of one kind may be held out: put both kinds into training.
    both = Corpus(counts, ["a", "b", "c", "d"])
    parts = replace(parts, everything=both, classes=np.array(["x", "y"] * 10, dtype=object))
    assert npmi([["a", "b"], ["c", "d"]], parts) == pytest.approx(1.0)
    assert nmi(np.array([1, 0] * 10), parts) == pytest.approx(1.0)
    assert nmi(np.zeros(20, dtype=int), parts) == pytest.approx(0.0)
    known = np.array(["x", None] * 10, dtype=object)
    assert nmi(np.array([0, 1] * 10), replace(parts, classes=known)) == pytest.approx(1.0)


def test_what_is_kept_has_the_same_scores(planted_parts, tmp_path):
    parts, truth = planted_parts
    weights = np.full((len(parts.test), K), 1 / K)
    words = contenders.top_words(truth, parts)
    mains = tuple(np.arange(len(parts.train)) % k for k in (K, 2))
    kept = Kept((truth, truth), words, mains, weights)
    kept.save(tmp_path / "arrays" / "one.npz")
    loaded = Kept.load(tmp_path / "arrays" / "one.npz")
    assert loaded.words == kept.words
    assert scores_of(loaded, parts) == pytest.approx(scores_of(kept, parts), abs=1e-5)


def test_of_two_ways_to_read_topics_and_weights_the_better_counts(planted_parts):
    parts, truth = planted_parts
    flat = np.full_like(truth, 1 / truth.shape[1])
    weights = np.full((len(parts.test), K), 1 / K)
    alone, right = np.zeros(len(parts.train), int), np.unique(parts.classes, return_inverse=True)[1]
    kept = Kept((flat, truth), [["word00", "word01"]], (alone, right), weights)
    scores = scores_of(kept, parts)
    assert scores["completion"] == completion(truth, parts) > completion(flat, parts)
    assert scores["way"] == 1
    assert scores["nmi"] == pytest.approx(1.0)
    assert scores["largest"] == np.bincount(right).max() / len(right)


def row(contender, seed, npmi, corpus="AP", k=20, **scores):
    found = {"npmi": npmi, "completion": None, "nmi": None, **scores}
    return Row(Cell(contender, corpus, k, seed), "documents", "code", found, {"iterations": 7}, 1.0)


def test_who_is_first_and_who_is_within_its_spread():
    field = {"a": Values((0.5, 0.7)), "b": Values((0.3, 0.5)), "c": Values((0.49, 0.49))}
    assert first_of(field) == "a"
    assert within(field) == ["b"]


def test_standings_of_ours():
    ours, theirs = "chatham nmf", "scikit-learn NMF"
    question = Question("of two", [ours, "chatham lda"], [theirs])
    rows = [
        *(row(ours, seed, value) for seed, value in enumerate([0.1, 0.2, 0.3])),
        *(row("chatham lda", seed, 0.21) for seed in range(3)),
        *(row(theirs, seed, value) for seed, value in enumerate([0.29, 0.3, 0.31])),
        row(ours, 0, 0.1, k=50), row(theirs, 0, 0.2, k=50),
        row(ours, 0, 0.2, corpus="BBC"), row(theirs, 0, 0.1, corpus="BBC"),
        row(theirs, 0, 0.1, corpus="ACL"),
    ]  # fmt: skip
    found = {(each.corpus, each.k): each for each in standings(rows, question)}
    assert {cell: each.outcome for cell, each in found.items()} == {
        ("AP", 20): "within the spread",  # by its best seed, though our LDA's mean is higher
        ("AP", 50): "missed",
        ("BBC", 20): "first",
    }
    assert found["AP", 20].ours == "chatham lda"
    assert found["AP", 20].first == theirs
    assert field_of(rows[:3], "nmi") == {}


def test_the_page_shows_firsts_spreads_and_misses(planted_parts):
    parts, _ = planted_parts
    rows = [
        *(row("chatham nmf", s, v, "planted", nmi=0.5) for s, v in enumerate([0.1, 0.2])),
        *(row("scikit-learn NMF", s, v, "planted", nmi=0.4) for s, v in enumerate([0.3, 0.3])),
        *(row("scikit-learn LDA", s, v, "planted", nmi=0.5) for s, v in enumerate([0.1, 0.3])),
        *(row("chatham lda from anchors", s, 0.9, "planted", nmi=0.9) for s in range(2)),
    ]
    page = page_of(rows, {"planted": parts})
    assert "## planted, 20 topics" in page
    assert "| chatham nmf | 0.150 (0.100 to 0.200) | **0.500** | 7 | 2 |" in page
    assert "| scikit-learn NMF | **0.300** | 0.400 | 7 | 2 |" in page
    assert "| scikit-learn LDA | 0.200 (0.100 to 0.300) * | 0.500 * | 7 | 2 |" in page
    # What is shown beside the contest is never first, and nobody's best.
    assert "| chatham lda from anchors | 0.900 | 0.900 | 7 | 2 |" in page
    assert "| The best of ours against all peers | NPMI | 0 | 0 | 1 |" in page
    assert "| Our NMF against theirs | NPMI | 0 | 0 | 1 |" in page
    assert "| Our NMF against theirs | NMI | 1 | 0 | 0 |" in page
    assert (
        "- NPMI, planted, k = 20: scikit-learn NMF 0.300, chatham nmf 0.150 (0.100 to 0.200), "
        "0.150 behind" in page
    )


@pytest.fixture
def counted(monkeypatch, planted_parts):
    """Two contenders, one of them ours, that count how often they are fitted."""
    fits = []

    def fit(name):
        def fitted(parts, k, seed):
            fits.append((name, k, seed))
            rng = np.random.default_rng(seed)
            topics = rng.dirichlet(np.ones(parts.train.n_words), k)
            return Found(
                (topics,), contenders.top_words(topics, parts),
                (np.arange(len(parts.train)) % k,),
                lambda counts: np.full((counts.shape[0], k), 1 / k),
                {"iterations": 1},
            )  # fmt: skip

        return fitted

    two = {
        "chatham lda": Contender("chatham lda", fit("chatham lda"), "LDA", is_ours=True),
        "scikit-learn LDA": Contender("scikit-learn LDA", fit("scikit-learn LDA"), "LDA"),
    }
    for module in (contenders, cells):
        monkeypatch.setattr(module, "CONTENDERS", two)
    return fits


def ran(parts, file, **options):
    corpora = {"planted": parts}
    kitchen = Kitchen(file)
    every = list(cells_of(["chatham lda", "scikit-learn LDA"], corpora, [3], range(2)))
    run(every, corpora, kitchen, **options)
    return current(kitchen, corpora, [3], range(2))


def test_what_is_done_stays_done(counted, planted_parts, tmp_path):
    parts, _ = planted_parts
    file = tmp_path / "kept.jsonl"
    first = ran(parts, file)
    assert counted == [(name, 3, s) for s in (0, 1) for name in ("chatham lda", "scikit-learn LDA")]
    assert ran(parts, file) == first
    assert len(counted) == 4
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["cell"]["seed"] for line in lines] == [0, 0, 1, 1]


def test_a_change_of_our_code_concerns_ours_alone(counted, planted_parts, tmp_path, monkeypatch):
    parts, _ = planted_parts
    file = tmp_path / "kept.jsonl"
    ran(parts, file)
    del counted[:]
    monkeypatch.setattr(cells, "_code", lambda: "other code")
    assert len(current(Kitchen(file), {"planted": parts}, [3], range(2))) == 2
    assert len(ran(parts, file)) == 4
    assert {name for name, *_ in counted} == {"chatham lda"}


def test_other_documents_or_settings_are_other_cells(counted, planted_parts, tmp_path, monkeypatch):
    parts, _ = planted_parts
    file = tmp_path / "kept.jsonl"
    ran(parts, file)
    monkeypatch.setitem(contenders.SETTINGS, "scikit-learn LDA", "more rounds")
    del counted[:]
    ran(parts, file)
    assert {name for name, *_ in counted} == {"scikit-learn LDA"}
    del counted[:]
    fewer = replace(parts, train=parts.train.rows(slice(2, None)), classes=parts.classes[2:])
    ran(fewer, file)
    assert len(counted) == 4


def test_fitted_again_and_judged_again(counted, planted_parts, tmp_path, monkeypatch):
    parts, _ = planted_parts
    file = tmp_path / "kept.jsonl"
    ran(parts, file)
    del counted[:]
    ran(parts, file, again=["scikit-learn LDA"])
    assert {name for name, *_ in counted} == {"scikit-learn LDA"}
    del counted[:]
    monkeypatch.setattr(judging, "npmi", lambda words, parts: 0.25)
    assert {each.scores["npmi"] for each in ran(parts, file, judge_again=True)} == {0.25}
    assert counted == []


@pytest.mark.filterwarnings("ignore")
def test_the_command_makes_a_page_of_the_sample(tmp_path, capsys):
    asked = ["-k", "3", "--seeds", "1", "--keep", str(tmp_path / "kept.jsonl")]
    assert main([*asked, "--only", "chatham plsa,scikit-learn NMF"]) == 0
    shown = capsys.readouterr()
    assert "2/2 scikit-learn NMF, bundled sample, 3 topics, seed 0" in shown.err
    assert re.search(r"\| chatham plsa \| .*\| 1 \|\n", shown.out)
    assert main([*asked, "--only", "chatham plsa", "-o", str(tmp_path / "page.md")]) == 0
    again = capsys.readouterr()
    assert (again.out, again.err) == ("", "")
    assert (tmp_path / "page.md").read_text() == shown.out


WRONG = {
    "a contender": (["--only", "chatham ldb"], "No contender is called 'chatham ldb'"),
    "a folder": (["--data", "."], "lacks 20newsgroups_clean.parquet"),
    "a page": (["-o", os.devnull + "/page.md"], "page.md"),
}


@pytest.mark.parametrize(("words", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_one_sentence(words, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 1
    error = capsys.readouterr().err
    assert error.startswith("Error: ")
    assert error.count("\n") == 1
    assert sentence in error
