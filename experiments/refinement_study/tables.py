"""Reading the records: which model is in which column, and what follows from the columns."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import Any

from inference_study.records import Record
from refinement_study.updates import UPDATES
from refinement_study.ways import BETAS, LEARNING, LEAST, Usual

Row = tuple[str, int]
"""A corpus and a number of topics."""
Table = dict[Row, dict[str, Record]]
"""By row, what is in the columns that have something."""

SPECTRAL = "anchors"
GIBBS, FROM_START = "Gibbs", "Gibbs from anchors"
AFTER = "Gibbs from refined"
PEER, AVERAGED = "tomotopy", "Gibbs, averaged"


def refined(sweeps: int) -> str:
    """The column of so many sweeps."""
    return f"refined {sweeps}" if sweeps else SPECTRAL


def main_column(record: Record) -> str:
    """The column of a model in the first tables."""
    sweeps = record["sweeps"]
    if record["model"] == "anchors":
        return refined(sweeps)
    if record["model"] in (PEER, "averaged"):
        return f"{AVERAGED if record['model'] == 'averaged' else PEER} {sweeps:,}"
    if record["least"] is None:
        return f"{GIBBS} {sweeps:,}"
    return f"{AFTER if record['refined'] else FROM_START} {sweeps:,}"


def sums_of(record: Record) -> int:
    """How many sums over all documents a model of the main table takes.

    One counts how words meet, and each sweep is one; Gibbs counts documents, words and its start.
    """
    spectral = record["least"] is not None
    gibbs = 3 if record["model"] in ("gibbs", "averaged") else 0
    return int(spectral) + record["refined"] + gibbs + int(record["sweeps"])


def main_table(records: Sequence[Record]) -> Table:
    """Sweeps, Gibbs from both starts, and a peer."""
    return _table(records, ("sweeps", "gibbs", "averaged", "from start", "peer"), main_column)


def control_table(records: Sequence[Record]) -> Table:
    """The same sweeps from anchors and from a random start."""
    return _table(records, ("control",), lambda of: f"{of['model']}, {of['sweeps']} sweeps")


def least_table(records: Sequence[Record]) -> Table:
    """Limits for anchors, before and after the sweeps."""
    return _table(records, ("least",), lambda of: least_column(of["share"], of["sweeps"]))


def least_column(share: Any, sweeps: int) -> str:
    """The column of a limit."""
    name = share if isinstance(share, str) else f"{share:.1%}"
    return f"{name}, refined" if sweeps else name


def beta_table(records: Sequence[Record]) -> Table:
    """Priors of a topic's words."""
    return _table(records, ("betas",), lambda of: f"β = {of['beta']:g}")


def alpha_table(records: Sequence[Record]) -> Table:
    """Ways to learn α."""
    return _table(records, ("alphas",), lambda of: of["learning"])


def chain_table(records: Sequence[Record]) -> Table:
    """Gibbs from several random starts."""
    return _table(records, ("chains",), lambda of: f"chain {of['chain']}")


def update_table(records: Sequence[Record]) -> Table:
    """Other updates."""
    return _table(records, ("updates",), update_column)


def update_column(record: Record) -> str:
    """The column of an update."""
    return f"{record['update']}, {record['learning']}, {record['sweeps']}"


def update_columns(usual: Usual) -> list[str]:
    """All of them, by update."""
    return [
        f"{update}, {learning}, {sweeps}"
        for update in UPDATES
        for learning in LEARNING
        for sweeps in (usual.middle, usual.sweeps[-1])
    ]


def least_columns(usual: Usual) -> list[str]:
    """All of them, unrefined ones first."""
    return [least_column(share, sweeps) for sweeps in (0, usual.middle) for share in LEAST]


def beta_columns() -> list[str]:
    """All of them."""
    return [f"β = {beta:g}" for beta in BETAS]


def columns_of(table: Table, wanted: Sequence[str] | None = None) -> list[str]:
    """The columns that some row has, in the order of `wanted` or of the rows."""
    there = dict.fromkeys(column for row in table.values() for column in row)
    return [column for column in wanted if column in there] if wanted else list(there)


def gaps(table: Table, column: str, other: str, measure: str) -> list[float]:
    """What a column has more than another, in each row that has both."""
    return [
        row[column][measure] - row[other][measure]
        for row in table.values()
        if column in row and other in row
    ]


def shown_gap(values: Sequence[float]) -> str:
    """Mean, worst, best, and in how many rows it is more."""
    if not values:
        return "–"
    more = sum(value > 0 for value in values)
    worst, best = signed(min(values)), signed(max(values))
    return f"{signed(mean(values))} ({worst} to {best}; more in {more} of {len(values)})"


def signed(value: float) -> str:
    """A difference to three digits."""
    return f"{value:+.3f}".replace("-", "−")


def _table(records: Sequence[Record], parts: Sequence[str], column: Any) -> Table:
    table: Table = {}
    for record in records:
        if record["part"] in parts:
            table.setdefault((record["corpus"], record["k"]), {})[column(record)] = record
    return table
