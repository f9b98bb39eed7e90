"""`chatham publish` and `chatham merge`: what they print, write and refuse."""

import json

import numpy as np
import pytest

import chatham as ch
from tests.ensembles.parts import drawn

LETTERS = "abcdefghi"
TOPICS = np.kron(np.eye(3), np.full((1, 3), 1 / 3)) * 0.97 + 0.03 / 9
READ = ("--stop-words", "none", "--min-df", 1, "--max-df", "100%", "--max-iter", 60)


@pytest.fixture(scope="module")
def parties(run, tmp_path_factory):
    """Two parties' documents, models, keys and signed summaries in one folder."""
    folder = tmp_path_factory.mktemp("parties")
    for seed, name in enumerate(("north", "south")):
        counts = drawn(TOPICS, 60, 30, 0.3, seed)[0]
        words = [f"{letter}{letter}{letter}" for letter in LETTERS]
        lines = [" ".join(np.repeat(words, row)) for row in counts]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        model = folder / name
        fitted = run("fit", folder / f"{name}.txt", "-k", 3, "-m", "plsa", *READ, "-o", model, "-q")
        assert fitted.exit_code == 0, fitted.output
        run("keygen", name.title(), "-o", folder / f"{name}.key", "-q")
    return folder


def publish(run, parties, name, *more):
    return run("publish", parties / name, parties / f"{name}.txt", *more)


@pytest.fixture(scope="module")
def summaries(run, parties):
    paths = []
    for name in ("north", "south"):
        key = ("--name", name.title(), "--key", parties / f"{name}.key")
        result = publish(run, parties, name, "-o", parties / f"{name}.summary", *key, "-q")
        assert result.exit_code == 0, result.output
        assert result.output == ""
        paths.append(parties / f"{name}.summary")
    return paths


def test_what_is_revealed_is_printed_and_stands_in_the_file(run, parties, tmp_path):
    result = publish(run, parties, "north", "-o", tmp_path / "ours")
    assert result.exit_code == 0, result.output
    path = tmp_path / "ours.summary"
    summary = ch.read_summary(path)
    assert result.stdout.startswith("What this summary reveals:\n- It was made from 60 documents")
    for sentence in summary.reveals:
        assert f"- {sentence}" in result.stdout
    assert f"Saved in {path}" in result.stdout
    assert summary.n_topics == 3


def test_it_is_printed_before_anything_is_written(run, parties, tmp_path, monkeypatch):
    def failing(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("chatham.ensembles.file.os.fsync", failing)
    result = publish(run, parties, "north", "-o", tmp_path / "ours")
    assert result.exit_code == 1
    assert "What this summary reveals" in result.stdout
    assert "can't be written: No space left" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_key_that_cannot_be_read_is_said_before_anything_is_told(run, parties, tmp_path):
    key = ("--name", "North", "--key", tmp_path / "no.key")
    result = publish(run, parties, "north", "-o", tmp_path / "ours", *key)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "can't be read: there is no such file" in result.stderr


def test_publish_for_machines(run, parties, tmp_path):
    result = publish(run, parties, "north", "-o", tmp_path / "a", "--json", "--name", "North")
    told = json.loads(result.stdout)
    assert told["saved"] == str(tmp_path / "a.summary")
    assert told["documents"] == 60
    assert told["topics_left_out"] == told["words_left_out"] == 0
    assert len(told["reveals"]) > 5


def test_merge_says_whose_summaries_and_topics_they_are(run, summaries, tmp_path):
    figure = tmp_path / "merged.png"
    result = run("merge", *summaries, "-k", 3, "-o", tmp_path / "m", "--plot", figure)
    assert result.exit_code == 0, result.output
    assert "North: plsa, 3 topics, 9 words, 60 documents; signed by North, key " in result.stdout
    assert "Of 3 topics, all 2 parties have 3" in result.stdout
    assert "North: log-likelihood " in result.stdout
    assert " at least " in result.stdout
    assert figure.stat().st_size > 10_000
    assert "share   words" in run("topics", tmp_path / "m").stdout
    assert ch.load(tmp_path / "m").n_topics == 3


def test_merge_for_machines_and_quiet(run, summaries):
    told = json.loads(run("merge", *summaries, "-k", 3, "--json", "-n", 2).stdout)
    assert [each["signed_by"] for each in told["summaries"]] == ["North", "South"]
    assert [each["shared_by"] for each in told["agreement"]["topics"]] == ["all"] * 3
    assert len(told["agreement"]["base_topics"]) == 6
    assert [len(topic["words"]) for topic in told["topics"]] == [2, 2, 2]
    assert {row["party"] for row in told["bounds"]} == {"North", "South"}
    quiet = run("merge", *summaries, "-k", 3, "-q")
    assert quiet.stdout.split()[:5] == ["topic", "share", "parties", "agree", "words"]
    assert quiet.stderr == ""


def test_own_documents_show_what_is_true_beside_the_bound(run, summaries, parties):
    mine = ("--corpus", f"North={parties / 'north.txt'}")
    result = run("merge", *summaries, "-k", 3, *mine)
    assert result.exit_code == 0, result.output
    (line,) = [each for each in result.stdout.splitlines() if each.startswith("North: log-lik")]
    assert line.endswith(" by its documents.")
    assert result.stdout.count("by its documents") == 1
    told = json.loads(run("merge", *summaries, "-k", 3, *mine, "--json").stdout)["bounds"]
    assert told[0]["true"] >= told[0]["bound"] - 60  # to within the rounding of expected counts
    assert "true" not in told[1]
    wrong = run("merge", *summaries, "--corpus", f"North={parties / 'south.txt'}", "-q")
    assert wrong.exit_code == 1
    assert "aren't the documents of North's summary" in wrong.stderr
    nobody = run("merge", *summaries, "--corpus", f"West={parties / 'south.txt'}", "-q")
    assert nobody.exit_code == 1
    assert "No summary of this merge is called 'West'" in nobody.stderr


def test_exact_sums_are_told_if_asked_for(run, parties, tmp_path):
    result = publish(run, parties, "north", "-o", tmp_path / "ours", "--exact")
    assert result.exit_code == 0, result.output
    assert "to the last digit, as you asked" in result.stdout
    summary = ch.read_summary(tmp_path / "ours.summary")
    assert summary.exact
    assert (summary.statistics["expected"] % 1 != 0).any()


def test_only_named_parties_if_they_are_named(run, summaries, parties):
    keys = [f"{name}={ch.read_summary(path).signer.key}"
            for name, path in zip(("North", "South"), summaries, strict=True)]  # fmt: skip
    assert run("merge", *summaries, "--party", keys[0], "--party", keys[1], "-q").exit_code == 0
    refused = run("merge", *summaries, "--party", keys[0], "-q")
    assert refused.exit_code == 1
    assert "signed by South, who is not among the parties" in refused.stderr
    assert "leave --party out" in refused.stderr


def test_settings_reach_the_merge(run, summaries):
    assert run("merge", *summaries, "--set", "init=random", "--set", "n_init=1").exit_code == 0
    refused = run("merge", *summaries, "--set", "weights=thesis")
    assert refused.exit_code == 1
    assert "has no setting 'weights'; it has 'init'" in refused.stderr


def test_the_same_seed_gives_the_same_bytes(run, summaries, tmp_path):
    for name in ("a", "b"):
        run("merge", *summaries, "-k", 3, "-q", "-o", tmp_path / name, "--seed", 3)
    for file in ("arrays.safetensors", "model.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


REFUSED = {
    "a truncated file": (lambda f: f.write_bytes(f.read_bytes()[:-3]), "hash differs"),
    "a changed file": (
        lambda f: f.write_bytes(f.read_bytes().replace(b'"name": "North"', b'"name": "Nurth"')),
        "signature",
    ),
    "a foreign file": (lambda f: f.write_text("hello"), "is not a Chatham summary"),
    "no file": (lambda f: f.unlink(), "There is no summary"),
}


@pytest.mark.parametrize(("harm", "named"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_merged_is_one_sentence(run, summaries, tmp_path, harm, named):
    path = tmp_path / "x.summary"
    path.write_bytes(summaries[0].read_bytes())
    harm(path)
    result = run("merge", path, summaries[1], "-o", tmp_path / "m")
    assert result.exit_code == 1
    assert named in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert not (tmp_path / "m").exists()


def test_too_many_topics_are_refused_before_anything_is_done(run, summaries):
    result = run("merge", *summaries, "-k", 7)
    assert result.exit_code == 1
    assert "the summaries have 6 together" in result.stderr


USED_WRONGLY = {
    "no summary": ("merge",),
    "no output": ("publish", "MODEL", "FILE"),
    "a key without a name": ("publish", "MODEL", "FILE", "-o", "a", "--key", "k.key"),
    "a name in two lines": ("publish", "MODEL", "FILE", "-o", "a", "--name", "a\nb"),
    "a party without a key": ("merge", "a.summary", "--party", "North"),
    "a key that is too short": ("merge", "a.summary", "--party", "North=00"),
    "documents without a party": ("merge", "a.summary", "--corpus", "north.csv"),
    "a figure of no kind": ("merge", "a.summary", "--plot", "a.txt"),
}


@pytest.mark.parametrize("words", USED_WRONGLY.values(), ids=USED_WRONGLY.keys())
def test_used_wrongly_is_2(run, words):
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Error" in result.stderr
