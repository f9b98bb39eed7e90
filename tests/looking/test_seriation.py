"""Seriation: nothing tried by hand is better on small matrices, and known orders come back."""

from itertools import permutations

import numpy as np
import pytest

from chatham.looking import seriation
from chatham.looking.seriation import bond_energy, improved, inserted, seriated, seriated_by


def bonds_of(n, seed):
    matrix = np.random.default_rng(seed).gamma(0.4, size=(5, n))
    return matrix.T @ matrix


def best_by_trying(bonds):
    orders = permutations(range(len(bonds)))
    return max(bond_energy(bonds, np.array(order)) for order in orders)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("seed", range(4))
def test_few_are_in_the_best_order_of_all(n, seed):
    bonds = bonds_of(n, seed)
    order = seriated_by(bonds)
    assert sorted(order.tolist()) == list(range(n))
    assert bond_energy(bonds, order) == pytest.approx(best_by_trying(bonds), rel=1e-10)


def test_what_is_used_for_many_is_hardly_ever_worse_for_few(monkeypatch):
    monkeypatch.setattr(seriation, "TRY_ALL", 2)
    ratios = []
    for seed in range(20):
        bonds = bonds_of(7, seed)
        ratios.append(bond_energy(bonds, seriated_by(bonds)) / best_by_trying(bonds))
    assert max(ratios) <= 1 + 1e-10
    assert min(ratios) > 0.98
    assert np.mean(np.array(ratios) > 1 - 1e-10) >= 0.9


@pytest.mark.parametrize("seed", range(5))
def test_the_algorithm_adds_where_it_adds_most_and_improvements_gain(seed):
    bonds = bonds_of(15, seed)
    for first in (0, 7):
        order = _inserted_naively(bonds, first)
        assert inserted(bonds, first).tolist() == order
        better = improved(bonds, np.array(order))
        assert sorted(better.tolist()) == list(range(15))
        assert bond_energy(bonds, better) >= bond_energy(bonds, np.array(order)) - 1e-12
        for changed in _neighbours(better.tolist()):  # no turn and no move is left that gains
            assert bond_energy(bonds, np.array(changed)) <= bond_energy(bonds, better) + 1e-9


def _inserted_naively(bonds, first):
    order, left = [first], [thing for thing in range(len(bonds)) if thing != first]
    while left:
        tries = [
            [*order[:at], thing, *order[at:]] for thing in left for at in range(len(order) + 1)
        ]
        order = max(tries, key=lambda each: bond_energy(bonds, each))
        left = [thing for thing in left if thing not in order]
    return order


def _neighbours(order):
    n = len(order)
    for left in range(n):
        for right in range(left + 1, n):
            yield order[:left] + order[left : right + 1][::-1] + order[right + 1 :]
    for thing in order:
        rest = [other for other in order if other != thing]
        for at in range(n):
            yield [*rest[:at], thing, *rest[at:]]


def test_blocks_and_bands_come_back_from_any_order():
    rng = np.random.default_rng(1)
    band = np.exp(-np.abs(np.subtract.outer(np.arange(30), np.arange(30))) / 2.0)
    shuffle = rng.permutation(30)
    order = shuffle[seriated_by(band[np.ix_(shuffle, shuffle)])]
    assert order.tolist() in (list(range(30)), list(range(29, -1, -1)))
    blocks = np.kron(np.eye(4), np.ones((5, 3)))
    mixed = blocks[rng.permutation(20)][:, rng.permutation(12)]
    rows, columns = seriated(mixed)
    together = mixed[rows][:, columns]
    assert (np.abs(np.diff(together, axis=0)).any(axis=1)).sum() == 3  # blocks in one piece each
    assert (np.abs(np.diff(together, axis=1)).any(axis=0)).sum() == 3


def test_the_order_begins_low_and_ties_are_broken_the_same_way():
    assert seriated_by(np.ones((1, 1))).tolist() == [0]
    assert seriated_by(np.eye(2)).tolist() == [0, 1]
    for n in (5, 40):
        same = seriated_by(np.ones((n, n)))
        assert same.tolist() == seriated_by(np.ones((n, n)) * (1 + 1e-15)).tolist()
        assert same[0] < same[-1]
    assert sorted(seriated_by(np.zeros((12, 12))).tolist()) == list(range(12))
