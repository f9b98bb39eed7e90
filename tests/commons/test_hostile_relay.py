"""A hostile relay between honest parties: whatever it alters, nobody masks anything."""

import pytest

from chatham.commons.agreement import SEALED, Message, epoch_of
from chatham.commons.frames import make_frame, read_frame
from chatham.errors import ProtocolError
from tests.vectors.fixed import ROSTER, SESSION, agreed, ephemeral_of, hands, identity, secret

CHAIN = secret("chain")


class Honest:
    """A relay that shows everybody what everybody said; others override what they alter."""

    def hellos(self, messages, to):
        return messages

    def shares(self, messages, to):
        return messages

    def confirms(self, messages, to):
        return messages


def run(relay, everybody):
    """All parties through a relay, step by step; those of them who would go on to mask."""
    hellos = [relay.hellos([h.hello for h in everybody], h.index) for h in everybody]
    epochs = stepped(lambda h: h.epoch_of(hellos[h.index]), everybody)
    shares = stepped(lambda h: h.shares(epochs[h.index], hellos[h.index]), everybody, epochs)
    if None in shares:
        return []
    seen = [relay.shares(shares, h.index) for h in everybody]
    masks = stepped(
        lambda h: h.masks(epochs[h.index], hellos[h.index], seen[h.index]), everybody, epochs
    )
    if None in masks:
        return []
    confirms = [h.confirm(masks[h.index], seen[h.index], 0, CHAIN) for h in everybody]

    def check(hand):
        shown = relay.confirms(confirms, hand.index)
        hand.check_confirmed(masks[hand.index], seen[hand.index], shown)
        return True

    done = stepped(check, everybody)
    return [masks[h.index] for h in everybody if done[h.index] is not None]


def stepped(step, everybody, before=None):
    """Each party's result of a step, None where it refused or had refused before."""
    results = []
    for hand in everybody:
        try:
            skip = before is not None and before[hand.index] is None
            results.append(None if skip else step(hand))
        except ProtocolError:
            results.append(None)
    return results


def forged(message, by, **changes):
    """A message with other fields, signed by a party that isn't the one it names, or is."""
    header = dict(message.frame.header)
    usual = ("session", "epoch", "round", "party", "kind", "size", "sha256")
    more = {k: v for k, v in header.items() if k not in usual} | changes
    frame = make_frame(
        identity(by),
        header["kind"],
        session=SESSION,
        party=header["party"],
        epoch=bytes.fromhex(header["epoch"]),
        body=message.body,
        **more,
    )
    return Message(frame, message.body)


def replaced(messages, place, message):
    return [*messages[:place], message, *messages[place + 1 :]]


# -- hellos


class OtherHello(Honest):
    """Shows some parties another hello of one, made by `forge`."""

    def __init__(self, victim, audience, forge):
        self.victim, self.audience, self.forge = victim, audience, forge

    def hellos(self, messages, to):
        if to not in self.audience:
            return messages
        return replaced(messages, self.victim, self.forge(messages[self.victim]))


EVERY = [(0, (1,)), (1, (0, 2)), (2, (0,)), (0, (0, 1, 2)), (1, (1,))]


@pytest.mark.parametrize(("victim", "audience"), EVERY)
def test_a_swapped_key_is_caught_though_its_signature_fits(victim, audience):
    """Even a relay that could sign for the victim leaves parties in unlike epochs."""
    mine = ephemeral_of(secret("relay"))
    relay = OtherHello(victim, audience, lambda m: forged(m, victim, key=mine.public.hex()))
    assert run(relay, hands()) == []


def test_a_swapped_key_that_isnt_signed_isnt_even_read():
    hello = hands()[0].hello
    fake = forged(hello, 1, key=ephemeral_of(secret("relay")).public.hex())
    with pytest.raises(ProtocolError, match="isn't signed"):
        read_frame(fake.frame.raw, SESSION, ROSTER)


@pytest.mark.parametrize("field", ["nonce", "corpus", "numerics"])
@pytest.mark.parametrize(("victim", "audience"), EVERY)
def test_any_other_field_of_a_hello_shown_differently_is_caught(field, victim, audience):
    other = secret("other").hex()
    relay = OtherHello(victim, audience, lambda m: forged(m, victim, **{field: other}))
    assert run(relay, hands()) == []


@pytest.mark.parametrize(("victim", "audience"), EVERY)
def test_a_hello_of_before_is_caught(victim, audience):
    """Replayed from an earlier run of the same party, properly signed."""
    old = hands(name="an earlier run")[victim].hello
    assert run(OtherHello(victim, audience, lambda m: old), hands()) == []


def test_an_earlier_hello_shown_to_all_others_leads_nowhere():
    """All but the victim agree on the epoch; the victim's share can't be opened or is missing."""
    old = hands(name="an earlier run")
    everybody = hands()
    assert run(OtherHello(1, (0, 2), lambda m: old[1].hello), everybody) == []


@pytest.mark.parametrize(
    "order", [(1, 0, 2), (0, 2, 1), (2, 1, 0), (0, 0, 2), (0, 1), (0, 1, 2, 2), ()]
)
def test_hellos_in_another_order_or_number_are_refused(order):
    everybody = hands()
    hellos = [hand.hello for hand in everybody]
    for hand in everybody:
        with pytest.raises(ProtocolError, match="one hello of each party"):
            hand.epoch_of([hellos[i] for i in order])


def test_a_message_of_another_kind_in_place_of_a_hello_is_refused():
    everybody = hands()
    _, hellos, shares, _ = agreed(everybody)
    with pytest.raises(ProtocolError, match="one hello"):
        everybody[0].epoch_of(replaced(hellos, 1, shares[1]))


def test_two_parties_with_the_same_key_are_refused():
    """The masks that a third has with the two of them could cancel, and bare its words."""
    everybody = hands()
    hellos = [hand.hello for hand in everybody]
    copied = forged(hellos[2], 2, key=hellos[0].frame.header["key"])
    with pytest.raises(ProtocolError, match="same key"):
        everybody[1].epoch_of([*hellos[:2], copied])


@pytest.mark.parametrize("point", [bytes(32), bytes([1]) + bytes(31)])
def test_a_key_that_leads_to_no_secret_is_refused(point):
    everybody = hands()
    hellos = replaced(
        [h.hello for h in everybody], 2, forged(everybody[2].hello, 2, key=point.hex())
    )
    epoch = everybody[0].epoch_of(hellos)
    with pytest.raises(ProtocolError, match="no secret"):
        everybody[0].shares(epoch, hellos)


def test_an_epoch_hangs_on_the_session_and_on_each_hello():
    frames = [hand.hello.frame for hand in hands()]
    others = [
        epoch_of(SESSION, replaced(frames, i, hands(name="b")[i].hello.frame)) for i in range(3)
    ]
    made = {epoch_of(SESSION, frames), epoch_of(secret("x"), frames), *others}
    assert len(made) == 5


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
