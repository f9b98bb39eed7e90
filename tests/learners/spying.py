"""A spy that sees every contribution of every holder to every sum, and every total.

Each holder has an odd document, with words of its own, which a start or a repair that picks
documents would pick.
"""

import numpy as np

from chatham.commons import Simulated
from chatham.commons.interface import name_of
from tests.conftest import plant

HOLDERS, EACH, WORDS = 3, 80, 160


def parties(odd=True):
    """Short documents of four topics, so that none is like its topic, and an odd one each."""
    counts = plant(n=HOLDERS * EACH, d=WORDS, k=4, length=12, concentration=0.05)[0].toarray()
    counts = np.hstack([counts, np.zeros((len(counts), 2 * HOLDERS))]).astype(float)
    if odd:
        for holder in range(HOLDERS):
            counts[holder] = 0
            counts[holder, WORDS + 2 * holder : WORDS + 2 * holder + 2] = 5, 7
    return [counts[holder::HOLDERS] for holder in range(HOLDERS)]


class Spied(Simulated):
    """Keeps all that holders contribute, and all totals, with the step's name."""

    def __init__(self, parts, **more):
        self.contributions, self.totals = [], []
        super().__init__(parts, **more)

    def _run(self, step, rows, memory, shared):
        parts, is_tuple = super()._run(step, rows, memory, shared)
        self.contributions += [(name_of(step), part) for part in parts]
        return parts, is_tuple

    def _total(self, step, shared, precision):
        total = super()._total(step, shared, precision)
        parts = total if isinstance(total, tuple) else (total,)
        self.totals += [(name_of(step), part) for part in parts]
        return total


def likeness(arrays, documents):
    """For each step, the largest cosine of a contributed row or column with a document."""
    d = documents.shape[1]
    units = documents / np.linalg.norm(documents, axis=1, keepdims=True)
    found = {}
    for name, array in arrays:
        for row in _rows(np.asarray(array, dtype=float), d):
            size = np.linalg.norm(row)
            if size > 0:
                cosine = float(np.abs(units @ row).max() / size)
                found[name.rsplit(".", 1)[1]] = max(cosine, found.get(name.rsplit(".", 1)[1], 0.0))
    return found


def _rows(array, d):
    """Whatever of an array could be a document: rows, columns, and rows with a few numbers more."""
    if array.ndim == 1:
        array = array[None]
    if array.ndim == 2 and array.shape[0] == d:
        yield from array.T
    if array.ndim == 2 and d <= array.shape[1] <= d + 3:
        yield from array[:, array.shape[1] - d :]


def spied(learner, parts, secure=True, exact_totals=True):
    commons = Spied(parts, secure=secure, exact_totals=exact_totals)
    learner.fit(commons)
    documents = np.vstack(parts)
    return likeness(commons.contributions, documents), likeness(commons.totals, documents)


NEAR = 0.95
"""An average of several of these documents is never that close to one of them."""
