"""Names of topics: first-order relevance and the area under the curve by hand, and a tiny run."""

import numpy as np
import pytest

import chatham as ch
import naming
from naming import against, area, chosen, first_order_words, page, scores


def test_first_order_relevance_is_the_sum_that_defines_it():
    rng = np.random.default_rng(0)
    topics, shares = rng.dirichlet(np.full(6, 0.5), size=3), np.array([0.5, 0.3, 0.2])
    joint = np.einsum("t,tw,tl->wl", shares, topics, topics)
    overall = shares @ topics
    pmi = np.log(joint / np.outer(overall, overall))
    for topic, columns in zip(topics, first_order_words(topics, shares), strict=True):
        relevance = topic @ pmi
        assert columns.tolist() == np.argsort(-relevance)[:3].tolist()


def test_the_area_is_how_often_one_that_is_in_has_more():
    rng = np.random.default_rng(1)
    values, is_in = rng.integers(0, 4, size=60), rng.random(60) < 0.4
    wins = [(a > b) + (a == b) / 2 for a in values[is_in] for b in values[~is_in]]
    assert area(values, is_in) == pytest.approx(np.mean(wins))


def made(way, **figures):
    usual = {"found": 0.8, "covered": 0.7, "NPMI": 0.3, "distinct": 1.0, "names": []}
    return {name: {**usual, **(figures if name == way else {})} for name in naming.WAYS}


@pytest.mark.parametrize(
    ("way", "figures", "expected"),
    [
        ("own order", {"found": 0.81}, "own order"),
        ("own order", {"found": 0.81, "NPMI": 0.27}, "λ = 0.6"),
        ("own order", {"found": 0.79}, "λ = 0.6"),
        ("phrase", {"found": 0.81}, "λ = 0.6"),
        ("phrase", {"found": 0.83}, "phrase"),
    ],
)
def test_the_rule(way, figures, expected):
    found = [{"corpus": c, "learner": "LDA", "seed": 0, **made(way, **figures)} for c in "abcd"]
    assert chosen(found) == expected
    assert bool(against(found, way)) == (expected != way)


def test_a_tiny_run_names_topics_in_every_way(capsys, monkeypatch, tmp_path):
    corpus = ch.sample_corpus(max_features=600).rows(range(0, 2887, 4))
    found = scores(corpus, "NMF", 4, 0)
    for way in naming.WAYS:
        assert 0 <= found[way]["found"] <= 1
        assert len(found[way]["names"]) == 4
    assert found["own order"]["found"] > 0.5
    monkeypatch.setattr(naming, "read", lambda _: {"some": corpus})
    monkeypatch.setattr(naming, "LEARNERS", {"NMF": "nmf"})
    words = ["--topics", "3", "--seeds", "1", "--keep", str(tmp_path / "kept")]
    assert naming.main(words) == 0
    first = capsys.readouterr().out
    assert "| some, NMF |" in first
    assert naming.main(words) == 0
    assert capsys.readouterr().out == first
    assert page([{"corpus": "s", "learner": "NMF", "seed": 0, **found}], 4).startswith("# Names")
