"""Files that Chatham 0.1.0 wrote, and what it said about them: `files-0.1.0/`.

They were made once, with version 0.1.0, and are never made anew: whoever has such files must be
able to use them with every later version, so a test that fails on them shows a break and not a
stale vector. `python -m tests.vectors.make_files FOLDER` makes such a set with a later version, as
a folder of its own, where a format has grown.

All private keys in it were made for these vectors and belong to nobody.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import chatham as ch
from tests.command import chatham

WORDS = [
    first + second
    for first in "bdgkm"
    for second in ("amel", "ovin", "urat", "esk", "ilo", "anter")
]
NAMES = ("north", "south", "west")
ORDERS = ("prevalence", "discriminability", "uplift", "relevance")
RELAY = "https://relay.example:8443"


def planted(n: int, seed: int) -> np.ndarray:
    """Counts over WORDS of documents from three topics, each with ten words of its own."""
    rng = np.random.default_rng(seed)
    topics = np.full((3, len(WORDS)), 0.004)
    for topic in range(3):
        topics[topic, topic::3] += rng.dirichlet(np.full(len(WORDS) // 3, 2.0))
    topics /= topics.sum(axis=1, keepdims=True)
    weights = rng.dirichlet([0.3, 0.2, 0.15], n)
    return np.array([rng.multinomial(25, row @ topics) for row in weights])


def texts(n: int, seed: int) -> list[str]:
    """Such documents as texts."""
    return [" ".join(np.repeat(WORDS, row)) for row in planted(n, seed)]


def baskets(n: int, seed: int) -> str:
    """Such documents as ratings of films, in CSV."""
    lines = ["user,film,stars"]
    for user, row in enumerate(planted(n, seed)):
        lines += [f"u{user},{WORDS[film]},{min(row[film], 10) / 2}" for film in np.flatnonzero(row)]
    return "\n".join(lines) + "\n"


# -- models


def models(folder: Path) -> Iterator[tuple[str, ch.TopicModel, Any]]:
    """A model of every learner and notable kind, by name, with three documents for it."""
    counts, read, new = planted(60, 0), texts(60, 0), texts(3, 1)
    words = {"vocabulary": WORDS}
    rows = planted(3, 1).tolist()
    k = {"n_components": 3, "random_state": 7}
    starts = np.random.default_rng(3).dirichlet(np.ones(len(WORDS)), 3)
    (folder / "baskets.csv").write_text(baskets(60, 0), "utf-8")
    rated = ch.read_baskets(folder / "baskets.csv", basket="user", item="film", rating="stars")
    whole = ch.read_corpus(read, max_df=1.0)
    parts = [counts[place::3] for place in range(3)]

    def fit(name: str, corpus: Any, **settings: Any) -> ch.TopicModel:
        return ch.fit(name, corpus, **k | settings)

    yield "kmeans", fit("kmeans", read), new
    yield "kmeans-counts", fit("kmeans", counts, init="k-means++", **words), rows
    yield (
        "kmeans-revived",
        fit("kmeans", counts, init=np.vstack([starts[:2], np.eye(30)[:1]]), **words),
        rows,
    )
    yield "nmf", fit("nmf", read), new
    yield "nmf-counts", fit("nmf", read, weighting="counts", loss="absolute"), new
    yield "nmf-none", fit("nmf", counts, constraint="none", l1_topics=0.1, **words), rows
    yield "nmf-unobserved", fit("nmf", counts, missing="unobserved", **words), rows
    yield (
        "nmf-published",
        fit("nmf", counts, schedule="interleaved", weights_step="published", **words),
        rows,
    )
    yield "nmf-from-topics", fit("nmf", counts, init=starts, l2_weights=-0.01, **words), rows
    yield "nmf-baskets", fit("nmf", rated), rows
    yield "nmf-secure", fit("nmf", ch.Simulated(parts, secure=True), **words), rows
    yield "plsa", fit("plsa", read), new
    yield "plsa-from-topics", fit("plsa", counts, init=starts, **words), rows
    yield "plsa-tfidf", fit("plsa", read, weighting="tfidf"), new
    yield "lda", fit("lda", read, max_iter=60), new
    priors = {"alpha": [0.1, 0.2, 0.3], "beta": np.linspace(0.01, 0.04, len(WORDS))}
    yield "lda-priors", fit("lda", counts, max_iter=30, learn_priors=False, **priors, **words), rows
    yield (
        "lda-shards",
        fit("lda", counts, max_iter=30, shards=2, burn_in=10, n_samples=2, **words),
        rows,
    )
    yield "lda-baskets", fit("lda", rated, max_iter=30), rows
    yield "svd", fit("svd", read), new
    yield "svd-normed", fit("svd", counts, sums="normed", tol=1e-6, **words), rows
    yield "anchor", fit("anchor", read, n_components=5), new
    yield "anchor-unrefined", fit("anchor", read, refine=0), new
    yield "anchor-padd", fit("anchor", counts, inference="padd", refine=2, **words), rows
    yield "anchor-named", fit("anchor", whole, anchors=[[WORDS[0], WORDS[3]], WORDS[1]]), new
    yield "anchor-diagonal", fit("anchor", counts, rectify="diagonal", recover="l2", **words), rows
    tea = [
        "Der Tee und die Milch",
        "Tee mit Milch, ohne Zucker",
        "Kaffee und Zucker",
        "Kaffee 2 mal",
    ]
    pairs = ch.read_corpus(tea, stop_words="de", ngrams=(1, 2), numbers=True, min_length=1)
    yield "plsa-german-pairs", fit("plsa", pairs, n_components=2), ["Tee mit Milch", "Kaffee 2", ""]


def make_models(made: Path) -> None:
    """Each model in a folder, and what it said beside it."""
    for name, model, documents in models(made):
        model.save(made / "models" / name)
        expect_of_model(made, name, documents)


def expect_of_model(made: Path, name: str, documents: Any) -> None:
    """What 0.1.0 said about a model that it had saved, kept."""
    found = meaning_of_model(made / "models" / name, documents)
    write_json(made / "models" / f"{name}.json", {"documents": documents, **found})


def meaning_of_model(folder: Path, documents: Any) -> dict[str, Any]:
    """What a saved model means, in plain values."""
    model = ch.load(folder)
    info = model.topic_info()
    return {
        "algorithm": model.algorithm,
        "seed": model.seed,
        "shape": list(model.topics.shape),
        "iterations": int(model.estimator.n_iter_),
        "weights": model.estimator.transform(model._take_in(documents).counts).tolist(),
        "top_words": {
            by: model.top_word_lists(5, by=by)
            for by in ORDERS[: len(ORDERS) if model.kind == "topic" else 1]
        },
        "topic_info": json.loads(info.to_json(orient="split")),
        "topics": json.loads(said("topics", folder, "--json", *_more(model))),
    }


def _more(model: ch.TopicModel) -> tuple[str, ...]:
    return ("--correlations", "--levels", "2") if model.algorithm == "anchor" else ()


# -- keys, sessions, a party's folder


SESSIONS: dict[str, tuple[str, ...]] = {
    "lda": ("--model", "lda", "-k", "20"),
    "nmf": ("--model", "nmf", "-k", "3", "--seed", "9", "--max-iter", "50",
            "--set", "init=random", "--set", "l2_weights=0.5", "--weighting", "counts"),
    "kmeans": ("--model", "kmeans", "--fraction-bits", "31", "--rounds", "77"),
    "plsa-scored": ("--model", "plsa", "--score", "perplexity,npmi", "--held-out", "0.2"),
    "anchor-ngrams": ("--model", "anchor", "--ngrams", "2", "--stop-words", "en",
                      "--max-features", "500", "--min-parties", "3", "--own-df", "2"),
    "svd-words": ("--model", "svd", "--words", "words.txt", "--min-df", "4",
                  "--stop-words", "words-to-stop.txt"),
    "lda-items": ("--items", "--min-df", "3"),
    "direct": ("--model", "svd", "-k", "2", "--set", "sums=normed"),
}  # fmt: skip
"""The words after `chatham session`, by the name of its file; `direct` has certificates, too."""


def make_keys(made: Path) -> None:
    """Three parties, with certificates for direct links; two more keys as lines."""
    keys = made / "keys"
    keys.mkdir()
    for place, name in enumerate(NAMES):
        told = said("keygen", name.title(), "-o", keys / f"{name}.key", "-q",
                    "--address", f"{name}.example:{7000 + place}")  # fmt: skip
        assert told.strip().endswith(".party")
    files = {"East": keys / "east.key", "St Mary’s": keys / "mary.key"}
    lines = [said("keygen", name, "-o", key, "-q").strip() for name, key in files.items()]
    write_json(keys / "lines.json", lines)
    for key in keys.glob("*.key"):
        if key.name != "north.key":
            key.unlink()  # nobody reads them again


def make_sessions(made: Path) -> None:
    """Sessions of all kinds, with what was said of each when it was made."""
    sessions = made / "sessions"
    sessions.mkdir()
    (sessions / "words.txt").write_text("\n".join(WORDS) + "\n", "utf-8")
    (sessions / "words-to-stop.txt").write_text("the\nand\n", "utf-8")
    for name in SESSIONS:
        described = new_session(made, name, sessions / f"{name}.toml")
        write_json(sessions / f"{name}.json", described)
        if name != "direct":  # its certificates hold for a year, and what is said here for longer
            (sessions / f"{name}.txt").write_text(asked(made, name), "utf-8")


def new_session(made: Path, name: str, output: Path) -> dict[str, Any]:
    """Make the session of that name with the keys and words of a set of vectors."""
    keys, sessions = made / "keys", made / "sessions"
    lines = json.loads((keys / "lines.json").read_text("utf-8"))
    roster = [str(keys / f"{party}.party") for party in NAMES]
    if name != "direct":
        roster = [*(_line(Path(party)) for party in roster[:1]), *lines]
    words = [str(sessions / word) if word.endswith(".txt") else word for word in SESSIONS[name]]
    parties = [word for party in roster for word in ("--party", party)]
    told = json.loads(said("session", *parties, "--relay", RELAY, *words, "-o", output, "--json"))
    del told["file"]
    return told


def _line(party: Path) -> str:
    """NAME=KEY of a party's public file."""
    fields = dict(
        line.split(" = ", 1)
        for line in party.read_text("utf-8").splitlines()
        if line.startswith(("name", "key"))
    )
    return "=".join(json.loads(fields[name]) for name in ("name", "key"))


def asked(made: Path, name: str) -> str:
    """What the first party is shown before it joins; nobody answers, so it doesn't."""
    with tempfile.TemporaryDirectory() as place:
        key = Path(place, "my.key")
        copy_key(made, key)
        corpus = Path(place, "corpus.txt" if name != "lda-items" else "baskets.csv")
        corpus.write_text(
            "\n".join(texts(40, 2)) if corpus.suffix == ".txt" else baskets(40, 2), "utf-8"
        )
        items = ("--basket", "user", "--item", "film") if corpus.suffix == ".csv" else ()
        told = chatham("join", made / "sessions" / f"{name}.toml", "--corpus", corpus,
                       "--key", key, "--folder", Path(place, "folder"), *items)  # fmt: skip
        assert told.code == 1, told
        assert "Nothing was sent." in told.errors or "no product has left" in told.errors, told
        return in_a_row(told.errors)


def in_a_row(text: str) -> str:
    """A text whatever the width of its lines and tables."""
    return re.sub("─+", "─", " ".join(text.split())) + "\n"


def copy_key(made: Path, key: Path) -> None:
    """The first party's private key, which its owner alone may read, and what it joined before."""
    shutil.copy(made / "keys" / "north.key", key)
    key.chmod(0o600)
    shutil.copy(made / "keys" / "north.key.joined", key.with_name(f"{key.name}.joined"))


def hash_of(session: Path) -> str:
    """A session's hash, as a command that reads the file says it."""
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(session, Path(place, "session.toml"))
        Path(place, "ledger.jsonl").touch()
        return str(json.loads(said("ledger", place, "--json"))["session"])


def make_party(made: Path) -> None:
    """Three parties that fit a model together: the first one's model, ledger and session."""
    with tempfile.TemporaryDirectory() as name:
        place, port = Path(name), _free_port()
        roster = []
        shutil.copy(made / "keys" / "north.key", place)
        for party in NAMES:
            if party != "north":
                line = said("keygen", party.title(), "-o", place / f"{party}.key", "-q").strip()
            else:
                line = _line(made / "keys" / "north.party")
            roster += ["--party", line]
            (place / f"{party}.txt").write_text("\n".join(texts(40, NAMES.index(party))), "utf-8")
        said("session", *roster, "--relay", f"http://127.0.0.1:{port}", "--model", "nmf", "-k", "3",
             "--stop-words", "none", "--max-iter", "5", "--score", "npmi,perplexity",
             "-o", place / "session.toml")  # fmt: skip
        with _relay(place, port):
            joining = [
                _start("join", place / "session.toml", "--corpus", place / f"{party}.txt",
                       "--key", place / f"{party}.key", "--folder", place / party,
                       "-o", place / f"{party}-model", "--yes", "-q")
                for party in NAMES
            ]  # fmt: skip
            assert [process.wait(timeout=300) for process in joining] == [0, 0, 0]
        shutil.copytree(place / "north-model", made / "models" / "nmf-together")
        shutil.copy(place / "north.key.joined", made / "keys")
        (made / "party").mkdir()
        for file in ("ledger.jsonl", "session.toml"):
            shutil.copy(place / "north" / file, made / "party" / file)
    expect_of_model(made, "nmf-together", texts(3, 1))
    write_json(made / "party.json", meaning_of_ledger(made / "party"))


def meaning_of_ledger(folder: Path) -> dict[str, Any]:
    """What `chatham ledger` says of a party's folder."""
    return {
        "json": json.loads(said("ledger", folder, "--json")),
        "for_people": in_a_row(said("ledger", folder, "--rounds").replace(str(folder), "FOLDER")),
    }


@contextmanager
def _relay(place: Path, port: int) -> Iterator[None]:
    relay = _start(
        "relay", place / "session.toml", "--folder", place / "relay", "--port", port, "-q"
    )
    try:
        for _ in range(600):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield
    finally:
        relay.terminate()
        relay.wait(timeout=30)


def _start(*words: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "chatham", *map(str, words)])


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


# -- questions for people


def make_intrusion(made: Path) -> None:
    """Questions of word intrusion, answered, and the score."""
    folder = made / "intrusion"
    folder.mkdir()
    said("intrusion", made / "models" / "nmf", "-o", folder / "questions.csv", "-q")
    with (folder / "questions.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        fields, lines = reader.fieldnames or [], list(reader)
    for place, line in enumerate(lines):
        line["answer"] = line[fields[1 + place]] if "answer" in fields else ""
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(lines)
    write_json(made / "intrusion.json", score_of_answers(made))


def score_of_answers(made: Path) -> Any:
    """What `chatham intrusion --answers` makes of the answers."""
    answers = made / "intrusion" / "answers.csv"
    return json.loads(said("intrusion", made / "models" / "nmf", "--answers", answers, "--json"))


# -- all of it


def said(*words: object) -> str:
    """What a command prints, which must not fail."""
    told = chatham(*words)
    assert told.code == 0, (words, told)
    return told.out


def write_json(path: Path, value: Any) -> None:
    """Plain values, for people and for tests."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", "utf-8")


def make(made: Path) -> None:
    """A whole set, in a folder that isn't there yet."""
    made.mkdir()
    make_models(made)
    make_keys(made)
    make_party(made)
    make_sessions(made)
    make_intrusion(made)
    os.remove(made / "baskets.csv")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    make(Path(sys.argv[1]))
