"""Cells of an experiment: a mechanism, run on databases of one size, with what was kept of it.

Every cell has a folder of samples (`chatham.audit.samples`), so that a run that was killed goes on
where it was. Beside each is how long its fits took.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from audit_study.documents import Rows
from chatham.audit.mechanisms import FitMechanism
from chatham.audit.neighbours import CoinFlips, OneByOne, database_size
from chatham.audit.samples import Plan, SampleFolder, Samples, write_whole
from chatham.audit.sampling import run_database, sample
from chatham.audit.statistics import applicable

COINS, ONE_BY_ONE = "coin flips", "one by one"


@dataclass(frozen=True)
class Cell:
    """One setting: what is fitted, on databases of which size, and which documents are asked for.

    `counts` are the rows that databases are drawn from, `targets` positions among them.
    """

    asked: Mapping[str, Any]
    """What tells the cell from others, in words and numbers."""
    mechanism: FitMechanism
    counts: sp.csr_array = field(repr=False)
    targets: Rows
    size: int
    databases: int
    """With coin flips for a group of documents; one by one for both arms of a document."""
    design: str = COINS
    seed: int = 0

    @property
    def folder(self) -> str:
        """The name of its folder."""
        words = "-".join(str(each) for each in self.asked.values())
        return "".join(c if c.isalnum() or c in ".-" else "_" for c in words)

    def plan(self) -> Plan:
        """What is run on what."""
        n, design = self.counts.shape[0], CoinFlips if self.design == COINS else OneByOne
        each = self.databases if self.design == COINS else self.databases // 2
        return Plan(
            self.mechanism, self.counts, design(n, self.targets, self.size, each), self.seed
        )


@dataclass(frozen=True)
class Ran:
    """A cell and its samples."""

    cell: Cell
    samples: Samples
    seconds: float
    """How long its fits took, over all the runs that they were made in."""
    processes: int
    """The most of these at a time."""


@dataclass(frozen=True)
class Runner:
    """Runs cells, and keeps what was observed in a folder."""

    kept: Path
    n_jobs: int | None = None
    observables: bool = False
    """Whether all is kept that statistics could ask for, and not only the values of today's."""
    finished: bool = False
    """Whether nothing is run, and cells that aren't finished are left out."""

    def run_all(self, cells: Iterable[Cell]) -> list[Ran]:
        """Run cells in order; or those alone that are finished."""
        return [self.run(cell) for cell in cells if not self.finished or self._is_done(cell)]

    def _is_done(self, cell: Cell) -> bool:
        plan, path = self._planned(cell), self.kept / cell.folder
        return path.exists() and not SampleFolder(path, plan).missing()

    def _planned(self, cell: Cell) -> Plan:
        return cell.plan() if self.observables else values_only(cell.plan())

    def run(self, cell: Cell) -> Ran:
        """Run a cell, or what of it isn't there yet."""
        plan, path = self._planned(cell), self.kept / cell.folder
        before, began = Taken.read(path), perf_counter()

        def progress(now: int, of: int) -> None:
            after = before.longer(perf_counter() - began, self.n_jobs or 1)
            after.write(path)
            _tell(f"{cell.folder}: {now:,} of {of:,}")

        samples = sample(plan, path, n_jobs=self.n_jobs, progress=progress)
        _tell("")
        taken = Taken.read(path)
        return Ran(cell, samples, taken.seconds, taken.processes)


@dataclass(frozen=True)
class Taken:
    """How long fits took so far."""

    seconds: float = 0.0
    processes: int = 1

    def longer(self, seconds: float, processes: int) -> Taken:
        """With so many seconds more."""
        return Taken(self.seconds + seconds, max(self.processes, processes))

    @staticmethod
    def read(path: Path) -> Taken:
        """What is written in a folder."""
        file = path / "taken.json"
        return Taken(**json.loads(file.read_text("utf-8"))) if file.exists() else Taken()

    def write(self, path: Path) -> None:
        """Write it there."""
        content = {"seconds": round(self.seconds, 2), "processes": self.processes}
        write_whole(path / "taken.json", json.dumps(content).encode())


def unfinished(cells: Sequence[Cell], runs: Sequence[Ran]) -> str:
    """A paragraph that names the cells that aren't there; nothing if all are."""
    done = {ran.cell.folder for ran in runs}
    left = [", ".join(map(str, filter(None, each.asked.values())))
            for each in cells if each.folder not in done]  # fmt: skip
    if not left:
        return ""
    named = "\n".join(f"- {each}" for each in left)
    return (
        f"\n## Not finished\n\nRun again without `--finished` for {len(left)} cells:\n\n{named}\n"
    )


def values_only(plan: Plan) -> Plan:
    """The same, of which the values of all statistics that apply are kept."""
    _, seen = run_database(plan, 0)
    names = tuple(each.name for each in applicable(seen))
    return Plan(plan.mechanism, plan.counts, plan.design, plan.seed, names, plan.batch)


def size_of(share: float, rows: int, targets: Rows) -> int:
    """The number of documents of a party with this share of a corpus.

    Coin flips need room beside the documents in question: a database of the smallest corpora would
    otherwise be larger than what is left.
    """
    return int(min(database_size(share, rows), rows - len(targets)))


def without(counts: sp.csr_array, own: Rows, targets: Rows) -> tuple[sp.csr_array, Rows]:
    """The rows that aren't the coalition's, and where the targets are among them."""
    rest = np.delete(np.arange(counts.shape[0]), own)
    return counts[rest], np.searchsorted(rest, targets)


def _tell(line: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{line:<78}", end="", file=sys.stderr, flush=True)
