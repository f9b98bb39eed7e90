"""A party that refuses to take part in a round, and what the others make of it.

Steps run where the documents are, and may refuse there: anchor words do where their sums would say
too much about the documents of one party. Then nobody can go on, and that party says so in place of
its contribution: a signed message with one word of a short list, and nothing about its documents.
All stop with an error that names it. That it refuses is one bit that the others and the relay
learn, and with which word about another.

**A refusal is final**: documents and program are the same for the whole session, so the party would
refuse again. It is bound to the session, to the round, and to the hash of all totals before it, but
to no epoch, which ends whenever anybody starts again: the relay keeps a refusal and shows it to all
who wait for anything, also to one that was away. What counts is the signature, never the relay's
word. It is ignored if the round is completed here, since then its party did take part, or if the
totals before it are others than mine: it was said in another past. Each party keeps the first that
counts in its folder; when it starts again it says the same, and waits for nobody.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from chatham.commons.secure.frames import CODES, Frame, read_frame
from chatham.errors import CheckpointError, HolderError, InputError, ProtocolError, RefusalError
from chatham.federation.files import write_whole
from chatham.federation.party.records import Rounds
from chatham.federation.session import Session

NAME = "refusal.json"
WHY = {
    "sparse": "because so many numbers would say too much about its documents. Make a new session "
    "with fewer topics, or one to which it brings more or longer documents.",
    "roster": "because some of its documents have taken part in a session of other parties since "
    "all were asked, and totals of the two can be subtracted. If all accept that, make a new "
    "session with 'chatham session --roster-changed-know'.",
    "refused": "for a reason that only its own error message says. Ask there, and make a new "
    "session in which it can take part.",
}
"""What follows from each word."""


def code_of(error: HolderError | InputError) -> str | None:
    """What to say of an error at home; None if it is no refusal.

    A failure of the machine, say, may be over when the party starts again. And a measure without a
    value has none for what all parties know: they all leave it out.
    """
    from chatham.measures.measure import UndefinedError

    cause = error.__cause__ if isinstance(error, HolderError) else error
    if not isinstance(cause, InputError) or isinstance(cause, UndefinedError):
        return None
    return cause.kind if cause.kind in CODES else CODES[-1]


class Refusals:
    """What a party has refused in a session, or heard of others' refusing."""

    def __init__(self, folder: Path, session: Session, index: int, rounds: Rounds) -> None:
        self._path, self._session = folder / NAME, session
        self._index, self._rounds = index, rounds
        self._kept: tuple[Frame, str] | None = self._read()
        self.over = False
        """Whether the program is at its end: a refusal would take a model away that all have."""

    @property
    def mine(self) -> Frame | None:
        """What I said myself."""
        frame, _ = self._kept or (None, "")
        return frame if frame is not None and frame.party == self._index else None

    def check_others(self) -> None:
        """Stop at once where another party's refusal was heard before."""
        if self._kept is not None and self.mine is None:
            raise self._error(*self._kept)

    def check(self, number: int) -> None:
        """Stop if there will be no such round."""
        if self._kept is not None and self._kept[0].round <= number:
            raise self._error(*self._kept)

    def hear(self, frames: Sequence[Frame], step: str) -> None:
        """Stop if one of these counts. `step` is what the open round sums, in words, if known."""
        for frame in frames if not self.over else ():
            if self._counts(frame):
                kept = frame, step if frame.round == self._rounds.completed + 1 else ""
                self.keep(*kept)
                raise self._error(*kept)

    def say(self, frame: Frame) -> None:
        """I am about to say this: from now on I take no part."""
        self._kept = frame, ""

    def keep(self, frame: Frame, step: str = "") -> None:
        """Write what the relay has, to say the same after a restart."""
        self._kept = frame, step
        try:
            write_whole(self._path, json.dumps({"frame": frame.raw.hex(), "step": step}).encode())
        except OSError as error:
            raise CheckpointError(
                f"{NAME} can't be written ({error.strerror}): {self._error(frame, step)}"
            ) from None

    def _counts(self, frame: Frame) -> bool:
        """Whether its party signed it, for a round that is still to come after the same past."""
        try:
            read_frame(frame.raw, self._session.hash, self._session.keys)
        except ProtocolError:
            return False
        ahead = frame.round - self._rounds.completed
        if ahead <= 0:
            return False
        pending = self._rounds.pending()
        if ahead == 1:
            return frame.hash_of("chain") == self._rounds.chain
        if ahead == 2 and pending is not None:
            return frame.hash_of("chain") == pending.chain
        return True  # I lack the totals before it, and who refused has left

    def _error(self, frame: Frame, step: str) -> RefusalError:
        code, name = frame.header["code"], self._session.parties[frame.party].name
        summed = f" ({step.removesuffix('.')})" if step else ""
        if frame.party == self._index:
            said = (
                f"This party refused to take part in round {frame.round} of this session{summed} "
                "and told the others so: they have stopped. Make a new session."
            )
        else:
            said = (
                f"{name} refused to take part in round {frame.round} of this session{summed}, "
                f"{WHY[code]} Nothing of this round can be read by anybody."
            )
        return RefusalError(frame.party, frame.round, said, kind=code)

    def _read(self) -> tuple[Frame, str] | None:
        if not self._path.exists():
            return None
        try:
            kept = json.loads(self._path.read_bytes())
            raw, step = bytes.fromhex(kept["frame"]), str(kept["step"])
            frame = read_frame(raw, self._session.hash, self._session.keys)
        except (OSError, ValueError, KeyError, TypeError, RecursionError, ProtocolError):
            frame = None
        if frame is None or frame.kind != "refuse":
            raise CheckpointError(
                f"{NAME} is damaged, or of another session; move it away and join again: who "
                "refused says so again."
            )
        return frame, step
