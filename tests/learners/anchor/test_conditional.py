"""C̄ without making it: each method against the matrix that it stands for."""

import numpy as np
import pytest

from chatham.learners.anchor import conditional as module
from chatham.learners.anchor.conditional import Conditional
from chatham.numerics.threads import threads


@pytest.fixture(scope="module", params=[np.float64, np.float32])
def joint(request):
    """A joint distribution of 23 words, one of which never occurs."""
    half = np.random.default_rng(0).gamma(0.3, size=(23, 23))
    half[4] = half[:, 4] = 0
    return ((half + half.T) / (2 * half.sum())).astype(request.param)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)


def full(joint):
    joint = joint.astype(np.float64)
    totals = joint.sum(axis=1, keepdims=True)
    return np.divide(joint, totals, out=np.zeros_like(joint), where=totals > 0)


def precision(joint):
    return 1e-13 if joint.dtype == np.float64 else 1e-6


def test_totals_are_the_words_probabilities(joint):
    conditional = Conditional(joint)
    assert len(conditional) == 23
    assert np.abs(conditional.totals - joint.astype(float).sum(axis=1)).max() < 1e-15
    assert np.flatnonzero(~conditional.occurs).tolist() == [4]
    assert conditional.totals.dtype == np.float64


def test_products(joint):
    right = np.random.default_rng(1).standard_normal((23, 3))
    found = Conditional(joint).times(right)
    assert np.abs(found - full(joint) @ right).max() < precision(joint)
    assert not found[4].any()


def test_rows(joint):
    conditional, expected = Conditional(joint), full(joint)
    for places in ([3, 4, 20], slice(5, 9), np.arange(23) % 2 == 0):
        found = conditional.rows(places)
        assert found.dtype == np.float64
        assert np.abs(found - expected[places]).max() < precision(joint)


def test_groups_are_one_word_each(joint):
    conditional = Conditional(joint)
    groups = [np.array([2]), np.array([5, 6, 19]), np.array([4]), np.array([4, 7])]
    found = conditional.rows_of(groups)
    shares = conditional.totals[[5, 6, 19]] / conditional.totals[[5, 6, 19]].sum()
    mixture = shares @ full(joint)[[5, 6, 19]]
    expected = np.stack([full(joint)[2], mixture, np.zeros(23), full(joint)[7]])
    assert np.abs(found - expected).max() < precision(joint)
    assert np.abs(found.sum(axis=1) - [1, 1, 0, 1]).max() < 1e-14


def test_squared_norms(joint):
    expected = (full(joint) ** 2).sum(axis=1)
    assert np.abs(Conditional(joint).squared_norms() - expected).max() < precision(joint)


def test_blocks_are_the_whole(joint):
    found = list(Conditional(joint).blocks())
    assert [len(block) for _, block in found] == [7, 7, 7, 2]
    assert np.abs(np.vstack([b for _, b in found]) - full(joint)).max() < precision(joint)
    for rows, block in found:
        assert np.array_equal(block, Conditional(joint).rows(rows))


def test_the_joint_is_not_copied_or_changed(joint):
    before = joint.copy()
    conditional = Conditional(joint)
    conditional.times(np.ones((23, 1)))
    conditional.rows(slice(None))
    assert conditional.joint is joint
    assert np.array_equal(joint, before)


def test_threads_change_no_bit(joint):
    right = np.random.default_rng(1).standard_normal((23, 5))

    def found(jobs):
        with threads(jobs):
            conditional = Conditional(joint)
            return conditional.times(right), conditional.squared_norms()

    for one, three in zip(found(1), found(3), strict=True):
        assert np.array_equal(one, three)
