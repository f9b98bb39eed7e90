"""Parties with different versions of Chatham are told so, by name, before anything crosses."""

import re

import numpy as np
import pytest

from chatham.commons.secure import frames
from chatham.commons.secure.agreement import Handshake
from chatham.errors import ProtocolError, Refused
from chatham.federation import join
from chatham.federation.party import http_link
from chatham.federation.party.http_link import HttpLink
from chatham.federation.relay.service import relay_app
from chatham.version import version
from tests.federation.parties import Federation, all_good, http_relay, play, together

SAID = "^P1 has Chatham 2.0, and I have {}; nothing was sent. Install the same version"


def joined(federation, *versions, rounds=2):
    parties = [federation.connect(i, version=told) for i, told in enumerate(versions)]
    return together(*(lambda p=p: play(p, rounds) for p in parties))


def kinds(federation):
    return {f.kind for links in federation.links for link in links for f, _ in link.heard}


def test_all_are_told_who_has_another_version(tmp_path):
    federation = Federation(tmp_path)
    first, second, third = joined(federation, "1.0", "2.0", "1.0")
    for error in (first, third):
        assert isinstance(error, ProtocolError)
        assert re.match(SAID.format("1.0"), str(error))
    assert str(second).startswith("P0 has Chatham 1.0, P2 has Chatham 1.0, and I have 2.0; ")
    assert kinds(federation) == {"hello"}


def test_with_the_same_version_they_go_on_from_there(tmp_path):
    federation = Federation(tmp_path)
    joined(federation, "1.0", "2.0", "1.0")
    federation.relay.board.take(
        federation.connect(1, version="1.0")._epochs._handshake.hello.frame, b""
    )
    totals = all_good(joined(federation, "1.0", "1.0", "1.0"))
    assert all(len(found) == 2 for found in totals)


def test_who_comes_back_with_another_version_is_told(tmp_path):
    federation = Federation(tmp_path)
    all_good(joined(federation, "1.0", "1.0", "1.0"))
    results = joined(federation, "1.0", "2.0", "1.0", rounds=3)
    assert all(isinstance(error, ProtocolError) for error in results)
    assert re.match(SAID.format("1.0"), str(results[0]))
    assert (
        max(frame.round for links in federation.links for ln in links for frame, _ in ln.heard) == 2
    )


def test_a_session_that_another_version_began_is_refused_at_home(tmp_path, monkeypatch):
    """Everybody has moved on to another version: nothing is sent, and the cure is told."""
    federation = Federation(tmp_path)
    words, state = np.zeros(5, np.uint64), bytes(32)
    monkeypatch.setattr(join, "version", lambda: "0.1.0")
    about = join.about_this(b"words")
    parties = [federation.connect(i, version="0.1.0") for i in range(3)]
    all_good(together(*(lambda p=p: p.round(words, about, state) for p in parties)))
    monkeypatch.setattr(join, "version", lambda: "0.2.0")
    again = federation.connect(0, version="0.2.0")
    with pytest.raises(
        ProtocolError, match=r"the program .* has changed since\. Start a new session"
    ):
        again.round(words, join.about_this(b"words"), state)
    assert not federation.links[0][-1].heard


def test_a_hello_tells_the_version_that_is_installed(tmp_path):
    connection = Federation(tmp_path).connect(0)
    assert connection._epochs._handshake.hello.frame.header["version"] == version()
    identity, session = connection.identity, connection.session.hash
    assert Handshake(identity, session, 0, 3).hello.frame.header["version"] == version()


@pytest.mark.parametrize("format_", [1, frames.FORMAT - 1, frames.FORMAT + 1, 255])
def test_another_format_is_told_both_versions(tmp_path, monkeypatch, format_):
    """The relay can't read such a message, but the party is told why."""
    with http_relay(lambda s: relay_app([s], tmp_path)) as (session, identities):
        hello = Handshake(identities[0], session.hash, 0, 3).hello.frame
        other = frames.Frame(hello.header, b"CHATHAM" + bytes([format_]) + hello.raw[8:])
        link = HttpLink(session)
        monkeypatch.setattr(http_link, "version", lambda: "9.9")
        with pytest.raises(Refused) as refusal:
            link.say(other, b"")
        link.close()
    assert refusal.value.why == "format"
    assert str(refusal.value) == (
        f"The relay refuses: Chatham {version()} reads messages of format {frames.FORMAT}, and "
        f"this one has {format_}; install the same version everywhere. (I have Chatham 9.9.)"
    )
