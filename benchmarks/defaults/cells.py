"""The cells, one fit each, in an order that makes a page early; what is done is kept, and stays.

A line of JSON is kept for each cell, and the arrays that its scores came from in a folder beside
it. A cell is done if there is a line for these very documents; of ours also only if the code that
fits has not changed since.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import chatham
from benchmarks.defaults.contenders import CONTENDERS, SETTINGS
from benchmarks.defaults.documents import Parts
from benchmarks.defaults.judging import Kept, keep, scores_of

FITTING = ("numerics", "commons", "corpus", "learners", "model")
"""The rooms whose code decides what a fit of ours finds."""


@dataclass(frozen=True)
class Cell:
    """One contender on one corpus with so many topics and this seed."""

    contender: str
    corpus: str
    k: int
    seed: int

    @property
    def file(self) -> str:
        """What its arrays are called."""
        return f"{self.contender} {self.corpus} {self.k} {self.seed}.npz".replace(" ", "_")


@dataclass(frozen=True)
class Row:
    """What came of a cell."""

    cell: Cell
    documents: str
    """The fingerprint of the documents."""
    made_by: str
    """Of ours, the fingerprint of the code; of a peer, what it was asked to do."""
    scores: Mapping[str, float | None]
    notes: Mapping[str, Any]
    cpu: float
    """Seconds of processor time that the fit took."""


class Kitchen:
    """What is kept between runs: lines in a file, arrays in a folder beside it."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.rows: dict[Cell, Row] = {}
        self.read()

    def read(self) -> None:
        """Take in what the file has, also from other processes; of several for a cell, the last."""
        if self.file is not None and self.file.exists():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                row = _row(json.loads(line))
                self.rows[row.cell] = row

    def add(self, row: Row, kept: Kept | None) -> None:
        """Keep a row, and where there is a folder, its arrays."""
        self.rows[row.cell] = row
        if self.file is None:
            return
        if kept is not None:
            kept.save(self.arrays(row.cell))
        with self.file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(row), allow_nan=False) + "\n")

    def has_arrays(self, cell: Cell) -> bool:
        """Whether what a cell's fit has left was kept."""
        return self.file is not None and self.arrays(cell).exists()

    def arrays(self, cell: Cell) -> Path:
        """Where the arrays of a cell are."""
        assert self.file is not None
        return self.file.with_name(self.file.name + ".arrays") / cell.file


def _row(line: dict[str, Any]) -> Row:
    return Row(**{**line, "cell": Cell(**line["cell"])})


def made_by(contender: str) -> str:
    """What decides, besides documents, topics and seed, what this contender finds."""
    return _code() if CONTENDERS[contender].is_ours else SETTINGS[contender]


@cache
def _code() -> str:
    """The fingerprint of our sources that fit."""
    package = Path(chatham.__file__).parent
    digest = hashlib.sha256()
    for room in FITTING:
        for path in sorted((package / room).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def cells_of(
    contenders: Sequence[str], corpora: Sequence[str], topics: Sequence[int], seeds: Sequence[int]
) -> Iterator[Cell]:
    """All of them, a whole seed after the other, so that an early page has every corpus."""
    for seed in seeds:
        for contender in contenders:
            for k in topics:
                for corpus in corpora:
                    yield Cell(contender, corpus, k, seed)


def run(
    cells: Sequence[Cell],
    corpora: Mapping[str, Parts],
    kitchen: Kitchen,
    again: Sequence[str] = (),
    judge_again: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Do what isn't done: fit and judge, or judge again what a fit has left."""
    for number, cell in enumerate(cells, start=1):
        parts = corpora[cell.corpus]
        row = kitchen.rows.get(cell)
        if row is None or not is_current(row, parts) or cell.contender in again:
            row = _fitted(cell, parts, kitchen)
        elif judge_again and kitchen.has_arrays(cell):
            row = replace(row, scores=scores_of(Kept.load(kitchen.arrays(cell)), parts))
            kitchen.add(row, None)
        else:
            continue
        say(
            f"{number}/{len(cells)} {cell.contender}, {cell.corpus}, {cell.k} topics, seed "
            f"{cell.seed}: {row.cpu:.0f} s of processor time"
        )


def current(
    kitchen: Kitchen, corpora: Mapping[str, Parts], topics: Sequence[int], seeds: Sequence[int]
) -> list[Row]:
    """All that is known of these corpora, whoever has fitted it: a page's rows."""
    kitchen.read()
    return [
        row
        for cell, row in kitchen.rows.items()
        if cell.corpus in corpora and cell.k in topics and cell.seed in seeds
        if is_current(row, corpora[cell.corpus])
    ]


def is_current(row: Row, parts: Parts) -> bool:
    """Whether it is of these documents, of a peer as it is asked now, of ours as the code is."""
    if row.cell.contender not in CONTENDERS:
        return False
    return (row.documents, row.made_by) == (parts.fingerprint, made_by(row.cell.contender))


def _fitted(cell: Cell, parts: Parts, kitchen: Kitchen) -> Row:
    contender = CONTENDERS[cell.contender]
    began = time.process_time()
    found = contender.fit(parts, cell.k, cell.seed)
    took = round(time.process_time() - began, 1)
    kept = keep(found, parts)
    scores = scores_of(kept, parts)
    row = Row(cell, parts.fingerprint, made_by(contender.name), scores, found.notes, took)
    kitchen.add(row, kept)
    return row
