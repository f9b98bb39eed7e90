"""My side of a session: one round after another, through crashes and lost links.

A round: mask my words, send them (at once, or when it is time: see `pace`), take the group's stream
off the total, check its tag, write it to disk, sign it, and act on it only when all parties have
signed the same. Rounds that were completed before a restart are answered from my own disk; what
others completed while I was away comes from them, sealed. Whatever breaks, the same words are
masked again in a new epoch, or sent again as they were in this one. A party that makes a mistake
stops, and the others wait for it: who is who is told by what parties signed (see `mistakes`), never
by the relay. A party that refuses to take part in a round says so, and all stop (see `refusals`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np

from chatham.commons.fixed_point import Words
from chatham.commons.secure.agreement import Handshake
from chatham.commons.secure.frames import Frame, read_frame
from chatham.commons.secure.keys import Identity, derive
from chatham.commons.secure.masks import Masks
from chatham.errors import ChangedError, ChathamError, MistakenError, ProtocolError, Refused
from chatham.federation.party.epochs import END, Epochs
from chatham.federation.party.mistakes import check_alike
from chatham.federation.party.pace import Pace
from chatham.federation.party.records import Rounds
from chatham.federation.party.refusals import Refusals
from chatham.federation.party.voice import Progress, Unanswered, Voice
from chatham.federation.session import Session
from chatham.federation.wire import COUNT, NO_EPOCH, SMALL, Answer, Link
from chatham.version import version as own_version

__all__ = ["Connection", "Progress"]

FAREWELL = 600.0
"""Seconds that a party with all totals waits for the others' word that they have them too, and that
one which refuses waits for a relay that is away."""


@dataclass
class Connection:
    """One party of one session. `round` is the only thing it does."""

    session: Session
    identity: Identity
    link: Link
    folder: Path
    corpus: bytes = bytes(32)
    """A hash that stands for my documents, which must stay the same for the whole session."""
    numerics: bytes = bytes(32)
    """A hash of what decides the last bit of results here: processor, libraries."""
    tell: Callable[[Progress], None] | None = None
    version: str = field(default_factory=own_version)
    """The program's version: all parties must have the same."""
    hello_leaves: Callable[[Frame], None] | None = field(default=None, repr=False)
    """Called with each hello before it leaves."""
    _masks: Masks | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._voice = Voice(self.session, self.identity, self.link, self.tell, self._refused)
        self.index, self.parties = self._voice.index, self._voice.parties
        self.rounds = Rounds(self.folder / "rounds", self.session.hash, self.session.keys)
        self._refusals = Refusals(self.folder, self.session, self.index, self.rounds)
        self._refusals.check_others()
        self._epochs = Epochs(self._voice, self.rounds, self._greet, self._hello_leaves)
        self._pace = Pace(self.session.pace, self.folder)
        self.opened = 0
        """How many rounds' totals the program here has received."""
        self.step = ""
        """What the open round sums, in words."""

    @property
    def machines_differ(self) -> bool:
        """Whether the parties' machines may differ in the last bit; constant over a session."""
        self._reach(0, self._wait)
        return self._epochs.machines_differ

    def round(
        self,
        words: Words,
        about: bytes,
        state: bytes,
        leaving: Callable[[], None] | None = None,
    ) -> Words:
        """The sum of all parties' words. `about` is a hash of what is summed, with its shapes;
        `state` a hash of the shared state that the parties started from. `leaving` is called before
        words leave: not at all if the round was completed before."""
        number = self._voice.round = self.opened + 1
        marked = self._pace.marked(words)  # once: in one epoch it must stay the same

        def complete(masks: Masks) -> None:
            if leaving:
                leaving()
            self._complete(masks, number, marked, about, state)

        self._reach(number, complete)
        record = self.rounds.total(number)
        if record.digest != about:
            raise ProtocolError(
                f"Round {number} was about other statistics when it was completed; the session, "
                "the program or the corpus has changed since. Start a new session."
            )
        self.opened = number
        if self._masks is not None:
            self._pace.begin()
        return record.words

    def refuse(self, code: str, leaving: Callable[[Frame], None] | None = None) -> bool:
        """Say to all, with a word of `CODES`, that I take no part in the next round. They stop, and
        so must who calls this. `leaving` is called with what is said before it leaves. Whether the
        relay has it.

        What was said before is said once more, in case the relay has lost it; nobody waits for it.
        """
        if self.rounds.completed != self.opened:  # I took part in it before
            return False
        if self._refusals.mine is not None:
            with suppress(ChathamError):
                self.link.say(self._refusals.mine, b"")
            return True
        epoch = NO_EPOCH if self._masks is None else self._masks.epoch
        number = self._voice.round = self.opened + 1
        frame = self._voice.frame("refuse", epoch, number, chain=self.rounds.chain, code=code)
        if leaving:
            leaving(frame)
        self._refusals.say(frame)
        self._voice.until = time.monotonic() + FAREWELL
        with suppress(Unanswered, ChathamError):  # the reason is said here in any case
            self._voice.ask(frame, b"", "telling the others that this party refuses")
            self._refusals.keep(frame)
            return True
        return False

    def finish(self) -> None:
        """Wait until all parties have all totals: one that leaves earlier can't help the others.

        Every sum has everybody's signature by now, the last one included: each party has all of
        them on its disk, and only says so here. So somebody who never gets this answer, from a
        relay that withholds it or a party that is gone for good, leaves after a while. And nobody
        can refuse any more: there is no sum left to take part in.
        """
        nothing, self.step = np.empty(0, np.uint64), ""
        number = self._voice.round = self.opened + 1
        self._voice.until = time.monotonic() + FAREWELL
        self._refusals.over = True
        with suppress(Unanswered):
            self._reach(number, lambda masks: self._epochs.agree(masks.epoch, END, nothing))

    def _refused(self, refusals: Sequence[Frame]) -> None:
        self._refusals.hear(refusals, self.step)

    def _hello_leaves(self, hello: Frame) -> None:
        if self.hello_leaves:
            self.hello_leaves(hello)

    def _greet(self) -> Handshake:
        secret = self.identity.derive(b"corpus" + self.session.hash)
        commitment = derive(self.corpus, secret, b"chatham corpus")
        me = self.identity, self.session.hash, self.index, self.parties
        records = self.rounds.completed + 1
        return Handshake(*me, commitment, self.numerics, self.version, records)

    def _reach(self, number: int, complete: Callable[[Masks], None]) -> None:
        """Begin epochs and call `complete` until the round is completed."""
        while self.rounds.completed < number:
            self._refusals.check(number)
            try:
                self._advance(complete)
            except Refused as refusal:
                self._renew(refusal)

    def _advance(self, complete: Callable[[Masks], None]) -> None:
        try:
            if self._masks is None:
                self._masks = self._epochs.begin()
                self._pace.begin()
            else:
                complete(self._masks)
        except MistakenError as mistake:
            self._masks = None
            self._epochs.sit_out(mistake)

    def _renew(self, refusal: Refused) -> None:
        """An epoch is over, or (stale) this party is so far behind that it restarts."""
        if refusal.why not in ("epoch", "stale"):
            raise refusal
        if refusal.why == "stale":
            self._epochs.restart()
        self._masks = None

    def _wait(self, masks: Masks) -> None:
        """Nothing to do: the roll is called when an epoch begins."""

    def _complete(
        self, masks: Masks, number: int, words: Words, about: bytes, state: bytes
    ) -> None:
        # Under the group's keys: an observer can't guess what the round is about and check it.
        digest = derive(masks.key_for(b"round"), self.rounds.chain, about)
        sealed = derive(masks.key_for(b"state"), self.rounds.chain, state)
        bound = sha256(b"chatham masks" + digest + sealed).digest()
        covered = masks.cover(words, number, bound)
        message = covered.astype("<u8", copy=False).data.cast("B")
        frame = self._voice.frame(
            "sum", masks.epoch, number, body=message, digest=digest, state=sealed
        )
        self._pace.wait()
        answer = self._contribute(frame, message)
        if len(answer.total) != len(message):
            raise ProtocolError("The relay's total doesn't have the length of my contribution.")
        masked = np.frombuffer(answer.total, "<u8").astype(np.uint64, copy=False)
        del covered, message
        try:
            self._check_sum(answer, masks, number, digest, sealed)
            total = self._pace.unmarked(masks.uncover(masked, number, bound), number)
        except (ProtocolError, ChangedError):
            for signed in answer.messages:  # who is to blame: a party, or the relay in its name?
                read_frame(signed.frame.raw, self.session.hash, self.session.keys)
            raise
        self._epochs.agree(masks.epoch, about, total)

    def _contribute(self, frame: Frame, message: memoryview) -> Answer:
        """Send my words, and get everybody's sum. If another party's statistics are others than
        mine, I can't know which are right."""
        step = self._pace.in_words("adding up")
        try:
            self._announce(frame, len(message), step)
            return self._voice.ask(frame, message, step)
        except Refused as refusal:
            if refusal.why != "statistics":
                raise
            raise MistakenError(
                (),
                "The parties aren't summing the same statistics: somebody runs another program, or "
                "on other words; see that all run the same, and join again where it was another.",
            ) from None

    def _announce(self, frame: Frame, size: int, step: str) -> None:
        """If words are many, all first say how many: the relay reads none before."""
        if size > SMALL:
            count = size.to_bytes(COUNT, "big")
            epoch, digest = frame.hash_of("epoch"), frame.hash_of("digest")
            announced = self._voice.frame("announce", epoch, frame.round, count, digest=digest)
            self._voice.ask(announced, count, step)

    def _check_sum(
        self, answer: Answer, masks: Masks, number: int, digest: bytes, state: bytes
    ) -> None:
        """Check that it is this round's total, with one contribution about the same from each.

        The total's tag proves as much, since masks that are bound to other statistics or another
        state don't cancel; so signatures matter here only if something is wrong.
        """
        frames = [message.frame for message in answer.messages]
        headers = [(frame.kind, frame.party, frame.round) for frame in frames]
        if headers != [("sum", party, number) for party in range(self.parties)]:
            raise ProtocolError("The relay's total isn't of one contribution from each party.")
        for frame, member in zip(frames, self.session.parties, strict=True):
            if frame.hash_of("epoch") != masks.epoch or frame.hash_of("digest") != digest:
                raise ProtocolError(f"{member.name} is summing other statistics than I am.")
        check_alike(
            {frame.party: frame.hash_of("state") for frame in frames} | {self.index: state},
            self.index,
            self.parties,
            kind="state",
            to_me="This party started the round from another state than most others: its machine "
            "differs in more than it reports. Use the same versions of everything as the others, "
            "and join again.",
            to_others="Not all started this round from the same state: machines differ in more "
            "than they report; use the same versions of everything.",
        )
