"""Options given twice: those that add up do, and the others are refused, by every command."""

import json

import pytest

from chatham.cli.app import COMMANDS, command_named


def options_of(command):
    return [each for each in command_named(command).params if each.param_type_name == "option"]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_repeated_is_refused(run, command):
    single = [option for option in options_of(command) if not option.multiple]
    assert single
    for option in single:
        value = [] if option.is_flag else ["1"]
        result = run(command, option.opts[0], *value, option.opts[-1], *value)
        assert result.exit_code == 2
        said = f"{'/'.join(option.opts)} was given more than once, and only one of them would count"
        assert said in " ".join(result.stderr.split())


def test_some_options_are_there_to_be_repeated():
    several = {each.opts[0] for name in COMMANDS for each in options_of(name) if each.multiple}
    assert several >= {"--text", "--set", "--anchors"}


def test_help_may_be_asked_for_twice(run):
    assert run("fit", "--help", "-h").exit_code == 0


@pytest.fixture
def papers(tmp_path):
    path = tmp_path / "papers.csv"
    rows = [
        f'https://example.org/on-{word},"On {word} in brief, a note","Here the {word} is seen '
        f'again by those who were looking for a {word}, and it stays."'
        for word in ("tea", "milk", "bread", "salt")
    ]
    path.write_text("\n".join(["permalink,headline,abstract", *rows]) + "\n")
    return path


def notes_of(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["corpus"]["notes"]


def test_texts_of_several_columns_are_joined(run, papers):
    short = ("fit", papers, "-k", 2, "--max-iter", 2, "--stop-words", "none", "--json")
    counted = [
        json.loads(run(*short, *options).stdout)["corpus"]["tokens"]
        for options in (
            ("--text", "headline"),
            ("--text", "abstract"),
            ("--text", "headline", "--text", "abstract"),
        )
    ]
    assert counted[0] + counted[1] == counted[2]


def test_what_was_guessed_is_said_and_can_be_changed_by_the_option_it_names(run, papers):
    notes = notes_of(run("fit", papers, "-k", 2, "--max-iter", 2, "--json"))
    assert (
        "The text is the column 'headline' joined with the column 'abstract', a guess; pass --text "
        "to choose others."
    ) in notes
    chosen = run("fit", papers, "-k", 2, "--max-iter", 2, "--json", "--text", "abstract")
    assert not any("a guess; pass --text" in note for note in notes_of(chosen))


def test_the_same_column_twice_is_refused(run, papers):
    result = run("fit", papers, "--text", "headline", "--text", "headline")
    assert result.exit_code == 1
    assert "--text names the column 'headline' twice" in result.stderr


def test_own_stop_words_beside_those_of_the_language(run, papers, tmp_path):
    mine = tmp_path / "mine.txt"
    mine.write_text("brief\n")
    result = run("fit", papers, "-k", 2, "--max-iter", 2, "--json", "--stop-words", f"auto,{mine}")
    assert any(
        "1 stop word of the file mine.txt and English stop words, a guess" in note
        for note in notes_of(result)
    )


@pytest.mark.parametrize(
    ("written", "sentence"),
    [("auto,nothing.txt", "'nothing.txt' is neither a file nor"), ("none,en", "none stands alone")],
)
def test_stop_words_that_are_not_there_are_refused(run, papers, written, sentence):
    result = run("fit", papers, "--stop-words", written)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
