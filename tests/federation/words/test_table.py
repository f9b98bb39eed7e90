"""What a party offers of its words, and how it counts those that were agreed on."""

import numpy as np
import pytest

from chatham.commons import Simulated
from chatham.corpus import Corpus, read_corpus
from chatham.errors import HolderError, InputError
from chatham.federation.words.agreeing import agree_vocabulary
from chatham.federation.words.table import WordTable, offered_words, recount, recounted
from tests.federation.words.agreeing_parties import KINDS, PLANTED, as_dict, table, tables


def test_a_party_offers_what_five_of_its_documents_have():
    counts = np.array([[2, 1, 0]] * 5 + [[0, 1, 1]] * 4)
    corpus = Corpus(counts, ["tea", "milk", "rum"])
    offered = offered_words(corpus)
    assert offered.words == ["milk", "tea"]
    assert offered.frequencies.tolist() == [9, 5]
    assert offered_words(corpus, own_df=4).words == ["milk", "rum", "tea"]
    assert offered_words(corpus, own_df=10).shape == (0, 1)


def test_explicit_zeros_are_no_documents():
    corpus = Corpus(np.ones((6, 1), dtype=int), ["tea"])
    corpus.counts.data[:2] = 0
    assert offered_words(corpus).words == []


def test_a_word_below_own_df_at_a_party_is_not_counted_there():
    def corpus(tea, milk):
        counts = np.zeros((9, 2), dtype=int)
        counts[:tea, 0], counts[:milk, 1] = 1, 1
        return Corpus(counts, ["tea", "milk"])

    parts = [offered_words(corpus(*both)) for both in ((9, 9), (5, 4), (4, 3))]
    assert as_dict(agree_vocabulary(Simulated(parts))) == {"tea": (2, 14)}


HOSTILE = ["x" * 65, "é" * 33, "a\0", "\0a", "two\nlines", "tab\t", "\x1b[2J", "\u2028", "\ud800"]
FINE = ["x" * 64, "é" * 32, "茶", "शब्द", "می‌خواهم", "🍵" * 16, "topic_model", "l’été", " "]


def test_words_that_cannot_travel_are_not_offered():
    words = [word for word in HOSTILE if not word.endswith("\0")] + FINE
    corpus = Corpus(np.ones((5, len(words)), dtype=int), words)
    assert offered_words(corpus).words == sorted(FINE)


@pytest.mark.parametrize("word", ["", *HOSTILE])
def test_nor_can_they_be_put_into_a_table(word):
    with pytest.raises(InputError) as refused:
        WordTable(["tea", word], np.array([5, 5]))
    assert not word or repr(word)[1:-1] not in str(refused.value)


@pytest.mark.parametrize("kind", KINDS)
def test_words_of_all_scripts_arrive_as_they_are(kind):
    parts = [dict.fromkeys(FINE, 5)] * 2 + [{}]
    assert agree_vocabulary(KINDS[kind](tables(parts))).words.tolist() == sorted(FINE)


@pytest.mark.parametrize(
    "frequencies", [[5], [5, 0], [5, -1], [5.0, 6.0], [[5, 6]], [5, 2**32], [True, False]]
)
def test_tables_need_a_number_of_documents_for_each_word(frequencies):
    with pytest.raises(InputError):
        WordTable(["tea", "milk"], np.array(frequencies))


def test_a_table_has_each_word_once_and_shows_none():
    with pytest.raises(InputError, match="twice"):
        WordTable(["tea", "tea"], np.array([5, 5]))
    assert repr(table(PLANTED[0])) == "WordTable(5 words)"
    assert repr(agree_vocabulary(table({"tea": 5}))) == "AgreedVocabulary(1 word)"


def test_rows_that_are_no_words_are_refused():
    with pytest.raises(HolderError, match="offered_words"):
        agree_vocabulary(Simulated([np.ones((3, 2))] * 2))


def test_counts_are_taken_from_texts_where_there_are_texts():
    corpus = read_corpus(["tea tea rum", "tea milk"] * 3, stop_words=["rum"], min_df=4)
    assert "milk" not in corpus.vocabulary
    counts = recount(corpus, ["milk", "rum", "unheard"])
    assert counts.toarray().tolist() == [[0, 1, 0], [1, 0, 0]] * 3
    again = recounted(corpus, ["milk"])
    assert again.ids.tolist() == corpus.ids.tolist()
    assert again.vectorizer.counts(["milk milk"]).toarray().tolist() == [[2]]


def test_and_from_columns_where_there_are_none():
    corpus = Corpus(np.array([[2, 1], [0, 3]]), ["tea", "milk"])
    assert recount(corpus, ["milk", "rum"]).toarray().tolist() == [[1, 0], [3, 0]]
