"""All trials: every source, number of topics and way to begin, several times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference_study.records import Record, Records
from initialisations_study.documents import Source
from initialisations_study.lines import Case
from initialisations_study.trials import LOCAL, SINGULAR, TWICE, run_trial

POOLED = 10
"""Iterations after which one pool and nine parties are compared."""

Trial = tuple[str, int | str, int, int]
"""From which start, between which parties, for how many iterations, and the seed."""


@dataclass(frozen=True)
class Effort:
    """How much is done for one number of topics."""

    topics: int
    trials: int
    """From random topics, and from everybody's own between nine parties."""
    others: int
    """Of what chance should hardly matter to: singular vectors, and other parties' own topics."""


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    efforts: tuple[Effort, ...] = (Effort(5, 10, 3), Effort(50, 3, 1))
    iterations: int = 40
    """Twice as many for `random_2x`, whose first half is `random`, and for `nndsvd`, so that they
    can be compared in the same round."""
    parties: int = 9
    other_parties: tuple[int, ...] = (3, 27)
    seed: int = 0

    def trials(self, source: Source, effort: Effort) -> list[Trial]:
        """What is tried with a source. Splits matter to `local` alone; the rest are sums."""
        number = source.most.get(effort.topics, effort.trials)
        seeds = range(self.seed, self.seed + min(number, effort.trials))
        few = seeds[: effort.others]
        once, twice = self.iterations, 2 * self.iterations
        # `random_2x` doubles its iterations by itself.
        return [
            *((SINGULAR, self.parties, twice, seed) for seed in few),
            (SINGULAR, 1, min(once, POOLED), self.seed),
            *((init, self.parties, once, seed) for seed in seeds for init in (LOCAL, TWICE)),
            *(
                (LOCAL, parties, once, seed)
                for parties in self._others(source, effort)
                for seed in few
            ),
        ]

    def _others(self, source: Source, effort: Effort) -> list[int | str]:
        """Besides the usual number of parties: others where there is time, and natural ones."""
        numbers = () if effort.topics in source.most else self.other_parties
        return [*numbers, *([source.natural] if source.natural else [])]


def study(plan: Plan, sources: Sequence[Source], keep: Path | None) -> list[Case]:
    """Everything; what is kept already isn't done again."""
    records = Records(keep)
    return [
        Case(source, effort.topics, plan.iterations, plan.parties, list(found))
        for source in sources
        for effort in plan.efforts
        for found in [_of_case(plan, source, effort, records)]
    ]


def _of_case(plan: Plan, source: Source, effort: Effort, records: Records) -> Iterator[Record]:
    for init, parties, iterations, seed in plan.trials(source, effort):
        asked: dict[str, Any] = {
            "source": source.name, "k": effort.topics, "init": init, "parties": parties,
            "seed": seed, "iterations": iterations, "sizes": source.sizes,
            "settings": dict(source.settings),
        }  # fmt: skip
        if not records.has(asked):
            parts = source.parties(parties, seed)
            records.add(asked, run_trial(source, effort.topics, init, parts, iterations, seed))
        yield records.get(asked)
