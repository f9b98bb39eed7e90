"""Uplifts out of records: of parties of one size, or of one party over all seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inference_study.records import Record

Party = dict[str, Any]


@dataclass(frozen=True)
class Uplift:
    """Parties' uplifts in percent, and the means of their errors."""

    each: tuple[float, ...]
    alone: float
    together: float

    @property
    def mean(self) -> float:
        """Over parties and seeds."""
        return float(np.mean(self.each))

    @property
    def deviation(self) -> float:
        """Over parties and seeds."""
        return float(np.std(self.each))

    @property
    def gaining(self) -> float:
        """The share of parties that gain anything."""
        return float(np.mean(np.array(self.each) > 0))


def percent(alone: float, together: float) -> float:
    """By how much the error is less with the common model.

    >>> percent(0.8, 0.6), percent(0.5, 0.75)
    (25.0, -50.0)
    """
    return round(100.0 * (1.0 - together / alone), 10)


def uplift(parties: Sequence[Party], alone: str = "alone", together: str = "together") -> Uplift:
    """Of these parties."""
    own = np.array([party[alone] for party in parties])
    common = np.array([party[together] for party in parties])
    each = tuple(percent(a, t) for a, t in zip(own, common, strict=True))
    return Uplift(each, float(own.mean()), float(common.mean()))


def having(records: Iterable[Record], **asked: Any) -> list[Record]:
    """The records with these values."""
    return [r for r in records if all(r.get(name) == value for name, value in asked.items())]


def grouped(records: Iterable[Record], by: str) -> dict[Any, list[Party]]:
    """All parties of these records by their share or their name, in order of appearance."""
    groups: dict[Any, list[Party]] = {}
    for record in records:
        for party in record["parties"]:
            groups.setdefault(party[by], []).append(party)
    return groups


def uplifts(records: Iterable[Record], by: str, **asked: Any) -> dict[Any, Uplift]:
    """Of each share or name."""
    return {key: uplift(each) for key, each in grouped(having(records, **asked), by).items()}


def crossed(records: Iterable[Record], own: int, common: int) -> Uplift:
    """With one number of topics alone and another together, party by party and seed by seed."""
    found = list(records)
    alone, together = (
        [party for record in having(found, k=k) for party in record["parties"]]
        for k in (own, common)
    )
    pairs = zip(alone, together, strict=True)
    return uplift([{**mine, "together": others["together"]} for mine, others in pairs])


def values(records: Iterable[Record], name: str) -> list[Any]:
    """All values of that name, in order of appearance."""
    return list(dict.fromkeys(record[name] for record in records))
