"""Documents from one exact total of co-occurrences, compared with the truth.

The attack is `audit/rebuilding/pair_lengths`.
"""

from collections import defaultdict

import numpy as np

from chatham.audit.rebuilding.finding import LEAST
from chatham.audit.rebuilding.pair_lengths import rebuilt, tied_words


class Truth:
    """The documents that an attack is after."""

    def __init__(self, documents):
        dense = [np.asarray(part.toarray()) for part in documents]
        self.rows = np.vstack(dense).astype(int)
        self.words = [frozenset(np.flatnonzero(row).tolist()) for row in self.rows]
        self.by_length = defaultdict(list)
        for number, length in enumerate(self.rows.sum(axis=1)):
            self.by_length[int(length)].append(number)

    def holding(self, group):
        """The number of a document of this length with all these words; None if there is none."""
        for number in self.by_length[group.length]:
            if group.words <= self.words[number]:
                return number
        return None


def figures(matrix, documents, tolerance=1e-6, by_length=False):
    """What the attack claims of these documents, and how much of that is true."""
    truth, groups = Truth(documents), tied_words(matrix, tolerance, by_length)
    holders = {group: truth.holding(group) for group in groups}
    whole = rebuilt(matrix, groups, by_length=by_length)
    tied = {
        number
        for group, number in holders.items()
        if number is not None and len(group.words) > LEAST
    }
    rows = {row.tobytes() for row in truth.rows}
    return {
        "groups": len(groups),
        "true": sum(number is not None for number in holders.values()),
        "documents tied": len(tied),
        "rebuilt": len(whole),
        "rebuilt rightly": sum(row.astype(truth.rows.dtype).tobytes() in rows for row in whole),
    }
