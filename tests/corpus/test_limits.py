"""Small files that ask for much memory are refused before they get it."""

import gzip
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from chatham.corpus import Tokenizer, Vectorizer, read_corpus
from chatham.corpus.readers import files
from chatham.errors import InputError

LIMIT = 3 * 2**20


@pytest.fixture
def low_limit(monkeypatch):
    monkeypatch.setattr(files, "LARGEST_UNPACKED", LIMIT)


def test_a_gzip_file_is_unpacked_only_up_to_the_limit(tmp_path, low_limit):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"tea\n" * 2**24))
    tracemalloc.start()
    with pytest.raises(InputError, match="unpacks to more than 3,145,728 bytes"):
        read_corpus(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * LIMIT


def test_a_gzip_file_within_the_limit_is_read(tmp_path, low_limit):
    path = tmp_path / "a.txt.gz"
    content = b"tea\n" * 1000 + b"milk\n"
    # Two members one after the other are one file.
    path.write_bytes(gzip.compress(content) + gzip.compress(content))
    assert len(read_corpus(path, max_df=1.0)) == 2002


def test_members_of_an_npz_file_have_the_same_limit(tmp_path, low_limit):
    path = tmp_path / "a.npz"
    sp.save_npz(path, sp.csr_array(np.ones((1000, 1000), dtype=np.int64)))
    assert path.stat().st_size < 2**17
    with pytest.raises(InputError, match="unpacks to more than"):
        read_corpus(path, vocabulary=[str(column) for column in range(1000)])


def test_a_saved_word_of_any_length_is_refused_before_an_array_is_made():
    saved = Vectorizer(Tokenizer(), np.array(["tea"])).to_dict()
    words = ["x" * 10**7, *(str(number) for number in range(10_000))]
    with pytest.raises(InputError, match="The longest word has 10,000,000 characters"):
        Vectorizer.from_dict(saved, words)


@pytest.mark.parametrize("source", [["tea"], read_corpus(["tea"])], ids=["texts", "corpus"])
def test_a_given_word_of_any_length_is_refused_before_an_array_is_made(source):
    words = ["x" * 10**7, *(f"word{number}" for number in range(10_000))]
    with pytest.raises(InputError, match="The longest word"):
        read_corpus(source, vocabulary=words)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), 1e7, "x", None])
def test_a_saved_idf_that_cannot_be_is_refused(value):
    saved = {"tokenizer": None, "weighting": "tfidf", "idf": [1.0, value]}
    with pytest.raises(InputError, match="idf must be a list of finite numbers above 0"):
        Vectorizer.from_dict(saved, ["tea", "milk"])


def test_a_saved_word_that_is_no_string_is_refused():
    with pytest.raises(InputError, match="a word isn't a string"):
        Vectorizer.from_dict({"tokenizer": None}, ["tea", 7])
