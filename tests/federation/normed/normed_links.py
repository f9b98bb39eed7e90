"""Whoever listens on the links of a normed sum, or answers in a party's place."""

import asyncio
import contextlib
import select
import socket
import ssl
import struct
import threading

import numpy as np

from chatham.federation.normed import links
from chatham.federation.session import LOOPBACK


def check(parts, results):
    """All found the same, and it is the direction to the stated precision."""
    parties = len(parts)
    for name in parts[0]:
        found = [result[name] for result in results]
        assert all(np.array_equal(found[0], other) for other in found)
        total = sum(np.asarray(part[name], float) for part in parts)
        length = np.linalg.norm(total)
        if length == 0:
            assert not found[0].any()
            continue
        whole = parts[0][name].dtype.kind == "i"
        bound = parties * 2.0**-37 + (0 if whole else parties * 2.0**-40 / length) + 1e-15
        assert np.abs(found[0] - total / length).max() <= bound


class Patience:
    """asyncio as the links see it, in which the time for links is up when a test says so.

    Seconds would say little: on a busy machine, those who do come may need any number of them.
    """

    def __init__(self, monkeypatch, is_over=lambda: False):
        self.is_over = is_over
        monkeypatch.setattr(links, "asyncio", self)

    def __getattr__(self, name):
        return getattr(asyncio, name)

    async def wait(self, ends, timeout, return_when):
        while True:
            is_over = self.is_over()
            done, waiting = await asyncio.wait(ends, timeout=0.01, return_when=return_when)
            if done or is_over:
                return done, waiting


class Listener:
    """Sits in every link with the parties' own keys, passes all on, and keeps what it saw."""

    def __init__(self, made):
        self.made, self.streams = made, []
        self.sockets = []
        for index in range(1, len(made.session.parties)):
            port = int(made.session.parties[index].address.rsplit(":", 1)[1])
            self.sockets.append(socket.create_server(("127.0.0.1", port)))
            threading.Thread(target=self._accept, args=(index, port), daemon=True).start()

    def _context(self, protocol, mine, others):
        member, path = self.made.session.parties[mine], self.made.folder / f"show-{mine}.pem"
        path.write_text(member.certificate)
        context = ssl.SSLContext(protocol)
        context.check_hostname, context.verify_mode = False, ssl.CERT_REQUIRED
        context.load_cert_chain(path, self.made.keys[mine])
        for other in others:
            context.load_verify_locations(cadata=self.made.session.parties[other].certificate)
        return context

    def _accept(self, index, port):
        context = self._context(ssl.PROTOCOL_TLS_SERVER, index, range(index))
        while True:
            try:
                plain, _ = self.sockets[index - 1].accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(context, plain, index, port)).start()

    def _join(self, context, plain, index, port):
        try:
            called = context.wrap_socket(plain, server_side=True)
            shown = called.getpeercert(binary_form=True)
            ders = [ssl.PEM_cert_to_DER_cert(m.certificate) for m in self.made.session.parties]
            caller = self._context(ssl.PROTOCOL_TLS_CLIENT, ders.index(shown), [index])
            calling = caller.wrap_socket(socket.create_connection(("127.0.0.2", port)))
        except OSError:
            plain.close()
            return
        self._pass_on(called, calling)

    def _pass_on(self, called, calling):
        """Both ways in one thread: two at one TLS connection are more than it bears."""
        targets, streams = {called: calling, calling: called}, {}
        for source in targets:
            streams[source] = bytearray()
            self.streams.append(streams[source])
        reading = [called, calling]
        while reading:
            ready = [source for source in reading if source.pending()]
            for source in ready or select.select(reading, [], [])[0]:
                data = _received(source)
                if data:
                    streams[source] += data
                    targets[source].settimeout(None)
                    targets[source].sendall(data)
                elif data is not None:
                    reading.remove(source)
                    with contextlib.suppress(OSError, ValueError):
                        targets[source].settimeout(0)
                        targets[source].unwrap()

    def close(self):
        for sock in self.sockets:
            sock.close()


def _received(source):
    """What has come, nothing at the end, None if it isn't a whole record yet."""
    source.settimeout(0)
    try:
        return source.recv(65536)
    except ssl.SSLWantReadError:
        return None
    except (OSError, ValueError):
        return b""


def messages(stream):
    """The messages in what one party sent to another, after its greeting."""
    place = 32
    while place < len(stream):
        label, size = struct.unpack_from("<qI", stream, place)
        yield label, bytes(stream[place + 12 : place + 12 + size])
        place += 12 + size
    assert place == len(stream)


class Impostor(threading.Thread):
    """Answers at a party's address: with whose certificate and with what bytes, the test says."""

    def __init__(self, made, index, shown, says=()):
        super().__init__(daemon=True)
        self.made, self.says, self.heard, self.refused = made, says, b"", 0
        pem, key = shown
        path = made.folder / f"impostor-{index}.pem"
        path.write_text(pem)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.verify_mode = ssl.CERT_REQUIRED
        self.context.load_cert_chain(path, key)
        self.context.load_verify_locations(cadata=made.session.parties[0].certificate)
        port = int(made.session.parties[index].address.rsplit(":", 1)[1])
        self.socket = socket.create_server((LOOPBACK[1], port))
        self.start()

    def run(self):
        while True:
            try:
                plain, _ = self.socket.accept()
                link = self.context.wrap_socket(plain, server_side=True)
                self.heard += link.recv(32)
                for saying in self.says:
                    if saying == "hang up":
                        link.unwrap()
                        break
                    link.sendall(self.heard[:32] if saying == "hello" else saying)
                while data := link.recv(65536):
                    self.heard += data
            except (ssl.SSLError, ConnectionError):
                self.refused += 1
            except OSError:
                return


def shown_by(made, index):
    return made.session.parties[index].certificate, made.keys[index]
