"""Links between neighbours: TLS with pinned certificates, and frames that their agents sign.

Of two neighbours the one whose name comes first calls the other, again and again until there is a
link. Each end shows the certificate that the agents' file names for it; then both say which
version, words and file they have, and go no further if any differ. Every message is a frame, as
between the parties of a session: its header is signed, its body is as long as its kind allows.
There is one link between two agents at a time: a new one takes the place of the one before, of
which nothing more is read.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from hashlib import sha256
from math import prod
from typing import Any, Protocol

from chatham.commons.secure.frames import (
    START,
    Frame,
    header_length,
    make_frame,
    read_frame,
)
from chatham.commons.secure.keys import Identity
from chatham.commons.secure.masks import TAG
from chatham.errors import ProtocolError
from chatham.federation.addresses import address_of, interface_of, port_error
from chatham.federation.tls import Credentials, owner_of
from chatham.gossip.agents_file import Agents
from chatham.gossip.exchange import COUNT, Message
from chatham.gossip.masked import longest_keys
from chatham.version import version as own_version

GREETINGS = sha256(b"chatham gossip greeting").digest()
"""What greetings belong to: their ends don't know yet whether they have the same agents' file."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
"""Seconds between calls of a neighbour that isn't there, ever more."""
PATIENCE = 20.0
"""Seconds in which TLS, and then a greeting, must come."""
BUFFER = 2**20
"""Bytes of a connection that are read ahead."""
WAITING = 16
"""Connections that are accepted and not yet taken, at most."""


class Ears(Protocol):
    """Who is told of links and messages, one after another."""

    def linked(self, peer: int) -> None:
        """There is a link with this neighbour."""
        ...

    def hear(self, peer: int, message: Message) -> None:
        """It says something. A ProtocolError closes the link."""
        ...

    def lost(self, peer: int) -> None:
        """The link is gone."""
        ...

    def differs(self, peer: int, sentence: str) -> None:
        """The two can't work together."""
        ...

    def complains(self, peer: int, sentence: str) -> None:
        """Something else is wrong with a neighbour, who is still waited for."""
        ...


class Links:
    """One agent's links with all its neighbours."""

    def __init__(
        self,
        agents: Agents,
        me: int,
        identity: Identity,
        credentials: Credentials,
        shape: tuple[int, int],
        ears: Ears,
    ) -> None:
        self._agents, self._me, self._identity = agents, me, identity
        self._credentials, self._ears = credentials, ears
        self.neighbours = agents.graph.neighbours[me]
        self._longest = _longest(agents, prod(shape))
        self._open: dict[int, asyncio.StreamWriter] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._server: asyncio.Server | None = None

    @property
    def open(self) -> frozenset[int]:
        """The neighbours with whom there is a link just now."""
        return frozenset(self._open)

    async def begin(self) -> None:
        """Listen for those that call me, and call the others."""
        callers = [self._agents.agents[each] for each in self.neighbours if each < self._me]
        if callers:
            host, port = address_of(self._agents.agents[self._me])
            context = self._credentials.server(callers)
            try:
                self._server = await asyncio.start_server(
                    self._called, interface_of(host, None), port, ssl=context, backlog=WAITING,
                    ssl_handshake_timeout=PATIENCE, limit=BUFFER,
                )  # fmt: skip
            except OSError as error:
                raise port_error(port, error) from None
        for peer in self.neighbours:
            if peer > self._me:
                self._watch(asyncio.create_task(self._calling(peer)))

    def send(self, peer: int, message: Message) -> None:
        """Send a message, if there is a link; else it is lost, as it would be on a broken one."""
        writer = self._open.get(peer)
        if writer is not None:
            frame = make_frame(
                self._identity, message.kind, session=self._agents.hash, party=self._me,
                epoch=message.exchange, body=message.body,
            )  # fmt: skip
            writer.write(frame.raw + message.body)

    async def close(self) -> None:
        """Close all links after what was written has left."""
        if self._server is not None:
            self._server.close()
        writers, self._open = list(self._open.values()), {}
        for writer in writers:
            writer.close()
        for writer in writers:
            with suppress(OSError, asyncio.TimeoutError):
                await asyncio.wait_for(writer.wait_closed(), PATIENCE)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _watch(self, task: asyncio.Task[Any]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _called(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._watch(task)
        callers = [each for each in self.neighbours if each < self._me]
        with suppress(OSError):
            await self._talk(reader, writer, callers)

    async def _calling(self, peer: int) -> None:
        member = self._agents.agents[peer]
        host, port = address_of(member)
        context = self._credentials.client(member)
        pause = FIRST_PAUSE
        while True:
            try:
                reader, writer = await asyncio.open_connection(
                    host, port, ssl=context, ssl_handshake_timeout=PATIENCE, limit=BUFFER
                )
                if await self._talk(reader, writer, [peer]):
                    pause = FIRST_PAUSE
            except ssl.SSLCertVerificationError:
                self._ears.complains(
                    peer,
                    f"Whoever answers at the address of {member.name} shows another certificate "
                    "than the one in the agents' file; nothing was sent.",
                )
            except ssl.SSLError:
                self._ears.complains(
                    peer,
                    f"{member.name} doesn't accept this agent's certificate: its agents' file must "
                    "have another one for it; compare the two files.",
                )
            except OSError:
                pass  # nobody there yet
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _talk(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, expected: list[int]
    ) -> bool:
        """Everything on one connection, until it ends; whether there was a link."""
        peer = self._peer_of(writer, expected)
        if peer is None:
            writer.close()
            return False
        greeted = False
        try:
            greeted = await self._greet(reader, writer, peer)
            if greeted:
                self._take_over(peer, writer)
                await self._listen(reader, writer, peer)
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            pass
        except ssl.SSLError:
            if not greeted:  # later it is but another way in which a connection breaks
                raise
        except ProtocolError as error:
            self._ears.complains(peer, f"{self._agents.agents[peer].name}: {error}")
        finally:
            if self._open.get(peer) is writer:
                del self._open[peer]
                self._ears.lost(peer)
            writer.close()
        return greeted

    def _peer_of(self, writer: asyncio.StreamWriter, expected: list[int]) -> int | None:
        certificate = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        members = [self._agents.agents[each] for each in expected]
        owner = owner_of(certificate or b"", members)
        return None if owner is None else expected[members.index(owner)]

    async def _greet(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: int
    ) -> bool:
        """Whether both have the same version, words and file; both ends see what differs."""
        mine = make_frame(
            self._identity, "greeting", session=GREETINGS, party=0,
            agents=self._agents.hash, words=bytes.fromhex(self._agents.words_sha256),
            version=own_version(),
        )  # fmt: skip
        writer.write(mine.raw)
        read = partial(read_frame, session=GREETINGS, roster=[self._agents.keys[peer]])
        limits = {"greeting": 0}
        frame, _ = await asyncio.wait_for(_received(reader, read, limits), PATIENCE)
        sentence = _difference(self._agents.agents[peer].name, mine, frame)
        if sentence:
            self._ears.differs(peer, sentence)
        return not sentence

    def _take_over(self, peer: int, writer: asyncio.StreamWriter) -> None:
        _keep_alive(writer)
        before = self._open.pop(peer, None)
        if before is not None:
            before.transport.abort()
            self._ears.lost(peer)
        self._open[peer] = writer
        self._ears.linked(peer)

    async def _listen(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: int
    ) -> None:
        read = partial(read_frame, session=self._agents.hash, roster=self._agents.keys)
        while True:
            frame, body = await _received(reader, read, self._longest)
            if self._open.get(peer) is not writer:
                return  # a newer link has taken its place
            if frame.party != peer:
                raise ProtocolError("A message on this link is signed by somebody else.")
            self._ears.hear(peer, Message(frame.kind, frame.hash_of("epoch"), body))


async def _received(
    reader: asyncio.StreamReader, read: Callable[[bytes], Frame], longest: dict[str, int]
) -> tuple[Frame, bytes]:
    """The next frame with its body; nothing is read that is longer than its kind may be."""
    start = await reader.readexactly(START)
    frame = read(start + await reader.readexactly(header_length(start)))
    if frame.kind not in longest:
        raise ProtocolError(f"A message of the kind {frame.kind} came where none may come.")
    if frame.size > longest[frame.kind]:
        raise ProtocolError(f"A message of the kind {frame.kind} with {frame.size:,} bytes came.")
    body = await reader.readexactly(frame.size)
    frame.check_body(body)
    return frame, body


def _longest(agents: Agents, cells: int) -> dict[str, int]:
    """The most bytes of a message's body, by kind."""
    statistics = 8 * (cells + TAG)
    keys = longest_keys(int(agents.graph.degrees.max()) + 1)
    sizes = {
        "give": statistics,
        "average": statistics,
        "keys": keys,
        "progress": COUNT * agents.graph.n,
    }
    kinds = ("call", "busy", "never", "received", "unsure", "goodbye", "farewell")
    return sizes | dict.fromkeys(kinds, 0)


def _difference(name: str, mine: Frame, theirs: Frame) -> str:
    """What keeps two agents from working together; nothing if all is the same."""
    if theirs.header["version"] != mine.header["version"]:
        return (
            f"{name} has Chatham {theirs.header['version']}, and this is "
            f"{mine.header['version']}; install the same version at both."
        )
    if theirs.header["words"] != mine.header["words"]:
        return (
            f"{name} counts other words than this agent: the SHA-256 of its list begins with "
            f"{theirs.header['words'][:16]}, and of this one with {mine.header['words'][:16]}; use "
            "the same list and the same agents' file."
        )
    if theirs.header["agents"] != mine.header["agents"]:
        return (
            f"{name} has another agents' file than this agent: its hash begins with "
            f"{theirs.header['agents'][:16]}, and this one's with {mine.header['agents'][:16]}; "
            "compare the two files."
        )
    return ""


def _keep_alive(writer: asyncio.StreamWriter) -> None:
    """Let the system find out that a neighbour's machine is gone without a word."""
    connected = writer.get_extra_info("socket")
    if connected is None:  # closed already
        return
    with suppress(OSError):
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, seconds in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, option):
                connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), seconds)
