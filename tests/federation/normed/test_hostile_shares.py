"""A hostile relay that alters shares and confirms: nobody masks anything."""

import pytest

from chatham.commons.secure.agreement import SEALED, Message
from chatham.commons.secure.frames import make_frame
from chatham.errors import ProtocolError
from tests.federation.test_hostile_relay import CHAIN, EVERY, Honest, forged, replaced, run
from tests.vectors.fixed import SESSION, agreed, hands, identity, secret

# -- shares


class OtherShares(Honest):
    """Shows some parties other shares of one, made by `forge`."""

    def __init__(self, victim, audience, forge):
        self.victim, self.audience, self.forge = victim, audience, forge

    def shares(self, messages, to):
        if to not in self.audience:
            return messages
        return replaced(messages, self.victim, self.forge(messages))


def with_body(message, body, by):
    """Other shares, signed as if they were the party's own."""
    named = {"session": SESSION, "party": message.frame.party}
    epoch = message.frame.hash_of("epoch")
    return Message(make_frame(identity(by), "shares", **named, epoch=epoch, body=body), body)


@pytest.mark.parametrize(("victim", "audience"), EVERY)
@pytest.mark.parametrize("place", [0, SEALED + 3, 2 * SEALED + 47])
def test_an_altered_share_is_caught(victim, audience, place):
    def altered(message):
        body = bytearray(message.body)
        body[place] ^= 1
        return bytes(body)

    def signed(messages):
        return with_body(messages[victim], altered(messages[victim]), victim)

    def unsigned(messages):
        return Message(messages[victim].frame, altered(messages[victim]))

    assert run(OtherShares(victim, audience, signed), hands()) == []
    went_on = run(OtherShares(victim, audience, unsigned), hands())
    only_the_victim = audience == (victim,)  # who knows its own share without reading it
    assert len(went_on) == (3 if only_the_victim else 0)


@pytest.mark.parametrize("body", [b"", bytes(SEALED), bytes(3 * SEALED - 1), bytes(4 * SEALED)])
def test_shares_of_another_length_are_caught(body):
    relay = OtherShares(0, (1, 2), lambda m: with_body(m[0], body, 0))
    assert run(relay, hands()) == []


@pytest.mark.parametrize("more", [b"x", bytes(SEALED)])
def test_shares_with_something_behind_them_are_refused(more):
    everybody = hands()
    epoch, hellos, shares, _ = agreed(everybody)
    longer = with_body(shares[0], shares[0].body + more, 0)
    fresh = hands()[1]
    mine = fresh.shares(epoch, hellos)
    with pytest.raises(ProtocolError, match="one for each party"):
        fresh.masks(epoch, hellos, [longer, mine, shares[2]])


def test_messages_of_another_epoch_are_refused_before_they_are_opened():
    everybody, other = hands(), hands()
    epoch, hellos, shares, masks = agreed(everybody)
    other[2] = hands(name="again")[2]
    _, _, old_shares, old_masks = agreed(other)
    old = other[0].confirm(old_masks[0], old_shares, 0, CHAIN)
    confirms = [h.confirm(masks[h.index], shares, 0, CHAIN) for h in everybody]
    with pytest.raises(ProtocolError, match="shares of another epoch"):
        everybody[1].masks(epoch, hellos, [old_shares[0], *shares[1:]])
    with pytest.raises(ProtocolError, match="confirm of another epoch"):
        everybody[1].check_confirmed(masks[1], shares, [old, *confirms[1:]])


def test_shares_sealed_for_another_are_caught():
    def swapped(messages):
        body = messages[0].body
        return with_body(
            messages[0], body[:SEALED] + body[2 * SEALED :] + body[SEALED : 2 * SEALED], 0
        )

    assert run(OtherShares(0, (1, 2), swapped), hands()) == []


def test_another_partys_shares_are_refused():
    relay = OtherShares(0, (2,), lambda m: m[1])
    assert run(relay, hands()) == []


def test_shares_of_another_epoch_are_refused():
    other = hands()
    other[2] = hands(name="again")[2]
    shares = agreed(other)[2]
    assert run(OtherShares(0, (1,), lambda m: shares[0]), hands()) == []


# -- confirms


class OtherConfirm(Honest):
    def __init__(self, audience, forge):
        self.audience, self.forge = audience, forge

    def confirms(self, messages, to):
        return self.forge(messages) if to in self.audience else messages


@pytest.mark.parametrize(
    "forge",
    [
        lambda m: m[:2],
        lambda m: [m[1], m[0], m[2]],
        lambda m: [m[0], m[0], m[2]],
        lambda m: [*m[:2], forged(m[2], 2, proof=secret("guess").hex())],
        lambda m: [*m[:2], forged(m[2], 2, proof=m[1].frame.header["proof"])],
    ],
    ids=["one short", "reordered", "one twice", "a guess", "another's proof"],
)
def test_confirms_that_arent_everybodys_are_caught(forge):
    went_on = run(OtherConfirm((0, 1, 2), forge), hands())
    assert went_on == []


def test_a_confirm_of_another_epoch_is_caught():
    everybody = hands(name="earlier")
    _, _, shares, masks = agreed(everybody)
    old = everybody[1].confirm(masks[1], shares, 0, CHAIN)
    assert run(OtherConfirm((0, 1, 2), lambda m: [m[0], old, m[2]]), hands()) == []
