"""The normalised secure sum: every party learns s/‖s‖ and nothing else, ‖s‖ least of all.

It is NormedSecureSum of the thesis (Figure 2.3), by MPyC. It needs at least three parties and
protects against fewer than half of them: half or more who collude can see every other party's
numbers. A masked sum (`commons.sum`) protects against all but one, and reveals ‖s‖. It needs
**direct links**, from every party to every other one, under TLS with the addresses and certificates
that the session names; a relay can't help here.

Each entry of the result is off by at most M·2⁻³⁷, plus M·2^−(f+1)/‖s‖ for f fraction bits of the
contributions. Contributions are refused as they are in a masked sum.
"""

from __future__ import annotations

import asyncio
import threading
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons.fixed_point import USUAL_BITS, encode
from chatham.errors import ChathamError, InputError, LinkError, ProtocolError, SessionError
from chatham.federation.normed.links import Links
from chatham.federation.normed.protocol import OUTPUT, Computation, Plan
from chatham.federation.normed.runtime import PRIME, Engine
from chatham.federation.session import Session
from chatham.federation.tls import Credentials, check_direct
from chatham.wording import say

LEAST_PARTIES = 3
MOST_NUMBERS = 2**20
LIMIT = 60.0
"""Seconds to wait for links, and again for a sum."""
_ELEMENT = (PRIME.bit_length() + 7) // 8


class NormedLinks:
    """Links with all other parties, for any number of normed sums, one after another.

    `index` is my index in the roster and `key_file` holds the private key of the certificate that
    the session names for me. `listen` is the address of this machine to listen on, if not on all.
    Links are opened at the first sum, and again after one that failed. A process can have one of
    these open at a time.
    """

    def __init__(
        self,
        session: Session,
        index: int,
        key_file: str | Path,
        *,
        limit: float = LIMIT,
        listen: str | None = None,
    ) -> None:
        check_session(session)
        self.session, self.index, self.limit = session, index, limit
        self._listen = listen
        self._credentials = Credentials(session.parties[index], Path(key_file))
        self._thread = ThreadPoolExecutor(1, "chatham normed sum")
        # Started now: interrupted while it starts one, a pool forgets it and starts another beside
        # it, and two threads would run one loop.
        self._thread.submit(int).result()
        self._loop: AbstractEventLoop | None = None
        self._links: Links | None = None
        self._engine: Engine | None = None
        self._busy = threading.Lock()

    def normed_sum(
        self,
        part: NDArray[Any],
        bits: int = USUAL_BITS,
        about: bytes = b"",
        leaving: Callable[[], None] | None = None,
    ) -> NDArray[np.float64]:
        """s/‖s‖₂ for the sum s of all parties' contributions, in `part`'s shape; zeros for s = 0.

        `part` is my contribution, of which `bits` fraction bits are kept. `about` must be the same
        at all parties: they compare it before anything leaves. Then `leaving` is called: if it
        raises, nothing does.
        """
        part = np.asarray(part)
        if not 1 <= part.size <= MOST_NUMBERS:
            raise InputError(
                f"A normed sum takes 1 to {MOST_NUMBERS} numbers; got an array of {part.size}."
            )
        words = encode(part, bits, len(self.session.parties))
        mine = words.view(np.int64).ravel().tolist()
        subject = sha256(repr((part.shape, bits, about)).encode()).digest()
        with self._busy:
            try:
                work = self._sum(mine, subject, leaving or _ignored)
                units = self._thread.submit(self._run, work).result()
            except KeyboardInterrupt:  # a user who stops me needn't wait for the others
                self._stop()
                raise
        return _as_direction(units).reshape(part.shape)

    def close(self) -> None:
        """Close the links; a later sum would open them again."""
        with self._busy:
            self._thread.submit(self._leave, finished=True).result()

    def __enter__(self) -> NormedLinks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _stop(self) -> None:
        loop, links = self._loop, self._links
        if loop is not None and links is not None:
            with suppress(RuntimeError):  # the loop has just ended by itself
                loop.call_soon_threadsafe(links.lose, LinkError("The normed sum was stopped."))

    # -- in the thread of the event loop

    def _run(self, work: Coroutine[Any, Any, list[int]]) -> list[int]:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        try:
            return self._loop.run_until_complete(work)
        except ChathamError:
            self._leave()
            raise
        except Exception as error:
            # MPyC stops the loop when a message has the wrong length.
            work.close()
            self._leave()
            raise _broke_off(type(error).__name__) from None

    async def _sum(self, mine: list[int], subject: bytes, leaving: Callable[[], None]) -> list[int]:
        links, engine = await self._linked()
        plan = Plan(len(self.session.parties), len(mine))
        links.begin(_ELEMENT * plan.numbers)
        computation = Computation(engine, plan)
        work = asyncio.ensure_future(self._computed(links, computation, mine, subject, leaving))
        ends: list[Future[Any]] = [work, links.lost]
        done, _ = await asyncio.wait(ends, timeout=self.limit, return_when=asyncio.FIRST_COMPLETED)
        if work in done:
            return work.result()
        work.cancel()
        if links.lost in done:
            links.lost.result()
        raise LinkError(
            f"The normed sum wasn't done within {self.limit:g} seconds: a party is silent, or the "
            "links are too slow for this many numbers; raise the limit or try again."
        )

    async def _linked(self) -> tuple[Links, Engine]:
        for _ in range(3):  # so that the loop notices a link lost since the last sum
            await asyncio.sleep(0)
        if self._links is not None and not self._links.usable:
            self._hang_up(None)
        if self._links is None or self._engine is None:
            self._links = Links(self.session, self.index, self._credentials)
            self._engine = Engine(self.index, len(self.session.parties))
            asyncio.get_running_loop().set_exception_handler(self._unhandled)
            await self._links.open(self._listen, self.limit)
            for peer, wire in self._links.wires.items():
                self._engine.runtime.parties[peer].protocol = wire
        return self._links, self._engine

    async def _computed(
        self,
        links: Links,
        computation: Computation,
        mine: list[int],
        subject: bytes,
        leaving: Callable[[], None],
    ) -> list[int]:
        await self._compare(links, subject)
        leaving()
        return await computation.direction(mine)

    async def _compare(self, links: Links, subject: bytes) -> None:
        """Before a number leaves: are all parties summing the same statistics?"""
        label = -links.sums
        for wire in links.wires.values():
            wire.send(label, subject)
        await asyncio.gather(
            *(self._same(peer, wire.receive(label), subject) for peer, wire in links.wires.items())
        )

    async def _same(self, peer: int, message: bytes | Future[bytes], subject: bytes) -> None:
        if (message if isinstance(message, bytes) else await message) != subject:
            name = self.session.parties[peer].name
            raise ProtocolError(f"{name} is summing other statistics than I am; nothing was sent.")

    def _unhandled(self, loop: AbstractEventLoop, context: dict[str, Any]) -> None:
        """An error within MPyC ends the sum, which would otherwise wait for ever."""
        kind = type(context.get("exception")).__name__
        if self._links is not None:
            self._links.lose(_broke_off(kind))

    def _hang_up(self, finished: int | None) -> None:
        if self._links is not None:
            self._links.close(finished)
        if self._engine is not None:
            self._engine.close()
        self._links = self._engine = None

    def _leave(self, finished: bool = False) -> None:
        """Close the links, and end whatever MPyC left waiting."""
        self._hang_up(self._links.sums if self._links is not None and finished else None)
        if self._loop is None:
            return
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.run_until_complete(asyncio.sleep(0.01))  # for TLS to say goodbye
        self._loop.close()
        self._loop = None


def _ignored() -> None:
    """Nobody wants to know."""


def _broke_off(kind: str) -> ProtocolError:
    return ProtocolError(
        f"The normed sum broke off ({kind}): a party sent something that the protocol doesn't "
        "expect."
    )


def check_session(session: Session) -> None:
    """Refuse a session in which a normed sum isn't safe, or isn't possible."""
    if len(session.parties) < LEAST_PARTIES:
        raise SessionError(
            say(
                "A normed sum needs at least {least} parties, since it protects against fewer than "
                "half of them; this session has {number}. Use {sums='secure'}.",
                least=LEAST_PARTIES,
                number=len(session.parties),
            )
        )
    check_direct(session.parties)


def _as_direction(units: list[int]) -> NDArray[np.float64]:
    direction = np.array(units, dtype=np.float64) / 2.0**OUTPUT
    length = float(np.linalg.norm(direction))
    if length < 0.5:
        return np.zeros_like(direction)
    if not 0.99 < length < 1.01:
        raise ProtocolError(
            f"A normed sum has length {length:.3g} instead of 1: a party didn't follow the rules."
        )
    return direction
