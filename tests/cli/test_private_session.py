"""Differential privacy between real parties: three processes, and all that they keep."""

from itertools import permutations

import numpy as np
import pytest

from chatham.commons import Simulated
from chatham.commons.interface import name_of
from chatham.commons.privacy import Privacy, Spending
from chatham.federation.join import read_for
from chatham.federation.party.ledger import read_ledger
from chatham.federation.program import fit_and_score
from chatham.federation.session import read_session
from tests.cli.federation import NAMES, Federation, commands, ended, stopped
from tests.cli.test_together import many_words

PROMISED = Privacy(30.0, 1e-5, honest=2)
SESSIONS = {"svd": {"n_components": 30}, "nmf": {"n_components": 3}}


class BeforeNoise(Simulated):
    """What holders would send without noise, step by step."""

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.parts_sent = []

    def _run(self, step, rows, memory, shared):
        parts, is_tuple = super()._run(step, rows, memory, shared)
        self.parts_sent.append((name_of(step).rsplit(".", 1)[1], memory.index, parts))
        return parts, is_tuple


@pytest.fixture(scope="module")
def met(tmp_path_factory):
    """Three processes that fitted both learners, each with a plain ledger."""
    federation = Federation(tmp_path_factory.mktemp("private"))
    for seed, name in enumerate(NAMES):
        federation.text(name).write_text("\n".join(many_words(60, seed)) + "\n", "utf-8")
    paths = [
        federation.session(name, parameters=more, privacy=PROMISED.as_plain())
        for name, more in SESSIONS.items()
    ]
    relay, _ = federation.relaying(*paths)
    try:
        ended(
            *(
                commands(*(federation.joining(name, path, "--plain") for path in paths))
                for name in NAMES
            )
        )
    finally:
        stopped(relay)
    return federation, dict(zip(SESSIONS, paths, strict=True))


def simulated(federation, path):
    """The same program with the same draws, in this process."""
    session = read_session(path)
    corpora = [read_for(session, federation.text(name)) for name in federation.names]
    met = []

    def meet(rows, about):
        met.append(
            BeforeNoise(
                rows, secure=True, secrets=federation.secrets(path), privacy=session.promised
            )
        )
        return met[-1]

    return fit_and_score(meet, session, corpora), met[-1]


def sent(federation, name, path, step):
    """What a party's own ledger has of a step: its rounds, each as arrays."""
    folder = federation.folder / f"{name}-{path.stem}"
    lines = [
        line
        for line in read_ledger(folder)
        if line["event"] == "left" and line["statistic"].endswith(step)
    ]
    return [
        np.load(folder / "plain" / f"{line['round']:06d}-{line['array']}.npy") for line in lines
    ]


@pytest.mark.parametrize("learner", SESSIONS)
def test_the_model_is_that_of_the_simulation_with_the_same_draws(met, learner, tmp_path):
    federation, paths = met
    models = [federation.saved(name, paths[learner]) for name in NAMES]
    assert models[0] == models[1] == models[2]
    model, _ = simulated(federation, paths[learner])
    model.save(tmp_path / "model")
    ours = {file.name: file.read_bytes() for file in sorted((tmp_path / "model").iterdir())}
    assert models[0] == ours


def test_the_noise_of_a_total_has_the_declared_variance(met):
    federation, paths = met
    _, before = simulated(federation, paths["svd"])
    exact = [parts[0] for step, _, parts in before.parts_sent if step == "bounded_gram_image"]
    shares = [
        sent(federation, name, paths["svd"], "bounded_gram_image")[0] - exact[place]
        for place, name in enumerate(NAMES)
    ]
    assert shares[0].size >= 10_000
    spending = Spending(PROMISED)
    each = spending.noise("products", 1.0, np.sqrt(2))
    sigma = spending.releases[0].deviation
    # A variance of 10,000 draws is within 7 % in all but one of a million tries.
    for share in shares:
        assert share.var() == pytest.approx(each**2, rel=0.07)
    assert sum(shares).var() == pytest.approx(3 * sigma**2 / 2, rel=0.07)
    left = np.corrcoef([share.ravel() for share in shares])
    assert np.abs(left - np.eye(3)).max() < 0.05


def test_no_partys_view_has_anothers_share(met):
    """Neither its contribution nor its noise, as floats or as words of the ring, anywhere."""
    federation, paths = met
    _, before = simulated(federation, paths["svd"])
    exact = [parts[0] for step, _, parts in before.parts_sent if step == "bounded_gram_image"]
    views = {
        name: b"".join(
            file.read_bytes()
            for file in sorted((federation.folder / f"{name}-svd").rglob("*"))
            if file.is_file()
        )
        for name in NAMES
    }
    for mine, other in permutations(NAMES, 2):
        part = sent(federation, other, paths["svd"], "bounded_gram_image")[0]
        noise = part - exact[NAMES.index(other)]
        bits = next(
            line["bits"]
            for line in read_ledger(federation.folder / f"{other}-svd")
            if line.get("statistic", "").endswith("bounded_gram_image")
        )
        words = np.rint(part * 2.0**bits).astype("<i8")
        for array in (part, noise, words):
            pieces = [array.ravel()[i : i + 2].tobytes() for i in range(0, 400, 2)]
            assert not [piece for piece in pieces if piece in views[mine]]
            if array is part:
                assert all(piece in views[other] for piece in pieces)


def test_a_party_reads_what_is_promised_before_it_joins(met, run):
    federation, paths = met
    asked = run(
        "join", paths["nmf"], "--corpus", federation.text("North"), "--key",
        federation.key("North"), "--folder", federation.folder / "again", "-o",
        federation.folder / "nothing", input="n\n",
    )  # fmt: skip
    told = " ".join(asked.stderr.split())
    assert "differentially private: ε = 30 at δ = 1e-05 for one document in the place" in told
    assert "as long as 2 parties don't collude" in told
