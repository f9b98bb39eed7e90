"""The one-bit sum (thesis, section 3.1): the one mechanism whose leak is known in closed form.

Everybody has a bit that is one with probability p, and the exact sum of all bits is told. There is
no noise; what hides a bit is that nobody knows the others'. So ε and δ here are *distributional*:
they hold while the others' bits are as random as assumed.

The thesis compares a database whose first bit is 1 with one whose first bit is 0, n bits in all, so
that N = n − 1 others hide it. That is the same as a bit of 1 that is **added or removed** beside N
others. When a bit is **replaced** by a random one, the replacement is the same bit as before with
some probability, and whatever is linear shrinks by the rest.

Where the thesis slips, this is right instead:

- ε is the greater of |log r| at *both* ends of the window. The thesis keeps the lower end alone,
  which is the greater for p ≤ ½ only (p = 0.75, n = 100, δ = 10⁻³: 0.662 where 1.018 is right).
- The ends are clipped to [1, n − 1]: r is zero or infinite beyond.
- Equation 3.4 asks that the window have a mass of at least 1 − δ, not δ.
- The statistical distance has its ½.
- δ_min multiplies probabilities of two databases as if both were told. It is kept as printed; the
  least δ with which any finite ε holds is max(pᴺ, qᴺ) (`OneBitSum.delta` at an infinite ε).
- "With probability at least 1 − δ the ratio is within e^±ε" implies (ε, δ)-privacy but is not
  implied by it. The exact δ at ε, and the exact ε at δ, are those of the hockey-stick divergence.
- Fig. 3.5 has n = 10 (its caption says 1), and the mode of B(n − 1, p) is ⌊np⌋ or ⌈np⌉ − 1, both
  within 0 … n − 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import binom

from chatham.audit import distances
from chatham.errors import InputError
from chatham.measures.settings import check_share, check_whole
from chatham.wording import say

Neighbours = Literal["add-remove", "replace-one"]

DELTAS: Mapping[str, Callable[[int], float]] = MappingProxyType(
    {
        "constant": lambda n: 1e-3,
        "linear": lambda n: 1 / n,
        "quadratic": lambda n: 1 / n**2,
        "cubic": lambda n: 1 / n**3,
    }
)
"""The four δ's of Fig. 3.4, of n."""


@dataclass(frozen=True)
class OneBitSum:
    """The sum of a bit and of `others` more, each of which is 1 with probability `p`.

    >>> round(OneBitSum(others=10, p=0.5).kolmogorov_smirnov, 6)
    0.246094
    >>> round(OneBitSum(others=100, p=0.5, neighbours="replace-one").kolmogorov_smirnov, 6)
    0.039795
    """

    others: int
    p: float = 0.5
    neighbours: Neighbours = "add-remove"
    """What the database without the bit is: the others alone, or the others and a random bit."""
    bit: Literal[0, 1] = 1
    """The bit in question. A 0 that is added or removed changes nothing."""

    def __post_init__(self) -> None:
        check_whole("others", self.others, least=1)
        check_share("p", self.p, above_zero=True, below_one=True)
        if self.neighbours not in get_args(Neighbours) or self.bit not in (0, 1):
            raise InputError(
                say(
                    "{neighbours} must be 'add-remove' or 'replace-one', and {bit} 0 or 1. Got "
                    "{given!r} and {value!r} instead.",
                    given=self.neighbours,
                    value=self.bit,
                )
            )

    @cached_property
    def present(self) -> NDArray[np.float64]:
        """The probabilities of the sums 0 … N + 1 with the bit."""
        return self._shifted(self.bit)

    @cached_property
    def absent(self) -> NDArray[np.float64]:
        """The probabilities of the sums 0 … N + 1 without it."""
        if self.neighbours == "add-remove":
            return self._shifted(0)
        return self.p * self._shifted(1) + (1 - self.p) * self._shifted(0)

    @property
    def mode_mass(self) -> float:
        """max B(k; N, p): the mass of the others' likeliest sum, at ⌊(N + 1)p⌋."""
        mode = min(self.others, math.floor((self.others + 1) * self.p))
        near = np.clip([mode - 1, mode, mode + 1], 0, self.others)
        return float(binom.pmf(near, self.others, self.p).max())

    @property
    def _changed(self) -> float:
        """How likely the database without the bit has another one in its place, or none."""
        if self.neighbours == "add-remove":
            return float(self.bit)
        return 1 - self.p if self.bit else self.p

    @property
    def kolmogorov_smirnov(self) -> float:
        """max |F − G|: F and G are one step apart, so it is the greatest step, max B(k; N, p)."""
        return self._changed * self.mode_mass

    @property
    def statistical_distance(self) -> float:
        """½Σ|P − Q|: P/Q rises with the sum, so the best event is a tail, and the distance is that
        of Kolmogorov and Smirnov."""
        return self.kolmogorov_smirnov

    @property
    def squared_deviation(self) -> float:
        """ISD(with the bit; without it), equation 3.5."""
        return distances.squared_deviation(self.present, self.absent)

    def delta(self, epsilon: float) -> float:
        """The exact least δ at ε, the greater of both directions."""
        if math.isinf(epsilon):
            p, q = self.present, self.absent
            return max(float(p[q == 0].sum()), float(q[p == 0].sum()))
        return distances.delta(self.present, self.absent, epsilon)

    def epsilon(self, delta: float) -> float:
        """The exact least ε at δ; infinite where none is enough."""
        return distances.epsilon(self.present, self.absent, delta)

    def _shifted(self, by: int) -> NDArray[np.float64]:
        """The others' sum and this much more."""
        return np.asarray(binom.pmf(np.arange(self.others + 2) - by, self.others, self.p))


# The thesis's own figures, with its n: all bits, the one in question among them.


def ratio(n: int, k: float, p: float) -> float:
    """r(n, k) = p(n − k)/(qk): how much likelier a sum of k is with a first bit of 0 than of 1."""
    return p * (n - k) / ((1 - p) * k)


def least_delta(n: int, p: float) -> float:
    """δ_min(n) = 1 − (1 − qⁿ⁻¹)(1 − pⁿ⁻¹)."""
    _check(n, p)
    q_power, p_power = (1 - p) ** (n - 1), p ** (n - 1)
    return q_power + p_power - q_power * p_power


def epsilon_at_least_delta(n: int, p: float) -> float:
    """Equation 3.3, log(p(n − 1)/q) for p ≥ ½; for p < ½ the other end of the window has it."""
    _check(n, p)
    return math.log(max(p, 1 - p) * (n - 1) / min(p, 1 - p))


def window(n: int, p: float, delta: float, *, exact: bool = False) -> tuple[float, float]:
    """The sums between which a mass of 1 − δ lies (3.4), clipped to [1, n − 1].

    By default as in the thesis, by the normal curve: np ± σΦ⁻¹(1 − δ/2), not rounded. `exact` takes
    quantiles of the binomial distribution, whose window holds at least 1 − δ, unless clipping
    takes away more: no window has more than 1 − pⁿ − qⁿ.
    """
    _check(n, p)
    check_share("delta", delta, above_zero=True, below_one=True)
    if exact:
        low, high = binom.ppf(delta / 2, n, p), binom.isf(delta / 2, n, p)
    else:
        # Not Φ⁻¹(1 − δ/2), which is infinite as soon as 1 − δ/2 rounds to 1.
        reach = -math.sqrt(n * p * (1 - p)) * float(ndtri(delta / 2))
        low, high = n * p - reach, n * p + reach
    return float(np.clip(low, 1, n - 1)), float(np.clip(high, 1, n - 1))


def epsilon_by_ratio(n: int, p: float, delta: float, *, exact: bool = False) -> float:
    """ε(n) at δ, from ratios of masses: max |log r| over both ends of the `window`.

    Where the window is clipped, sums of 0 or n may be likelier than δ; then this figure, which
    doesn't look at them, is too small, and the exact ε (`OneBitSum.epsilon`) infinite.

    >>> round(epsilon_by_ratio(100, 0.75, 1e-3), 3)
    1.018
    """
    ends = window(n, p, delta, exact=exact)
    return max(abs(math.log(ratio(n, end, p))) for end in ends)


def curves(sizes: Iterable[int], p: float = 0.5) -> pd.DataFrame:
    """Figs. 3.4 and 3.6 as a table, a row for each n: ε for the four δ's, by ratios (`ratio_…`)
    and exactly (`exact_…`), and the three distances. `plots.plot_one_bit_sum` draws it.

    >>> curves([11]).kolmogorov_smirnov.round(6).tolist()
    [0.246094]
    """
    rows = []
    for n in sizes:
        _check(n, p)
        one_bit = OneBitSum(n - 1, p)
        deltas = {name: delta(n) for name, delta in DELTAS.items()}
        rows.append(
            {
                "n": n,
                **{f"ratio_{name}": epsilon_by_ratio(n, p, d) for name, d in deltas.items()},
                **{f"exact_{name}": one_bit.epsilon(d) for name, d in deltas.items()},
                "kolmogorov_smirnov": one_bit.kolmogorov_smirnov,
                "statistical_distance": one_bit.statistical_distance,
                "squared_deviation": one_bit.squared_deviation,
            }
        )
    return pd.DataFrame(rows)


def _check(n: int, p: float) -> None:
    check_whole("n", n, least=2)
    check_share("p", p, above_zero=True, below_one=True)
