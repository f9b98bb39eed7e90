"""What a step keeps: named arrays that it declares, and what can be made again from them."""

import numpy as np
import pytest

from chatham.commons import Alone, Memory, keeps
from chatham.commons.memory import AnyStep
from chatham.errors import InputError


def keeps_in_secret(rows, memory):
    """The rows, added up."""
    memory["secret"] = rows
    return rows.sum(axis=0)


@keeps(notes="no array at all")
def keeps_a_list(rows, memory):
    """The rows, added up."""
    memory["notes"] = ["a list"]
    return rows.sum(axis=0)


@keeps(words="texts as objects")
def keeps_objects(rows, memory):
    """The rows, added up."""
    memory["words"] = np.array(["a", None], dtype=object)
    return rows.sum(axis=0)


@keeps(seen="how often the rows were added up")
def keeps_a_count(rows, memory):
    """The rows, added up, times how often they were."""
    memory["seen"] = memory.get("seen", np.zeros(1)) + 1
    return memory["seen"] * memory.derived("sum", rows.sum)


def test_what_a_step_keeps_it_declares():
    with pytest.raises(InputError, match=r"keeps_in_secret keeps 'secret' without declaring it"):
        Alone(np.ones((2, 2))).sum(keeps_in_secret)


@pytest.mark.parametrize("step", [keeps_a_list, keeps_objects])
def test_it_keeps_arrays_of_numbers_alone(step: AnyStep):
    with pytest.raises(InputError, match="which isn't an array of numbers; have it derived"):
        Alone(np.ones((2, 2))).sum(step)


def test_declared_arrays_last_from_step_to_step():
    commons = Alone(np.ones((2, 2)))
    assert [float(commons.sum(keeps_a_count)[0]) for _ in range(3)] == [4, 8, 12]
    assert keeps_a_count.keeps == {"seen": "how often the rows were added up"}


def test_what_is_derived_is_made_once_and_isnt_kept():
    memory, made = Memory(), []

    def make(number):
        made.append(number)
        return [number]

    assert memory.derived("list", make, 7) is memory.derived("list", make, 7)
    assert made == [7]
    assert dict(memory) == {}
    assert memory.derived("list", make, 8) == [8]  # of something else it is something else


def test_what_is_derived_goes_by_the_very_array():
    memory, array = Memory(), np.ones(2)
    total = memory.derived("sum", np.sum, array)
    array[:] = 5
    assert memory.derived("sum", np.sum, array) is total  # what is changed in place is its maker's
    assert memory.derived("sum", np.sum, array.copy()) == 10


def replaces(rows, memory):
    """The rows, added up."""
    memory["seen"] = memory["seen"] + 1
    return rows.sum(axis=0)


def removes(rows, memory):
    """The rows, added up."""
    del memory["seen"]
    return rows.sum(axis=0)


@pytest.mark.parametrize("step", [replaces, removes])
def test_what_a_step_replaces_or_removes_it_declares_too(step):
    commons = Alone(np.ones((2, 2)))
    commons.sum(keeps_a_count)
    with pytest.raises(InputError, match="keeps 'seen' without declaring it"):
        commons.sum(step)
