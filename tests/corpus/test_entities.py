"""HTML entities are characters, once, in texts of the training and in new ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chatham as ch
from chatham.corpus import Tokenizer, read_corpus
from chatham.corpus.text.tokens import split_words, unescaped

TEXTS = ["R&amp;D &amp; caf&eacute;s &#233;t&#xe9;", "AT&T&nbsp;and tea", "&quot;milk&quot;", ""]


def test_entities_are_no_words():
    corpus = read_corpus(TEXTS, stop_words=None)
    assert corpus.vocabulary.tolist() == ["and", "at", "cafés", "milk", "tea", "été"]
    assert corpus.texts == TEXTS
    assert Tokenizer()(TEXTS[0]) == ["cafés", "été"]
    note = "HTML entities such as &amp; are read as their characters, in 3 documents."
    assert note in corpus.notes


def test_they_may_be_left_alone():
    corpus = read_corpus(TEXTS, stop_words=None, entities=False)
    assert {"amp", "nbsp", "quot"} <= set(corpus.vocabulary.tolist())
    assert not any("entities" in note for note in corpus.notes)
    assert read_corpus(TEXTS, tokenizer=str.split, stop_words=None).vocabulary.tolist()[0][0] == "&"


@pytest.mark.parametrize(
    "text",
    ["Q&A", "?a=1&copy=2&region=3", "&nothing;", "&QL;", "&;", "&#;", "&#xZ;", "a & b;", "&amp"],
)
def test_what_is_no_entity_stays(text):
    assert unescaped(text) == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("&amp;amp;", "&amp;"), ("&lt;b&gt;", "<b>"), ("&#8217;", "\u2019"), ("&#x1F600;", "😀"),
        ("&#0;", "\ufffd"), ("&#xD800;", "\ufffd"), ("&#9999999;", "\ufffd"),
    ],
)  # fmt: skip
def test_entities_are_read_once(text, read):
    assert unescaped(text) == read


@given(st.text(alphabet="&#;xampltquo0123456789dé ", max_size=40))
def test_words_are_those_of_the_text_that_is_meant(text):
    assert Tokenizer().words(text) == split_words(unescaped(text))
    unescaped(text).encode("utf-8")


def test_new_texts_are_read_as_those_of_the_training(tmp_path):
    pets = ["cats &amp; dogs", "dogs bark &quot;wow&quot;", "cats purr", "dogs bark"] * 3
    plain = ["cats & dogs", 'dogs bark "wow"', "cats purr", "dogs bark"] * 3
    model = ch.fit("plsa", pets, n_components=2, random_state=0)
    assert "amp" not in model.vocabulary
    model.save(tmp_path / "m")
    again = ch.load(tmp_path / "m")
    np.testing.assert_array_equal(again.transform(pets), model.transform(plain))
