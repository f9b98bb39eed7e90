"""What `chatham ledger` prints: for the person responsible for the documents, and for machines.

A ledger is shown by kind of sum: what it means, in which rounds, in what shapes, how large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatham.cli.output import console, plain_table, print_json, print_rows
from chatham.errors import InputError, SessionError
from chatham.federation.party.ledger import DIRECT, NAME, read_ledger
from chatham.federation.session import Session, read_session
from chatham.learners.words import printable

if TYPE_CHECKING:
    from rich.table import Table

    from chatham.federation.party.verifying import Verdict

CONFIRMED, AGENTS = "session.toml", "agents.toml"
"""The copy of the session, or of the agents' file, that a party confirmed, in its folder."""


def print_as_json(left: Crossed, folder: Path) -> None:
    """Everything, including the ledger's lines."""
    session = _session(folder)
    print_json(
        {
            "session": None if session is None else session.hash.hex(),
            **left.to_dict(),
            "lines": list(read_ledger(folder)),
        }
    )


def print_for_people(left: Crossed, folder: Path, rounds: bool, quiet: bool) -> None:
    """A heading, a table by kind of sum, and what it means."""
    screen = console()
    if not quiet:
        print_rows(_head(left, folder))
        screen.print()
    screen.print(_table_of_shown(left) if left.shown else table_of(left))
    if rounds:
        screen.print()
        screen.print(_by_round(folder))
    if not quiet:
        for sentence in _meaning(left):
            screen.print(f"\n{sentence}", width=min(screen.width, 100))


MOST_FAULTS = 20


def print_verdict(folder: Path, as_json: bool) -> bool:
    """Whether the ledger is as it was written and agrees with the records, in words or as JSON."""
    verdict = _verdict(folder)
    if as_json:
        print_json({"verified": verdict.is_sound, **asdict(verdict)})
        return verdict.is_sound
    screen = console()
    for fault in verdict.faults[:MOST_FAULTS]:
        screen.print(printable(fault))
    if (more := len(verdict.faults) - MOST_FAULTS) > 0:
        screen.print(f"And {more:,} more; --json prints all.")
    if verdict.is_sound:
        compared = (
            f", and they say what the records of {verdict.rounds:,} rounds say, which all parties "
            "signed"
        )
        gossiped = "; between agents that gossip there are no records to compare them with"
        screen.print(
            f"The ledger is as it was written: its {verdict.lines:,} lines are chained"
            f"{gossiped if (folder / AGENTS).is_file() else compared}."
        )
    return verdict.is_sound


def _verdict(folder: Path) -> Verdict:
    from chatham.federation.extra import need_federation

    _check_ledger(folder)
    need_federation()
    from chatham.federation.party.verifying import verify_chain, verify_ledger

    if (folder / AGENTS).is_file():
        return verify_chain(folder)
    if not (folder / CONFIRMED).is_file():
        raise InputError(
            f"There is no {CONFIRMED} in '{folder}', so signatures can't be checked; copy the "
            "session's file there."
        )
    return verify_ledger(folder, read_session(folder / CONFIRMED))


def table_of(left: Crossed) -> Table:
    """One row per kind of sum."""
    table = plain_table(
        ("rounds", "left"), ("what left, masked", "fold"), ("numbers", "fold"), ("size", "right"),
        ("when (UTC)", "left"),
    )  # fmt: skip
    for kind in left.kinds:
        table.add_row(*map(printable, _row(kind)))
    return table


def _table_of_shown(left: Crossed) -> Table:
    """One row per neighbour, or neighbours at once, and kind of statistics."""
    table = plain_table(
        ("shown to", "fold"), ("times", "right"), ("what", "fold"), ("numbers", "left"),
        ("size", "right"), ("when (UTC)", "left"),
    )  # fmt: skip
    for each in left.shown:
        cells = (
            ", ".join(each.to), f"{each.times:,}", each.meaning, each.shape, _size(each.bytes),
            _span(each.first, each.last),
        )  # fmt: skip
        table.add_row(*map(printable, cells))
    return table


def _head(left: Crossed, folder: Path) -> Iterator[tuple[str, str]]:
    session = _session(folder)
    yield "Ledger", f"{folder}"
    if session is not None:
        names = ", ".join(member.name for member in session.parties)
        yield "Session", session.id
        yield "Hash", session.hash.hex()
        yield "Parties", names
    if left.shown:
        yield "Shown", f"{sum(each.times for each in left.shown):,} times, to neighbours alone"
        yield "Time", f"{_time(left.first)} to {_time(left.last)}, UTC"
        return
    yield "Rounds", _rounds(left)
    if left.replayed:
        yield "Replayed", f"{_ranges(left.replayed)}: from the records, and nothing left"
    if left.rounds:
        yield "Size", f"{_size(left.bytes)} sent; {_size(left.bytes_of_totals)} of totals came back"
    if left.hellos:
        yield "Hellos", f"{left.hellos:,}, one each time that the party began or began again"
    if left.refused:
        yield "Refused", f"{_ranges(left.refused)}: this party took no part, and told the others so"
    if left.rounds:
        yield "Time", f"{_time(left.first)} to {_time(left.last)}, UTC"


def _rounds(left: Crossed) -> str:
    if not left.rounds:
        return "none: no sum has left"
    number = f"{left.rounds:,}, each one sum over all parties"
    if left.completed >= left.rounds:
        return number
    open_ = left.rounds - left.completed
    if open_ == 1:
        return f"{number}; the last one isn't completed: its total hasn't come yet"
    return f"{number}; {open_:,} aren't completed: their totals haven't come yet"


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
    table = plain_table(
        ("round", "right"), ("time (UTC)", "left"), ("statistic", "fold"), ("shape", "left"),
        ("fraction bits", "right"), ("bytes", "right"), ("hash", "left"),
    )  # fmt: skip
    for line in read_ledger(folder):
        if is_sound(line) and line["event"] in ("hello", "refused"):
            round_ = "–" if line["event"] == "hello" else str(line["round"])
            size = f"{line['bytes']:,}"
            cells = round_, _time(line["time"]), line["event"], "", "", size, _hash(line)
            table.add_row(*map(printable, cells))
        elif is_sound(line) and line["event"] == "shown":
            shape = " × ".join(f"{n:,}" for n in line["shape"])
            what = f"shown to {', '.join(line['to'])}"
            size, digest = f"{line['bytes']:,}", _hash(line)
            cells = str(line["round"]), _time(line["time"]), what, shape, "", size, digest
            table.add_row(*map(printable, cells))
        elif is_sound(line) and line["event"] in ("left", "replayed"):
            shape = " × ".join(f"{n:,}" for n in line["shape"]) or "1"
            mark = "[replayed] " if line["event"] == "replayed" else ""
            cells = (
                str(line["round"]), _time(line["time"]), f"{mark}{line['statistic']}", shape,
                str(line["bits"]), f"{line['bytes']:,}", _hash(line),
            )  # fmt: skip
            table.add_row(*map(printable, cells))
    return table


def _hash(line: dict[str, Any]) -> str:
    return str(line.get("sha256", ""))[:16]


def _meaning(left: Crossed) -> Iterator[str]:
    if left.shown:
        yield (
            "Each time an agent averaged its statistics with neighbours, how many tokens of each "
            "word have each topic, it showed them before or after. Summed over topics they are "
            "how often each word occurs, in its documents and in those averaged into them; what "
            "neighbours can make of that is in the guide (docs/gossip.md)."
        )
        return
    yield (
        "Each line is a table of numbers of that shape, summed over this party's documents or its "
        "words. It left under masks that only the parties together can remove, and only from the "
        "total of all: the relay saw random numbers, the other parties saw the total and nobody's "
        "contribution. None of the numbers belongs to a single document; what totals can still "
        "reveal about one is in the guide (docs/together.md)."
    )
    if any(kind.direct for kind in left.kinds):
        yield (
            "What is marked [direct] went to the other parties over direct links, split into "
            "shares that are random by themselves, so it took more bytes than its numbers have. "
            "All parties saw the direction of the total, but not its length. Fewer than half of "
            "the parties can't combine the shares; half or more could."
        )
    if left.hellos:
        yield (
            "A hello is a public key and a number drawn for one run, a hash of the documents under "
            "a key that only this party has, and the version of Chatham."
        )
    if left.replayed:
        yield (
            "What is replayed was completed before this ledger began: totals came from the "
            "records, and nothing left. What left at the time is in the ledger of that time."
        )
    if left.plain:
        yield (
            "The numbers themselves, as they were before masking, are in the folder 'plain', one "
            "file per array: <round>-<array>.npy; of sums over direct links, "
            "<round>-<array>-direct.npy."
        )
    else:
        yield "To keep the numbers themselves too, join with --plain."


def _session(folder: Path) -> Session | None:
    try:
        return read_session(folder / CONFIRMED)
    except SessionError:
        return None


def _size(size: int) -> str:
    for name, unit in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size:,} B"


def _span(first: str, last: str) -> str:
    """From when to when; only times of day if it was within one day."""
    a, b = _time(first), _time(last)
    if a[:10] != b[:10]:
        return f"{a[5:16]} – {b[5:16]}"
    return a[11:] if a == b else f"{a[11:]}–{b[11:]}"


def _time(written: str) -> str:
    return written[:19].replace("T", " ")


@dataclass
class Kind:
    """One statistic, in all its rounds."""

    statistic: str
    meaning: str
    rounds: list[int] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    """Each array's shape; shapes that change from round to round as "n ×"."""
    bits: list[int] = field(default_factory=list)
    bytes: int = 0
    first: str = ""
    last: str = ""
    direct: bool = False
    """Whether it went in shares over direct links instead of masked through the relay."""


@dataclass
class Shown:
    """Statistics of one meaning that an agent showed the same neighbours, in all exchanges."""

    to: list[str]
    meaning: str
    times: int
    shape: str
    bytes: int
    first: str
    last: str


@dataclass
class Crossed:
    """Everything that left, and how much of it came back as totals."""

    kinds: list[Kind]
    rounds: int
    completed: int
    bytes: int
    bytes_of_totals: int
    first: str
    last: str
    plain: bool
    hellos: int
    replayed: list[int]
    """Rounds whose totals came from the records, and of which nothing left."""
    shown: list[Shown]
    """What an agent that gossips showed its neighbours."""
    refused: list[int]
    """Rounds in which the party refused to take part: a signed word that says so left."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return asdict(self)


def crossed(folder: Path) -> Crossed:
    """Read a party's ledger."""
    _check_ledger(folder)
    lines = [line for line in read_ledger(folder) if is_sound(line)]
    left = [line for line in lines if line["event"] == "left"]
    replayed = {line["round"] for line in lines if line["event"] == "replayed"}
    came = {line["round"] for line in lines if line["event"] == "came"}
    return Crossed(
        kinds=list(_kinds(left)),
        rounds=len({line["round"] for line in left}),
        completed=len(came - replayed),
        bytes=sum(line["bytes"] for line in left),
        bytes_of_totals=sum(
            line["bytes"]
            for line in lines
            if line["event"] == "came" and line["round"] not in replayed
        ),
        first=min((line["time"] for line in lines), default=""),
        last=max((line["time"] for line in lines), default=""),
        plain=(folder / "plain").is_dir(),
        hellos=sum(line["event"] == "hello" for line in lines),
        replayed=sorted(replayed),
        shown=list(_shown(line for line in lines if line["event"] == "shown")),
        refused=sorted({line["round"] for line in lines if line["event"] == "refused"}),
    )


def _check_ledger(folder: Path) -> None:
    if not (folder / NAME).is_file():
        raise InputError(
            f"There is no ledger in '{folder}'; give the folder that 'chatham join' or 'chatham "
            "gossip' was given."
        )


def is_sound(line: dict[str, Any]) -> bool:
    """Whether a line is as a ledger writes it; anybody may have edited the file."""
    types: dict[str, type] = {"event": str, "round": int, "time": str, "bytes": int}
    if line.get("event") == "shown":
        types |= {"meaning": str, "shape": list, "to": list}
    if line.get("event") in ("left", "replayed"):
        types |= {"statistic": str, "meaning": str, "shape": list, "bits": int, "array": int}
    sound = all(isinstance(line.get(name), kind) for name, kind in types.items())
    named = all(isinstance(name, str) for name in line.get("to", []))
    return sound and named and all(isinstance(n, int) for n in line.get("shape", []))


def _shown(lines: Iterable[dict[str, Any]]) -> Iterator[Shown]:
    """In the order in which they were first shown."""
    alike: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for line in lines:
        alike.setdefault((line["meaning"], *line["to"]), []).append(line)
    for (meaning, *to), entries in alike.items():
        times = [line["time"] for line in entries]
        size = sum(line["bytes"] for line in entries)
        shape = _shape([line["shape"] for line in entries])
        yield Shown(to, meaning, len(entries), shape, size, min(times), max(times))


def _kinds(left: Iterable[dict[str, Any]]) -> Iterable[Kind]:
    """In the order in which they first crossed."""
    lines: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in left:
        lines.setdefault((line["statistic"], line["meaning"]), []).append(line)
    for (statistic, meaning), entries in lines.items():
        arrays = sorted({line["array"] for line in entries})
        times = [line["time"] for line in entries]
        yield Kind(
            statistic,
            meaning,
            rounds=sorted({line["round"] for line in entries}),
            shapes=[_shape([li["shape"] for li in entries if li["array"] == a]) for a in arrays],
            bits=sorted({line["bits"] for line in entries}),
            bytes=sum(line["bytes"] for line in entries),
            first=min(times),
            last=max(times),
            direct=any(line.get("way") == DIRECT for line in entries),
        )


def _shape(shapes: list[list[int]]) -> str:
    """A shape, with ranges if it isn't always the same.

    >>> _shape([[3, 10], [7, 10]]), _shape([[]])
    ('3…7 × 10', '1')
    """
    if len({len(shape) for shape in shapes}) > 1:
        return "several"
    if not shapes[0]:
        return "1"
    lengths = zip(*shapes, strict=True)
    return " × ".join(
        f"{min(n):,}" if min(n) == max(n) else f"{min(n):,}…{max(n):,}" for n in lengths
    )
