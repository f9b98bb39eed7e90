"""The library's sentences, and what people write, at the border of the command line."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.cli.app import COMMANDS, command_named
from chatham.cli.parse import as_value
from chatham.cli.wording import OPTIONS, as_options, speaking_for
from chatham.corpus.readers.files import decode
from chatham.corpus.scripts import spaceless_warning
from chatham.wording import say
from tests.cli.conftest import options_in, options_of


@pytest.mark.parametrize(
    ("written", "value"),
    [("none", "none"), ("None", None), ("", None), ("True", True), ("false", False), ("0.5", 0.5)],
)
def test_values_are_what_they_look_like(written, value):
    assert as_value(written) == value


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (say("Choose another with {text=}."), "Choose another with --text."),
        (say("{min_df=1}: lower {min_df}."), "--min-df 1: lower --min-df."),
        (say("{text=!r} is no column", text="body"), "--text 'body' is no column"),
        (say("{n_words} is {it}", it=1), "--words is 1"),
        (say("a larger {min_anchor_df}"), "a larger min_anchor_df"),
        (
            say("The {max_df!r} parameter of {it}", it="min_df="),
            "The 'max_df' parameter of min_df=",
        ),
        ("'min_df' in /tmp/min_df/a and text=", "'min_df' in /tmp/min_df/a and text="),
        (ch.InputError(say("{path}: pass {id=}", path="id=/a")), "id=/a: pass --id"),
    ],
)
def test_parameters_are_options_here_and_nothing_else_is(sentence, said):
    assert as_options(sentence) == said


def test_every_option_is_one_of_a_command():
    commands = [command_named(name) for name in COMMANDS]
    known = {option for each in commands for found in each.params for option in found.opts}
    assert set(OPTIONS.values()) <= known


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_told_of_its_own_options_alone(name):
    command = command_named(name)
    flagged = [each for each in command.params if getattr(each, "is_flag", False)]
    flags = {option for each in flagged for option in each.opts}
    with speaking_for(command):
        said = options_in(as_options(say(" ".join(f"{{{parameter}}}" for parameter in OPTIONS))))
    assert said <= options_of([name]) - flags
    assert as_options(say("{n_components}")) == "--topics"  # where no command runs


def test_counts_without_words_get_advice_that_the_command_can_take(run, model, tmp_path):
    sp.save_npz(tmp_path / "c.npz", sp.csr_array(np.ones((2, 3))))
    for command, advice in (
        ("transform", "pass --vocabulary"),
        ("evaluate", "put them into such a file, one a line"),
    ):
        result = run(command, model, tmp_path / "c.npz")
        assert result.exit_code == 1
        assert f"looked for c.vocab.txt and vocab.c.txt: {advice}.\n" in result.stderr
    (tmp_path / "c.vocab.txt").write_text("cat\ndog\npuppy\n")
    assert run("evaluate", model, tmp_path / "c.npz", "-q").exit_code == 0


def test_topics_without_words_get_it_too(run, news, tmp_path):
    (tmp_path / "t.json").write_text("[[0.5, 0.5], [0.1, 0.9]]")
    result = run("intrusion", tmp_path / "t.json", news, "-o", tmp_path / "q.csv")
    assert "give a .csv file that has them as its head." in result.stderr
    assert "vocabulary" not in result.stderr


def refusal(function, *given, **settings):
    """What a function of the library refuses this with."""
    with pytest.raises(ch.InputError) as refused:
        function(*given, **settings)
    return refused.value


@pytest.mark.parametrize(
    ("error", "python", "command"),
    [
        (
            refusal(ch.read_corpus, np.ones((2, 2))),
            "Counts need the words of their columns: pass vocabulary=.",
            "Counts need the words of their columns: pass --vocabulary.",
        ),
        (
            refusal(decode, b"\xff", "a.csv"),
            "pass its encoding, e.g. encoding='latin-1' (--encoding latin-1).",
            "pass its encoding, e.g. --encoding latin-1.",
        ),
        (
            refusal(ch.read_corpus, ["tea milk", "rum"], min_df=2),
            "with min_df=2 and max_df=1.0: lower min_df, raise max_df, or look at the tokenizer "
            "and stop words.",
            "with --min-df 2 and --max-df 1.0: lower --min-df, raise --max-df, or look at "
            "--stop-words.",
        ),
        (
            refusal(ch.read_corpus, ["1 2", "a"]),
            "or only stop words, numbers and words below min_length.",
            "or only stop words, numbers and words of a single letter.",
        ),
        (
            refusal(ch.read_corpus, ["tea"], stop_words="Klingon"),
            "stop_words='Klingon' is neither a language with stop words nor a file. See "
            "chatham.corpus.stop_word_languages().",
            "--stop-words 'Klingon' is neither a language with stop words nor a file.",
        ),
        (
            refusal(ch.read_corpus, "no.csv"),
            "'no.csv': check the name, or pass texts as a list.",
            "'no.csv': check the name.",
        ),
        (
            refusal(ch.read_corpus, np.ones((1, 1)), vocabulary=["a"], ngrams=(1, 2)),
            "lowercase, min_length, numbers, hyphens, ngrams and tokenizer change how texts become "
            "words, and here words are counted already: give the texts instead.",
            "--ngrams changes how texts become words, and here words are counted already: give the "
            "texts instead.",
        ),
    ],
)
def test_python_is_not_spoken_here(error, python, command):
    assert str(error).endswith(python)
    assert as_options(error).endswith(command)


def test_no_function_is_asked_for():
    said = as_options(spaceless_warning(["Chinese"]))
    assert "separate the words with spaces first" in said
    assert "function" not in said


@pytest.fixture
def chinese(tmp_path):
    lines = ["主题模型 发现文档 中的主题", "文档由词语 组成", "主题模型 文档由词语"]
    (tmp_path / "zh.txt").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path / "zh.txt"


def test_a_note_is_not_said_twice(run, chinese):
    result = run("fit", chinese, "-k", 2, "-m", "plsa", "--max-iter", 2)
    assert result.output.count("Many letters are Chinese") == 1
    found = json.loads(run("fit", chinese, "-k", 2, "-m", "plsa", "--json").stdout)
    assert "Many letters" in " ".join(found["corpus"]["notes"])
    assert found["warnings"] == []


def test_warnings_are_not_lost_to_machines(run, news, tmp_path):
    found = json.loads(run("fit", news, "-k", 9, "-m", "plsa", "--json").stdout)
    assert found["warnings"][0].startswith("9 topics were requested for 6 documents with words")
    result = run("fit", news, "-k", 9, "-m", "plsa")
    assert "Note: 9 topics were requested for 6 documents" in result.stderr
    assert "were asked of" not in run("fit", news, "-k", 6, "-m", "plsa").stderr


def test_no_advice_for_python_when_nothing_is_left(run, tmp_path):
    (tmp_path / "a.txt").write_text("1 2\n3 a\n")
    said = run("fit", tmp_path / "a.txt").stderr
    assert "min_length" not in said
    assert "single letter" in said


@pytest.mark.parametrize("name", ["a model", "it's"])
def test_the_command_to_see_a_model_can_be_pasted(run, news, tmp_path, monkeypatch, name):
    import shlex

    monkeypatch.setenv("COLUMNS", "40")
    result = run("fit", news, "-k", 2, "-m", "plsa", "-o", tmp_path / name)
    advice = result.stdout.rstrip("\n").split("\n")[-1]
    _, _, command = advice.partition("see it with: ")
    assert shlex.split(command) == ["chatham", "topics", str(tmp_path / name)]


def test_a_notebook_counts_in_grammar(monkeypatch):
    model = ch.fit("plsa", [[2, 0], [0, 3]], vocabulary=["a", "b"], n_components=2, max_iter=2)
    monkeypatch.setattr("chatham.model.notebook.MOST_TOPICS", 1)
    assert "and 1 smaller topic<" in model._repr_html_()
