"""Whether a ledger is what was written, and says what the records say.

Its lines must be chained, end where they were said to end, and agree with the records, which all
parties signed: every completed round has lines about what left and about the very total that came,
and no total came that isn't recorded. Whoever can write in the folder could write a whole new
chain, but not one without a round that was completed, nor with another total, since all parties'
signatures are under each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from chatham.errors import CheckpointError
from chatham.federation.party.epochs import END
from chatham.federation.party.ledger import (
    FIRST,
    PLAIN,
    as_entry,
    end_of,
    hash_of,
    is_chained,
    kept_name,
    raw_lines,
    read_head,
)
from chatham.federation.party.records import Rounds
from chatham.federation.session import Session

UNCHAINED = (
    "The ledger has no chain, so nothing shows whether it is as it was written: an earlier version "
    "of Chatham wrote it."
)

NumberedLine = tuple[int, dict[str, Any]]
"""A line's number in the file, from 1, and what it says."""
Total = tuple[str, int]
"""The hash and the size of a record's total."""


@dataclass(frozen=True)
class Verdict:
    """What was checked, and what is wrong with it: nothing, if all is well."""

    lines: int
    rounds: int
    """Completed rounds in the records."""
    is_chained: bool
    faults: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def verify_chain(folder: Path) -> Verdict:
    """Check a ledger against itself alone: where there are no records, as in gossip."""
    raw = raw_lines(folder)
    lines = [(number, entry) for number, line in enumerate(raw, 1) if (entry := as_entry(line))]
    faults = [*_chain_faults(raw, read_head(folder)), *_said_broken(lines)]
    return Verdict(len(raw), 0, True, tuple(faults))


def verify_ledger(folder: Path, session: Session) -> Verdict:
    """Check a party's ledger against itself and against the session's records beside it."""
    raw = raw_lines(folder)
    lines = [(number, entry) for number, line in enumerate(raw, 1) if (entry := as_entry(line))]
    head = read_head(folder)
    if lines and head is None and not any(is_chained(entry) for _, entry in lines):
        return Verdict(len(raw), 0, False, (UNCHAINED,))
    faults = [*_chain_faults(raw, head), *_said_broken(lines)]
    records: list[Total] = []
    try:
        records = _records(folder, session)
    except CheckpointError as error:
        faults.append(f"The records can't be compared: {error}")
    else:
        faults += [*_record_faults(records, lines), *_plain_faults(folder, lines)]
    return Verdict(len(raw), len(records), True, tuple(faults))


def _chain_faults(raw: list[bytes], head: str | None) -> Iterator[str]:
    """Where the chain is broken; a line that a crash cut short is in the next one's hash."""
    before = FIRST
    for number, line in enumerate(raw, 1):
        entry = as_entry(line)
        if entry is not None and not is_chained(entry):
            yield f"Line {number} has no hash of the line before: an earlier version wrote it."
        elif entry is not None and entry["before"] != before:
            yield _gap(number)
        before = hash_of(line)
    if wrong_end := end_of(raw, head):
        yield f"The ledger doesn't end where it was written last: {wrong_end}."


def _gap(number: int) -> str:
    if number == 1:
        return "Line 1 isn't the first line that was written: lines before it were removed."
    return (
        f"Line {number} wasn't written after line {number - 1} as it is: line {number - 1} was "
        "altered, or lines between them were removed, added or moved."
    )


def _said_broken(lines: Iterable[NumberedLine]) -> Iterator[str]:
    for number, entry in lines:
        if entry["event"] == "broken":
            yield f"Line {number} says that the ledger wasn't whole when it was continued there."


def _records(folder: Path, session: Session) -> list[Total]:
    """The totals of all completed rounds, whose signatures are checked."""
    place = folder / "rounds"
    if not place.is_dir():  # where none was completed, nothing is made
        return []
    rounds = Rounds(place, session.hash, session.keys)
    totals = map(rounds.total, range(1, rounds.completed + 1))
    return [(each.hash.hex(), each.words.nbytes) for each in totals if each.digest != END]


def _record_faults(records: list[Total], lines: list[NumberedLine]) -> Iterator[str]:
    came, left, replayed = (_by_round(lines, event) for event in ("came", "left", "replayed"))
    if records and not any(entry["event"] == "hello" for _, entry in lines):
        yield "The ledger has no hello, and there is no round without one."
    for round_, record in enumerate(records, 1):
        is_last = round_ == len(records)  # a process may be stopped before it writes the last line
        if round_ not in left:
            yield _unsaid(round_, round_ in replayed)
        if round_ not in came and not is_last:
            yield f"Record {round_}: the ledger doesn't say that its total came."
        for number, entry in came.get(round_, ()):
            said = entry.get("sha256"), entry.get("bytes")
            if said != record:
                yield f"Line {number}: the record of round {round_} has another total."
    for round_ in sorted(set(came) - set(range(1, len(records) + 1))):
        number, _ = came[round_][0]
        yield f"Line {number}: a total of round {round_} came, and there is no record of it."


def _unsaid(round_: int, is_replayed: bool) -> str:
    if is_replayed:
        return (
            f"Record {round_}: the ledger says that the round was replayed; what left in it was "
            "written in a ledger that isn't here."
        )
    return f"Record {round_}: the ledger doesn't say what left."


def _by_round(lines: Iterable[NumberedLine], event: str) -> dict[int, list[NumberedLine]]:
    found: dict[int, list[NumberedLine]] = {}
    for number, entry in lines:
        if entry["event"] == event and type(entry["round"]) is int:
            found.setdefault(entry["round"], []).append((number, entry))
    return found


def _plain_faults(folder: Path, lines: Iterable[NumberedLine]) -> Iterator[str]:
    """Numbers that were kept must be those that left."""
    left = [entry for _, entry in lines if entry["event"] == "left"]
    hashes = {(kept_name(entry), str(entry.get("sha256"))) for entry in left}
    for path in sorted((folder / PLAIN).glob("*.npy")):
        try:
            array = np.load(path, allow_pickle=False)
            digest = sha256(np.ascontiguousarray(array).data).hexdigest()
            is_there = (path.name, digest) in hashes
        except (OSError, ValueError, EOFError):
            is_there = False
        if not is_there:
            yield f"{PLAIN}/{path.name}: these aren't the numbers that left."
