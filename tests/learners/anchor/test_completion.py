"""Diagonal completion: a destroyed diagonal comes back, and what can't be known is said."""

import numpy as np
import pytest
from scipy.linalg import lstsq, subspace_angles

from chatham.commons import Alone
from chatham.errors import InputError
from chatham.learners.anchor.completion import (
    _diagonal,
    _medians,
    complete_diagonal,
    singular_spaces,
)
from chatham.learners.cooccurrence import cooccurrence
from chatham.numerics.threads import threads
from tests.conftest import plant


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    with threads(1):
        yield


def low_rank(d, k, seed=0):
    """BABᵀ of sum one, with words in several topics each."""
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(d, 0.5), k).T
    weights = rng.dirichlet(np.full(k, 0.3), 500)
    joint = words @ (weights.T @ weights / 500) @ words.T
    return (joint + joint.T) / 2


def with_diagonal(joint, diagonal):
    changed = joint.copy()
    np.fill_diagonal(changed, diagonal)
    return changed


@pytest.mark.parametrize(("d", "k"), [(40, 1), (61, 4), (300, 7), (601, 20)])
def test_a_destroyed_diagonal_comes_back(d, k):
    joint = low_rank(d, k)
    destroyed = with_diagonal(joint, np.random.default_rng(1).uniform(0, joint.max() * 9, d))
    completed = complete_diagonal(destroyed, k, runs=7)
    assert np.abs(completed.matrix / joint - 1).max() < 1e-6
    assert completed.kept.size == completed.clipped == 0


def test_more_topics_than_the_rank_do_no_harm():
    joint = low_rank(200, 4)
    completed = complete_diagonal(with_diagonal(joint, 0.0), 9, runs=7)
    assert np.abs(completed.matrix / joint - 1).max() < 1e-6


def algorithm_7(block, off, k):
    """The least-squares fit of each column without its j-th entry (eq. A.3), one by one."""
    basis = np.linalg.svd(off)[0][:, :k]
    found = np.empty(len(block))
    for j in range(len(block)):
        others = np.arange(len(block)) != j
        found[j] = basis[j] @ lstsq(basis[others], block[others, j])[0]
    return found


@pytest.fixture(scope="module")
def noisy():
    """The co-occurrence of a planted corpus, without its diagonal; one word never occurs."""
    counts = plant(n=400, d=240, k=6, length=40)[0]
    return with_diagonal(cooccurrence(Alone(counts)).matrix, 0.0)


def test_is_algorithm_7_for_both_halves(noisy):
    first, second = np.arange(0, 240, 2), np.arange(1, 240, 2)
    off = noisy[np.ix_(first, second)]
    left, right = singular_spaces(off, 6, np.random.default_rng(0))
    for half, basis, outside in ((first, left, off), (second, right, off.T)):
        expected = algorithm_7(noisy[np.ix_(half, half)], outside, 6)
        size = np.abs(expected).max()
        assert np.abs(_diagonal(noisy, half, basis) - expected).max() < 1e-4 * size


def test_takes_the_median_of_random_cuts_and_normalises(noisy):
    places, rng = np.flatnonzero(noisy.any(axis=1)), np.random.default_rng(3)
    runs, middle = np.zeros((5, len(noisy))), len(places) // 2
    for run in runs:
        shuffled = rng.permutation(places)
        halves = shuffled[:middle], shuffled[middle:]
        for half, other in (halves, halves[::-1]):
            run[half] = algorithm_7(noisy[np.ix_(half, half)], noisy[np.ix_(half, other)], 50)
    diagonal = np.median(runs, axis=0)
    expected = with_diagonal(noisy, np.maximum(diagonal, 0))
    found = complete_diagonal(noisy, 50, runs=5, seed=3)  # so many that the SVD is the dense one
    assert np.abs(found.matrix - expected / expected.sum()).max() < 1e-9
    assert found.clipped == (diagonal < 0).sum()


def test_negative_entries_become_zero():
    """(i − j)² − ½ has rank three and −½ for its diagonal, which is no probability."""
    places = np.arange(30.0)
    joint = (places[:, None] - places) ** 2 - 0.5
    completed = complete_diagonal(joint + np.eye(30), 3, runs=5)
    assert completed.clipped == 30
    expected = with_diagonal(joint, 0.0)
    assert np.abs(completed.matrix - expected / expected.sum()).max() < 1e-12


@pytest.mark.parametrize(("shape", "k"), [((180, 171), 5), ((300, 300), 12), ((60, 61), 20)])
def test_singular_spaces_are_those_of_a_dense_svd(shape, k):
    rng = np.random.default_rng(0)
    turns = [np.linalg.qr(rng.standard_normal((size, min(shape))))[0] for size in shape]
    block = (turns[0] * np.arange(1, min(shape) + 1) ** -0.8) @ turns[1].T
    left, right = singular_spaces(block, k, rng)
    dense_left, _, dense_right = np.linalg.svd(block)
    assert subspace_angles(left, dense_left[:, :k]).max() < 3e-3
    assert subspace_angles(right, dense_right[:k].T).max() < 3e-3


def test_a_block_of_lower_rank_gives_fewer_directions():
    block = np.outer(np.arange(1.0, 101.0), np.ones(100))
    left, right = singular_spaces(block, 5, np.random.default_rng(0))
    assert left.shape == right.shape == (100, 1)
    assert abs(abs(right[:, 0].sum()) - 10) < 1e-12


def test_the_rest_of_the_matrix_only_changes_scale(noisy):
    completed = complete_diagonal(noisy, 6, runs=5).matrix
    off = ~np.eye(240, dtype=bool) & (noisy > 0)
    ratios = completed[off] / noisy[off]
    assert np.ptp(ratios) < 1e-12 * ratios.max()
    assert np.array_equal(completed, completed.T)
    assert (completed >= 0).all()
    assert abs(completed.sum() - 1) < 1e-12


def test_bursts_are_forgotten_and_the_input_is_untouched(noisy):
    bursty = with_diagonal(noisy, np.where(noisy.any(axis=1), 1.0, 0.0))
    before = bursty.copy()
    found = complete_diagonal(bursty, 6, runs=3).matrix
    assert np.array_equal(found, complete_diagonal(noisy, 6, runs=3).matrix)
    assert np.array_equal(bursty, before)


def test_words_that_meet_no_other_keep_their_entry():
    joint = np.zeros((44, 44))
    joint[:40, :40] = low_rank(40, 3)
    joint[42, 42] = 0.25
    completed = complete_diagonal(joint, 3, runs=5)
    assert completed.kept.tolist() == [40, 41, 42, 43]
    assert not completed.matrix[[40, 41, 43]].any()
    assert completed.matrix[42, 42] == pytest.approx(0.25 / 1.25, rel=1e-9)


def test_a_word_that_alone_spans_a_direction_keeps_its_entry():
    """Two words that meet only each other: wherever cut apart, each is a direction of its own."""
    joint = np.zeros((42, 42))
    joint[:40, :40] = low_rank(40, 2)
    joint[40, 41] = joint[41, 40] = 0.5
    joint[40, 40] = joint[41, 41] = 0.125
    places, apart = np.arange(42), np.arange(42) % 2 == 0
    matrix = with_diagonal(joint, 0.0)
    left, _ = singular_spaces(matrix[np.ix_(places[apart], places[~apart])], 3, None)
    assert np.isnan(_diagonal(matrix, places[apart], left)).tolist() == [False] * 20 + [True]
    completed = complete_diagonal(joint, 3, runs=1, seed=_seed_that_parts(40, 41, 42))
    assert completed.kept.tolist() == [40, 41]
    ratio = completed.matrix[40, 40] / completed.matrix[40, 41]
    assert ratio == pytest.approx(0.25, rel=1e-12)


def test_nothing_is_divided_by_almost_nothing():
    matrix = np.ones((4, 4)) - np.eye(4)
    for rest, known in ((1e-3, True), (1e-9, False)):
        basis = np.sqrt([[1 - rest], [rest / 3], [rest / 3], [rest / 3]])
        assert (
            np.isnan(_diagonal(matrix, np.arange(4), basis)).tolist() == [not known] + [False] * 3
        )


def _seed_that_parts(one, other, d):
    for seed in range(99):
        first = np.random.default_rng(seed).permutation(d)[: d // 2]
        if (one in first) != (other in first):
            return seed
    raise AssertionError("no seed parts the words")


def test_runs_that_know_nothing_are_left_out_of_the_median():
    estimates = np.array([[1.0, np.nan, np.nan], [5.0, 2.0, np.nan], [2.0, 4.0, np.nan]])
    assert np.array_equal(_medians(estimates), [2.0, 3.0, np.nan], equal_nan=True)


def test_threads_change_no_bit_and_seeds_do(noisy):
    def completed(jobs, seed):
        with threads(jobs):
            return complete_diagonal(np.tile(noisy, (3, 3)) / 9, 6, runs=3, seed=seed).matrix

    assert np.array_equal(completed(1, 0), completed(3, 0))
    assert not np.array_equal(completed(1, 0), completed(1, 1))


def test_single_precision_stays_single(noisy):
    found = complete_diagonal(noisy.astype(np.float32), 6, runs=5).matrix
    assert found.dtype == np.float32
    assert np.abs(found - complete_diagonal(noisy, 6, runs=5).matrix).max() < 1e-6 * found.max()


def test_bad_input_is_named(noisy):
    with pytest.raises(InputError, match=r"rank 120 needs at least 242 words .* there are 239"):
        complete_diagonal(noisy, 120)
    with pytest.raises(InputError, match="runs=0"):
        complete_diagonal(noisy, 5, runs=0)
    with pytest.raises(InputError, match="there are 0"):
        complete_diagonal(np.eye(9) / 9, 2)
