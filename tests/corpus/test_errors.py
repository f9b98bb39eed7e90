"""What is refused: one sentence that says what was given, the rule, and what to do."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from chatham.corpus import Corpus, read_corpus
from chatham.errors import InputError
from tests.corpus.refusing import COUNTS, FRAME, SECRET, file, refused


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (FRAME, {"text": "txt"}, "its columns are 'id', 'text', 'n'; did you mean 'text'?"),
        (FRAME, {"text": "text,titel"}, "text='titel' is not a column"),
        (FRAME, {"label": "zzz"}, "label='zzz' is not a column"),
        (FRAME, {"id": "ID"}, "did you mean 'id'?"),
        (FRAME, {"text": "n"}, "'n' doesn't hold text"),
        (FRAME[["id", "n"]], {}, "No column looks like text; the columns are 'id', 'n': pass"),
        (FRAME.assign(id=[5, 5]), {"id": "id"}, "rows 0 and 1 (counted from 0) have the same"),
        (FRAME.assign(id=[5, None]), {"id": "id"}, "Row 1 (counted from 0) has no id"),
        (FRAME, {"id": ["a"]}, "ids has 1 value for 2 documents"),
        (FRAME, {"label": ["a"]}, "labels has 1 value for 2 documents"),
        (FRAME.iloc[:0], {}, "There are no documents"),
        (
            pd.DataFrame([["a", "b"]], columns=["text", "text"]),
            {},
            "Columns 1 and 2 of the table have",
        ),
        (FRAME.assign(text=["", " ."]), {}, "'text' (nothing), 'n': pass text="),
        (FRAME.assign(text=["", " ."]), {"text": "text"}, "No word is left in 2 documents"),
        (FRAME, {"text": ["text", "text"]}, "text names the column 'text' twice"),
        (FRAME, {"text": ["text,text"]}, "text names the column 'text' twice"),
        (FRAME, {"stop_words": ["tea", "milk"]}, "No word is left in 2 documents"),
    ],
)
def test_tables(frame, options, message):
    assert message in refused(frame, **options)


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        (np.array([[1.0, np.nan]]), {}, "row 0, column 1 isn't a finite number"),
        (np.array([[1.0, 0], [np.inf, 0]]), {}, "row 1, column 0 isn't a finite number"),
        (np.array([[1, 0], [0, -2]]), {}, "row 1, column 1 is negative"),
        (np.array([[2**63, 0]], dtype=np.uint64), {}, "is too large"),
        (np.array([["a", "b"]]), {}, "Counts must be numbers"),
        (np.array([[1j, 2]]), {}, "Counts must be numbers"),
        (COUNTS, {"vocabulary": ["a", "b", "c"]}, "3 words and the counts have 2 columns"),
        (np.ones((3, 2)), {"vocabulary": ["a", "b", "c"]}, "seems to be transposed"),
        (COUNTS, {"vocabulary": ["a", "a"]}, "the word 'a' twice, as columns 0 and 1"),
        (COUNTS, {"vocabulary": None}, "pass vocabulary="),
        (COUNTS, {"vocabulary": ["a", "b" * 501]}, "longest word has 501 characters"),
        (np.empty((0, 2)), {}, "There are no documents"),
        (COUNTS[:, :0], {"vocabulary": []}, "The vocabulary is empty"),
        (COUNTS, {"ngrams": (1, 2)}, "give the texts instead"),
        (COUNTS, {"tokenizer": str.split}, "give the texts instead"),
        (COUNTS, {"min_df": 3}, "No word is left of 2 words in 2 documents"),
        (COUNTS, {"stop_words": ["a", "b"]}, "all words of the vocabulary are stop words"),
    ],
)
def test_matrices(counts, options, message):
    assert message in refused(counts, **{"vocabulary": ["a", "b"], **options})


def test_a_sparse_matrix_with_wrong_indices_is_refused():
    matrix = sp.csr_array(COUNTS)
    matrix.indices[0] = 10**6
    assert "damaged" in refused(matrix, vocabulary=["a", "b"])


def test_a_weighted_corpus_is_not_weighted_again():
    corpus = read_corpus(["tea milk", "tea"], weighting="tfidf")
    assert "already" in refused(corpus, weighting="tfidf")


@pytest.mark.parametrize("source", [5, None, {"text": ["a"]}, b"tea", {"tea"}])
def test_what_can_hold_no_documents(source):
    assert f"can't be read from a {type(source).__name__}" in refused(source)


@pytest.mark.parametrize("source", [["tea", 5], [["tea"], "tea"], [["tea", 5]], np.array([1, 2])])
def test_lists_of_something_else_than_strings(source):
    assert "its values must be strings" in refused(source)


def test_nothing_but_missing_texts():
    assert "No word is left in 2 documents" in refused([None, None])


@pytest.mark.parametrize("options", [{"text": "a"}, {"label": "a"}, {"id": "a"}])
def test_columns_of_a_corpus_are_not_chosen_again(options):
    assert "already" in refused(read_corpus(["tea"]), **options)


def test_a_weighted_corpus_keeps_its_vocabulary():
    corpus = read_corpus(["tea milk", "tea"], weighting="tfidf")
    assert "can't change its vocabulary" in refused(corpus, vocabulary=["tea"])


def test_no_texts_at_all():
    assert "There are no documents" in refused([])


def test_column_names_that_are_documents_are_not_repeated(tmp_path):
    path = file(tmp_path, "a.csv", f"{SECRET},x\nmore,y\n")
    assert f"(a name of {len(SECRET.split(',')[0])} characters)" not in refused(path, text="t")
    path = file(tmp_path, "b.csv", f'"{SECRET}",x\nmore,y\n')
    assert "its columns are column 1, 'x'." in refused(path, text="t")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"texts": ["one"]}, "texts has 1 row and counts has 2"),
        ({"metadata": pd.DataFrame({"a": [1]})}, "metadata has 1 row"),
        ({"vocabulary": "ab"}, "vocabulary must be a list"),
        ({"ids": ["x" * 501, "y"]}, "longest id has 501 characters"),
        ({"ids": ["x\0", "x"]}, "zero character"),
        ({"counts": np.ones(3)}, "two dimensions"),
    ],
)
def test_parts_that_do_not_fit_together(parts, message):
    with pytest.raises(InputError, match=message):
        Corpus(**{"counts": COUNTS, "vocabulary": ["a", "b"], **parts})


def test_one_thing_is_written_in_the_singular(tmp_path):
    assert "No word is left in 1 document: there is no text" in refused([""])
    path = file(tmp_path, "docword.a.txt", "9000000\n1\n1\n1 1 1\n")
    assert "9,000,000 documents and only 1 count for them" in refused(path)
    assert "has 1 field and" in refused(file(tmp_path, "a.csv", "text,n\ntea\n"))
    with pytest.raises(InputError, match="of 1 document leaves"):
        Corpus(np.ones((1, 1)), ["tea"]).split()
