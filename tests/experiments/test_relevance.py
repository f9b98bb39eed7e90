"""Words by relevance: what an intruder is, how it is found, and how the rule decides."""

import numpy as np
import pytest

import chatham as ch
import relevance
from relevance import CANDIDATE, DECIDING, ORDERS, cut, found_intruders, page, scores, verdicts

TEA, SEA = ["tea", "milk", "cup", "pot", "sugar"], ["sea", "sail", "wave", "ship", "tide"]


def corpus_of(*documents):
    vocabulary = sorted({*TEA, *SEA})
    counts = np.array([[document.count(word) for word in vocabulary] for document in documents])
    return ch.Corpus(counts, vocabulary)


def test_an_intruder_is_found_where_it_never_occurs_with_the_others():
    apart = corpus_of(TEA, TEA, SEA, SEA)
    assert found_intruders([TEA, SEA], [SEA, TEA], apart) == 1.0


def test_where_nothing_tells_words_apart_an_intruder_is_found_by_chance():
    together = corpus_of([*TEA, *SEA], [*TEA, *SEA], [])
    assert found_intruders([TEA, SEA], [SEA, TEA], together) == pytest.approx(1 / 6)


def test_who_fits_better_than_a_shown_word_is_not_found():
    intruder_fits = corpus_of([*TEA[:4], "sea"], [*TEA[:4], "sea"], ["sugar"], ["sugar"])
    assert found_intruders([TEA], [["sea"]], intruder_fits) == 0.0


def test_corpora_are_cut_to_documents_and_tokens():
    corpus = corpus_of(*[TEA] * 10)
    assert len(cut(corpus, documents=4)) == 4
    assert cut(corpus, tokens=17).n_tokens == 15


def row(corpus, seed, **changed):
    same = {order: dict.fromkeys((*DECIDING, "distinct words"), 0.5) for order in ORDERS}
    same[CANDIDATE] = dict.fromkeys(same[CANDIDATE], 0.6) | changed
    return {"corpus": corpus, "learner": "LDA", "k": 2, "seed": seed, **same}


def test_the_rule_asks_for_every_figure_on_every_corpus():
    assert verdicts([row("a", 0), row("b", 0)]) == {"LDA": []}
    one = {DECIDING[2]: 0.5}  # no higher is not enough
    assert verdicts([row("a", 0), row("b", 0, **one)]) == {"LDA": [f"b ({DECIDING[2]})"]}
    mean = [row("a", 0, **{DECIDING[0]: 0.3}), row("a", 1, **{DECIDING[0]: 0.8})]
    assert verdicts(mean) == {"LDA": []}, "it goes by the mean over seeds"


def test_a_tiny_run_is_written_and_found_again(capsys, monkeypatch, tmp_path):
    corpus = ch.sample_corpus(max_features=600).rows(range(0, 2887, 6))
    found = scores(corpus, "NMF", 4, 0)
    assert list(found) == list(ORDERS)
    assert found["λ = 0.3"]["distinct words"] >= found["own"]["distinct words"]
    monkeypatch.setattr(relevance, "read", lambda _: {"some": corpus})
    monkeypatch.setattr(relevance, "LEARNERS", {"NMF": "nmf"})
    words = ["--topics", "3", "--seeds", "2", "--keep", str(tmp_path / "k")]
    assert relevance.main(words) == 0
    first = capsys.readouterr().out
    assert "## NMF: found intruders, held out" in first
    assert "- NMF: the rule is" in first
    assert relevance.main(words) == 0
    assert capsys.readouterr().out == first
    assert "seeds 0, each" in page([{**row("some", 0)}], 2)
