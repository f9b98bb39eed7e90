"""Sums in one process go through the very masks that go between parties."""

import numpy as np
import pytest

import chatham as ch
from chatham.commons.fixed_point import LARGEST, encode, pack
from chatham.commons.secure import masks as masked
from chatham.commons.secure.masked_sum import SecureSums
from chatham.errors import HolderError, InputError, TotalError
from tests.conftest import split


def words_and_documents(rows, memory):
    """Counts of words, their mean, and the number of documents."""
    sums = np.asarray(rows.sum(axis=0)).ravel()
    return sums.astype(np.int64), sums / 7, np.array(rows.shape[0])


def not_a_number(rows, memory):
    """A statistic that no sum can hold."""
    return np.array([np.nan])


@pytest.mark.parametrize("holders", [1, 2, 3, 9, 20])
def test_totals_are_exact_to_the_bit(holders):
    rng = np.random.default_rng(holders)
    parts = rng.integers(-(LARGEST // holders), LARGEST // holders, (holders, 5))
    sums = SecureSums(holders)
    for round_ in range(3):
        digest = bytes([round_]) * 32
        total = sums.total(list(parts.view(np.uint64)), digest)
        assert np.array_equal(total.view(np.int64), parts.sum(axis=0))


def test_a_simulation_adds_up_as_fixed_point_does(planted):
    counts = planted[0].toarray()
    parts = split(counts, 3)
    whole, means, documents = ch.Simulated(parts, secure=True, fraction_bits=20).sum(
        words_and_documents, total=1e6
    )
    assert np.array_equal(whole, counts.sum(axis=0))
    assert documents == len(counts)
    expected = np.add.reduce([encode(part.sum(axis=0) / 7, 20, 3) for part in parts])
    assert np.array_equal(means, expected.view(np.int64) / 2.0**20)


def test_what_is_added_up_is_masked(monkeypatch):
    """Neither a part nor the total is among the words that are added."""
    seen = []
    real = masked.Masks.cover

    def watched(self, *given):
        seen.append(real(self, *given))
        return seen[-1].copy()

    monkeypatch.setattr(masked.Masks, "cover", watched)
    parts = [np.full(50, 7 + i, np.uint64) for i in range(3)]
    total = SecureSums(3).total(parts, bytes(32))
    assert set(total.tolist()) == {24}
    assert len(seen) == 3
    for message in (*seen, np.add.reduce(seen)):
        assert not set(message.tolist()) & {7, 8, 9, 24}
        assert len(set(message.tolist())) == 52


def test_a_total_that_is_altered_on_the_way_is_refused(monkeypatch):
    real = masked.Masks.cover

    def altered(self, *given):
        message = real(self, *given)
        message[:1] += np.uint64(2**63)
        return message

    monkeypatch.setattr(masked.Masks, "cover", altered)
    with pytest.raises(TotalError):
        SecureSums(3).total([np.zeros(4, np.uint64)] * 3, bytes(32))


def test_a_simulation_refuses_what_parties_refuse():
    with pytest.raises((InputError, HolderError), match="NaN or infinity"):
        ch.Simulated([np.ones((2, 2))] * 3, secure=True).sum(not_a_number, total=1.0)


def test_holders_with_unlike_shapes_are_refused():
    _, long = pack([np.zeros(3)], (40,), 2)
    _, short = pack([np.zeros(2)], (40,), 2)
    with pytest.raises(ValueError, match="broadcast"):
        SecureSums(2).total([long, short], bytes(32))


@pytest.mark.parametrize("bits", [-1, 60, 2.5, "40", None, True])
def test_fraction_bits_that_there_are_not_are_refused_at_once(bits):
    with pytest.raises(InputError, match=r"fraction_bits must be a whole number from 0 to 59"):
        ch.Simulated([np.ones((2, 2))] * 3, secure=True, fraction_bits=bits)
