"""`chatham join`: what can't work is said before anybody waits for it."""

import os
from dataclasses import replace

import pytest

from chatham.federation.session import read_session
from tests.cli.federation import Federation


@pytest.fixture
def federation(tmp_path):
    return Federation(tmp_path)


def test_a_key_that_is_in_no_roster_is_refused(run, federation, tmp_path):
    run("keygen", "East", "-o", tmp_path / "east.key")
    result = run(*federation.joining("North", federation.session(), key=tmp_path / "east.key"))
    assert result.exit_code == 1
    assert "Your key isn't in this session's roster" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="rights of files are another matter there")
def test_a_key_that_others_may_read_is_refused(run, federation):
    federation.key("North").chmod(0o644)
    result = run(*federation.joining("North", federation.session()))
    assert result.exit_code == 1
    assert "may be read by others" in result.stderr


def test_a_file_that_is_no_key_is_not_asked_for_its_rights(run, federation):
    federation.text("North").chmod(0o644)
    words = federation.joining("North", federation.session(), key=federation.text("North"))
    result = run(*words)
    assert result.exit_code == 1
    assert "North.txt isn't a private key made by chatham keygen." in result.stderr


WRONG = {
    "no such learner": {"algorithm": "bert"},
    "no such parameter": {"parameters": {"n_components": 3, "alphas": 1}},
    "a file of mine as stop words": {"vocabulary": {"stop_words": "/etc/passwd"}},
    "words of one party": {"vocabulary": {"min_parties": 1}},
    "an unknown rule": {"vocabulary": {"max_tf": 0.5}},
    "a share above all": {"vocabulary": {"max_df": 1.5}},
    "limits that no word meets": {"vocabulary": {"min_df": 9, "max_df": 8}},
    "items that aren't": {"vocabulary": {"items": "yes"}},
    "n-grams that can't be": {"vocabulary": {"ngrams": [2, 9], "stop_words": "none"}},
    "n-grams and guessed stop words": {"vocabulary": {"ngrams": [1, 2]}},
    "a score that isn't one": {"score": {"measures": "npmi"}},
    "a measure that needs labels": {"score": {"measures": ["ari"]}},
    "a measure of what no such model has": {"score": {"measures": ["hard_rank"]}},
    "a start from single documents": {
        "algorithm": "kmeans",
        "parameters": {"n_components": 3, "init": "k-means++"},
    },
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_a_session_that_asks_for_what_cannot_be_is_refused(run, federation, change):
    path = federation.session()
    path.write_text(replace(read_session(path), **change).to_toml())
    result = run(*federation.joining("North", path))
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("Error: ")
    assert "unexpected" not in result.stderr
    assert not (federation.folder / "North-lda").exists()


def test_documents_that_the_learner_will_refuse_are_refused_before_anybody_is_asked(
    run, federation
):
    """Of so few words any that may be agreed on could be worked out from the products."""
    path = federation.session("anchor", exact_totals_know=False)
    result = run(*federation.joining("North", path))
    assert result.exit_code == 1, result.output
    assert "Make a new session with fewer topics" in result.stderr
    assert "Take part?" not in result.stderr
    assert "chatham." not in result.stderr, "no name of a module"
    assert not (federation.folder / "North-anchor" / "ledger.jsonl").exists()


def test_what_cannot_be_read_or_written_is_said_first(run, federation, tmp_path):
    path = federation.session()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x")
    for own, said in (
        ({"corpus": tmp_path / "none.csv"}, "There is no file or folder"),
        ({"key": tmp_path / "none.key"}, "none.key"),
        ({"output": tmp_path / "full"}, "something other than a Chatham model"),
        ({"folder": tmp_path / "full" / "x"}, "x' is not a folder"),
        ({"basket": "a", "item": "b"}, "leave it out"),
    ):
        result = run(*federation.joining("North", path, **own))
        assert result.exit_code == 1, result.output
        assert said in result.stderr


def test_options_of_documents_and_baskets_do_not_mix(run, federation):
    more = ("--basket", "a", "--item", "b", "--text", "c")
    result = run(*federation.joining("North", federation.session(), *more))
    assert result.exit_code == 2
