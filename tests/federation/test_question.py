"""The question before the first sum: one bit of all, and how many have few documents."""

import warnings

import numpy as np
import pytest

import chatham as ch
from chatham.commons import Memory, Simulated
from chatham.commons.fixed_point import LARGEST
from chatham.errors import SessionError
from chatham.federation.question import Past, ask, tell_of_past
from chatham.notes import FewDocumentsWarning


def asked(*pasts, known=False, secrets=None):
    """What is warned of; a refusal is raised."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask(Simulated(pasts, secure=True, secrets=secrets), known)
    assert all(issubclass(each.category, FewDocumentsWarning) for each in caught)
    return [str(each.message) for each in caught]


NO, YES, FEW = Past(False, 100), Past(True, 100), Past(False, 29)


def test_if_nobody_was_elsewhere_all_go_on():
    assert asked(NO, NO, NO) == []


@pytest.mark.parametrize("pasts", [(YES, NO, NO), (NO, NO, YES), (YES, YES, YES), (YES,) * 40])
def test_if_anybody_was_all_stop(pasts):
    with pytest.raises(SessionError) as refusal:
        asked(*pasts)
    assert refusal.value.kind == "roster"
    ways = ("other documents", "the same parties", "'chatham session --roster-changed-know'")
    assert all(way in str(refusal.value) for way in ways)
    assert max(map(len, str(refusal.value).split(". "))) < 200, "no sentence is a long one"


def test_if_all_know_nothing_is_said_about_it():
    assert asked(YES, NO, YES, known=True) == []
    for past in (YES, NO):
        number, _ = tell_of_past(past, Memory(0, 3, b"secret"), True)
        assert number.tolist() == [0]


def test_parties_with_few_documents_are_counted_for_all():
    (said,) = asked(FEW, NO, FEW, Past(False, 30))
    assert "2 of the 4 parties have fewer than 30 documents" in said
    (said,) = asked(YES, NO, Past(True, 0), known=True)
    assert "1 of the 3 parties has fewer" in said


@pytest.mark.parametrize("holders", [2, 3, 200])
def test_numbers_are_never_zero_repeat_and_fill_their_range(holders):
    memories = [Memory(0, holders, b"secret %d" % number) for number in range(300)]
    numbers = [int(tell_of_past(YES, memory, False)[0][0]) for memory in memories]
    most = LARGEST // holders
    assert numbers == [int(tell_of_past(YES, memory, False)[0][0]) for memory in memories]
    assert len(set(numbers)) == len(numbers)
    assert all(0 < abs(number) <= most for number in numbers)
    sizes = np.array(numbers) / most
    assert sizes.min() < -0.9
    assert sizes.max() > 0.9
    assert abs(np.mean(sizes > 0) - 0.5) < 0.15


def test_the_ledger_says_what_crosses():
    commons = ch.Recorded(Simulated([NO, NO, NO], secure=True))
    ask(commons, False)
    assert [(entry.shape, entry.bytes) for entry in commons.ledger] == [((1,), 8), ((1,), 8)]
    assert "with other parties" in commons.ledger[0].meaning
