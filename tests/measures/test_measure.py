"""Means over the topics that have a value."""

import pytest

from chatham.measures.measure import UndefinedError, known_or_none, mean_known, weighted_mean


def test_means_leave_out_topics_without_a_value():
    values = known_or_none([1.0, 9.0, 4.0], [True, False, True])
    assert values == [1.0, None, 4.0]
    assert mean_known(values) == 2.5
    assert weighted_mean(values, [0.25, 0.5, 0.25]) == 2.5
    assert weighted_mean(values, [0.2, 0.5, 0.3]) == pytest.approx((0.2 + 4 * 0.3) / 0.5)


def test_without_a_value_there_is_no_mean():
    for nothing in ([], [None, None]):
        with pytest.raises(UndefinedError, match="No topic has a value"):
            mean_known(nothing)
        with pytest.raises(UndefinedError, match="No word here"):
            mean_known(nothing, "No word here.")
        with pytest.raises(UndefinedError, match="No topic has a value"):
            weighted_mean(nothing, [0.5] * len(nothing))
    with pytest.raises(UndefinedError, match="No topic has a value"):
        weighted_mean([1.0, None], [0.0, 1.0])
