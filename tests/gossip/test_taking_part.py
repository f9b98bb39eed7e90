"""Real agents: they agree with the simulator, and being killed costs nothing but time."""

import signal

import numpy as np
import pytest

import chatham as ch
from chatham.federation.party.ledger import read_ledger
from chatham.federation.party.verifying import verify_chain
from chatham.gossip import GibbsAgents, Simulation, step_size, waking_nodes
from chatham.learners.documents import Documents
from chatham.measures.held_out.left_to_right import read_documents
from chatham.measures.held_out.particles import LOG
from chatham.measures.subject import Subject
from chatham.measures.truth.topics import DistanceToTruth
from tests.gossip.network import Network
from tests.gossip.processes import ended, processes

__all__ = ["processes"]
KILLED = -signal.SIGKILL
PATH = {"a": "b", "b": "ac", "c": "b"}
TRIANGLE = {"a": "bc", "b": "ac", "c": "ab"}
WRITES = [
    "after keep promise", "before keep averaged", "before keep average", "after keep average",
    "after keep update",
]  # fmt: skip
MOMENTS = [
    "before keep promise", *WRITES, "after ledger shown", "after send give",
    "after keep averaged", "after send average",
]  # fmt: skip


def scores(network, topics):
    """Held-out log-perplexity, and the distance from the topics that documents were drawn from."""
    alpha = network.agents.prior
    held_out = read_documents(Documents(network.held_out), topics, alpha, 8)[:, LOG].mean()
    subject = Subject(np.asarray(network.words, object), topics=topics, true_topics=network.truth)
    return -float(held_out), float(DistanceToTruth().value(None, subject).value)


def simulated(network, seed):
    """The same agents in the simulator, until they have made as many updates."""
    agents, graph = network.agents, network.agents.graph
    local = GibbsAgents(
        [network.counts[name] for name in graph.names], agents.prior,
        smoothing=agents.smoothing, sweeps=agents.sweeps, burn_in=agents.burn_in,
        random_state=seed,
    )  # fmt: skip
    simulation = Simulation(
        waking_nodes(graph), local.start(agents.seed), local,
        lambda t: step_size(t, kappa=agents.kappa), random_state=seed,
    ).run(agents.updates * graph.n // 2)  # fmt: skip
    return np.array([scores(network, local.topics(each)) for each in simulation.statistics])


def test_five_processes_agree_with_the_simulator(tmp_path, processes):
    """One is killed and comes back, and one is slow."""
    network = Network(tmp_path, updates=40)
    begun = {name: processes(network, name, slow=0.03 * (name == "d")) for name in "acde"}
    ended(processes(network, "b", killed_at=("after keep average", 5)), KILLED)
    begun["b"] = processes(network, "b")
    for process in begun.values():
        ended(process)

    models = {name: ch.load(tmp_path / f"model-{name}") for name in network.names}
    found = np.array([scores(network, models[name].topics) for name in network.names])
    runs = np.array([simulated(network, seed) for seed in range(10)])
    spread = runs.mean(axis=1).std(axis=0, ddof=1)
    assert (np.abs(found.mean(axis=0) - runs.mean(axis=(0, 1))) <= 4 * spread).all()
    alone = runs.reshape(-1, 2)
    assert (np.abs(found - alone.mean(axis=0)) <= 4 * alone.std(axis=0, ddof=1)).all()
    for name in network.names:
        fields, _ = network.state(name)
        assert (fields["updates"], fields["due"], fields["promise"]) == (40, False, None)
        assert fields["finished"]
        assert verify_chain(network.home(name)).is_sound


@pytest.mark.parametrize("private", [False, True], ids=["in the open", "under masks"])
def test_killed_at_every_write_and_nothing_is_lost(tmp_path, processes, private):
    """One agent, which calls and is called, dies at each moment in turn. Updates change nothing
    here, so all that there was in the beginning must be there in the end."""
    moments, graph = (WRITES, TRIANGLE) if private else (MOMENTS, PATH)
    network = Network(tmp_path, graph, updates=60, private=private, documents=6)
    others = [processes(network, name, still=True) for name in "ac"]
    for moment in moments:
        ended(processes(network, "b", killed_at=(moment, 1), still=True), KILLED)
    for process in [*others, processes(network, "b", still=True)]:
        ended(process)
    states = [network.state(name) for name in "abc"]
    assert all(fields["promise"] is None and fields["finished"] for fields, _ in states)
    start = [network.counts[name].sum() for name in "abc"]
    total = sum(statistics for _, statistics in states)
    assert total.sum() == pytest.approx(sum(start), rel=1e-9)
    for name in "abc":  # nothing left unsaid
        assert verify_chain(network.home(name)).is_sound
        assert any(line["event"] == "shown" for line in read_ledger(network.home(name)))
