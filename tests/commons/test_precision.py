"""Fraction bits from what a learner knows: most a document, the total of a cell, or a budget."""

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chatham as ch
from chatham.commons import precision
from chatham.commons.fixed_point import LARGEST, bits_for
from chatham.commons.precision import Budget, Precision
from chatham.errors import InputError

FLOATS, WHOLE = np.zeros(2), np.zeros(2, np.int64)
SOURCES = Path(ch.__file__).parent
ALGORITHMS = [
    path
    for room in ("learners", "measures", "model", "corpus")
    for path in sorted((SOURCES / room).rglob("*.py"))
]


def halves(rows, memory):
    """Half of each row, added up."""
    return rows.sum(axis=0) / 2


def halves_and_rows(rows, memory):
    """Half of each row, added up, and how many rows there are."""
    return rows.sum(axis=0) / 2, np.array(len(rows))


def test_most_before_documents_are_counted_is_an_error():
    commons = ch.Simulated([np.ones((4, 2))] * 3, secure=True)
    with pytest.raises(InputError, match=r"commons\.count\(\) first"):
        commons.sum(halves)
    assert commons.sum(halves, total=10.0).tolist() == [6, 6]
    assert commons.count() == (12, 12)
    assert commons.sum(halves).tolist() == [6, 6]
    with commons.fitting(), pytest.raises(InputError, match=r"commons\.count\(\) first"):
        commons.sum(halves)  # a fit counts its own documents


def test_whole_numbers_need_no_bound():
    commons = ch.Simulated([np.ones((4, 2), dtype=np.int64)] * 3, secure=True)
    words, documents = commons.sum(halves_and_rows, total=(6.0, None))
    assert words.tolist() == [6, 6]
    assert documents == 12
    assert documents.dtype == np.int64


def test_a_ledger_around_a_commons_counts_for_it_too():
    recorded = ch.Recorded(ch.Simulated([np.ones((4, 2))] * 3, secure=True))
    assert recorded.count().documents == 12
    assert recorded.sum(halves).tolist() == [6, 6]
    assert [entry.statistic.split(".")[-1] for entry in recorded.ledger] == [
        "count_documents", "halves",
    ]  # fmt: skip


@given(
    most=st.floats(1e-3, 1e6), documents=st.integers(1, 10**8), holders=st.integers(1, 50),
    usual=st.integers(0, 59),
)  # fmt: skip
def test_bits_leave_room_for_what_all_documents_add(most, documents, holders, usual):
    (bits,) = Precision(most).bits([FLOATS], documents, holders, usual)
    assert bits == min(bits_for(most * documents, holders), usual)
    if bits:
        assert most * documents * holders * 2.0**bits <= LARGEST
    assert Precision(total=most * documents).bits([FLOATS], None, holders, usual) == (bits,)


@pytest.mark.parametrize("bound", [float("nan"), -1.0, "1", True, None, np.ones(2)])
def test_what_bounds_nothing_is_refused_on_every_commons(bound):
    for commons in (ch.Alone(np.ones((4, 2))), ch.Simulated([np.ones((4, 2))] * 3, secure=True)):
        commons.count()
        with pytest.raises(InputError, match="is a number of at least 0"):
            commons.sum(halves, most=bound)
        if bound is not None:
            with pytest.raises(InputError, match="is a number of at least 0"):
                commons.sum(halves, total=bound)


def test_a_count_ends_with_its_fit_under_a_ledger_too():
    inner = ch.Simulated([np.arange(1.0, 81.0).reshape(40, 2)] * 3, secure=True)
    recorded = ch.Recorded(inner)
    ch.PLSA(2, max_iter=2, random_state=0).fit(recorded)
    for commons in (inner, recorded):
        assert commons.counted is None
        with pytest.raises(InputError, match=r"commons\.count\(\) first"):
            commons.sum(halves)


def test_each_array_may_have_its_own_bound():
    kept = Precision((1.0, Budget(7, "few"), 8.0), (None, None, 100.0))
    bits = kept.bits([FLOATS, FLOATS, FLOATS], 1000, 3, 59)
    assert bits == (bits_for(1000, 3), 7, bits_for(100, 3))
    assert kept.bits([WHOLE, FLOATS, WHOLE], None, 3, 40) == (0, 7, 0)
    with pytest.raises(InputError, match="3 bounds for 2 arrays"):
        kept.bits([FLOATS, FLOATS], 1000, 3, 59)


def test_every_budget_stands_in_the_table_with_its_reason():
    budgets = {name: each for name, each in vars(precision).items() if isinstance(each, Budget)}
    assert len(budgets) >= 12
    for name, budget in budgets.items():
        assert name.isupper()
        assert 0 <= budget.bits <= 59
        assert len(budget.reason.split()) > 4
    made = [
        path
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Budget"
    ]
    assert {path.name for path in made} == {"precision.py"}


@pytest.mark.parametrize("path", ALGORITHMS, ids=lambda path: str(path.relative_to(SOURCES)))
def test_no_algorithm_knows_of_fraction_bits(path):
    """Not how many bits there are, nor who adds up in fixed point; SVD alone scales to its room."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.keyword):
            assert node.arg != "bits"
        if isinstance(node, ast.ImportFrom) and node.module == "chatham.commons.fixed_point":
            assert path.name == "svd.py"
            assert [name.name for name in node.names] == ["LARGEST"]


@pytest.mark.parametrize("path", ALGORITHMS, ids=lambda path: str(path.relative_to(SOURCES)))
def test_whether_documents_may_cross_is_asked_in_one_place(path):
    """Starts and repairs are chosen in `beginnings`, and small simulated parties are warned.

    And co-occurrence counts documents alike, and weights are bounded.
    """
    asked = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "private"
    ]
    places = ("beginnings.py", "small_parties.py", "anchor/spectral.py", "weighted.py")
    assert len(asked) == path.as_posix().endswith(places)
