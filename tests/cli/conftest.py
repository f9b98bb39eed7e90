"""A small file of documents, a model fitted to it, and a way to run commands."""

import re

import pytest
from typer.testing import CliRunner

from chatham.cli import app
from chatham.cli.app import COMMANDS, command_named

PETS = [
    "Cats purr and cats sleep on the sofa",
    "The cat sleeps, the kitten purrs",
    "Kittens and cats purr",
    "Dogs bark at the postman",
    "A dog barks, a puppy barks",
    "Puppies and dogs bark at cats",
]


@pytest.fixture(autouse=True)
def no_width(monkeypatch):
    """Whatever terminal the tests are started in, commands print as into a pipe."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def run():
    """Run `chatham` with these words in this process."""

    def runs(*words, **options):
        result = CliRunner().invoke(app, [str(word) for word in words], **options)
        assert options_in(result.stderr) <= options_of(words) | OF_OTHERS, result.stderr
        return result

    return runs


OF_OTHERS = {"--model", "--slice"}
"""Options of another command, which sentences name as such: how a model should have been fitted."""


def options_in(text):
    """The options that a text names, but for those of a command that it quotes."""
    own = re.sub(r"'chatham [^']*'", "", text)
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", own))


def options_of(words):
    """The options of the command that these words call, and those that are typed."""
    typed = options_in(" ".join(map(str, words)))
    if not words or words[0] not in COMMANDS:
        return typed | {"--help", "--version"}
    params = command_named(words[0]).params
    return typed | {"--help"} | {option for each in params for option in each.opts}


@pytest.fixture(scope="session")
def news(tmp_path_factory):
    """A CSV file with ids and texts, the last of them empty."""
    path = tmp_path_factory.mktemp("corpus") / "news.csv"
    rows = [f'd{number},"{text}"' for number, text in enumerate([*PETS, ""])]
    path.write_text("\n".join(["id,text", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def model(run, news, tmp_path_factory):
    """A saved model of that file."""
    folder = tmp_path_factory.mktemp("models") / "pets"
    result = run("fit", news, "-k", 2, "-o", folder, "--quiet")
    assert result.exit_code == 0, result.output
    return folder
