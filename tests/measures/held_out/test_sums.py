"""The score that sums over held-out documents make, worked by hand."""

import math

import numpy as np
import pytest

from chatham.measures.held_out.sums import score_of, sums_over
from chatham.measures.measure import UndefinedError


def test_score_by_hand():
    # −4/4 = −1 a token; off by −1 + 1 = 0, −3 + 2 = −1 and 0 + 1 = 1; √((0 + 1 + 1) · 3/2) / 4
    found = score_of(*sums_over(np.array([-1.0, -3.0, 0.0]), np.array([1.0, 2.0, 1.0])), "Nothing.")
    assert found.value == -1.0
    assert found.notes["standard_error"] == pytest.approx(math.sqrt(3) / 4)
    assert found.notes["per_document"] == pytest.approx(-4 / 3)
    assert (found.notes["documents"], found.notes["tokens"]) == (3, 4.0)


def test_sums_of_parts_are_sums_of_all():
    logs, sizes = -np.arange(6.0), np.arange(1.0, 7.0)
    parts = zip(sums_over(logs[:2], sizes[:2]), sums_over(logs[2:], sizes[2:], 1), strict=True)
    whole = sums_over(logs, sizes, 1)
    assert [(a + b).tolist() for a, b in parts] == [sums.tolist() for sums in whole]


def test_documents_all_alike_have_no_error():
    found = score_of(*sums_over(np.full(7, -0.1), np.full(7, 3.0)), "Nothing.")
    assert found.notes["standard_error"] == pytest.approx(0.0, abs=1e-8)


def test_one_document_has_no_standard_error():
    assert score_of(*sums_over(np.array([-2.0]), np.ones(1)), "").notes["standard_error"] is None


def test_no_value():
    with pytest.raises(UndefinedError, match="Nothing to score"):
        score_of(*sums_over(np.zeros(0), np.zeros(0)), "Nothing to score.")
    with pytest.raises(UndefinedError, match="2 of the documents"):
        score_of(*sums_over(np.zeros(3), np.ones(3), 2), "")
