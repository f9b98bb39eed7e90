"""What left the building: a line for each hello, each array and a refusal, for a person to read.

A line is written before its array leaves. It says when, in which round, what the array means in a
sentence, its shape, how many bytes, and a hash; a second line says when the total came, and its
hash. A round that was completed before, and whose line isn't here, is *replayed*: its total comes
from the records, and nothing leaves. The numbers themselves are kept only on request (`plain`), to
be audited here.

Lines form a chain: each has the hash of the one before, and a file beside the ledger has the hash
of the last, so that altered, removed, moved or cut lines are found (see `verifying`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from chatham.commons.fixed_point import Layout
from chatham.commons.interface import Statistic, Step, meaning_of, name_of
from chatham.commons.secure.frames import Frame
from chatham.errors import CheckpointError
from chatham.federation.files import write_whole

NAME, HEAD, PLAIN = "ledger.jsonl", "ledger.head", "plain"
DIRECT = "direct links"
FIRST = sha256(b"chatham ledger").hexdigest()
"""What the first line is chained to."""
HELLO = (
    "A hello: a public key and a number drawn for this run, a keyed hash of my documents, and my "
    "version."
)
REFUSED = (
    "That this party takes no part in the round: its name, and a word of a fixed list for why; "
    "signed."
)
BROKEN = (
    "The ledger didn't end here when it was last written: lines before this one are missing, or "
    "were altered or added."
)

Key = tuple[str, ...]


class Ledger:
    """A party's ledger, in its own folder; what is in it isn't written again."""

    def __init__(self, folder: Path, *, plain: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder, self._path = folder, folder / NAME
        self._plain = folder / PLAIN if plain else None
        self._resume()

    def hello(self, frame: Frame) -> None:
        """A hello is about to leave."""
        digest = sha256(frame.raw).hexdigest()
        self._write("hello", 0, meaning=HELLO, bytes=len(frame.raw), sha256=digest)

    def refusing(self, frame: Frame) -> None:
        """That I refuse to take part in a round is about to leave."""
        digest, code = sha256(frame.raw).hexdigest(), frame.header["code"]
        more = {"meaning": REFUSED, "code": code, "bytes": len(frame.raw), "sha256": digest}
        self._write("refused", frame.round, **more)

    def leaving(
        self,
        round_: int,
        step: Step,
        layout: Layout,
        parts: tuple[Statistic, ...],
        *,
        attempt: int = 0,
    ) -> None:
        """My contribution to a sum is about to leave: masked or, as the n-th attempt, in shares
        over direct links."""
        way = {"way": DIRECT, "attempt": attempt} if attempt else {}
        for number, part in enumerate(parts):
            array = np.ascontiguousarray(part)
            digest = sha256(array.data).hexdigest()
            described = _described(step, layout, number, part, direct=attempt > 0)
            self._write("left", round_, **described, sha256=digest, **way)
            if self._plain is not None:
                name = kept_name({"round": round_, "array": number, **way})
                self._keep(self._plain / name, array)

    def showing(
        self, exchange: bytes, number: int, to: Sequence[str], meaning: str, array: Statistic
    ) -> None:
        """Gossip: statistics of mine are about to be shown to these neighbours, in the exchange
        after so many."""
        shown = np.ascontiguousarray(array)
        described = {"shape": list(shown.shape), "dtype": str(shown.dtype), "bytes": shown.nbytes}
        more = {"to": list(to), "meaning": meaning, **described, "exchange": exchange.hex()}
        self._write("shown", number, **more, sha256=sha256(shown.data).hexdigest())

    def replayed(
        self, round_: int, step: Step, layout: Layout, parts: tuple[Statistic, ...]
    ) -> None:
        """A round was completed before, so its total came from the records and nothing left.

        If a line says what left then, there is nothing to add.
        """
        for number, part in enumerate(parts):
            if (str(round_), str(number)) not in self._left:
                self._write("replayed", round_, **_described(step, layout, number, part))

    def came(self, round_: int, size: int, digest: bytes) -> None:
        """The total is here, signed by all."""
        self._write("came", round_, bytes=size, sha256=digest.hex())

    def _write(self, event: str, round_: int, **more: Any) -> None:
        if self._path_size() != self._size:  # somebody else wrote, or I couldn't finish
            self._resume()
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"time": now, "event": event, "round": round_, **more}
        if event == "broken" or _key(line) not in self._written:  # it may break again
            self._append(json.dumps({**line, "before": self._last}).encode())
            self._know(line)

    def _know(self, line: dict[str, Any]) -> None:
        key = _key(line)
        self._written.add(key)
        if line["event"] == "left":
            self._left.add(key[1:3])

    def _resume(self) -> None:
        """Find the end of the ledger, and say so if it isn't where it was."""
        if self._path_size() and not self._path.read_bytes().endswith(b"\n"):
            self._to_file(b"\n")  # a crash cut the last line short
        lines = raw_lines(self._folder)
        self._written: set[Key] = set()
        self._left: set[Key] = set()
        for entry in map(as_entry, lines):
            if entry is not None:
                self._know(entry)
        self._last = hash_of(lines[-1]) if lines else FIRST
        self._size = self._path_size()
        if end_of(lines, read_head(self._folder)):
            self._write("broken", 0, meaning=BROKEN)
        elif lines and is_chained(as_entry(lines[-1])):
            self._keep_head()  # a crash came between a line and its hash

    def _append(self, line: bytes) -> None:
        self._to_file(line + b"\n")
        self._last, self._size = hash_of(line), self._size + len(line) + 1
        self._keep_head()

    def _keep_head(self) -> None:
        try:
            write_whole(self._folder / HEAD, self._last.encode() + b"\n", opener=_for_me_alone)
        except OSError as error:
            raise _unwritten(error) from None

    def _to_file(self, text: bytes) -> None:
        try:
            with open(self._path, "ab", opener=_for_me_alone) as file:
                file.write(text)
        except OSError as error:
            raise _unwritten(error) from None

    def _path_size(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0

    def _keep(self, path: Path, array: Statistic) -> None:
        try:
            path.parent.mkdir(exist_ok=True, mode=0o700)
            np.save(path, array, allow_pickle=False)
        except OSError as error:
            raise _unwritten(error) from None


def read_ledger(folder: Path) -> Iterator[dict[str, Any]]:
    """The lines of a party's ledger; one that a crash cut short is left out."""
    return (entry for entry in map(as_entry, raw_lines(folder)) if entry is not None)


def raw_lines(folder: Path) -> list[bytes]:
    """The lines as they are in the file, whatever they are."""
    path = folder / NAME
    lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
    return lines if lines[-1] else lines[:-1]


def as_entry(line: bytes) -> dict[str, Any] | None:
    """What a line says; None if it was cut short, or isn't a ledger's."""
    try:
        entry = json.loads(line.decode("utf-8", errors="replace"))
    except (ValueError, RecursionError):
        return None
    is_entry = isinstance(entry, dict) and {"event", "round"} <= set(entry)
    return entry if is_entry else None


def kept_name(entry: dict[str, Any]) -> str:
    """The name of the file in which the numbers of a line are kept, if they are.

    >>> kept_name({"round": 3, "array": 0})
    '000003-0.npy'
    """
    way = "-direct" if entry.get("way") == DIRECT else ""
    return f"{str(entry['round']).zfill(6)}-{entry.get('array')}{way}.npy"


# -- the chain


def hash_of(line: bytes) -> str:
    """What the next line is chained to."""
    return sha256(line).hexdigest()


def is_chained(entry: dict[str, Any] | None) -> bool:
    """Whether a line has the hash of the one before; those of earlier versions don't."""
    return entry is not None and "before" in entry


def read_head(folder: Path) -> str | None:
    """The hash of the last line, as it was kept when that was written."""
    path = folder / HEAD
    return path.read_bytes()[: len(FIRST)].decode("ascii", "replace") if path.exists() else None


def end_of(lines: Sequence[bytes], head: str | None) -> str:
    """What is wrong with the end of a ledger, given the hash that was kept; nothing if all is well.

    A process may be stopped between a line and the hash of it, so one line may follow.
    """
    chained = [number for number, line in enumerate(lines) if is_chained(as_entry(line))]
    ends = [hash_of(lines[number]) for number in chained]
    if head is None:
        return "" if len(chained) <= 1 else f"{HEAD} is missing, so lines may be missing too"
    if head in ends[-2:]:
        return ""
    if head in ends:
        return f"lines after line {chained[ends.index(head)] + 1} were added later"
    return "the last line that was written is missing, or was altered"


def _described(
    step: Step, layout: Layout, number: int, part: Statistic, *, direct: bool = False
) -> dict[str, Any]:
    return {
        "statistic": name_of(step),
        "meaning": _sentence(step, direct),
        "array": number,
        "shape": list(np.shape(part)),
        "dtype": str(np.asarray(part).dtype),
        "bits": layout.bits[number],
        "bytes": 8 * np.size(part),
    }


def _key(line: dict[str, Any]) -> Key:
    """Equal for the same numbers, sent again after a crash; different for others."""
    names = "event", "round", "array", "sha256", "attempt", "exchange", "to"
    return tuple(str(line.get(name)) for name in names)


def _for_me_alone(path: str, flags: int) -> int:
    """Readable by its owner only, since the hash of a small number gives the number away."""
    return os.open(path, flags, 0o600)


def _sentence(step: Step, direct: bool) -> str:
    """What an array means and, if it doesn't go masked through the relay, how it goes."""
    meaning = meaning_of(step)
    if not direct:
        return meaning
    return f"{meaning.rstrip('.')}: as secret shares over direct links; then the direction, masked."


def _unwritten(error: OSError) -> CheckpointError:
    return CheckpointError(
        f"The ledger can't be written ({error.strerror}), so nothing leaves; make room and join "
        "again: the session resumes where it stopped."
    )
