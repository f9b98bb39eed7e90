"""What crosses while parties agree on a vocabulary, and what altered totals can do."""

import hmac

import numpy as np
import pytest

from chatham.commons import Recorded, Simulated
from chatham.errors import TotalError
from chatham.federation.words import agreeing
from chatham.federation.words.agreeing import agree_vocabulary
from chatham.federation.words.codes import LETTERS, numbers_for_flags
from tests.federation.words.agreeing_parties import (
    PLANTED,
    Altered,
    Spied,
    as_dict,
    by_the_plain_rule,
    tables,
    with_buckets,
)


@pytest.mark.parametrize("secure", [False, True])
def test_words_of_one_party_never_leave_it(secure):
    commons = Spied(tables(PLANTED), secure=secure)
    agreed = agree_vocabulary(commons)
    assert commons.spelt() == set(agreed.words.tolist()) == {"tea", "milk", "čaj", "rum"}
    content = b"".join(
        part.astype(kind).tobytes() for *_, part in commons.seen for kind in ("<i8", ">i8")
    )
    letters = b"".join(
        b"".join(int(n).to_bytes(6, "big") for n in part.ravel())
        for part in commons.of("send_words")
    )
    assert "čaj".encode() in letters
    assert all(word not in content + letters for word in (b"ours", b"yours", b"theirs"))


def test_neither_do_their_fingerprints_and_documents():
    commons = Spied(tables(PLANTED))
    agree_vocabulary(commons)
    documents = np.concatenate(commons.of("compare", 1))
    assert 30 not in documents  # yours
    assert sorted(documents[documents > 0]) == [5, 5, 5, 6, 6, 8, 9, 12, 40]


def test_two_words_of_one_party_each_that_meet_are_not_spelt(monkeypatch):
    with_buckets(monkeypatch, 1)
    commons = Spied(tables([{"ours": 5}, {"yours": 5}, {}]))
    agreed = agree_vocabulary(commons)
    assert len(agreed) == 0
    assert agreed.unresolved == 2
    assert len(commons.of("compare")) == 3 * agreeing.PASSES  # they did meet, each time
    assert not any(part.any() for part in commons.of("send_words"))


def test_a_word_that_meets_another_partys_word_is_not_spelt(monkeypatch):
    with_buckets(monkeypatch, 1)
    commons = Spied(tables([{"tea": 5}, {"tea": 5}, {"ours": 5}]))
    assert len(agree_vocabulary(commons)) == 0
    assert not any(part.any() for part in commons.of("send_words"))


def test_documents_cross_only_where_enough_parties_offer():
    parts = [{"a": 5, "b": 5, "c": 5}, {"a": 6, "b": 6}, {"a": 7}]
    commons = Spied(tables(parts))
    agree_vocabulary(commons, min_parties=3)
    assert [part.tolist() for part in commons.of("compare", 1)] == [[5], [6], [7]]


def test_what_is_too_rare_in_all_is_not_spelt():
    commons = Spied(tables([{"tea": 5, "milk": 5}, {"tea": 5, "milk": 9}]))
    agree_vocabulary(commons, min_df=12)
    assert commons.spelt() == {"milk"}


def test_the_secret_is_made_of_everybodys_and_the_same_in_each_run():
    def crossed(*secrets):
        commons = Spied(tables(PLANTED), secrets=secrets)
        agree_vocabulary(commons)
        return b"".join(part.tobytes() for name, *_, part in commons.seen if name != "begin")

    first = crossed(b"a", b"b", b"c")
    assert crossed(b"a", b"b", b"c") == first
    others = [crossed(b"A", b"b", b"c"), crossed(b"a", b"B", b"c"), crossed(b"a", b"b", b"C")]
    assert len({first, *others}) == 4


def test_a_partys_part_of_the_secret_has_256_bits_of_its_own_key():
    commons = Spied(tables(PLANTED), secrets=[b"a" * 32, b"", b""])
    agree_vocabulary(commons)
    mine, *others = commons.of("begin")
    expected = hmac.digest(b"a" * 32, b"chatham vocabulary secret", "sha256")
    assert mine.astype(">u4").tobytes() == expected
    assert len({part.tobytes() for part in (mine, *others)}) == 3


def test_each_pass_has_other_hashes(monkeypatch):
    with_buckets(monkeypatch, 1)
    commons = Spied(tables([{"ours": 5}, {"yours": 5}]))
    agree_vocabulary(commons)
    sums = [part.tobytes() for part in commons.of("compare")]
    assert len(set(sums)) == len(sums) == 2 * agreeing.PASSES


@pytest.mark.parametrize("holders", [1, 2, 3, 7, 9])
def test_bytes_and_rounds_are_those_of_the_formula(holders):
    rng = np.random.default_rng(holders)
    names = [f"w{i}" for i in range(300)]
    parts = [dict.fromkeys(rng.choice(names, 200, replace=False), 6) for _ in range(holders)]
    commons = Recorded(Simulated(tables(parts)))
    agreed = agree_vocabulary(commons)
    crossed = {}
    for entry in commons.ledger:
        crossed.setdefault(entry.statistic.rsplit(".")[-1], []).append(entry)
    full = [entry.shape[0] for entry in crossed["compare"][::2]]
    spelt = [entry.shape[0] for entry in crossed["send_words"][::2]]
    flags = [entry.shape[0] for entry in crossed["count_offers"]]
    buckets = 2 ** int(np.ceil(np.log2(32 * 200 * holders)))
    assert flags[0] == numbers_for_flags(buckets, holders)
    assert flags[0] == -(-buckets // (56 // holders.bit_length()))
    assert commons.ledger[-1].round == 1 + 2 * len(full) + len(flags)
    assert len(agreed) <= sum(spelt) <= 1.1 * len(agreed) + 8
    assert sum(entry.bytes for entry in commons.ledger) == 72 + 8 * (
        sum(flags) + 2 * sum(full) + LETTERS * sum(spelt) + len(spelt)
    )
    assert all(entry.meaning for entry in commons.ledger)
    assert all(entry.dtype == "int64" for entry in commons.ledger)


@pytest.mark.parametrize("change", [1, 2, -1, 6, 6 * 2**16, 2**48, 2**50, -(2**50)])
def test_a_word_that_is_spelt_wrongly_is_dropped(change):
    expected = by_the_plain_rule(PLANTED)
    agreed = as_dict(agree_vocabulary(Altered(tables(PLANTED), "send_words", 0, change)))
    assert agreed.items() < expected.items()
    assert len(agreed) == len(expected) - 1


@pytest.mark.parametrize("change", [1, 2, 3, 6, -6, 2**59])
def test_a_fingerprint_that_is_wrong_lets_no_word_in(change):
    expected = by_the_plain_rule(PLANTED)
    commons = Altered(tables(PLANTED), "compare", 0, change)
    agreed = agree_vocabulary(commons)
    assert as_dict(agreed).items() < expected.items()


def test_more_offers_than_parties_are_refused():
    with pytest.raises(TotalError, match="More parties"):
        agree_vocabulary(Altered(tables([PLANTED[0]] * 4), "count_offers", 0, 7))


@pytest.mark.parametrize("change", [-(10**6), 10**9])
def test_a_wrong_number_of_words_does_no_harm(change):
    commons = Altered(tables(PLANTED), "begin", 1, change)
    agreed = agree_vocabulary(commons)
    assert as_dict(agreed) == (by_the_plain_rule(PLANTED) if change > 0 else {})


@pytest.mark.parametrize("word", ["", "a\0", "two\nlines"])
def test_parties_in_league_cannot_bring_in_what_is_no_word(word):
    lying = tables([{"tea": 5, "milk": 5}] * 2)
    for one in lying:
        object.__setattr__(one, "words", ["tea", word])
    agreed = agree_vocabulary(Simulated([*lying, *tables([{"tea": 9}])]))
    assert as_dict(agreed) == {"tea": (3, 19)}
