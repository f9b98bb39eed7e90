"""Laws of the tokeniser, whatever the text."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.corpus.text.tokens import LONGEST_TOKEN, Tokenizer, normalise, split_words
from chatham.errors import InputError

STOP_WORDS = frozenset({"the", "und", "été", "a"})
MARKS = "".join(c for c in map(chr, range(0xE01F0)) if unicodedata.category(c).startswith("M"))
# The definition, which is slow: letters and digits, and marks and joiners after the first of them.
PLAIN_WORD = rf"[^\W_](?:[^\W_]|[{MARKS}\u200c\u200d])*"
texts = st.text(max_size=80) | st.text(
    alphabet="aAéÉ e\u0301'-_’ßİıΣς1२k्षि\u200d\u00ad", max_size=40
)


@given(texts, st.booleans(), st.booleans())
def test_tokenising_tokens_again_changes_nothing(text, numbers, hyphens):
    tokenizer = Tokenizer(numbers=numbers, hyphens=hyphens, stop_words=STOP_WORDS)
    tokens = tokenizer(text)
    assert tokenizer(" ".join(tokens)) == tokens


@given(texts)
def test_tokens_are_nfc_lower_case_long_enough_and_no_stop_words(text):
    for token in Tokenizer(min_length=2, stop_words=STOP_WORDS)(text):
        assert unicodedata.is_normalized("NFC", token)
        assert token == token.lower()
        assert 2 <= len(token) <= LONGEST_TOKEN
        assert token not in STOP_WORDS
        assert any(map(str.isalpha, token))


@given(texts)
def test_composed_and_decomposed_spellings_are_the_same_words(text):
    composed = unicodedata.normalize("NFC", text)
    assert split_words(unicodedata.normalize("NFD", composed)) == split_words(composed)


@given(texts, st.sampled_from([(1, 2), (2, 2), (1, 3)]))
def test_ngrams_number_as_many_as_their_positions(text, ngrams):
    n = len(Tokenizer()(text))
    expected = sum(max(0, n - length + 1) for length in range(ngrams[0], ngrams[1] + 1))
    assert len(Tokenizer(ngrams=ngrams)(text)) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't panic", ["don", "t", "panic"]),
        ("l’homme d'État", ["l", "homme", "d", "état"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("snake_case", ["snake", "case"]),
        ("п'ять п’ять", ["пʼять", "пʼять"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("co\u00adoperate", ["cooperate"]),
        ("ΟΔΟΣ", ["οδος"]),
        ("", []),
        ("\0\ud800 ,.!", []),
    ],
)
def test_words_of_many_scripts(text, words):
    assert split_words(text) == words


def test_hyphens_kept_inside_words_only():
    assert split_words("e-mail -- re‑read- -x", hyphens=True) == ["e-mail", "re‑read", "x"]


def test_numbers_are_dropped_unless_asked_for():
    assert Tokenizer()("in 1984 covid19 ½ 2nd") == ["in", "covid19", "2nd"]
    assert "1984" in Tokenizer(numbers=True)("in 1984")


def test_stop_words_go_before_ngrams_are_made():
    tokenizer = Tokenizer(ngrams=(2, 2), stop_words=frozenset({"of"}))
    assert tokenizer("bank of england") == ["bank_england"]


def test_stop_words_match_in_any_case():
    tokenizer = Tokenizer(lowercase=False, stop_words=frozenset({"the"}))
    assert tokenizer("The Cat THE cat") == ["Cat", "cat"]


def test_very_long_runs_are_no_words():
    assert Tokenizer()("x" * 65 + " " + "y" * 64) == ["y" * 64]


def test_own_function_decides_what_a_token_is():
    tokenizer = Tokenizer(split=lambda text: list(text), stop_words=frozenset({"的"}))
    assert tokenizer("我的A1") == ["我", "A", "1"]


@pytest.mark.parametrize("ngrams", [(0, 1), (2, 1), (1, 9), (1,), "12", (1.0, 2)])
def test_impossible_ngrams_are_refused(ngrams):
    with pytest.raises(InputError, match="ngrams must be two whole numbers"):
        Tokenizer(ngrams=ngrams)


@pytest.mark.parametrize("length", [0, -1, 1.5])
def test_impossible_lengths_are_refused(length):
    with pytest.raises(InputError, match="min_length must be"):
        Tokenizer(min_length=length)


def test_something_else_than_a_function_is_refused_as_tokenizer():
    with pytest.raises(InputError, match="must be a function"):
        Tokenizer(split="spacy")


marked = st.text(
    alphabet=st.sampled_from("aé1_ -'k\u0937\U0001d15e") | st.sampled_from(MARKS + "\u200c\u200d"),
    max_size=30,
)


@given(texts | marked | st.text(max_size=30).map(lambda text: text + "é"), st.booleans())
def test_the_fast_pattern_finds_the_words_of_the_plain_one(text, hyphens):
    pattern = rf"{PLAIN_WORD}(?:[-\u2010\u2011]{PLAIN_WORD})*" if hyphens else PLAIN_WORD
    assert split_words(text, hyphens=hyphens) == re.findall(pattern, normalise(text))
