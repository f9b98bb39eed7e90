"""What measures say of themselves, and means over the topics that have a value."""

import pytest

from chatham.errors import InputError
from chatham.measures.coherence.pairwise import NPMI
from chatham.measures.labels.agreement import AdjustedRandIndex
from chatham.measures.measure import UndefinedError, known_or_none, mean_known, weighted_mean
from chatham.measures.registry import MEASURES


def test_calling_a_measure_gives_it_other_settings():
    assert MEASURES["npmi"]() == NPMI()
    assert MEASURES["npmi"](window=10, n_words=5) == NPMI(window=10, n_words=5)
    assert MEASURES["npmi"] == NPMI()
    with pytest.raises(InputError, match="n_words"):
        MEASURES["npmi"](n_words=1)


def test_what_follows_from_settings_follows_from_their_defaults_on_the_class():
    assert (AdjustedRandIndex.name, AdjustedRandIndex.needs) == ("ari", {"weights", "labels"})
    unseen = AdjustedRandIndex(held_out=True)
    assert unseen.name == "ari_held_out"
    assert unseen.needs == {"weights", "labels", "held_out"}
    assert NPMI.needs == {"words", "reference"}
    assert NPMI(window=10).needs == {"words", "reference", "order"}


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
