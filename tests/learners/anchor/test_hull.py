"""Corners of hulls are no mixtures of other points; embeddings are what they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.manifold import trustworthiness
from threadpoolctl import threadpool_limits

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.hull import (
    embed,
    hull_anchors,
    hull_vertices,
    leading_vectors,
    principal_components,
)
from chatham.numerics.threads import threads
from tests.learners.anchor.test_select import all_of, noisy, separable, words


@pytest.fixture(autouse=True)
def _as_in_a_fit():
    with threads(1):
        yield


def is_mixture(point, others):
    """Whether a point is a convex combination of the others, by a linear programme."""
    rows = np.vstack([others.T, np.ones(len(others))])
    goal = np.append(point, 1.0)
    return linprog(np.zeros(len(others)), A_eq=rows, b_eq=goal, bounds=(0, None)).status == 0


def monotone_chain(points):
    """Andrew's hull of points in the plane: both chains of left turns, in order of x."""

    def chain(places):
        corners = []
        for place in places:
            while len(corners) > 1 and turn(*points[[*corners[-2:], place]]) <= 0:
                corners.pop()
            corners.append(place)
        return corners[:-1]

    def turn(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    order = sorted(range(len(points)), key=lambda place: tuple(points[place]))
    return sorted(chain(order) + chain(order[::-1]))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(8, 30), st.sampled_from([2, 3, 4]))
def test_corners_are_the_points_that_are_no_mixtures(seed, n, dimensions):
    points = np.random.default_rng(seed).standard_normal((n, dimensions))
    corners = set(hull_vertices(points).tolist())
    for place in range(n):
        assert is_mixture(points[place], np.delete(points, place, axis=0)) != (place in corners)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=6, max_size=40))
def test_in_the_plane_it_is_the_monotone_chain(pairs):
    """Whole numbers: with repeated points, points on edges and points on lines."""
    points = np.array(pairs, dtype=float)
    distinct = np.unique(points, axis=0)
    if np.linalg.matrix_rank(distinct - distinct[0]) < 2:
        with pytest.raises(InputError, match="fill fewer than their 2 dimensions"):
            hull_vertices(points)
        return
    corners = hull_vertices(points)
    expected = {tuple(distinct[place]) for place in monotone_chain(distinct)}
    assert {tuple(point) for point in points[corners]} == expected
    assert corners.tolist() == [pairs.index(pairs[corner]) for corner in corners]


@pytest.mark.parametrize("k", [3, 4, 5])
@pytest.mark.parametrize("seed", range(3))
def test_a_planted_simplex_is_found(k, seed):
    conditional = Conditional(separable(k=k, seed=seed))
    anchors, distances = hull_anchors(
        conditional, k, all_of(conditional), method="pca", dimensions=k - 1
    )
    assert sorted(words(anchors)) == [[place] for place in range(k)]
    assert (np.diff(distances) <= 0).all()
    rows = conditional.rows(slice(None))
    far = np.linalg.norm(rows - rows.mean(axis=0), axis=1)  # nothing is lost: the rank is k − 1
    np.testing.assert_allclose(distances, [far[group[0]] for group in anchors], rtol=1e-8)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_principal_components_are_those_of_the_candidates(dimensions):
    conditional = Conditional(noisy(d=120, seed=1))
    places = np.flatnonzero(np.random.default_rng(1).random(120) < 0.6)
    points = principal_components(conditional, places, dimensions)
    rows = conditional.rows(places)
    left, sizes, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    expected = (left * sizes)[:, :dimensions]
    expected *= np.sign(expected[np.abs(expected).argmax(axis=0), range(dimensions)])
    np.testing.assert_allclose(points, expected, atol=1e-8 * np.abs(expected).max())


def test_words_that_never_occur_do_no_harm():
    joint = np.zeros((50, 50))
    joint[10:, 10:] = noisy(d=40, seed=1)
    padded = principal_components(Conditional(joint), np.arange(10, 50), 3)
    alone = principal_components(Conditional(joint[10:, 10:]), np.arange(40), 3)
    np.testing.assert_allclose(padded, alone, atol=1e-9)


def test_rounding_is_no_component():
    alike = np.random.default_rng(0).dirichlet(np.ones(30))
    points = principal_components(Conditional(np.outer(alike, alike)), np.arange(30), 2)
    assert (points == 0).all()


@pytest.mark.parametrize(("d", "count"), [(5, 5), (40, 3), (200, 50)])
def test_leading_vectors_are_those_of_eigh(d, count):
    factor = np.random.default_rng(0).standard_normal((d, d)) * 0.9 ** np.arange(d)
    matrix = factor @ factor.T
    vectors = leading_vectors(lambda right: matrix @ right, d, count, 1e-10)
    values, expected = np.linalg.eigh(matrix)
    overlap = np.abs((vectors * expected[:, ::-1][:, :count]).sum(axis=0))
    np.testing.assert_allclose(overlap, 1, atol=1e-7)
    np.testing.assert_allclose(np.diag(vectors.T @ matrix @ vectors), values[::-1][:count])


@pytest.mark.parametrize(("d", "dimensions"), [(90, 2), (90, 3), (90, 4), (310, 2)])
def test_neighbours_stay_neighbours_in_tsne(d, dimensions):
    conditional = Conditional(separable(d=d, k=6))
    points = embed(conditional, np.arange(d), dimensions, "tsne", 0)
    assert points.shape == (d, dimensions)
    assert trustworthiness(conditional.rows(slice(None)), points, n_neighbors=5) > 0.95
    assert np.abs(points).max() < 30  # thrown about, they are in the hundreds


def test_scikit_learns_own_threads_change_nothing():
    conditional = Conditional(noisy(d=310, rank=5))
    results = []
    for count in (1, 3):
        with threadpool_limits(count, user_api="openmp"):
            results.append(embed(conditional, np.arange(310), 2, "tsne", 0))
    assert (results[0] == results[1]).all()


def test_tsne_depends_on_the_seed_and_on_nothing_else():
    conditional = Conditional(noisy(d=40, seed=4))
    results = []
    for jobs in (1, 3):
        with threads(jobs):
            results.append(embed(conditional, np.arange(40), 2, "tsne", 5))
    assert (results[0] == results[1]).all()
    shaken = conditional.joint * (1 + 1e-15 * np.random.default_rng(0).standard_normal((40, 40)))
    again = embed(Conditional(shaken), np.arange(40), 2, "tsne", 5)
    assert (again == results[0]).all()
    other = embed(conditional, np.arange(40), 2, "tsne", 6)
    assert not np.allclose(other, results[0])


def test_tsne_anchors_are_corners_farthest_first():
    conditional = Conditional(noisy(d=40, seed=4))
    candidates = np.arange(40) % 7 > 0
    places = np.flatnonzero(candidates)
    anchors, distances = hull_anchors(conditional, 6, candidates, seed=3)
    points = embed(conditional, places, 3, "tsne", 3)
    far = np.linalg.norm(points - points.mean(axis=0), axis=1)
    corners = hull_vertices(points)
    expected = places[corners[np.argsort(-far[corners])]][:6]
    assert words(anchors) == [[word] for word in expected]
    np.testing.assert_allclose(distances, np.sort(far[corners])[::-1][:6])


@pytest.mark.parametrize("n", [3, 4, 8])
def test_few_words_and_equal_rows_are_finite(n):
    few = Conditional(noisy(d=n))
    assert np.isfinite(embed(few, np.arange(n), 2, "tsne", 0)).all()
    equal = Conditional(np.full((n, n), 1 / n**2))
    assert np.isfinite(embed(equal, np.arange(n), 2, "tsne", 0)).all()
    assert np.isfinite(embed(equal, np.arange(n), 2, "pca", 0)).all()
    with pytest.raises(InputError, match=f"The {n} points fill fewer than their 2 dimensions"):
        hull_anchors(equal, 3, np.ones(n, dtype=bool), method="pca", dimensions=2)


def test_what_cannot_be_is_refused():
    conditional = Conditional(separable(k=3))
    free = all_of(conditional)
    with pytest.raises(InputError, match=r"2 dimensions has 3 corners, and 4 topics .* more dim"):
        hull_anchors(conditional, 4, free, method="pca", dimensions=2)
    with pytest.raises(InputError, match="80 points fill fewer than their 3 dimensions"):
        hull_anchors(conditional, 4, free, method="pca", dimensions=3)
    with pytest.raises(InputError, match="9 topics need 9 anchors, and only 8 words"):
        hull_anchors(conditional, 9, np.arange(80) < 8)
    full = Conditional(separable(k=5))
    with pytest.raises(InputError, match="has 5 corners, and 6 topics need 6 of them; choose at m"):
        hull_anchors(full, 6, all_of(full), method="pca", dimensions=4)
    with pytest.raises(InputError, match=r"one of .*; it is 'umap'"):
        embed(conditional, np.arange(80), 2, "umap", 0)
    with pytest.raises(InputError, match="2, 3 or 4 dimensions; it has 5"):
        embed(conditional, np.arange(80), 5, "pca", 0)
    with pytest.raises(InputError, match="3 dimensions needs at least 4 words, and there are 3"):
        embed(conditional, np.arange(3), 3, "tsne", 0)
    with pytest.raises(InputError, match="needs at least 3 points, and there are 2"):
        hull_vertices(np.eye(2))
    line = np.outer(np.arange(9.0), [0.1, 0.7])
    with pytest.raises(InputError, match="9 points fill fewer than their 2 dimensions"):
        hull_vertices(line)
