"""Who answers at a party's address: nobody, somebody else, or one that breaks the rules."""

import re
import socket
import struct

import numpy as np
import pytest

from chatham.errors import LinkError, ProtocolError
from chatham.federation.normed.sum import NormedLinks
from tests.federation.normed.direct import certificate, roster
from tests.federation.normed.normed_links import Impostor, Patience, shown_by

MORE = "P1 sent more than this step of the protocol allows"

pytest.importorskip("mpyc")


def test_a_missing_party_is_named_in_time(tmp_path):
    made = roster(3, tmp_path)
    links = NormedLinks(made.session, 0, made.keys[0], limit=0.2)
    with links, pytest.raises(LinkError, match=r"with P1, P2 could be opened within 0\.2 seconds"):
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


def test_a_strangers_certificate_at_a_partys_address_is_refused(tmp_path, monkeypatch):
    made = roster(3, tmp_path)
    honest = Impostor(made, 2, shown_by(made, 2), ["hello"])
    stranger = Impostor(made, 1, certificate("P1", tmp_path / "stranger"), ["hello"])
    links = NormedLinks(made.session, 0, made.keys[0], limit=0.5)
    Patience(monkeypatch, lambda: stranger.refused and 2 in links._links.wires)
    with links, pytest.raises(LinkError, match="with P1 could be opened"):
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
    with links, pytest.raises(LinkError, match="with P1, P2 could be opened"):
        links.normed_sum(np.ones(3))
    assert wrong.heard == b""
    wrong.socket.close()


HEAD = struct.Struct("<qI")


@pytest.mark.parametrize(
    ("says", "error"),
    [
        ([bytes(32)], "P1 has a different session file from mine"),
        (["hello", HEAD.pack(-1, 2**31)], MORE),
        (
            ["hello", HEAD.pack(-1, 65), bytes(65)],
            MORE,
        ),
        (["hello", HEAD.pack(-1, 32), bytes(32)], "P1 is summing other statistics than I am"),
        (
            ["hello", *[HEAD.pack(5, 60) + bytes(60)] * 50],
            MORE,
        ),
    ],
)
def test_a_party_that_breaks_the_rules_is_named(tmp_path, says, error):
    made = roster(3, tmp_path)
    rude = Impostor(made, 1, shown_by(made, 1), says)
    quiet = Impostor(made, 2, shown_by(made, 2), ["hello"])
    links = NormedLinks(made.session, 0, made.keys[0], limit=300)
    with links, pytest.raises(ProtocolError, match=error):
        links.normed_sum(np.ones(3))
    rude.socket.close()
    quiet.socket.close()


@pytest.mark.parametrize(
    ("finished", "error"),
    [(1, "wasn't done within 0.7 seconds"), (0, "P1 ")],
)
def test_whoever_has_done_a_sum_may_go_and_nobody_else(tmp_path, monkeypatch, finished, error):
    """Its messages are all here by then; the sum waits for the others', or ends at once."""
    made = roster(3, tmp_path)
    goodbye = HEAD.pack(0, 8) + finished.to_bytes(8, "little")
    gone = Impostor(made, 1, shown_by(made, 1), ["hello", goodbye, "hang up"])
    quiet = Impostor(made, 2, shown_by(made, 2), ["hello"])
    Patience(monkeypatch)
    links = NormedLinks(made.session, 0, made.keys[0], limit=0.7 if finished else 300)
    with links, pytest.raises(LinkError, match=re.escape(error)):
        links.normed_sum(np.ones(3))
    gone.socket.close()
    quiet.socket.close()
