"""Arithmetic on records: curves over K, which claims of the source hold, topics side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from rectification_study.plan import AP, AP_EARLY, AP_EG, BASELINE, DC, GIBBS
from rectification_study.study import Record

Curve = dict[int, float]


def curve(
    records: Sequence[Record], corpus: str, method: str, measure: str, anchor_df: float
) -> Curve:
    """A measure's values by K, where it has one; models with another cut-off are left out."""
    return {
        record["k"]: record["scores"][measure]
        for record in records
        if (record["corpus"], record["method"]) == (corpus, method)
        and record["settings"].get("anchor_df", anchor_df) == anchor_df
        and record["scores"][measure] is not None
    }


@dataclass(frozen=True)
class Claim:
    """What the source says: `method` has less or more of `measure`, or is nearer to `to`."""

    method: str
    than: str
    measure: str
    how: str
    to: float | str | None = None

    def holds(self, curves: Mapping[str, Curve]) -> list[bool]:
        """At each K that has all the values, whether it is so."""
        sizes = set(curves[self.method]) & set(curves[self.than])
        if isinstance(self.to, str):
            sizes &= set(curves[self.to])
        return [self._holds_at({name: line.get(k) for name, line in curves.items()})
                for k in sorted(sizes)]  # fmt: skip

    def _holds_at(self, values: Mapping[str, float | None]) -> bool:
        own, other = values[self.method], values[self.than]
        aim = values[self.to] if isinstance(self.to, str) else self.to
        assert own is not None
        assert other is not None
        if self.how == "nearer":
            assert aim is not None
            return abs(own - aim) < abs(other - aim)
        return own < other if self.how == "less" else own > other


CLAIMS = (
    Claim(AP, BASELINE, "recovery", "less"),
    Claim(AP, DC, "recovery", "less"),
    Claim(DC, BASELINE, "approximation", "less"),
    Claim(AP, BASELINE, "approximation", "less"),
    Claim(AP, BASELINE, "dominancy", "nearer", GIBBS),
    Claim(AP, BASELINE, "specificity", "more"),
    Claim(AP, DC, "specificity", "more"),
    Claim(AP, BASELINE, "specificity", "nearer", GIBBS),
    Claim(AP, BASELINE, "dissimilarity", "more"),
    Claim(AP, DC, "dissimilarity", "more"),
    Claim(AP, BASELINE, "dissimilarity", "nearer", GIBBS),
    Claim(AP, BASELINE, "coherence", "nearer", GIBBS),
    Claim(AP, DC, "coherence", "nearer", GIBBS),
    Claim(AP, BASELINE, "entropy", "nearer", GIBBS),
    Claim(AP, BASELINE, "sparsity", "nearer", GIBBS),
    Claim(AP, BASELINE, "legality", "nearer", 1.0),
    Claim(DC, BASELINE, "legality", "nearer", 1.0),
    Claim(AP, BASELINE, "validity", "less"),
    Claim(DC, BASELINE, "validity", "less"),
)
"""In the order of sections 2.4 and A.4."""

OVER_EG = tuple(
    Claim(AP, AP_EG, measure, how)
    for measure, how in (
        ("recovery", "less"), ("approximation", "less"), ("specificity", "more"),
        ("sparsity", "more"), ("entropy", "less"),
    )
)  # fmt: skip
"""Section 3.5.1: what ADMM has over exponentiated gradient."""

EITHER_EG = (AP_EG, AP_EARLY)


def largest_difference(curves: Mapping[str, Curve], method: str, other: str) -> float | None:
    """The largest |a − b| / |b| over K of two methods."""
    sizes = set(curves[method]) & set(curves[other])
    shares = [abs(curves[method][k] / curves[other][k] - 1.0) for k in sizes if curves[other][k]]
    return max(shares, default=None)


def aligned(tops: Sequence[list[str]], reference: Sequence[list[str]]) -> list[int]:
    """An order of topics in which each shares as many top words with the reference's as can be.

    >>> aligned([["rain", "wind"], ["tea", "milk"]], [["milk", "tea"], ["wind", "sun"]])
    [1, 0]
    """
    shared = np.array([[len(set(own) & set(other)) for own in tops] for other in reference])
    return [int(place) for place in linear_sum_assignment(-shared)[1]]
