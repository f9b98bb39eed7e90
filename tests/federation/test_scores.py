"""What a session says about scores, and which documents are held out."""

from dataclasses import replace

import pytest

import chatham as ch
from chatham.errors import SessionError
from chatham.federation.join import concerns
from chatham.federation.scores import ScoreRules
from tests.federation.test_program import PARTIES, session

CORPUS = ch.read_corpus(PARTIES[0], stop_words=None)


def rules(share):
    return ScoreRules.of({"measures": ["npmi"], "held_out": share})


def test_a_share_is_held_out_by_the_seed_and_nothing_is_lost():
    fitted, held_out = rules(0.25).split(CORPUS, seed=3)
    again, _ = rules(0.25).split(CORPUS, seed=3)
    other, _ = rules(0.25).split(CORPUS, seed=4)
    assert (len(fitted), len(held_out)) == (30, 10)
    assert sorted([*fitted.ids, *held_out.ids]) == sorted(CORPUS.ids)
    assert list(fitted.ids) == list(again.ids) != list(other.ids)


def test_without_a_share_all_are_fitted():
    for given in (ScoreRules(), rules(0), ScoreRules.of({"measures": ["npmi"]})):
        fitted, held_out = given.split(CORPUS, seed=0)
        assert (fitted, len(held_out)) == (CORPUS, 0)


@pytest.mark.parametrize(("documents", "number"), [(0, 0), (1, 0), (2, 1), (4, 2), (100, 50)])
def test_never_are_all_held_out(documents, number):
    assert rules(0.5).number_of(documents) == number


@pytest.mark.parametrize(
    "score",
    [
        {"held_out": 0.1},
        {"measures": []},
        {"measures": "npmi"},
        {"measures": [1]},
        {"measures": ["npmi"], "share": 0.1},
        {"measures": ["npmi"], "held_out": 0.6},
        {"measures": ["npmi"], "held_out": -0.1},
        {"measures": ["npmi"], "held_out": "0.1"},
        {"measures": ["npmi"], "held_out": True},
    ],
    ids=str,
)
def test_anything_else_is_refused(score):
    with pytest.raises(SessionError, match="session's score"):
        ScoreRules.of(score)


def test_few_held_out_documents_are_warned_of():
    scored = replace(session(), score={"measures": ["perplexity"], "held_out": 0.1})
    assert concerns(scored, 300) == []
    (concern,) = concerns(scored, 100)
    assert "10 of your documents are held out" in concern
