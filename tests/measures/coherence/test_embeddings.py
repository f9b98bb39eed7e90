"""Embedding coherence by hand, and a reader of word vectors that survives hostile files."""

import gzip
import math

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.measures.coherence.embeddings import EmbeddingCoherence, read_vectors
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject

VECTORS = {
    "tea": [3.0, 0.0],
    "milk": [1.0, 1.0],
    "car": [0.0, 2.0],
    "bus": [0.0, -1.0],
    "nothing": [0.0, 0.0],
    "huge": [1e200, 0.0],
}


def scored(lists, vectors=VECTORS, **settings):
    subject = Subject(np.array([], dtype=object), lists=lists, vectors=vectors)
    return EmbeddingCoherence(**settings).measure(subject, None)


def test_by_hand():
    # tea·milk = 1/√2, tea·car = 0, milk·car = 1/√2; car·bus = −1.
    score = scored([["tea", "milk", "car"], ["car", "bus"]])
    assert score.per_topic == pytest.approx([math.sqrt(2) / 3, -1.0])
    assert score.value == pytest.approx((math.sqrt(2) / 3 - 1) / 2)
    assert score.notes == {"missing_words": 0}
    assert scored([["tea", "huge"]]).value == pytest.approx(1.0)
    assert scored([["tea", "milk", "car"]], n_words=2).value == pytest.approx(1 / math.sqrt(2))


def test_words_without_a_direction_are_left_out():
    lists = [["tea", "nothing", "unheard", "milk", "tea"], ["tea", "unheard"], []]
    score = scored(lists)
    assert score.per_topic == [pytest.approx(1 / math.sqrt(2)), None, None]
    assert score.value == score.per_topic[0]
    assert score.notes == {"missing_words": 2}
    with pytest.raises(UndefinedError, match="No topic has two words"):
        scored(lists[1:])
    with pytest.raises(UndefinedError):
        scored([])


def test_order_of_topics():
    lists = [["tea", "milk"], ["car", "bus"], ["tea", "car", "milk"]]
    assert scored(lists).per_topic == scored(lists[::-1]).per_topic[::-1]
    assert scored(lists).value == scored(lists[::-1]).value


@pytest.mark.parametrize("wrong", [[np.nan, 1], [np.inf, 1], [[1, 2]], "1 2", ["a", "b"], None])
def test_vectors_that_are_none(wrong):
    with pytest.raises(InputError, match="vector of 'milk' must be a list of finite numbers"):
        scored([["tea", "milk"]], {"tea": [1.0, 2.0], "milk": wrong})


def test_vectors_of_different_lengths():
    with pytest.raises(InputError, match="the same length"):
        scored([["tea", "milk"]], {"tea": [1.0, 2.0], "milk": [1.0]})
    with pytest.raises(InputError, match="n_words must be"):
        EmbeddingCoherence(n_words=1)


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


GLOVE = "tea 1 0.5\nmilk -2e-1 3\ncafé 0 1\n"


@pytest.mark.parametrize(
    "content",
    [
        GLOVE,
        "3 2\n" + GLOVE,
        "\ufeff3 2\n" + GLOVE,
        GLOVE.replace("\n", " \r\n"),
        GLOVE.replace(" ", "\t"),
        GLOVE + "\n\n",
        GLOVE.strip(),
        GLOVE + "tea 9 9\n",
    ],
)
def test_what_is_read(tmp_path, content):
    found = read_vectors(write(tmp_path / "v.txt", content))
    assert {word: vector.tolist() for word, vector in found.items()} == {
        "tea": [1.0, 0.5], "milk": [-0.2, 3.0], "café": [0.0, 1.0]
    }  # fmt: skip
    packed = write(tmp_path / "v.txt.gz", gzip.compress(content.encode()))
    assert list(read_vectors(packed, ["café", "unheard"])) == ["café"]
    assert read_vectors(str(packed), []) == {}


def test_a_word_may_hold_blanks(tmp_path):
    found = read_vectors(write(tmp_path / "v.txt", "tea 1 2\n. . . 3 4\nnew york 5 6\n"))
    assert {word: vector.tolist() for word, vector in found.items()} == {
        "tea": [1, 2], ". . .": [3, 4], "new york": [5, 6]
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "has no word vectors"),
        ("\n \n", "has no word vectors"),
        ("3 2\n", "has no word vectors"),
        ("4 2\n" + GLOVE, "announces 4 vectors and has 3"),
        ("tea 1 2\nmilk 1\n", "Line 2 .* has 1 numbers where 2 were expected"),
        ("tea 1 2\nmilk 1 2 3\n", "Line 2 .* has 3 numbers where 2 were expected"),
        ("3 5\n" + GLOVE, "Line 2 .* has 2 numbers where 5 were expected"),
        ("3 0\n" + GLOVE, "Line 2 .* numbers where 1 were expected"),
        ("9" * 5000 + " 2\ntea 1 2\n", "announces"),
        ("1 " + "9" * 5000 + "\ntea 1 2\n", "Line 2 .* has 2 numbers"),
        ("tea\nmilk\n", "Line 1 .* has 0 numbers"),
        ("tea 1 2\nmilk 1 x\n", "Line 2 .* isn't a finite number"),
        ("tea 1 2\nmilk 1 nan\n", "Line 2 .* isn't a finite number"),
        ("tea 1 inf\n", "Line 1 .* isn't a finite number"),
        (b"2 2\ntea \x00\x00\x80?\x00\x00\x00@", "Line 2 .* isn't text"),
        (b"tea " + b"1" * 2**20, "Line 1 .* isn't text"),
        (b"tea 1 2\nca\xe9 1 2\n", "Line 2 .* isn't UTF-8"),
    ],
)
def test_hostile_files(tmp_path, content, says):
    with pytest.raises(InputError, match=says):
        read_vectors(write(tmp_path / "v.txt", content))


def test_what_isnt_asked_for_is_checked_for_its_length_alone(tmp_path):
    path = write(tmp_path / "v.txt", "tea 1 2\nmilk 1 x\ncar 3\n")
    with pytest.raises(InputError, match="Line 3"):
        read_vectors(path, ["tea"])


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        read_vectors(tmp_path / "none.txt")
    with pytest.raises(InputError, match="can't be read"):
        read_vectors(tmp_path)
    whole = gzip.compress(GLOVE.encode() * 100)
    for damaged in (GLOVE.encode(), whole[:-20], whole[:30] + b"x" * 30):
        with pytest.raises(InputError, match="damaged"):
            read_vectors(write(tmp_path / "v.gz", damaged))
