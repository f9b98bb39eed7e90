"""Spaces and the best eigenvectors within them, against dense decompositions."""

import numpy as np
import pytest

from chatham.numerics.eigen import inner, mixed, new_directions, orthonormal, ritz


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


def test_ritz_is_exact_in_an_invariant_space_and_largest_first():
    matrix, vectors = spectrum(30, np.linspace(-1.0, 2.0, 30))
    space = np.linalg.qr(vectors[:, -4:] @ np.random.default_rng(6).random((4, 4)))[0]
    found, values = ritz(space, matrix @ space, 2)
    np.testing.assert_allclose(values, [2.0, 2.0 - 3 / 29], atol=1e-12)
    np.testing.assert_allclose(np.abs(found.T @ vectors[:, [-1, -2]]), np.eye(2), atol=1e-9)
