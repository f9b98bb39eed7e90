"""What the tests of parties and relays share: sessions, parties in threads, a relay to crash."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager

import numpy as np

from chatham.commons.secure.keys import Identity
from chatham.errors import LinkError
from chatham.federation.party.connection import Connection
from chatham.federation.relay.board import Board
from chatham.federation.session import Member, Session

ABOUT, STATE = bytes(32), bytes(32)
PATIENCE = 300
"""Seconds after which a test says that parties wait for each other: none takes one of them."""


class Crash(BaseException):
    """A process dies here; nothing in the code under test catches it."""


def make_session(parties=3, relay="http://127.0.0.1:1", identities=None, **more):
    identities = identities or [Identity.new() for _ in range(parties)]
    members = tuple(Member(f"P{i}", one.public.hex()) for i, one in enumerate(identities))
    more = {"two_parties_know": True, **more}
    session = Session(id="ab" * 16, relay=relay, parties=members, algorithm="none", **more)
    return session, identities


class InsideRelay:
    """A board in this process, for threads; killed wherever something in it raises `Crash`."""

    def __init__(self, session, folder, board=Board):
        self.session, self.folder, self._kind = session, folder, board
        self.changed = threading.Condition()
        self.starts = 0
        self.start()

    def start(self):
        self.board = self._kind(self.session, self.folder)
        self.starts += 1

    def kill(self):
        self.board.close()
        self.start()
        self.changed.notify_all()


class InsideLink:
    """A link to such a relay. `heard` has every message that was said, in order."""

    def __init__(self, relay, patience=0.5):
        self._relay, self._patience = relay, patience
        self._waiting = []
        self.heard = []

    def say(self, frame, body):
        body = bytes(body)
        self.heard.append((frame, body))
        with self._relay.changed:
            starts = self._relay.starts
            try:
                return self._answered(frame, body, starts)
            except Crash:
                self._relay.kill()
                raise LinkError("The relay was killed.") from None

    def _answered(self, frame, body, starts):
        relay = self._relay
        frame = relay.board.read(frame.raw)
        relay.board.check(frame)
        relay.board.take(frame, body)
        relay.changed.notify_all()
        for _ in range(2):
            if relay.starts != starts:
                raise LinkError("The relay was killed.")
            relay.board.check(frame)
            answer = relay.board.answer(frame)
            if answer is not None:
                return type(answer)(answer.messages, bytes(answer.total))
            if not self._waiting_for_change(frame, starts):
                break
        self._waiting = relay.board.missing(frame)
        return None

    def _waiting_for_change(self, frame, starts):
        """Whether the answer came, or there will be none, before patience ended."""
        relay = self._relay

        def is_over():
            if relay.starts != starts:
                return True
            relay.board.check(frame)
            return relay.board.answer(frame) is not None

        return relay.changed.wait_for(is_over, self._patience)

    def waiting_for(self):
        return self._waiting


class Federation:
    """M parties in threads, each with its folder, and a relay."""

    def __init__(self, folder, parties=3, board=Board, link=InsideLink, **more):
        self.session, self.identities = make_session(parties, **more)
        self.folder, self.parties, self._link = folder, parties, link
        self.relay = InsideRelay(self.session, folder / "relay", board)
        self.links = [[] for _ in range(parties)]

    def connect(self, index, **more):
        link = self._link(self.relay)
        self.links[index].append(link)
        identity = self.identities[index]
        return Connection(self.session, identity, link, self.folder_of(index), **more)

    def folder_of(self, index):
        return self.folder / f"party{index}"

    def sent(self, index):
        """All contributions that a party sent: (epoch, round) and the bytes."""
        return [
            ((frame.header["epoch"], frame.round), body)
            for link in self.links[index]
            for frame, body in link.heard
            if frame.kind == "sum"
        ]

    def redone(self, index):
        """How many rounds a party masked more than once."""
        epochs = {}
        for (epoch, round_), _ in self.sent(index):
            epochs.setdefault(round_, set()).add(epoch)
        return sum(len(each) - 1 for each in epochs.values())


def words_of(index, round_, length=5):
    """What a party brings to a round."""
    rng = np.random.default_rng([index, round_])
    return rng.integers(-1000, 1000, length).view(np.uint64)


def sum_of(parties, round_, length=5):
    with np.errstate(over="ignore"):
        return sum(words_of(i, round_, length) for i in range(parties))


def play(connection, rounds, length=5, finish=False):
    """A party's program: so many sums."""
    words = [words_of(connection.index, r, length) for r in range(1, rounds + 1)]
    totals = [connection.round(each, ABOUT, STATE).copy() for each in words]
    if finish:
        connection.finish()
    return totals


def together(*programs, names=None):
    """Run programs in threads; what they returned, or what they raised, or that they hang."""
    results = [None] * len(programs)

    def run(place, program):
        try:
            results[place] = program()
        except BaseException as error:
            results[place] = error

    names = names or [f"party{place}" for place in range(len(programs))]
    threads = [
        threading.Thread(target=run, args=(place, program), name=names[place], daemon=True)
        for place, program in enumerate(programs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    hanging = [thread.name for thread in threads if thread.is_alive()]
    assert not hanging, f"{hanging} wait for ever"
    return results


def all_good(results):
    """The results, if nothing was raised."""
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


@contextmanager
def http_relay(app_of, parties=3, **more):
    """A real relay in a thread: `app_of(session)` is its application."""
    import uvicorn

    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    door.bind(("127.0.0.1", 0))
    door.listen(600)
    address = f"http://127.0.0.1:{door.getsockname()[1]}"
    session, identities = make_session(parties, address, **more)
    server = uvicorn.Server(uvicorn.Config(app_of(session), log_level="error"))
    thread = threading.Thread(target=server.run, args=([door],))
    thread.start()
    try:
        yield session, identities
    finally:
        server.should_exit = True
        thread.join()
