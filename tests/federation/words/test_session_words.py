"""What a session says about words."""

import pytest

import chatham as ch
from chatham.errors import SessionError
from chatham.federation.words.rules import WordRules
from chatham.notes import EMPTY

ENGLISH = ["the cat and the dog are in the house with a mouse"] * 12
GERMAN = ["die Katze und der Hund sind in dem Haus mit einer Maus, cat"] * 12


def test_stop_words_are_counted_but_not_offered():
    rules = WordRules.of({"own_df": 2})
    corpus = rules.read(ENGLISH, {})
    assert "the" in corpus.vocabulary
    assert rules.offered(corpus).words == ["cat", "dog", "house", "mouse"]
    assert any("Not offered: English stop words" in note for note in corpus.notes)
    assert corpus.texts is None


def test_each_guesses_its_own_language_unless_told():
    assert "die" not in WordRules.of({}).offered(WordRules.of({}).read(GERMAN, {})).words
    english = WordRules.of({"stop_words": "en"})
    assert "die" in english.offered(english.read(GERMAN, {})).words
    listed = WordRules.of({"stop_words": ["katze"]})
    offered = listed.offered(listed.read(GERMAN, {})).words
    assert "katze" not in offered
    assert "und" in offered


def test_counts_have_named_stop_words_too():
    corpus = ch.read_corpus(ENGLISH, stop_words=None, min_df=1, max_df=1.0)
    rules = WordRules.of({"stop_words": "en"})
    read = rules.read(corpus.counts, {"vocabulary": corpus.vocabulary.tolist()})
    assert rules.offered(read).words == ["cat", "dog", "house", "mouse"]


def test_phrases_leave_the_sessions_stop_words_out_first():
    rules = WordRules.of({"ngrams": [1, 2], "stop_words": "en"})
    corpus = rules.read(ENGLISH, {})
    assert "cat_dog" in corpus.vocabulary
    assert "the" not in corpus.vocabulary
    assert rules.tokenizer.ngrams == (1, 2)
    assert "the" in rules.tokenizer.stop_words
    with pytest.raises(ch.InputError, match="counted already"):
        rules.read(corpus.counts, {"vocabulary": corpus.vocabulary.tolist()})


@pytest.mark.parametrize(
    "vocabulary",
    [
        {"stop_words": "/etc/hostname"},
        {"stop_words": 3},
        {"stop_words": [1]},
        {"ngrams": 2, "stop_words": "none"},
        {"ngrams": [0, 1], "stop_words": "none"},
        {"ngrams": [1, 2]},
        {"items": 1},
        {"min_parties": 1},
        {"own_df": True},
        {"unheard_of": 1},
    ],
)
def test_what_cannot_be_is_refused(vocabulary):
    with pytest.raises(SessionError):
        WordRules.of(vocabulary)


def test_before_words_are_agreed_no_document_lacks_those_of_a_vocabulary():
    corpus = WordRules.of({"stop_words": "none"}).read(["tea and milk", "7 8 9", " "], {})
    (note,) = [note for note in corpus.notes if getattr(note, "kind", "") == EMPTY]
    assert note == (
        "2 documents without any word that could be counted, kept (1 had no text at all)."
    )
