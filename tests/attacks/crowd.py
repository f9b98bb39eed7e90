"""A crowd at the relay's door: connections that say next to nothing, each renewed when it is lost.

    python -m tests.attacks.crowd port number [hex of what each says]

It prints a line once all have come for the first time, and goes on until it is ended.
"""

from __future__ import annotations

import resource
import selectors
import socket
import sys
import time

BUSY = 0.01
"""Seconds to wait where the system has no more ports or files."""


class Crowd:
    """So many connections to a port of this machine."""

    def __init__(self, port, number, said=b""):
        self._address, self._number, self._said = ("127.0.0.1", port), number, said
        self._selector = selectors.DefaultSelector()
        self.came = 0

    def stay(self):
        """Come, and come again."""
        told = False
        while True:
            missing = self._number - len(self._selector.get_map())
            for _ in range(missing):
                if not self._come():
                    break
            for key, events in self._selector.select(BUSY):
                self._look(key.fileobj, events)
            if self.came >= self._number and not told:
                told = print("here", flush=True) is None

    def _come(self):
        line = socket.socket()
        line.setblocking(False)
        try:
            line.connect_ex(self._address)
            self._selector.register(line, selectors.EVENT_WRITE)
        except OSError:
            line.close()
            time.sleep(BUSY)
            return False
        return True

    def _look(self, line, events):
        try:
            if events & selectors.EVENT_WRITE:
                line.sendall(self._said)
                self._selector.modify(line, selectors.EVENT_READ)
                self.came += line.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
            elif line.recv(2**16):
                return
            else:
                raise ConnectionResetError
        except OSError:
            self._selector.unregister(line)
            line.close()


def main(port, number, said=""):
    """As many as asked for, or as the system lets one process have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    number = int(number) if most == resource.RLIM_INFINITY else min(int(number), most - 64)
    Crowd(int(port), number, bytes.fromhex(said)).stay()


if __name__ == "__main__":
    main(*sys.argv[1:])
