"""Real processes to kill and to stop: a relay and parties, forked from one that has all loaded.

A fault is a moment in one process at which it kills itself with SIGKILL or stops itself with
SIGSTOP. Whoever was killed is started again, whoever was stopped goes on after a while, and in the
end every party has written its model, and each contribution that it sent.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import traceback
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import uvicorn

from chatham.commons.secure.keys import Identity
from chatham.federation.party.connection import Connection
from chatham.federation.party.ledger import Ledger
from chatham.federation.party.party import Party
from chatham.federation.party.verifying import verify_ledger
from chatham.federation.relay.service import relay_app
from chatham.federation.session import Member, Session
from tests.federation.moments import watch
from tests.torture.faults import WatchedLink, watched
from tests.torture.programs import PROGRAMS, rows_of

DEADLINE = 300.0
"""Seconds after which processes count as waiting for each other."""
STOPPED = 0.25
"""Seconds that a stopped process stays so."""


@dataclass
class Outcome:
    """What came of a run."""

    models: list[str] = field(default_factory=list)
    """Each party's model, as a hash."""
    redone: int = 0
    """The most rounds that a party masked more than once."""
    reused: int = 0
    """Masks under which two different contributions were sent: there must be none."""
    ledgers: list[str] = field(default_factory=list)
    """What is wrong with the parties' ledgers."""
    struck: bool = False
    """Whether the fault came to pass."""
    seconds: float = 0.0
    trouble: str = ""


class Stage:
    """A session with its folder, and the processes in it."""

    def __init__(self, folder, parties=3, address=None, program="nmf", port=0):
        self.folder, self.parties, self.program = Path(folder), parties, program
        self.port = port or free_port()
        self.identities = [Identity.new() for _ in range(parties)]
        members = [Member(f"P{i}", one.public.hex()) for i, one in enumerate(self.identities)]
        self.session = Session(
            id="ab" * 16,
            relay=address or f"http://127.0.0.1:{self.port}",
            parties=tuple(members),
            algorithm="none",
        )
        self.rows = rows_of(parties)
        self.running = {}
        self._reached = lambda moment: None

    @property
    def names(self):
        """Everybody, the relay first."""
        return ["relay", *(f"party{i}" for i in range(self.parties))]

    def start(self, who, fault=None):
        """Fork a process."""
        child = os.fork()
        if child == 0:
            self._become(who, fault)
        self.running[child] = who

    def _become(self, who, fault):
        code = 1
        try:
            os.dup2(os.open(self.folder / f"{who}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
            if fault:
                self._reached = fault.armed()
                watch(self._reached)
            if who == "relay":
                self._relay()
            else:
                self._party(int(who.removeprefix("party")))
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def _relay(self):
        app = relay_app([self.session], self.folder / "relay", wait=2.0)
        app = watched(app, self._reached)
        config = uvicorn.Config(app, port=self.port, log_level="error", lifespan="on")
        uvicorn.Server(config).run()

    def _party(self, index):
        folder = self.folder / f"party{index}"
        log = self.folder / f"party{index}.sent"
        link = WatchedLink(self.session, log, self._reached)
        connection = Connection(self.session, self.identities[index], link, folder)
        party = Party(self.rows[index], connection, Ledger(folder))
        components = PROGRAMS[self.program](party)
        (self.folder / f"party{index}.model").write_text(sha256(components.tobytes()).hexdigest())
        connection.finish()

    def run(self, fault=None):
        """All processes until every party is done, whatever befalls one of them."""
        begun, outcome = time.monotonic(), Outcome()
        for who in self.names:
            self.start(who, fault if fault and fault.who == who else None)
        try:
            while len(self.running) > 1 and not outcome.trouble:
                self._look(outcome)
                if time.monotonic() - begun > DEADLINE:
                    outcome.trouble = f"{sorted(self.running.values())} wait for ever"
        finally:
            self._end()
        outcome.seconds = time.monotonic() - begun
        self._read(outcome)
        return outcome

    def _look(self, outcome):
        """See to whoever has died or stopped."""
        for child in list(self.running):
            ended, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
            if not ended:
                continue
            if os.WIFSTOPPED(status):
                outcome.struck = True
                time.sleep(STOPPED)
                os.kill(child, signal.SIGCONT)
                continue
            who = self.running.pop(child)
            if os.WIFSIGNALED(status):
                outcome.struck = True
                self.start(who)
            elif os.WEXITSTATUS(status) or who == "relay":
                outcome.trouble = f"{who}: {last_line(self.folder / f'{who}.log')}"
        time.sleep(0.002)

    def _end(self):
        for child in self.running:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        self.running = {}

    def _read(self, outcome):
        for index in range(self.parties):
            model = self.folder / f"party{index}.model"
            outcome.models.append(model.read_text() if model.exists() else "")
            redone, reused = masked_twice(self.folder / f"party{index}.sent")
            outcome.redone = max(outcome.redone, redone)
            outcome.reused += reused
            outcome.ledgers += verify_ledger(self.folder / f"party{index}", self.session).faults


def masked_twice(path):
    """Rounds that were masked in more than one epoch, and masks that covered two contributions."""
    epochs, said = {}, {}
    for line in path.read_text().splitlines() if path.exists() else ():
        epoch, round_, digest = line.split()
        epochs.setdefault(round_, set()).add(epoch)
        said.setdefault((epoch, round_), set()).add(digest)
    return sum(len(e) - 1 for e in epochs.values()), sum(len(d) > 1 for d in said.values())


def free_port():
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]


def last_line(path):
    """What a process said last."""
    lines = path.read_text().splitlines() if path.exists() else []
    return lines[-1] if lines else "no word"
