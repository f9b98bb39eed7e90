"""Distances between topics against SciPy's, and embeddings against NumPy's and scikit-learn's."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon, pdist, squareform
from sklearn.manifold import LocallyLinearEmbedding, trustworthiness

from chatham.errors import InputError
from chatham.looking.distances import euclidean, hellinger, jensen_shannon, overlap, word_distances
from chatham.looking.embeddings import METHODS, embedded, locally_linear, principal

TOPICS = np.random.default_rng(0).dirichlet(np.full(30, 0.3), 12)


def test_distances_are_those_of_the_books():
    assert_all(hellinger(TOPICS), lambda p, q: np.linalg.norm(np.sqrt(p) - np.sqrt(q)) / np.sqrt(2))
    assert_all(jensen_shannon(TOPICS), lambda p, q: jensenshannon(p, q, base=2))
    assert_all(euclidean(TOPICS), lambda p, q: np.linalg.norm(p - q))
    assert_all(1 - overlap(TOPICS), lambda p, q: np.abs(p - q).sum() / 2, diagonal=0)


def assert_all(found, of_two, diagonal=0):
    expected = np.array([[of_two(p, q) for q in TOPICS] for p in TOPICS])
    np.fill_diagonal(expected, diagonal)
    np.testing.assert_allclose(found, expected, atol=1e-7)
    assert (np.diag(found) == diagonal).all() or np.allclose(np.diag(found), diagonal)


def test_a_topic_without_words_is_as_far_as_can_be():
    topics = np.array([[0.5, 0.5], [0, 0], [1, 0]])
    np.testing.assert_allclose(hellinger(topics)[1], [1, 0, 1])
    assert np.isfinite(jensen_shannon(topics)).all()
    with pytest.raises(InputError, match="distance must be one of"):
        word_distances(topics, "crow")


def test_principal_coordinates_are_principal_components():
    points = np.random.default_rng(1).normal(size=(15, 6)) * [5, 3, 1, 1, 1, 0.5]
    found = principal(squareform(pdist(points)))
    left, singular, _ = np.linalg.svd(points - points.mean(axis=0))
    expected = left[:, :2] * singular[:2]
    expected *= np.sign((expected * found).sum(axis=0))
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_principal_coordinates_with_masses_are_weighted_principal_components():
    rng = np.random.default_rng(7)
    points, masses = rng.normal(size=(12, 5)) * [4, 3, 2, 1, 1], rng.dirichlet(np.ones(12))
    found = principal(squareform(pdist(points)), masses)
    off = points - masses @ points
    _, _, axes = np.linalg.svd(off * np.sqrt(masses)[:, None])
    expected = off @ axes[:2].T
    expected *= np.sign((expected * found).sum(axis=0))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    often = np.repeat(points, [3] + [1] * 11, axis=0)  # one with three times the mass, or thrice
    thrice = principal(squareform(pdist(often)))[2:]
    weighed = principal(squareform(pdist(points)), np.array([3.0] + [1] * 11))
    np.testing.assert_allclose(np.abs(thrice), np.abs(weighed), atol=1e-9)


def test_points_of_a_plane_come_back():
    points = np.random.default_rng(2).normal(size=(20, 2))
    distances = squareform(pdist(points))
    np.testing.assert_allclose(squareform(pdist(principal(distances))), distances, atol=1e-9)
    scaled = squareform(pdist(embedded(distances)))
    np.testing.assert_allclose(scaled / scaled.max(), distances / distances.max(), atol=1e-9)


def test_locally_linear_is_scikit_learn_s():
    points = np.random.default_rng(3).normal(size=(25, 3))
    found = locally_linear(squareform(pdist(points)), neighbours=8)
    theirs = LocallyLinearEmbedding(n_neighbors=8, n_components=2, eigen_solver="dense")
    expected = theirs.fit_transform(points)
    expected = expected * np.sign((expected * found).sum(axis=0))
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_groups_stay_together(method):
    rng = np.random.default_rng(4)
    centres = rng.normal(size=(3, 10)) * 10
    points = np.repeat(centres, 8, axis=0) + rng.normal(size=(24, 10))
    found = embedded(squareform(pdist(points)), method)
    assert trustworthiness(points, found, n_neighbors=5) > 0.85
    middles = found.reshape(3, 8, 2).mean(axis=1)
    nearest = np.linalg.norm(found[:, None] - middles[None], axis=2).argmin(axis=1)
    assert nearest.tolist() == [0] * 8 + [1] * 8 + [2] * 8


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 60])
def test_any_number_of_points_in_a_square_and_the_same_again(method, k):
    distances = hellinger(np.random.default_rng(5).dirichlet(np.ones(20), k))
    found = embedded(distances, method)
    assert found.shape == (k, 2)
    assert np.isfinite(found).all()
    assert np.abs(found).max() == pytest.approx(1 if k > 1 else 0, abs=1e-9)
    np.testing.assert_array_equal(found, embedded(distances.copy(), method))


@pytest.mark.parametrize("method", METHODS)
def test_equal_topics_lie_together(method):
    topics = np.repeat(np.eye(3), 4, axis=0)
    found = embedded(hellinger(topics), method)
    assert np.isfinite(found).all()
    assert np.isfinite(embedded(np.zeros((6, 6)), method)).all()


def test_signs_don_t_depend_on_who_computes_eigenvectors(monkeypatch):
    points = np.random.default_rng(6).normal(size=(9, 2))
    distances = squareform(pdist(points))
    before = embedded(distances)
    solve = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda a: (solve(a)[0], -solve(a)[1]))
    np.testing.assert_allclose(embedded(distances), before, atol=1e-12)


def test_another_method_is_refused():
    with pytest.raises(InputError, match="method must be one of 'pca', 'tsne', 'lle'"):
        embedded(np.zeros((3, 3)), "umap")
