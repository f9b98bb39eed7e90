"""Two sessions whose rosters differ by one party: the difference of their totals is that party.

With a, b, c and d, and then with a, b and c alone, anybody who took part in both subtracts two
totals and has d's co-occurrences, its document frequencies and its number of documents. The same if
a party is added. What is done against it: real parties ask each other before the first sum, and all
stop before a word is agreed on.
"""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

pytest.importorskip("uvicorn")

import chatham as ch
from chatham.corpus import sample_corpus
from chatham.errors import SessionError
from chatham.federation.book import book_of, save_identity
from chatham.federation.party.ledger import read_ledger
from chatham.federation.program import count_word_documents
from chatham.federation.relay.service import relay_app
from chatham.model.topic_model import TopicModel
from tests.cli.federation import texts
from tests.federation.parties import http_relay, together

N_WORDS = 120
TEXTS = [texts(35, seed=seed) for seed in range(5)]
ALL, WITHOUT_LAST = (0, 1, 2, 3), (0, 1, 2)


def count_pairs(rows, memory):
    """How often two words co-occur, weighted so that each document counts the same."""
    counts = sp.csr_array(rows, dtype=float)
    lengths = np.asarray(counts.sum(axis=1))
    weights = 1.0 / np.maximum(lengths * (lengths - 1), 1.0)
    pairs = (counts.T @ sp.diags_array(weights) @ counts).toarray()
    return pairs - np.diag(weights @ counts)


def four_parties():
    """The sample corpus at four parties, over its most frequent words."""
    corpus = ch.read_corpus(sample_corpus().texts, stop_words="en", max_features=N_WORDS)
    return [party.counts for party in corpus.parties(n=4).values()]


def totals_of(parts):
    commons = ch.Simulated(parts, secure=True, exact_totals=True)
    pairs = commons.sum(count_pairs, total=float(sum(part.shape[0] for part in parts)))
    return pairs, *commons.sum(count_word_documents)


def test_a_difference_of_two_totals_is_the_party_that_left(capsys):
    """The attack itself, which masks can't prevent: this is why the session is refused."""
    *others, left = four_parties()
    pairs, frequencies, (n,) = (
        before - after
        for before, after in zip(totals_of([*others, left]), totals_of(others), strict=True)
    )
    true = count_pairs(left, None)
    worst = float(np.abs(pairs - true).max())
    upper = np.triu_indices(N_WORDS)
    with capsys.disabled():
        print(
            f"\n{len(upper[0]):,} co-occurrences of the party that left, off by at most "
            f"{worst:.1e}; its {len(frequencies)} document frequencies and {n} documents exactly"
        )
    assert worst < 1e-9
    assert n == left.shape[0]
    assert np.array_equal(frequencies, (left > 0).sum(axis=0))


class Meeting:
    """Parties with keys and books, and sessions of some of them, one after another."""

    def __init__(self, folder, identities, sessions):
        self.folder, self.identities, self._sessions = folder, identities, sessions
        for place, identity in enumerate(identities):
            save_identity(identity, self.key(place))

    def key(self, place):
        return self.folder / f"{place}.key"

    def home(self, name, place):
        return self.folder / f"{name}-{place}"

    def fit(self, name, documents=None, way=None, **more):
        """What each party of a session gets, or what it raises."""
        session, roster = self._sessions[name]
        documents = TEXTS if documents is None else documents
        programs = [
            lambda i=place: (way or by_session)(
                session, documents[i], key=self.key(i), folder=self.home(name, i), **more
            )
            for place in roster
        ]
        return together(*programs)

    def left(self, name):
        """The statistics of which anything left, at each party of a session."""
        homes = [self.home(name, place) for place in self._sessions[name][1]]
        return [{line.get("statistic", "") for line in read_ledger(home)} - {""} for home in homes]


def by_session(session, documents, **options):
    corpus = ch.read_for(session, documents)
    return ch.fit_together(session, corpus, n_jobs=1, **options)


def by_rows(session, documents, **options):
    counts = ch.read_corpus(documents, stop_words=None, vocabulary=WORDS).counts
    party = ch.join(session, counts, **options)
    try:
        return ch.PLSA(2, max_iter=2, random_state=0).fit(party)
    except SessionError:
        with pytest.raises(SessionError):
            party.count()  # it is no way around to try again
        raise
    finally:
        party.close()


WORDS = sorted({word for each in TEXTS for text in each for word in text.split()})


@contextmanager
def meeting(folder, **rosters):
    """Sessions of parties among five, by name: who is in each, and what else it says."""
    about = {
        "algorithm": "plsa",
        "parameters": {"n_components": 2, "max_iter": 2},
        "vocabulary": {"stop_words": "none", "min_df": 6, "own_df": 3},
    }
    made = {}

    def app_of(plain):
        for number, (name, (roster, more)) in enumerate(rosters.items()):
            parties = tuple(plain.parties[place] for place in roster)
            said = {"id": f"{number:032x}", "parties": parties, **about, **more}
            made[name] = replace(plain, **said), roster
        return relay_app([session for session, _ in made.values()], folder / "relay")

    with http_relay(app_of, parties=5) as (_, identities):
        yield Meeting(folder, identities, made)


def is_refused(results):
    return all(isinstance(each, SessionError) and each.kind == "roster" for each in results)


def is_fitted(results):
    return all(isinstance(each, TopicModel | ch.PLSA) for each in results)


ASKED = {"chatham.federation.question.tell_of_past"}


@pytest.mark.parametrize("way", [by_session, by_rows])
@pytest.mark.parametrize(
    ("first", "second"),
    [(ALL, WITHOUT_LAST), (WITHOUT_LAST, ALL), (WITHOUT_LAST, (0, 3, 4))],
    ids=["one left", "one came", "others"],
)
def test_a_session_of_other_parties_stops_before_anything_is_summed(tmp_path, first, second, way):
    with meeting(tmp_path, first=(first, {}), second=(second, {})) as parties:
        assert is_fitted(parties.fit("first", way=way))
        assert is_refused(parties.fit("second", way=way))
        assert parties.left("second") == [ASKED] * len(second)


def test_parties_that_all_know_go_on(tmp_path):
    known = {"roster_changed_know": True}
    with meeting(tmp_path, first=(ALL, {}), second=(WITHOUT_LAST, known)) as parties:
        assert is_fitted(parties.fit("first"))
        assert is_fitted(parties.fit("second"))
        assert all(len(left) > 1 for left in parties.left("second"))


def test_the_same_parties_go_on_in_any_order_and_under_other_rules(tmp_path):
    other = {"vocabulary": {"stop_words": "en", "ngrams": [1, 2], "min_df": 4, "own_df": 2}}
    with meeting(tmp_path, first=((0, 1, 2), {}), second=((2, 0, 1), other)) as parties:
        assert is_fitted(parties.fit("first"))
        assert is_fitted(parties.fit("second"))


def test_one_document_of_one_party_is_enough(tmp_path):
    with meeting(tmp_path, first=(ALL, {}), second=(WITHOUT_LAST, {})) as parties:
        assert is_fitted(parties.fit("first"))
        fresh = [texts(35, seed=10 + seed) for seed in range(5)]
        again = [fresh[0], [*fresh[1][:-1], TEXTS[1][7]], fresh[2]]
        assert is_refused(parties.fit("second", again))
        assert parties.left("second") == [ASKED] * 3


def test_other_documents_are_nobodys_concern(tmp_path):
    with meeting(tmp_path, first=(ALL, {}), second=(WITHOUT_LAST, {})) as parties:
        assert is_fitted(parties.fit("first"))
        assert is_fitted(parties.fit("second", [texts(35, seed=10 + seed) for seed in range(5)]))


@pytest.mark.parametrize("way", [by_session, by_rows])
def test_without_a_book_nobody_can_say_no(tmp_path, way):
    with meeting(tmp_path, only=(WITHOUT_LAST, {})) as parties:
        book_of(parties.key(1)).unlink()
        assert is_refused(parties.fit("only", way=way))
        assert parties.left("only") == [ASKED] * 3
        assert not book_of(parties.key(1)).exists()


class StoppedError(Exception):
    """The process ends here."""


def test_who_is_stopped_in_the_question_answers_the_same_again(tmp_path):
    """Another number would be another total of a round that some may have signed already."""
    told = []

    def stop_once(progress):
        if progress.round == 1 and len(told) < 3:
            told.append(progress)
            raise StoppedError

    with meeting(tmp_path, first=(ALL, {}), second=(WITHOUT_LAST, {})) as parties:
        assert is_fitted(parties.fit("first"))
        first = parties.fit("second", tell=stop_once)
        assert all(isinstance(each, StoppedError) for each in first), first
        assert is_refused(parties.fit("second"))
        assert parties.left("second") == [ASKED] * 3
        lefts = [
            {line["sha256"] for line in read_ledger(parties.home("second", place))
             if line["event"] == "left" and line["array"] == 0}
            for place in WITHOUT_LAST
        ]  # fmt: skip
        assert [len(each) for each in lefts] == [1, 1, 1]


def test_what_the_same_parties_told_before_counts_for_the_next_fit(tmp_path, monkeypatch):
    monkeypatch.setattr(ch.PLSA, "_measurements", lambda self: 5)
    rosters = {name: (WITHOUT_LAST, {}) for name in ("first", "second", "third", "fourth")}
    with meeting(tmp_path, **rosters) as parties:
        assert is_fitted(parties.fit("first"))
        assert is_fitted(parties.fit("second"))
        assert is_fitted(parties.fit("second"))  # again, from the records
        told = []
        monkeypatch.setattr(ch.PLSA, "_fit", spying_on(ch.PLSA._fit, told))
        assert is_fitted(parties.fit("third"))
        assert is_fitted(parties.fit("fourth", way=by_rows))
        assert told == [10] * 3 + [0] * 3, "a bare matrix has other hashes than texts"


def spying_on(fit, told):
    """A learner's fit that notes how much was told before."""

    def spying(self, commons, seed):
        told.append(commons._memory.told)
        return fit(self, commons, seed)

    return spying


def test_a_refused_session_is_refused_again_and_isnt_in_the_books(tmp_path):
    """What was refused told nobody anything: the first roster may meet again."""
    rosters = {"first": (ALL, {}), "second": (WITHOUT_LAST, {}), "third": (ALL, {})}
    with meeting(tmp_path, **rosters) as parties:
        assert is_fitted(parties.fit("first"))
        assert is_refused(parties.fit("second"))
        assert is_refused(parties.fit("second"))
        assert is_fitted(parties.fit("third"))
