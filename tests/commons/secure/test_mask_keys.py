"""One plaintext, one mask: no key ever covers two contributions, whatever crashes."""

import hashlib
from collections import Counter, defaultdict

import numpy as np
import pytest

from chatham.commons.secure import masks as masked
from chatham.commons.secure.agreement import Handshake
from chatham.errors import ProtocolError
from tests.commons.secure.test_masks import DIGEST, IDENTITIES, epoch_of_all, peak, words_of
from tests.vectors.fixed import agreed, hands


def test_the_same_again_gives_the_same_bytes():
    masks = agreed(hands())[3][1]
    words = words_of([1, 2, 3])
    first = masks.cover(words, 1, DIGEST)
    assert np.array_equal(first, masks.cover(words.copy(), 1, DIGEST))
    assert words.tolist() == [1, 2, 3]


@pytest.mark.parametrize("other", [([1, 2, 4], DIGEST), ([1, 2], DIGEST), ([1, 2, 3], bytes(32))])
def test_another_contribution_in_the_same_round_is_refused(other):
    masks = agreed(hands())[3][1]
    masks.cover(words_of([1, 2, 3]), 1, DIGEST)
    numbers, digest = other
    with pytest.raises(ProtocolError, match="Round 1 was masked in this epoch"):
        masks.cover(words_of(numbers), 1, digest)
    masks.cover(words_of([1, 2, 3]), 1, DIGEST)


def test_a_round_that_is_over_is_never_masked_again():
    masks = agreed(hands())[3][1]
    masks.cover(words_of([1]), 1, DIGEST)
    masks.cover(words_of([2]), 2, DIGEST)
    for numbers in ([1], [5]):
        with pytest.raises(ProtocolError, match="Round 1"):
            masks.cover(words_of(numbers), 1, DIGEST)


def test_what_was_said_takes_no_more_room_with_more_rounds():
    masks = agreed(hands())[3][1]
    words = words_of([1])

    def rounds(first, last):
        for round_ in range(first, last):
            masks.cover(words, round_, DIGEST)

    rounds(1, 10)
    assert peak(lambda: rounds(10, 500)) < 20_000


def test_a_round_digest_or_epoch_more_gives_unlike_bytes():
    epochs = [agreed(hands(name=name))[3][1] for name in ("one", "two")]
    made = [epochs[0].cover(words_of([0]), 1, DIGEST), epochs[1].cover(words_of([0]), 1, bytes(32))]
    made += [epochs[0].cover(words_of([0]), 2, DIGEST), epochs[1].cover(words_of([0]), 2, DIGEST)]
    assert len(set(np.concatenate(made).tolist())) == 4 * 3


def test_no_secret_is_shown_where_masks_are_printed():
    masks = agreed(hands())[3][0]
    secrets = [masks.group, *masks.pairs.values()]
    assert not any(repr(s)[2:-1] in repr(masks) or s.hex() in repr(masks) for s in secrets)


class Counting:
    """Counts in place of `derive`: which keys masked what, and by whom."""

    def __init__(self, monkeypatch):
        self.party = self.words = None
        self.masked = defaultdict(set)
        self.parties = defaultdict(Counter)
        self.derived = 0
        real = masked.derive

        def counting(secret_, salt, purpose):
            key = real(secret_, salt, purpose)
            if purpose.startswith((b"chatham mask", b"chatham group")):
                self.derived += 1
                self.masked[key].add((self.party, self.words))
                self.parties[key][self.party] += 1
            return key

        monkeypatch.setattr(masked, "derive", counting)

    def cover(self, masks, words, round_, digest):
        self.party, self.words = masks.index, (round_, words.tobytes())
        return masks.cover(words, round_, digest)


def test_no_mask_key_is_derived_twice(monkeypatch):
    """10 parties, 500 rounds, 3 sessions; a party crashes now and then, in the middle of a round.

    In a crash one party forgets its keys, and what it says in the open round is masked anew by all.
    """
    counting, parties, contributions = Counting(monkeypatch), 10, 0
    for session in range(3):
        digest = hashlib.sha256(bytes([session])).digest()
        everybody = [Handshake(IDENTITIES[i], digest, i, parties) for i in range(parties)]
        masks = epoch_of_all(everybody)
        for round_ in range(1, 501):
            words = [words_of([round_ * (i + 1)]) for i in range(parties)]
            for each in masks:
                counting.cover(each, words[each.index], round_, digest)
            contributions += parties
            if round_ % 60 == 0:
                crashed = round_ % parties if session else (round_ // 60) % parties
                everybody[crashed] = Handshake(IDENTITIES[crashed], digest, crashed, parties)
                masks = epoch_of_all(everybody)
                for each in masks:
                    counting.cover(each, words[each.index], round_, digest)
                contributions += parties
    assert contributions == 3 * (500 + 8) * parties
    assert counting.derived == contributions * (parties - 1) + contributions // parties
    for key, uses in counting.parties.items():
        assert set(uses.values()) == {1}, "a party derived a key twice"
        assert len(uses) == 2 or (len(uses) == 1 and 0 in uses)
        assert len({words[0] for _, words in counting.masked[key]}) == 1
