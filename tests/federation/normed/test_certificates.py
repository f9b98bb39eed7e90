"""Certificates for direct links: made, and refused where no link would come about with them."""

import os
import signal
import socket
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from cryptography import x509

from chatham.commons.secure.keys import save_private
from chatham.errors import LinkError, SessionError
from chatham.federation.addresses import check_port
from chatham.federation.normed.sum import NormedLinks, check_session
from chatham.federation.session import Member
from chatham.federation.tls import Credentials, check_certificate, new_certificate
from tests.federation.normed.direct import free_ports, roster

pytest.importorskip("mpyc")


def member(pem, name="North"):
    return Member(name, "ab" * 32, "127.0.0.1:7000", pem)


def test_a_certificate_names_its_party_for_a_year_and_belongs_to_its_key(tmp_path):
    pem, private = new_certificate("St Mary's, Süd")
    found = x509.load_pem_x509_certificate(pem.encode())
    assert found.subject.rfc4514_string() == "CN=St Mary's\\, Süd"
    assert found.not_valid_before_utc < datetime.now(UTC) - timedelta(hours=23)
    assert found.not_valid_after_utc > datetime.now(UTC) + timedelta(days=364)
    save_private(private, tmp_path / "direct.key")
    check_certificate(member(pem))
    Credentials(member(pem), tmp_path / "direct.key")
    assert "PRIVATE" not in pem


def test_no_two_are_alike():
    assert len({new_certificate("North")[0] for _ in range(3)}) == 3


@pytest.mark.parametrize("days", [0, -0.5])
def test_one_that_has_run_out_is_refused(days):
    with pytest.raises(
        SessionError, match=r"certificate of North is valid from .* which isn't now"
    ):
        check_certificate(member(new_certificate("North", days=days)[0]))


def test_a_damaged_one_is_refused():
    pem = new_certificate("North")[0]
    damaged = pem.replace(pem.splitlines()[1][:4], "AAAA")
    with pytest.raises(SessionError, match="certificate of North in the session is damaged"):
        check_certificate(member(damaged))
    with pytest.raises(SessionError, match="no certificate for North"):
        check_certificate(member(""))


def test_two_parties_cannot_have_one_address(tmp_path):
    session = roster(3, tmp_path).session
    check_session(session)
    first, second, third = session.parties
    same = replace(second, address=first.address)
    with pytest.raises(SessionError, match="same address"):
        check_session(replace(session, parties=(first, same, third)))
    old = replace(third, certificate=new_certificate("P2", days=0)[0])
    with pytest.raises(SessionError, match="certificate of P2 is valid"):
        check_session(replace(session, parties=(first, second, old)))


def test_a_port_that_is_taken_is_found_out():
    (port,) = free_ports(1)
    mine = replace(member(""), address=f"127.0.0.1:{port}")
    check_port(mine)
    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(LinkError, match=f"port {port}, which can't be listened on: Address already"),
    ):
        check_port(mine)


@pytest.mark.skipif(os.name != "posix", reason="signals are another matter there")
def test_whoever_stops_it_need_not_wait_for_the_others(tmp_path):
    made = roster(3, tmp_path)
    with NormedLinks(made.session, 0, made.keys[0], limit=3600) as links:
        aside = threading.Thread(target=interrupt_once_waiting, args=(links,))
        aside.start()
        with pytest.raises(KeyboardInterrupt):
            links.normed_sum(np.ones(2))
        aside.join()


def test_no_sum_starts_a_thread(tmp_path):
    """An interrupt while one starts would leave two, which run one event loop."""
    made = roster(3, tmp_path)
    with NormedLinks(made.session, 0, made.keys[0], limit=0.01) as links:
        before = threads_for_sums()
        with pytest.raises(LinkError):
            links.normed_sum(np.ones(2))
        assert threads_for_sums() == before != set()


def threads_for_sums():
    return {each for each in threading.enumerate() if each.name.startswith("chatham normed sum")}


def interrupt_once_waiting(links):
    """Ctrl-C when the main thread waits for the sum, and the sum for other parties."""
    is_waiting = False
    while not is_waiting:
        time.sleep(0.001)
        frame, names = sys._current_frames()[threading.main_thread().ident], []
        while frame is not None:
            names.append(frame.f_code.co_name)
            frame = frame.f_back
        is_waiting = names[0] == "wait" and "normed_sum" in names and links._links is not None
    os.kill(os.getpid(), signal.SIGINT)
