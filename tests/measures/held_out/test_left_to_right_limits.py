"""Left to right: what it refuses, how long documents may be, how much it keeps, what crosses."""

import math
import tracemalloc
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.errors import HolderError, InputError
from chatham.learners.documents import Documents
from chatham.measures.held_out import particles as kernels
from chatham.measures.held_out.left_to_right import LeftToRight, read_documents
from chatham.measures.held_out.particles import SHORTENED, SIZE
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import smoothed
from tests.measures.held_out.conftest import HUGE, subject
from tests.measures.held_out.reading import ALPHA, TOPICS, score


def test_impossible_words():
    counts = np.array([[1, 1, 0], [0, 1, 1]])
    topics = np.array([[0.5, 0.5, 0.0], [0.9, 0.1, 0.0]])
    assert math.isfinite(score(counts, topics).value)
    with pytest.raises(UndefinedError, match="1 of the documents have a word of probability zero"):
        score(counts, topics, smoothing=0)


def test_no_documents():
    with pytest.raises(UndefinedError, match="No document"):
        score(sp.csr_array(np.zeros((3, 3))))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"particles": 0}, "particles must be a whole number of at least 1"),
        ({"particles": 2.5}, "Got 2.5"),
        ({"smoothing": 1.5}, "smoothing must be a number at least 0 and at most 1"),
        ({"longest": 0}, "longest"),
        ({"seed": -1}, "seed"),
    ],
)
def test_settings_that_make_no_sense(settings, says):
    with pytest.raises(InputError, match=says):
        LeftToRight(**settings)


@pytest.mark.parametrize("alpha", [0.0, -1.0, math.nan, (0.1,), (0.1, math.inf)])
def test_alpha_that_makes_no_sense(alpha):
    with pytest.raises(InputError, match="alpha must be"):
        LeftToRight(alpha=alpha).measure(subject(TOPICS), ch.Alone(np.ones((1, 3))))


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("longest", [None, 1000])
def test_documents_too_long_to_read_are_refused(huge, longest):
    documents = Documents(np.array([[3, 2.0, 0], [huge, 1, 0], [huge, 0, 2]]))
    with pytest.raises(InputError, match=r"A document has \S+ tokens, and up to 16,777,216 can be"):
        read_documents(documents, TOPICS, ALPHA, longest=longest)
    with pytest.raises(HolderError, match="Scale the counts down"):
        score(np.array([[huge, 1, 0]]), longest=longest)


def test_a_long_document_is_read_as_far_as_asked():
    found = read_documents(Documents(np.array([[2.0**23, 2.0**23, 0]])), TOPICS, ALPHA, longest=9)
    assert found[0, [SIZE, SHORTENED]].tolist() == [9, 1]


def test_urns_are_smoothed_topics_by_word_in_the_order_asked(monkeypatch):
    monkeypatch.setattr(kernels, "WORDS_AT_A_TIME", 2)
    topics = np.vstack([TOPICS, np.zeros(3), [0.0, 1.0, 0.0]])
    urns = kernels.urns_of(topics, np.arange(4.0), [3, 0], 0.1)
    by_word = smoothed(topics, 0.1)[[3, 0]].T
    assert urns.chances.tolist() == by_word.tolist()
    relative = by_word / by_word.max(axis=1, keepdims=True)
    assert urns.relative.tolist() == relative.astype(np.float32).ravel().tolist()
    assert urns.alpha.tolist() == urns.single_alpha.tolist() == [3, 0]
    nowhere = kernels.urns_of(topics[2:3], np.ones(1), [0], 0.0)
    assert nowhere.relative.tolist() == [0, 0, 0]


def test_no_more_is_kept_than_half_as_much_again_as_the_topics():
    topics = np.random.default_rng(0).dirichlet(np.full(20_000, 0.1), 50)
    documents = Documents(sp.csr_array(np.eye(1, 20_000)))
    read_documents(documents, topics, np.full(50, 0.1))  # compiled, so that this isn't counted
    tracemalloc.start()
    read_documents(documents, topics, np.full(50, 0.1), smoothing=0.01)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.8 * topics.nbytes


def test_topics_that_differ_in_their_last_words_only_have_no_order_either():
    counts = np.zeros((3, 1100))
    counts[:, [0, 1, 1099, 1098]] = [[3, 1, 2, 0], [2, 2, 0, 1], [1, 0, 1, 1]]
    topics = np.full((3, 1100), 1.0)
    topics[[0, 1, 2], [1097, 1098, 1099]] = 300
    topics /= topics.sum(axis=1, keepdims=True)
    plain = score(counts, topics).value
    for order in permutations(range(3)):
        assert score(counts, topics[list(order)]).value == plain


def test_all_that_crosses_is_said():
    step = LeftToRight.local_statistics.__doc__.splitlines()[0]
    for part in ("log-prob", "tokens", "squares", "product", "variance", "docum", "cut", "imposs"):
        assert part in step
