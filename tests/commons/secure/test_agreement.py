"""Parties come to the same secrets, in each epoch once, and in none twice."""

from itertools import product

import numpy as np
import pytest

from chatham.commons.secure import agreement
from chatham.commons.secure.agreement import Handshake, Message, machines_of
from chatham.commons.secure.frames import read_frame
from chatham.errors import ProtocolError
from tests.federation.test_hostile_relay import CHAIN, Honest, run, stepped
from tests.vectors import load
from tests.vectors.fixed import ROSTER, SESSION, agreed, hands, identity

FROZEN = load("agreement")


# -- the honest case


@pytest.mark.parametrize("parties", [1, 2, 3, 5])
def test_behind_an_honest_relay_all_have_the_same_secrets(parties):
    masks = run(Honest(), hands(parties))
    assert len(masks) == parties
    assert len({each.group for each in masks}) == len({each.epoch for each in masks}) == 1
    for one, other in product(range(parties), repeat=2):
        if one != other:
            assert masks[one].pairs[other] == masks[other].pairs[one]
    pairs = {key for each in masks for key in each.pairs.values()}
    assert len(pairs) == parties * (parties - 1) // 2


def test_an_agreement_is_the_one_that_was_frozen():
    everybody = hands()
    epoch, hellos, shares, masks = agreed(everybody)
    confirms = [h.confirm(m, shares, 4, CHAIN) for h, m in zip(everybody, masks, strict=True)]
    assert epoch.hex() == FROZEN["epoch"]
    assert masks[2].group.hex() == FROZEN["group"]
    for name, messages in {"hellos": hellos, "shares": shares, "confirms": confirms}.items():
        found = [(m.frame.raw.hex(), m.body.hex()) for m in messages]
        assert found == [(case["raw"], case["body"]) for case in FROZEN[name]]


def told(case):
    """A message as it comes in."""
    frame = read_frame(bytes.fromhex(case["raw"]), SESSION, ROSTER)
    return Message(frame, bytes.fromhex(case["body"]))


def test_frozen_messages_are_agreed_on():
    """As if they had come in: read, checked, opened."""
    read = {
        name: [told(case) for case in FROZEN[name]] for name in ("hellos", "shares", "confirms")
    }
    everybody = hands()
    agreed(everybody)
    epoch = everybody[0].epoch_of(read["hellos"])
    for hand in everybody:
        masks = hand.masks(epoch, read["hellos"], read["shares"])
        hand.check_confirmed(masks, read["shares"], read["confirms"])


def test_more_parties_than_a_byte_counts_can_agree():
    """A simulation may have as many holders as it likes."""
    everybody = [Handshake(identity(0), SESSION, i, 258) for i in (0, 257)]
    hellos = [Message(everybody[0].hello.frame)] * 257 + [everybody[1].hello]
    keys = {everybody[0]._key(hellos, b"", 0, 257), everybody[1]._key(hellos, b"", 0, 257)}
    assert len(keys) == 1
    assert agreement._encoded_indices(1, 256) != agreement._encoded_indices(257, 0)


# -- an epoch once, and never again


def test_the_same_shares_and_masks_come_back_if_asked_again():
    """A relay that makes me begin the same epoch again gets no second set of masks."""
    everybody = hands()
    epoch, hellos, shares, masks = agreed(everybody)
    masks[0].cover(np.zeros(1, np.uint64), 1, bytes(32))
    assert everybody[0].shares(epoch, hellos) is shares[0]
    again = everybody[0].masks(epoch, hellos, shares)
    assert again is masks[0]
    with pytest.raises(ProtocolError, match="Round 1 was masked"):
        again.cover(np.ones(1, np.uint64), 1, bytes(32))


def test_other_shares_in_the_same_epoch_are_refused():
    """A party that colludes with the relay shares anew: my words would get a second tag."""
    everybody = hands()
    epoch, hellos, shares, _ = agreed(everybody)
    twin = hands()[2]
    fresh = twin.shares(epoch, hellos)
    assert fresh.frame.raw != shares[2].frame.raw
    with pytest.raises(ProtocolError, match="other shares than before"):
        everybody[0].masks(epoch, hellos, [*shares[:2], fresh])


def test_other_shares_give_other_masks_between_two_as_well():
    everybody, others = hands(), hands()
    masks = agreed(everybody)[3]
    other_masks = agreed(others, name="other shares")[3]
    assert masks[0].epoch == other_masks[0].epoch
    for index in range(3):
        assert not set(masks[index].pairs.values()) & set(other_masks[index].pairs.values())


def test_an_epoch_that_is_over_never_comes_back():
    """Its keys have sealed a share already; another one under them would give away both."""
    everybody = hands()
    first, hellos, _, _ = agreed(everybody)
    everybody[2] = hands(name="again")[2]
    later = [hand.hello for hand in everybody]
    second = everybody[0].epoch_of(later)
    everybody[0].shares(second, later)
    with pytest.raises(ProtocolError, match="epoch that is over"):
        everybody[0].shares(first, hellos)
    assert everybody[0].shares(second, later).frame.hash_of("epoch") == second


def test_no_sealing_key_serves_twice(monkeypatch):
    """Whatever order the relay plays hellos in, a key seals one message."""
    sealed = {}
    real = agreement.seal

    def once(key, message, about):
        assert sealed.setdefault(key, message) == message
        return real(key, message, about)

    monkeypatch.setattr(agreement, "seal", once)
    me = hands()[0]
    runs = [[me.hello, *(h.hello for h in hands(name=f"run {n}")[1:])] for n in range(4)]
    for n in (0, 1, 1, 0, 2, 0, 3, 1, 2):
        stepped(lambda h, hellos=runs[n]: h.shares(h.epoch_of(hellos), hellos), [me])
    assert len(sealed) == 4 * 2


def test_an_epoch_is_confirmed_once():
    """With two confirms, a relay could show each party another, and so another party ahead."""
    everybody = hands()
    epoch, hellos, shares, masks = agreed(everybody)
    me = everybody[0]
    assert not me.has_confirmed(epoch)
    me.confirm(masks[0], shares, 4, CHAIN)
    assert me.has_confirmed(epoch)
    assert me.masks(epoch, hellos, shares) is masks[0]
    for completed in (4, 5):
        with pytest.raises(ProtocolError, match="confirmed before"):
            me.confirm(masks[0], shares, completed, CHAIN)


def test_nobody_confirms_an_epoch_that_is_over():
    everybody = hands()
    _, _, shares, masks = agreed(everybody)
    everybody[2] = hands(name="again")[2]
    later = [hand.hello for hand in everybody]
    everybody[0].shares(everybody[0].epoch_of(later), later)
    with pytest.raises(ProtocolError, match="only a new hello"):
        everybody[0].confirm(masks[0], shares, 4, CHAIN)


def test_the_group_reads_everybodys_machine_from_what_was_confirmed():
    kinds = [bytes([1] * 32), bytes([1] * 32), bytes([2] * 32)]
    everybody = [Handshake(identity(i), SESSION, i, 3, numerics=kinds[i]) for i in range(3)]
    _, _, shares, masks = agreed(everybody)
    confirms = [h.confirm(m, shares, 0, CHAIN) for h, m in zip(everybody, masks, strict=True)]
    assert all(machines_of(each, confirms) == kinds for each in masks)
    shown = {message.frame.header["machine"] for message in confirms}
    assert len(shown) == 3
    assert not shown & {kind.hex() for kind in kinds}


def test_masks_without_shares_of_mine_are_refused():
    everybody = hands()
    epoch, hellos, shares, _ = agreed(everybody)
    with pytest.raises(ProtocolError, match="no shares of mine"):
        hands()[0].masks(epoch, hellos, shares)
