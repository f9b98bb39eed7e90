"""Masks cancel, hide, are made once, and an altered total is refused."""

import hashlib
import hmac
import tracemalloc

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from hypothesis import given
from hypothesis import strategies as st

from chatham.commons.fixed_point import LARGEST
from chatham.commons.secure.agreement import Handshake
from chatham.commons.secure.keys import Identity
from chatham.commons.secure.masks import CHUNK, TAG, Masks, add_stream
from chatham.commons.secure.tags import PRIME
from chatham.errors import InputError, TotalError
from tests.vectors import load
from tests.vectors.fixed import agreed, hands, secret

FROZEN = load("masked")
DIGEST = secret("digest")


def words_of(numbers):
    return np.array(numbers, np.int64).view(np.uint64)


def from_hex(words):
    return np.array([int(word, 16) for word in words], np.uint64)


def frozen_masks():
    epoch, masks = agreed(hands())[0], []
    for index, keys in enumerate(FROZEN["keys"]):
        pairs = {int(other): bytes.fromhex(key) for other, key in keys["pairs"].items()}
        masks.append(Masks(index, epoch, pairs, bytes.fromhex(keys["group"])))
    return masks


def covered(masks, parts, round_=1):
    return [m.cover(words_of(p), round_, DIGEST) for m, p in zip(masks, parts, strict=True)]


# -- the stream


def stream_of(key, length):
    """A key's stream, made by adding it to nothing."""
    words = np.zeros(-(-length // 8), np.uint64)
    add_stream(words, key)
    return words.astype("<u8").tobytes()[:length]


def test_the_stream_is_the_one_that_was_frozen():
    words = np.zeros(12, np.uint64)
    add_stream(words, bytes.fromhex(FROZEN["stream"]["key"]))
    assert [f"{int(word):016x}" for word in words] == FROZEN["stream"]["words"]


@pytest.mark.parametrize(
    "length", [0, 1, 2, 7, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 3]
)
def test_a_stream_doesnt_depend_on_how_it_is_cut(length):
    key, start = secret("key"), np.arange(length, dtype=np.uint64)
    whole = Cipher(ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(8 * length))
    expected = [
        (i + int.from_bytes(whole[8 * i : 8 * i + 8], "little")) % 2**64 for i in range(length)
    ]
    words = start.copy()
    add_stream(words, key)
    assert words.tolist() == expected
    add_stream(words, key, subtract=True)
    assert np.array_equal(words, start)


def test_a_stream_is_added_in_place_also_to_words_that_lie_apart():
    apart = np.zeros(20, np.uint64)
    add_stream(apart[::2], secret("key"))
    assert apart[::2].astype("<u8").tobytes() == stream_of(secret("key"), 80)
    assert not apart[1::2].any()


def test_memory_stays_that_of_the_message():
    words = np.zeros(40 * CHUNK, np.uint64)
    masks = agreed(hands())[3][0]
    masks.cover(words[:10], 1, DIGEST)
    assert peak(lambda: add_stream(words, secret("key"))) < 3 * 8 * CHUNK
    words[:] = 0
    assert peak(lambda: masks.cover(words, 2, DIGEST)) < 1.1 * words.nbytes
    message = np.zeros(len(words) + TAG, np.uint64)
    add_stream(message, masks._group_key(2, DIGEST))
    assert peak(lambda: masks.uncover(message, 2, DIGEST)) < 1.1 * words.nbytes


def peak(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# -- messages and totals


def test_messages_and_total_are_those_that_were_frozen():
    masks = frozen_masks()
    parts = [from_hex(part) for part in FROZEN["parts"]]
    messages = [m.cover(p, 1, DIGEST) for m, p in zip(masks, parts, strict=True)]
    for message, expected in zip(messages, FROZEN["covered"], strict=True):
        assert np.array_equal(message, from_hex(expected))
    added = np.add.reduce(messages)
    assert np.array_equal(added, from_hex(FROZEN["added"]))
    for each in masks:
        assert np.array_equal(each.uncover(added, 1, DIGEST), from_hex(FROZEN["total"]))


@pytest.mark.parametrize("case", FROZEN["bad"], ids=lambda case: case["why"])
def test_a_total_that_was_refused_is_refused(case):
    masks = frozen_masks()
    covered(masks, [[1, -2, 3], [10, 20, -30], [0, 0, 5]])
    for each in masks:
        with pytest.raises(TotalError):
            each.uncover(from_hex(case["added"]), 1, DIGEST)


def hkdf(secret_, salt, info):
    """RFC 5869 by hand, for 32 bytes."""
    inner = hmac.new(salt, secret_, hashlib.sha256).digest()
    return hmac.new(inner, info + b"\x01", hashlib.sha256).digest()


def by_hand(masks, numbers, round_):
    """What `cover` should give, in Python's own whole numbers."""
    about = round_.to_bytes(8, "big") + DIGEST
    kappa = int.from_bytes(hkdf(masks.group, masks.epoch, b"chatham tag" + about), "big") % PRIME
    tag = sum(x * pow(kappa, j + 1, PRIME) for j, x in enumerate(numbers)) % PRIME
    message = [*numbers, tag % 2**32, tag >> 32]
    keys = [
        (hkdf(s, masks.epoch, b"chatham mask" + about), -1 if other < masks.index else 1)
        for other, s in masks.pairs.items()
    ]
    if masks.index == 0:
        keys.append((hkdf(masks.group, masks.epoch, b"chatham group" + about), 1))
    for key, sign in keys:
        stream = np.frombuffer(stream_of(key, 8 * len(message)), "<u8").tolist()
        message = [(word + sign * mask) % 2**64 for word, mask in zip(message, stream, strict=True)]
    return message


def test_a_message_is_what_the_definition_says():
    for masks in agreed(hands())[3]:
        numbers = [5, -(LARGEST // 3), LARGEST // 3, 0]
        assert masks.cover(words_of(numbers), 9, DIGEST).tolist() == by_hand(masks, numbers, 9)


@given(st.data(), st.integers(1, 6), st.integers(0, 9))
def test_the_sum_of_messages_uncovers_to_the_sum_of_parts_to_the_bit(data, parties, length):
    most = LARGEST // parties
    part = st.lists(st.integers(-most, most), min_size=length, max_size=length)
    parts = [data.draw(part) for _ in range(parties)]
    masks = epoch_of_all([Handshake(IDENTITIES[i], bytes(32), i, parties) for i in range(parties)])
    total = masks[-1].uncover(np.add.reduce(covered(masks, parts)), 1, DIGEST)
    assert total.view(np.int64).tolist() == [sum(column) for column in zip(*parts, strict=True)]


IDENTITIES = [Identity.new() for _ in range(10)]


def epoch_of_all(everybody):
    """An honest relay's epoch."""
    hellos = [hand.hello for hand in everybody]
    epoch = everybody[0].epoch_of(hellos)
    shares = [hand.shares(epoch, hellos) for hand in everybody]
    return [hand.masks(epoch, hellos, shares) for hand in everybody]


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("more", [1, 2**61 - 1, 2**63, 2**64 - 1, 2**64 - 2 * PRIME], ids=hex)
def test_a_relay_that_alters_a_word_is_caught(place, more):
    masks = epoch_of_all([Handshake(IDENTITIES[i], bytes(32), i, 3) for i in range(3)])
    added = np.add.reduce(covered(masks, [[1, -2, 3], [10, 20, -30], [0, 0, 5]]))
    added[place : place + 1] += np.uint64(more)
    with pytest.raises(TotalError):
        masks[1].uncover(added, 1, DIGEST)


def test_a_total_without_one_party_or_with_one_twice_is_caught():
    masks = epoch_of_all([Handshake(IDENTITIES[i], bytes(32), i, 3) for i in range(3)])
    messages = covered(masks, [[1], [2], [3]])
    for some in ([0, 1], [1, 2], [0, 0, 1, 2], [2]):
        with pytest.raises(TotalError):
            masks[0].uncover(np.add.reduce([messages[i] for i in some]), 1, DIGEST)


def test_the_total_of_another_round_is_caught():
    masks = agreed(hands())[3]
    first = np.add.reduce(covered(masks, [[1], [2], [3]], 1))
    second = np.add.reduce(covered(masks, [[1], [2], [3]], 2))
    with pytest.raises(TotalError):
        masks[0].uncover(first, 2, DIGEST)
    with pytest.raises(TotalError):
        masks[0].uncover(first, 1, DIGEST)
    with pytest.raises(TotalError):
        masks[0].uncover(second, 2, bytes(32))
    assert masks[0].uncover(second, 2, DIGEST).tolist() == [6]


def test_no_total_is_taken_before_my_own_part_was_sent():
    masks = agreed(hands())[3]
    with pytest.raises(TotalError, match="my last contribution"):
        masks[0].uncover(np.zeros(3, np.uint64), 1, DIGEST)


def test_uncovering_leaves_the_message_as_it_was():
    masks = agreed(hands())[3]
    added = np.add.reduce(covered(masks, [[1], [2], [3]]))
    before = added.copy()
    for each in masks:
        assert each.uncover(added, 1, DIGEST).tolist() == [6]
    assert np.array_equal(added, before)


def test_words_that_could_overflow_are_refused_before_they_are_masked():
    masks = agreed(hands())[3][0]
    for number in (LARGEST // 3 + 1, -(LARGEST // 3) - 1, 2**62):
        with pytest.raises(InputError, match="could overflow"):
            masks.cover(words_of([number]), 1, DIGEST)
    masks.cover(words_of([1]), 1, DIGEST)
