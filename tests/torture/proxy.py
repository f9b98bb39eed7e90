"""A bad line between parties and their relay: a TCP proxy that delays, slices, cuts and listens."""

from __future__ import annotations

import os
import signal
import socket
import struct
import threading
import time
from contextlib import suppress


class Proxy:
    """Passes bytes on to a port, in the way that `line` says.

    - `plain`: as they come; all of them are kept in `heard`
    - `slow`: each part a little later
    - `sliced`: byte by byte at first, then in small parts
    - `cut`: every so many bytes the connection is reset, in whatever frame that is
    - `parted`: now and then nobody gets through for a while
    """

    def __init__(self, port, line="plain"):
        self._port, self._line = port, line
        self.heard = bytearray()
        self._passed = 0
        self._begun = time.monotonic()
        self._lock = threading.Lock()
        self._door = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.address = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        self._child = 0

    def listen(self):
        """Begin, in a thread."""
        threading.Thread(target=self._serve, daemon=True).start()

    def fork(self):
        """Begin, in a process of its own, whose connections no other process inherits."""
        self._child = os.fork()
        if self._child == 0:
            self._serve()
            os._exit(0)
        self._door.close()

    def close(self):
        """Let nobody in any more."""
        self._door.close()
        if self._child:
            os.kill(self._child, signal.SIGKILL)
            os.waitpid(self._child, 0)

    def _serve(self):
        while True:
            try:
                inside, _ = self._door.accept()
            except OSError:
                return
            try:
                outside = socket.create_connection(("127.0.0.1", self._port), timeout=5)
            except OSError:
                inside.close()
                continue
            inside.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            outside.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            outside.settimeout(None)
            for one, other in ((inside, outside), (outside, inside)):
                threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, source, target):
        with suppress(OSError):
            while data := source.recv(2**14):
                if self._is_cut(data) or self._is_parted():
                    break
                for part in self._parts(data):
                    target.sendall(part)
        reset(source)
        reset(target)

    def _parts(self, data):
        if self._line == "plain":
            with self._lock:
                self.heard += data
        if self._line == "slow":
            time.sleep(0.02)
        if self._line == "sliced":
            yield from (data[i : i + 1] for i in range(min(400, len(data))))
            yield from (data[i : i + 37] for i in range(400, len(data), 37))
            return
        yield data

    def _is_cut(self, data):
        """Once in about a quarter of a megabyte."""
        if self._line != "cut":
            return False
        with self._lock:
            self._passed += len(data)
            if self._passed < 250_000:
                return False
            self._passed = 0
            return True

    def _is_parted(self):
        """From a tenth of a second on, for a third of each second."""
        now = time.monotonic() - self._begun
        return self._line == "parted" and 0.1 < now % 1 < 0.43


def reset(line):
    """End a connection as a crash of the network does, with whatever was on its way lost."""
    with suppress(OSError):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        line.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it
    line.close()
