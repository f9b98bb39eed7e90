"""C_V by hand; agreement with gensim is tested beside the other coherences'."""

import math

import numpy as np
import pytest

from chatham.commons import Alone
from chatham.measures.coherence.context import CV, support
from chatham.measures.subject import Subject
from chatham.measures.texts import TokenTexts

TEXTS = [["tea", "milk"], ["tea", "milk", "cake"], ["tea"], ["car"], ["car", "cake"]]


def c_v(lists, **settings):
    subject = Subject(np.array([], dtype=object), lists=lists)
    return CV(**settings).measure(subject, Alone(TokenTexts(TEXTS)))


def test_by_hand():
    # NPMI(tea, milk) = c = log(5/3) / log(5/2) = 0.557493: vectors (1, c) and (c, 1), v* = (1 + c)
    # twice, so both cosines are (1 + c) / (√2·√(1 + c²)) = 0.961929.
    c = math.log(5 / 3) / math.log(5 / 2)
    score = c_v([["tea", "milk"]])
    assert score.value == pytest.approx((1 + c) / math.sqrt(2 * (1 + c * c)), abs=1e-9)
    assert score.value == pytest.approx(0.961929, abs=1e-6)
    assert score.notes == {"windows": 5, "documents": 5, "missing_words": 0}


def test_three_words_by_hand():
    matrix = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]])
    # v* = (1.5, 1.5, 1), |v*| = √5.5; the first two: 2.25 / (√1.25·√5.5), the third: 1 / √5.5.
    expected = (2 * 2.25 / math.sqrt(1.25 * 5.5) + 1 / math.sqrt(5.5)) / 3
    assert support(matrix) == pytest.approx(expected, abs=1e-12)


def test_vectors_that_cancel_and_words_that_are_always_there():
    assert support(np.array([[1.0, -1.0], [-1.0, 1.0]])) == 0.0
    assert support(np.ones((1, 1))) is None
    subject = Subject(np.array([], dtype=object), lists=[["tea", "milk"]])
    score = CV().measure(subject, Alone(TokenTexts([["tea", "milk"]] * 2)))
    assert score.value == pytest.approx(1.0)


def test_words_that_share_company_are_not_punished_for_never_meeting():
    texts = TokenTexts([["car", "road", "fuel"], ["automobile", "road", "fuel"], ["tea"]] * 5)
    lists = [["car", "automobile"], ["car", "automobile", "road", "fuel"]]
    subject = Subject(np.array([], dtype=object), lists=lists)
    alone, in_company = CV().measure(subject, Alone(texts)).per_topic
    assert alone < 0.1 < 0.6 < in_company


def test_settings_are_shown():
    assert CV().settings == {"n_words": 10, "window": 110, "epsilon": 1e-12}
    assert CV.needs == {"words", "reference", "order"}
    assert c_v([["tea", "milk", "cake"]], n_words=2).value == c_v([["tea", "milk"]]).value
