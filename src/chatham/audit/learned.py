"""A learned statistic: a classifier that weighs all statistics of a document against each other.

Statistics that tell nothing one by one may tell something together, as two of which only the
difference matters (thesis, section 3.5, wishes for statistics that are learned). Databases are cut
in two. A classifier learns from one half which values go with the document, and scores the other
half; and the other way round.

Given what was learned in one half, a score is as good as any statistic that was fixed beforehand:
in the other half Kolmogorov and Smirnov's test by permutations is exact. The p-values of the two
halves are not independent, since each half's coins decide both what is learned there and what is
tested there; so the lesser of the two counts twice, which holds however they depend on each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from chatham.audit.epsilon import epsilon_from_counts
from chatham.audit.intervals import Estimate, average, proportion_limits
from chatham.audit.membership import document_auc
from chatham.audit.two_sample import two_sample
from chatham.errors import InputError
from chatham.numerics.threads import threads

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEARNED = "learned"
MEANING = (
    "What a classifier says of all other statistics together, learned in one half of the databases "
    "and tried on the other."
)
SOLVER = "newton-cholesky"
"""For few features, a few steps of Newton's are enough."""
LEAST = 2
"""The fewest databases with a document, and without it, to learn from and to try on."""


@dataclass(frozen=True)
class Learned:
    """What the learned statistic says of one document."""

    p: float
    """Twice the lesser p-value of both halves."""
    auc: Estimate
    epsilon: Estimate
    """A lower bound on ε, by how often the classifier said "in"."""
    advantage: Estimate
    """The share of databases with the document that the classifier recognises, less that of
    databases without it that it takes for such: 0 is chance, 1 is always right."""


def learn(
    features: Array, present: Flags, half: NDArray[np.int64], *, level: float, joint: float
) -> Learned:
    """Learn from databases × statistics in either half, and try it on the other one.

    Intervals are at `level`; the bound on ε is at `joint`, since it is one of several that have to
    hold together.
    """
    scores = held_out_scores(features, present, half)
    arms = [(scores[(half == h) & present], scores[(half == h) & ~present]) for h in (0, 1)]
    p = min(float(two_sample(*each).p[0]) for each in arms)
    each_level, each_joint = (1 + level) / 2, (1 + joint) / 2
    bounds = [_bound(*arm, each_joint) for arm in arms]
    low = max(bound.low for bound in bounds)
    estimate = max(low, float(np.mean([bound.estimate for bound in bounds])))
    return Learned(
        min(1.0, 2 * p),
        average([_auc(*arm, each_level) for arm in arms], level),
        Estimate(estimate, low, np.inf, level),
        average([_advantage(*arm, each_level) for arm in arms], level),
    )


def held_out_scores(features: Array, present: Flags, part: NDArray[np.int64]) -> Array:
    """The log-odds by which a classifier takes each database for one with the document.

    `features` are databases × statistics. Logistic regression on all other parts of the databases
    scores those of a part, so no database is scored by what was learned from it.
    """
    for each in np.unique(part):
        _check_enough(present[part != each])
        _check_enough(present[part == each])
    scores = np.zeros(len(present))
    # What never varies tells nothing, and scaling it would divide by zero.
    features = features[:, np.ptp(features, axis=0) > 0]
    if features.shape[1] == 0:
        return scores
    with threads(None):  # matrices are tiny, and threads of BLAS would change the last bits
        for each in np.unique(part):
            known, tried = part != each, part == each
            classifier = make_pipeline(StandardScaler(), LogisticRegression(solver=SOLVER))
            classifier.fit(features[known], present[known])
            scores[tried] = classifier.decision_function(features[tried])
    return scores


def _auc(present: Array, absent: Array, level: float) -> Estimate:
    flags = np.repeat([True, False], [present.size, absent.size])
    return document_auc(np.concatenate([present, absent]), flags, level=level)[0]


def _bound(present: Array, absent: Array, level: float) -> Estimate:
    said_in = [int((arm > 0).sum()) for arm in (present, absent)]
    return epsilon_from_counts(said_in[0], present.size, said_in[1], absent.size, level=level)


def _advantage(present: Array, absent: Array, level: float) -> Estimate:
    """Twice the share of right answers above ½, as coins are fair; where nothing speaks for either,
    the answer is a coin's too."""
    right = float((present > 0).sum() + (absent < 0).sum())
    right += 0.5 * float((present == 0).sum() + (absent == 0).sum())
    n = present.size + absent.size
    low, high = (2 * float(end) - 1 for end in proportion_limits(right, n, 1 - level))
    return Estimate(2 * right / n - 1, low, high, level)


def _check_enough(present: Flags) -> None:
    fewest = int(min(present.sum(), (~present).sum()))
    if fewest < LEAST:
        raise InputError(
            f"A classifier needs {LEAST} databases with the document and {LEAST} without it, to "
            f"learn from and to be tried on; there are {fewest} of one kind, so ask for more."
        )
