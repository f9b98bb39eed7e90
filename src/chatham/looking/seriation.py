"""Seriation by bond energy: rows and columns in an order in which neighbours are alike.

The measure of effectiveness of McCormick, Schweitzer and White (1972), which the thesis names for
word–topic matrices and contingencies (1.3.6.3), adds up products of neighbouring cells. It
separates into rows and columns: columns are to be ordered so that Σ_t ⟨a_o(t), a_o(t+1)⟩ is as
large as can be. Their algorithm puts one column after the other where it adds most, from each
first column in turn; then runs of columns are turned round and single ones moved for as long as
that gains. Few columns are ordered by trying everything (Held and Karp).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Order = NDArray[np.intp]

TRY_ALL = 9
"""Up to this many, the best order of all is found."""
STARTS = 24
"""From how many first columns the rest is put in place, where there are more."""
DIGITS = 12
"""Bonds are rounded, relative to the largest, so that last bits don't decide between equal ones."""


def bond_energy(bonds: Array, order: Order) -> float:
    """The sum of the bonds between neighbours.

    >>> bond_energy(np.array([[2.0, 0, 1], [0, 2, 1], [1, 1, 2]]), np.array([0, 2, 1]))
    2.0
    """
    return float(sum(bonds[left, right] for left, right in pairwise(order)))


def seriated(matrix: Array) -> tuple[Order, Order]:
    """The orders of a matrix's rows and of its columns."""
    return seriated_by(matrix @ matrix.T), seriated_by(matrix.T @ matrix)


def seriated_by(bonds: Array) -> Order:
    """An order of things with these bonds (n×n, symmetric) of large energy; it begins low.

    >>> bonds = np.array([[2.0, 0, 1, 0], [0, 2, 0, 1], [1, 0, 2, 0.1], [0, 1, 0.1, 2]])
    >>> seriated_by(bonds).tolist()
    [0, 2, 3, 1]
    """
    n = len(bonds)
    if n < 3:
        return np.arange(n)
    bonds = np.round(bonds / max(float(np.abs(bonds).max()), np.finfo(float).tiny), DIGITS)
    order = _best_of_all(bonds) if n <= TRY_ALL else _put_in_place(bonds)
    return order if order[0] < order[-1] else order[::-1]


def _best_of_all(bonds: Array) -> Order:
    """Held and Karp: the best path through each set of things, by the one it ends with."""
    n = len(bonds)
    energy = np.full((1 << n, n), -np.inf)
    before = np.full((1 << n, n), -1, dtype=np.intp)
    for first in range(n):
        energy[1 << first, first] = 0.0
    for members in range(1, 1 << n):
        for last in range(n):
            if members >> last & 1 and members != 1 << last:
                rest = members ^ 1 << last
                gains = energy[rest] + bonds[:, last]
                before[members, last] = best = int(np.argmax(gains))
                energy[members, last] = gains[best]
    members, last = (1 << n) - 1, int(np.argmax(energy[-1]))
    order = [last]
    while before[members, last] >= 0:
        members, last = members ^ 1 << last, int(before[members, last])
        order.append(last)
    return np.array(order, dtype=np.intp)


def _put_in_place(bonds: Array) -> Order:
    n = len(bonds)
    # Those with the strongest bonds first: they are where clusters are.
    firsts = np.argsort(-(bonds.sum(axis=1) - np.diag(bonds)).round(DIGITS), kind="stable")
    best, most = np.arange(n), -np.inf
    for first in firsts[:STARTS]:
        order = improved(bonds, inserted(bonds, int(first)))
        energy = round(bond_energy(bonds, order), DIGITS)
        if energy > most:
            best, most = order, energy
    return best


def inserted(bonds: Array, first: int) -> Order:
    """The bond energy algorithm: each time, what adds most, where it adds most."""
    n = len(bonds)
    order = np.array([first], dtype=np.intp)
    left = np.delete(np.arange(n), first)
    while len(left):
        beside = np.zeros((len(left), len(order) + 1))
        to = bonds[np.ix_(left, order)]
        beside[:, 1:] += to
        beside[:, :-1] += to
        beside[:, 1:-1] -= bonds[order[:-1], order[1:]]
        which, where = np.unravel_index(int(np.argmax(beside.round(DIGITS))), beside.shape)
        order = np.insert(order, where, left[which])
        left = np.delete(left, which)
    return order


def improved(bonds: Array, order: Order) -> Order:
    """The order after all turns and moves that gain, the best one each time."""
    n = len(bonds)
    ring = np.zeros((n + 1, n + 1))  # with nothing at its ends, which has no bonds, a row is a ring
    ring[:n, :n] = bonds
    places = np.append(order, n)
    while True:
        turned = _turns(ring, places)
        moved = _moves(ring, places)
        gain = max(turned.max(), moved.max())
        if gain <= 0:
            break
        if turned.max() == gain:
            left, right = np.unravel_index(int(np.argmax(turned)), turned.shape)
            places[left : right + 1] = places[left : right + 1][::-1]
        else:
            what, where = np.unravel_index(int(np.argmax(moved)), moved.shape)
            thing = places[what]
            places = np.delete(places, what)
            places = np.insert(places, where if where < what else where - 1, thing)
    return places[:-1]


def _turns(ring: Array, places: Order) -> Array:
    """What it gains to turn round what lies from each place to each later one."""
    before, after = np.roll(places, 1), np.roll(places, -1)
    gains = ring[np.ix_(before, places)] + ring[np.ix_(places, after)]
    gains -= ring[before, places][:, None] + ring[places, after][None, :]
    gains[np.tril_indices(len(places))] = -np.inf
    gains[:, -1] = -np.inf  # the end stays where it is
    return np.asarray(gains.round(DIGITS))


def _moves(ring: Array, places: Order) -> Array:
    """What it gains to put each thing before each other."""
    before, after = np.roll(places, 1), np.roll(places, -1)
    leaves = ring[before, after] - ring[before, places] - ring[places, after]
    gains = ring[np.ix_(places, before)] + ring[np.ix_(places, places)]
    gains = gains - ring[before, places][None, :] + leaves[:, None]
    n = len(places)
    gains[np.arange(n), np.arange(n)] = -np.inf
    gains[np.arange(n), (np.arange(n) + 1) % n] = -np.inf  # it is there already
    gains[-1] = -np.inf
    return np.asarray(gains.round(DIGITS))
