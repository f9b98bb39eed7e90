"""Rows of co-occurrence from products with it, compared with the truth.

The attacks are `audit/rebuilding/rows_from_products`.
"""

import numpy as np

from chatham.audit.rebuilding import rows_from_products
from chatham.audit.rebuilding.rows_from_products import (
    by_least_squares,
    by_programme,
    cooccurrences,
    expectations,
    peeled,
)
from chatham.learners.cooccurrence import ALIKE


def equations(commons, step="multiply_pairs", pairing=ALIKE):
    """What the coalition knows after a fit over an `Observed`: products of this step."""
    others = commons.holders - len(commons.coalition)
    own = sum(cooccurrences(commons.parts[i], pairing) for i in commons.coalition)
    return rows_from_products.equations(commons.rounds, step, others, own)


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


def sparsest(truth, count):
    """The words whose rows have the fewest entries, none empty."""
    entries = (truth > 0).sum(axis=1)
    words = np.flatnonzero(entries)
    return words[np.argsort(entries[words], kind="stable")[:count]].tolist()
