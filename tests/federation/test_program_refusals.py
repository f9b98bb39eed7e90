"""Whole programs over a real relay: one party refuses on the way, or before it says a word."""

import numpy as np
import pytest

pytest.importorskip("uvicorn")

import chatham as ch
from chatham.errors import HolderError, InputError, RefusalError, SessionError
from chatham.federation.book import Book, book_of
from chatham.federation.party.ledger import read_ledger
from tests.attacks.test_roster_change import TEXTS, WITHOUT_LAST, meeting

WORDS = {"stop_words": "none", "min_df": 10, "own_df": 5}
ANCHORS = {"algorithm": "anchor", "parameters": {"n_components": 2, "refine": 0}}
TOLD = 5 * (2 + 20)


def long_texts(n, seed, words=300, length=150):
    rng = np.random.default_rng(seed)
    return [" ".join(f"w{i:03d}" for i in rng.integers(0, words, length)) for _ in range(n)]


DENSE = [long_texts(40, seed) for seed in range(5)]
"""Every word occurs together with nearly all others."""


def with_a_rare_neighbourhood(texts):
    """The same, and short documents: in these each of a few words meets a few others only."""
    return [*texts, *["w300 w301 w302" + " w300" * i for i in range(12)]]


def told_of(results, place, code):
    others = [each for i, each in enumerate(results) if i != place]
    return all(
        isinstance(each, RefusalError) and (each.party, each.kind) == (place, code)
        for each in others
    )


def test_all_parties_of_a_session_stop_with_a_reason_and_say_it_again(tmp_path):
    documents = [with_a_rare_neighbourhood(DENSE[0]), DENSE[1], with_a_rare_neighbourhood(DENSE[2])]
    with meeting(tmp_path, only=(WITHOUT_LAST, {**ANCHORS, "vocabulary": WORDS})) as parties:
        documents[2] = [*documents[2], *long_texts(40, 9, words=303)]
        results = parties.fit("only", documents)
        assert told_of(results, 0, "sparse"), results
        assert isinstance(results[0], HolderError)
        assert "new session with fewer topics" in str(results[0])
        again = parties.fit("only", documents)
        assert [str(each) for each in again] == [str(each) for each in results]
        events = [[e["event"] for e in read_ledger(parties.home("only", i))] for i in range(3)]
        assert [each.count("refused") for each in events] == [1, 0, 0]


def test_documents_that_took_part_elsewhere_meanwhile_stop_all(tmp_path):
    """Between the question and the first word, a session of others is entered in one book."""
    rosters = {"first": (WITHOUT_LAST, {}), "second": ((0, 3, 4), {})}
    with meeting(tmp_path, **rosters) as parties:
        first, _ = parties._sessions["first"]
        other, _ = parties._sessions["second"]
        book = Book(book_of(parties.key(1)), parties.identities[1])
        entered = []

        def meanwhile(progress):
            if progress.round == 1 and progress.step == "comparing totals" and not entered:
                entered.append(True)
                book.page(other, ch.read_for(first, TEXTS[1])).enter()

        results = parties.fit("first", tell=meanwhile)
        assert isinstance(results[1], SessionError), results
        assert "Since all were asked" in str(results[1])
        assert told_of(results, 1, "roster"), results
        assert "--roster-changed-know" in str(results[0])
        again = parties.fit("first")
        assert [str(each) for each in again] == [str(each) for each in results]


# -- before anything is sent


def test_who_will_refuse_whichever_words_are_agreed_on_is_told_before_it_joins(tmp_path):
    few = [long_texts(60, seed, words=TOLD) for seed in range(3)]
    with meeting(tmp_path, only=(WITHOUT_LAST, {**ANCHORS, "vocabulary": WORDS})) as parties:
        results = parties.fit("only", few)
        assert all(isinstance(e, InputError) and e.kind == "sparse" for e in results), results
        assert "at most" in str(results[0])
        assert not any(list(read_ledger(parties.home("only", i))) for i in range(3))


def test_what_earlier_sessions_told_is_known_before_a_party_joins(tmp_path):
    about = {**ANCHORS, "vocabulary": WORDS}
    rosters = dict.fromkeys(("first", "second"), (WITHOUT_LAST, about))
    with meeting(tmp_path, **rosters) as parties:
        first, _ = parties._sessions["first"]
        for place in WITHOUT_LAST:
            book = Book(book_of(parties.key(place)), parties.identities[place])
            page = book.page(first, ch.read_for(first, DENSE[place]))
            page.enter()
            page.next_fit()
            page.enter_measurements(2 * TOLD)
        results = parties.fit("second", DENSE)
        assert all(isinstance(e, InputError) and e.kind == "sparse" for e in results), results
        assert f"earlier sessions told {2 * TOLD}" in str(results[0])
        assert not list(read_ledger(parties.home("second", 0)))
