"""Exchanges: whatever is lost and whoever is killed, nothing is done by half, and all end."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.errors import ProtocolError
from chatham.gossip import complete, edge_list, ring
from chatham.gossip.exchange import Exchanges, Keep, Message, Promise, State, as_bytes
from tests.gossip.world import SHAPE, World, random_life

PAIR = edge_list([(0, 1)])
PATH = edge_list([(0, 1), (1, 2), (2, 3)])


@pytest.mark.parametrize("graph", [PAIR, PATH, ring(4)], ids=str)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_nothing_is_lost_or_done_by_half(graph, seed):
    rng = random.Random(seed)
    world = World(graph, updates=3, seed=seed)
    random_life(world, rng, 150)
    world.heal()
    for agent, disk in zip(world.agents, world.disks, strict=True):
        assert disk.promise is None
        assert agent.state.promise is None
        assert agent.calling is None
    assert np.abs(sum(disk.statistics for disk in world.disks) - world.total).max() < 1e-9


@given(seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_all_leave_in_the_end(seed):
    rng = random.Random(seed)
    world = World(ring(4), updates=2, seed=seed)
    random_life(world, rng, 60)
    world.finish(rng)
    assert all(disk.finished for disk in world.disks)
    assert all(disk.updates == 2 for disk in world.disks)
    assert np.abs(sum(disk.statistics for disk in world.disks) - world.total).max() < 1e-9


@pytest.mark.parametrize("graph", [PATH, complete(4)], ids=str)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None)
def test_the_same_under_masks(graph, seed):
    rng = random.Random(seed)
    world = World(graph, updates=2, private=True, seed=seed)
    random_life(world, rng, 120)
    world.finish(rng)
    assert np.abs(sum(disk.statistics for disk in world.disks) - world.total).max() < 1e-6


def test_a_pair_takes_its_average():
    world = World(PAIR)
    before = [disk.statistics for disk in world.disks]
    world.wake(0)
    world.heal()
    for disk in world.disks:
        np.testing.assert_allclose(disk.statistics, np.mean(before, axis=0), rtol=1e-15)
        assert (disk.exchanges, disk.due) == (1, True)


def test_a_neighbourhood_takes_its_average_and_the_caller_sees_no_part():
    world = World(PATH, private=True)
    before = [disk.statistics for disk in world.disks]
    world.wake(1)
    crossed = []
    while waiting := [pair for pair, queue in world.queues.items() if queue]:
        crossed += [m for queue in world.queues.values() for m in queue if m.kind == "give"]
        world.deliver(*waiting[0])
    mean = np.mean(before[:3], axis=0)
    for disk in world.disks[:3]:
        np.testing.assert_allclose(disk.statistics, mean, atol=1e-8)
    np.testing.assert_array_equal(world.disks[3].statistics, before[3])
    words = [np.frombuffer(message.body, "<u8") for message in crossed]
    plain = [np.rint(each * 2.0**30).astype(np.uint64).ravel() for each in before]
    assert words
    assert not any(np.isin(mine, given).any() for mine in plain for given in words)


def test_whoever_has_something_under_way_says_so_at_once():
    world = World(PATH)
    world.wake(0)
    world.until(0, 1, "call")
    world.deliver(0, 1)  # 1 has promised its statistics to 0
    world.wake(2, 0)
    assert world.agents[2].calling is not None
    while world.queues[2, 1]:
        world.deliver(2, 1)
    kinds = [message.kind for message in world.queues[1, 2]]
    assert kinds[-1] == "busy"


def test_two_that_call_each_other_at_once_both_let_go():
    world = World(PAIR)
    world.wake(0)
    world.wake(1)
    world.heal()
    assert world.agents[0].idle
    assert world.agents[1].idle
    assert [disk.exchanges for disk in world.disks] == [0, 0]


def promised(exchange=b"x" * 32):
    """Agent 1 of a pair, which has given to agent 0."""
    state = State(np.full(SHAPE, 4.0), promise=Promise(0, exchange))
    world = World(PAIR)
    return Exchanges(1, world.plan, state, world.agents[1]._sums)


GOOD = as_bytes(np.full(SHAPE, 3.0))


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (Message("average", b"y" * 32, GOOD), "An average belongs to no exchange that I gave to."),
        (Message("average", b"x" * 32, GOOD[:-1]),
         "Statistics of 47 bytes came, and those of 2 × 3 have 48."),
        (Message("average", b"x" * 32, b""),
         "Statistics of 0 bytes came, and those of 2 × 3 have 48."),
        (Message("average", b"x" * 32, as_bytes(np.full(SHAPE, np.nan))),
         "Statistics came that can't be expected counts: negative or no numbers"),
        (Message("average", b"x" * 32, as_bytes(np.full(SHAPE, np.inf))),
         "Statistics came that can't be expected counts: negative or no numbers"),
        (Message("average", b"x" * 32, as_bytes(np.full(SHAPE, -1.0))),
         "Statistics came that can't be expected counts: negative or no numbers"),
        (Message("average", b"x" * 32, as_bytes(np.full(SHAPE, 1.9))),
         "An average is less than my own share of it."),
        (Message("keys", b"x" * 32, b"?"), None),
        (Message("progress", body=b""), "A list of updates isn't one of 2 agents."),
        (Message("goodbye"), "A neighbour says that all have settled, and I haven't."),
        (Message("farewell"), "A neighbour answers a goodbye that I haven't said."),
        (Message("hello"), "A message of the kind hello isn't one between agents."),
        (Message("never", b"y" * 32), None),
        (Message("received", b"x" * 32), None),
        (Message("busy", b"x" * 32), None),
        (Message("give", b"x" * 32, GOOD), None),
    ],
)  # fmt: skip
def test_what_doesnt_belong_changes_nothing(message, sentence):
    agent = promised()
    before = agent.state
    if sentence is None:
        assert not any(isinstance(effect, Keep) for effect in agent.hear(0, message))
    else:
        with pytest.raises(ProtocolError) as caught:
            agent.hear(0, message)
        assert str(caught.value) == sentence
    assert agent.state == before


def test_what_came_before_does_nothing_a_second_time():
    agent = promised()
    average = Message("average", b"x" * 32, GOOD)
    agent.hear(0, average)
    np.testing.assert_array_equal(agent.state.statistics, 3.0)
    after = agent.state
    assert agent.hear(0, average) == []  # it was asked for and on its way at once
    agent.moved(np.full(SHAPE, 5.0))
    agent.hear(0, Message("call", b"z" * 32))
    with pytest.raises(ProtocolError, match="belongs to no exchange"):
        agent.hear(0, replace(average, exchange=b"w" * 32))
    assert agent.state.exchanges == after.exchanges == 1


def test_statistics_that_come_twice_or_from_somebody_else_are_refused():
    world = World(PATH)
    world.wake(1, 0)
    exchange = world.agents[1].calling
    assert world.agents[1].hear(2, Message("give", exchange, GOOD))[0].message.kind == "never"
    assert world.agents[1].calling == exchange
    world.agents[1].hear(0, Message("give", exchange, GOOD))
    assert world.agents[1].state.exchanges == 1
    (answer,) = world.agents[1].hear(0, Message("give", exchange, GOOD))[1:]
    assert answer.message.kind == "average"  # the one that it owes, not a second one
    assert world.agents[1].state.exchanges == 1


def test_nobody_gives_to_a_masked_sum_of_two():
    world = World(PATH, private=True)
    with pytest.raises(ProtocolError, match="masked sum of two"):
        world.agents[1].hear(0, Message("call", b"x" * 32))
    assert world.agents[0].partners() == []


def test_an_average_that_nobody_confirmed_is_owed_until_it_is():
    """The caller is killed after its write: it alone knows, and tells whoever asks."""
    world = World(PAIR)
    world.wake(0)
    world.until(0, 1, "call")
    world.deliver(0, 1)
    world.until(1, 0, "give")
    world.deliver(1, 0, until=1)
    assert world.disks[0].exchanges == 1
    assert world.disks[1].promise is not None
    world.check()
    world.heal()
    np.testing.assert_array_equal(world.disks[0].statistics, world.disks[1].statistics)
    assert world.agents[0].state.owed == {}


def test_what_wasnt_written_never_was():
    """The caller is killed before its write."""
    world = World(PAIR)
    before = [disk.statistics for disk in world.disks]
    world.wake(0)
    world.until(0, 1, "call")
    world.deliver(0, 1)
    world.until(1, 0, "give")
    world.deliver(1, 0, until=0)
    assert world.disks[1].promise is not None
    world.heal()
    assert world.disks[1].promise is None
    for disk, was in zip(world.disks, before, strict=True):
        np.testing.assert_array_equal(disk.statistics, was)


def test_whoever_is_ahead_averages_and_waits_to_learn():
    world = World(PAIR, updates=20)
    world.disks = [replace(disk, progress=(4, 0)) for disk in world.disks]
    world.disks[0] = replace(world.disks[0], updates=4)
    for agent in (0, 1):
        world.kill(agent)
    world.heal()

    world.wake(0)
    world.heal()
    assert [agent.state.exchanges for agent in world.agents] == [1, 1]
    assert [agent.state.due for agent in world.agents] == [False, True]
    world.update(1)
    world.heal()
    assert world.agents[0].state.progress == (4, 1)
    world.wake(0)
    world.heal()
    assert [agent.state.due for agent in world.agents] == [True, True]


def test_the_slowest_is_never_ahead_whatever_its_pace():
    plan = World(PATH).plan
    plan = replace(plan, updates=(1, 1, 1, 1), paces=(10.0, 0.1, 0.1, 10.0))
    for agent in range(4):
        assert not Exchanges(agent, plan, State(np.zeros(SHAPE)), lambda *_: None).ahead
    assert Exchanges(
        0, plan, State(np.zeros(SHAPE), updates=1, progress=(1, 3, 3, 1)), lambda *_: None
    ).ahead


def test_progress_spreads_and_everybody_learns_that_all_have_settled():
    world = World(PATH, updates=1)
    for agent, other in ((0, 1), (2, 3)):
        world.wake(agent, 1 if agent == 2 else 0)
        world.heal()
        assert world.agents[agent].state.due
        assert world.agents[other].state.due
        world.update(agent)
        world.update(other)
    world.heal()
    assert all(agent.ending for agent in world.agents)
    assert all(agent.finished for agent in world.agents)


def test_several_averages_can_be_owed_at_once():
    """Two neighbours gave, one after the other, and lost their links before they heard."""
    world = World(PATH)
    for place, member in enumerate((0, 2)):
        world.wake(1, place)
        world.until(1, member, "call")
        world.deliver(1, member)
        world.until(member, 1, "give")
        world.deliver(member, 1)
        world.cut(1, member)
        world.update(1)
    assert sorted(world.disks[1].owed) == [0, 2]
    world.check()
    world.heal()
    assert [disk.promise for disk in world.disks] == [None] * 4
    assert world.agents[1].state.owed == {}
    assert [disk.exchanges for disk in world.disks] == [1, 2, 1, 0]
