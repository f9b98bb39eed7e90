"""A figure with its interval: no estimate of an audit goes without one.

>>> clopper_pearson(0, 10, level=0.95)
Estimate(estimate=0.0, low=0.0, high=0.308..., level=0.95, caveat='')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from chatham.errors import InputError
from chatham.measures.settings import check_share
from chatham.wording import Parameter, say

Caveat = Literal["", "extrapolated", "asymptotic"]
"""Why an interval may promise more than it holds: "extrapolated" rests on a fitted curve beyond
where there are samples, "asymptotic" is right only as samples become many."""


@dataclass(frozen=True)
class Estimate:
    """An estimate and its interval: of many audits a share of `level` has the truth inside.

    A bound on one side only has an infinite (or the greatest possible) other end.
    """

    estimate: float
    low: float
    high: float
    level: float
    caveat: Caveat = ""


def clopper_pearson(successes: float, trials: int, *, level: float = 0.95) -> Estimate:
    """A share of independent trials, with the exact interval of Clopper and Pearson (1934)."""
    check_share("level", level, above_zero=True, below_one=True)
    if not 0 <= successes <= trials or trials < 1:
        raise InputError(
            say(
                "{successes=} must lie between 0 and {trials=}, of which there is at least one.",
                successes=successes,
                trials=trials,
            )
        )
    low, high = proportion_limits(successes, trials, 1 - level)
    return Estimate(successes / trials, float(low), float(high), level)


def proportion_limits(
    successes: ArrayLike, trials: ArrayLike, error: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of Clopper and Pearson's intervals, each of which errs with at most `error`, half
    on either side. Successes may be fractions: of the area under a curve, say."""
    k, n = np.broadcast_arrays(np.asarray(successes, float), np.asarray(trials, float))
    with np.errstate(invalid="ignore"):
        low = np.where(k > 0, betaincinv(np.maximum(k, 1e-300), n - k + 1, error / 2), 0.0)
        high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1e-300), 1 - error / 2), 1.0)
    return low, high


def average(parts: Sequence[Estimate], level: float) -> Estimate:
    """The average of estimates whose intervals hold together with probability `level`: its interval
    is the average of theirs, however they depend on each other."""
    value, low, high = (
        float(np.mean([getattr(each, name) for each in parts]))
        for name in ("estimate", "low", "high")
    )
    return Estimate(value, low, high, level, parts[0].caveat)


def check_samples(name: str, samples: Any, *, least: int = 1) -> NDArray[np.float64]:
    """Samples in rows, or one row of them, as numbers; none of them NaN."""
    values = np.asarray(samples, dtype=np.float64)
    if values.ndim == 0 or values.shape[-1] < least or np.isnan(values).any():
        raise InputError(
            say(
                "{name} must be an array of at least {least} samples, none of them NaN. "
                "Got one of shape {shape} with {missing} NaN.",
                name=Parameter(name),
                least=least,
                shape=values.shape,
                missing=int(np.isnan(values).sum()),
            )
        )
    return values


def check_one_row(name: str, samples: Any, *, least: int = 1) -> NDArray[np.float64]:
    """The samples of one statistic, in one row."""
    values = check_samples(name, samples, least=least)
    if values.ndim != 1:
        raise InputError(
            say(
                "{name} must be one row of samples. Got an array of shape {shape} instead.",
                name=Parameter(name),
                shape=values.shape,
            )
        )
    return values
