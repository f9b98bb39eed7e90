"""Online EM: how expectations of a stream become topics and priors.

Eq. 2 of Colin and Dupuy (2016), after Dupuy and Bach (2016) and Cappé and Moulines (2009). The
statistics s are means over documents: expected counts of words by topic (k × d, in tokens per
document), and E[log θ]. Each mini-batch moves them towards its own means by a step that becomes
smaller, s ← (1 − ρ_t) s + ρ_t E[S]; the most likely parameters η*(s) are the rows of the counts,
normalised, and the prior under which log θ has that mean.

Before the first batch nothing is known, and what takes its place should weigh nothing. So the
statistics are those of all batches so far divided by the weight that these have together,
m_t = (1 − ρ_t) m_{t−1} + ρ_t: the step is ρ_t / m_t, which is one at the first batch whatever its
ρ, and ρ_t itself where ρ_1 = 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.online_lda.local_gibbs import Expectations

Array = NDArray[np.float64]


def step_size(t: float, *, kappa: float = 0.5, offset: float = 0.0) -> float:
    """ρ_t = (t + offset)^−kappa for the t-th mini-batch: the first takes all without an offset.

    The mean settles if the steps add up to infinity and their squares don't: 0.5 < kappa ≤ 1. At
    0.5 and below it goes on moving, and forgets old documents sooner.

    >>> step_size(1), step_size(4), step_size(1, kappa=1.0, offset=3.0)
    (1.0, 0.5, 0.25)
    """
    return float((t + offset) ** -kappa)


def topics_of(statistics: Array, smoothing: float) -> Array:
    """η*(s): the rows of s + smoothing, divided by their sums.

    >>> topics_of(np.array([[3.0, 1.0], [0.0, 0.0]]), 1.0)
    array([[0.66666667, 0.33333333],
           [0.5       , 0.5       ]])
    """
    smoothed = np.asarray(statistics + smoothing)
    sizes = smoothed.sum(axis=1, keepdims=True)
    if not (sizes > 0).all():
        raise InputError(
            f"Topic {int(np.argmin(sizes))} has no words and the smoothing is {smoothing:g}; give "
            "a smoothing above 0."
        )
    smoothed /= sizes
    return smoothed


@dataclass
class RunningMeans:
    """Means over the documents of a stream, in which later documents weigh more."""

    counts: Array
    """Expected counts of words by topic, in tokens per document (k × d, kept by word)."""
    log_weights: Array
    """E[log θ] for each topic."""
    weights: Array
    """E[θ] for each topic."""
    documents: float = 0.0
    """How many documents with words have been learned; in several passes, each several times."""
    mass: float = 0.0
    """m_t, how much all batches weigh together."""
    evidence: float = 0.0
    """How many documents, weighed alike, would have means as certain as these: one over the sum of
    the squares of their weights."""

    @classmethod
    def of_nothing(cls, k: int, d: int) -> RunningMeans:
        """The means before the first document."""
        return cls(np.zeros((d, k)).T, np.zeros(k), np.zeros(k))

    def learn(
        self, found: Expectations, documents: int, size: int, kappa: float, offset: float
    ) -> None:
        """Move towards the means of a mini-batch of so many documents, `size` being usual.

        Time is counted in documents, so that it hardly matters how a stream is cut: a batch of half
        the usual size is half a step of t, and moves the means by half as much.
        """
        self.documents += documents
        share = documents / size
        rho = min(1.0, share * step_size(self.documents / size, kappa=kappa, offset=offset))
        self.mass = (1.0 - rho) * self.mass + rho
        step = rho / self.mass
        self.counts = _moved(self.counts, found.counts, step, documents)
        self.log_weights = _moved(self.log_weights, found.log_weights, step, documents)
        self.weights = _moved(self.weights, found.weights, step, documents)
        before = 1.0 / self.evidence if self.evidence > 0 else 0.0
        self.evidence = 1.0 / ((1.0 - step) ** 2 * before + step**2 / documents)


def _moved(mean: Array, total: Array, step: float, documents: int) -> Array:
    """(1 − step) · mean + step · total / documents."""
    moved = (1.0 - step) * mean
    moved += (step / documents) * total
    return moved
