"""Signs and bases that rounding doesn't choose."""

import numpy as np
import pytest

from chatham.numerics.settled import settled, upright


def rotated(vectors, seed):
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((vectors.shape[1],) * 2))[0]
    return vectors @ turn


def test_upright_rows_have_their_largest_entry_positive():
    rows = np.array([[0.1, -0.9, 0.2], [0.0, 0.0, 0.0], [-0.5, 0.5, 0.1], [0.5, -0.5 - 1e-9, 0.0]])
    given = rows.copy()
    assert upright(rows).tolist() == (rows * [[-1], [1], [-1], [1]]).tolist()
    assert np.array_equal(rows, given)
    np.testing.assert_array_equal(upright(-rows), upright(rows))


@pytest.mark.parametrize("seed", range(5))
def test_a_basis_of_equal_values_follows_from_its_space(seed):
    whole = np.linalg.qr(np.random.default_rng(9).standard_normal((12, 6)))[0]
    values = np.array([3.0, 2.0, 2.0, 2.0, 1.0, 1.0])
    turned = whole.copy()
    turned[:, 1:4] = rotated(whole[:, 1:4], seed)
    turned[:, 4:] = rotated(whole[:, 4:], seed + 50)
    found = settled(values, turned)
    np.testing.assert_allclose(found, settled(values, whole), atol=1e-12)
    np.testing.assert_allclose(found.T @ found, np.eye(6), atol=1e-12)
    np.testing.assert_allclose(found[:, 0], whole[:, 0])
    space = whole[:, 1:4] @ whole[:, 1:4].T
    np.testing.assert_allclose(space @ found[:, 1:4], found[:, 1:4], atol=1e-12)


def test_vectors_of_different_values_stay_as_they_are():
    whole = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 3)))[0]
    assert np.array_equal(settled(np.array([1.0, 1.0 - 1e-6, 0.1]), whole), whole)
    assert settled(np.empty(0), np.empty((8, 0))).shape == (8, 0)


def test_a_space_of_all_words_has_the_words_as_its_basis():
    found = settled(np.ones(5), rotated(np.eye(5), 3))
    np.testing.assert_allclose(found, np.eye(5), atol=1e-12)
