"""A party's epochs: keys with the others, the roll, and whatever was missed in the meantime.

1. A total that came before I was stopped, and that all have signed since, is mine at once.
2. Hello (all have the same version, or wait here), shares, confirm (see `agreement`): new keys; and
   every party says how many records it has.
3. The party with the most records sends those that others lack, sealed, with all signatures.
4. The *roll* is record 0: a hash for each party's documents, from the first epoch's hellos, one for
   its kind of machine, from the confirms, and the version that all have, signed by all. At its end
   is a secret of the group, for the chain of records (see `records`).

A party that returns with other documents or another version than the roll has is refused at home:
before it says a word or, if its folder is lost, as soon as it has the roll from the others. They
wait for it to come back (`sit_out`), as for any party whose own signed words are wrong.

A new hello from any party ends the epoch, wherever the others are: the relay says so to every party
that waits for something, all begin here again, and nobody waits for what nobody will send. If the
epoch is the same again, the relay has forgotten it or lies: whoever has confirmed its keys in it
takes new ones, and takes its time; a relay that lies again and again can only stop the work.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256

import numpy as np

from chatham.commons.fixed_point import Words
from chatham.commons.secure.agreement import Handshake, Message, epoch_of, machines_of
from chatham.commons.secure.frames import Frame
from chatham.commons.secure.masks import Masks
from chatham.commons.secure.sealing import seal_total, unseal_total
from chatham.errors import ChangedError, MistakenError, ProtocolError, Refused
from chatham.federation.party.mistakes import check_alike
from chatham.federation.party.records import Rounds
from chatham.federation.party.voice import FIRST_PAUSE, LONGEST_PAUSE, Voice
from chatham.federation.wire import NO_EPOCH

ROLL = sha256(b"chatham roll").digest()
"""What record 0 is about."""
END = sha256(b"chatham end").digest()
"""What the last record is about, which is empty: all have what came before it."""
HASH, COUNT = 32, 8
VERSION = 2 * HASH
"""Bytes of the roll for a version, which are more than a hello's may have."""


class _Finished(Exception):  # noqa: N818  it is good news
    """The total that was pending is signed by all."""


class Epochs:
    """Begins epochs, and agrees on totals in them."""

    def __init__(
        self,
        voice: Voice,
        rounds: Rounds,
        greet: Callable[[], Handshake],
        leaving: Callable[[Frame], None],
    ) -> None:
        self._voice, self._rounds, self._greet = voice, rounds, greet
        self._leaving = leaving
        """Called with each hello before it leaves."""
        self._handshake = greet()
        self._epoch = NO_EPOCH
        """The last epoch that I saw begin."""
        self._fruitless = 0
        """How often I began again for nothing since the last total."""
        self._like_me = 0
        """How many parties have the same records as I have, with me."""
        self._refuse_changes()

    @property
    def machines_differ(self) -> bool:
        """Whether the roll has machines that may differ in the last bit."""
        return len(set(_machines(self._rounds.total(0).words, self._voice.parties))) > 1

    def begin(self) -> Masks | None:
        """The masks of a new epoch; None if only a signature was missing and is there now."""
        try:
            self._finish_pending()
            return self._begin(self._handshake)
        except _Finished:
            return None

    def _begin(self, hand: Handshake) -> Masks:
        self._leaving(hand.hello.frame)
        hellos = self._exchange(hand.hello, "waiting for all to join")
        self._check_begun(hand, epoch_of(self._voice.session.hash, [m.frame for m in hellos]))
        epoch = hand.epoch_of(hellos)
        self._check_versions(hellos)
        shares = self._exchange(hand.shares(epoch, hellos), "exchanging keys")
        masks = hand.masks(epoch, hellos, shares)
        records, chain = self._rounds.completed + 1, self._rounds.chain
        confirms = self._exchange(hand.confirm(masks, shares, records, chain), "confirming keys")
        hand.check_confirmed(masks, shares, confirms)
        self._check_past(confirms)
        self._catch_up(masks, confirms, 0, 1)
        self._call_roll(masks, hellos, machines_of(masks, confirms))
        self._check_roll(hellos)
        self._catch_up(masks, confirms, 1, max(m.frame.round for m in confirms))
        self._check_caught_up(confirms)
        return masks

    def _check_begun(self, hand: Handshake, epoch: bytes) -> None:
        """An epoch in which I confirmed my keys isn't begun again: new keys, so another epoch."""
        is_same, self._epoch = epoch == self._epoch, epoch
        if hand.has_confirmed(epoch):
            self.restart()
            raise Refused("epoch", "The relay says that an epoch is over, and it isn't.")
        if is_same:
            self._pause()

    def _check_versions(self, hellos: Sequence[Message]) -> None:
        """Another version may compute something else: it learns only which version I have.

        Before the roll nobody can know which is right, so all wait. Afterwards a hello says that
        there is one, and whoever has no roll and another version knows that it must change."""
        mine = self._handshake.hello.frame
        versions = [hello.frame.header["version"] for hello in hellos]
        others = [i for i, version in enumerate(versions) if version != mine.header["version"]]
        if not others:
            return
        begun = Counter(versions[i] for i in others if hellos[i].frame.round > 0)
        for version, count in begun.most_common(1):  # one party may be wrong, or lie
            if self._rounds.completed < 0 and 2 * count > self._voice.parties:
                raise _another_version(version, mine.header["version"])
        if self._rounds.completed >= 0 and mine.round == 0:
            self.restart()
            raise Refused("epoch", "My hello doesn't say yet that the session has begun.")
        have = [
            f"{name} has {versions[i]}"
            for i, name in zip(others, self._voice.names(others), strict=True)
        ]
        raise MistakenError(
            others,
            f"{', '.join(have)}, and I have Chatham {mine.header['version']}; install the same "
            "version everywhere, and join again where it was changed.",
        )

    def _exchange(self, message: Message, step: str) -> Sequence[Message]:
        """Everybody's message of a kind. A party that waits here for one that has finished and left
        needs no epoch: that one signed before it left."""
        answer = self._voice.ask(message.frame, message.body, step, self._finish_pending)
        return answer.messages

    def restart(self) -> None:
        """As if this process had just started: new keys, a new epoch for all."""
        self._pause()
        self._handshake = self._greet()

    def _pause(self) -> None:
        """Ever longer between two tries that bring nothing."""
        time.sleep(min(FIRST_PAUSE * 2**self._fruitless, LONGEST_PAUSE))
        self._fruitless = min(self._fruitless + 1, 10)

    def sit_out(self, mistake: MistakenError) -> None:
        """Wait until a new hello ends the epoch: that of a party which has corrected its mistake,
        or of any other. The relay then refuses the question, which has no other answer."""
        frame = self._voice.frame("ask", self._epoch, 0, about="hello")
        try:
            self._voice.ask(frame, b"", str(mistake), self._finish_pending, mistake)
        except _Finished:
            return

    def agree(self, epoch: bytes, about: bytes, total: Words) -> None:
        """Write a total, sign it, and wait until all have."""
        record = self._rounds.keep(about, total)
        frame = self._voice.frame("agree", epoch, self._rounds.completed + 1, chain=record.chain)
        step = "making sure that all have every total" if about == END else "comparing totals"
        answer = self._voice.ask(frame, b"", step)
        self._rounds.agree(record, [message.frame for message in answer.messages])
        self._fruitless = 0

    def _finish_pending(self) -> None:
        """A total that came before I was stopped may lack only my signature. (The roll is called
        again, or comes from a party that has it: none has finished before the first round.)"""
        record = self._rounds.pending()
        if record is None or self._rounds.completed < 0:
            return
        try:
            self.agree(NO_EPOCH, record.digest, record.words)
        except Refused as refusal:
            if refusal.why != "waiting":
                raise
        else:
            raise _Finished

    def _call_roll(
        self, masks: Masks, hellos: Sequence[Message], machines: Sequence[bytes]
    ) -> None:
        if self._rounds.completed < 0:
            self._rounds.forget_pending()
            self.agree(masks.epoch, ROLL, _roll(hellos, machines, masks.key_for(b"chain")))

    def _refuse_changes(self) -> None:
        """A party that isn't as the roll has it stops here."""
        if self._rounds.completed < 0:
            return
        roll, hello = self._rounds.total(0).words, self._handshake.hello.frame
        if _version(roll, self._voice.parties) != hello.header["version"]:
            raise _another_version(_version(roll, self._voice.parties), hello.header["version"])
        if _corpora(roll, self._voice.parties)[self._voice.index] != hello.hash_of("corpus"):
            raise ChangedError(
                "These aren't the documents with which this party joined the session: two totals "
                "that differ by them could be subtracted, so no sum was sent. Join with the same "
                "documents, read in the same way; the others wait. If those were the wrong ones, "
                "tell the others: all need a new session.",
                kind="corpus",
            )

    def _check_roll(self, hellos: Sequence[Message]) -> None:
        """Whoever differs from the roll has stopped; the others wait until it comes back."""
        self._refuse_changes()
        pinned = _corpora(self._rounds.total(0).words, self._voice.parties)
        changed = [i for i, m in enumerate(hellos) if m.frame.hash_of("corpus") != pinned[i]]
        if changed:
            raise MistakenError(
                changed,
                f"{', '.join(self._voice.names(changed))} came with other documents than before "
                "and was refused; the work goes on when the same documents are back.",
            )

    def _check_past(self, confirms: Sequence[Message]) -> None:
        """Those who have the most records must have the same."""
        progress = [(m.frame.round, m.frame.header["chain"]) for m in confirms]
        self._like_me = progress.count(progress[self._voice.index])
        most = max(progress)[0]
        ends = {i: chain for i, (number, chain) in enumerate(progress) if number == most}
        check_alike(
            ends,
            self._voice.index,
            self._voice.parties,
            kind="records",
            to_me="This party's folder holds other totals of this session than most parties have. "
            "Move its rounds away and join again: the other parties' copies take their place.",
            to_others="The parties don't have the same totals so far; compare your ledgers.",
        )

    def _check_caught_up(self, confirms: Sequence[Message]) -> None:
        ahead = max(confirms, key=lambda message: message.frame.round).frame
        if ahead.round and ahead.hash_of("chain") != self._rounds.chain:
            raise _unlike_mine(ahead.party)

    def _catch_up(self, masks: Masks, confirms: Sequence[Message], first: int, last: int) -> None:
        """The party that is ahead sends the totals that others lack, sealed for the group."""
        records = [message.frame.round for message in confirms]
        ahead = records.index(max(records))
        for number in range(max(first, min(records)), min(last, max(records))):
            if self._voice.index == ahead:
                self._hand_over(masks, number)
            elif self._rounds.completed < number:
                self._receive(masks, number, ahead)

    def _hand_over(self, masks: Masks, number: int) -> None:
        record = self._rounds.total(number)
        words = record.words.astype("<u8", copy=False).tobytes()
        plain = record.digest + len(words).to_bytes(COUNT, "big") + words
        body = seal_total(masks, number, plain + self._rounds.signatures(number))
        frame = self._voice.frame("totals", masks.epoch, number, body=body)
        self._voice.ask(frame, body, "helping others to catch up")

    def _receive(self, masks: Masks, number: int, sender: int) -> None:
        frame = self._voice.frame("ask", masks.epoch, number, about="totals")
        messages = self._voice.ask(frame, b"", "catching up").messages
        headers = [
            (m.frame.kind, m.frame.hash_of("epoch"), m.frame.round, m.frame.party) for m in messages
        ]
        if headers != [("totals", masks.epoch, number, sender)]:
            raise ProtocolError("The relay doesn't return the total that was asked for.")
        digest, words, signatures = _opened(masks, messages[0])
        if self._rounds.completed < 0:
            self._rounds.forget_pending()  # a roll that was called again without me
        try:
            self._rounds.adopt(digest, words, signatures)
        except ProtocolError:
            if 2 * self._like_me > self._voice.parties:
                raise _unlike_mine(sender) from None
            raise


def _opened(masks: Masks, message: Message) -> tuple[bytes, Words, bytes]:
    """What a record is about, its words and the signatures under it, as its sender sealed them.

    A body that isn't the signed one is the relay's doing; if it is, the sender's mistake.
    """
    frame, body = message.frame, bytes(message.body)
    frame.check_body(body)
    try:
        plain = unseal_total(masks, frame.party, frame.round, body)
    except ProtocolError:
        raise _unreadable(frame.party) from None
    start = HASH + COUNT
    length = int.from_bytes(plain[HASH:start], "big")
    if len(plain) < start or length % 8 or start + length > len(plain):
        raise _unreadable(frame.party)
    words = np.frombuffer(plain[start : start + length], "<u8").astype(np.uint64, copy=False)
    return plain[:HASH], words, plain[start + length :]


def _roll(hellos: Sequence[Message], machines: Sequence[bytes], secret: bytes) -> Words:
    """Everybody's documents, then everybody's machine, as hashes; the version; and the group's
    secret."""
    corpora = [message.frame.hash_of("corpus") for message in hellos]
    version = hellos[0].frame.header["version"].encode().ljust(VERSION, b"\0")
    parts = [*corpora, *machines, version, secret]
    return np.frombuffer(b"".join(parts), "<u8").astype(np.uint64)


def _rows(roll: Words) -> list[bytes]:
    return [row.tobytes() for row in roll.astype("<u8", copy=False).reshape(-1, HASH // 8)]


def _corpora(roll: Words, parties: int) -> list[bytes]:
    return _rows(roll)[:parties]


def _machines(roll: Words, parties: int) -> list[bytes]:
    return _rows(roll)[parties : 2 * parties]


def _version(roll: Words, parties: int) -> str:
    """The version that the session began with; until 0.3.0 a roll had none."""
    return (
        b"".join(_rows(roll)[2 * parties : -1]).rstrip(b"\0").decode("ascii", "replace")
        or "0.3.0 or older"
    )


def _another_version(began: str, mine: str) -> ChangedError:
    return ChangedError(
        f"This session began with Chatham {began}, and this is {mine}, which may compute something "
        f"else; nothing was summed. Install Chatham {began} here and join again; the others wait.",
        kind="version",
    )


def _unreadable(party: int) -> MistakenError:
    return MistakenError(
        [party],
        "The total that it hands over can't be opened; join again there, with the same version of "
        "everything.",
    )


def _unlike_mine(party: int) -> MistakenError:
    return MistakenError(
        [party], "What it hands over doesn't continue my records; compare your ledgers."
    )
