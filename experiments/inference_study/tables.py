"""Arithmetic on the records: means over K, curves, who is best where, and the source's claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from inference_study.records import Record
from inference_study.scores import HIGHER

REFERENCE = "posterior"
ANY = range(10**6)
PRINTED = ("tli", "spi", "padd", "gibbs")
"""The ways that the source compares, beside the random floor."""


def value_of(record: Record, measure: str) -> float | None:
    """The value, or None where topics had no left inverse."""
    return None if record["scores"] is None else record["scores"].get(measure)


def select(records: Sequence[Record], case: str, corpus: str, way: str) -> list[Record]:
    """The records of one line, in order of K."""
    found = [r for r in records if (r["case"], r["corpus"], r["way"]) == (case, corpus, way)]
    return sorted(found, key=lambda record: int(record["k"]))


def curve(
    records: Sequence[Record], case: str, corpus: str, way: str, measure: str
) -> tuple[list[int], list[float]]:
    """K and the values of one line."""
    points = [(r["k"], value_of(r, measure)) for r in select(records, case, corpus, way)]
    known = [(k, value) for k, value in points if value is not None]
    return [k for k, _ in known], [value for _, value in known]


def over_sizes(
    records: Sequence[Record], case: str, corpus: str, way: str, measure: str
) -> float | None:
    """The mean over K, as in Table 4.1; None unless all K have a value."""
    values = [value_of(r, measure) for r in select(records, case, corpus, way)]
    known = [value for value in values if value is not None]
    return mean(known) if known and len(known) == len(values) else None


@dataclass(frozen=True)
class Cell:
    """One corpus and K: each way's value."""

    corpus: str
    k: int
    values: dict[str, float]

    def best(self, ways: Iterable[str], measure: str) -> str:
        """Who of these has the best value; the first of equal ones."""
        known = [way for way in ways if way in self.values]
        return (max if measure in HIGHER else min)(known, key=lambda way: self.values[way])


def cells(records: Sequence[Record], case: str, measure: str) -> list[Cell]:
    """All corpora and K of a case."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    for record in records:
        value = value_of(record, measure)
        if record["case"] == case and value is not None:
            found.setdefault((record["corpus"], record["k"]), {})[record["way"]] = value
    return [Cell(corpus, k, values) for (corpus, k), values in found.items()]


def times_best(
    records: Sequence[Record], case: str, measure: str, ways: Sequence[str], sizes: range = ANY
) -> dict[str, int]:
    """In how many cells, of these K, each way is best."""
    found = [cell for cell in cells(records, case, measure) if cell.k in sizes]
    winners = [cell.best(ways, measure) for cell in found]
    return {way: winners.count(way) for way in ways}


def mean_gap(records: Sequence[Record], case: str, measure: str, way: str, other: str) -> float:
    """The mean over cells of a way's value minus another's."""
    both = [c.values for c in cells(records, case, measure) if {way, other} <= set(c.values)]
    return mean(values[way] - values[other] for values in both)


def completion_gaps(records: Sequence[Record]) -> dict[int, dict[str, dict[str, float]]]:
    """By `refine`, then by corpus and K: how far completion is below the posterior's."""
    found: dict[int, dict[str, dict[str, float]]] = {}
    for record in records:
        value = value_of(record, "completion")
        if value is not None:
            cell = f"{record['corpus']}, K={record['k']}"
            found.setdefault(record["refine"], {}).setdefault(cell, {})[record["way"]] = value
    return {
        refine: {
            cell: {way: values[REFERENCE] - value for way, value in values.items()}
            for cell, values in by_cell.items()
        }
        for refine, by_cell in found.items()
    }
