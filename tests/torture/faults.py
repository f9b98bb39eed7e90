"""Faults: a process kills or stops itself at a moment, perhaps between the bytes that it sends.

The protocol's own moments are those of `tests/federation/moments`. Those between bytes are here: a
link and an application that are told whom to tell of them.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from hashlib import sha256

from chatham.federation.party.http_link import HttpLink


@dataclass(frozen=True)
class Fault:
    """Who, at which moment, for the how manieth time, and what then."""

    who: str
    step: str
    nth: int
    action: str

    def armed(self):
        """What is told of moments, and does it."""
        left = self.nth

        def reached(step):
            nonlocal left
            if step == self.step:
                left -= 1
                if left == 0:
                    os.kill(
                        os.getpid(), signal.SIGKILL if self.action == "kill" else signal.SIGSTOP
                    )

        return reached


class WatchedLink(HttpLink):
    """A link that writes down each contribution, and passes moments between its bytes."""

    def __init__(self, session, log, reached):
        super().__init__(session)
        self._log, self._reached = log, reached

    def say(self, frame, body):
        if frame.kind == "sum":
            line = f"{frame.header['epoch']} {frame.round} {sha256(body).hexdigest()}\n"
            with open(self._log, "a") as file:
                file.write(line)
        return super().say(frame, body)

    def _send(self, raw, body):
        if not len(body):
            return super()._send(raw, body)
        half = len(body) // 2
        for part, step in (
            (raw + body[:1], "first byte"),
            (body[1:half], "middle byte"),
            (body[half:], "last byte"),
        ):
            self._connection.send(part)
            self._reached(step)
        return None


def watched(app, reached):
    """The relay's application with moments between the bytes that come and go."""

    async def wrapped(scope, receive, send):
        seen = {"in": 0, "out": 0}

        async def receiving():
            event = await receive()
            if event["type"] == "http.request" and event.get("body"):
                reached("relay received" if seen["in"] else "relay receiving")
                seen["in"] += 1
            return event

        async def sending(event):
            await send(event)
            if event["type"] == "http.response.body":
                reached("relay answered" if not event.get("more_body") else "relay answering")

        await app(scope, receiving, sending)

    return wrapped
