"""Rows of co-occurrence from products with it, minus what the curious parties added themselves.

A coalition knows the blocks Q and, of the others' co-occurrence F, the products FQ, up to rounding:
for each word as many equations as there are columns, for a row that isn't negative and in which
most words don't occur. It tries to solve them for the words that the fewest of the others'
documents have, whose rows are the sparsest:

- by non-negative least squares;
- by a linear programme, the cheapest row that agrees with the equations, where a word is the
  cheaper the more often it occurs together with the row's word in one's own documents;
- the same one row after another, with what is known by symmetry from the rows before.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog, nnls

from chatham.learners.cooccurrence import statistics_of_pairs, unpacked
from chatham.learners.documents import Documents
from tests.attacks.cooccurrence_totals import SMALLEST_GROUP, Group, lengths_of

WIDTH = 3.0
"""Within how many standard deviations of its noise an equation is taken to hold."""


@dataclass(frozen=True)
class Equations:
    """F × blocks = products, each product within ± `off`; F are the others' co-occurrences."""

    blocks: np.ndarray
    products: np.ndarray
    off: float
    words: np.ndarray
    """The words that the others may have."""
    own: np.ndarray
    """What the coalition's documents would make one expect: their own co-occurrence."""


def equations(commons, step="multiply_pairs"):
    """What the coalition knows after a fit over an `Observed`: products of this step."""
    blocks, products, off = [], [], 0.0
    others = commons.holders - len(commons.coalition)
    for one in commons.rounds:
        if one.step == step:
            (block, *more), (product,) = one.shared, one.others
            factor = more[0] if isinstance(more[0], float) else 1.0
            blocks.append(block)
            products.append(product / factor)
            off = (others * one.units[0] / 2.0 + WIDTH * one.noise[0]) / factor
    known = np.hstack(products)
    own = sum(cooccurrences(commons.parts[i]) for i in commons.coalition)
    return Equations(np.hstack(blocks), known, off, np.abs(known).sum(axis=1) > 0, own)


def cooccurrences(rows):
    """A party's exact co-occurrences."""
    packed, _, _ = statistics_of_pairs(Documents(rows))
    return unpacked(packed, rows.shape[1])


def by_least_squares(system, word, weights):
    """The nearest row that isn't negative, in units of the weights."""
    columns = np.flatnonzero(system.words)
    scaled = system.blocks[columns].T * weights[columns]
    row = np.zeros(len(system.words))
    row[columns] = weights[columns] * nnls(scaled, system.products[word], maxiter=20_000)[0]
    return row


def by_programme(system, word, weights, known=None):
    """The row that costs least and agrees with the equations; None if there is none."""
    known = {} if known is None else known
    columns = np.flatnonzero(system.words & ~np.isin(np.arange(len(system.words)), list(known)))
    given = sum((value * system.blocks[other] for other, value in known.items()), 0.0)
    right = system.products[word] - given
    matrix = np.ascontiguousarray(system.blocks[columns].T)
    scale = max(float(np.abs(right).max()), 1e-300)
    found = linprog(
        1.0 / weights[columns],
        A_ub=np.vstack([matrix, -matrix]),
        b_ub=np.concatenate([right + system.off, system.off - right]) / scale,
        bounds=(0, None),
        method="highs",
    )
    if found.x is None:
        return None
    row = np.zeros(len(system.words))
    row[columns] = found.x * scale
    for other, value in known.items():
        row[other] = value
    return row


def expectations(system, word):
    """How much of a row one's own documents make one expect in each cell; never nothing.

    The fourth root served best: one's own documents are only somewhat like the others'.
    """
    own, overall = system.own[word], system.own.sum(axis=0)
    shares = own / max(float(own.sum()), 1e-12) + overall / overall.sum()
    return (shares + 1e-6) ** 0.25


def peeled(system, words):
    """Rows one after another, the cells known by symmetry taken from the rows before."""
    rows = {}
    for word in words:
        known = {other: float(row[word]) for other, row in rows.items()}
        row = by_programme(system, word, expectations(system, word), known)
        if row is None:  # what was taken from rows before doesn't agree: those were wrong
            row = by_programme(system, word, expectations(system, word))
        if row is not None:
            rows[word] = row
    return rows


def attacked(system, words):
    """Every attack's rows for these words."""
    flat = np.ones(len(system.words))
    found = {
        "least squares": {
            word: by_least_squares(system, word, expectations(system, word)) for word in words
        },
        "programme": {word: by_programme(system, word, flat) for word in words},
        "weighted programme, peeled": peeled(system, words),
    }
    return {
        name: {word: row for word, row in rows.items() if row is not None}
        for name, rows in found.items()
    }


def recovered(rows, truth):
    """Which of these rows are right: all cells to half of the smallest that there is."""
    return [word for word, row in rows.items() if _is_right(row, truth[word])]


def _is_right(row, true):
    least = true[true > 0].min()
    return bool(np.abs(row - true).max() < least / 2)


def support_found(rows, truth):
    """Of as many largest cells as a row has, the share that it really has: the best row's."""
    shares = []
    for word, row in rows.items():
        real = np.flatnonzero(truth[word] > 0)
        largest = np.argsort(-row, kind="stable")[: len(real)]
        shares.append(len(np.intersect1d(real, largest)) / len(real))
    return max(shares, default=0.0)


def groups_in_rows(rows, tolerance=0.01):
    """Four words or more that a row ties together: its word, and those with the same 1/n(n−1)."""
    groups = set()
    for word, row in rows.items():
        lengths = lengths_of(row, tolerance / 2.0)
        lengths[word] = 0
        for n in np.unique(lengths[lengths > 0]):
            words = frozenset([word, *np.flatnonzero(lengths == n).tolist()])
            if len(words) >= SMALLEST_GROUP:
                groups.add(Group(words, int(n)))
    return groups


def sparsest(truth, count):
    """The words whose rows have the fewest entries, none empty."""
    entries = (truth > 0).sum(axis=1)
    words = np.flatnonzero(entries)
    return words[np.argsort(entries[words], kind="stable")[:count]].tolist()
