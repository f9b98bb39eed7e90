"""A party's voice: signed messages, sent until they are answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chatham.commons.secure.frames import Frame, make_frame
from chatham.commons.secure.keys import Identity
from chatham.errors import LinkError, MistakenError, Refused
from chatham.federation.session import Session
from chatham.federation.wire import Answer, Link

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0
"""Seconds between two questions, ever more, to a relay that is away or has no answer. An honest one
holds a question for as long, and is asked again without a pause."""


JOINING = "joining"
"""The work begins once all have joined."""
AWAY = "away"
"""The relay can't be reached just now."""
MISTAKEN = "mistaken"
"""A party made a mistake, which `step` tells; the work goes on when it has come back."""


@dataclass
class Progress:
    """Where a party is: what `tell` is called with."""

    round: int
    step: str
    waiting: Sequence[str] = ()
    kind: str = ""
    """JOINING, AWAY, MISTAKEN, or nothing in particular."""


class Unanswered(Exception):  # noqa: N818  it is what happened
    """There was no answer in the time that was given for it."""


class Voice:
    """Sends messages to the other parties of a session through its relay.

    `refused` is called with the refusals to take part that the relay shows instead of an answer: it
    raises an error, or returns if none of them counts, and then the answer is still waited for.
    """

    def __init__(
        self,
        session: Session,
        identity: Identity,
        link: Link,
        tell: Callable[[Progress], None] | None = None,
        refused: Callable[[Sequence[Frame]], None] | None = None,
    ) -> None:
        self.session, self.identity = session, identity
        self.index = session.index_of(identity.public)
        self.parties = len(session.parties)
        self.round = 1
        """The round that progress is about."""
        self.until: float | None = None
        """When to give up waiting (`time.monotonic`); there is no such time for a sum."""
        self._link, self._tell, self._refused = link, tell, refused

    def frame(
        self,
        kind: str,
        epoch: bytes,
        round_: int,
        body: bytes | memoryview = b"",
        **more: bytes | str,
    ) -> Frame:
        """A message of mine, signed."""
        return make_frame(
            self.identity,
            kind,
            session=self.session.hash,
            party=self.index,
            epoch=epoch,
            round_=round_,
            body=body,
            **more,
        )

    def ask(
        self,
        frame: Frame,
        body: bytes | memoryview,
        step: str,
        meanwhile: Callable[[], None] | None = None,
        mistake: MistakenError | None = None,
    ) -> Answer:
        """Send a message, and ask until its answer is there. Refused says why there will be none.

        Whenever there is none yet, `meanwhile` checks whether it is still needed. A `mistake` says
        for whom it waits, which the relay can't know.
        """
        kind = MISTAKEN if mistake else JOINING if frame.kind == "hello" else ""
        mistaken = self.names(mistake.parties) if mistake else ()
        self._progress(step, mistaken, kind)
        message, pause = frame, FIRST_PAUSE
        while True:
            asked = time.monotonic()
            if self.until is not None and asked >= self.until:
                raise Unanswered
            try:
                answer = self._link.say(message, body if message is frame else b"")
            except (LinkError, Refused) as error:
                if isinstance(error, Refused) and error.why != "again":
                    raise
                self._progress(step, ["the relay"], AWAY)
                message = frame
            else:
                if answer is not None and self._is_answer(frame, answer):
                    return answer
                waiting = mistaken if mistake else self.names(self._link.waiting_for())
                if waiting or mistake:
                    self._progress(step, waiting, kind)
                else:
                    self._progress(step, ["the relay"], "")
                if meanwhile:
                    meanwhile()
                message = self._shorter(frame)
            time.sleep(max(asked + pause - time.monotonic(), 0.0))
            pause = min(2 * pause, LONGEST_PAUSE)

    def _is_answer(self, asked: Frame, answer: Answer) -> bool:
        """Whether it is an answer, and not a refusal that doesn't count; one that does is raised"""
        refusals = [m.frame for m in answer.messages if m.frame.kind == "refuse"]
        if refusals and asked.kind != "refuse":
            if self._refused:
                self._refused(refusals)
            return False
        return True

    def names(self, parties: Sequence[int]) -> list[str]:
        """What these parties are called."""
        return [self.session.parties[party].name for party in parties]

    def _shorter(self, frame: Frame) -> Frame:
        """A long message that was accepted needn't be sent again to ask for its answer."""
        if frame.kind != "sum":
            return frame
        return self.frame("ask", frame.hash_of("epoch"), frame.round, about="sum")

    def _progress(self, step: str, waiting: Sequence[str], kind: str) -> None:
        if self._tell:
            self._tell(Progress(self.round, step, waiting, kind))
