"""The door: totals in order, failures with a name, a ledger of all that crossed."""

import json

import numpy as np
import pytest

import chatham as ch
from chatham.commons import Alone, Recorded, Simulated, as_commons, keeps
from chatham.errors import HolderError, InputError
from tests.conftest import split


@keeps(calls="how often this holder was asked")
def sums_of_words(rows, memory, factor):
    """Sums of words, times a factor."""
    memory["calls"] = memory.get("calls", np.zeros(1)) + 1
    return factor * np.asarray(rows.sum(axis=0)).ravel(), np.array([rows.shape[0]])


def calls_so_far(rows, memory):
    """How often this holder was asked before."""
    return memory.get("calls", np.zeros(1))


def place_in_roster(rows, memory):
    """One at the holder's own place."""
    slots = np.zeros(memory.holders)
    slots[memory.index] = 1 + memory.index
    return slots


def break_at_the_second(rows, memory):
    """Fails at one holder."""
    if memory.index == 1:
        raise ZeroDivisionError("division by zero")
    return np.zeros(1)


def grows_with_rows(rows, memory):
    """A statistic that it may not be."""
    return np.zeros(rows.shape[0])


def without_meaning(rows, memory):
    return np.zeros(1)


COMMONS = {
    "alone": lambda rows: Alone(rows),
    "simulated 1": lambda rows: Simulated([rows]),
    "simulated 3": lambda rows: Simulated(split(rows, 3)),
    "recorded 9": lambda rows: Recorded(Simulated(split(rows, 9))),
}


@pytest.mark.parametrize("kind", COMMONS)
def test_totals_come_back_in_the_order_given(kind):
    rows = np.arange(60.0).reshape(20, 3)
    words, documents = COMMONS[kind](rows).sum(sums_of_words, 2.0)
    assert np.array_equal(words, 2 * rows.sum(axis=0))
    assert documents.tolist() == [20]


@pytest.mark.parametrize("kind", COMMONS)
def test_memory_lasts_for_one_fit_and_no_longer(kind):
    commons = COMMONS[kind](np.ones((9, 2)))
    for _ in range(2):
        with commons.fitting():
            commons.sum(sums_of_words, 1.0)
            assert commons.sum(calls_so_far).tolist() == [commons.holders]
    assert commons.sum(calls_so_far).tolist() == [0]


def test_every_holder_knows_its_place():
    three = Recorded(Simulated([np.ones((1, 2))] * 3))
    assert three.sum(place_in_roster).tolist() == [1, 2, 3]
    assert (three.holders, three.index) == (3, None)
    assert (Alone(np.ones((1, 2))).holders, Alone(np.ones((1, 2))).index) == (1, 0)


def test_a_failure_names_holder_and_statistic():
    with pytest.raises(HolderError) as error:
        Simulated([np.ones((1, 2))] * 3).sum(break_at_the_second)
    assert str(error.value) == (
        "Holder 2 of 3 could not compute what a sum needs (Fails at one holder): ZeroDivisionError."
    )
    assert error.value.step == f"{__name__}.break_at_the_second"
    assert error.value.__notes__ == [f"The step was {__name__}.break_at_the_second."]


def test_a_statistic_whose_shape_depends_on_the_rows_is_refused():
    with pytest.raises(HolderError, match="may not depend on the rows"):
        Simulated([np.ones((1, 2)), np.ones((2, 2))]).sum(grows_with_rows)


def test_a_closure_a_method_and_a_step_without_meaning_are_refused():
    rows = np.ones((2, 2))
    with pytest.raises(InputError, match="must be a module-level function"):
        Alone(rows).sum(lambda rows, memory: rows)
    with pytest.raises(InputError, match="must be a module-level function"):
        Alone(rows).sum(rows.sum)
    with pytest.raises(InputError, match="must say what crosses"):
        Alone(rows).sum(without_meaning)


def test_holders_must_count_the_same_words():
    with pytest.raises(InputError, match="one vocabulary"):
        Simulated([np.ones((1, 2)), np.ones((1, 3))])
    with pytest.raises(InputError, match="at least one holder"):
        Simulated([])


def test_ledger_lists_all_that_crossed(tmp_path):
    commons = Recorded(Simulated([np.ones((4, 3))] * 2))
    commons.sum(sums_of_words, 1.0)
    commons.sum(place_in_roster)
    shapes = [(e.round, e.array, e.shape, e.bytes) for e in commons.ledger]
    assert shapes == [(1, 0, (3,), 24), (1, 1, (1,), 8), (2, 0, (2,), 16)]
    assert commons.ledger[0].meaning == "Sums of words, times a factor."
    commons.write(tmp_path / "ledger.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert [line["statistic"].rsplit(".", 1)[1] for line in lines] == [
        "sums_of_words",
        "sums_of_words",
        "place_in_roster",
    ]


def test_recording_changes_nothing(planted):
    counts = planted[0]
    plain = ch.NMF(5, random_state=0, max_iter=5).fit(ch.Simulated(split(counts, 3)))
    noted = ch.NMF(5, random_state=0, max_iter=5).fit(ch.Recorded(ch.Simulated(split(counts, 3))))
    assert np.array_equal(plain.components_, noted.components_)


def test_a_plain_matrix_is_alone():
    rows = np.ones((2, 2))
    assert isinstance(as_commons(rows), Alone)
    commons = Simulated([rows])
    assert as_commons(commons) is commons


@pytest.mark.parametrize("kind", COMMONS)
def test_a_normed_sum_is_the_direction_of_the_sum(kind):
    rows = np.arange(60.0).reshape(20, 3)
    sums = rows.sum(axis=0)
    direction = COMMONS[kind](rows).normed_sum(only_words, 2.0)
    np.testing.assert_allclose(direction, sums / np.linalg.norm(sums), rtol=1e-14)
    assert COMMONS[kind](rows).normed_sum(only_words, 0.0).tolist() == [0.0, 0.0, 0.0]


def only_words(rows, memory, factor):
    """Sums of words, times a factor."""
    return factor * np.asarray(rows.sum(axis=0)).ravel()


@pytest.mark.parametrize("kind", COMMONS)
def test_rows_that_are_here_are_told(kind):
    commons = COMMONS[kind](np.ones((18, 2)))
    assert len(commons.here) == commons.holders
    assert sum(rows.shape[0] for rows in commons.here) == 18
    assert not commons.private
    assert Recorded(Simulated([np.ones((4, 2))] * 3, secure=True)).private
