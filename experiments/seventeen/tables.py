"""From the trials' scores to the thesis's three tables, as DataFrames."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from chatham.measures.compare import comparison
from chatham.measures.registry import MEASURES
from seventeen.search import Record
from seventeen.thesis import ALGORITHMS, ROWS, TIMES_BEST


def best_record(
    records: Sequence[Record], corpus: str, algorithm: str, measure: str
) -> Record | None:
    """The trial of an algorithm that a measure likes best; of equals the first."""
    sign = 1 if MEASURES[measure].higher_is_better else -1
    tried = [
        record
        for record in records
        if (record["corpus"], record["algorithm"]) == (corpus, algorithm)
        and measure in record["scores"]
    ]
    return max(tried, key=lambda record: sign * record["scores"][measure], default=None)


def scores_on(records: Sequence[Record], corpus: str) -> pd.DataFrame:
    """Each algorithm's best score by each measure on one corpus, with ∆ of its two best there."""
    return comparison({name: _best_scores(records, corpus, name) for name in ALGORITHMS})


def _best_scores(records: Sequence[Record], corpus: str, algorithm: str) -> pd.DataFrame:
    rows = []
    for row in ROWS:
        record = best_record(records, corpus, algorithm, row.measure)
        if record is not None:
            higher = MEASURES[row.measure].higher_is_better
            rows.append([row.measure, record["scores"][row.measure], higher])
    return pd.DataFrame(rows, columns=["measure", "value", "higher_is_better"])


def lead(best: float, second: float, higher: bool) -> float:
    """∆ of eq. 1.35, in percent; below zero where the second is ahead on this corpus."""
    gain = best - second if higher else second - best
    if second == 0:
        return math.copysign(math.inf, gain) if gain else 0.0
    return 100 * gain / abs(second)


def table_4(on: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Per measure the best and the second best over all corpora, and the mean ∆ between the two.

    The best has the lowest mean rank over the corpora; of equal ones that which leads by more,
    added up over the corpora where it is first. Where that is equal too, nobody is best.
    """
    rows = [[row.measure, *_verdict(row.measure, on)] for row in ROWS]
    columns = ["measure", "best", "second", "delta", "first_on", "corpora"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def _verdict(measure: str, on: Mapping[str, pd.DataFrame]) -> tuple[Any, ...]:
    lines = [line for table in on.values() for line in _lines(table, measure)]
    if not lines:
        return None, None, None, 0, 0
    higher = MEASURES[measure].higher_is_better
    standings = {name: _standing(name, lines, higher) for name in ALGORITHMS}
    best, second = sorted(ALGORITHMS, key=standings.__getitem__)[:2]
    if standings[best] == standings[second]:
        return None, None, 0.0, 0, len(lines)
    delta = mean_of([lead(line[best], line[second], higher) for line in lines])
    return best, second, delta, sum(line["best"] == best for line in lines), len(lines)


def _lines(table: pd.DataFrame, measure: str) -> list[dict[str, Any]]:
    return table[table["measure"] == measure].to_dict("records")


def _standing(name: str, lines: Sequence[dict[str, Any]], higher: bool) -> tuple[float, float]:
    """Mean rank, and what it leads by where it is first; the lowest is the best."""
    sign = -1 if higher else 1
    ranks = [rankdata([sign * line[each] for each in ALGORITHMS]) for line in lines]
    ahead = sum(line["delta"] for line in lines if line["best"] == name)
    return float(np.mean(ranks, axis=0)[ALGORITHMS.index(name)]), -ahead


def mean_of(leads: Sequence[float]) -> float | None:
    """The mean of the finite ones: nothing is a percentage of a score of 0."""
    finite = [each for each in leads if math.isfinite(each)]
    return sum(finite) / len(finite) if finite else None


def table_5(fourth: pd.DataFrame) -> pd.DataFrame:
    """How often each algorithm is best, and its mean ∆ when it is; the thesis's beside."""
    rows = []
    for name in ALGORITHMS:
        leads = fourth.loc[fourth["best"] == name, "delta"].dropna()
        rows.append([name, int((fourth["best"] == name).sum()), mean_of(list(leads))])
    table = pd.DataFrame(rows, columns=["algorithm", "times_best", "mean_delta"])
    table["thesis_times"] = [TIMES_BEST[name][0] for name in ALGORITHMS]
    table["thesis_delta"] = [TIMES_BEST[name][1] for name in ALGORITHMS]
    return table


def table_6(records: Sequence[Record], corpus: str) -> pd.DataFrame:
    """The best settings on one corpus: a row a measure, a column an algorithm."""
    rows = []
    for row in ROWS:
        best = [best_record(records, corpus, name, row.measure) for name in ALGORITHMS]
        rows.append([row.measure, *(None if each is None else each["settings"] for each in best)])
    return pd.DataFrame(rows, columns=["measure", *ALGORITHMS])


def agreement(fourth: pd.DataFrame) -> dict[str, list[str]]:
    """Which rows agree with the thesis's in both places, in the best alone, and not."""
    found: dict[str, list[str]] = {"both": [], "best": [], "neither": []}
    for row, line in zip(ROWS, fourth.to_dict("records"), strict=True):
        if line["corpora"]:
            same = line["best"] == row.best, line["second"] == row.second
            found["both" if all(same) else "best" if same[0] else "neither"].append(row.name)
    return found
