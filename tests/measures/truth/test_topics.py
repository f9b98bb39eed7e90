"""Measures against true topics, worked by hand and against other ways to the same number."""

import gc
import itertools
import math

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.measures.measure import UndefinedError
from chatham.measures.registry import MEASURES
from chatham.measures.truth import topics as module
from chatham.measures.truth.topics import (
    DistanceToTruth,
    L1ToTruth,
    align,
    l1_distances,
    match_of,
    match_topics,
)
from tests.conftest import matched_distance
from tests.measures.truth.conftest import subject

TRUTH = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
FOUND = np.array([[0.0, 0.2, 0.8], [0.9, 0.1, 0.0], [0.0, 1.0, 0.0]])


def l1(found, truth=TRUTH):
    return L1ToTruth().measure(subject(found, truth), None)


def distance(found, truth=TRUTH):
    return DistanceToTruth().measure(subject(found, truth), None).value


def test_l1_by_hand():
    score = l1(FOUND)  # to topics 2, 0 and 1: 0.2 + 0.2, 0.1 + 0.1, and 0
    assert score.per_topic == pytest.approx([0.4, 0.2, 0.0])
    assert score.value == pytest.approx(0.2)
    assert score.notes == {"pairs": 3, "matched": pytest.approx(0.2)}


def test_matching_is_of_all_together_and_not_greedy():
    truth = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])
    found = np.array([[0.4, 0.6, 0.0], [0.6, 0.4, 0.0]])
    # Both are 0.2 from the first. To the second: 0.4 + 0.1 + 0.5 = 1 and 0.6 + 0.1 + 0.5 = 1.2.
    assert match_topics(found, truth).tolist() == [1, 0]
    assert l1(found, truth).value == pytest.approx((1.0 + 0.2) / 2)


def test_matching_against_all_permutations():
    rng = np.random.default_rng(0)
    found, truth = rng.dirichlet(np.full(12, 0.5), 5), rng.dirichlet(np.full(12, 0.5), 5)
    least = min(
        np.abs(found - truth[list(order)]).sum() / 5 for order in itertools.permutations(range(5))
    )
    assert l1(found, truth).value == pytest.approx(least, rel=1e-14)
    assert l1(found, truth).value == pytest.approx(matched_distance(found, truth), rel=1e-14)


def test_too_few_and_too_many_topics_count_two():
    few = l1(FOUND[1:])  # 0.2 and 0, and the third true topic was missed
    assert few.value == pytest.approx((0.2 + 0.0 + 2.0) / 3)
    assert few.per_topic == pytest.approx([0.2, 0.0])
    assert few.notes == {"pairs": 2, "matched": pytest.approx(0.1)}
    many = l1(np.vstack([FOUND, [0.4, 0.3, 0.3]]))
    assert many.value == pytest.approx((0.4 + 0.2 + 0.0 + 2.0) / 4)
    assert many.per_topic == pytest.approx([0.4, 0.2, 0.0, 2.0])
    assert match_topics(np.vstack([FOUND, [0.4, 0.3, 0.3]]), TRUTH).tolist() == [2, 0, 1, -1]


def test_an_empty_topic_is_as_far_as_can_be():
    score = l1(np.vstack([np.zeros(3), FOUND[1:]]))
    assert score.per_topic == pytest.approx([2.0, 0.2, 0.0])


def test_topics_that_are_not_normalised_are_compared_as_distributions():
    assert l1(FOUND, 7 * TRUTH).value == pytest.approx(0.2)
    uneven = TRUTH * [[1], [2], [5]]
    assert distance(FOUND[:2], uneven) == pytest.approx(distance(FOUND[:2], TRUTH))


def test_order_of_topics_changes_nothing_even_where_matches_tie():
    # Every topic is at distance 1 of both truths: only their content can decide.
    truth = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    found = np.array([[0.5, 0.0, 0.5, 0.0], [0.0, 0.5, 0.0, 0.5], [0.5, 0.0, 0.0, 0.5]])
    plain = match_topics(found, truth)
    for order in map(list, itertools.permutations(range(3))):
        assert match_topics(found[order], truth).tolist() == plain[order].tolist()
        swapped = np.array([1, 0, -1])[match_topics(found[order], truth[::-1])]
        assert swapped.tolist() == plain[order].tolist()


def test_a_subject_is_matched_once_and_forgotten_with_it():
    first, second = subject(FOUND, TRUTH), subject(FOUND[::-1].copy(), TRUTH)
    match = match_of(first)
    assert match.partners.tolist() == match_topics(FOUND, TRUTH).tolist() == [2, 0, 1]
    assert match.distances.tolist() == l1_distances(FOUND, TRUTH).tolist()
    assert match_of(first) is match
    assert match_of(second).partners.tolist() == [1, 0, 2]
    before = len(module._matches)
    del first
    gc.collect()
    assert len(module._matches) == before - 1


def test_topics_over_other_words_are_refused():
    with pytest.raises(InputError, match="over 2 words and the true ones over 3"):
        match_topics(np.eye(2), TRUTH)


def test_no_topics_have_no_distance():
    with pytest.raises(UndefinedError):
        l1(FOUND, np.zeros((0, 3)))
    with pytest.raises(UndefinedError):
        distance(FOUND, np.zeros((2, 3)))


def test_distance_by_hand():
    # The best multiple of (½ ½ 0) for (1 0 0) is itself, which leaves (½ −½ 0), √½ of norm 1.
    assert distance(np.array([[0.5, 0.5, 0.0]]), TRUTH[:1]) == pytest.approx(math.sqrt(0.5))
    # Two of three unit vectors: one of the three is wholly missed.
    assert distance(TRUTH[:2]) == pytest.approx(math.sqrt(1 / 3))


def test_distance_is_the_closed_form_with_its_last_factor():
    rng = np.random.default_rng(1)
    found, truth = rng.dirichlet(np.ones(20), 4), rng.dirichlet(np.ones(20), 4)
    mixed = truth @ found.T @ np.linalg.inv(found @ found.T) @ found
    expected = np.linalg.norm(mixed - truth) / np.linalg.norm(truth)
    assert distance(found, truth) == pytest.approx(expected, rel=1e-12)


def test_distance_of_topics_that_span_the_truth_is_zero():
    rng = np.random.default_rng(2)
    truth = rng.dirichlet(np.ones(20), 4)
    assert distance(truth[::-1].copy(), truth) < 1e-14
    assert distance(rng.dirichlet(np.ones(4), 4) @ truth, truth) < 1e-12
    assert distance(np.vstack([truth, rng.dirichlet(np.ones(20), 2)]), truth) < 1e-13


def test_distance_of_topics_alike_or_empty():
    twice = np.vstack([TRUTH[:2], TRUTH[:1], np.zeros(3)])
    assert distance(twice) == pytest.approx(math.sqrt(1 / 3))
    assert distance(np.zeros((2, 3))) == pytest.approx(1.0)


def test_align_keeps_every_weight():
    found, truth = np.array([[0.6, 0.3, 0.1]]), np.array([[0.2, 0.7, 0.1, 0.0]])
    moved, padded = align(found, truth, np.array([3, -1, 0]))
    assert moved.tolist() == [[0.1, 0.0, 0.0, 0.6, 0.3]]
    assert padded.tolist() == [[0.2, 0.7, 0.1, 0.0, 0.0]]


def test_registered():
    assert MEASURES["l1_to_truth"] == L1ToTruth()
    assert MEASURES["distance_to_truth"] == DistanceToTruth()
