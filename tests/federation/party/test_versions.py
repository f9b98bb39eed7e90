"""A hello says which version a party has; what happens if they differ is in `test_mistakes`."""

import re

import numpy as np
import pytest

from chatham.commons.secure import frames
from chatham.commons.secure.agreement import Handshake
from chatham.errors import ChangedError, Refused
from chatham.federation.party import epochs, http_link
from chatham.federation.party.http_link import HttpLink
from chatham.federation.relay.service import relay_app
from chatham.version import version
from tests.federation.parties import Federation, all_good, http_relay, play, together


@pytest.mark.parametrize("name", ["2.0", "1.0+" + 36 * "x"])
def test_a_session_that_another_version_began_is_refused_at_home(tmp_path, name):
    """Everybody has moved on to another version: nothing is sent, and the cure is told."""
    federation = Federation(tmp_path)
    parties = [federation.connect(i, version=name) for i in range(3)]
    all_good(together(*(lambda p=p: play(p, 2) for p in parties)))
    with pytest.raises(ChangedError, match=re.escape(f"Install Chatham {name} here")):
        federation.connect(0, version="3.0")
    assert not federation.links[0][-1].heard
    assert all_good(together(lambda: play(federation.connect(0, version=name), 2)))


def test_the_roll_of_0_3_0_says_no_version(tmp_path, monkeypatch):
    """It is older than any that says one."""
    federation, made = Federation(tmp_path), epochs._roll

    def without_version(*arguments):
        rows = epochs._rows(made(*arguments))
        return np.frombuffer(b"".join([*rows[:6], rows[-1]]), "<u8")

    monkeypatch.setattr(epochs, "_roll", without_version)
    monkeypatch.setattr(epochs, "_version", lambda roll, parties: "2.0")
    parties = [federation.connect(i, version="2.0") for i in range(3)]
    all_good(together(*(lambda p=p: play(p, 1) for p in parties)))
    monkeypatch.undo()
    with pytest.raises(ChangedError, match=r"began with Chatham 0\.3\.0 or older"):
        federation.connect(0, version="2.0")


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
