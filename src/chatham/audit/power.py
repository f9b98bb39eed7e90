"""How many databases find a leak of a known size? Sample sizes for a stated power.

That nothing was found means something only if a leak that matters would have been found. The
yardstick is the thesis's own, the one-bit sum (section 3.1): a document that gives away as much as
one yes-or-no answer does in an exact count over all documents of the database. Beside 100 others
the count is 0.0796 away from what it would be without the answer, whoever guesses is right in 54 %
of cases, and 700 databases an arm find it with probability 0.8.

Power is that of one test by itself, at α. The verdict corrects for all documents and statistics,
and to be called exposed takes more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from chatham.audit.intervals import Estimate
from chatham.audit.one_bit_sum import OneBitSum
from chatham.audit.two_sample import sample_size
from chatham.errors import InputError
from chatham.measures.settings import check_share
from chatham.naming import plural
from chatham.wording import say

ALPHA = 0.05
MOST_OTHERS = 1000
"""Beside more others, what is needed follows by a law from what is needed beside these."""
NEGLIGIBLE = 1e-10
"""Sums that are less likely than this decide nothing."""


@dataclass(frozen=True)
class Needed:
    """What a power needs."""

    wanted: float
    """The power that was asked for."""
    per_arm: int
    """How many databases with a document, and as many without it."""
    power: Estimate
    """The power that these have."""
    size: int
    """How many documents a database has."""
    right: float
    """How many guesses about such a document are right."""

    @property
    def databases(self) -> int:
        """How many databases of which about half have a document."""
        return 2 * self.per_arm

    @property
    def effect(self) -> str:
        """Which leak is found, in words."""
        return (
            "a document that gives away as much as one yes-or-no answer does in an exact count "
            f"over {plural(self.size, 'document')}"
        )

    @property
    def in_words(self) -> str:
        """What so many databases promise, and what they don't."""
        return (
            f"{self.databases:,} databases, about half of them with a document, find with "
            f"probability {self.wanted:g} {self.effect}: {100 * self.right:.0f} % of guesses about "
            f"it are right. That is by one test at {100 * ALPHA:g} %; it takes more to find it "
            "after correcting for all documents and statistics."
        )


def databases_needed(wanted: float, size: int) -> Needed:
    """How many databases of a size find one yes-or-no answer with a probability.

    >>> 620 < databases_needed(0.8, 101).per_arm < 740
    True
    """
    check_share("power", wanted, above_zero=True, below_one=True)
    others = max(size - 1, 1)
    sum_of = OneBitSum(min(others, MOST_OTHERS))
    matters = (sum_of.present > NEGLIGIBLE) | (sum_of.absent > NEGLIGIBLE)
    # Statistics are seldom whole numbers, so ties, which a sum has, may not help.
    found = sample_size(sum_of.present[matters], sum_of.absent[matters], wanted=wanted, ties=False)
    distance = OneBitSum(others).statistical_distance
    # What is needed goes by the square of the distance, as that of Kolmogorov and Smirnov's test.
    times = (sum_of.statistical_distance / distance) ** 2
    reached = found.power if times == 1 else replace(found.power, caveat="asymptotic")
    return Needed(wanted, math.ceil(times * found.per_arm), reached, size, (1 + distance) / 2)


def check_databases(databases: int, needed: Needed) -> None:
    """Refuse fewer databases than are needed for the power that somebody wants."""
    if databases < needed.databases:
        raise InputError(
            say(
                "{databases=} are too few for {power=}: to find {effect} takes {needed:,}, half of "
                "them with it; ask for these, or for less power.",
                databases=databases,
                power=f"{needed.wanted:g}",
                effect=needed.effect,
                needed=needed.databases,
            )
        )
