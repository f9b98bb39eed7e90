"""A hostile relay between honest parties: whatever it alters of hellos, nobody masks anything."""

import pytest

from chatham.commons.secure.agreement import Message, epoch_of
from chatham.commons.secure.frames import make_frame, read_frame
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


@pytest.mark.parametrize("field", ["nonce", "corpus"])
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
        with pytest.raises(ProtocolError, match="one hello from each party"):
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
    with pytest.raises(ProtocolError, match="all-zero secret"):
        everybody[0].shares(epoch, hellos)


def test_an_epoch_hangs_on_the_session_and_on_each_hello():
    frames = [hand.hello.frame for hand in hands()]
    others = [
        epoch_of(SESSION, replaced(frames, i, hands(name="b")[i].hello.frame)) for i in range(3)
    ]
    made = {epoch_of(SESSION, frames), epoch_of(secret("x"), frames), *others}
    assert len(made) == 5
