"""`chatham gossip`: what a person sees and confirms, two agents, and what is refused."""

import json

import numpy as np
import pytest

import chatham as ch
from tests.cli.federation import PROCESSES
from tests.gossip.network import Network


@pytest.fixture
def network(tmp_path):
    return Network(tmp_path, {"a": "b", "b": "a"}, updates=4, documents=12)


def take_part(words, out):
    """What a process does; what it prints is in the file."""
    from typer.testing import CliRunner

    from chatham.cli import app

    result = CliRunner().invoke(app, [str(word) for word in words])
    out.write_text(json.dumps([result.exit_code, result.stdout, result.stderr]), "utf-8")


def begun(network, name, *more):
    out = network.folder / f"{name}.said"
    process = PROCESSES.Process(
        target=take_part, args=(network.command(name, *more), out), daemon=True
    )
    process.start()
    return process, out


def said(process, out):
    process.join(timeout=300)
    return json.loads(out.read_text("utf-8"))


def test_two_agents_reach_one_model_each(network, run):
    first = begun(network, "a", "--yes", "--json")
    code, out, errors = said(*begun(network, "b", "--yes"))
    assert code == 0, errors
    assert "Every exchange shows the neighbour your statistics as they are" in errors
    assert network.agents.agents[0].fingerprint in errors
    assert "λ₂ = " in errors
    assert "by gossip: 4 updates" in out
    code, out, errors = said(*first)
    assert (code, errors) == (0, "")
    told = json.loads(out)
    assert (told["agent"], told["updates"], told["algorithm"]) == ("a", 4, "lda")
    assert (told["documents"], told["words"], len(told["topics"])) == (12, 30, 3)
    models = [ch.load(network.folder / f"model-{name}") for name in "ab"]
    assert all(list(model.vocabulary) == network.words for model in models)
    weights = models[0].transform([" ".join(network.words[:3])])
    np.testing.assert_allclose(weights.sum(), 1)

    shown = run("ledger", network.home("a"), "--json")
    assert sum(each["times"] for each in json.loads(shown.stdout)["shown"]) == told["shown"] >= 4
    shown = run("ledger", network.home("a"), "--rounds")
    assert shown.stdout.startswith("Ledger")
    assert f"{told['shown']} times, to neighbours alone" in shown.stdout
    assert "shown to b" in shown.stdout
    assert "its lines are chained" in run("ledger", network.home("a"), "--verify").stdout.replace(
        f"{told['shown']} ", ""
    )
    path = network.home("a") / "ledger.jsonl"
    path.write_text(path.read_text("utf-8").replace('"to": ["b"]', '"to": ["c"]', 1), "utf-8")
    assert run("ledger", network.home("a"), "--verify").exit_code == 1

    again = run(*network.command("a", "--quiet"))  # all is done: nobody is asked or waited for
    assert again.exit_code == 0
    assert again.stderr == ""
    assert again.stdout.split()[:3] == ["topic", "share", "words"]


@pytest.mark.parametrize("how", [(), ("--quiet",), ("--json",)], ids=["", "quiet", "json"])
def test_nothing_is_sent_without_a_yes(network, run, how):
    shown = run(*network.command("a", *how), input="n\n")
    assert shown.exit_code == 1
    assert "a neighbour learns how often each word occurs" in " ".join(shown.stderr.split())
    assert shown.stderr.endswith("Nothing was sent.\n")
    assert not network.home("a").exists()


def test_under_masks_something_else_is_confirmed(tmp_path, run):
    network = Network(tmp_path, {"a": "bc", "b": "ac", "c": "ab"}, private=True)
    shown = run(*network.command("a"), input="n\n")
    assert "under masks: each sees the total alone" in " ".join(shown.stderr.split())
    assert "can subtract the totals" in " ".join(shown.stderr.split())
    assert "waking neighbourhoods: λ₂ = 0.000000" in " ".join(shown.stderr.split())


def one_sided(network):
    listed = network.file.read_text("utf-8").replace('neighbours = ["a"]', "neighbours = []")
    network.file.write_text(listed, "utf-8")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (one_sided,
         "Error: The agents' neighbours don't fit: Agent a lists b as a neighbour, but b doesn't "
         "list a; an edge must be listed on both sides, or on neither.\n"),
        (lambda n: n.key("a").write_bytes(n.key("b").read_bytes()),
         "isn't the key of a in the agents' file; give the key that chatham keygen made for it, "
         "or the name that belongs to this key.\n"),
        (lambda n: (n.folder / "words.txt").write_text("other\nwords\n"),
         "get the list that the others have.\n"),
        (lambda n: n.file.unlink(), "can't be read: there is no such file.\n"),
        (lambda n: n.counts.update(a=n.counts["a"] * 0),
         "see that the file is the right one, and its columns.\n"),
    ],
    ids=["one-sided", "key", "words", "no file", "no words"],
)  # fmt: skip
def test_what_is_refused(network, run, spoil, sentence):
    spoil(network)
    refused = run(*network.command("a", "--yes", "--quiet"))
    assert refused.exit_code == 1
    assert refused.stderr.endswith(sentence)
    assert refused.stderr.count("\n") == 1
    assert refused.stdout == ""


def test_help_has_an_example(run):
    assert "chatham gossip agents.toml --as north" in run("gossip", "--help").stdout
