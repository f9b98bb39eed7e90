"""The topic compositions of synthetic documents, drawn from a prior.

Dirichlet as in LDA; logistic normal as in the correlated topic model, w = softmax(η) with
η ~ N(μ, Σ), whose Σ lets topics correlate. `block_covariance` is the Σ of Arora et al. (2013,
section 5.3 and Fig. 4), `LogisticNormal.of` the μ and Σ of a corpus that was already inferred, for
the semi-real corpora of Lee (2018, section 4.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.corpus.checks import whole
from chatham.errors import InputError
from chatham.naming import plural
from chatham.numerics.threads import threads
from chatham.wording import Parameter, say

Array = NDArray[np.float64]

ROUNDING = 1e-10
"""How far below zero, relative to the largest, rounding may put an eigenvalue of a covariance."""

LARGEST_ALPHA = 1e12
"""At this α all compositions equal the mean to six digits; sums of far larger ones overflow."""


@dataclass(frozen=True, eq=False)
class Dirichlet:
    """Compositions of a Dirichlet: one α for all topics, or one for each.

    >>> Dirichlet([1.0, 3.0]).draw(20_000, 2, np.random.default_rng(0)).mean(axis=0).round(2)
    array([0.25, 0.75])
    """

    alpha: Any

    def __post_init__(self) -> None:
        """Refuse what can't be a Dirichlet's parameter."""
        alpha = _numbers(self.alpha, "alpha", most_dimensions=1)
        if alpha.size == 0 or alpha.min() <= 0 or alpha.max() > LARGEST_ALPHA:
            raise InputError(
                say(
                    "{alpha} must be larger than 0 and at most {most:g}: give one "
                    "number, or one for each topic.",
                    most=LARGEST_ALPHA,
                )
            )
        object.__setattr__(self, "alpha", alpha)

    def draw(self, n: int, k: int, rng: np.random.Generator) -> Array:
        """n compositions of k topics, one per row."""
        drawn = rng.dirichlet(_one_each(self.alpha, k, "alpha"), size=n)
        return drawn / drawn.sum(axis=1, keepdims=True)


@dataclass(frozen=True, eq=False)
class LogisticNormal:
    """Compositions softmax(η), η normal with this mean (one number for all, or one for each topic).

    Without a covariance, topics vary independently with variance 1.

    >>> pairs = LogisticNormal(covariance=block_covariance(4, groups=2, correlation=0.9))
    >>> log = np.log(pairs.draw(20_000, 4, np.random.default_rng(0)))
    >>> np.cov((log[:, :3] - log[:, 3:]).T).round(1)  # 2 - 2ρ = 0.2 between topics of a group
    array([[2. , 1.9, 0.1],
           [1.9, 2. , 0.1],
           [0.1, 0.1, 0.2]])
    """

    mean: Any = 0.0
    covariance: Any = None

    def __post_init__(self) -> None:
        """Refuse what can't be a mean or a covariance."""
        object.__setattr__(self, "mean", _numbers(self.mean, "mean", most_dimensions=1))
        if self.covariance is not None:
            object.__setattr__(self, "covariance", _checked_covariance(self.covariance))

    @classmethod
    def of(cls, weights: Any, smallest: float = 1e-3) -> LogisticNormal:
        """Take mean and covariance from given compositions, n×k.

        Only ratios of weights matter, so log-weights are centred in each document; a weight below
        `smallest` counts as that, since a zero has no logarithm.

        >>> LogisticNormal.of([[0.2, 0.8], [0.5, 0.5], [0.8, 0.2]]).mean.round(12) + 0.0
        array([0., 0.])
        """
        compositions = _numbers(weights, "weights", most_dimensions=2)
        if compositions.ndim != 2 or len(compositions) < 2 or compositions.min() < 0:
            raise InputError(
                say(
                    "{weights} must be compositions of at least 2 documents, one per row, none "
                    "negative.",
                )
            )
        if not 0 < smallest < 1:
            raise InputError(say("{smallest} must lie between 0 and 1, not {it!r}.", it=smallest))
        logs = np.log(np.maximum(compositions, smallest))
        ratios = logs - logs.mean(axis=1, keepdims=True)
        with threads(None):
            covariance = np.atleast_2d(np.cov(ratios.T))
        return cls(ratios.mean(axis=0), (covariance + covariance.T) / 2)

    def draw(self, n: int, k: int, rng: np.random.Generator) -> Array:
        """n compositions of k topics, one per row."""
        mean, normal = _one_each(self.mean, k, "mean"), rng.standard_normal((n, k))
        if self.covariance is not None:
            if len(self.covariance) != k:
                raise InputError(
                    say(
                        "{covariance} is {number}×{number} and there are {topics}: it needs a row "
                        "and a column for each.",
                        number=len(self.covariance),
                        topics=plural(k, "topic"),
                    )
                )
            with threads(None):  # a threaded BLAS would change the last bits
                normal = normal @ _root(self.covariance)
        return _softmax(normal + mean)


Prior = Dirichlet | LogisticNormal


def as_prior(prior: Any) -> Prior:
    """Take a number or a list of them as the α of a Dirichlet.

    >>> as_prior(0.1)
    Dirichlet(alpha=array(0.1))
    """
    return prior if isinstance(prior, Dirichlet | LogisticNormal) else Dirichlet(prior)


def block_covariance(
    k: int, groups: int = 10, correlation: float = 0.1, variance: float = 1.0
) -> Array:
    """Σ of k topics in groups of neighbours: only within a group they correlate (Arora, Fig. 4).

    The paper gives the off-diagonal ρ alone; the variances are taken to be one, so that ρ is a
    correlation. Groups differ by at most one topic where they don't divide k.

    >>> block_covariance(3, groups=2, correlation=0.5)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    if not (whole(k) and whole(groups) and 1 <= groups <= k):
        raise InputError(
            say(
                "{groups} must be a whole number from 1 to the number of topics, not "
                "{it!r} for {k=!r}.",
                it=groups,
                k=k,
            )
        )
    if not (np.isfinite(variance) and variance > 0):
        raise InputError(
            say("{variance} must be a finite number larger than 0, not {it!r}.", it=variance)
        )
    largest_group = -(-k // groups)
    least = -1.0 / (largest_group - 1) if largest_group > 1 else -1.0
    if not least <= correlation <= 1:
        raise InputError(
            say(
                "{correlation} must lie between {least:.3g} and 1 in groups of {topics}, "
                "not {it!r}.",
                least=least,
                topics=plural(largest_group, "topic"),
                it=correlation,
            )
        )
    group = np.repeat(np.arange(groups), [len(part) for part in np.array_split(range(k), groups)])
    same_group = group[:, None] == group[None, :]
    return variance * np.where(np.eye(k, dtype=bool), 1.0, same_group * float(correlation))


def _numbers(values: Any, name: str, most_dimensions: int) -> Array:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if numbers.ndim > most_dimensions or not np.isfinite(numbers).all():
        raise InputError(
            say(
                "{name} must hold finite numbers, in at most {most_dimensions}D.",
                name=Parameter(name),
                most_dimensions=most_dimensions,
            )
        )
    return numbers


def _one_each(values: Array, k: int, name: str) -> Array:
    if values.ndim and len(values) != k:
        raise InputError(
            say(
                "{name} has {numbers} for {topics}: give one number, or one for each topic.",
                name=Parameter(name),
                numbers=plural(len(values), "number"),
                topics=plural(k, "topic"),
            )
        )
    return np.broadcast_to(values, (k,))


def _checked_covariance(matrix: Any) -> Array:
    covariance = _numbers(matrix, "covariance", most_dimensions=2)
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1] or not len(covariance):
        raise InputError(
            say(
                "{covariance} must be square, topics × topics, not of shape {shape}.",
                shape=covariance.shape,
            )
        )
    if np.abs(covariance - covariance.T).max() > ROUNDING * np.abs(covariance).max():
        raise InputError(say("{covariance} must be symmetric: give (Σ + Σᵀ)/2 if it nearly is."))
    values = np.linalg.eigvalsh(covariance)
    if values[0] < -ROUNDING * max(values[-1], 0.0):
        raise InputError(
            say(
                "{covariance} must have no negative eigenvalue, and its smallest is "
                "{least:.3g}: lower the correlations.",
                least=values[0],
            )
        )
    return covariance


def _root(covariance: Array) -> Array:
    """The symmetric root: unlike Cholesky's it may be singular; the signs of vectors cancel."""
    values, vectors = np.linalg.eigh(covariance)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def _softmax(logits: Array) -> Array:
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)
