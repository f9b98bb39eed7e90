"""Do two rows of samples come from the same distribution? Kolmogorov and Smirnov's test, exactly.

A statistic of databases with a document is compared with the same statistic of databases without
it, for many documents at once. If the document makes no difference, every way to deal the pooled
values to the two arms is as likely as any other. So p-values come from *all* of those ways, counted
by walking through the pooled values in order; none is drawn at random, and none is approximated
for many samples. Values that tie are passed in one stride, so that the count is right for them too.

Three p-values are told for each test:

- `p`, the share of ways with a distance at least as great. It is what a person reads: a mechanism
  that tells nothing gets 1. With few samples, or few values, it is cautious.
- `exact`, the same as if no two values tied, which is what the test is elsewhere. Without ties both
  are equal. With ties it is more than cautious: beside 100 others of a one-bit sum it needs 700
  samples an arm for a power of 0.8, where `p` needs about 540.
- `randomised`, in which ways with the very same distance count by a random share. It is exactly
  uniform where the document makes no difference, so that tests as a whole can be checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from chatham.audit.intervals import Estimate, check_samples, clopper_pearson
from chatham.errors import InputError
from chatham.measures.settings import check_share, check_whole
from chatham.wording import Parameter, say

Values = NDArray[np.float64]

LEAST_P = 1e-300
"""What is reported for any p-value below it: floats end there, evidence doesn't."""


@dataclass(frozen=True)
class TwoSampleTests:
    """Tests of Kolmogorov and Smirnov, one for each row of samples."""

    statistic: Values
    """max |F − G|."""
    p: Values
    """The permutation p-value."""
    exact: Values
    """The p-value of values of which no two tie."""
    randomised: Values
    """The same, exactly uniform where both arms have the same distribution."""


def two_sample(present: ArrayLike, absent: ArrayLike, *, seed: int = 0) -> TwoSampleTests:
    """Tests of rows of samples (tests × samples; or one row) with the document, and without.

    Both have as many rows; the arms may differ in size. `seed` is for the random share
    alone, which goes by a row's place: test all rows at once, not in batches of the same seed.

    >>> two_sample([1, 2, 3], [4, 5, 6]).p.tolist()
    [0.1]
    """
    x, y = _arms(present, absent)
    heights, p, beyond = _tested(x, y)
    share = np.random.default_rng(seed).random(p.size)
    randomised = beyond + share * (p - beyond)
    n, m = x.shape[1], y.shape[1]
    distinct, which = np.unique(heights, return_inverse=True)
    exact = _without_ties(distinct, n, m)[which]
    least = (np.maximum(each, LEAST_P) for each in (p, exact, randomised))
    return TwoSampleTests(heights / (n * m), *least)


def holm(p_values: ArrayLike) -> Values:
    """Holm's (1979) corrected p-values: those at most α are false for any of the family with
    probability at most α, however the tests depend on each other.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = check_samples("p_values", p_values).ravel()
    order = np.argsort(p, kind="stable")
    corrected = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    back = np.empty_like(p)
    back[order] = np.minimum(corrected, 1.0)
    return back.reshape(np.shape(p_values))


@dataclass(frozen=True)
class Ksdp:
    """π-KSDP of some documents under some statistics (thesis, section 3.2)."""

    statistics: tuple[str, ...]
    tests: tuple[TwoSampleTests, ...]
    """One for each statistic, with a test for each document."""
    pi: float
    """The least p of all statistics and documents: the mechanism satisfies π-KSDP for no more."""
    by_document: Values
    """π of each document: its least p over statistics, as Algorithm 11 returns it. It is not
    corrected for how many statistics were tried."""
    holm: Values
    """Holm's correction of every p (statistics × documents) for all of them together."""

    @property
    def holm_by_document(self) -> Values:
        """Each document's least corrected p-value."""
        return np.asarray(self.holm.min(axis=0))


def ksdp(
    present: Mapping[str, ArrayLike], absent: Mapping[str, ArrayLike], *, seed: int = 0
) -> Ksdp:
    """Algorithm 11 from its line 7 on: samples of every statistic (documents × samples) in, π out.

    Algorithm 11 as printed draws X′ from X, which may have x in it already, and adds x to it, so
    that one arm has a row more than the other. Databases of equal size are up to whoever draws.
    """
    if not present or present.keys() != absent.keys():
        raise InputError(
            say("{present} and {absent} must have samples of the same statistics, at least one.")
        )
    seeds = np.random.SeedSequence(seed).generate_state(len(present), np.uint64)
    tests = tuple(
        two_sample(samples, absent[name], seed=int(each))
        for (name, samples), each in zip(present.items(), seeds, strict=True)
    )
    if len({test.p.size for test in tests}) > 1:
        raise InputError(say("Every statistic in {present} must have the same documents."))
    p = np.array([test.p for test in tests])
    return Ksdp(tuple(present), tests, float(p.min()), p.min(axis=0), holm(p))


# How many samples a test needs.


@dataclass(frozen=True)
class SampleSize:
    """How many samples an arm needs for a power, and the power that they have."""

    per_arm: int
    power: Estimate


def power(
    present: ArrayLike,
    absent: ArrayLike,
    per_arm: int,
    *,
    alpha: float = 0.05,
    ties: bool = True,
    runs: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> Estimate:
    """How often p ≤ α (without `ties`: exact ≤ α) with so many samples of two known distributions,
    by trying it.

    The distributions are arrays of probabilities of the same values in increasing order, as
    `OneBitSum.present` and `absent` are.
    """
    check_whole("per_arm", per_arm, least=2)
    check_whole("runs", runs, least=1)
    check_share("alpha", alpha, above_zero=True, below_one=True)
    p, q = check_samples("present", present), check_samples("absent", absent)
    generator = np.random.default_rng(np.random.SeedSequence([seed, per_arm]))
    first = generator.multinomial(per_arm, p / p.sum(), size=runs)
    second = generator.multinomial(per_arm, q / q.sum(), size=runs)
    rejected = _rejected(first, second, alpha, ties)
    return clopper_pearson(int(rejected), runs, level=level)


def sample_size(
    present: ArrayLike,
    absent: ArrayLike,
    *,
    wanted: float = 0.8,
    alpha: float = 0.05,
    ties: bool = True,
    runs: int = 2000,
    most: int = 100_000,
    seed: int = 0,
    level: float = 0.95,
) -> SampleSize:
    """The samples an arm with which p ≤ α (without `ties`: exact ≤ α) in a share `wanted` of
    audits, to 2 % or so."""
    check_share("wanted", wanted, above_zero=True, below_one=True)

    def reached(size: int) -> Estimate:
        return power(
            present, absent, size, alpha=alpha, ties=ties, runs=runs, seed=seed, level=level
        )

    low, high = 1, 8
    while (found := reached(high)).estimate < wanted:
        if high >= most:
            raise InputError(
                say(
                    "Even {size} samples an arm have a power of only {reached:.2f}, less than "
                    "{wanted=}: raise {most}, or lower {power}.",
                    size=high,
                    reached=found.estimate,
                    wanted=wanted,
                    power=Parameter("wanted"),
                )
            )
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // 50):
        middle = (low + high) // 2
        now = reached(middle)
        if now.estimate < wanted:
            low = middle
        else:
            high, found = middle, now
    return SampleSize(high, found)


def _arms(present: ArrayLike, absent: ArrayLike) -> tuple[Values, Values]:
    x, y = (
        np.atleast_2d(check_samples(name, arm))
        for name, arm in (("present", present), ("absent", absent))
    )
    if x.ndim != 2 or y.ndim != 2 or len(x) != len(y):
        raise InputError(
            say(
                "{present} and {absent} must have a row of samples for each test, as many rows "
                "each. Got arrays of shape {first} and {second} instead.",
                first=x.shape,
                second=y.shape,
            )
        )
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


# With n and m samples an arm, i of n and j of m lie at or below a value: |F − G| = |im − jn|/(nm).
# This whole number is the height; heights are compared, never floats.


@njit(cache=True, nogil=True)
def _tested(x: Values, y: Values) -> tuple[NDArray[np.int64], Values, Values]:
    """For each row: its height, and the shares of ways that are as high or higher, and higher."""
    heights = np.empty(len(x), np.int64)
    as_high, higher = np.empty(len(x)), np.empty(len(x))
    n, m = x.shape[1], y.shape[1]
    strides = np.empty(n + m, np.int64)
    for row in range(len(x)):
        one, other = np.sort(x[row]), np.sort(y[row])
        i, j, height, groups = 0, 0, 0, 0
        while i < n or j < m:
            value = one[i] if j == m or (i < n and one[i] <= other[j]) else other[j]
            before = i + j
            while i < n and one[i] == value:
                i += 1
            while j < m and other[j] == value:
                j += 1
            strides[groups] = i + j - before
            groups += 1
            height = max(height, abs(i * m - j * n))
        heights[row] = height
        as_high[row] = _reaching(strides[:groups], n, m, height, 2.0)
        higher[row] = _reaching(strides[:groups], n, m, height + 1, 2.0)
    return heights, as_high, higher


@njit(cache=True, nogil=True)
def _without_ties(heights: NDArray[np.int64], n: int, m: int) -> Values:
    """The shares of ways that are as high or higher, where no two values tie."""
    singly = np.ones(n + m, np.int64)
    shares = np.empty(len(heights))
    for each in range(len(heights)):
        shares[each] = _reaching(singly, n, m, heights[each], 2.0)
    return shares


@njit(cache=True, nogil=True)
def _rejected(first: NDArray[np.int64], second: NDArray[np.int64], alpha: float, ties: bool) -> int:
    """In how many rows of counts of values p is at most α."""
    n, m = first[0].sum(), second[0].sum()
    count, least = 0, n * m + 1
    most = -1  # without ties: at least this height is rejected, at most that one isn't
    strides, singly = np.empty(first.shape[1], np.int64), np.ones(n + m, np.int64)
    for row in range(len(first)):
        i, j, height, groups = 0, 0, 0, 0
        for value in range(first.shape[1]):
            both = first[row, value] + second[row, value]
            if both > 0:
                i += first[row, value]
                j += second[row, value]
                strides[groups] = both
                groups += 1
                height = max(height, abs(i * m - j * n))
        if ties:
            count += _reaching(strides[:groups], n, m, height, alpha) <= alpha
            continue
        if most < height < least:
            if _reaching(singly, n, m, height, alpha) <= alpha:
                least = height
            else:
                most = height
        count += height >= least
    return count


@njit(cache=True, nogil=True)
def _reaching(strides: NDArray[np.int64], n: int, m: int, height: int, enough: float) -> float:
    """The share of ways to deal n + m values to arms of n and m that reach a height after any
    stride; or a share above `enough`, if it is more than that.

    Values are dealt one by one: with i and j dealt already, the next goes to the first arm with
    probability (n − i)/(n + m − i − j). What reaches the height is added up and dealt no further,
    so that shares far below 1e-16 are right too; only sums of positive numbers occur.
    """
    if height <= 0:
        return 1.0
    weights = np.zeros(n + 2)  # of ways that have not reached it, by i + 1
    weights[1] = 1.0
    low, high = 0, 0
    dealt, reached = 0, 0.0
    for stride in strides:
        for _ in range(stride):
            left = n + m - dealt
            for i in range(min(high, n - 1), low - 1, -1):
                to_first = weights[i + 1] * ((n - i) / left)
                weights[i + 2] += to_first
                # Exact where the second arm is full: then all values left are the first's.
                weights[i + 1] *= (left - (n - i)) / left
            high = min(high + 1, n)
            dealt += 1
        while low <= high and abs(low * m - (dealt - low) * n) >= height:
            reached += weights[low + 1]
            weights[low + 1] = 0.0
            low += 1
        while high >= low and abs(high * m - (dealt - high) * n) >= height:
            reached += weights[high + 1]
            weights[high + 1] = 0.0
            high -= 1
        if reached > enough or low > high:
            break
    return min(reached, 1.0)
