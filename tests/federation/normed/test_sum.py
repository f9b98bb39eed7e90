"""Normed sums between real processes on loopback, under TLS."""

import re
import socket
import ssl

import numpy as np
import pytest

from chatham.federation.normed.runtime import PRIME
from tests.federation.normed.direct import certificate, outputs, roster
from tests.federation.normed.normed_links import Listener, check, messages

pytest.importorskip("mpyc")


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
    assert all(re.match(r"ProtocolError: P\d is summing other|LinkError: .* P\d", w) for w in said)
    assert any("is summing other statistics than I am; nothing was sent" in words for words in said)
    assert not any(made.results(index) for index in range(3))


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
