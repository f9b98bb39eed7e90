"""Further figures of one document: what the best adversary could do, and how far apart things are.

The thesis wishes in section 3.5 for measures that mean more than a p-value. These are:

- the advantage of a learned statistic, on databases that it wasn't learned from (`learned`);
- that of the Bayes-optimal adversary who sees all statistics, as k nearest neighbours estimate it:
  right only as databases become many (asymptotic);
- the statistical distance, with its ½, and the integrated squared deviation (equation 3.5) of the
  statistic that tells most, between databases with the document and without it, told apart by
  cells;
- the true positives of that statistic at 0.1 % and 1 % false positives, by fitted Gaussians: there
  are too few databases to count them (extrapolated).

Whatever is chosen, the statistic, its cells and in which of them databases with the document are
more frequent, is chosen in one half of the databases and measured in the other, and the other way
round. Figures are averages over both halves, and so are their intervals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.audit.distances import sampled_squared_deviation, sampled_statistical_distance
from chatham.audit.guessing import Choice
from chatham.audit.intervals import Estimate, average
from chatham.audit.membership import (
    FALSE_POSITIVE_RATES,
    document_true_positives,
    nearest_neighbours,
)

Array = NDArray[np.float64]

MEANINGS = {
    "learned_advantage": (
        "What a classifier of all statistics gains over chance, 0 to 1: how many databases with "
        "the document it recognises, less those without it that it takes for such. It was learned "
        "in one half of the databases and tried on the other."
    ),
    "optimal_advantage": (
        "The same of the best adversary there could be who sees these statistics, as nearest "
        "neighbours estimate it; right only as databases become many (asymptotic)."
    ),
    "statistical_distance": (
        "How far the most telling statistic's values with the document are from those without it, "
        "½Σ|P − Q| over cells, 0 to 1: nobody who sees only in which cell it lies gains more over "
        "chance."
    ),
    "squared_deviation": (
        "The integrated squared deviation Σ(P − Q)²Q of the same two distributions over the same "
        "cells."
    ),
    "true_positives": (
        "How many databases with the document the most telling statistic recognises if so many of "
        "those without it may be taken for such: read off fitted Gaussians, not counted "
        "(extrapolated)."
    ),
}
"""What each figure means, in words."""


@dataclass(frozen=True)
class DocumentFigures:
    """Figures of one document, each with its interval."""

    learned_advantage: Estimate
    optimal_advantage: Estimate
    statistical_distance: Estimate
    squared_deviation: Estimate
    true_positives: dict[float, Estimate]
    """By false-positive rate."""

    @property
    def by_name(self) -> dict[str, Estimate]:
        """All of them, as columns of a table are named."""
        rates = {f"true_positives_{rate:g}": each for rate, each in self.true_positives.items()}
        return {
            "learned_advantage": self.learned_advantage,
            "optimal_advantage": self.optimal_advantage,
            "statistical_distance": self.statistical_distance,
            "squared_deviation": self.squared_deviation,
            **rates,
        }


def figures_of(
    arms: tuple[Array, Array],
    choices: tuple[Choice, Choice],
    learned_advantage: Estimate,
    *,
    level: float,
    seed: int,
) -> DocumentFigures:
    """The figures of one document, from statistics × databases with it and without it, and from
    what was chosen in both halves."""

    def averaged(figure: Callable[..., Estimate], *more: Any) -> Estimate:
        # Both halves have to hold together.
        return average([figure(each, *more, (1 + level) / 2) for each in choices], level)

    present, absent = arms
    return DocumentFigures(
        learned_advantage,
        nearest_neighbours(present.T, absent.T, level=level, seed=seed),
        averaged(_distance),
        averaged(_deviation),
        {rate: averaged(_recognised, rate, seed) for rate in FALSE_POSITIVE_RATES},
    )


def cells_of(choice: Choice) -> tuple[Array, NDArray[np.bool_]]:
    """Edges between cells, and in which of the cells databases with the document are the more
    frequent; by the half in which the statistic was chosen.

    Cells are about equally full, and as many as the cube root of the number of databases: with
    more, chance would add more to a distance than finer cells can. One more edge is where the two
    arms are best told apart.
    """
    known = np.concatenate(choice.known)
    cells = max(2, round(known.size ** (1 / 3)))
    quantiles = np.quantile(known, np.arange(1, cells) / cells)
    edges = np.unique(np.append(quantiles, _best_cut(*choice.known)))
    shares = [
        np.bincount(np.searchsorted(edges, arm), minlength=edges.size + 1) / arm.size
        for arm in choice.known
    ]
    return edges, shares[0] > shares[1]


def _best_cut(present: Array, absent: Array) -> float:
    """Halfway between the two values between which |F − G| is the greatest."""
    values = np.unique(np.concatenate([present, absent]))
    f, g = (np.searchsorted(np.sort(arm), values, "right") / arm.size for arm in (present, absent))
    at = int(np.argmax(np.abs(f - g)))
    return float(values[at : at + 2].mean())


def _distance(choice: Choice, level: float) -> Estimate:
    edges, event = cells_of(choice)
    return sampled_statistical_distance(*choice.tried, edges, event=event, level=level)


def _deviation(choice: Choice, level: float) -> Estimate:
    edges, _ = cells_of(choice)
    return sampled_squared_deviation(*choice.tried, edges, level=level)


def _recognised(choice: Choice, rate: float, seed: int, level: float) -> Estimate:
    flags = np.repeat([True, False], [each.size for each in choice.tried])
    scores = np.concatenate(choice.tried)
    return document_true_positives(scores, flags, rate, level=level, seed=seed)[0]
