"""One party's mistake is its own: it is refused at home or waited for, and nobody else ends."""

import shutil
import threading
from functools import partial

import numpy as np
import pytest

from chatham.commons import Simulated
from chatham.commons.secure.agreement import Handshake, Message
from chatham.commons.secure.frames import make_frame
from chatham.commons.secure.keys import Identity
from chatham.commons.secure.sealing import seal_total
from chatham.errors import ChangedError, MistakenError, ProtocolError, Refused, SessionError
from chatham.federation.party import epochs
from chatham.federation.party.connection import Connection
from chatham.federation.party.voice import MISTAKEN
from chatham.federation.wire import Answer
from tests.federation.parties import (
    ABOUT,
    PATIENCE,
    STATE,
    Crash,
    Federation,
    InsideLink,
    all_good,
    play,
    together,
    words_of,
)
from tests.federation.party.test_connection import ROUNDS, check
from tests.federation.party.test_party import LEARNERS, corpus, fitted, secrets_of

OTHER = bytes([7] * 32)
"""A hash that stands for other documents."""


class Waiting:
    """What the other parties are told while one of them is mistaken."""

    def __init__(self, *parties):
        self.events = {party: threading.Event() for party in parties}
        self.told = {party: [] for party in parties}

    def tell(self, party):
        def tell(progress):
            if progress.kind == MISTAKEN:
                self.told[party].append((list(progress.waiting), progress.step))
                self.events[party].set()

        return tell

    def seen(self):
        """Wait until all of them have said for whom they wait."""
        assert all(event.wait(PATIENCE) for event in self.events.values())

    def names(self):
        return {name for told in self.told.values() for names, _ in told for name in names}


def stopped_in(round_):
    """A party's process ends here."""

    def tell(progress):
        if progress.round >= round_:
            raise Crash

    return tell


def at_work(federation, waiting, rounds=ROUNDS, **more):
    """The programs of those that make no mistake."""

    def program(party):
        return lambda: play(federation.connect(party, tell=waiting.tell(party), **more), rounds)

    return [program(party) for party in waiting.events]


def interrupted(federation, party, round_=3, **more):
    with pytest.raises(Crash):
        play(federation.connect(party, tell=stopped_in(round_), **more), ROUNDS)


def in_order(results, party):
    """Results of the others first and the mistaken party's last, in the roster's order."""
    results = list(results)
    results.insert(party, results.pop())
    return results


# -- other documents


@pytest.mark.parametrize("party", range(3))
def test_other_documents_are_refused_before_a_word_is_said(tmp_path, party):
    federation = Federation(tmp_path)
    waiting = Waiting(*({0, 1, 2} - {party}))

    def mistaken():
        interrupted(federation, party)
        before = len(federation.links[party])
        with pytest.raises(ChangedError, match="aren't the documents") as error:
            federation.connect(party, corpus=OTHER)
        assert error.value.kind == "corpus"
        assert not any(link.heard for link in federation.links[party][before:])
        return play(federation.connect(party), ROUNDS)

    results = all_good(together(*at_work(federation, waiting), mistaken))
    check(federation, in_order(results, party))
    assert not waiting.names()


@pytest.mark.parametrize("party", range(3))
@pytest.mark.parametrize("times", [1, 3])
def test_even_with_an_empty_folder_and_the_others_say_for_whom_they_wait(tmp_path, party, times):
    federation = Federation(tmp_path)

    def mistaken():
        interrupted(federation, party)
        for _ in range(times):
            shutil.rmtree(federation.folder_of(party))
            with pytest.raises(ChangedError, match="the others wait") as error:
                play(federation.connect(party, corpus=OTHER), ROUNDS)
            assert error.value.kind == "corpus"
            waiting.seen()
        return play(federation.connect(party), ROUNDS)

    waiting = Waiting(*({0, 1, 2} - {party}))
    results = all_good(together(*at_work(federation, waiting), mistaken))
    check(federation, in_order(results, party))
    assert waiting.names() == {f"P{party}"}
    assert all("other documents" in step for told in waiting.told.values() for _, step in told)
    other_epochs = {f.header["epoch"] for ln in federation.links[party] for f, _ in ln.heard}
    assert len(other_epochs) > times


def test_who_is_refused_with_an_empty_folder_gets_the_roll_and_no_total(tmp_path):
    federation = Federation(tmp_path)
    waiting = Waiting(0, 2)

    def mistaken():
        interrupted(federation, 1)
        shutil.rmtree(federation.folder_of(1))
        with pytest.raises(ChangedError):
            play(federation.connect(1, corpus=OTHER), ROUNDS)
        waiting.seen()
        kept = sorted(path.name for path in (federation.folder_of(1) / "rounds").iterdir())
        assert kept == ["000000.agreed", "000000.total"]
        with pytest.raises(ChangedError):  # now before it says a word
            federation.connect(1, corpus=OTHER)
        return play(federation.connect(1), ROUNDS)

    check(federation, in_order(all_good(together(*at_work(federation, waiting), mistaken)), 1))


def test_another_party_without_a_folder_is_innocent(tmp_path):
    federation, met = Federation(tmp_path), threading.Barrier(2)

    def mistaken():
        interrupted(federation, 1)
        shutil.rmtree(federation.folder_of(1))
        met.wait(PATIENCE)
        with pytest.raises(ChangedError):
            play(federation.connect(1, corpus=OTHER), ROUNDS)
        waiting.seen()
        return play(federation.connect(1), ROUNDS)

    def innocent():
        interrupted(federation, 2)
        shutil.rmtree(federation.folder_of(2))
        met.wait(PATIENCE)
        return play(federation.connect(2, tell=waiting.tell(2)), ROUNDS)

    waiting = Waiting(0, 2)
    first = at_work(federation, waiting)[0]
    results = all_good(together(first, mistaken, innocent))
    check(federation, results, redone=2)
    assert waiting.names() == {"P1"}


def test_the_model_is_the_one_without_the_incident(tmp_path):
    federation, rows = Federation(tmp_path), corpus(3)
    waiting, make = Waiting(0, 2), LEARNERS["nmf"]

    def mistaken():
        with pytest.raises(Crash):
            fitted(federation, 1, rows[1], make, tell=stopped_in(4))
        shutil.rmtree(federation.folder_of(1))
        with pytest.raises(ChangedError):
            fitted(federation, 1, rows[0], make, corpus=OTHER)
        waiting.seen()
        return fitted(federation, 1, rows[1], make)

    others = [
        lambda i=i: fitted(federation, i, rows[i], make, tell=waiting.tell(i)) for i in (0, 2)
    ]
    found = all_good(together(*others, mistaken))
    simulated = Simulated(rows, secure=True, secrets=secrets_of(federation))
    expected = make().fit(simulated).components_
    assert all(components.tobytes() == expected.tobytes() for components in found)


# -- another version


@pytest.mark.parametrize("records", [0, 5])
def test_before_the_roll_all_wait_until_all_have_one_version(tmp_path, records):
    """Nobody knows yet which version is right, and no process ends but by its user's will: not even
    if one party says that the session has begun with its version."""
    federation, waiting = Federation(tmp_path), Waiting(0, 1, 2)
    right = threading.Event()

    def mistaken():
        def tell(progress):
            waiting.tell(1)(progress)
            if right.is_set():
                raise Crash  # its user stops it

        wrong = federation.connect(1, version="2.0", tell=tell)
        me = wrong.identity, wrong.session.hash, 1, 3
        wrong._epochs._handshake = Handshake(*me, version="2.0", records=records)
        with pytest.raises(Crash):
            play(wrong, ROUNDS)
        return play(federation.connect(1, version="1.0"), ROUNDS)

    def user():
        waiting.seen()
        assert {f.kind for links in federation.links for ln in links for f, _ in ln.heard} == {
            "hello",
            "ask",
        }
        right.set()

    programs = at_work(federation, waiting, version="1.0")
    totals = all_good(together(programs[0], mistaken, programs[2], user))[:3]
    check(federation, totals, redone=0)
    assert waiting.told[0][0] == (
        ["P1"],
        "P1 has 2.0, and I have Chatham 1.0; install the same version everywhere, and join again "
        "where it was changed.",
    )
    assert waiting.told[1][0][0] == ["P0", "P2"]


@pytest.mark.parametrize("empty", [False, True])
def test_once_the_session_has_begun_another_version_is_refused_at_home(tmp_path, empty):
    """Also if its folder is empty, and though the others' first hellos couldn't say so."""
    federation = Federation(tmp_path)
    waiting = Waiting(0, 2) if empty else Waiting()

    def mistaken():
        interrupted(federation, 1, version="1.0")
        if empty:
            shutil.rmtree(federation.folder_of(1))
        with pytest.raises(ChangedError, match=r"began with Chatham 1\.0, and this is 2\.0") as it:
            play(federation.connect(1, version="2.0"), ROUNDS)
        assert it.value.kind == "version"
        waiting.seen()
        return play(federation.connect(1, version="1.0"), ROUNDS)

    others = at_work(federation, Waiting(0, 2) if not empty else waiting, version="1.0")
    check(federation, in_order(all_good(together(*others, mistaken)), 1), redone=2)
    assert not empty or waiting.names() == {"P1"}


# -- a stranger, and a party with another session file


def test_a_key_that_isnt_in_the_roster_is_refused_at_home_and_ignored_by_the_relay(tmp_path):
    federation, waiting, stranger = Federation(tmp_path), Waiting(0, 1, 2), Identity.new()
    with pytest.raises(SessionError, match="isn't in this session's roster"):
        Connection(federation.session, stranger, None, tmp_path / "stranger")
    knocks = []

    def knocking():
        link, session = InsideLink(federation.relay), federation.session.hash
        for party in range(3):
            for said in (
                Handshake(stranger, session, party, 3).hello.frame,
                make_frame(stranger, "agree", session=session, party=party, chain=ABOUT),
            ):
                with pytest.raises(ProtocolError, match="isn't signed by the party"):
                    link.say(said, b"")
                knocks.append(said)

    programs = at_work(federation, waiting)
    check(federation, all_good(together(*programs, knocking))[:3], redone=0)
    assert len(knocks) == 6


# -- words that a party signed, and that are wrong


class Wrong(InsideLink):
    """A party whose messages of one kind are garbage, properly signed, in its first epoch."""

    def __init__(self, relay, identity, alter):
        super().__init__(relay)
        self._identity, self._alter = identity, alter

    def say(self, frame, body):
        wrong = self._alter(frame, bytes(body))
        if wrong is None:
            return super().say(frame, body)
        header = {k: v for k, v in frame.header.items() if k not in USUAL}
        header |= wrong.pop("fields", {})
        body = wrong.pop("body", bytes(body))
        made = make_frame(
            self._identity,
            frame.kind,
            session=bytes.fromhex(frame.header["session"]),
            party=frame.party,
            epoch=wrong.get("epoch", frame.hash_of("epoch")),
            round_=frame.round,
            body=body,
            **header,
        )
        answer = super().say(made, body)
        if answer is None:
            return None
        mine = Message(frame, body)  # so that it doesn't notice
        return Answer([mine if m.frame.raw == made.raw else m for m in answer.messages])


USUAL = {"session", "epoch", "round", "party", "kind", "size", "sha256"}
GARBAGE = {
    "shares that don't open": lambda frame, body: (
        {"body": bytes(len(body))} if frame.kind == "shares" else None
    ),
    "too few shares": lambda frame, body: {"body": body[:48]} if frame.kind == "shares" else None,
    "a proof of other keys": lambda frame, body: (
        {"fields": {"proof": "0" * 64}} if frame.kind == "confirm" else None
    ),
    "a key that leads to no secret": lambda frame, body: (
        {"fields": {"key": "0" * 64}} if frame.kind == "hello" else None
    ),
    "a hello of an epoch": lambda frame, body: (
        {"epoch": bytes([1] * 32)} if frame.kind == "hello" else None
    ),
    "totals that nobody signed": lambda frame, body: (
        {"fields": {"chain": "1" * 64}} if frame.kind == "confirm" else None
    ),
}


@pytest.mark.parametrize("name", GARBAGE)
def test_whoever_sends_garbage_is_waited_for_by_name(tmp_path, name):
    federation, waiting = Federation(tmp_path), Waiting(0, 2)

    def mistaken():
        identity = federation.identities[1]
        link = Wrong(federation.relay, identity, GARBAGE[name])
        federation.links[1].append(link)
        folder = federation.folder / "wrong"

        def tell(progress):
            if all(event.is_set() for event in waiting.events.values()):
                raise Crash  # its user stops it, since the others say that they wait for it

        with pytest.raises((Crash, ProtocolError, ChangedError)):
            play(Connection(federation.session, identity, link, folder, tell=tell), ROUNDS)
        waiting.seen()
        return play(federation.connect(1), ROUNDS)

    results = all_good(together(*at_work(federation, waiting), mistaken))
    check(federation, in_order(results, 1), redone=0)
    assert waiting.names() == {"P1"}


def test_two_parties_with_one_key_are_both_waited_for(tmp_path, monkeypatch):
    """As when a machine was cloned while it was running."""
    federation, waiting = Federation(tmp_path), Waiting(0, 1, 2)
    twins = [federation.connect(party, tell=waiting.tell(party)) for party in (1, 2)]
    ephemeral = twins[0]._epochs._handshake._ephemeral
    hand = twins[1]._epochs._handshake
    header = {k: v for k, v in hand.hello.frame.header.items() if k not in USUAL}
    hand._ephemeral = ephemeral
    hand.hello = Message(hand._frame("hello", **header | {"key": ephemeral.public}))

    def again():
        """One of the two is started anew."""
        twins[1]._voice._tell = lambda told: waiting.tell(2)(told) or leave()
        with pytest.raises(Crash):
            play(twins[1], ROUNDS)
        return play(federation.connect(2), ROUNDS)

    def leave():
        if all(event.is_set() for event in waiting.events.values()):
            raise Crash

    others = [at_work(federation, waiting)[0], lambda: play(twins[0], ROUNDS)]
    check(federation, all_good(together(*others, again)), redone=0)
    assert waiting.told[0][0][0] == ["P1", "P2"]


# -- records that are handed over


UNREADABLE = {
    "next to nothing": lambda seal, content: b"0",
    "what doesn't open": lambda seal, content: bytes(len(seal(content))),
    "what isn't as long as it says": lambda seal, content: seal(content[:50]),
    "what doesn't even say how long it is": lambda seal, content: seal(content[:36]),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_whoever_hands_over_what_nobody_can_read_is_waited_for(tmp_path, monkeypatch, name):
    federation, waiting, is_mistaken = Federation(tmp_path), Waiting(2), threading.Event()
    all_good(together(*(lambda i=i: play(federation.connect(i), 2) for i in range(3))))
    shutil.rmtree(federation.folder_of(2))

    def sealed(masks, number, content):
        if is_mistaken.is_set():
            return UNREADABLE[name](partial(seal_total, masks, number), content)
        return seal_total(masks, number, content)

    def tell(progress):
        if waiting.events[2].is_set():
            raise Crash  # its user stops it, since another says that it waits for it

    def mistaken():
        with pytest.raises(Crash):
            play(federation.connect(0, tell=tell), ROUNDS)
        is_mistaken.clear()
        return play(federation.connect(0), ROUNDS)

    monkeypatch.setattr(epochs, "seal_total", sealed)
    is_mistaken.set()
    other = partial(play, federation.connect(1), ROUNDS)
    results = all_good(together(mistaken, other, *at_work(federation, waiting)))
    check(federation, results)
    assert waiting.names() == {"P0"}


class Swapped(InsideLink):
    """A relay that hands over something else than the party ahead did."""

    def __init__(self, relay, swap):
        super().__init__(relay)
        self._swap = swap

    def say(self, frame, body):
        answer = super().say(frame, body)
        if answer is None or frame.header.get("about") != "totals":
            return answer
        return Answer([self._swap(*answer.messages)])


def test_what_a_relay_hands_over_instead_is_no_partys_mistake(tmp_path):
    federation = Federation(tmp_path)
    all_good(together(*(lambda i=i: play(federation.connect(i), 2) for i in range(3))))
    earlier = {}

    def kept(message):
        return earlier.setdefault(message.frame.round, message)

    def altered(message):
        return Message(message.frame, bytes(len(message.body)))

    def catching_up(swap, refusal):
        shutil.rmtree(federation.folder_of(2))
        federation._link = lambda relay: Swapped(relay, swap)
        with pytest.raises(ProtocolError, match=refusal) as error:
            play(federation.connect(2, tell=lambda _: None), ROUNDS)
        assert not isinstance(error.value, MistakenError)

    def victim():
        shutil.rmtree(federation.folder_of(2))
        federation._link = lambda relay: Swapped(relay, kept)
        with pytest.raises(Crash):
            play(federation.connect(2, tell=stopped_in(3)), ROUNDS)
        catching_up(kept, "doesn't return the total")  # that of another epoch
        catching_up(altered, "isn't the one its header was signed for")
        federation._link = InsideLink
        return play(federation.connect(2), ROUNDS)

    others = [partial(play, federation.connect(party), ROUNDS) for party in (0, 1)]
    check(federation, all_good(together(*others, victim)), redone=9)


# -- other statistics, another state


@pytest.mark.parametrize("first", [True, False])
def test_whoever_sums_other_statistics_ends_nobody(tmp_path, first):
    """Whether its contribution is the first to come or the last."""
    federation, waiting = Federation(tmp_path), Waiting(0, 1, 2)
    federation._link = Ordered(*((1, 0, 2) if first else (0, 2, 1))).link

    def leave(told):
        waiting.tell(1)(told)
        others = [waiting.events[party].is_set() for party in (0, 2)]
        if waiting.events[1].is_set() or all(others):
            raise Crash  # its user stops it, when somebody has noticed

    def mistaken():
        with pytest.raises(Crash):
            federation.connect(1, tell=leave).round(words_of(1, 1), OTHER, STATE)
        return play(federation.connect(1), ROUNDS)

    programs = at_work(federation, waiting)
    check(federation, all_good(together(programs[0], mistaken, programs[2])))
    assert waiting.told[0 if first else 1][0] == (
        [],
        "The parties aren't summing the same statistics: somebody runs another program, or on "
        "other words; see that all run the same, and join again where it was another.",
    )


class Ordered:
    """Links over which the first contributions come to the relay in a certain order."""

    def __init__(self, *order):
        self.order, self.said = order, 0

    def link(self, relay):
        order = self

        class Link(InsideLink):
            def say(self, frame, body):
                if frame.kind == "sum":
                    order.wait(self._relay, frame.party)
                return super().say(frame, body)

        return Link(relay)

    def wait(self, relay, party):
        with relay.changed:
            before = self.order.index(party)
            relay.changed.wait_for(lambda: self.said >= before, PATIENCE)
            self.said += 1
            relay.changed.notify_all()


def test_a_machine_that_differs_from_the_rest_stops_and_they_wait(tmp_path):
    federation, waiting = Federation(tmp_path), Waiting(0, 2)

    def program(party, **more):
        connection = federation.connect(party, **more)
        totals = [connection.round(words_of(party, 1), ABOUT, STATE).copy()]
        state = OTHER if party == 1 and "tell" not in more else STATE
        for number in range(2, ROUNDS + 1):
            totals.append(connection.round(words_of(party, number), ABOUT, state).copy())
        return totals

    def mistaken():
        with pytest.raises(ChangedError, match="from another state than most others") as error:
            program(1)
        assert error.value.kind == "state"
        waiting.seen()
        return program(1, tell=lambda told: None)

    others = [lambda i=i: program(i, tell=waiting.tell(i)) for i in (0, 2)]
    check(federation, in_order(all_good(together(*others, mistaken)), 1))
    assert waiting.names() == {"P1"}


# -- a past that isn't the others'


def test_a_folder_of_another_past_is_refused_at_home_if_most_have_the_same(tmp_path):
    """As many records, all signed, and not the same: two folders of one session were mixed."""
    federation = Federation(tmp_path)
    all_good(together(*(lambda i=i: play(federation.connect(i), 1) for i in range(3))))
    kept = tmp_path / "kept"
    shutil.copytree(federation.folder_of(0), kept)
    for party in range(3):
        shutil.rmtree(federation.folder_of(party))
    zeros, waiting = np.zeros(5, np.uint64), Waiting(1, 2)
    rounds = [lambda i=i: federation.connect(i).round(zeros, ABOUT, STATE) for i in range(3)]
    all_good(together(*rounds))
    right = tmp_path / "right"
    shutil.copytree(federation.folder_of(0), right)
    swap(federation.folder_of(0), kept)

    def second_round(party):
        connection = federation.connect(party, tell=waiting.tell(party) if party else None)
        connection.opened = 1
        return connection.round(words_of(party, 2), ABOUT, STATE)

    def mistaken():
        with pytest.raises(ChangedError, match="other totals of this session") as error:
            second_round(0)
        assert error.value.kind == "records"
        waiting.seen()
        assert not any(key[1] == 2 for i in range(3) for key, _ in federation.sent(i))
        shutil.rmtree(federation.folder_of(0) / "rounds")
        return second_round(0)

    totals = all_good(together(mistaken, lambda: second_round(1), lambda: second_round(2)))
    assert len({total.tobytes() for total in totals}) == 1
    assert waiting.names() == {"P0"}


def swap(folder, other):
    shutil.rmtree(folder)
    shutil.copytree(other, folder)


# -- a relay that says there is a new epoch, and there is none


class SaysNewEpoch(InsideLink):
    """Says that the epoch is over, so many times, of whatever kind of message."""

    def __init__(self, relay, kinds, times):
        super().__init__(relay)
        self.kinds, self.left = kinds, times

    def say(self, frame, body):
        answer = super().say(frame, body)
        if frame.kind in self.kinds and answer is not None and self.left:
            self.left -= 1
            raise Refused("epoch", "A party has started again, so there is a new epoch.")
        return answer


@pytest.mark.parametrize(
    "kinds", [("shares",), ("confirm",), ("sum",), ("agree",), ("shares", "sum")]
)
@pytest.mark.parametrize("victims", [(1,), (0, 1, 2)])
def test_a_false_new_epoch_stops_the_work_for_a_while_and_ends_nobody(
    tmp_path, monkeypatch, kinds, victims
):
    """No party begins again in the same epoch, none begins at once each time, and every mask
    covers one contribution."""
    pauses = []
    monkeypatch.setattr(epochs.time, "sleep", pauses.append)
    federation = Federation(tmp_path)
    honest = federation._link

    def connect(party):
        liar = party in victims
        federation._link = (lambda r: SaysNewEpoch(r, kinds, 6)) if liar else honest
        return federation.connect(party)

    connections = [connect(party) for party in range(3)]
    totals = all_good(together(*(lambda c=c: play(c, ROUNDS) for c in connections)))
    check(federation, totals, redone=20)
    assert all(link.left == 0 for party in victims for link in federation.links[party])
    assert pauses
    if kinds != ("agree",):  # whose answer comes to light in another way, so the work goes on
        assert len(pauses) >= 6
        assert max(pauses) > min(pauses)
    for party in range(3):
        confirms = [f for ln in federation.links[party] for f, _ in ln.heard if f.kind == "confirm"]
        assert len({f.header["epoch"] for f in confirms}) == len({f.raw for f in confirms})
