"""Answers that don't come: a party asks ever more rarely, says what is missing, and knows when it
needs no more."""

import threading

import numpy as np
import pytest

from chatham.commons.secure.frames import KINDS
from chatham.errors import LinkError, Refused
from chatham.federation.party import connection as connection_module
from chatham.federation.party import voice as voice_module
from chatham.federation.party.voice import AWAY, JOINING, Unanswered, Voice
from chatham.federation.wire import Answer
from tests.federation.parties import (
    PATIENCE,
    Federation,
    InsideLink,
    make_session,
    play,
    sum_of,
    together,
)

ROUNDS = 2
ANSWER = Answer(())


class Clock:
    """Time that passes only when somebody waits."""

    def __init__(self):
        self.now, self.pauses = 0.0, []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.pauses.append(round(seconds, 3))
        self.now += seconds


class Answers:
    """A link whose answers are given; each takes so many seconds."""

    def __init__(self, clock, answers, takes=0.0, waiting=()):
        self._clock, self._answers, self._takes = clock, iter(answers), takes
        self._waiting = list(waiting)

    def say(self, frame, body):
        self._clock.now += self._takes
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def waiting_for(self):
        return self._waiting


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(voice_module, "time", clock)
    return clock


def asked(clock, answers, kind="agree", **more):
    """What came of a question, and what was told on the way."""
    session, identities = make_session()
    told = []
    voice = Voice(session, identities[0], Answers(clock, answers, **more), told.append)
    fields = dict.fromkeys(KINDS[kind], bytes(32)) | ({"version": "1"} if kind == "hello" else {})
    frame = voice.frame(kind, bytes(32), 1, **fields)
    return voice.ask(frame, b"", "comparing totals"), told


BACK_OFF = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_a_relay_that_has_no_answer_at_once_is_asked_ever_more_rarely(clock):
    asked(clock, [None] * 9 + [ANSWER])
    assert clock.pauses == BACK_OFF


def test_no_mixture_of_answers_brings_it_to_ask_more_often(clock):
    again, away = Refused("again", "Again."), LinkError("Away.")
    asked(clock, [None, again, None, away, None, again, again, None, None, ANSWER])
    assert clock.pauses == BACK_OFF


def test_a_relay_that_holds_a_question_is_asked_again_at_once(clock):
    asked(clock, [None] * 9 + [ANSWER], takes=5.0)
    assert clock.pauses == [0.0] * 9


def test_it_is_told_who_is_missing(clock):
    _, told = asked(clock, [None, ANSWER], waiting=[2])
    assert [(list(each.waiting), each.kind) for each in told] == [([], ""), (["P2"], "")]


@pytest.mark.parametrize("kind", ["agree", "hello"])
def test_a_relay_that_names_nobody_is_itself_what_is_missing(clock, kind):
    _, told = asked(clock, [None, LinkError("Away."), ANSWER], kind)
    begun = JOINING if kind == "hello" else ""
    relay = ["the relay"]
    assert [(list(e.waiting), e.kind) for e in told] == [([], begun), (relay, ""), (relay, AWAY)]


def test_who_waits_until_some_time_gives_up_then(clock):
    session, identities = make_session()
    voice = Voice(session, identities[0], Answers(clock, [None] * 100))
    voice.until = 60.0
    with pytest.raises(Unanswered):
        voice.ask(voice.frame("agree", bytes(32), 1, chain=bytes(32)), b"", "comparing totals")
    assert clock.now >= 60.0


class Abandoned(BaseException):
    """The test is over for somebody who waits for ever."""


class Withholding(InsideLink):
    """Shows one party no signatures under some round's total."""

    victim, round, asked, over = None, 0, threading.Semaphore(0), threading.Event()

    def __init__(self, relay):
        super().__init__(relay, patience=0.05)

    def say(self, frame, body):
        answer = super().say(frame, body)
        if (frame.kind, frame.round, frame.party) != ("agree", self.round, self.victim):
            return answer
        self.asked.release()
        if self.over.is_set():
            raise Abandoned
        return None


@pytest.fixture
def withheld(tmp_path, monkeypatch):
    """A run in which party 1 isn't shown who signed this round's total."""
    monkeypatch.setattr(connection_module, "FAREWELL", 0.5)
    monkeypatch.setattr(Withholding, "over", threading.Event())
    monkeypatch.setattr(Withholding, "asked", threading.Semaphore(0))
    monkeypatch.setattr(Withholding, "victim", 1)

    def of(round_):
        monkeypatch.setattr(Withholding, "round", round_)
        return Federation(tmp_path, link=Withholding)

    return of


def test_whoever_lacks_only_the_empty_end_has_everything_and_ends(withheld):
    federation = withheld(ROUNDS + 1)
    programs = [lambda i=i: play(federation.connect(i), ROUNDS, finish=True) for i in range(3)]
    for totals in together(*programs):
        for round_, total in enumerate(totals, 1):
            np.testing.assert_array_equal(total, sum_of(3, round_))
    assert Withholding.asked.acquire(timeout=PATIENCE)


def test_whoever_lacks_signatures_under_the_last_sum_waits_for_ever(withheld):
    federation, others = withheld(ROUNDS), threading.Barrier(3)

    def program(index):
        totals = play(federation.connect(index), ROUNDS, finish=True)
        others.wait(PATIENCE)
        return totals

    def watch():
        others.wait(PATIENCE)  # those who have it have left
        while Withholding.asked.acquire(blocking=False):
            pass
        for _ in range(2):
            assert Withholding.asked.acquire(timeout=PATIENCE)
        Withholding.over.set()

    first, victim, last, _ = together(*(lambda i=i: program(i) for i in range(3)), watch)
    assert isinstance(victim, Abandoned)
    for totals in (first, last):
        np.testing.assert_array_equal(totals[-1], sum_of(3, ROUNDS))
