"""Two topics to draw documents from, and whether draws fit what was expected."""

import numpy as np
from scipy.stats import chi2

FIVE_SIGMA = 5.0
TOPICS = np.array([[0.5, 0.3, 0.2, 0.0], [0.0, 0.1, 0.2, 0.7]])
ALONE = 1e-9
"""As α: each document has one topic."""


def same(one, other):
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(
            getattr(one.corpus.counts, part), getattr(other.corpus.counts, part)
        )
    np.testing.assert_array_equal(one.weights, other.weights)


def fits(observed, expected):
    """Chi-square: what was counted is likely under what was expected."""
    possible = expected > 0
    assert (observed[~possible] == 0).all()
    statistic = ((observed - expected)[possible] ** 2 / expected[possible]).sum()
    return chi2.sf(statistic, possible.sum() - 1) > 1e-4
