"""The relay: an HTTP service that collects masked words, adds them up, and hands out the total.

It holds no secret and reads nothing: see `board`. One process serves any number of sessions; it may
be killed at any moment and started again in the same folder.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from chatham.commons.secure.frames import START, Frame, header_length
from chatham.errors import ProtocolError, Refused
from chatham.federation.relay.board import USUAL_DISK, Board
from chatham.federation.relay.door import RECOGNISE
from chatham.federation.relay.spool import Spool
from chatham.federation.session import Session
from chatham.federation.wire import Answer, length_of, write_answer

Result = TypeVar("Result")

WAIT = 25.0
"""Seconds until a party is told that there is nothing yet."""
HEAD_PATIENCE, BODY_PATIENCE = 10.0, 60.0
"""Seconds that a message's signed header may take, and that a body may pause."""
SLOWEST = 2**14
"""Bytes in a second that a long body must bring on average."""
LARGE = 2**18
"""Longer messages are processed in a thread, and longer answers sent in parts (bytes)."""
BYTES = "application/octet-stream"
STATUS = {"size": 413, "session": 404, "slow": 408, "full": 507, "disk": 507} | dict.fromkeys(
    ("malformed", "format", "round", "ask"), 400
)
"""Other refusals are conflicts (409)."""


class _Turn:
    """A party's request; it is over when a later one of the same party comes."""

    def __init__(self) -> None:
        self.is_over = False
        self.receiving: asyncio.Timeout | None = None

    def end(self) -> None:
        """Don't read on, and don't wait any longer."""
        self.is_over = True
        if self.receiving is not None:
            self.receiving.reschedule(asyncio.get_running_loop().time())
            self.receiving = None


class _Room:
    """A session's board, and the requests that wait for it to change: one for each party."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.lock = asyncio.Lock()
        self.changed = asyncio.Event()
        self._turns: dict[int, _Turn] = {}

    def wake(self) -> None:
        """Let every waiting request look again."""
        self.changed.set()
        self.changed = asyncio.Event()

    @contextmanager
    def turn(self, party: int) -> Iterator[_Turn]:
        """A party's one request. It asks one thing after another, so an earlier request of its own
        is of a connection that was lost: nobody reads its body to the end, nor waits for it."""
        turn, earlier = _Turn(), self._turns.get(party)
        self._turns[party] = turn
        if earlier is not None:
            earlier.end()
            self.wake()
        try:
            yield turn
        finally:
            if self._turns.get(party) is turn:
                del self._turns[party]


def relay_app(
    sessions: Sequence[Session], folder: Path, wait: float = WAIT, disk: int = USUAL_DISK
) -> Starlette:
    """The service for these sessions, whose state is kept in a folder.

    A session takes at most `disk` bytes of it.
    """
    rooms: dict[str, _Room] = {}

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        for session in sessions:
            rooms[session.id] = _Room(Board(session, folder / session.id, disk))
        yield
        for room in rooms.values():
            room.board.close()

    async def post(request: Request) -> Response:
        room = rooms.get(request.path_params["session"])
        if room is None:
            return _refusal(Refused("session", "There is no such session here."))
        try:
            return await _served(request, room, wait)
        except Refused as refusal:
            return _refusal(refusal)
        except ProtocolError as error:
            return _refusal(Refused("malformed", str(error)))
        except (ClientDisconnect, TimeoutError):
            return _refusal(Refused("slow", "The message didn't arrive in time."))
        except (OSError, sqlite3.Error):
            return _refusal(Refused("disk", "The relay can't write to its disk."))

    async def alive(request: Request) -> Response:
        return JSONResponse({"relay": "chatham", "sessions": len(rooms)})

    routes = [Route("/{session}", post, methods=["POST"]), Route("/", alive)]
    return Starlette(routes=routes, lifespan=lifespan)


async def _served(request: Request, room: _Room, wait: float) -> Response:
    """The answer to a message, whose header is checked in full before its body is read."""
    stream, board = request.stream(), room.board
    async with asyncio.timeout(HEAD_PATIENCE):
        frame, rest = await _head(stream, board)
    _recognise(request, board.session, frame)
    board.check(frame)
    _check_length(request.headers, frame)
    with room.turn(frame.party) as turn, closing(board.spool(frame)) as body:
        longest = BODY_PATIENCE + frame.size / SLOWEST
        async with asyncio.timeout(longest) as turn.receiving:
            await _receive(stream, rest, body, frame.size)
        turn.receiving = None
        return await _answered(room, turn, frame, body, wait)


async def _head(stream: AsyncIterator[bytes], board: Board) -> tuple[Frame, bytearray]:
    """The signed header, and as much of the body as came with it."""
    data = bytearray()
    while len(data) < START:
        data += await _next(stream)
    length = START + header_length(bytes(data[:START]))
    while len(data) < length:
        data += await _next(stream)
    return board.read(bytes(data[:length])), data[length:]


async def _receive(
    stream: AsyncIterator[bytes], data: bytearray, body: Spool, announced: int
) -> None:
    """The body, of which `data` has come already; no more than a part of it is held in memory."""
    while body.size + len(data) <= announced:
        async with asyncio.timeout(BODY_PATIENCE):
            part = await anext(stream, None)
        if part is None:
            break
        data += part
        if len(data) > LARGE:
            await _off_the_loop(len(data), body.write, data)
            data = bytearray()
    body.write(data)
    if body.size < announced:
        raise ProtocolError("A message ends too early.")
    body.check()


async def _next(stream: AsyncIterator[bytes]) -> bytes:
    part = await anext(stream, None)
    if part is None:
        raise ProtocolError("A message ends too early.")
    return part


def _recognise(request: Request, session: Session, frame: Frame) -> None:
    """Say at the door whose connection this is."""
    recognise = getattr(request.state, RECOGNISE, None)
    if recognise is not None:
        recognise((session.id, frame.party))


def _check_length(headers: Mapping[str, str], frame: Frame) -> None:
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) != len(frame.raw) + frame.size:
        raise ProtocolError("A message isn't as long as its header says.")


async def _answered(room: _Room, turn: _Turn, frame: Frame, body: Spool, wait: float) -> Response:
    """Accept a message, and answer when all parties have sent theirs, or when time is up.

    Other waiting requests look again if this message was the last one missing: no other message
    brings an answer.
    """
    async with room.lock:
        await _off_the_loop(frame.size, room.board.take_checked, frame, body)
        if frame.kind == "hello":  # the epoch is over for all who wait
            room.wake()
    body.close()
    loop = asyncio.get_running_loop()
    until, may_be_last = loop.time() + wait, frame.kind != "ask"
    while True:
        async with room.lock:
            changed = room.changed
            room.board.check(frame)
            answer = room.board.answer(frame)
        if answer is not None:
            if may_be_last:
                room.wake()
            return _answer(answer)
        may_be_last = False
        if turn.is_over:
            raise Refused("slow", "A later message of the same party took its place.")
        if loop.time() >= until:
            return JSONResponse({"waiting": room.board.missing(frame)}, 202)
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await changed.wait()


async def _off_the_loop(size: int, work: Callable[..., Result], *arguments: Any) -> Result:
    """Large messages are processed in a thread, so that other sessions don't wait for them."""
    if size > LARGE:
        return await run_in_threadpool(work, *arguments)
    return work(*arguments)


def _answer(answer: Answer) -> Response:
    if length_of(answer) <= LARGE:
        return Response(b"".join(write_answer(answer)), media_type=BYTES)
    length = {"content-length": str(length_of(answer))}
    return StreamingResponse(_parts(answer), media_type=BYTES, headers=length)


async def _parts(answer: Answer) -> AsyncIterator[bytes]:
    for part in write_answer(answer):
        view = memoryview(part)
        for first in range(0, len(view), LARGE):
            yield bytes(view[first : first + LARGE])


def _refusal(refusal: Refused) -> Response:
    content = {"why": refusal.why, "say": str(refusal)}
    return JSONResponse(content, STATUS.get(refusal.why, 409))
