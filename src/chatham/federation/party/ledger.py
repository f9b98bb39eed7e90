"""What left the building: a line for each array that crossed, for a person to read.

A line is written before its array leaves. It says when, in which round, what the array means in a
sentence, its shape, how many bytes, and a hash; a second line says when the total came, and its
hash. The numbers themselves are kept only on request (`plain`), to be audited here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from chatham.commons.fixed_point import Layout
from chatham.commons.interface import Statistic, Step, meaning_of, name_of
from chatham.errors import CheckpointError

NAME = "ledger.jsonl"
DIRECT = "direct links"

Key = tuple[str, ...]


class Ledger:
    """A party's ledger, in its own folder; what is in it isn't written again."""

    def __init__(self, folder: Path, *, plain: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path = folder / NAME
        self._plain = folder / "plain" if plain else None
        self._written = {_key(line) for line in read_ledger(folder)}
        if self._path.exists() and not self._path.read_bytes().endswith(b"\n"):
            self._append("\n")  # a crash cut the last line short

    def leaving(
        self,
        round_: int,
        step: Step,
        layout: Layout,
        parts: tuple[Statistic, ...],
        *,
        direct: bool = False,
    ) -> None:
        """My contribution to a sum is about to leave: masked, or in shares over direct links."""
        way = {"way": DIRECT} if direct else {}
        for number, (part, bits) in enumerate(zip(parts, layout.bits, strict=True)):
            array = np.ascontiguousarray(part)
            self._write(
                "left",
                round_,
                statistic=name_of(step),
                meaning=_sentence(step, direct),
                array=number,
                shape=list(np.shape(part)),
                dtype=str(array.dtype),
                bits=bits,
                bytes=8 * array.size,
                sha256=sha256(array.data).hexdigest(),
                **way,
            )
            if self._plain is not None:
                self._keep(self._plain / f"{round_:06d}-{number}.npy", array)

    def came(self, round_: int, size: int, digest: bytes) -> None:
        """The total is here, signed by all."""
        self._write("came", round_, bytes=size, sha256=digest.hex())

    def _write(self, event: str, round_: int, **more: Any) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"time": now, "event": event, "round": round_, **more}
        if _key(line) not in self._written:
            self._append(json.dumps(line) + "\n")
            self._written.add(_key(line))

    def _append(self, text: str) -> None:
        try:
            with open(self._path, "a", encoding="utf-8", opener=_for_me_alone) as file:
                file.write(text)
        except OSError as error:
            raise _unwritten(error) from None

    def _keep(self, path: Path, array: Statistic) -> None:
        try:
            path.parent.mkdir(exist_ok=True, mode=0o700)
            np.save(path, array, allow_pickle=False)
        except OSError as error:
            raise _unwritten(error) from None


def read_ledger(folder: Path) -> Iterator[dict[str, Any]]:
    """The lines of a party's ledger; one that a crash cut short is left out."""
    path = folder / NAME
    if not path.exists():
        return
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and {"event", "round"} <= set(entry):
            yield entry


def _key(line: dict[str, Any]) -> Key:
    """Equal for the same numbers, sent again after a crash; different for others."""
    return tuple(str(line.get(name)) for name in ("event", "round", "array", "sha256"))


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
