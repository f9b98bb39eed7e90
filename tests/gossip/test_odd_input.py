"""Odd input to graphs and simulations: one sentence each, of an error of ours."""

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.gossip import (
    GibbsAgents,
    Simulation,
    complete,
    edge_list,
    neighbour_lists,
    ring,
    uniform_edges,
    watts_strogatz,
)

COUNTS = [np.eye(3)] * 3
THREE = uniform_edges(ring(3))


def moving(local=lambda agent, statistics, number: 0.0, step=lambda t: 0.5):
    return Simulation(THREE, np.zeros((3, 2)), local, step)


@pytest.mark.parametrize(
    "odd",
    [
        lambda: complete("five"),
        lambda: ring(True),
        lambda: edge_list([1, 2]),
        lambda: edge_list(5),
        lambda: edge_list([]),
        lambda: edge_list(["ab"]),
        lambda: edge_list([({}, "a")]),
        lambda: edge_list([("a", "b", "c")]),
        lambda: neighbour_lists([("a", "b")]),
        lambda: neighbour_lists({"a": 5, "b": "a"}),
        lambda: neighbour_lists({"a": [["b"]], "b": ["a"]}),
        lambda: watts_strogatz(50, 100.0, 0.3),
        lambda: watts_strogatz(50.0, 100, 0.3),
        lambda: watts_strogatz(50, 100, "often"),
        lambda: watts_strogatz(50, 100, float("nan")),
        lambda: watts_strogatz(50, 100, 0.3, random_state=-1),
        lambda: Simulation(ring(3), np.zeros(3)),
        lambda: Simulation(THREE, ["a", "b", "c"]),
        lambda: Simulation(THREE, [0.0, np.nan, 0.0]),
        lambda: Simulation(THREE, [[1.0], [2.0, 3.0], [4.0]]),
        lambda: Simulation(THREE, np.zeros(3), random_state="seed"),
        lambda: Simulation(THREE, np.zeros(3), corrections=[1.0, 2.0]),
        lambda: Simulation(THREE, np.zeros(3), corrections=-1.0),
        lambda: Simulation(THREE, np.zeros(3)).run(-1),
        lambda: Simulation(THREE, np.zeros(3)).run(1.5),
        lambda: moving(local=lambda *_: np.zeros(5)).run(1),
        lambda: moving(local=lambda *_: "much").run(1),
        lambda: moving(step=lambda t: -1.0).run(1),
        lambda: moving(step=lambda t: float("nan")).run(1),
        lambda: GibbsAgents(5, [1.0]),
        lambda: GibbsAgents([[1.0, 2.0]], [1.0]),
        lambda: GibbsAgents(["text"], [1.0]),
        lambda: GibbsAgents([-np.eye(3)], [1.0]),
        lambda: GibbsAgents(COUNTS, "much"),
        lambda: GibbsAgents(COUNTS, [1.0, np.nan]),
        lambda: GibbsAgents(COUNTS, [1.0], smoothing=0.0),
        lambda: GibbsAgents(COUNTS, [1.0], smoothing="little"),
        lambda: GibbsAgents(COUNTS, [1.0], sweeps=2.5),
        lambda: GibbsAgents(COUNTS, [1.0], sweeps=5, burn_in=5),
        lambda: GibbsAgents(COUNTS, [1.0], random_state=None),
        lambda: GibbsAgents(COUNTS, [1.0]).start("seed"),
    ],
)
def test_odd_input_is_refused_in_one_sentence(odd):
    with pytest.raises(InputError) as caught:
        odd()
    assert str(caught.value).endswith(".")
