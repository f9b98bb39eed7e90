"""Spaces and the best eigenvectors within them, against dense decompositions."""

import numpy as np
import pytest

from chatham.numerics.eigen import inner, leading, mixed, new_directions, orthonormal


def spectrum(d, values, seed=0):
    """A symmetric matrix with these eigenvalues, and its eigenvectors."""
    vectors = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]
    return (vectors * values) @ vectors.T, vectors


@pytest.mark.parametrize("d", [3, 1024, 2500])
def test_products_of_tall_arrays_are_those_of_numpy(d):
    rng = np.random.default_rng(1)
    left, right, turns = rng.random((d, 4)), rng.random((d, 3)), rng.random((4, 2))
    np.testing.assert_allclose(inner(left, right), left.T @ right, rtol=1e-12)
    np.testing.assert_allclose(mixed(left, turns), left @ turns, rtol=1e-12)


def test_orthonormal_spans_the_same_space():
    vectors = np.random.default_rng(2).standard_normal((300, 7)) * 10.0 ** np.arange(-3, 4)
    found = orthonormal(vectors)
    np.testing.assert_allclose(found.T @ found, np.eye(7), atol=1e-13)
    np.testing.assert_allclose(found @ (found.T @ vectors), vectors, rtol=1e-9, atol=1e-12)


def test_vectors_that_depend_are_left_to_householder():
    vector = np.random.default_rng(3).standard_normal((50, 1))
    found = orthonormal(np.hstack([vector, vector, 2 * vector]))
    np.testing.assert_allclose(found.T @ found, np.eye(3), atol=1e-12)


def test_new_directions_are_orthogonal_to_the_basis_and_complete_it():
    rng = np.random.default_rng(4)
    basis = np.linalg.qr(rng.standard_normal((200, 5)))[0]
    vectors = basis @ rng.standard_normal((5, 3)) + 1e-4 * rng.standard_normal((200, 3))
    more = new_directions(basis, vectors)
    whole = np.hstack([basis, more])
    np.testing.assert_allclose(whole.T @ whole, np.eye(8), atol=1e-10)
    np.testing.assert_allclose(whole @ (whole.T @ vectors), vectors, atol=1e-10)


def test_what_is_in_the_basis_already_adds_nothing():
    basis = np.eye(6)
    assert new_directions(basis, np.random.default_rng(5).random((6, 2))).shape == (6, 0)


def start(d, width):
    return orthonormal(np.random.default_rng(6).standard_normal((d, width)))


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_leading_are_those_of_eigh(depth):
    """Close eigenvalues, so that one search doesn't do: it begins again from the best so far."""
    values = np.linspace(-1.0, 2.0, 150)
    matrix, vectors = spectrum(150, values)
    found, largest = leading(
        lambda right: matrix @ right, start(150, 12), 4, tol=1e-9, depth=depth, most=2000
    )
    np.testing.assert_allclose(largest[:4], values[:-5:-1], atol=1e-12)
    np.testing.assert_allclose(np.abs(found[:, :4].T @ vectors[:, :-5:-1]), np.eye(4), atol=1e-6)


@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-8])
def test_leading_stops_when_its_vectors_are_as_accurate_as_asked(tol):
    matrix, _ = spectrum(300, 0.95 ** np.arange(300))
    calls = []

    def times(right):
        calls.append(right.shape[1])
        return matrix @ right

    found, values = leading(times, start(300, 10), 5, tol=tol, depth=3, most=200)
    errors = np.linalg.norm(matrix @ found - found * values, axis=0)[:5] / values[:5]
    assert errors.max() <= tol * 1.01
    fewer = len(calls) - 1
    found, values = leading(times, start(300, 10), 5, tol=0.0, depth=3, most=fewer)
    errors = np.linalg.norm(matrix @ found - found * values, axis=0)[:5] / values[:5]
    assert errors.max() > tol
    assert len(calls) == 2 * fewer + 1


@pytest.mark.parametrize("width", [3, 30])
def test_a_space_that_holds_all_there_is_is_searched_no_further(width):
    matrix, vectors = spectrum(30, np.r_[np.zeros(27), 1.0, 2.0, 3.0])
    basis = vectors[:, -3:] if width == 3 else start(30, 30)
    calls = []

    def times(right):
        calls.append(right.shape[1])
        return matrix @ right

    found, values = leading(times, basis, 3, tol=1e-9, depth=4, most=50)
    np.testing.assert_allclose(values[:3], [3.0, 2.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(
        np.abs(found[:, :3].T @ vectors[:, -3:][:, ::-1]), np.eye(3), atol=1e-9
    )
    assert len(calls) <= 2


def test_eigenvalues_of_rounding_need_no_more_accuracy_than_the_first():
    """A matrix of rank two, of which five are asked for: the search ends."""
    matrix, _ = spectrum(200, np.r_[np.zeros(198), 1.0, 2.0])
    calls = []

    def times(right):
        calls.append(right.shape[1])
        return matrix @ right

    _, values = leading(times, start(200, 8), 5, tol=1e-7, depth=3, most=60)
    np.testing.assert_allclose(values[:5], [2.0, 1.0, 0.0, 0.0, 0.0], atol=1e-12)
    assert len(calls) <= 4
