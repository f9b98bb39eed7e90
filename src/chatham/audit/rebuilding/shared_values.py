"""Words of one document in a single total: they share a value.

Words that one document alone brings to a topic share value/idf. Words whose values agree far better
than chance would have it are a group, and a group is part of a document. With noise, values agree
if they do so within the noise; averages over rounds have less of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import poisson

from chatham.audit.observing import Round
from chatham.audit.rebuilding.differences import EXACT, WIDTH
from chatham.audit.rebuilding.finding import LEAST, SURE, Certificate, Finding, group_of
from chatham.audit.rebuilding.known import Known
from chatham.audit.rebuilding.word_totals import (
    Totals,
    are_products,
    are_whole,
    averaged,
    totals_by_step,
)

COARSE = 0.1
"""Values must agree to within this share of themselves: how dense values are is smooth on that
scale, so that what is denser isn't chance. Where noise is coarser it says nothing that they agree.
"""


class Group(NamedTuple):
    """Words that share a value, and how probable it is that any of a total's words do by chance."""

    words: NDArray[np.int64]
    chance: float


def groups_of(total: Any, scale: Any, noise: float, sure: float = SURE) -> Iterator[Group]:
    """Groups of words in one total whose value/idf agree, apart from all others, and not by chance.

    Values are as precise as the noise over the word's idf; the median word's stands for all.
    """
    slack = max(EXACT, WIDTH * noise)
    words = np.flatnonzero(total > slack)
    if len(words) < LEAST:
        return
    shares = total[words] / scale[words]
    order = np.argsort(shares)
    words, shares = words[order], shares[order]
    width = 2 * slack / np.median(scale[words])
    edges = np.flatnonzero(np.diff(shares, prepend=-np.inf, append=np.inf) > width)
    for first, last in pairwise(edges):
        size, spread = last - first, shares[last - 1] - shares[first]
        if size >= LEAST and spread <= width <= COARSE * shares[first]:
            usual = _around(shares, shares[first], width)
            chance = float(poisson.sf(size - 2, usual) * len(words))
            if chance < sure:
                yield Group(words[first:last], chance)


def _around(shares: Any, value: float, width: float) -> float:
    """How many values there are to a width in a neighbourhood of twenty."""
    ends = np.clip([value - 10 * width, value + 10 * width], shares[0], shares[-1])
    near = np.searchsorted(shares, ends, side="right")
    return float((near[1] - near[0]) * width / max(ends[1] - ends[0], width))


def single_and_averaged(rounds: Sequence[Any]) -> list[Totals]:
    """Single rounds, and averages over every run of rounds where these have noise.

    An average tells no more than exact totals do.
    """
    if not any(noise for _, noise in rounds):
        return [Totals(*one) for one in rounds]
    ends = range(len(rounds))
    return [averaged(rounds[i : j + 1]) for i in ends for j in ends if j >= i]


def by_shared_values(rounds: Sequence[Round], known: Known) -> Iterator[Finding]:
    """Groups of words that share a value in a total; sure over all totals together."""
    told = [one for one in rounds if not are_products(one, known.n_words)]
    steps = totals_by_step(told, known.n_words)
    runs = [
        (step, one)
        for step, totals in steps.items()
        if not are_whole(totals)
        for one in single_and_averaged(totals)
    ]
    tries = sum(len(one.total) for _, one in runs)
    seen: set[tuple[int, ...]] = set()
    for step, (totals, noise) in runs:
        for total in totals:
            for group in groups_of(total, known.scale, noise, SURE / tries):
                said = f"{len(group.words)} words share one value in a total, and no others have it"
                chance = float(np.log10(max(group.chance * tries, 1e-300)))
                found = group_of(group.words, step, Certificate(said, chance))
                if found.words not in seen:
                    seen.add(found.words)
                    yield found
