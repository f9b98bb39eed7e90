"""Alternating projection: Algorithm 1 to the letter, and what its result must be."""

import numpy as np
import pytest
import scipy.sparse as sp

from chatham.commons import Alone
from chatham.learners.anchor import clipped as module
from chatham.learners.anchor.clipped import Clipped, LowRank, clipped
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.rectify import alternate
from chatham.learners.anchor.select import candidate_words, pivoted_qr
from chatham.learners.cooccurrence import cooccurrence
from chatham.numerics.threads import threads
from tests.conftest import plant


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    with threads(1):
        yield


def algorithm_1(joint, k, iterations):
    """Truncated eigendecomposition, normalisation, non-negativity; exact and dense."""
    for _ in range(iterations):
        values, vectors = np.linalg.eigh(joint)
        joint = (vectors[:, -k:] * np.maximum(values[-k:], 0)) @ vectors[:, -k:].T
        joint = np.maximum(joint + (1 - joint.sum()) / joint.size, 0)
    return joint / joint.sum()


def distance(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


@pytest.fixture(scope="module")
def noisy():
    """300 words of five topics: more iterations go on changing it."""
    return cooccurrence(Alone(plant(n=600, d=300, k=5, length=60)[0])).matrix


def low_rank(d, k, seed=0):
    """BABᵀ of sum one: what C would be without noise."""
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(d, 0.5), k).T
    weights = rng.dirichlet(np.full(k, 0.3), 500)
    joint = words @ (weights.T @ weights / 500) @ words.T
    return (joint + joint.T) / 2


@pytest.mark.parametrize("iterations", [1, 2, 15])
def test_is_algorithm_1(noisy, iterations):
    found = alternate(noisy, 5, max_iter=iterations, tol=0)
    assert found.n_iter == iterations
    assert len(found.changes) == iterations - 1
    assert distance(found.matrix, algorithm_1(noisy, 5, iterations)) < 1e-8


@pytest.mark.parametrize("k", [3, 20])
def test_is_algorithm_1_where_eigenvalues_lie_close(noisy, k):
    """Among the eigenvalues of noise, or of topics cut off, there is no gap that helps."""
    found = alternate(noisy, k, max_iter=15, tol=0).matrix
    assert distance(found, algorithm_1(noisy, k, 15)) < 1e-6


@pytest.mark.parametrize("name", ["nips12_bow", "kos", "ap", "poliblog5k"])
@pytest.mark.parametrize(("dtype", "bound"), [(np.float64, 1e-7), (np.float32, 1e-5)])
def test_real_text_has_the_anchors_of_an_exact_eigensolver(shared_data, name, dtype, bound):
    """Where eigenvectors are less accurate, other words become anchors."""
    counts = sp.csc_array(sp.load_npz(shared_data / f"{name}.npz"))
    frequent = np.argsort(-counts.sum(axis=0), kind="stable")[:400]
    counted = cooccurrence(Alone(sp.csr_array(counts[:, frequent], dtype=np.float64)))
    found = alternate(counted.matrix.astype(dtype), 20, max_iter=15, tol=0).matrix
    exact = algorithm_1(counted.matrix, 20, 15)
    assert distance(found, exact) < bound
    candidates = candidate_words(counted.document_frequencies, counted.kept, 0.01)
    anchors, expected = (
        [int(word) for (word,) in pivoted_qr(Conditional(matrix), 20, candidates)[0]]
        for matrix in (found, exact)
    )
    assert anchors == expected


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_words_that_never_occur_take_no_part(noisy, dtype):
    places = np.delete(np.arange(310), [0, 7, 8, 100, 150, 200, 250, 256, 257, 309])
    joint = np.zeros((310, 310), dtype=dtype)
    joint[np.ix_(places, places)] = noisy
    found = alternate(joint, 5, max_iter=5, tol=0)
    expected = np.zeros_like(joint)
    expected[np.ix_(places, places)] = algorithm_1(noisy, 5, 5)
    assert distance(found.matrix, expected) < (1e-7 if dtype is np.float64 else 1e-5)
    assert np.array_equal(found.matrix[~found.low_rank.occurs], np.zeros((10, 310)))


@pytest.mark.parametrize("iterations", [6, 15, 40])
def test_one_topic(iterations):
    """After a few iterations the matrix has rank two, and new directions are rounding alone."""
    joint = cooccurrence(Alone(plant(n=600, d=300, k=5)[0])).matrix
    found = alternate(joint, 1, max_iter=iterations, tol=0)
    assert distance(found.matrix, algorithm_1(joint, 1, iterations)) < 1e-7
    assert found.low_rank.values.shape == (1,)


@pytest.mark.parametrize(
    ("d", "k"), [(2, 1), (5, 5), (6, 4), (20, 10), (40, 5), (60, 20), (100, 9)]
)
def test_few_words(d, k):
    """No room for the eigenvectors carried along beyond K, or for what is added to them."""
    joint = cooccurrence(Alone(plant(n=300, d=d, k=min(d, 5))[0])).matrix
    for iterations in (1, 4):
        found = alternate(joint, k, max_iter=iterations, tol=0).matrix
        assert distance(found, algorithm_1(joint, k, iterations)) < 1e-9


@pytest.mark.parametrize(("k", "iterations"), [(1, 9), (5, 1), (5, 15), (20, 3)])
def test_is_symmetric_not_negative_and_sums_to_one(noisy, k, iterations):
    found = alternate(noisy, k, max_iter=iterations, tol=0).matrix
    assert np.array_equal(found, found.T)
    assert (found >= 0).all()
    assert abs(found.sum() - 1) < 1e-12


@pytest.mark.parametrize(("k", "iterations"), [(3, 1), (5, 15), (20, 4)])
def test_the_projection_inside_has_rank_k_and_no_negative_eigenvalue(noisy, k, iterations):
    inner = alternate(noisy, k, max_iter=iterations, tol=0).low_rank
    assert inner.vectors.shape == (300, k)
    assert (inner.values >= 0).all()
    assert (np.diff(inner.values) <= 0).all()
    assert np.abs(inner.vectors.T @ inner.vectors - np.eye(k)).max() < 1e-10
    assert abs(dense(inner).sum() - 1) < 1e-10


def test_negative_eigenvalues_count_as_zero():
    """Three eigenvalues are asked for and one is positive."""
    joint = np.array([[2.0, 3.0, 3.0], [3.0, 2.0, 3.0], [3.0, 3.0, 2.0]]) / 24
    found = alternate(joint, 3, max_iter=1)
    assert np.abs(found.low_rank.values - [1 / 3, 0, 0]).max() < 1e-15
    assert np.abs(found.matrix - 1 / 9).max() < 1e-15


def test_the_negative_part_shrinks_but_stays(noisy):
    """The last step leaves negative eigenvalues, the smaller the more iterations there were."""
    parts = []
    for iterations in (1, 5, 15, 50):
        values = np.linalg.eigvalsh(alternate(noisy, 3, max_iter=iterations, tol=0).matrix)
        parts.append(np.linalg.norm(values[values < 0]))
    before = np.linalg.eigvalsh(noisy)
    assert np.linalg.norm(before[before < 0]) > parts[0]
    assert (np.diff(parts) < 0).all()
    assert parts[-1] > 1e-9


@pytest.mark.parametrize(("d", "k"), [(50, 3), (300, 6), (700, 20)])
def test_a_matrix_without_noise_stays_as_it_is(d, k):
    joint = low_rank(d, k)
    for iterations in (1, 15, 40):
        found = alternate(joint, k, max_iter=iterations, tol=0).matrix
        assert np.abs(found - joint).max() < 1e-9 * joint.max()


def test_more_topics_than_the_rank_do_no_harm():
    joint = low_rank(300, 4)
    found = alternate(joint, 12, max_iter=15, tol=0).matrix
    assert np.abs(found - joint).max() < 1e-9 * joint.max()


def test_stops_when_the_projection_hardly_changes(noisy):
    whole = alternate(noisy, 3, max_iter=60, tol=0)
    tol = whole.changes[9] * 1.0001
    stopped = alternate(noisy, 3, max_iter=60, tol=tol)
    first = next(place for place, change in enumerate(whole.changes) if change <= tol)
    assert stopped.n_iter == first + 2 <= 11
    assert stopped.changes == whole.changes[: first + 1]


def test_changes_are_those_of_the_projection(noisy):
    before, after = (alternate(noisy, 3, max_iter=n, tol=0) for n in (4, 5))
    change = np.linalg.norm(unshifted(after.low_rank) - unshifted(before.low_rank))
    expected = change / np.linalg.norm(unshifted(after.low_rank))
    assert after.changes[-1] == pytest.approx(expected, rel=1e-6)
    assert after.changes[:-1] == before.changes


def test_every_iteration_is_reported(noisy):
    told = []
    found = alternate(noisy, 5, max_iter=4, tol=0, report=lambda *news: told.append(news))
    assert told == list(zip([2, 3, 4], found.changes, strict=True))


def test_the_input_is_untouched(noisy):
    before = noisy.copy()
    alternate(noisy, 5, max_iter=3)
    assert np.array_equal(noisy, before)


def test_single_precision_is_close(noisy):
    found = alternate(noisy.astype(np.float32), 5, max_iter=10, tol=0).matrix
    assert found.dtype == np.float32
    assert np.array_equal(found, found.T)
    assert distance(found, alternate(noisy, 5, max_iter=10, tol=0).matrix) < 1e-5
    assert abs(found.sum(dtype=np.float64) - 1) < 1e-5


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_threads_change_no_bit(noisy, dtype, monkeypatch):
    monkeypatch.setattr(module, "TILE", 64)
    joint = noisy.astype(dtype)

    def found(jobs):
        with threads(jobs):
            return alternate(joint, 5, max_iter=5, tol=0)

    one, three = found(1), found(3)
    assert np.array_equal(one.matrix, three.matrix)
    assert one.changes == three.changes


def some_low_rank(d, k=4):
    """Of which a good part is negative."""
    rng = np.random.default_rng(0)
    vectors = np.linalg.qr(rng.standard_normal((d, k)))[0]
    return LowRank(vectors, np.arange(k, 0, -1.0), 0.01, np.ones(d, dtype=bool))


def unshifted(of):
    return (of.vectors * of.values) @ of.vectors.T


def dense(of):
    return unshifted(of) + of.shift


@pytest.mark.parametrize("tile", [1, 7, 16, 53, 64])
def test_squares_of_any_size_give_the_same_matrix(tile, monkeypatch):
    monkeypatch.setattr(module, "TILE", tile)
    of = some_low_rank(53)
    expected = np.maximum(dense(of), 0)
    assert 0.1 < (expected == 0).mean() < 0.9
    assert np.abs(clipped(of) - expected / expected.sum()).max() < 1e-15
    raised = Clipped(of).raised
    found = sp.csr_array((raised.data, raised.indices, raised.indptr), shape=(53, 53))
    assert found.has_sorted_indices
    assert np.abs(found.toarray() - np.maximum(-dense(of), 0)).max() < 1e-15
    right = np.random.default_rng(1).standard_normal((53, 5))
    assert np.abs(Clipped(of).times(right) - expected @ right).max() < 1e-13


def test_clipped_keeps_to_the_precision_asked_for():
    for dtype in (np.float32, np.dtype(np.float32), np.float64, np.dtype(np.float64)):
        found = clipped(some_low_rank(20), dtype)
        assert found.dtype == dtype
        assert np.array_equal(found, found.T)


def test_distances_without_making_either():
    of, other = some_low_rank(30), alternate(low_rank(30, 3), 3, max_iter=1).low_rank
    expected = np.linalg.norm(unshifted(of) - unshifted(other)) ** 2
    assert of.squared_distance(other) == pytest.approx(expected, rel=1e-12)
    assert of.squared_distance(of) < 1e-13
