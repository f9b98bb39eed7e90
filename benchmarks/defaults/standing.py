"""Who is first in a cell, who is within its spread, and where ours are neither.

A cell is a measure on a corpus with so many topics; a contender's value there is its mean over
seeds. The first has the highest. Another is *within the spread* if its best seed reaches the
first's worst: then the seeds at hand don't tell the two apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.defaults.cells import Row
from benchmarks.defaults.contenders import CONTENDERS

JUDGED = {"npmi": "NPMI", "completion": "completion", "nmi": "NMI"}
"""The measures that say who is first; higher is better."""


@dataclass(frozen=True)
class Values:
    """One contender's values of a measure, one for each seed."""

    each: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Over seeds."""
        return sum(self.each) / len(self.each)

    def meets(self, first: Values) -> bool:
        """Whether the best of these reaches the worst of the first's.

        >>> Values((0.2, 0.31)).meets(Values((0.3, 0.4)))
        True
        >>> Values((0.2, 0.29)).meets(Values((0.3, 0.4)))
        False
        """
        return max(self.each) >= min(first.each)


Field = Mapping[str, Values]
"""The contenders of one cell."""


def field_of(rows: Iterable[Row], measure: str) -> dict[str, Values]:
    """The values of a measure by contender, where there are any."""
    values: dict[str, list[float]] = {}
    for row in rows:
        score = row.scores.get(measure)
        if score is not None:
            values.setdefault(row.cell.contender, []).append(score)
    return {name: Values(tuple(each)) for name, each in values.items()}


def first_of(field: Field) -> str:
    """The contender with the highest mean; of equal ones the first that is listed."""
    return max(field, key=lambda name: field[name].mean)


def within(field: Field) -> list[str]:
    """Those that are within the spread of the first, itself left out."""
    first = first_of(field)
    return [name for name in field if name != first and field[name].meets(field[first])]


@dataclass(frozen=True)
class Question:
    """A way to read "first in every cell": some of ours against some peers."""

    name: str
    ours: Sequence[str]
    peers: Sequence[str]


def _all(kind: str | None = None, *, ours: bool) -> list[str]:
    return [
        c.name
        for c in CONTENDERS.values()
        if c.competes and c.is_ours == ours and kind in (None, c.kind)
    ]


QUESTIONS = (
    Question(
        "The best of ours against all peers",
        _all(ours=True), _all(ours=False),
    ),
    Question("Our LDA against theirs", _all("LDA", ours=True), _all("LDA", ours=False)),
    Question("Our NMF against theirs", _all("NMF", ours=True), _all("NMF", ours=False)),
    Question(
        "`chatham lda`, the command line's default, against all peers",
        _all("LDA", ours=True), _all(ours=False),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Standing:
    """How ours stand in one cell."""

    measure: str
    corpus: str
    k: int
    first: str
    ours: str
    """The best of ours."""
    values: Field
    outcome: str
    """"first", "within the spread" or "missed"."""


def standings(rows: Sequence[Row], question: Question) -> list[Standing]:
    """One for each cell that has both ours and peers."""
    cells: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        cells.setdefault((row.cell.corpus, row.cell.k), []).append(row)
    found = []
    for measure in JUDGED:
        for (corpus, k), of_cell in cells.items():
            field = field_of(of_cell, measure)
            ours = [name for name in question.ours if name in field]
            peers = [name for name in question.peers if name in field]
            if ours and peers:
                field = {name: field[name] for name in [*ours, *peers]}
                found.append(_standing(measure, corpus, k, field, ours))
    return found


def _standing(measure: str, corpus: str, k: int, field: Field, ours: list[str]) -> Standing:
    first, level = first_of(field), within(field)
    best = first_of({name: field[name] for name in ours})
    if first in ours:
        outcome = "first"
    elif set(level) & set(ours):
        outcome = "within the spread"
    else:
        outcome = "missed"
    return Standing(measure, corpus, k, first, best, field, outcome)
