"""Real processes on this machine, a relay and several parties, and the model they all save."""

import json
import os
import signal

import numpy as np
import pytest

import chatham as ch
from chatham.commons import Simulated
from chatham.federation.join import read_for
from chatham.federation.program import fit_and_score
from chatham.federation.session import read_session
from tests.cli.federation import (
    LEARNERS,
    NAMES,
    WORDS,
    Federation,
    certificate,
    chatham,
    commands,
    ended,
    stopped,
)
from tests.conftest import plant

BETWEEN_NINE = list(LEARNERS) if os.environ.get("CHATHAM_TORTURE") else ["lda"]
"""All of them take two minutes, so `make torture` has them."""
SCORED = {"plsa": {"score": {"measures": ["npmi", "perplexity"], "held_out": 0.2}}}


def simulated(federation, path, folder):
    """The same program on the same documents in this process, saved."""
    session = read_session(path)
    corpora = [read_for(session, federation.text(name)) for name in federation.names]
    secrets = federation.secrets(path)

    def meet(rows, about):
        return Simulated(
            rows, secure=True, secrets=secrets, fraction_bits=session.fraction_bits,
            exact_totals=session.exact_totals_know,
        )  # fmt: skip

    model = fit_and_score(meet, session, corpora)
    model.save(folder)
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def met(tmp_path_factory):
    """Three parties that have fitted every learner."""
    federation = Federation(tmp_path_factory.mktemp("met"))
    sessions = {name: federation.session(name, **SCORED.get(name, {})) for name in LEARNERS}
    relay, _ = federation.relaying(*sessions.values())
    try:
        ended(
            *(
                commands(*(federation.joining(name, path) for path in sessions.values()))
                for name in NAMES
            )
        )
    finally:
        told, errors = stopped(relay)
    assert (told, errors) == ("", "")
    return federation, sessions


@pytest.mark.parametrize("learner", LEARNERS)
def test_all_parties_save_the_model_of_the_simulation(met, learner, tmp_path):
    federation, sessions = met
    path = sessions[learner]
    models = [federation.saved(name, path) for name in NAMES]
    assert models[0] == models[1] == models[2]
    assert models[0] == simulated(federation, path, tmp_path / "model")


def many_words(documents, seed):
    """Texts in which every word occurs together with many others."""
    drawn = plant(n=documents, d=300, k=2, length=120, seed=seed)[0].toarray().astype(int)
    words = [f"{one}{other}el" for one in WORDS[:20] for other in "bdfgklmnprstvwz"]
    return [" ".join(np.repeat(words, row)) for row in drawn]


def test_anchor_words_by_products_are_the_simulations_to_the_bit(tmp_path):
    """What parties do with anchor words by default: five products, and no total of pairs."""
    federation = Federation(tmp_path)
    for seed, name in enumerate(NAMES):
        federation.text(name).write_text("\n".join(many_words(150, seed)) + "\n", "utf-8")
    path = federation.session(
        "anchor", exact_totals_know=False, parameters={"n_components": 2, "refine": 1}
    )
    relay, _ = federation.relaying(path)
    try:
        ended(*(commands(federation.joining(name, path)) for name in NAMES))
    finally:
        stopped(relay)
    models = [federation.saved(name, path) for name in NAMES]
    assert models[0] == models[1] == models[2]
    assert models[0] == simulated(federation, path, tmp_path / "model")
    told = (tmp_path / "North-anchor" / "ledger.jsonl").read_text("utf-8")
    assert "multiply_pairs" in told
    assert "pair_statistics" not in told


def test_scores_are_beside_the_model_and_in_the_ledger(met, run):
    federation, sessions = met
    told = json.loads(federation.saved("South", sessions["plsa"])["scores.json"])
    assert told["session"] == read_session(sessions["plsa"]).hash.hex()
    assert [score["measure"] for score in told["scores"]] == ["npmi", "perplexity"]
    assert [score["settings"]["documents"] for score in told["scores"]] == [96, 24]
    assert "scores.json" not in federation.saved("South", sessions["nmf"])
    ledger = run("ledger", federation.folder / "South-plsa").stdout
    assert "Sums: log p, tokens" in ledger
    verified = run("ledger", federation.folder / "South-plsa", "--verify")
    assert verified.exit_code == 0, verified.stdout


def test_the_model_turns_texts_into_topics_everywhere(met):
    federation, sessions = met
    text = federation.text("South").read_text().splitlines()[:5]
    weights = [ch.load(federation.model(name, sessions["nmf"])).transform(text) for name in NAMES]
    assert weights[0].shape == (5, 3)
    assert (weights[0] == weights[2]).all()


def test_no_text_of_a_party_is_anywhere_else(met):
    federation, _ = met
    line = federation.text("North").read_bytes().splitlines()[0]
    elsewhere = [
        path for path in federation.folder.rglob("*") if path.is_file() and path.suffix != ".txt"
    ]
    assert len(elsewhere) > 100
    assert not [path for path in elsewhere if line[:60] in path.read_bytes()]


def test_the_relay_keeps_no_word(met):
    federation, _ = met
    words = set(federation.text("North").read_bytes().split())
    kept = [
        path.read_bytes() for path in (federation.folder / "relay").rglob("*") if path.is_file()
    ]
    assert kept
    assert not [word for word in words for content in kept if word in content]


def test_joining_again_needs_nobody(met):
    """All rounds are on the party's own disk, and the relay is gone."""
    federation, sessions = met
    before = federation.saved("West", sessions["lda"])
    ended(commands(federation.joining("West", sessions["lda"])))
    assert federation.saved("West", sessions["lda"]) == before


def test_over_tls_parties_know_the_relay_by_the_sessions_certificate(tmp_path):
    federation = Federation(tmp_path)
    pem, key = certificate(tmp_path)
    path = federation.session("anchor", certificate=pem.read_text())
    (tmp_path / "stranger").mkdir()
    stranger, _ = certificate(tmp_path / "stranger")
    other = federation.session("plsa", certificate=stranger.read_text())
    relay, told = federation.relaying(path, other, more=("--certificate", pem, "--key", key))
    assert told["address"].startswith("https://")
    try:
        ended(*(commands(federation.joining(name, path)) for name in NAMES))
        refused = chatham(*federation.joining("North", other))
        _, errors = refused.communicate(timeout=300)
    finally:
        stopped(relay)
    assert federation.saved("North", path) == federation.saved("West", path)
    assert refused.returncode == 1
    assert "doesn't present the certificate of this session" in errors


def test_nine_parties_save_the_models_of_the_simulation(tmp_path):
    federation = Federation(tmp_path, [f"Party {place}" for place in range(9)], documents=15)
    paths = [federation.session(learner) for learner in BETWEEN_NINE]
    relay, _ = federation.relaying(*paths)
    try:
        ended(
            *(
                commands(*(federation.joining(name, path) for path in paths))
                for name in federation.names
            )
        )
    finally:
        stopped(relay)
    for path in paths:
        models = [federation.saved(name, path) for name in federation.names]
        assert all(model == models[0] for model in models)
        assert models[0] == simulated(federation, path, tmp_path / f"model-{path.stem}")


def test_a_party_that_is_killed_goes_on_where_it_was(tmp_path):
    federation = Federation(tmp_path)
    path = federation.session("nmf", parameters={"max_iter": 40, "tol": 0})
    relay, _ = federation.relaying(path)
    try:
        first = commands(federation.joining("North", path), killed_at="000020.agreed")
        others = [commands(federation.joining(name, path)) for name in NAMES[1:]]
        first.join(timeout=300)
        assert first.exitcode == -signal.SIGKILL
        assert not federation.model("North", path).exists()
        ended(commands(federation.joining("North", path)), *others)
    finally:
        stopped(relay)
    assert federation.saved("North", path) == federation.saved("South", path)
    assert federation.saved("North", path) == simulated(federation, path, tmp_path / "model")
