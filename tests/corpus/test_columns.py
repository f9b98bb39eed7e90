"""Which columns and words of a table are read, what is guessed, and what is said of it."""

import numpy as np
import pandas as pd
import pytest

from chatham.corpus import Corpus, read_corpus
from tests.corpus.tables import TEXTS, table


@pytest.fixture
def expected():
    return read_corpus(TEXTS, stop_words=None)


def test_blank_lines_of_tables_are_skipped_and_said(tmp_path):
    (tmp_path / "a.csv").write_text("text,n\ntea,1\n\nmilk,2\n\n")
    (tmp_path / "a.jsonl").write_text('{"text": "tea"}\n\n{"text": "milk"}\n')
    for name, note in [("a.csv", "Skipped 2 blank lines"), ("a.jsonl", "Skipped 1 blank line")]:
        corpus = read_corpus(tmp_path / name)
        assert len(corpus) == 2
        assert any(note in said for said in corpus.notes)


def test_missing_texts_and_missing_keys_are_empty_documents(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "tea"}\n{"text": null}\n{"other": 1}\n')
    corpus = read_corpus(tmp_path / "a.jsonl")
    assert corpus.empty.tolist() == [False, True, True]
    assert any("2 documents without any word" in note for note in corpus.notes)
    assert any("(2 had no text at all)" in note for note in corpus.notes)


@pytest.mark.parametrize("text", ["title,text", "title, text", ["title", "text"]])
def test_several_text_columns_are_joined(text):
    frame = pd.DataFrame({"title": ["Tea", None], "text": ["milk", "sugar"], "n": [1, 2]})
    corpus = read_corpus(frame, text=text)
    assert corpus.texts == ["Tea\n\nmilk", "sugar"]
    assert list(corpus.metadata) == ["n"]


@pytest.mark.parametrize(
    ("columns", "guessed"),
    [
        ({"name": ["aa", "b"], "Abstract": ["tea", "milk"]}, "Abstract"),
        ({"short": ["tea", "x"], "long": ["tea and milk", "sugar"], "n": [1, 2]}, "long"),
    ],
)
def test_the_text_column_is_guessed_and_said(columns, guessed):
    corpus = read_corpus(pd.DataFrame(columns))
    assert corpus.texts == columns[guessed]
    assert any(f"'{guessed}', a guess" in note for note in corpus.notes)


def test_an_index_of_a_frame_gives_ids():
    frame = pd.DataFrame({"text": ["tea", "milk"]}, index=["x", "y"])
    assert read_corpus(frame).ids.tolist() == ["x", "y"]
    frame.index = ["x", "x"]
    corpus = read_corpus(frame)
    assert corpus.ids.tolist() == ["0", "1"]
    assert any("row numbers" in note for note in corpus.notes)


def test_an_unnamed_id_column_that_repeats_is_not_used():
    corpus = read_corpus(pd.DataFrame({"id": [7, 7], "text": ["tea", "milk"]}))
    assert corpus.ids.tolist() == ["0", "1"]
    assert corpus.metadata["id"].tolist() == [7, 7]
    assert any("repeated or missing" in note for note in corpus.notes)


def test_a_given_vocabulary_is_kept_as_it_is(tmp_path):
    (tmp_path / "words.txt").write_text("tea\nzebra\nmilk\n")
    for vocabulary in (["tea", "zebra", "milk"], tmp_path / "words.txt"):
        corpus = read_corpus(TEXTS, vocabulary=vocabulary, stop_words=None)
        assert corpus.vocabulary.tolist() == ["tea", "zebra", "milk"]
        assert corpus.counts.sum(axis=0).tolist() == [4, 0, 4]


def test_texts_can_be_forgotten():
    corpus = read_corpus(table(), keep_texts=False)
    assert corpus.texts is None
    assert "text" not in corpus.metadata


def test_another_corpus_is_pruned_again(expected):
    corpus = read_corpus(expected, min_df=2)
    assert corpus.vocabulary.tolist() == ["milk", "tea"]
    assert corpus.texts == TEXTS
    assert (corpus.vectorizer.counts(TEXTS) != corpus.counts).nnz == 0
    assert isinstance(corpus, Corpus)


def test_counts_lose_stop_words_only_when_asked():
    counts, words = np.array([[1, 2, 3]]), ["the", "tea", "The"]
    assert read_corpus(counts, vocabulary=words).n_words == 3
    assert read_corpus(counts, vocabulary=words, stop_words="en").vocabulary.tolist() == ["tea"]


def test_a_given_vocabulary_alone_says_which_words_count():
    corpus = read_corpus(["The 42 c", "the"], vocabulary=["the", "42", "c"])
    assert corpus.counts.toarray().tolist() == [[1, 1, 1], [1, 0, 0]]


def test_a_corpus_takes_on_another_vocabulary(expected):
    corpus = read_corpus(expected, vocabulary=["zebra", "tea", "milk"])
    assert corpus.vocabulary.tolist() == ["zebra", "tea", "milk"]
    assert corpus.counts.sum(axis=0).tolist() == [0, 4, 4]
    assert (corpus.vectorizer.counts(TEXTS) != corpus.counts).nnz == 0
    assert corpus.ids.tolist() == expected.ids.tolist()


def test_only_csv_columns_are_turned_into_numbers(tmp_path):
    frame = pd.DataFrame({"text": ["tea", "milk"], "year": ["1999", ""], "zip": ["00501", "1"]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    read = read_corpus(tmp_path / "a.csv").metadata
    assert read["year"].tolist()[0] == 1999
    assert np.isnan(read["year"].tolist()[1])
    assert read["zip"].tolist() == ["00501", "1"]
    assert read_corpus(frame).metadata["year"].tolist() == ["1999", ""]


def test_lists_need_no_guess():
    assert not any("guess" in note and "column" in note for note in read_corpus(TEXTS).notes)
