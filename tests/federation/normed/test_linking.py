"""When a party has direct links, and with which key."""

import os
from dataclasses import replace

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError, SessionError
from chatham.federation.normed.linking import (
    check_links,
    direct_key_of,
    enough_rounds,
    links_of,
    uses_links,
)
from tests.federation.normed.direct import roster

pytest.importorskip("mpyc")
NORMED = {"n_components": 2, "sums": "normed"}


@pytest.fixture
def made(tmp_path):
    """Three parties whose first has both keys in one folder."""
    found = roster(3, tmp_path)
    found.session = replace(found.session, algorithm="svd", parameters=NORMED)
    found.identities[0].save(tmp_path / "north.key")
    return found


def with_key(made):
    os.rename(made.keys[0], direct_key_of(made.folder / "north.key"))
    return made.folder / "north.key"


def test_only_normed_sums_use_them(made):
    assert uses_links(made.session)
    assert not uses_links(replace(made.session, parameters={"sums": "secure"}))
    assert not uses_links(replace(made.session, algorithm="nmf"))


def test_a_session_without_addresses_cannot_have_them(made):
    bare = tuple(replace(member, address="", certificate="") for member in made.session.parties)
    session = replace(made.session, parties=bare)
    with pytest.raises(SessionError, match="no address for P0"):
        check_links(session)
    with pytest.raises(SessionError, match="no address for P0"):
        links_of(session, with_key(made))
    plain = replace(session, parameters={})
    check_links(plain)
    assert links_of(plain, made.folder / "north.key") is None


def test_the_key_is_found_beside_the_identitys(made):
    key = with_key(made)
    links = links_of(made.session, key)
    assert links is not None
    assert links.index == 0
    assert links_of(replace(made.session, parameters={}), key) is not None


def test_a_missing_key_is_refused_only_where_it_is_needed(made):
    key = made.folder / "north.key"
    with pytest.raises(InputError, match=r"no '.*north.direct.key'.*--direct-key"):
        links_of(made.session, key)
    assert links_of(replace(made.session, parameters={}), key) is None
    assert links_of(made.session, key, made.keys[0]) is not None


def test_a_certificate_that_somebody_put_in_my_name_is_refused(made):
    """So all certificates of a session are right if all parties have the same session."""
    first, second, third = made.session.parties
    swapped = (
        replace(first, certificate=second.certificate),
        replace(second, certificate=first.certificate),
    )
    with pytest.raises(InputError, match="isn't the private key of the certificate"):
        links_of(replace(made.session, parties=(*swapped, third)), with_key(made))


def test_a_bare_party_has_links_too(made):
    key = with_key(made)
    party = ch.join(made.session, np.ones((40, 3)), key=key, folder=made.folder / "party")
    assert party.links is not None
    party.close()


def test_there_are_rounds_enough():
    assert enough_rounds("svd", {}) == enough_rounds("svd", {**NORMED, "max_iter": 5}) == 10_000
    assert enough_rounds("svd", {**NORMED, "max_iter": 5000}) == 41_000
    assert enough_rounds("svd", {**NORMED, "max_iter": 10**6}) == 10**6


def test_a_session_for_something_of_ones_own_uses_none(made):
    """`ch.join` takes part in any session; only fits need a learner of ours."""
    own = replace(made.session, algorithm="mine", parameters={})
    assert not uses_links(own)
    assert links_of(own, made.folder / "north.key") is None
