"""A relay that lies, round for round: whatever it does, no program ever sees a wrong total."""

import threading

import numpy as np
import pytest

from chatham.commons.secure.agreement import Message
from chatham.commons.secure.frames import Frame
from chatham.commons.secure.masks import TAG, add_stream
from chatham.commons.secure.tags import tag_words
from chatham.errors import ProtocolError, Refused
from chatham.federation.wire import Answer
from tests.federation.parties import (
    ABOUT,
    STATE,
    Federation,
    InsideLink,
    sum_of,
    together,
    words_of,
)

ROUNDS = 3


class Abandoned(BaseException):
    """Somebody else stopped, so the test is over for those who wait."""


class Liar:
    """Alters answers on their way: `lie(kind, round, answer, to)` gives another one."""

    def __init__(self, tmp_path, lie, parties=3, states=(STATE, STATE, STATE)):
        self.lie, self.states, self.over = lie, states, threading.Event()
        self.connections = {}
        self.heard = []
        self.federation = Federation(tmp_path, parties, link=self._link)

    def _link(self, relay):
        return LyingLink(relay, self)

    def run(self):
        """What each party's program saw, and what stopped it."""
        parties = range(self.federation.parties)
        return together(*(lambda i=i: self._play(i) for i in parties))

    def _play(self, index):
        seen = []
        connection = self.connections[index] = self.federation.connect(index)
        connection.link.to = index
        try:
            for round_ in range(1, ROUNDS + 1):
                words, state = words_of(index, round_), self.states[index]
                seen.append(connection.round(words, ABOUT, state).copy())
        except BaseException as error:
            self.over.set()
            return seen, error
        return seen, None


class LyingLink(InsideLink):
    def __init__(self, relay, liar):
        super().__init__(relay, patience=0.05)
        self.liar = liar

    def say(self, frame, body):
        answer = super().say(frame, body)
        if answer is None:
            if self.liar.over.is_set():
                raise Abandoned
            return None
        kind = frame.header["about"] if frame.kind == "ask" else frame.kind
        self.liar.heard.append((kind, frame.round, answer))
        return self.liar.lie(kind, frame.round, answer, self.to) or answer


def caught(liar, round_):
    """Somebody stops, with a typed error; nobody's program saw that round's total."""
    results = liar.run()
    errors = [error for _, error in results if not isinstance(error, Abandoned)]
    assert errors
    assert all(isinstance(error, ProtocolError) for error in errors), errors
    for seen, _ in results:
        assert len(seen) < round_
        for number, total in enumerate(seen, 1):
            np.testing.assert_array_equal(total, sum_of(3, number))
    return errors


def altered_words(answer, place, by):
    words = np.frombuffer(answer.total, "<u8").copy()
    words[place : place + 1 or None] += np.uint64(by)
    return Answer(answer.messages, words.tobytes())


def only(kind, round_, change, to=None):
    """A lie in one kind of answer of one round, to all or to one party."""

    def lie(told, number, answer, whom):
        if (told, number) == (kind, round_) and to in (None, whom):
            return change(answer)
        return None

    return lie


WORDS = {
    "one": (0, 1),
    "the top bit": (1, 2**63),
    "the prime": (2, 2**61 - 1),
    "a half": (3, 2**32),
    "the tag's lower half": (-2, 1),
    "the tag's upper half": (-1, 1),
    "the tag's top bit": (-1, 2**63),
}


@pytest.mark.parametrize("round_", [1, ROUNDS])
@pytest.mark.parametrize("to", [None, 0, 2])
@pytest.mark.parametrize("what", WORDS)
def test_a_word_of_the_total_that_is_altered(tmp_path, what, to, round_):
    place, by = WORDS[what]
    lie = only("sum", round_, lambda answer: altered_words(answer, place, by), to)
    caught(Liar(tmp_path, lie), round_)


SHAPES = {
    "a word too few": lambda total: total[:-8],
    "a word too many": lambda total: total + bytes(8),
    "a byte too few": lambda total: total[:-1],
    "nothing": lambda total: b"",
    "all zero": lambda total: bytes(len(total)),
    "in another order": lambda total: total[8:16] + total[:8] + total[16:],
}


@pytest.mark.parametrize("round_", [1, ROUNDS])
@pytest.mark.parametrize("change", SHAPES.values(), ids=SHAPES.keys())
def test_a_total_of_another_form(tmp_path, change, round_):
    lie = only("sum", round_, lambda answer: Answer(answer.messages, change(answer.total)))
    caught(Liar(tmp_path, lie), round_)


@pytest.mark.parametrize("kind", ["sum", "agree"])
def test_the_answer_of_an_earlier_round(tmp_path, kind):
    def lie(told, number, answer, whom):
        if (told, number) != (kind, 2):
            return None
        return next(a for k, n, a in liar.heard if (k, n) == (kind, 1))

    liar = Liar(tmp_path, lie)
    caught(liar, 2)


def test_an_earlier_total_under_this_rounds_signatures(tmp_path):
    def lie(told, number, answer, whom):
        if (told, number) != ("sum", 2):
            return None
        total = next(a.total for k, n, a in liar.heard if (k, n) == ("sum", 1))
        return Answer(answer.messages, total)

    liar = Liar(tmp_path, lie)
    caught(liar, 2)


def reordered(answer):
    return Answer([answer.messages[i] for i in (1, 0, 2)], answer.total)


def shortened(answer):
    return Answer(answer.messages[:2], answer.total)


def doubled(answer):
    return Answer([answer.messages[0], *answer.messages[:2]], answer.total)


@pytest.mark.parametrize("change", [reordered, shortened, doubled])
@pytest.mark.parametrize("kind", ["hello", "shares", "confirm", "sum", "agree"])
def test_messages_in_another_order_or_number(tmp_path, kind, change):
    def lie(told, number, answer, whom):
        if kind == "agree":  # whoever has all signatures may go on: the total is right
            return change(answer) if (told, number) == (kind, ROUNDS) else None
        is_late = kind != "sum" or number == ROUNDS
        return change(answer) if told == kind and is_late and whom == 1 else None

    caught(Liar(tmp_path, lie), ROUNDS)


@pytest.mark.parametrize("round_", [1, ROUNDS])
@pytest.mark.parametrize("victim", range(3))
def test_two_different_totals_from_a_relay_that_knows_the_groups_key(tmp_path, victim, round_):
    """A relay that colludes with a party can give another a total with a fitting tag; then not
    all sign the same, and nobody goes on."""
    accomplice = (victim + 1) % 3

    def lie(told, number, answer, whom):
        if (told, number, whom) != ("sum", round_, victim):
            return None
        masks = liar.connections[accomplice]._masks
        digest = masks._last_masked.digest
        words = np.frombuffer(answer.total, "<u8").astype(np.uint64)
        add_stream(words, masks._group_key(number, digest), subtract=True)
        words[0] += np.uint64(1)
        once = tag_words(words[:-TAG].view(np.int64), masks._tag_key(number, digest))
        words[-TAG:] = once
        add_stream(words, masks._group_key(number, digest))
        return Answer(answer.messages, words.astype("<u8").tobytes())

    liar = Liar(tmp_path, lie)
    errors = caught(liar, round_)
    assert any("another total" in str(error) for error in errors)


def as_if(frame, **fields):
    """A frame that says something else, in its party's name but without its signature."""
    return Frame({**frame.header, **fields}, frame.raw)


def test_states_that_differ_behind_headers_that_dont(tmp_path):
    """Nobody checks the signatures of a sum's headers, so masks must not cancel by themselves."""

    def lie(told, number, answer, whom):
        if told != "sum":
            return None
        state = answer.messages[whom].frame.header["state"]
        forged = [Message(as_if(m.frame, state=state)) for m in answer.messages]
        return Answer(forged, answer.total)

    errors = caught(Liar(tmp_path, lie, states=(STATE, bytes([1] * 32), STATE)), 1)
    assert any("tag is wrong" in str(e) or "larger than" in str(e) for e in errors)


def test_a_party_isnt_blamed_for_what_the_relay_says_in_its_name(tmp_path):
    def lie(told, number, answer, whom):
        if (told, number, whom) != ("sum", 2, 0):
            return None
        raw = bytearray(answer.messages[1].frame.raw)
        raw[-1] ^= 1
        forged = Frame({**answer.messages[1].frame.header, "state": "00" * 32}, bytes(raw))
        return Answer([answer.messages[0], Message(forged), answer.messages[2]], answer.total)

    errors = caught(Liar(tmp_path, lie), 2)
    assert any("isn't signed by the party that it names" in str(error) for error in errors)


def test_signatures_of_one_party_for_all(tmp_path):
    def lie(told, number, answer, whom):
        if (told, number) == ("agree", ROUNDS):
            return Answer([answer.messages[whom]] * 3)
        return None

    caught(Liar(tmp_path, lie), ROUNDS)


@pytest.mark.parametrize("round_", [1, ROUNDS])
def test_a_relay_that_keeps_saying_there_is_a_new_epoch_gets_one(tmp_path, round_):
    """It may delay the work; it gets neither a second confirm of an epoch nor other words under
    one mask, and nobody stops for it."""
    left = [4]

    def lie(told, number, answer, whom):
        if (told, number, whom) == ("sum", round_, 1) and left[0]:
            left[0] -= 1
            raise Refused("epoch", "A new epoch.")

    liar = Liar(tmp_path, lie)
    for seen, error in liar.run():
        assert error is None
        np.testing.assert_array_equal(seen, [sum_of(3, number) for number in range(1, ROUNDS + 1)])
    assert left == [0]
    assert_confirmed_once(liar.federation)
    said = {}
    for index in range(3):
        for key, body in liar.federation.sent(index):
            assert said.setdefault((index, key), body) == body


def assert_confirmed_once(federation):
    """No party has signed two different confirms of an epoch."""
    confirms = {}
    for index, links in enumerate(federation.links):
        for frame, _ in (heard for link in links for heard in link.heard):
            if frame.kind == "confirm":
                known = confirms.setdefault((index, frame.header["epoch"]), frame.raw)
                assert known == frame.raw


@pytest.mark.parametrize("victim", range(3))
def test_an_earlier_hello_shown_again_leads_to_no_masks(tmp_path, victim):
    """A relay can keep parties from meeting for ever; they send nothing."""
    first, shown, again = [], [], threading.Event()

    def lie(told, number, answer, whom):
        if told != "hello":
            return None
        first.append(answer.messages[victim])
        if not again.is_set() or whom == victim:
            return None
        shown.append(whom)
        if len(shown) > 20:
            liar.over.set()
            raise Abandoned
        messages = list(answer.messages)
        messages[victim] = first[0]
        return Answer(messages)

    liar = Liar(tmp_path, lie)
    assert all(error is None for _, error in liar.run())
    before = [len(liar.federation.sent(i)) for i in range(3)]
    again.set()
    for index in range(3):  # their folders are lost, so all begin anew
        for file in (liar.federation.folder_of(index) / "rounds").iterdir():
            file.unlink()
    assert all(seen == [] for seen, _ in liar.run())
    assert [len(liar.federation.sent(i)) for i in range(3)] == before
