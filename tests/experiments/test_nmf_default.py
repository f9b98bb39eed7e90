"""The study of what `ch.fit` sets for NMF: its own learners, its diagnosis, a tiny run."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import chatham as ch
import nmf_default
from chatham.learners.documents import Documents
from inference_study.records import Records
from nmf_default_study.corpora import SOURCES, Source, _with_one_label, parts_of, read
from nmf_default_study.diagnosis import crossed, diagnose
from nmf_default_study.report import page
from nmf_default_study.study import against, damped, fitted, run, trial
from nmf_default_study.ways import (
    AS_BEFORE,
    EVEN,
    FREE,
    MAIN,
    OTHERS,
    TOGETHER,
    WithBackground,
    WithSlack,
    descend,
)

K = 4


@pytest.fixture(scope="module")
def sample():
    ((name, corpus),) = read(None, ())
    return name, corpus.rows(np.arange(0, len(corpus), 4))


@pytest.fixture(scope="module")
def parts(sample):
    return parts_of(*sample, 0)


@pytest.fixture(scope="module")
def problem():
    draws = np.random.default_rng(0)
    topics = draws.dirichlet(np.full(12, 0.3), 3)
    counts = draws.poisson(1.0, (6, 12)) + np.eye(6, 12, dtype=int)
    return Documents(counts, frequencies=True), topics


@pytest.mark.parametrize(("rule", "most"), [("slack", (0, 1)), ("simplex", (1, 1))])
def test_weights_are_the_least_squares_ones(problem, rule, most):
    documents, topics = problem
    weights = np.zeros((documents.n, len(topics)))
    descend(rule, documents, weights, topics, 500)
    rows = sp.csr_array((documents.data, documents.indices, documents.indptr)).toarray()
    for row, found in zip(rows, weights, strict=True):
        assert found.min() >= 0
        assert most[0] - 1e-12 <= found.sum() <= most[1] + 1e-12
        sums = [{"type": "ineq", "fun": lambda w: 1 - w.sum()}]
        sums += [{"type": "ineq", "fun": lambda w: w.sum() - most[0]}]
        best = minimize(
            lambda w, row=row: ((row - w @ topics) ** 2).sum(), np.full(3, 0.3), method="SLSQP",
            bounds=[(0, 1)] * 3, constraints=sums, options={"ftol": 1e-15, "maxiter": 500},
        )  # fmt: skip
        assert ((row - found @ topics) ** 2).sum() == pytest.approx(best.fun, abs=1e-9)


@pytest.mark.parametrize("kind", [WithSlack, WithBackground])
def test_our_own_learners_descend_and_give_distributions(parts, kind):
    model = ch.fit(kind, parts.train, n_components=K, random_state=0, constraint="simplex")
    assert (np.diff(model.estimator.objective_) <= 1e-9).all()
    np.testing.assert_allclose(model.estimator.components_.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.weights.sum(axis=1), 1.0)


def test_slack_comes_between_the_simplex_and_no_constraint(parts):
    """The more weights may do, the less is left of the documents."""
    rows = fitted(parts.train, K, 0, MAIN[0])[1].counts
    topics = np.random.default_rng(0).dirichlet(np.full(rows.shape[1], 0.1), K)
    found = crossed(rows, topics, parts.labels)
    explained = [found[rule]["explained"] for rule in ("on the simplex", "to one at most", "free")]
    assert explained == sorted(explained)
    assert found["on the simplex"]["sum"] == pytest.approx(1.0)
    assert found["to one at most"]["sum"] <= 1.0 + 1e-12


def test_rows_of_unit_length_are_the_relative_loss():
    """So they aren't among the settings: without constraint they are the same problem."""
    draws = np.random.default_rng(0)
    counts = draws.poisson(0.7, (60, 20)).astype(float) + np.eye(60, 20)
    units = counts / np.linalg.norm(counts, axis=1, keepdims=True)
    settings = {"constraint": "none", "max_iter": 30, "tol": 0, "random_state": 0}
    relative = ch.NMF(3, loss="relative", **settings).fit(counts)
    plain = ch.NMF(3, loss="absolute", **settings).fit(units)
    np.testing.assert_allclose(relative.objective_, plain.objective_, rtol=1e-9)


def test_main_topics_against_labels():
    found = against(np.array([0, 0, 1, 1, 1]), 3, ["a", "a", "b", "b", "b"])
    assert found == {"largest": 0.6, "nmi": pytest.approx(1.0), "ari": pytest.approx(1.0)}
    assert against(np.array([0, 1]), 2, None) == {"largest": 0.5}


def test_what_a_trial_tells(parts):
    found = trial(parts, K, 0, MAIN[1])
    model = ch.fit("nmf", parts.train, n_components=K, random_state=0, constraint="none",
                   loss="relative", tol=1e-6, max_iter=200)  # fmt: skip
    main = model.weights.argmax(axis=1)
    assert found["largest"] == np.bincount(main).max() / len(main)
    expected = ch.evaluate(model, parts.train, ["npmi"])["value"].iloc[0]
    assert found["npmi"] == pytest.approx(expected)
    assert len(found["topics"]) == K


def test_counts_are_damped(parts):
    rows = damped(parts.train).counts
    np.testing.assert_allclose(rows.data, 1 + np.log(parts.train.counts.data))


def test_articles_with_several_subjects_are_left_out():
    import pandas as pd

    table = pd.DataFrame({"labels": ["a", "a|b", "", None, "c"]})
    source = Source("f", label="labels")
    assert _with_one_label(table, source)["labels"].tolist() == ["a", "c"]
    assert [name for name, each in SOURCES.items() if each.label] == [
        "BBC", "Reuters", "20 Newsgroups",
    ]  # fmt: skip


def test_every_setting_runs_and_is_kept(sample, tmp_path):
    name, corpus = sample
    ways = (*MAIN, *EVEN, *OTHERS)
    kept = Records(tmp_path / "kept.jsonl")
    records = run(name, corpus, K, range(1), ways, kept)
    assert len({record["way"] for record in records}) == len(ways)
    records += run(name, corpus, K, range(1), TOGETHER[:1], kept)
    diagnoses = diagnose(parts_of(name, corpus, 0), K, 0, kept)
    again = run(name, corpus, K, range(1), ways, Records(tmp_path / "kept.jsonl"))
    assert again == records[: len(ways)]
    written = page(records, diagnoses)
    for title in ("Topics or weights?", "The main settings", "Other settings", "Topics to look at"):
        assert f"## {title}" in written
    assert "nan" not in written.lower()
    assert f"| {AS_BEFORE} | {FREE} |" in written


def test_a_tiny_run(tmp_path, capsys):
    arguments = ["--topics", "3", "--seeds", "1", "--parts", "main", "--keep", str(tmp_path / "k")]
    assert nmf_default.main([*arguments, "--output", str(tmp_path)]) == 0
    lines = (tmp_path / "k").read_text().splitlines()
    assert len(lines) == len(MAIN) == len({json.dumps(json.loads(line)["asked"]) for line in lines})
    assert nmf_default.main(arguments) == 0
    assert capsys.readouterr().out == (tmp_path / "nmf_default_3.md").read_text()
    assert nmf_default.main([*arguments, "--only-kept"]) == 0
    assert capsys.readouterr().out == (tmp_path / "nmf_default_3.md").read_text()
    assert nmf_default.main([*arguments, "--parts", "compared"]) == 0
    compared = capsys.readouterr().out
    assert f"| 3 | {AS_BEFORE} |" in compared
    assert f"| 3 | {FREE} |" in compared
    assert MAIN[-1].name not in compared
    assert nmf_default.main(["--only-kept"]) == 1
    assert "--keep" in capsys.readouterr().err


def test_a_folder_without_corpora(tmp_path, capsys):
    assert nmf_default.main(["--data", str(tmp_path), "--corpora", "AP"]) == 1
    assert "ap.npz" in capsys.readouterr().err
