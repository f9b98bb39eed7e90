"""Totals that are handed over: opened by the group, and no two contents under one key."""

from itertools import product

import pytest

from chatham.commons.secure import sealing
from chatham.commons.secure.keys import seal
from chatham.commons.secure.sealing import SALT, seal_total, unseal_total
from chatham.errors import ProtocolError
from tests.vectors import load
from tests.vectors.fixed import agreed, hands, secret
from tests.vectors.make import sample_totals

FROZEN = load("sealed")


@pytest.fixture(scope="module")
def masks():
    return agreed(hands())[3]


def test_the_others_open_what_one_seals(masks):
    for sender, reader in product(range(3), repeat=2):
        sealed = seal_total(masks[sender], 7, b"a total")
        assert unseal_total(masks[reader], sender, 7, sealed) == b"a total"


def test_sealed_totals_are_those_that_were_frozen(masks):
    found = [seal_total(masks[s], n, content).hex() for s, n, content in sample_totals()]
    assert found == [case["sealed"] for case in FROZEN["good"]]


@pytest.mark.parametrize("case", FROZEN["bad"], ids=lambda case: case["why"])
def test_what_was_altered_is_refused(masks, case):
    with pytest.raises(ProtocolError):
        unseal_total(masks[2], case["sender"], case["number"], bytes.fromhex(case["sealed"]))


def test_every_sender_number_and_content_has_its_own_key(masks, monkeypatch):
    """Also where all else is the same, as for a party whose folder was restored."""
    keys = {}

    def once(key, message, about):
        assert keys.setdefault(key, (message, about)) == (message, about)
        return seal(key, message, about)

    monkeypatch.setattr(sealing, "seal", once)
    contents = (b"", b"a", b"b", bytes(40))
    for sender, number, content in product(range(3), (0, 1, 256), contents):
        seal_total(masks[sender], number, content)
    assert len(keys) == 3 * 3 * len(contents)


def test_the_same_again_is_the_same_bytes(masks):
    assert seal_total(masks[0], 1, b"a") == seal_total(masks[0], 1, b"a")


def test_a_salt_tells_nothing_to_whoever_guesses_the_content(masks):
    """It is another one in another epoch, though all else is the same."""
    later = agreed(hands(name="later"))[3]
    assert seal_total(masks[0], 1, b"a")[:SALT] != seal_total(later[0], 1, b"a")[:SALT]


def test_a_salt_of_ones_own_choice_is_refused(masks):
    """A party that reuses a salt would reuse its key: nobody takes such a total."""
    origin = sealing._origin(0, 1)
    key = sealing._key(masks[0], origin, secret("salt"))
    sealed = secret("salt") + seal(key, b"a total", masks[0].epoch + origin)
    with pytest.raises(ProtocolError, match="salt that isn't its own"):
        unseal_total(masks[1], 0, 1, sealed)
