"""A party that refuses to take part in a round: all stop, know who it was, and say so again."""

import shutil
import threading

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Simulated
from chatham.commons.counting import count_documents
from chatham.commons.secure.agreement import Message
from chatham.commons.secure.frames import make_frame
from chatham.commons.secure.keys import Identity
from chatham.errors import CheckpointError, HolderError, InputError, LinkError, RefusalError
from chatham.federation.party import connection as connection_module
from chatham.federation.party.ledger import read_ledger
from chatham.federation.party.refusals import NAME
from chatham.federation.party.verifying import verify_ledger
from chatham.federation.wire import Answer
from chatham.measures.measure import UndefinedError
from tests.conftest import plant, split
from tests.federation.parties import (
    ABOUT,
    PATIENCE,
    STATE,
    Crash,
    Federation,
    InsideLink,
    all_good,
    play,
    sum_of,
    together,
    words_of,
)
from tests.federation.party.test_party import party_of, secrets_of

ROUND = 3
"""The round in which somebody refuses."""


def taking_part(connection, rounds=ROUND - 1):
    play(connection, rounds)
    return connection


def refusing(federation, index, code="sparse", rounds=ROUND - 1):
    """A party's program: it takes part in some rounds, and refuses the next."""

    def run():
        assert taking_part(federation.connect(index), rounds).refuse(code)

    return run


def going_on(federation, index, rounds=ROUND, **more):
    return lambda: play(federation.connect(index, **more), rounds)


def said(federation, index, kind="refuse"):
    return [f for link in federation.links[index] for f, _ in link.heard if f.kind == kind]


def is_told(results, party=1, code="sparse", round_=ROUND):
    """Whether all of these stopped, with an error that says who refused what."""
    return all(
        isinstance(each, RefusalError)
        and (each.party, each.round, each.kind) == (party, round_, code)
        and f"P{party} refused to take part in round {round_}" in str(each)
        for each in results
    )


def test_nobody_can_refuse_when_all_have_every_total(tmp_path, monkeypatch):
    """There is no sum left to take part in, and a model that all have isn't taken away."""
    monkeypatch.setattr(connection_module, "FAREWELL", 1.0)
    federation = Federation(tmp_path)

    def finishing(index):
        def run():
            connection = taking_part(federation.connect(index))
            connection.finish()
            return connection.rounds.completed

        return run

    results = together(finishing(0), refusing(federation, 1), finishing(2))
    assert results == [ROUND - 1, None, ROUND - 1]
    again = federation.connect(0)
    assert again.rounds.completed == ROUND - 1


@pytest.fixture
def refused(tmp_path):
    """Three parties that have stopped since the second refused."""
    federation = Federation(tmp_path)
    programs = going_on(federation, 0), refusing(federation, 1), going_on(federation, 2)
    mine, theirs = (results := together(*programs))[1], results[::2]
    assert mine is None
    assert is_told(theirs), theirs
    return federation, theirs


# -- all stop


@pytest.mark.parametrize("party", range(3))
@pytest.mark.parametrize("code", ["sparse", "roster", "refused"])
def test_the_others_stop_and_are_told_who_refused_and_what_to_do(tmp_path, party, code):
    federation = Federation(tmp_path)
    programs = [going_on(federation, index) for index in range(3)]
    programs[party] = refusing(federation, party, code)
    results = together(*programs)
    assert results.pop(party) is None
    assert is_told(results, party, code), results
    assert all("new session" in str(each) for each in results)
    assert not federation.sent(party)[ROUND - 1 :]
    assert {federation.connect(party).rounds.completed} == {ROUND - 1}


def test_so_are_those_who_only_announced_how_much_they_will_send(tmp_path):
    federation = Federation(tmp_path)

    def run(index):
        connection = federation.connect(index)
        play(connection, 1, length=10_000)
        if index == 1:
            connection.refuse("sparse")
            return None
        return connection.round(words_of(index, 2, 10_000), ABOUT, STATE)

    results = together(*(lambda i=i: run(i) for i in range(3)))
    assert results.pop(1) is None
    assert is_told(results, round_=2), results
    assert [frame.round for frame in said(federation, 0, "announce")] == [1, 2]


def test_so_are_those_who_wait_for_a_mistaken_party(tmp_path):
    """Two sum other statistics in the round that the third refuses."""
    federation = Federation(tmp_path)

    def other(index):
        connection = taking_part(federation.connect(index))
        connection.round(words_of(index, ROUND), bytes([index] * 32), STATE)

    waiting = lambda: other(0), refusing(federation, 1), lambda: other(2)
    results = together(*waiting)
    assert results.pop(1) is None
    assert is_told(results), results


def test_more_than_one_may_refuse(tmp_path):
    federation = Federation(tmp_path)
    both = refusing(federation, 0), refusing(federation, 1)
    *mine, third = together(*both, going_on(federation, 2))
    assert mine == [None, None]
    assert third.party in (0, 1)
    assert is_told([third], third.party)


def test_all_that_it_says_is_a_word_of_the_list(refused):
    federation, _ = refused
    (frame,) = said(federation, 1)
    assert frame.size == 0
    assert frame.header["code"] == "sparse"
    assert set(frame.header) == {
        "session", "epoch", "round", "party", "kind", "size", "sha256", "chain", "code",
    }  # fmt: skip
    connection = federation.connect(1)
    with pytest.raises(ch.ChathamError):
        connection._voice.frame("refuse", ABOUT, 1, chain=ABOUT, code="a word of 17 documents")


# -- all remember


def test_whoever_starts_again_says_the_same_and_asks_nobody(refused):
    federation, before = refused
    for index, error in zip((0, 2), before, strict=True):
        with pytest.raises(RefusalError) as again:
            federation.connect(index)
        assert str(again.value) == str(error)
        assert not federation.links[index][-1].heard


def test_who_refused_says_it_once_more_for_a_relay_that_has_forgotten(refused):
    federation, _ = refused
    federation.relay.board.close()
    shutil.rmtree(federation.relay.folder)
    federation.relay.start()
    taking_part(federation.connect(1)).refuse("sparse")
    once, again = said(federation, 1)
    assert once.raw == again.raw
    shutil.rmtree(federation.folder_of(0))
    (error,) = together(going_on(federation, 0))
    assert is_told([error])


def test_who_refused_takes_no_part_even_if_it_would_now(refused):
    federation, _ = refused
    (error,) = together(going_on(federation, 1))
    assert isinstance(error, RefusalError)
    assert error.party == 1
    assert "This party refused" in str(error)
    assert len(federation.sent(1)) == ROUND - 1


def test_who_refused_and_lost_its_folder_is_told_so(refused):
    federation, _ = refused
    shutil.rmtree(federation.folder_of(1))
    (error,) = together(going_on(federation, 1))
    assert isinstance(error, RefusalError)
    assert "This party refused" in str(error)


def test_who_refuses_says_why_at_home_even_if_the_relay_is_away(tmp_path, monkeypatch):
    monkeypatch.setattr(connection_module, "FAREWELL", 0.2)
    federation = Federation(tmp_path)
    connections = [federation.connect(index) for index in range(3)]
    all_good(together(*(lambda c=c: play(c, 1) for c in connections)))
    federation.links[1][0]._answered = away
    assert not connections[1].refuse("sparse")
    with pytest.raises(RefusalError, match="This party refused"):
        connections[1].round(words_of(1, 2), ABOUT, STATE)
    (again, *_) = together(refusing(federation, 1, rounds=1), going_on(federation, 0))
    assert again is None, "it is said when the relay is back"
    assert len(said(federation, 1)) > 1


def away(frame, body, starts):
    raise LinkError("The relay is away.")


@pytest.mark.parametrize("lost", [False, True])
def test_who_was_away_is_told_when_it_is_back_and_everybody_else_gone(tmp_path, lost):
    federation = Federation(tmp_path)

    def stops(progress):
        if progress.round == ROUND:
            raise Crash

    programs = going_on(federation, 0), refusing(federation, 1), going_on(federation, 2, tell=stops)
    first, second, third = together(*programs)
    assert second is None
    assert is_told([first])
    assert isinstance(third, Crash)
    with federation.relay.changed:
        federation.relay.kill()
    if lost:
        shutil.rmtree(federation.folder_of(2))
    assert is_told(together(going_on(federation, 2)))


def test_a_damaged_memory_of_it_is_never_used(refused):
    federation, _ = refused
    path = federation.folder_of(0) / NAME
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(CheckpointError, match="move it away"):
        federation.connect(0)
    path.unlink()
    assert is_told(together(going_on(federation, 0)))


# -- what the relay can't do


class Inventing(InsideLink):
    """A link on which the relay shows a refusal of its own making instead of every third answer."""

    made = None

    def say(self, frame, body):
        self.count = getattr(self, "count", 0) + 1
        if self.made is not None and self.count % 3 == 0 and frame.kind != "refuse":
            return Answer([Message(self.made)])
        return super().say(frame, body)


INVENTED = {
    "signed by nobody in the roster": {"by": Identity.new()},
    "signed by another party": {"by": 0},
    "of another session": {"session": bytes(32)},
    "of a round that is over": {"round_": 1},
    "of another past": {"chain": bytes(32)},
}


@pytest.mark.parametrize("what", INVENTED)
def test_a_relay_can_neither_invent_a_refusal_nor_bring_one_from_elsewhere(tmp_path, what):
    federation = Federation(tmp_path, link=lambda relay: Inventing(relay, patience=0.05))
    connections = [federation.connect(index) for index in range(3)]
    all_good(together(*(lambda c=c: play(c, 2) for c in connections)))
    given = {"by": 1, "session": federation.session.hash, "round_": 3} | INVENTED[what]
    by = given.pop("by")
    given.setdefault("chain", connections[0].rounds.chain)
    identity = federation.identities[by] if isinstance(by, int) else by
    invented = make_frame(identity, "refuse", party=1, epoch=ABOUT, code="sparse", **given)
    for links in federation.links:
        links[-1].made = invented

    def third(connection):
        return connection.round(words_of(connection.index, 3), ABOUT, STATE)

    totals = all_good(together(*(lambda c=c: third(c) for c in connections)))
    for total in totals:
        np.testing.assert_array_equal(total, sum_of(3, 3))


def test_the_same_refusal_is_believed_if_its_party_signed_it_for_this_round(tmp_path):
    """The invention above fails for what is wrong with it, and nothing else."""
    federation = Federation(tmp_path, link=lambda relay: Inventing(relay, patience=0.05))
    connections = [federation.connect(index) for index in range(3)]
    all_good(together(*(lambda c=c: play(c, 2) for c in connections)))
    frame = make_frame(
        federation.identities[1], "refuse", party=1, session=federation.session.hash, round_=3,
        chain=connections[0].rounds.chain, code="sparse",
    )  # fmt: skip
    federation.links[0][-1].made = frame
    results = together(lambda: connections[0].round(words_of(0, 3), ABOUT, STATE))
    assert is_told(results)


# -- steps


def refuse_at_the_second(rows, memory):
    """How many documents there are."""
    if memory.index == 1:
        raise InputError("I have 17 documents about tea.")
    return np.ones(1, np.int64)


def refuse_everywhere(rows, memory):
    """How many documents there are."""
    raise InputError("Nobody can count this.")


def fail_at_the_second(rows, memory):
    """How many documents there are."""
    if memory.index == 1:
        raise ZeroDivisionError
    return np.ones(1, np.int64)


def undefined(rows, memory):
    """How many documents there are."""
    raise UndefinedError("No topic has any words.")


def infinite_at_the_second(rows, memory):
    """How many documents there are."""
    return np.array([np.inf if memory.index == 1 else 1.0])


def count_one(rows, memory):
    """One for each party."""
    return np.ones(1, np.int64)


def summing(federation, index, *steps):
    def run():
        party = party_of(federation, index, np.ones((40, 2)))
        return [party.count() if step is count_documents else party.sum(step) for step in steps]

    return run


def stepping(federation, *steps):
    return together(*(summing(federation, index, *steps) for index in range(3)))


@pytest.mark.parametrize("step", [refuse_at_the_second, infinite_at_the_second])
def test_a_step_that_refuses_at_home_stops_all_and_nothing_of_its_reason_leaves(tmp_path, step):
    federation = Federation(tmp_path)
    first, second, third = stepping(federation, count_documents, step)
    assert is_told([first, third], code="refused", round_=2)
    assert "How many documents there are" in str(first)
    assert isinstance(second, HolderError | InputError)
    assert "The other parties are told that this one refuses" in str(second)
    sent = b"".join(f.raw + body for ln in federation.links[1] for f, body in ln.heard)
    assert b"tea" not in sent
    assert b'"code":"refused"' in sent


def test_what_is_said_at_home_is_in_words_and_the_step_for_programmers(tmp_path):
    _, second, _ = stepping(Federation(tmp_path), refuse_at_the_second)
    assert str(second).startswith(
        "This party could not compute what a sum needs (How many documents there are): I have 17"
    )
    assert "refuse_at_the_second" not in str(second)
    assert second.step.endswith("test_refusals.refuse_at_the_second")
    assert any("refuse_at_the_second" in note for note in second.__notes__)


def test_the_ledger_says_that_a_refusal_left(tmp_path):
    federation = Federation(tmp_path)
    stepping(federation, count_one, refuse_at_the_second)
    lines = list(read_ledger(federation.folder_of(1)))
    (line,) = [line for line in lines if line["event"] == "refused"]
    assert (line["round"], line["code"]) == (2, "refused")
    assert lines[-1] == line, "nothing of the round left"
    for index in range(3):
        assert verify_ledger(federation.folder_of(index), federation.session).is_sound


def test_a_program_that_goes_on_all_the_same_takes_no_part_any_more(tmp_path):
    federation = Federation(tmp_path)

    def goes_on():
        party = party_of(federation, 1, np.ones((40, 2)))
        with pytest.raises(HolderError):
            party.sum(refuse_at_the_second)
        return party.sum(count_one)

    others = [summing(federation, index, refuse_at_the_second) for index in (0, 2)]
    *_, error = together(*others, goes_on)
    assert isinstance(error, RefusalError)
    assert not federation.sent(1)


def test_a_step_that_all_refuse_is_refused_by_each_with_its_own_reason(tmp_path):
    results = stepping(Federation(tmp_path), refuse_everywhere)
    assert all(isinstance(each, HolderError) for each in results), results
    assert all("Nobody can count this." in str(each) for each in results)


def test_a_failure_of_the_machine_is_no_refusal(tmp_path):
    """It may be over when the party starts again: the others wait for it, as before."""
    federation = Federation(tmp_path)
    waiting = threading.Event()

    def tell(progress):
        if list(progress.waiting) == ["P1"]:
            waiting.set()

    def fails_once():
        party = party_of(federation, 1, np.ones((40, 2)))
        with pytest.raises(HolderError, match="ZeroDivisionError"):
            party.sum(fail_at_the_second)
        assert waiting.wait(PATIENCE)
        return party_of(federation, 1, np.ones((40, 2))).sum(count_one)

    def patient(index):
        party = party_of(federation, index, np.ones((40, 2)), tell=tell)
        return party.sum(count_one)

    programs = lambda: patient(0), fails_once, lambda: patient(2)
    assert [total.tolist() for total in all_good(together(*programs))] == [[3]] * 3
    assert not said(federation, 1)


def test_a_measure_without_a_value_is_left_out_by_all_and_they_go_on(tmp_path):
    federation = Federation(tmp_path)

    def run(index):
        party = party_of(federation, index, np.ones((40, 2)))
        with pytest.raises(HolderError):
            party.sum(undefined)
        return party.sum(count_one)

    totals = all_good(together(*(lambda i=i: run(i) for i in range(3))))
    assert [total.tolist() for total in totals] == [[3]] * 3


# -- anchor words


@pytest.fixture(scope="module")
def one_is_sparse():
    """Three parties' rows, of which the second's are too sparse for so many products."""
    dense = sp.csr_array(plant(n=120, d=300, k=3, length=150, seed=2)[0])
    sparse = sp.csr_array(plant(n=400, d=300, k=3, length=12, seed=1)[0])
    first, third = split(dense, 2)
    return [first, sparse, third]


def anchors(federation, index, rows):
    def run():
        return ch.AnchorWords(3, refine=0, random_state=0).fit(party_of(federation, index, rows))

    return run


def test_anchor_words_limit_stops_all_parties_with_a_reason_and_again(tmp_path, one_is_sparse):
    federation = Federation(tmp_path)
    programs = [anchors(federation, i, rows) for i, rows in enumerate(one_is_sparse)]
    first, second, third = together(*programs)
    assert is_told([first, third], round_=first.round)
    assert "fewer topics" in str(first)
    assert isinstance(second, HolderError)
    assert second.kind == second.__cause__.kind == "sparse"
    assert "products.count_pairs" not in str(second)
    assert "new session with fewer topics" in str(second)
    again = together(*programs)
    assert [str(each) for each in again] == [str(each) for each in (first, second, third)]
    secure = Simulated(one_is_sparse, secure=True, secrets=secrets_of(federation))
    with pytest.raises(HolderError) as simulated:
        ch.AnchorWords(3, refine=0, random_state=0).fit(secure)
    assert str(simulated.value.__cause__) == str(second.__cause__)
