"""Pivoted QR picks what dense pivoted QR picks, among candidates, after given anchors."""

import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from scipy.linalg import qr

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.select import candidate_words, pivoted_qr, usual_least
from chatham.numerics.threads import threads


def separable(d=80, k=6, seed=0):
    """C = BABᵀ of a model whose first k words are anchors, one of each topic."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(d, 0.3), k)
    topics[:, :k] = np.diag(rng.uniform(0.02, 0.1, k))
    topics /= topics.sum(axis=1, keepdims=True)
    weights = rng.dirichlet(np.full(k, 0.2), 400)
    joint = topics.T @ (weights.T @ weights / 400) @ topics
    return (joint + joint.T) / 2


def noisy(d=150, rank=None, seed=0):
    rng = np.random.default_rng(seed)
    left = rng.gamma(0.3, size=(d, rank or d))
    joint = left @ left.T
    if rank is None:
        joint += np.diag(rng.gamma(0.5, size=d)) * joint.mean()
    return joint / joint.sum()


def words(groups):
    return [group.tolist() for group in groups]


def all_of(conditional):
    return np.ones(len(conditional), dtype=bool)


def dense(conditional, k, places=None):
    """Pivots and |r| of LAPACK's pivoted QR of the rows at `places`."""
    places = np.arange(len(conditional)) if places is None else places
    _, triangle, order = qr(conditional.rows(places).T, mode="economic", pivoting=True)
    return [[int(places[place])] for place in order[:k]], np.abs(np.diag(triangle))[:k]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [1, 7, 120])
def test_it_is_dense_pivoted_qr(seed, k):
    conditional = Conditional(noisy(seed=seed))
    anchors, distances = pivoted_qr(conditional, k, all_of(conditional))
    pivots, diagonal = dense(conditional, k)
    assert words(anchors) == pivots
    np.testing.assert_allclose(distances, diagonal, rtol=1e-9)


def test_it_is_dense_pivoted_qr_where_distances_cancel():
    joint = noisy(rank=12, seed=3) + 1e-13 * noisy(seed=4)
    conditional = Conditional(joint)
    anchors, distances = pivoted_qr(conditional, 40, all_of(conditional))
    pivots, diagonal = dense(conditional, 40)
    assert distances[20] < 1e-8 * distances[0]
    # Rows are known to 1e-16 alone, so of the tiny distances only the first few digits are.
    assert words(anchors)[:13] == pivots[:13]
    np.testing.assert_allclose(distances[:13], diagonal[:13], rtol=1e-3)
    assert np.all(np.diff(distances) <= 1e-9 * distances[:-1])


def test_single_precision_picks_the_same():
    joint = noisy(seed=1)
    double = pivoted_qr(Conditional(joint), 30, np.ones(150, dtype=bool))
    single = pivoted_qr(Conditional(joint.astype(np.float32)), 30, np.ones(150, dtype=bool))
    assert words(single[0]) == words(double[0])
    np.testing.assert_allclose(single[1], double[1], rtol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_anchors_of_a_separable_model_are_found(seed):
    conditional = Conditional(separable(seed=seed))
    anchors, _ = pivoted_qr(conditional, 6, all_of(conditional))
    assert sorted(words(anchors)) == [[0], [1], [2], [3], [4], [5]]


@settings(max_examples=30, deadline=None)
@for_all(st.integers(0, 10**6), st.integers(1, 12), st.floats(0.3, 1.0))
def test_only_candidates_are_chosen(seed, k, share):
    conditional = Conditional(noisy(d=40, seed=seed))
    candidates = np.random.default_rng(seed).random(40) < share
    candidates[:12] = True
    anchors, distances = pivoted_qr(conditional, k, candidates)
    pivots, diagonal = dense(conditional, k, np.flatnonzero(candidates))
    assert words(anchors) == pivots
    np.testing.assert_allclose(distances, diagonal, rtol=1e-9)


def test_given_anchors_come_first_and_the_rest_are_farthest_from_them():
    conditional = Conditional(noisy(seed=5))
    given = [np.array([40, 7]), np.array([99])]
    anchors, distances = pivoted_qr(conditional, 10, all_of(conditional), given)
    assert words(anchors[:2]) == [[40, 7], [99]]
    rows = conditional.rows_of(anchors)
    for place in range(2, 10):
        before = np.linalg.qr(rows[:place].T)[0]
        everyone = conditional.rows(slice(None))
        beyond = np.linalg.norm(everyone - everyone @ before @ before.T, axis=1)
        beyond[[40, 7, 99]] = 0
        assert words(anchors)[place] == [beyond.argmax()]
        np.testing.assert_allclose(distances[place], beyond.max())
    np.testing.assert_allclose(distances[0], np.linalg.norm(rows[0]))


def test_given_anchors_need_not_be_candidates_and_can_be_all():
    conditional = Conditional(noisy(d=20))
    nobody = np.zeros(20, dtype=bool)
    anchors, _ = pivoted_qr(conditional, 2, nobody, [np.array([3]), np.array([1])])
    assert words(anchors) == [[3], [1]]


def test_of_words_as_far_the_first_is_chosen():
    joint = noisy(d=30, seed=2)
    twins = np.repeat(np.repeat(joint, 2, axis=0), 2, axis=1)
    twins[::2] *= 1 - 1e-13  # the second of each pair is a little farther, by rounding's measure
    conditional = Conditional(twins / twins.sum())
    anchors, _ = pivoted_qr(conditional, 10, all_of(conditional))
    assert all(group[0] % 2 == 0 for group in anchors)


def test_threads_and_the_last_bit_change_nothing():
    conditional = Conditional(noisy(d=300, seed=6))
    results = []
    for jobs in (1, 2, 4):
        with threads(jobs):
            results.append(pivoted_qr(conditional, 40, all_of(conditional)))
    assert all(words(anchors) == words(results[0][0]) for anchors, _ in results)
    assert all((distances == results[0][1]).all() for _, distances in results)
    shaken = conditional.joint * (1 + 1e-15 * np.random.default_rng(0).standard_normal((300, 300)))
    anchors, _ = pivoted_qr(Conditional(shaken), 40, all_of(conditional))
    assert words(anchors) == words(results[0][0])


def test_words_that_never_occur_are_no_anchors():
    joint = np.zeros((8, 8))
    joint[2:6, 2:6] = noisy(d=4)
    conditional = Conditional(joint)
    anchors, _ = pivoted_qr(conditional, 4, all_of(conditional))
    assert sorted(words(anchors)) == [[2], [3], [4], [5]]
    with pytest.raises(InputError, match=r"5 topics need 5 anchors, and only 4 words may be one"):
        pivoted_qr(conditional, 5, all_of(conditional))
    with pytest.raises(InputError, match=r"Anchor 1 .* never occurs"):
        pivoted_qr(conditional, 3, all_of(conditional), [np.array([2]), np.array([0, 7])])


def test_too_few_candidates_are_refused():
    conditional = Conditional(noisy(d=20))
    few = np.arange(20) < 3
    with pytest.raises(InputError, match=r"4 topics need 4 anchors, and only 3 words .* fewer"):
        pivoted_qr(conditional, 4, few)
    message = "4 topics need 3 anchors besides the 1 given anchor, and only 2 words"
    with pytest.raises(InputError, match=message):
        pivoted_qr(conditional, 4, few, [np.array([0])])


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_more_topics_than_the_rank_are_refused(precision):
    conditional = Conditional(separable(k=6).astype(precision))
    with pytest.raises(InputError, match=r"7 topics need 7 anchors, but after 6 .* at most 6"):
        pivoted_qr(conditional, 7, all_of(conditional))


def test_one_is_one():
    """One topic, one anchor: errors count in words that fit."""
    conditional = Conditional(noisy(d=20))
    with pytest.raises(InputError, match="1 topic needs 1 anchor, and only 0 words may be one"):
        pivoted_qr(conditional, 1, ~all_of(conditional))
    alike = Conditional(np.full((4, 4), 1 / 16))
    with pytest.raises(InputError, match=r"after 1 of them .* choose at most 1 topic, or"):
        pivoted_qr(alike, 2, all_of(alike))


def test_given_anchors_that_cannot_be_are_refused():
    conditional = Conditional(noisy(d=20))
    free = all_of(conditional)
    with pytest.raises(InputError, match="2 anchors were given for 1 topic; "):
        pivoted_qr(conditional, 1, free, [np.array([0]), np.array([1])])
    with pytest.raises(InputError, match=r"Given anchor 1 .* like a mixture"):
        pivoted_qr(conditional, 3, free, [np.array([0]), np.array([0])])
    for wrong in ([], [20], [-1]):
        with pytest.raises(InputError, match=r"Anchor 0 .* from 0 to 19, at least one"):
            pivoted_qr(conditional, 3, free, [np.array(wrong, dtype=np.int64)])


def test_candidates_by_number_and_by_share():
    frequencies = np.array([0.0, 6, 7, 8, 100])
    assert candidate_words(frequencies, 100, 1).tolist() == [False, True, True, True, True]
    assert candidate_words(frequencies, 100, 7).tolist() == [False, False, True, True, True]
    assert candidate_words(frequencies, 100, 0.07).tolist() == [False, False, True, True, True]
    assert candidate_words(frequencies, 100, 0.071).tolist() == [False, False, False, True, True]
    assert candidate_words(frequencies, 100, 0.0).tolist() == [False, True, True, True, True]
    assert candidate_words(frequencies, 100, np.int64(8)).sum() == 2


@pytest.mark.parametrize("least", [0, -1, 1.0, 3.0, -0.1, True, "2", None, float("nan")])
def test_no_other_least_frequency(least):
    with pytest.raises(InputError, match=f"must be .* Got {least!r} instead"):
        candidate_words(np.ones(3), 3, least)


def test_without_a_limit_anchors_are_in_two_per_cent_of_the_documents():
    frequencies = np.concatenate([np.full(40, 30.0), np.full(100, 15.0), np.zeros(3)])
    assert usual_least(frequencies, 1000, 4) == 20  # 2 % leaves forty words, ten a topic
    assert usual_least(frequencies, 1000, 5) == 15  # fifty words are wanted
    assert usual_least(frequencies, 1000, 1000) == 15  # all there are, but none that never occurs
    assert usual_least(frequencies, 1001, 4) == 21  # a part of a document is a document
    assert usual_least(np.zeros(3), 10, 2) == 1
