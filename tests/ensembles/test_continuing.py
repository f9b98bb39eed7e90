"""Which topic goes on with which number: the rules, one by one."""

import numpy as np
import pytest

from chatham.ensembles.continuing import ALIKE, SMALL, continued, similarities

FOUR = np.kron(np.eye(4), [[0.25] * 4])
"""Topics without a common word."""


def found(own, sizes=None, topics=FOUR, living=(0, 1, 2, 3)):
    own = np.asarray(own)
    sizes = np.ones(len(own)) if sizes is None else np.asarray(sizes, dtype=float)
    return continued(own, sizes, topics, list(living))


def between(first, second, share):
    return (1 - share) * FOUR[first] + share * FOUR[second]


def test_topics_go_on_whatever_their_order():
    it = found(FOUR[[2, 0, 3, 1]])
    assert it.numbers.tolist() == [2, 0, 3, 1]
    assert (it.new, it.split, it.merged) == ([], {}, {})


def test_what_is_like_none_is_born_and_what_nobody_goes_on_with_died():
    it = found(FOUR[[0, 3, 2]], topics=FOUR[:3], living=[0, 1, 2])
    assert it.numbers.tolist() == [0, 3, 2]
    assert it.new == [1]
    assert (it.split, it.merged) == ({}, {})
    assert 1 not in it.numbers


def test_the_larger_of_two_new_topics_has_the_lower_number():
    it = found(FOUR[[0, 1, 2]], [5, 3, 4], topics=FOUR[:1], living=[0])
    assert it.numbers.tolist() == [0, 2, 1]
    assert it.new == [2, 1]


def halves(of):
    """Two topics, each with half of the words of another."""
    first, second = FOUR[of].copy(), FOUR[of].copy()
    words = np.flatnonzero(FOUR[of])
    first[words[2:]], second[words[:2]] = 0, 0
    return 2 * first, 2 * second


def test_of_two_halves_one_keeps_the_number_and_the_other_split_off():
    first, second = halves(1)
    nearer = 0.9 * first + 0.1 * second
    it = found([FOUR[0], second, nearer], topics=FOUR[:2], living=[0, 1])
    assert it.numbers.tolist() == [0, 2, 1]
    assert it.split == {2: 1}


def test_two_that_are_alike_are_one_number():
    first, second = halves(1)
    it = found([FOUR[1], 0.6 * first + 0.4 * second], topics=FOUR[:2], living=[0, 1])
    assert it.numbers.tolist() == [1, 1]
    assert it.new == []


def test_two_new_topics_that_are_alike_are_one():
    it = found([FOUR[0], FOUR[3], between(3, 2, 0.1)], topics=FOUR[:1], living=[0])
    assert it.numbers.tolist() == [0, 1, 1]
    assert it.new == [1]


def test_each_number_goes_on_in_one_topic_so_that_all_are_as_alike_as_possible():
    """The second is most like 0 too, but 0 has a better one, and it is like 1 as well."""
    it = found([between(0, 1, 0.1), between(0, 1, 0.45)], topics=FOUR[:2], living=[0, 1])
    assert similarities(between(0, 1, 0.45)[None], FOUR[:2]).argmax() == 0
    assert it.numbers.tolist() == [0, 1]


def test_a_small_topic_begins_nothing_and_keeps_nothing_alive():
    sizes = [1, 1, 0.99 * SMALL * (2 / (3 - SMALL * 0.99))]
    it = found([FOUR[0], FOUR[1], FOUR[3]], sizes, topics=FOUR[:2], living=[0, 1])
    assert it.new == []
    assert it.large.tolist() == [True, True, False]
    it = found([FOUR[0], FOUR[1], FOUR[2]], sizes, topics=FOUR[:3], living=[0, 1, 2])
    assert it.numbers.tolist() == [0, 1, 2]
    assert it.large.tolist() == [True, True, False]
    it = found([FOUR[0], FOUR[1], FOUR[3]], [1, 1, 0.5], topics=FOUR[:2], living=[0, 1])
    assert it.new == [2]


def test_two_that_became_one_merged():
    one = between(1, 2, 0.4)
    it = found([FOUR[0], one], topics=FOUR[:3], living=[0, 1, 2])
    assert it.numbers.tolist() == [0, 1]
    assert it.merged == {2: 1}
    assert found([FOUR[0], one], topics=FOUR[:3], living=[0, 1]).merged == {}  # was gone before


@pytest.mark.parametrize(("alike", "born"), [(ALIKE - 1e-6, True), (ALIKE + 1e-6, False)])
def test_the_threshold_is_the_one_that_is_stated(alike, born):
    """Bhattacharyya's coefficient of (1 − s)·x + s·y with x is √(1 − s)."""
    own = between(0, 1, 1 - alike**2)
    assert similarities(own[None], FOUR[:1])[0, 0] == pytest.approx(alike)
    assert bool(found([own], topics=FOUR[:1], living=[0]).new) == born


def test_a_topic_that_had_died_comes_back_with_its_number():
    it = found(FOUR[[2, 0]], topics=FOUR[:3], living=[0])
    assert it.numbers.tolist() == [2, 0]
    assert it.new == []
