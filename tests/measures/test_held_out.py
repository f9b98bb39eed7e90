"""Held-out measures, worked by hand."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from chatham.measures.held_out import SMOOTHING, completion, relative_error, split_words

TOPICS = np.array([[0.75, 0.25]])
ONE = np.ones((1, 1))


def test_halves_add_up():
    counts = sp.csr_array(np.array([[3, 0, 5], [1, 2, 0]]))
    first, second = split_words(counts, 0)
    assert (first + second).toarray().tolist() == counts.toarray().tolist()
    assert first.toarray().min() >= 0
    assert second.toarray().min() >= 0


def test_completion_by_hand():
    expected = [(1 - SMOOTHING) * p + SMOOTHING / 2 for p in (0.75, 0.25)]
    by_hand = (2 * math.log(expected[0]) + math.log(expected[1])) / 3
    assert completion(TOPICS, ONE, np.array([[2, 1]])) == pytest.approx(by_hand)


def test_relative_error_by_hand():
    counts = np.array([[1, 1]])  # frequencies ½, ½: the residue is (−¼, ¼)
    assert relative_error(TOPICS, ONE, counts) == pytest.approx(math.sqrt(0.125 / 0.5))
