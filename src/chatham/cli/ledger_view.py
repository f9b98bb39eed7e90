"""What `chatham ledger` prints: for whoever is responsible for the documents, and for machines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from chatham.cli.ledger_read import Crossed, Kind
from chatham.cli.output import console, plain_table, print_json
from chatham.cli.session_view import print_rows
from chatham.errors import SessionError
from chatham.federation.party.ledger import read_ledger
from chatham.federation.session import Session, read_session
from chatham.learners.words import printable

if TYPE_CHECKING:
    from rich.table import Table


def print_as_json(found: Crossed, folder: Path) -> None:
    """Everything, line by line too."""
    session = _session(folder)
    print_json(
        {
            "session": None if session is None else session.hash.hex(),
            **found.to_dict(),
            "lines": list(read_ledger(folder)),
        }
    )


def print_for_people(found: Crossed, folder: Path, rounds: bool, quiet: bool) -> None:
    """A head, a table by kind of sum, and what it all means."""
    screen = console()
    if not quiet:
        print_rows(_head(found, folder))
        screen.print()
    screen.print(table_of(found))
    if rounds:
        screen.print()
        screen.print(_by_round(folder))
    if not quiet:
        for sentence in _meaning(found):
            screen.print(f"\n{sentence}", width=min(screen.width, 100))


def table_of(found: Crossed) -> Table:
    """A row for each kind of sum."""
    table = plain_table(
        ("rounds", "left"), ("what left, masked", "fold"), ("numbers", "fold"), ("size", "right"),
        ("when (UTC)", "left"),
    )  # fmt: skip
    for kind in found.kinds:
        table.add_row(*map(printable, _row(kind)))
    return table


def _head(found: Crossed, folder: Path) -> Iterator[tuple[str, str]]:
    session = _session(folder)
    yield "Ledger", f"{folder}"
    if session is not None:
        names = ", ".join(member.name for member in session.parties)
        yield "Session", session.id
        yield "Hash", session.hash.hex()
        yield "Parties", names
    open_ = found.rounds - found.completed
    still = f"; the total of {open_:,} didn't come" if open_ > 0 else ""
    yield "Rounds", f"{found.rounds:,}, each one sum over all parties{still}"
    yield "Size", f"{_size(found.bytes)} sent, as much came back as totals"
    if found.rounds:
        yield "Time", f"{_time(found.first)} to {_time(found.last)}, UTC"


def _row(kind: Kind) -> list[str]:
    return [
        _ranges(kind.rounds),
        f"{'[direct] ' if kind.direct else ''}{kind.meaning} ({kind.statistic.rpartition('.')[2]})",
        " + ".join(kind.shapes),
        _size(kind.bytes),
        _span(kind.first, kind.last),
    ]


def _ranges(rounds: list[int]) -> str:
    """Numbers in a row as first–last.

    >>> _ranges([1, 4, 5, 6, 9])
    '1, 4–6, 9'
    """
    runs: list[list[int]] = []
    for number in rounds:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    parts = [f"{a}" if a == b else f"{a}–{b}" for a, b in runs]
    if len(parts) > 4:
        return f"{len(rounds)} from {rounds[0]} to {rounds[-1]}"
    return ", ".join(parts)


def _by_round(folder: Path) -> Table:
    from chatham.cli.ledger_read import is_sound

    table = plain_table(
        ("round", "right"), ("time (UTC)", "left"), ("statistic", "fold"), ("shape", "left"),
        ("fraction bits", "right"), ("bytes", "right"), ("hash", "left"),
    )  # fmt: skip
    for line in read_ledger(folder):
        if is_sound(line) and line["event"] == "left":
            shape = " × ".join(f"{n:,}" for n in line["shape"]) or "1"
            cells = (
                str(line["round"]), _time(line["time"]), line["statistic"], shape,
                str(line["bits"]), f"{line['bytes']:,}", str(line.get("sha256", ""))[:16],
            )  # fmt: skip
            table.add_row(*map(printable, cells))
    return table


def _meaning(found: Crossed) -> Iterator[str]:
    yield (
        "Each line is a table of numbers of that shape, added up over this party's documents or "
        "its words. It left under masks that only the parties together can take off, and only from "
        "the total of all: the relay saw random numbers, the other parties saw the total and "
        "nobody's part of it. None of them is a document's own; what totals can show of one all "
        "the same is in the guide (docs/together.md)."
    )
    if any(kind.direct for kind in found.kinds):
        yield (
            "What is marked [direct] went to the other parties over direct links, cut into shares "
            "that are random by themselves, so it took more bytes than its numbers have. All "
            "parties saw the direction of the total, and not its length. Fewer than half of them "
            "can't put the shares together; half or more could."
        )
    if found.plain:
        yield (
            "The numbers themselves, as they were before masking, are in the folder 'plain', a "
            "file for each: <round>-<array>.npy."
        )
    else:
        yield "To keep the numbers themselves too, join with --plain."


def _session(folder: Path) -> Session | None:
    try:
        return read_session(folder / "session.toml")
    except SessionError:
        return None


def _size(size: int) -> str:
    for unit, each in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= each:
            return f"{size / each:,.1f} {unit}"
    return f"{size:,} B"


def _span(first: str, last: str) -> str:
    """From when to when, by the clock if it was one day."""
    a, b = _time(first), _time(last)
    if a[:10] != b[:10]:
        return f"{a[5:16]} – {b[5:16]}"
    return a[11:] if a == b else f"{a[11:]}–{b[11:]}"


def _time(written: str) -> str:
    return written[:19].replace("T", " ")
