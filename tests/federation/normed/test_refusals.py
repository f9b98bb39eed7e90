"""What is refused before anything leaves for a normed sum."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from chatham.errors import InputError, LinkError, SessionError
from chatham.federation.normed.sum import NormedLinks
from chatham.federation.session import session_of
from tests.federation.normed.direct import roster
from tests.federation.normed.normed_links import Impostor, Patience, shown_by

pytest.importorskip("mpyc")


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


def test_a_process_has_one_at_a_time(tmp_path, monkeypatch):
    made, over = roster(3, tmp_path), threading.Event()
    Patience(monkeypatch, over.is_set)
    first = Impostor(made, 1, shown_by(made, 1), ["hello"])
    links = NormedLinks(made.session, 0, made.keys[0], limit=1)
    other = NormedLinks(made.session, 0, made.keys[0], limit=1)
    with ThreadPoolExecutor(1) as aside:
        waiting = aside.submit(links.normed_sum, np.ones(2))
        while not first.heard:
            time.sleep(0.01)
        with pytest.raises(InputError, match="already has a normed sum open"):
            other.normed_sum(np.ones(2))
        over.set()
        with pytest.raises(LinkError, match="P2"):
            waiting.result()
    with other, pytest.raises(LinkError, match="P2"):
        other.normed_sum(np.ones(2))
    first.socket.close()
