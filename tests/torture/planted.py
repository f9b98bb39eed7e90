"""Plant a word and a number in one party's contribution, and look for them everywhere else.

Looked through: every byte that crossed between parties and relay, the relay's memory, its files and
its log; for the contribution and for the total, as numbers and as text. So that the search itself
is known to work, it is also let loose on a process and a file that do hold them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from chatham.federation.party.connection import Connection
from chatham.federation.party.http_link import HttpLink
from chatham.federation.party.ledger import Ledger
from chatham.federation.party.party import Party
from tests.torture.processes import Stage
from tests.torture.proxy import Proxy

VALUE = 0x0397_C16E_BD28_F4A5
TOKEN = b"zyzzyvas"
ROUNDS = 20


def planted(rows, memory):
    """A value, a token's letters as one number, and zeros."""
    mine = [VALUE, int.from_bytes(TOKEN, "little") >> 8] if memory.index == 1 else [1, 2]
    return np.array([*mine, *[0] * 5000], dtype=np.int64)


def needles():
    """What must not be found: both, alone and in the total, in either order of bytes, and text."""
    word = int.from_bytes(TOKEN, "little") >> 8
    numbers = (VALUE, VALUE + 2, word, word + 4)
    found = [n.to_bytes(8, order) for n in numbers for order in ("little", "big")]
    return [*found, TOKEN[1:], *(str(n).encode() for n in numbers), f"{VALUE:x}".encode()]


class Watched(Stage):
    """A session whose parties' program has the planted statistic."""

    def _party(self, index):
        folder = self.folder / f"party{index}"
        connection = Connection(
            self.session, self.identities[index], HttpLink(self.session), folder
        )
        party = Party(np.ones((20, 2)), connection, Ledger(folder))
        totals = [party.sum(planted) for _ in range(ROUNDS)]
        assert totals[-1][0] == VALUE + 2
        (self.folder / f"done{index}").touch()
        connection.finish()


def memory_of(process):
    """The readable memory of a process, part by part."""
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb") as memory:
        for line in maps:
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) r.*", line)
            if not match or "[v" in line:
                continue
            begin, end = (int(part, 16) for part in match.groups())
            try:
                memory.seek(begin)
                yield memory.read(end - begin)
            except OSError:
                continue


def main():
    """Run a session on a line that is overheard, and search while the relay still runs."""
    with tempfile.TemporaryDirectory() as folder:
        return searched(Path(folder))


def searched(folder):
    """Print what was looked at and what was found."""
    stage = Stage(folder)
    proxy = Proxy(stage.port)
    stage = Watched(folder, address=proxy.address, port=stage.port)
    relay = relay_by_itself(stage, folder)
    for who in stage.names[1:]:
        stage.start(who)
    proxy.listen()  # after the forks: threads don't survive them
    for child, who in stage.running.items():
        if os.waitpid(child, 0)[1]:
            print((folder / f"{who}.log").read_text(), file=sys.stderr)
            relay.kill()
            return 1
    places = {"line": [bytes(proxy.heard)], "memory of the relay": list(memory_of(relay.pid))}
    for path in [*(folder / "relay").rglob("*"), *folder.glob("*.log")]:
        if path.is_file():
            places[path.name] = [path.read_bytes()]
    relay.kill()
    relay.wait()
    found = sorted({name for name, parts in places.items() if holds(parts)})
    size = sum(len(part) for parts in places.values() for part in parts)
    print(json.dumps({"looked at": size, "found": found, "found at home": at_home(folder)}))
    return 0


def relay_by_itself(stage, folder):
    """A relay that wasn't forked from here, where everything is known."""
    (folder / "session.toml").write_text(stage.session.to_toml(), "utf-8")
    command = [sys.executable, "-m", "tests.torture.relay_process"]
    command += [str(folder / "session.toml"), str(folder / "relay"), str(stage.port)]
    with open(folder / "relay.log", "wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log)


def holds(parts):
    """Whether any of what was planted is there."""
    wanted = needles()
    return any(needle in part for part in parts for needle in wanted)


def at_home(folder):
    """Where the same search must find it: this process, and a file with the contribution."""
    kept = np.array([VALUE])
    (folder / "contribution").write_bytes(kept.tobytes())
    places = {
        "plain memory": memory_of(os.getpid()),
        "plain file": [(folder / "contribution").read_bytes()],
    }
    return [name for name, parts in places.items() if holds(parts)]


if __name__ == "__main__":
    sys.exit(main())
