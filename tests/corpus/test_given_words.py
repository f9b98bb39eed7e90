"""Documents that are lists of words already: taken as words, wherever they come from."""

import json

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.corpus import Tokenizer, Vectorizer, read_corpus
from chatham.errors import InputError
from tests.corpus.refusing import refused

DOCUMENTS = [
    ["New York", "tea", "C++", "x", "tea"],
    ["1984", "Tea", "re-read"],
    [],
    ["tea", "東京", "R&amp;D", "x"],
]
VOCABULARY = ["1984", "C++", "New York", "R&amp;D", "Tea", "re-read", "tea", "x", "東京"]
COUNTS = [
    [0, 1, 1, 0, 0, 0, 2, 1, 0],
    [1, 0, 0, 0, 1, 1, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 0, 0],
    [0, 0, 0, 1, 0, 0, 1, 1, 1],
]
FRAME = pd.DataFrame({"id": list("abcd"), "tokens": DOCUMENTS})


def parquet(folder):
    FRAME.to_parquet(folder / "a.parquet")
    return folder / "a.parquet"


def jsonl(folder):
    FRAME.to_json(folder / "a.jsonl", orient="records", lines=True)
    return folder / "a.jsonl"


def array(folder):
    (folder / "a.json").write_text(json.dumps(DOCUMENTS), encoding="utf-8")
    return folder / "a.json"


FORMS = {
    "list": lambda _: DOCUMENTS,
    "tuples": lambda _: [tuple(document) for document in DOCUMENTS],
    "arrays": lambda _: [np.array(document, dtype=object) for document in DOCUMENTS],
    "missing": lambda _: [document or None for document in DOCUMENTS],
    "series": lambda _: pd.Series(DOCUMENTS),
    "frame": lambda _: FRAME,
    "parquet": parquet,
    "jsonl": jsonl,
    "array": array,
}


@pytest.mark.parametrize("form", FORMS)
def test_words_are_taken_as_they_are(form, tmp_path):
    corpus = read_corpus(FORMS[form](tmp_path), stop_words=None)
    assert corpus.vocabulary.tolist() == VOCABULARY
    assert corpus.counts.toarray().tolist() == COUNTS
    assert corpus.vectorizer.counts(DOCUMENTS).toarray().tolist() == COUNTS
    assert not any("entities" in note for note in corpus.notes)


def test_stop_words_vocabulary_pruning_and_ngrams_work_on_them():
    corpus = read_corpus(DOCUMENTS, stop_words=["tea"], ngrams=(2, 2))
    assert "New York_C++" in corpus.vocabulary.tolist()
    assert not any("tea" in word.lower() for word in corpus.vocabulary)
    corpus = read_corpus(DOCUMENTS, vocabulary=["x", "New York"])
    assert corpus.counts.toarray().tolist() == [[1, 1], [0, 0], [0, 0], [1, 0]]
    assert read_corpus(DOCUMENTS, stop_words=None, min_df=2).vocabulary.tolist() == ["tea", "x"]


def test_columns_of_words_are_joined_and_texts_come_first():
    frame = pd.DataFrame({"head": [["a1", "b"], []], "body": [["c c"], ["d1"]]})
    corpus = read_corpus(frame, text=["head", "body"], stop_words=None)
    assert corpus.vocabulary.tolist() == ["a1", "b", "c c", "d1"]
    assert read_corpus(frame.assign(title=["tea", "milk"])).texts == ["tea", "milk"]
    with pytest.raises(InputError, match="can't be joined"):
        read_corpus(frame.assign(title=["tea", "milk"]), text="title,body")


def test_labels_may_be_lists_of_words():
    frame = pd.DataFrame({"text": ["tea", "milk"], "label": [["a", "b"], ["c"]]})
    assert [list(label) for label in read_corpus(frame).labels] == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    "how", [{"lowercase": False}, {"numbers": True}, {"tokenizer": str.split}, {"entities": False}]
)
def test_what_a_word_is_cannot_be_chosen(how):
    assert "here documents are lists of words" in refused(DOCUMENTS, **how)


def test_texts_among_lists_are_refused():
    for source in ([["tea"], "milk"], pd.Series([["tea"], "milk"])):
        assert "its values must be strings" in refused(source)
    with pytest.raises(InputError, match="given as lists"):
        read_corpus([["tea"]]).vectorizer.counts([["tea"], "milk"])


def test_half_a_character_is_refused():
    assert "half a character" in refused([["tea", "\ud800"]])


def test_settings_are_saved_and_read_back():
    corpus = read_corpus(DOCUMENTS, stop_words=None)
    saved = json.loads(json.dumps(corpus.vectorizer.to_dict()))
    again = Vectorizer.from_dict(saved, corpus.vocabulary)
    assert again.counts(DOCUMENTS).toarray().tolist() == COUNTS
    with pytest.raises(InputError, match="given as lists"):
        again.counts(["tea"])


def test_a_tokenizer_saved_before_there_were_lists_is_as_it_was():
    saved = Tokenizer().to_dict()
    before = {name: saved[name] for name in saved if name != "entities"}
    tokenizer = Tokenizer.from_dict(before)
    assert not tokenizer.given
    assert not tokenizer.entities
    assert tokenizer.to_dict() == before
    assert tokenizer("R&amp;D tea") == ["amp", "tea"]
    for name in ("given", "entities"):
        with pytest.raises(InputError, match=f"'{name}' must be a bool"):
            Tokenizer.from_dict({**saved, name: 1})


PETS = [["cat", "purr"], ["cat", "sofa purr"], ["dog", "bark"], ["dog", "bark", "Hof"]] * 3


def test_a_model_of_words_takes_words_and_refuses_texts(tmp_path):
    model = ch.fit("lda", PETS, n_components=2, max_iter=20, random_state=0)
    model.save(tmp_path / "m")
    loaded = ch.load(tmp_path / "m")
    expected = model.transform(read_corpus(PETS))
    np.testing.assert_array_equal(model.transform(PETS), expected)
    np.testing.assert_array_equal(loaded.transform(pd.DataFrame({"w": PETS})), expected)
    for texts in (["cat purr"], pd.DataFrame({"text": ["cat purr"]})):
        with pytest.raises(InputError, match="give new documents as lists of words"):
            loaded.transform(texts)
    scores = ch.evaluate(model, PETS, measures=["npmi"])
    assert scores["value"].notna().all()
    with pytest.raises(InputError, match="give new documents as lists of words"):
        ch.evaluate(model, ["cat purr"], measures=["npmi"])


def test_a_model_of_texts_takes_words():
    texts = [" ".join(words) for words in PETS]
    model = ch.fit("lda", texts, n_components=2, max_iter=20, random_state=0)
    np.testing.assert_array_equal(model.transform([["cat", "purr"]]), model.transform(["cat purr"]))


def test_a_party_keeps_words_as_words():
    from chatham.federation.contents import document_digests
    from chatham.federation.words.rules import WordRules

    rules = WordRules.of({"min_df": 1})
    corpus = rules.read(DOCUMENTS * 2, {"text": None})
    assert corpus.vocabulary.tolist() == VOCABULARY
    assert rules.counted(corpus).vectorizer.tokenizer.given
    assert corpus.texts is None
    assert document_digests(corpus)[:4] == document_digests(corpus)[4:]
