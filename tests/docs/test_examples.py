"""Examples can be pasted: a shell makes words of them that the commands know, and they run."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import chatham as ch
from chatham.cli import app
from chatham.cli.app import COMMANDS, command_named
from chatham.cli.reference import examples_in, help_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
KEYS = {name: f"{number:064x}" for number, name in enumerate(("NORTH", "SOUTH", "WEST"), 1)}
ECHO = r"""chatham() { printf '%s\037' "$@"; printf '\036'; }
zcat() { :; }
pip() { :; }
make() { :; }
"""
"""Commands that only say with which words they were called."""
NOT_HERE = {"demo", "explore", "relay", "join", "gossip", "ledger", "audit", "intrusion"}
"""Commands that need other parties, people or minutes; other tests run them."""
SLOW = ("evaluate model/ news.parquet", "nmf/ lda/", "--try", "--plot merged", "--table ")
"""What examples have in them that compute all measures, try out noise, draw, or need a session."""


def pasted(text):
    """The words of each command in a text that is pasted into a shell, which must not complain."""
    done = subprocess.run(
        ["sh", "-eu"], input=ECHO + text, env={**os.environ, **KEYS}, text=True,
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), (text, done.stderr)
    return [call.split("\x1f")[:-1] for call in done.stdout.split("\x1e")[:-1]]


def understood(words):
    """Whether the command takes these words; whatever it doesn't know is its own error."""
    name, *arguments = words
    return command_named(name).make_context(f"chatham {name}", arguments)


def on_the_page(name):
    section = re.search(rf"^## chatham {name}\n(.*?)(?=^## |\Z)", PAGES_OF_COMMANDS, re.S | re.M)
    return re.search(r"^```sh\n(.*?)^```", section[1], re.S | re.M)[1]


PAGES_OF_COMMANDS = (ROOT / "docs" / "cli.md").read_text("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_can_be_pasted_from_help_and_from_the_page(name):
    calls = pasted(on_the_page(name))
    shown = CliRunner().invoke(app, [name, "--help"], terminal_width=60).stdout
    block = re.search(r"^  Examples?:\n(.*?)\n\n", shown, re.S | re.M)[1]
    assert pasted(block) == calls == pasted(examples_in(help_of(command_named(name))))
    assert calls
    for words in calls:
        assert understood(words)
    assert name in {words[0] for words in calls}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_other_pages_can_be_pasted(page):
    for language, text in FENCED.findall(page.read_text("utf-8")):
        if language in ("", "sh") and re.search(r"^chatham ", text, re.M):
            assert all(map(understood, pasted(text))), text


def test_nothing_is_installed_by_a_name_that_no_index_has():
    sources = [*PAGES, *ROOT.glob("*.md"), *(ROOT / "src").rglob("*.py")]
    wrong = re.compile(r"install [^\n]*\bchatham(\[|\b(?!['\w]))|pip install chatham")
    found = [str(path) for path in sources if wrong.search(path.read_text("utf-8"))]
    assert found == []


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Abstracts with sections, ratings, counts and the models of them that examples speak of."""
    here = tmp_path_factory.mktemp("kept")
    corpus = ch.sample_corpus()
    texts = [text[:250] for text in corpus.texts[:60]]
    texts[::9] = [f"{text} nasa orbit god" for text in texts[::9]]
    table = pd.DataFrame({"body": texts, "desk": [str(row % 3) for row in range(60)]})
    table.to_csv(here / "news.csv", index=False)
    table.to_parquet(here / "news.parquet")
    table[:20].to_csv(here / "new.csv", index=False)
    table.to_csv(here / "north.csv", index=False)
    for number, name in enumerate(("january", "february", "march")):
        table[number::3].to_csv(here / f"{name}.csv", index=False)
    table[:30].to_excel(here / "reviews.xlsx", index=False)
    (here / "news").mkdir()
    table[30:].to_csv(here / "news" / "later.csv.gz", index=False)
    stars = [(f"u{user}", film, 3 + (user + film) % 3) for user in range(40) for film in range(30)
             if (user * film + film) % 3]  # fmt: skip
    pd.DataFrame(stars, columns=["user", "film", "stars"]).to_csv(here / "stars.csv", index=False)
    pd.DataFrame({"film": range(30), "title": [f"Film {n}" for n in range(30)]}).to_csv(
        here / "films.csv", index=False
    )
    counts = [f"{row} {word} 2" for row in range(1, 41) for word in range(1, 31) if row % word == 0]
    (here / "docword.kos.txt").write_text("\n".join(["40", "30", str(len(counts)), *counts]))
    (here / "vocab.kos.txt").write_text("\n".join(f"w{word}" for word in range(30)))
    (here / "topics.txt").write_text("model data text task\ncorpus speech language word\n")
    (here / "words.txt").write_text("wheat\ncorn\n")
    counted = ch.read_corpus(table, text="body")
    quick = {"random_state": 0, "max_iter": 20}
    anchors = ch.fit("anchor", counted, n_components=20, refine=0, **quick)
    anchors.save(here / "anchors")
    dated = ch.read_corpus(
        table.assign(date=[f"20{16 + row % 3}" for row in range(60)]), text="body"
    )
    anchors.tables = {"date": ch.over_time(anchors, dated)}  # as parties of a session made it
    anchors.save(here / "tabled")
    for name in ("lda", "nmf"):
        ch.fit(name, counted, n_components=20, **quick).save(here / name)
    ch.fit("nmf", counted, n_components=20, random_state=1, max_iter=20).save(here / "nmf2")
    baskets = ch.read_baskets(here / "stars.csv", basket="user", item="film", rating="stars")
    rated = ch.fit("nmf", baskets, n_components=2, missing="unobserved", **quick)
    rated.save(here / "films")
    first = ch.fit("lda", ch.read_corpus(here / "january.csv"), n_components=5, **quick)
    first = ch.keep_summary(first, slice="January", random_state=0)
    ch.update(first, here / "february.csv", slice="February").save(here / "grown")
    return here


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NOT_HERE])
def test_examples_run(name, kept, tmp_path, monkeypatch):
    for path in kept.iterdir():
        (tmp_path / path.name).symlink_to(path)
    if name in ("name", "edit"):  # which change it
        shutil.copytree(kept / "lda", tmp_path / "model")
    elif name not in ("fit", "update"):  # which make one
        (tmp_path / "model").symlink_to(kept / ("anchors" if name == "topics" else "lda"))
    monkeypatch.chdir(tmp_path)
    keys = dict(KEYS)
    for party in ("North", "South", "West") if name in ("publish", "merge", "session") else ():
        told = _ran("keygen", party, "--json", "--address", f"{party.lower()}.example:7000")
        keys[party.upper()] = re.search(r"[0-9a-f]{64}", told)[0]
    if name == "merge":
        for party in ("north", "south"):
            mine = "nmf/" if party == "north" else "nmf2/"
            of = ("publish", mine, "news.csv", "--key", f"{party}.key")
            _ran(*of, "--name", party.title(), "-o", f"{party}.summary")
    for words in pasted(on_the_page(name)):
        if not any(slow in " ".join(words) for slow in SLOW):
            if "--history" in words and name == "topics":
                words = [words[0], "grown", *words[2:]]
            if "--table" in words:
                words = [words[0], "tabled", *words[2:]]
            Path("session.toml").unlink(missing_ok=True)  # it is never overwritten
            _ran(*(STAND_INS.sub(lambda key: _key_of(key[0], keys), each) for each in words))


STAND_INS = re.compile("|".join(KEYS.values()))


def _key_of(stand_in, keys):
    return keys[next(name for name, key in KEYS.items() if key == stand_in)]


def _ran(*words):
    """What it printed; a command that reads standard input gets the abstracts there."""
    lines = pd.read_csv("news.csv").to_json(orient="records", lines=True)
    done = CliRunner().invoke(app, list(words), input=lines if "-" in words else None)
    assert done.exit_code == 0, (words, done.output)
    return done.stdout
