"""A party's records, in its own folder: totals, and everybody's signature under them.

Record 0 is the roll (see `epochs`), record n the total of round n. A total is written before I sign
it, so whatever anybody acted on is on my disk when I start again; then those rounds are answered
from here, and nothing of them is sent a second time. Each total is chained to those before it by a
hash, and all parties sign the chain: a file that was cut, altered or swapped is detected when it is
read. The relay sees the chain, so a secret of the group, at the end of record 0, goes into it:
otherwise the relay could test which total leads to the hash that it sees.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from chatham.commons.fixed_point import Words
from chatham.commons.secure.frames import START, Frame, header_length, read_frame
from chatham.errors import CheckpointError, ProtocolError
from chatham.federation.files import write_whole

FIRST = sha256(b"chatham chain").digest()
"""What the first record is chained to."""
LONGEST_LINE = 1000
SECRET = 4
"""Words at the end of record 0 that only parties know."""


@dataclass(frozen=True)
class Completed:
    """A total, what it was about, its hash, and the hash of the chain up to and including it."""

    digest: bytes
    words: Words
    hash: bytes
    chain: bytes


def completed(before: bytes, digest: bytes, words: Words, secret: bytes = b"") -> Completed:
    """A total, chained to what came before."""
    hash_ = sha256(words.astype("<u8", copy=False).data).digest()
    chain = sha256(b"chatham chain" + before + digest + secret + hash_).digest()
    return Completed(digest, words, hash_, chain)


def _line(record: Completed) -> bytes:
    """A record's first line, in its only valid form."""
    fields = {
        "digest": record.digest.hex(),
        "chain": record.chain.hex(),
        "size": record.words.nbytes,
    }
    return json.dumps(fields).encode() + b"\n"


class Rounds:
    """Totals on disk: up to the last completed one, and perhaps one more, not agreed on yet."""

    def __init__(self, folder: Path, session: bytes, roster: Sequence[bytes]) -> None:
        self._folder, self._session, self._roster = folder, session, roster
        for path in (folder.parent, folder):  # parents=True doesn't give parents the mode
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._chains: list[bytes] = []
        self._secret = b""
        self._last: Completed | None = None
        while self._agreed(self.completed + 1).exists():
            self._load(self.completed + 1)

    @property
    def completed(self) -> int:
        """The last completed round; -1 before the roll."""
        return len(self._chains) - 1

    @property
    def chain(self) -> bytes:
        """The hash that stands for all totals so far."""
        return self._chains[-1] if self._chains else FIRST

    def total(self, round_: int) -> Completed:
        """The total of a completed round."""
        if self._last and self._last.chain == self._chains[round_]:
            return self._last
        return self._read(round_)

    def signatures(self, round_: int) -> bytes:
        """Everybody's signature under a completed round."""
        return b"".join(frame.raw for frame in self._signed(round_, self._chains[round_]))

    def pending(self) -> Completed | None:
        """The total of the open round, if it had come already."""
        number = self.completed + 1
        return self._read(number) if self._file(number).exists() else None

    def forget_pending(self) -> None:
        """Delete a roll that not all have signed: nobody acted on it, and the next may differ."""
        self._file(self.completed + 1).unlink(missing_ok=True)

    def keep(self, digest: bytes, words: Words) -> Completed:
        """Write the open round's total, before I sign it. A different one is never written."""
        number, record = self.completed + 1, self._chained(self.completed + 1, digest, words)
        pending = self.pending()
        if pending is not None and pending.chain != record.chain:
            raise ProtocolError(
                f"Round {number} now has another total than before; nobody may act on either. "
                "Compare your ledgers."
            )
        if pending is None:
            data = words.astype("<u8", copy=False).data
            _write(self._file(number), _line(record), data)
        return record

    def agree(self, record: Completed, agreements: Sequence[Frame]) -> None:
        """All signed this total: the round is completed."""
        number = self.completed + 1
        self._check_agreed(number, record.chain, agreements)
        _write(self._agreed(number), *(frame.raw for frame in agreements))
        self._append(record)
        self._last = record

    def adopt(self, digest: bytes, words: Words, signatures: bytes) -> None:
        """A total that all signed, from a party that has it."""
        record = self._chained(self.completed + 1, digest, words)
        frames = self._agreements(self.completed + 1, record.chain, signatures)
        self.agree(self.keep(digest, words), frames)

    def _load(self, number: int) -> None:
        record = self._read(number)
        self._signed(number, record.chain)
        self._append(record)

    def _append(self, record: Completed) -> None:
        if not self._chains:
            self._secret = record.words[-SECRET:].astype("<u8", copy=False).tobytes()
        self._chains.append(record.chain)

    def _chained(self, number: int, digest: bytes, words: Words) -> Completed:
        before = self._chains[number - 1] if number else FIRST
        return completed(before, digest, words, self._secret if number else b"")

    def _signed(self, number: int, chain: bytes) -> list[Frame]:
        path = self._agreed(number)
        try:
            return self._agreements(number, chain, path.read_bytes())
        except (OSError, ProtocolError):
            raise _damaged(path) from None

    def _agreements(self, number: int, chain: bytes, data: bytes) -> list[Frame]:
        """The signatures in these bytes, one of each party, under this chain."""
        raws: list[bytes] = []
        while data:
            if len(raws) == len(self._roster):  # don't parse megabytes from a stranger
                raise ProtocolError(f"Round {number} has more signatures than parties.")
            length = START + header_length(data[:START])
            raws.append(data[:length])
            data = data[length:]
        frames = [read_frame(raw, self._session, self._roster) for raw in raws]
        self._check_agreed(number, chain, frames)
        return frames

    def _read(self, number: int) -> Completed:
        path = self._file(number)
        try:
            with open(path, "rb") as file:
                line, data = file.readline(LONGEST_LINE), file.read()
            digest = bytes.fromhex(json.loads(line)["digest"])
            words = np.frombuffer(data, "<u8").astype(np.uint64, copy=False)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            raise _damaged(path) from None
        record = self._chained(number, digest, words)
        expected = self._chains[number] if number <= self.completed else record.chain
        if line != _line(record) or record.chain != expected:
            raise _damaged(path)
        return record

    def _check_agreed(self, number: int, chain: bytes, frames: Sequence[Frame]) -> None:
        headers = [(frame.kind, frame.round, frame.party) for frame in frames]
        if headers != [("agree", number, party) for party in range(len(self._roster))]:
            raise ProtocolError(f"Round {number} lacks the signature of a party.")
        for frame in frames:
            if frame.hash_of("chain") != chain:
                raise ProtocolError(
                    f"Party {frame.party + 1} got another total in round {number} than I did: the "
                    "relay, or somebody on the way, told us different things. Nobody may act on it."
                )

    def _file(self, number: int) -> Path:
        return self._folder / f"{number:06d}.total"

    def _agreed(self, number: int) -> Path:
        return self._folder / f"{number:06d}.agreed"


def _write(path: Path, *parts: bytes | memoryview) -> None:
    try:
        write_whole(path, *parts)
    except OSError as error:
        raise CheckpointError(
            f"{path.name} can't be written ({error.strerror}); nobody acts on this total before it "
            "is. Make room and join again: the session resumes where it stopped."
        ) from None


def _damaged(path: Path) -> CheckpointError:
    return CheckpointError(
        f"{path.name} is damaged or gone: it isn't what was written there. Move the files of that "
        "number and of later ones away and join again: the other parties' copies take their place."
    )
