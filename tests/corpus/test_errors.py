"""What is refused: one sentence that says what was given, the rule, and what to do."""

import gzip
import io
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from chatham.corpus import Corpus, read_corpus
from chatham.errors import InputError

SECRET = "Dear Anna, nobody may ever read this letter of mine"
COUNTS = np.array([[1, 0], [2, 3]])
FRAME = pd.DataFrame({"id": [1, 2], "text": ["tea", "milk"], "n": [1, 2]})
MARKET = "%%MatrixMarket matrix coordinate integer general\n"


def refused(source, **options):
    """Read what must be refused, and give the sentence."""
    with pytest.raises(InputError) as caught:
        read_corpus(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    assert message.endswith((".", "?"))
    return message


def file(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (FRAME, {"text": "txt"}, "its columns are 'id', 'text', 'n'; did you mean 'text'?"),
        (FRAME, {"text": "text,titel"}, "text='titel' is no column"),
        (FRAME, {"label": "zzz"}, "label='zzz' is no column"),
        (FRAME, {"id": "ID"}, "did you mean 'id'?"),
        (FRAME, {"text": "n"}, "'n' doesn't hold text"),
        (FRAME[["id", "n"]], {}, "No column holds text"),
        (FRAME.assign(id=[5, 5]), {"id": "id"}, "rows 0 and 1 (counted from 0) have the same"),
        (FRAME.assign(id=[5, None]), {"id": "id"}, "Row 1 (counted from 0) has no id"),
        (FRAME, {"id": ["a"]}, "ids has 1 value for 2 documents"),
        (FRAME, {"label": ["a"]}, "labels has 1 value for 2 documents"),
        (FRAME.iloc[:0], {}, "There is no document"),
        (
            pd.DataFrame([["a", "b"]], columns=["text", "text"]),
            {},
            "Columns 1 and 2 of the table have",
        ),
        (FRAME.assign(text=["", " ."]), {}, "No word is left in 2 documents"),
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
        (np.ones((3, 2)), {"vocabulary": ["a", "b", "c"]}, "seems to be turned"),
        (COUNTS, {"vocabulary": ["a", "a"]}, "the word 'a' twice, as columns 0 and 1"),
        (COUNTS, {"vocabulary": None}, "pass vocabulary="),
        (COUNTS, {"vocabulary": ["a", "b" * 501]}, "longest word has 501 characters"),
        (np.empty((0, 2)), {}, "There is no document"),
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


@pytest.mark.parametrize("source", [["tea", 5], [["tea"]], np.array([1, 2])])
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
    assert "There is no document" in refused([])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "is empty"),
        ("a.txt", "", "is empty"),
        ("a.jsonl", "", "is empty"),
        ("a.parquet", "", "is empty"),
        ("a.csv", "\n\n", "is empty"),
        ("a.csv", "text,n\n", "There is no document"),
        ("a.jsonl", "\n", "There is no document"),
        ("a.csv", "text,n\ntea,1\nmilk\n", "ends on line 3"),
        ("a.csv", "text,n\ntea,1,2\n", "has 3 fields and the header has 2"),
        ("a.csv", 'text,n\n"tea,1\n', "malformed near line"),
        ("a.csv", "text,text\na,b\n", "have the same name"),
        ("a.jsonl", '{"text": "tea"}\n{"text": \n', "Line 2 of"),
        ("a.jsonl", '["tea"]\n', "Line 1 of"),
        ("a.jsonl", "[" * 100_000 + "\n", "Line 1 of"),
        ("a.csv", "text\ncaf\xe9\n".encode("latin-1"), "isn't valid utf-8 at byte 8"),
        ("a.txt", b"\xff\xfet", "isn't valid utf-16"),
        ("a.csv.gz", b"no gzip", "damaged or isn't gzip"),
        ("a.csv.gz", gzip.compress(b"text\ntea\n" * 99, mtime=0)[:30], "damaged or isn't gzip"),
        ("a.parquet", b"PAR1 and nothing else", "damaged or isn't Parquet"),
        ("a.npz", b"PK\x03\x04 and nothing else", "damaged or holds no sparse matrix"),
        ("a.mtx", "hello\n", "must begin with %%MatrixMarket matrix"),
        ("a.mtx", MARKET + "2 2 2\n1 1 1\n", "announces 2 counts and holds 1"),
        ("a.mtx", MARKET + "2 2 1\n3 1 1\n", "outside what the header announces"),
        ("a.mtx", MARKET + "2 2 1\n0 1 1\n", "outside what the header announces"),
        ("a.mtx", MARKET + "2 2 1\n1 1\n", "every line must hold 3 numbers"),
        ("a.mtx", MARKET + "2 x 1\n1 1 1\n", "size line must hold whole numbers"),
        ("a.mtx", MARKET + "2 2\n1 1 1\n", "size line doesn't fit"),
        ("a.mtx", MARKET + "999999999 2 1\n1 1 1\n", "999,999,999 documents and only 1"),
        ("a.mtx", MARKET.replace("integer", "complex") + "1 1 0\n", "integer or real"),
        ("a.mtx", MARKET.replace("general", "symmetric") + "1 1 0\n", "must be general"),
        ("docword.a.txt", "2\n2\n", "first three lines"),
        ("docword.a.txt", "2\n2\ntea\n", "first three lines"),
        ("docword.a.txt", "2\n2\n1\n1 1 x\n", "every line must hold 3 numbers"),
        ("docword.a.txt", "2\n2\n1\n1 9 1\n", "outside what the header announces"),
        ("docword.a.txt", "-2\n2\n0\n", "impossible number"),
        ("docword.a.txt", "2\n2\n1\n1 1 -4\n", "is negative"),
        ("a.docx", "x", "ending of"),
        ("a.parqet", "x", "did you mean '.parquet'?"),
        ("noending", "x", "isn't known"),
    ],
)
def test_files(tmp_path, name, content, message):
    file(tmp_path, "a.vocab.txt", "a\nb\n")
    assert message in refused(file(tmp_path, name, content))


def test_a_missing_file_is_named():
    assert "no file or folder 'nowhere.csv'" in refused("nowhere.csv")


@pytest.mark.parametrize("source", [SECRET, SECRET * 99, "a\0b" + SECRET])
def test_a_text_in_place_of_a_path_is_not_repeated(source):
    assert "put texts into a list" in refused(source)


def test_a_folder_without_texts(tmp_path):
    assert "holds no .txt file" in refused(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-99", "base64", "rot13"])
def test_unknown_encodings(tmp_path, encoding):
    path = file(tmp_path, "a.txt", "tea")
    assert "no encoding that Python knows" in refused(path, encoding=encoding)


@pytest.mark.parametrize("encoding", ["ascii", "utf-16", "idna", "punycode", "unicode_escape"])
def test_wrong_encodings(tmp_path, encoding):
    path = file(tmp_path, "a.txt", b"caf\xe9\\xz")
    assert "encoding='latin-1'" in refused(path, encoding=encoding)


def test_a_missing_vocabulary_says_where_it_was_looked_for(tmp_path):
    sp.save_npz(tmp_path / "bag.npz", sp.csr_array(COUNTS))
    message = refused(tmp_path / "bag.npz")
    assert "bag.vocab.txt" in message
    assert "pass vocabulary=" in message


def test_a_table_beside_the_counts_of_another_length(tmp_path):
    sp.save_npz(tmp_path / "bag.npz", sp.csr_array(COUNTS))
    pd.DataFrame({"id": [1]}).to_parquet(tmp_path / "bag.meta.parquet")
    assert "has 1 row" in refused(tmp_path / "bag.npz", vocabulary=["a", "b"])


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_pickles_are_never_loaded(tmp_path):
    sprung = tmp_path / "sprung"
    arrays = {"format": b"csr", "shape": [1, 1], "indices": [0], "indptr": [0, 1]}
    trap = np.array([Trap(sprung)], dtype=object)
    buffer = io.BytesIO()
    np.savez(buffer, data=trap, **arrays)
    file(tmp_path, "a.vocab.txt", "a\n")
    assert "damaged" in refused(file(tmp_path, "a.npz", buffer.getvalue()))
    assert "ending of" in refused(file(tmp_path, "a.pkl", pickle.dumps(Trap(sprung))))
    assert not sprung.exists()


def saved_arrays(**changes):
    arrays = {
        "format": b"csr",
        "shape": np.array([2, 2]),
        "data": np.array([1, 2]),
        "indices": np.array([0, 1]),
        "indptr": np.array([0, 1, 2]),
    }
    buffer = io.BytesIO()
    np.savez(buffer, **{**arrays, **changes})
    return buffer.getvalue()


@pytest.mark.parametrize(
    "changes",
    [
        {"format": b"exe"},
        {"format": b"dia"},
        {"shape": np.array([2, 2, 2])},
        {"shape": np.array([2**40, 2])},
        {"indices": np.array([0, 10**9])},
        {"indices": np.array([0, -1])},
        {"indptr": np.array([0, 2**40, 2])},
        {"indptr": np.array([0, -5, 2])},
        {"indptr": np.array([0, 1])},
        {"data": np.array(["a", "b"])},
    ],
)
def test_saved_matrices_that_lie_about_themselves(tmp_path, changes):
    file(tmp_path, "a.vocab.txt", "a\nb\n")
    assert len(read_corpus(file(tmp_path, "a.npz", saved_arrays()))) == 2
    refused(file(tmp_path, "a.npz", saved_arrays(**changes)))


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
