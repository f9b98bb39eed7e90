"""Sentences know their parameters, notes their kind, errors both; wherever they are sent."""

import copy
import json
import pickle

import pytest

import chatham as ch
from chatham.errors import FileError, Refused
from chatham.notes import PRUNED, ChathamWarning, Note, without
from chatham.wording import Either, Otherwise, Parameter, Sentence, clause, say, spelt

SENTENCE = say(
    "With {min_df=} and {max_df=!r}: lower {limit}, as {name!r} in {place} has it, or {how}.",
    min_df=5,
    max_df="x",
    limit=Parameter("min_df"),
    name=Parameter("own_df"),
    place="a{b}=c",
    how=Either(say("pass {vocabulary=}"), "give up"),
)


def dashed(name):
    return None if name == "own_df" else f"--{name.replace('_', '-')}"


def test_python_and_a_command_spell_the_same_sentence():
    assert SENTENCE == (
        "With min_df=5 and max_df='x': lower min_df, as 'own_df' in a{b}=c has it, or pass "
        "vocabulary=."
    )
    assert spelt(SENTENCE, dashed) == (
        "With --min-df 5 and --max-df 'x': lower --min-df, as 'own_df' in a{b}=c has it, or give "
        "up."
    )
    assert SENTENCE.parameters == ("min_df", "max_df", "own_df", "vocabulary")


def test_a_value_and_another_one_of_the_same_parameter():
    said = say("It got {init=!r}; use {init='auto'}.", init="k-means++")
    assert said == "It got init='k-means++'; use init='auto'."


def test_what_no_option_says_keeps_its_name():
    assert spelt(say("{own_df=3} and {own_df}"), dashed) == "own_df=3 and own_df"


def test_advice_is_for_commands_that_have_the_option():
    how = Otherwise(say("pass {vocabulary=}"), "write a file")
    sentence = say("Words are needed: {how}.", how=how)
    assert sentence == "Words are needed: pass vocabulary=."
    assert sentence.parameters == ("vocabulary",)
    assert sentence.spelt({"vocabulary": "--words"}.get) == "Words are needed: pass --words."
    assert sentence.spelt({}.get) == "Words are needed: write a file."


@pytest.mark.parametrize("kind", [ch.InputError, ChathamWarning])
def test_errors_and_warnings_keep_their_parameters_inside_others(kind):
    inner = kind(SENTENCE)
    outer = ch.InputError(say("It can't be: {why}", why=inner))
    assert inner.parameters == outer.parameters == SENTENCE.parameters
    assert str(outer) == f"It can't be: {SENTENCE}"
    assert spelt(outer, dashed) == f"It can't be: {spelt(SENTENCE, dashed)}"


def test_plain_texts_are_sentences_without_parameters():
    assert ch.InputError("No min_df= here.").parameters == ()
    assert spelt(ch.InputError("No min_df= here."), dashed) == "No min_df= here."


@pytest.mark.parametrize("sent", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
@pytest.mark.parametrize("it", [SENTENCE, Note(SENTENCE, PRUNED)])
def test_sentences_arrive_as_they_were(sent, it):
    there = sent(it)
    assert (there, type(there)) == (it, type(it))
    assert spelt(there, dashed) == spelt(it, dashed)
    assert getattr(there, "kind", None) == getattr(it, "kind", None)


def test_errors_arrive_with_what_programs_ask_for():
    error = pickle.loads(pickle.dumps(FileError(SENTENCE, path="a.csv")))
    assert (error.path, error.parameters) == ("a.csv", SENTENCE.parameters)
    assert Refused("stale", "Too late.").kind == "stale"


def test_in_files_a_note_is_a_text():
    assert json.loads(json.dumps([Note("Kept 2 words.", PRUNED)])) == ["Kept 2 words."]


def test_notes_are_told_apart_by_kind_alone():
    notes = [Note("Anything.", PRUNED), "Kept 2 of 3 words.", Note("Kept.")]
    assert without(notes, PRUNED) == notes[1:]
    assert without(notes) == notes


@pytest.mark.parametrize(
    ("sentence", "inside"),
    [
        ("Plain.", "Plain"),
        ("No stop", "No stop"),
        (ValueError("Theirs."), "Theirs"),
        (say("Lower {min_df}."), "Lower min_df"),
        (say("Lower {min_df}"), "Lower min_df"),
    ],
)
def test_a_clause_has_no_full_stop(sentence, inside):
    assert clause(sentence) == inside
    assert isinstance(clause(sentence), Sentence)
