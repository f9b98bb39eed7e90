"""Normed sums between real processes on loopback, under TLS."""

import contextlib
import re
import select
import socket
import ssl
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chatham.commons.mpyc_runtime import PRIME
from chatham.commons.normed import NormedLinks
from chatham.commons.session import LOOPBACK, session_of
from chatham.errors import InputError, LinkError, ProtocolError, SessionError
from tests.commons.direct import certificate, outputs, roster

pytest.importorskip("mpyc")


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


# -- what is right


def some_parts(index, parties):
    rng = np.random.default_rng(index)
    ulp = np.zeros(5)
    ulp[index % 2] = 2.0**-40 if index < 2 else 0
    return {
        "hundred": rng.normal(size=100),
        "thousand": rng.normal(size=1000) * 500,
        "matrix": rng.normal(size=(7, 3)),
        "one": np.array([-0.125]),
        "nothing": np.array([1.0, -2.0, 0.5]) * (1, 1, -2, 0, 0)[index],
        "ulps": ulp,
        "most": np.full(4, (-1.0) ** np.arange(4) * (2**60 // parties / 2**40 - 1)),
        "counts": rng.integers(-9, 9, 30),
        "planted": np.full(6, 0x5EC2E75EC2E7 / 2**40),
    }


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


def test_three_parties_find_directions_and_send_nothing_but_field_elements(tmp_path):
    """Processes that end if pickle is touched, and somebody who reads along on every link."""
    made = roster(3, tmp_path)
    parts = [some_parts(index, 3) for index in range(3)]
    listener = Listener(made)
    running = [made.start(i, "127.0.0.2", **part) for i, part in enumerate(parts)]
    assert outputs(running) == ["", "", ""]
    listener.close()
    check(parts, [made.results(index) for index in range(3)])
    whole = [stream for stream in listener.streams if len(stream) > 100]
    assert len(whole) == 6
    for stream in whole:
        # A number within a share would be a share that isn't random.
        assert (0x5EC2E75EC2E7).to_bytes(6, "little") not in stream
        sent = [message for label, message in messages(stream) if abs(label) > 1000]
        assert len(sent) > 200
        for message in sent:
            assert not (re.match(rb"\x80[\x02-\x05]", message) and message.endswith(b"."))
            assert len(message) % 32 == 0
            elements = [message[i : i + 32] for i in range(0, len(message), 32)]
            assert all(int.from_bytes(element, "little") < PRIME for element in elements)


def test_five_parties_find_directions(tmp_path):
    made = roster(5, tmp_path)
    chosen = ("hundred", "thousand", "nothing", "most")
    parts = [{name: some_parts(index, 5)[name] for name in chosen} for index in range(5)]
    running = [made.start(i, **part) for i, part in enumerate(parts)]
    assert outputs(running) == [""] * 5
    check(parts, [made.results(index) for index in range(5)])


# -- what goes wrong


def test_a_party_that_dies_ends_the_sum_for_all_and_is_named(tmp_path):
    made = roster(3, tmp_path)
    parts = {"first": np.arange(4.0), "second": np.arange(3.0)}
    running = [made.start(i, "die" if i == 2 else "impatient", **parts) for i in range(3)]
    said = outputs(running)
    # Whoever sees it first hangs up, and the other may see that first.
    assert all(re.match(r"LinkError: .* P\d", words) for words in said[:2])
    assert "P2" in said[0] + said[1]
    for index in range(2):
        found = made.results(index)
        assert "second" not in found
        check([{name: parts[name] for name in found}] * 3, [found])


def test_parties_that_add_up_different_things_stop_before_a_number_leaves(tmp_path):
    made = roster(3, tmp_path)
    running = [made.start(i, part=np.ones(4 if i else 5)) for i in range(3)]
    said = outputs(running)
    # Whoever sees it first hangs up, and the others may see that first.
    assert all(re.match(r"ProtocolError: P\d adds up other|LinkError: .* P\d", w) for w in said)
    assert any("adds up other statistics than I do; nothing left" in words for words in said)
    assert not any(made.results(index) for index in range(3))


def test_a_missing_party_is_named_in_time(tmp_path):
    made = roster(3, tmp_path)
    links = NormedLinks(made.session, 0, made.keys[0], limit=0.2)
    with links, pytest.raises(LinkError, match=r"with P1, P2 came about within 0\.2 seconds"):
        links.normed_sum(np.ones(3))


def test_a_port_that_is_taken_is_named(tmp_path):
    made = roster(3, tmp_path)
    port = int(made.session.parties[1].address.rsplit(":", 1)[1])
    with (
        socket.create_server(("127.0.0.1", port)),
        NormedLinks(made.session, 1, made.keys[1], limit=0.2) as links,
        pytest.raises(LinkError, match=f"port {port}"),
    ):
        links.normed_sum(np.ones(3))


class Impostor(threading.Thread):
    """Answers at a party's address: with whose certificate and with what bytes, the test says."""

    def __init__(self, made, index, shown, says=()):
        super().__init__(daemon=True)
        self.made, self.says, self.heard = made, says, b""
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
                continue
            except OSError:
                return


def shown_by(made, index):
    return made.session.parties[index].certificate, made.keys[index]


def test_a_strangers_certificate_at_a_partys_address_is_refused(tmp_path):
    made = roster(3, tmp_path)
    honest = Impostor(made, 2, shown_by(made, 2), ["hello"])
    stranger = Impostor(made, 1, certificate("P1", tmp_path / "stranger"), ["hello"])
    links = NormedLinks(made.session, 0, made.keys[0], limit=0.5)
    with links, pytest.raises(LinkError, match="with P1 came about"):
        links.normed_sum(np.ones(3))
    assert stranger.heard == b""
    assert len(honest.heard) >= 32
    honest.socket.close()
    stranger.socket.close()


def test_one_party_at_anothers_address_is_refused(tmp_path):
    """P2 is in the roster, but it isn't P1."""
    made = roster(3, tmp_path)
    wrong = Impostor(made, 1, shown_by(made, 2), ["hello"])
    links = NormedLinks(made.session, 0, made.keys[0], limit=0.5)
    with links, pytest.raises(LinkError, match="with P1, P2 came about"):
        links.normed_sum(np.ones(3))
    assert wrong.heard == b""
    wrong.socket.close()


def test_a_stranger_who_calls_is_refused_and_the_sum_goes_on(tmp_path):
    made = roster(3, tmp_path)
    parts = [{"part": np.arange(6.0) + index} for index in range(3)]
    running = [made.start(index, **parts[index]) for index in (1, 2)]
    pem, key = certificate("P0", tmp_path / "stranger")
    (tmp_path / "stranger.pem").write_text(pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.load_cert_chain(tmp_path / "stranger.pem", key)
    host, port = made.session.parties[2].address.rsplit(":", 1)
    assert heard_by_caller(context, host, int(port), running[1]) == b""
    running.insert(0, made.start(0, **parts[0]))
    assert outputs(running) == ["", "", ""]
    check(parts, [made.results(index) for index in range(3)])


def heard_by_caller(context, host, port, process):
    """What comes back to a caller, once somebody listens."""
    while process.poll() is None:
        try:
            plain = socket.create_connection((host, port))
        except ConnectionRefusedError:
            continue
        try:
            return context.wrap_socket(plain).recv(100)
        except (ssl.SSLError, ConnectionError):
            return b""
    raise AssertionError("the party has ended")


HEAD = struct.Struct("<qI")


@pytest.mark.parametrize(
    ("says", "error"),
    [
        ([bytes(32)], "P1 has another session file than I have"),
        (["hello", HEAD.pack(-1, 2**31)], "P1 sent more than its turn asked for"),
        (["hello", HEAD.pack(-1, 65), bytes(65)], "P1 sent more than its turn asked for"),
        (["hello", HEAD.pack(-1, 32), bytes(32)], "P1 adds up other statistics than I do"),
        (["hello", *[HEAD.pack(5, 60) + bytes(60)] * 50], "P1 sent more than its turn asked for"),
    ],
)
def test_a_party_that_breaks_the_rules_is_named(tmp_path, says, error):
    made = roster(3, tmp_path)
    rude = Impostor(made, 1, shown_by(made, 1), says)
    quiet = Impostor(made, 2, shown_by(made, 2), ["hello"])
    links = NormedLinks(made.session, 0, made.keys[0], limit=5)
    with links, pytest.raises(ProtocolError, match=error):
        links.normed_sum(np.ones(3))
    rude.socket.close()
    quiet.socket.close()


@pytest.mark.parametrize(
    ("finished", "error"),
    [(1, "wasn't done within 0.7 seconds"), (0, "P1 ")],
)
def test_whoever_has_done_a_sum_may_go_and_nobody_else(tmp_path, finished, error):
    """Its messages are all here by then; the sum waits for the others', or ends at once."""
    made = roster(3, tmp_path)
    goodbye = HEAD.pack(0, 8) + finished.to_bytes(8, "little")
    gone = Impostor(made, 1, shown_by(made, 1), ["hello", goodbye, "hang up"])
    quiet = Impostor(made, 2, shown_by(made, 2), ["hello"])
    links = NormedLinks(made.session, 0, made.keys[0], limit=0.7)
    with links, pytest.raises(LinkError, match=re.escape(error)):
        links.normed_sum(np.ones(3))
    gone.socket.close()
    quiet.socket.close()


# -- what is refused before anything leaves


def test_two_parties_are_refused(tmp_path):
    made = roster(2, tmp_path, two_parties_know=True)
    with pytest.raises(SessionError, match="at least 3 parties"):
        NormedLinks(made.session, 0, made.keys[0])


@pytest.mark.parametrize("address", ["", "host", "host:", ":7000", "host:99999", "host:x"])
def test_each_party_needs_an_address(tmp_path, address):
    made = roster(3, tmp_path)
    plain = made.session.as_plain()
    plain["party"][1]["address"] = address
    with pytest.raises(SessionError, match="no address for P1"):
        NormedLinks(session_of(plain), 0, made.keys[0])


@pytest.mark.parametrize("pem", ["", "-----BEGIN CERTIFICATE-----\nAAAA\n"])
def test_each_party_needs_a_certificate(tmp_path, pem):
    made = roster(3, tmp_path)
    plain = made.session.as_plain()
    plain["party"][1]["certificate"] = pem
    with pytest.raises(SessionError, match="no certificate for P1"):
        NormedLinks(session_of(plain), 0, made.keys[0])


def test_two_parties_cant_share_a_certificate(tmp_path):
    made = roster(3, tmp_path)
    plain = made.session.as_plain()
    plain["party"][1]["certificate"] = plain["party"][2]["certificate"]
    with pytest.raises(SessionError, match="same certificate"):
        NormedLinks(session_of(plain), 0, made.keys[0])


def test_the_key_must_be_mine_and_for_my_eyes_only(tmp_path):
    made = roster(3, tmp_path)
    with pytest.raises(InputError, match="isn't the private key of the certificate"):
        NormedLinks(made.session, 0, made.keys[1])
    with pytest.raises(InputError, match="can't be read"):
        NormedLinks(made.session, 0, tmp_path / "missing")
    made.keys[0].chmod(0o640)
    with pytest.raises(InputError, match="chmod 600"):
        NormedLinks(made.session, 0, made.keys[0])


@pytest.mark.parametrize(
    ("part", "rule"),
    [
        (np.array([1.0, np.nan]), "NaN"),
        (np.array([np.inf]), "NaN or infinity"),
        (np.array([2.0**20]), "bound at 40 fraction bits"),
        (np.array(["a"]), "dtype"),
        (np.empty(0), "1 to 1048576 numbers"),
        (np.zeros(2**20 + 1), "1 to 1048576 numbers"),
    ],
)
def test_what_no_sum_can_hold_is_refused_before_links_are_made(tmp_path, part, rule):
    made = roster(3, tmp_path)
    links = NormedLinks(made.session, 0, made.keys[0], limit=0.1)
    with links, pytest.raises(InputError, match=rule):
        links.normed_sum(part)


def test_a_process_has_one_at_a_time(tmp_path):
    made = roster(3, tmp_path)
    first = Impostor(made, 1, shown_by(made, 1), ["hello"])
    links = NormedLinks(made.session, 0, made.keys[0], limit=1)
    other = NormedLinks(made.session, 0, made.keys[0], limit=1)
    with ThreadPoolExecutor(1) as aside:
        waiting = aside.submit(links.normed_sum, np.ones(2))
        while not first.heard:
            time.sleep(0.01)
        with pytest.raises(InputError, match="has a normed sum open already"):
            other.normed_sum(np.ones(2))
        with pytest.raises(LinkError, match="P2"):
            waiting.result()
    with other, pytest.raises(LinkError, match="P2"):
        other.normed_sum(np.ones(2))
    first.socket.close()
