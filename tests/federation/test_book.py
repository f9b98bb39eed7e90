"""The book of sessions: what it says of documents, and that it says so before anything leaves."""

import errno
import json
import os
import stat
import threading
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons.secure.keys import Identity
from chatham.errors import InputError, SessionError
from chatham.federation import book as book_module
from chatham.federation.book import Book, book_of, save_identity
from chatham.federation.contents import document_digests
from chatham.federation.session import Member
from chatham.federation.words.rules import WordRules
from tests.cli.federation import texts
from tests.federation.parties import make_session

TEXTS = texts(12, seed=3)
LINE = {"time": "2030", "session": "ab", "documents": [], "parties": [], "words": ""}
FIT = {"time": "2030", "session": "ab", "fit": 1, "told": 5}


@pytest.fixture
def book(tmp_path):
    identity = Identity.new()
    save_identity(identity, tmp_path / "my.key")
    return Book.beside(tmp_path / "my.key", identity)


@pytest.fixture
def session():
    return make_session()[0]


def corpus(documents=TEXTS, **rules):
    return WordRules.of({"stop_words": "none", **rules}).read(documents, {})


def other(session, number=1, parties=None):
    """Another session, of the same parties or of these."""
    return replace(session, id=f"{number:032x}", parties=parties or session.parties)


def with_another(session):
    return (*session.parties, Member("Another", "d" * 64))


def test_a_book_is_for_its_owner_alone(book):
    assert book.lines() == []
    if os.name == "posix":
        assert stat.S_IMODE(book.path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "read",
    [
        corpus,
        lambda documents: corpus(documents, stop_words="en"),
        lambda documents: corpus(documents, stop_words="none", ngrams=[1, 2]),
        lambda documents: ch.read_corpus(documents, stop_words=None, min_df=4),
        lambda documents: ch.read_corpus([f"  {text}\n" for text in documents], stop_words=None),
        lambda documents: corpus(documents).rows(np.arange(len(documents))[::-1]),
    ],
)
def test_a_document_is_the_same_under_any_rules(book, session, read):
    assert book.page(session, read(TEXTS)).documents == book.page(session, corpus()).documents


def test_counts_are_the_same_whatever_their_columns(book, session):
    plain = ch.Corpus(np.array([[2, 0, 1], [0, 1, 0], [0, 0, 0]]), ["tea", "milk", "rum"])
    order = [2, 0, 1]
    turned = ch.Corpus(plain.counts[:, order], plain.vocabulary[order])
    wide = ch.Corpus(sp.hstack([plain.counts, np.zeros((3, 1), int)]), [*plain.vocabulary, "gin"])
    first = document_digests(plain)
    assert first == document_digests(turned) == document_digests(wide)
    assert first[2] == b""
    assert len(book.page(session, plain).documents) == 2
    assert document_digests(plain.counts) == document_digests(plain.counts.toarray())
    assert document_digests(plain.counts)[0] != document_digests(turned.counts)[0]


def test_hashes_are_the_identitys(book, session):
    others = Book(book.path, Identity.new()).page(session, corpus()).documents
    mine = book.page(session, corpus()).documents
    assert len(mine) == len(others) == len(TEXTS)
    assert not mine & others


def test_a_session_is_entered_once_with_all_that_counts(book, session):
    page = book.page(session, corpus())
    page.enter()
    page.enter()
    (line,) = book.lines()
    assert line.session == session.hash.hex()
    assert line.parties == {member.key for member in session.parties}
    assert (line.documents, line.number) == (page.documents, len(TEXTS))
    assert not any(text[:20] in book.path.read_text() for text in TEXTS)


@pytest.mark.parametrize("shared", [0, 1, 12])
def test_documents_are_elsewhere_if_other_parties_had_any_of_them(book, session, shared):
    before = [*TEXTS[:shared], *texts(5, seed=8)]
    book.page(other(session, parties=with_another(session)), corpus(before)).enter()
    assert book.page(session, corpus()).is_elsewhere == (shared > 0)


def test_the_same_parties_are_not_others(book, session):
    book.page(other(session, parties=session.parties[::-1]), corpus()).enter()
    assert not book.page(session, corpus()).is_elsewhere


@pytest.mark.parametrize(
    "content",
    [
        "damaged\n",
        '{"time": "2030-01-02", "session": "ab", "documents": 41, "corpus": "c"}\n',
        json.dumps({**LINE, "documents": [1]}) + "\n",
        json.dumps({**FIT, "told": -1}) + "\n",
        json.dumps({**LINE, "parties": None}) + "\n",
        "[" * 100_000 + "\n",
    ],
)
def test_a_book_that_does_not_say_cannot_say_no(book, session, content):
    book.path.write_text(content)
    page = book.page(session, corpus())
    assert page.is_elsewhere
    assert page.concerns()
    book.path.unlink()
    assert page.is_elsewhere
    assert page.concerns()


def test_a_book_that_was_begun_late_never_says_no(book, session):
    book.path.unlink()
    known = replace(session, roster_changed_know=True)
    book.page(known, corpus()).enter()
    assert [line.session for line in book.lines()] == ["", known.hash.hex()]
    assert book.page(other(session), corpus(texts(5, seed=8))).is_elsewhere


def test_a_line_that_a_crash_cut_short_told_nobody_anything(book, session):
    book.page(other(session), corpus()).enter()
    whole = book.path.read_bytes()
    book.path.write_bytes(whole + whole[:50])
    page = book.page(session, corpus())
    assert not page.is_elsewhere
    page.enter()
    assert [line.session for line in book.lines()] == [
        other(session).hash.hex(), session.hash.hex(),
    ]  # fmt: skip


def test_measurements_add_up_over_sessions_that_share_documents(book, session):
    for number, documents, told in (
        (1, TEXTS, 5),
        (2, [TEXTS[0], "new words"], 7),
        (3, texts(5, seed=8), 11),
    ):
        before = book.page(other(session, number), corpus(documents))
        before.enter()
        before.next_fit()
        before.enter_measurements(told)
    for _ in range(2):  # and again after a restart
        page = book.page(session, corpus())
        page.enter()
        told = []
        for measurements in (13, 0, 2):
            told.append(page.next_fit())
            page.enter_measurements(measurements)
        assert told == [12, 25, 25]
    assert not page.is_elsewhere
    assert book.page(other(session, 4), corpus()).next_fit() == 27


def test_a_fit_that_begins_again_with_more_counts_with_more(book, session):
    for measurements in (200, 600, 400):
        page = book.page(session, corpus())
        page.enter()
        page.next_fit()
        page.enter_measurements(measurements)
    assert page.next_fit() == 600


def test_a_book_that_begins_late_says_so_even_if_nothing_more_can_be_written(
    tmp_path, session, monkeypatch
):
    """An empty book would say that its key never joined anything."""
    late = Book(tmp_path / "late.joined", Identity.new())
    page = late.page(replace(session, roster_changed_know=True), corpus())
    assert page.is_elsewhere

    def full(file, text):
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(book_module, "_append", full)
    with pytest.raises(InputError, match="can't be written"):
        page.enter()
    assert late.page(other(session), corpus()).is_elsewhere
    page.next_fit()
    assert late.page(other(session), corpus()).is_elsewhere


def test_a_fit_that_tells_nothing_makes_no_book(tmp_path, session):
    missing = Book(tmp_path / "missing.joined", Identity.new())
    missing.page(session, corpus()).next_fit()
    assert not missing.path.exists()


def test_a_session_that_was_refused_told_nothing(book, session):
    """A fit says what it will tell before its first sum, and then there is none."""
    refused = book.page(other(session), corpus())
    refused.next_fit()
    refused.enter_measurements(5)
    assert book.page(session, corpus()).next_fit() == 0


def test_who_joined_others_since_the_question_stops_at_home(book, session):
    """Two sessions of other parties were both asked about before either was entered."""
    one, two = (
        book.page(session, corpus()),
        book.page(other(session, parties=with_another(session)), corpus()),
    )
    assert not one.is_elsewhere
    assert not two.is_elsewhere
    one.enter()
    with pytest.raises(SessionError) as refusal:
        two.enter()
    assert refusal.value.kind == "roster"
    assert len(book.lines()) == 1
    one.enter()  # it goes on, also after a restart


def test_many_at_once_lose_no_line(book, session):
    pages = [book.page(other(session, number), corpus()) for number in range(20)]
    threads = [threading.Thread(target=page.enter) for page in pages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert {line.session for line in book.lines()} == {page.session.hash.hex() for page in pages}


def test_changes_are_counted_by_documents(book, session):
    book.page(other(session), corpus()).enter()
    assert book.page(session, corpus(stop_words="en")).concerns() == []
    assert book.page(session, corpus(texts(30, seed=8))).concerns() == []
    (said,) = book.page(session, corpus([*TEXTS[2:], "a new one"])).concerns()
    assert "Of your 11 different, non-empty documents 10 were in session" in said
    assert "differ by those 3" in said


@pytest.mark.skipif(os.name != "posix" or not hasattr(os, "geteuid") or os.geteuid() == 0,
                    reason="root may write anywhere")  # fmt: skip
def test_nothing_leaves_if_the_book_cannot_be_written(book, session):
    book.path.chmod(0o400)
    with pytest.raises(InputError, match="so nothing leaves"):
        book.page(session, corpus()).enter()


def test_a_book_that_is_a_folder_is_refused(book, session):
    book.path.unlink()
    book.path.mkdir()
    with pytest.raises(InputError, match="can't be"):
        book.page(session, corpus()).enter()


def test_a_key_whose_book_is_there_already_is_not_made(tmp_path):
    book_of(tmp_path / "my.key").write_text("")
    with pytest.raises(InputError, match="book of sessions of another key"):
        save_identity(Identity.new(), tmp_path / "my.key")
    assert not (tmp_path / "my.key").exists()


def test_lines_are_plain_json(book, session):
    book.page(session, corpus()).enter()
    plain = json.loads(book.path.read_text())
    assert set(plain) == {"time", "session", "id", "parties", "words", "documents"}


def test_books_without_ids_are_read_and_name_sessions_by_their_hashes(book, session):
    """Books of which the first lines were written before sessions' ids were."""
    earlier = other(session, parties=with_another(session))
    page = book.page(earlier, corpus())
    page.enter()
    page.next_fit()
    page.enter_measurements(5)
    plain = [json.loads(line) for line in book.path.read_text().splitlines()]
    assert plain[0].pop("id") == earlier.id
    assert plain[1]["told"] == 5
    assert f"session {earlier.id[:8]}…" in book.page(session, corpus()).concerns()[0]
    book.path.write_text("".join(json.dumps(line) + "\n" for line in plain))
    (concern,) = book.page(session, corpus()).concerns()
    assert f"the session with the hash {earlier.hash.hex()[:8]}… on" in concern
    assert book.page(session, corpus()).next_fit() == 5


def test_after_a_session_in_which_all_know_the_first_parties_are_others_too(book, session):
    book.page(session, corpus()).enter()
    fewer = replace(session, id="2" * 32, parties=session.parties[:2], roster_changed_know=True)
    book.page(fewer, corpus()).enter()
    assert book.page(other(session), corpus()).is_elsewhere


MONTHS, YEARS = ({"column": "date", "every": every} for every in ("month", "year"))


@pytest.mark.parametrize(
    ("before", "now", "warned"),
    [
        ((), (MONTHS,), False),
        ((MONTHS,), (), False),
        ((MONTHS,), (MONTHS,), False),
        ((MONTHS, {"column": "desk"}), (MONTHS,), False),
        ((MONTHS,), (YEARS,), True),
        ((MONTHS,), (MONTHS, {"column": "desk"}), True),
    ],
)
def test_other_tables_of_the_same_documents_are_warned_of(book, session, before, now, warned):
    book.page(replace(other(session), tables=before), corpus()).enter()
    (line,) = book.lines()
    assert len(line.tables) == len(before)
    assert ("tables" in book.path.read_text()) == bool(before)
    concerns = book.page(replace(session, tables=now), corpus()).concerns()
    assert any("made other tables of them" in concern for concern in concerns) == warned
    assert book.page(replace(session, tables=now), corpus(texts(5, seed=8))).concerns() == []
