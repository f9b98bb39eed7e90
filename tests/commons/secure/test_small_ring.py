"""What a coalition sees, counted in full: modulus 4, four parties, every value of every stream.

The messages are made and the total taken off by `Masks` itself; only the streams are replaced, by
all the values that they could have, side by side: place n of a message is outcome n. Whatever a
coalition and the relay see is written down for each outcome, and the outcomes are counted.
"""

from itertools import combinations, product

import numpy as np
import pytest

from chatham.commons.secure import masks as masked
from chatham.commons.secure.masks import Masks

RING, PARTIES = 4, 4
PAIRS = [bytes(pair) for pair in combinations(range(PARTIES), 2)]
GROUP = b"group"
EVERY_STREAM = np.indices((RING,) * (len(PAIRS) + 1)).reshape(len(PAIRS) + 1, -1).astype(np.uint64)
OUTCOMES = EVERY_STREAM.shape[1]


def everybody():
    return [
        Masks(i, b"", {j: bytes(sorted((i, j))) for j in range(PARTIES) if j != i}, GROUP)
        for i in range(PARTIES)
    ]


@pytest.fixture
def streams(monkeypatch):
    """In place of keys and ciphers: the secret's name is the key, and its stream is looked up."""
    found = dict(zip([*PAIRS, GROUP], EVERY_STREAM, strict=True))

    def add(words, key, *, subtract=False):
        stream = np.zeros_like(words)
        stream[: len(found[key])] = found[key]
        words += -stream if subtract else stream

    monkeypatch.setattr(masked, "derive", lambda secret, salt, purpose: secret)
    monkeypatch.setattr(masked, "add_stream", add)
    monkeypatch.setattr(masked, "tag_words", lambda whole, key: np.zeros(2, np.uint64))
    monkeypatch.setattr(masked, "is_tagged", lambda *given: True)
    return found


def view(inputs, coalition, streams):
    """All that the relay and a coalition see in each outcome, as sorted numbers."""
    masks = everybody()
    messages = [
        each.cover(np.full(OUTCOMES, part, np.uint64), 1, b"")
        for each, part in zip(masks, inputs, strict=True)
    ]
    added = np.add.reduce(messages)
    seen = [message[:OUTCOMES] % RING for message in messages]
    seen += [streams[pair] for pair in PAIRS if set(pair) & set(coalition)]
    if coalition:
        total = masks[coalition[0]].uncover(added, 1, b"")
        assert (total % RING == sum(inputs) % RING).all()
        seen += [streams[GROUP], total % RING]
    code = np.zeros(OUTCOMES, np.uint64)
    for part in seen:
        code = code * np.uint64(RING) + part
    return np.sort(code)


def with_honest(coalition, others, honest):
    """Everybody's input: the coalition's own, and the honest parties' in their order."""
    left, own = list(honest), list(others)
    return [own.pop(0) if party in coalition else left.pop(0) for party in range(PARTIES)]


def check_views(coalition, others, streams):
    """The same sum over the honest, the same distribution; another sum, another one."""
    of_sum = {}
    for honest in product(range(RING), repeat=PARTIES - len(coalition)):
        seen = view(with_honest(coalition, others, honest), coalition, streams)
        known = of_sum.setdefault(sum(honest) % RING, seen)
        assert np.array_equal(known, seen)
    assert len(of_sum) == RING
    for one, other in combinations(of_sum.values(), 2):
        assert not np.array_equal(one, other)


@pytest.mark.parametrize("others", [(0, 0), (3, 1)])
@pytest.mark.parametrize("coalition", list(combinations(range(PARTIES), 2)))
def test_two_parties_and_the_relay_learn_the_others_sum_and_nothing_else(
    coalition, others, streams
):
    check_views(coalition, others, streams)


@pytest.mark.parametrize("coalition", list(combinations(range(PARTIES), 1)))
def test_one_party_and_the_relay_learn_the_others_sum_and_nothing_else(coalition, streams):
    check_views(coalition, (2,), streams)


def test_the_relay_alone_learns_nothing_not_even_the_sum(streams):
    seen = view((0, 0, 0, 0), (), streams)
    for inputs in product(range(RING), repeat=PARTIES):
        assert np.array_equal(view(inputs, (), streams), seen)


def test_one_message_alone_is_any_word_alike_often(streams):
    for index, each in enumerate(everybody()):
        message = each.cover(np.full(OUTCOMES, 3, np.uint64), 1, b"")[:OUTCOMES] % RING
        assert np.bincount(message.astype(int)).tolist() == [OUTCOMES // RING] * RING, index


# -- with tags: a coalition knows their key, and a tag hangs on the words that it is of


HONEST = np.indices((RING, RING, RING)).reshape(3, -1).astype(np.uint64)
"""The stream between two honest parties over a word and over its tag, and the tag's key."""
CASES = HONEST.shape[1]


def tagged_view(monkeypatch, inputs, coalition, known):
    """As `view`, for one word and its tag, given the streams that the coalition knows."""
    left = [pair for pair in PAIRS if not set(pair) & set(coalition)]
    found = {key: np.repeat(known[n], CASES) for n, key in enumerate([*PAIRS, GROUP])}
    found |= {pair: np.concatenate([HONEST[0], HONEST[1]]) for pair in left}

    def add(words, key, *, subtract=False):
        words += -found[key] if subtract else found[key]

    monkeypatch.setattr(masked, "derive", lambda secret, salt, purpose: secret)
    monkeypatch.setattr(masked, "add_stream", add)
    monkeypatch.setattr(masked, "tag_words", lambda whole, key: HONEST[2] * whole.view(np.uint64))
    messages = [
        each.cover(np.full(CASES, part, np.uint64), 1, b"")
        for each, part in zip(everybody(), inputs, strict=True)
    ]
    code = HONEST[2].copy()
    for message in messages:
        for part in (message[:CASES], message[CASES:]):
            code = code * np.uint64(RING) + part % RING
    return np.sort(code)


@pytest.mark.parametrize("coalition", list(combinations(range(PARTIES), 2)))
@pytest.mark.parametrize("seed", range(3))
def test_a_masked_tag_tells_a_coalition_nothing_more(monkeypatch, coalition, seed):
    known = np.random.default_rng(seed).integers(0, RING, (7, 2)).astype(np.uint64)
    of_sum = {}
    for honest in product(range(RING), repeat=2):
        inputs = with_honest(coalition, (1, 2), honest)
        seen = tagged_view(monkeypatch, inputs, coalition, known)
        assert np.array_equal(of_sum.setdefault(sum(honest) % RING, seen), seen)
    for one, other in combinations(of_sum.values(), 2):
        assert not np.array_equal(one, other)
