"""A vocabulary of several parties: the words that the plain rule gives, at every one of them."""

import socket
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chatham as ch
from chatham.commons import Alone, Recorded, Simulated
from chatham.corpus import read_corpus
from chatham.federation.words import agree_vocabulary, agreeing, offered_words, recount
from chatham.federation.words.codes import can_travel
from tests.federation.words.agreeing_parties import (
    KINDS,
    PLANTED,
    Spied,
    as_dict,
    by_the_plain_rule,
    table,
    tables,
    with_buckets,
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "rules", [{}, {"min_parties": 3}, {"min_df": 12}, {"max_df": 22}, {"min_df": 12, "max_df": 44}]
)
def test_the_words_are_those_of_the_plain_rule(kind, rules):
    agreed = agree_vocabulary(KINDS[kind](tables(PLANTED)), **rules)
    assert as_dict(agreed) == by_the_plain_rule(PLANTED, **rules)
    assert agreed.words.tolist() == sorted(agreed.words.tolist())
    assert agreed.unresolved == 0


def test_a_single_holder_agrees_with_itself():
    rows = table(PLANTED[0])
    expected = by_the_plain_rule(PLANTED[:1], min_parties=1, min_df=6)
    assert as_dict(agree_vocabulary(Alone(rows), min_df=6)) == expected
    assert as_dict(agree_vocabulary(rows, min_df=6)) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_in_common_is_an_empty_vocabulary(kind):
    agreed = agree_vocabulary(KINDS[kind](tables([{"ours": 5}, {"yours": 5}, {}])))
    assert len(agreed) == 0 == len(agreed.parties) == len(agreed.document_frequencies)
    assert len(agree_vocabulary(KINDS[kind](tables([{}, {}])))) == 0


words_ = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(can_travel)
pool = st.lists(words_, min_size=1, max_size=25, unique=True)


@st.composite
def parties_(draw):
    names = draw(pool)
    one = st.dictionaries(st.sampled_from(names), st.integers(1, 9))
    return draw(st.lists(one, min_size=2, max_size=5))


@settings(max_examples=60, deadline=None)
@given(parties_(), st.integers(2, 5), st.integers(1, 20))
def test_any_parties_agree_as_the_plain_rule_says(parts, min_parties, min_df):
    min_parties = min(min_parties, len(parts))
    agreed = agree_vocabulary(Simulated(tables(parts)), min_parties=min_parties, min_df=min_df)
    assert as_dict(agreed) == by_the_plain_rule(parts, min_parties, min_df)
    assert agreed.unresolved == 0


@settings(max_examples=60, deadline=None)
@given(parties_(), st.integers(1, 20), st.sampled_from([1, 8, 2**10]))
def test_a_word_is_too_common_by_itself_not_by_those_in_its_bucket(parts, max_df, buckets):
    expected = by_the_plain_rule(parts, min_df=1, max_df=max_df)
    with pytest.MonkeyPatch.context() as patch:
        with_buckets(patch, buckets)
        agreed = agree_vocabulary(Simulated(tables(parts)), min_df=1, max_df=max_df)
    assert as_dict(agreed).items() <= expected.items()
    if agreed.unresolved == 0:
        assert as_dict(agreed) == expected


@pytest.mark.parametrize(
    ("rules", "in_numbers"),
    [
        ({"max_df": 0.5}, {"max_df": 22}),
        ({"max_df": 0.49}, {"max_df": 21}),
        ({"min_df": 0.5}, {"min_df": 22}),
        ({"min_df": 0.51, "max_df": 1.0}, {"min_df": 23}),
        ({"min_df": 0.4, "max_df": 44}, {"min_df": 18, "max_df": 44}),
    ],
)
def test_shares_are_of_all_parties_documents(rules, in_numbers):
    """Tea is in 22 documents, rum in 45, and there are 44, of which 40 are one party's."""
    parts = [{**PLANTED[0], "rum": 39}, *PLANTED[1:]]
    rows = [table(part, n) for part, n in zip(parts, (40, 30, 12), strict=True)]
    rows[1:] = [table({w: min(n, 2) for w, n in part.items()}, 2) for part in PLANTED[1:]]
    parts = [dict(zip(row.words, row.frequencies.tolist(), strict=True)) for row in rows]
    commons = Recorded(Simulated(rows, secure=True))
    assert as_dict(agree_vocabulary(commons, **rules)) == by_the_plain_rule(parts, **in_numbers)
    assert sum(entry.statistic.endswith("count_all") for entry in commons.ledger) == 1


def test_shares_need_the_number_of_documents():
    with pytest.raises(ch.ChathamError, match="Shares of documents need their number"):
        agree_vocabulary(Simulated(tables(PLANTED)), max_df=0.5)


@settings(max_examples=60, deadline=None)
@given(parties_(), st.sampled_from([1, 2, 8]))
def test_with_hardly_any_buckets_words_are_missing_but_never_wrong(parts, buckets):
    expected = by_the_plain_rule(parts)
    with pytest.MonkeyPatch.context() as patch:
        with_buckets(patch, buckets)
        commons = Spied(tables(parts))
        agreed = agree_vocabulary(commons)
    assert as_dict(agreed).items() <= expected.items()
    assert commons.spelt() == set(agreed.words.tolist())
    if agreed.unresolved == 0:
        assert as_dict(agreed) == expected


def test_later_passes_find_the_words_that_met_in_the_first(monkeypatch):
    shared = {f"word{i}": 5 + i for i in range(40)}
    parts = [{**shared, "ours": 99}, {**shared, "yours": 99}, shared]
    with_buckets(monkeypatch, 64)
    ledger = Recorded(Simulated(tables(parts)))
    assert as_dict(agree_vocabulary(ledger)) == by_the_plain_rule(parts)
    assert sum(entry.statistic.endswith("count_offers") for entry in ledger.ledger) > 1
    monkeypatch.setattr(agreeing, "PASSES", 1)
    once = agree_vocabulary(Simulated(tables(parts)))
    assert len(once) < 40
    assert once.unresolved > 0


def test_of_two_words_in_one_bucket_the_more_frequent_is_offered_first(monkeypatch):
    with_buckets(monkeypatch, 1)
    monkeypatch.setattr(agreeing, "PASSES", 1)
    agreed = agree_vocabulary(Simulated(tables([{"a": 5, "b": 6}, {"a": 7, "b": 8}])))
    assert as_dict(agreed) == {"b": (2, 14)}
    assert agreed.unresolved == 2


def test_max_features_keeps_the_words_in_most_documents_ties_in_order():
    parts = [{"a": 5, "b": 9, "d": 5, "c": 5}] * 2
    agreed = agree_vocabulary(Simulated(tables(parts)), max_features=2)
    assert as_dict(agreed) == {"a": (2, 10), "b": (2, 18)}


@pytest.fixture(scope="module")
def sample():
    return ch.corpus.sample_corpus(min_df=1, max_df=1.0)


def parties_of(sample):
    """Each community reads its own texts, as it would by itself."""
    options = {"stop_words": "en", "min_df": 1, "max_df": 1.0}
    return [read_corpus(p.texts, **options) for p in sample.parties(by="label").values()]


@pytest.mark.parametrize("min_parties", [2, 3])
def test_three_communities_agree_on_their_words(sample, min_parties):
    own = parties_of(sample)
    offers = [offered_words(part) for part in own]
    parts = [dict(zip(o.words, o.frequencies.tolist(), strict=True)) for o in offers]
    assert len({len(part) for part in parts}) == 3
    commons = Recorded(Simulated(offers, secure=True))
    agreed = agree_vocabulary(commons, min_parties=min_parties)
    assert as_dict(agreed) == by_the_plain_rule(parts, min_parties)
    assert len(agreed) > 1000
    assert agreed.unresolved == 0
    pooled = recount(sample, agreed.words)
    counts = [recount(part, agreed.words).toarray() for part in own]
    groups = sample.parties(by="label").values()
    order = np.argsort(
        [place for g in groups for place in np.flatnonzero(np.isin(sample.ids, g.ids))]
    )
    assert np.array_equal(np.vstack(counts)[order], pooled.toarray())
    assert sum(entry.bytes for entry in commons.ledger) < 600_000


@pytest.fixture
def federation(tmp_path):
    pytest.importorskip("uvicorn")
    import uvicorn

    from chatham.commons.secure.keys import Identity
    from chatham.federation.relay.service import relay_app
    from chatham.federation.session import Member, Session

    listening = socket.create_server(("127.0.0.1", 0))
    identities = [Identity.new() for _ in PLANTED]
    members = tuple(Member(f"P{i}", one.public.hex()) for i, one in enumerate(identities))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    session = Session(id="ab" * 16, relay=address, parties=members, algorithm="none")
    config = uvicorn.Config(relay_app([session], tmp_path / "relay"), log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    yield session, identities
    server.should_exit = True
    thread.join()


def test_real_parties_agree_and_find_it_again(federation, tmp_path):
    from chatham.federation.party.connection import Connection
    from chatham.federation.party.http_link import HttpLink
    from chatham.federation.party.ledger import Ledger, read_ledger
    from chatham.federation.party.party import Party

    session, identities = federation
    found = {}

    def take_part(index, run):
        folder = tmp_path / f"party{index}"
        link = HttpLink(session)
        connection = Connection(session, identities[index], link, folder)
        party = Party(table(PLANTED[index]), connection, Ledger(folder))
        found[index, run] = agree_vocabulary(party)
        link.close()

    for run in range(2):
        threads = [threading.Thread(target=take_part, args=(i, run), daemon=True) for i in range(3)]
        [thread.start() for thread in threads]
        [thread.join(300) for thread in threads]
    assert [as_dict(agreed) for agreed in found.values()] == 6 * [by_the_plain_rule(PLANTED)]
    assert len({agreed.hash for agreed in found.values()}) == 1
    lines = [line for line in read_ledger(tmp_path / "party0") if line["event"] == "left"]
    assert lines[0]["meaning"].startswith("My eight numbers")
    assert {line["round"] for line in lines} == {1, 2, 3, 4}
