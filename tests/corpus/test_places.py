"""Where words stand in a text: the tokenizer's words, each led back to its own letters."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chatham as ch
from chatham.corpus.given_words import Words
from chatham.corpus.text.places import NOWHERE, places_of_terms, places_of_words
from chatham.corpus.text.tokens import Tokenizer, normalise, unescaped

texts = st.text(max_size=80) | st.text(
    alphabet="aAéÉ e\u0301'-_’ßİıΣς1२k्षि\u200d\u00ad&amp;#38;п\u1112\u1161\u11ab", max_size=40
)
tokenizers = st.builds(
    Tokenizer, lowercase=st.booleans(), hyphens=st.booleans(), entities=st.booleans()
)


@given(texts, tokenizers)
def test_words_are_the_tokenizers_own_and_stand_where_they_are_said_to(text, tokenizer):
    places = places_of_words(tokenizer, text)
    assert [place.term for place in places] == tokenizer.words(text)
    behind = 0
    for word, begin, end in places:
        assert behind <= begin < end <= len(text)
        slice_ = unescaped(text[begin:end]) if tokenizer.entities else text[begin:end]
        # What a sigma becomes depends on the letters around it; folded it doesn't.
        assert _folded(normalise(slice_, tokenizer.lowercase)) == _folded(word)
        behind = end


def _folded(text):
    return unicodedata.normalize("NFC", text.casefold())


@given(texts, st.sampled_from([(1, 2), (2, 2), (1, 3)]))
def test_ngrams_are_the_tokenizers_own_and_reach_from_their_first_word_to_their_last(text, ngrams):
    tokenizer = Tokenizer(ngrams=ngrams, stop_words=frozenset({"a"}))
    places = places_of_terms(tokenizer, text)
    assert [place.term for place in places] == tokenizer(text)
    single = Tokenizer(ngrams=(1, 1), stop_words=frozenset({"a"}))
    words = [w for w in places_of_words(single, text) if single.keeps(w.term)]
    begins, ends = ({getattr(word, edge) for word in words} for edge in ("begin", "end"))
    assert all(place.begin in begins and place.end in ends for place in places)


@given(st.lists(texts, min_size=1, max_size=3), st.sampled_from([(1, 1), (1, 2)]))
def test_places_are_as_many_as_the_counts_of_a_corpus(documents, ngrams):
    words = ["a", "é", "e", "k", "a_a", "sigma"]
    tokenizer = Tokenizer(ngrams=ngrams, min_length=1)
    counts = ch.corpus.Vectorizer(tokenizer, np.array(words)).counts(documents).toarray()
    for text, row in zip(documents, counts, strict=True):
        found = [place.term for place in places_of_terms(tokenizer, text)]
        assert [found.count(word) for word in words] == row.tolist()


@pytest.mark.parametrize(
    ("text", "slices"),
    [
        ("R&amp;D at caf&eacute;s", ["R", "D", "at", "caf&eacute;s"]),
        ("co\u00adoperate, Ο\u0394ΟΣ", ["co\u00adoperate", "ΟΔΟΣ"]),
        ("e\u0301te\u0301 İstanbul", ["e\u0301te\u0301", "İstanbul"]),
        ("п'ять &#x43f;'ять", ["п'ять", "&#x43f;'ять"]),
        ("\u1112\u1161\u11ab \u1100\u1173\u11af", ["\u1112\u1161\u11ab", "\u1100\u1173\u11af"]),
    ],
)
def test_entities_marks_and_soft_hyphens_are_part_of_their_words(text, slices):
    places = places_of_words(Tokenizer(), text)
    assert [text[place.begin : place.end] for place in places] == slices


def test_given_words_stand_one_after_another():
    document = Words(["New York", "tea", "New York"])
    places = places_of_words(Tokenizer(given=True), document)
    assert [document[p.begin : p.end] for p in places] == ["New York", "tea", "New York"]


def test_words_of_an_own_tokenizer_are_looked_for_one_behind_the_other():
    tokenizer = Tokenizer(split=lambda text: [word.strip(".") for word in text.lower().split()])
    places = places_of_words(tokenizer, "Tea. No tea, TEA.")
    assert [(place.begin, place.end) for place in places] == [(0, 3), (5, 7), (8, 12), (13, 16)]
    stems = Tokenizer(split=lambda text: ["walk", "danc", "nothing"], ngrams=(1, 2))
    places = places_of_terms(stems, "walking and dancing")
    assert places[:3] == [("walk", 0, 4), ("danc", 12, 16), ("nothing", NOWHERE, NOWHERE)]
    assert places[3:] == [("walk_danc", 0, 16), ("danc_nothing", NOWHERE, NOWHERE)]
