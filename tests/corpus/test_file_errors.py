"""Files that are refused, by one sentence each and without being unpickled."""

import gzip
import io
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from chatham.corpus import read_corpus
from tests.corpus.refusing import COUNTS, MARKET, SECRET, file, refused


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "is empty"),
        ("a.txt", "", "is empty"),
        ("a.jsonl", "", "is empty"),
        ("a.parquet", "", "is empty"),
        ("a.csv", "\n\n", "is empty"),
        ("a.csv", "text,n\n", "There are no documents"),
        ("a.jsonl", "\n", "There are no documents"),
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
        ("a.docx", "x", "extension of"),
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
    assert "pass texts as a list" in refused(source)


def test_a_folder_without_texts(tmp_path):
    assert "holds no file of text and no table" in refused(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-99", "base64", "rot13"])
def test_unknown_encodings(tmp_path, encoding):
    path = file(tmp_path, "a.txt", "tea")
    assert "not an encoding that Python knows" in refused(path, encoding=encoding)


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
    assert "extension of" in refused(file(tmp_path, "a.pkl", pickle.dumps(Trap(sprung))))
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
