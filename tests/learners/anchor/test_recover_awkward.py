"""Topics from anchors where words, anchors or matrices are awkward."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.recover import LIMITS, recover
from chatham.numerics.threads import threads
from tests.learners.anchor.separable import MIXING, noisy, separable, singles


@pytest.mark.parametrize("method", MIXING)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 6))
def test_rows_are_distributions_and_anchors_their_own(method, seed, k):
    joint = noisy(separable(d=15, k=k, seed=seed)[2], seed)
    found = recover(Conditional(joint), singles(k), method, max_iter=60)
    assert found.topics.shape == (k, 15)
    for rows in (found.topics, found.coefficients):
        assert rows.min() >= 0
        np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_array_equal(found.coefficients[:k], np.eye(k))
    assert np.count_nonzero(found.topics[:, :k]) == k


@pytest.mark.parametrize("method", LIMITS)
def test_a_rearrangement_rearranges_the_topics(method):
    joint = noisy(separable(least=0.05)[2], size=0.05)
    found = recover(Conditional(joint), singles(4), method)
    words, order = np.random.default_rng(1).permutation(40), [2, 0, 3, 1]
    places = np.argsort(words)
    moved = recover(
        Conditional(joint[np.ix_(words, words)]), [places[[word]] for word in order], method
    )
    np.testing.assert_allclose(moved.topics, found.topics[np.ix_(order, words)], atol=1e-6)


@pytest.mark.parametrize("method", LIMITS)
def test_words_that_never_occur_are_in_no_topic(method):
    topics, _, joint = separable(least=0.05)
    wider = np.zeros((42, 42))
    kept = np.delete(np.arange(42), [7, 41])
    wider[np.ix_(kept, kept)] = joint
    found = recover(Conditional(wider), singles(4), method)
    assert (found.topics[:, [7, 41]] == 0).all()
    if found.coefficients is not None:
        assert (found.coefficients[[7, 41]] == 0).all()
    np.testing.assert_allclose(found.topics[:, kept], topics, atol=1e-3)


@pytest.mark.parametrize("method", LIMITS)
def test_several_words_are_one_anchor(method):
    """Two pure words of a topic, given together, stand for it as each would."""
    topics, _, _ = separable(least=0.05)
    topics[0, 9] = topics[0, 0]
    topics[1:, 9] = 0
    topics /= topics.sum(axis=1, keepdims=True)
    joint = topics.T @ separable()[1] @ topics
    anchors = [np.array([0, 9]), *singles(4)[1:]]
    found = recover(Conditional(joint), anchors, method)
    np.testing.assert_allclose(found.topics, topics, atol=2e-3)
    if method == "admm":
        np.testing.assert_allclose(found.coefficients[[0, 9]], [[1, 0, 0, 0]] * 2, atol=1e-7)


@pytest.mark.parametrize("method", MIXING)
def test_a_topic_that_no_word_has_is_made_of_its_anchors(method):
    """Words 2 and 3 have topics of their own, and nothing left for the one that they share."""
    joint = np.zeros((4, 4))
    joint[:2, :2] = np.diag([0.3, 0.3])
    joint[2:, 2:] = np.diag([0.1, 0.3])
    anchors = [np.array([0]), np.array([1]), np.array([2, 3]), np.array([2]), np.array([3])]
    found = recover(Conditional(joint), anchors, method)
    np.testing.assert_allclose(found.topics[2], [0, 0, 0.25, 0.75], atol=1e-15)
    np.testing.assert_allclose(found.topics.sum(axis=1), 1)


@pytest.mark.parametrize("method", MIXING)
def test_smoothing_is_added_to_the_anchors_rows(method):
    joint = noisy(separable(least=0.05)[2], size=0.1)
    smoothed = Conditional(joint)
    plain_rows = smoothed.rows_of

    def rows_of(groups):
        rows = plain_rows(groups) + 0.01
        return rows / rows.sum(axis=1, keepdims=True)

    found = recover(smoothed, singles(4), method, smoothing=0.01)
    smoothed.rows_of = rows_of
    expected = recover(smoothed, singles(4), method).topics
    np.testing.assert_allclose(found.topics, expected, atol=1e-9)
    plain = recover(Conditional(joint), singles(4), method).topics
    assert np.abs(found.topics - plain).max() > 1e-4


def test_a_singular_inversion_is_finite():
    topics, correlations, joint = separable()
    topics = topics[[0, 1, 2, 2]]  # the fourth anchor is now in no topic; the third topic is twice
    joint = topics.T @ correlations @ topics
    anchors = [np.array([0]), np.array([1]), np.array([2]), np.array([20])]
    joint[20], joint[:, 20] = joint[2], joint[:, 2]
    joint[20, 20] = joint[2, 2]
    found = recover(Conditional(joint / joint.sum()), anchors, "inverse")
    assert np.isfinite(found.correlations).all()
    assert found.topics.min() >= 0
    np.testing.assert_allclose(found.topics.sum(axis=1), 1)


@pytest.mark.parametrize("method", LIMITS)
def test_single_precision_is_near_double(method):
    joint = noisy(separable(least=0.05)[2], size=0.05)
    found = recover(Conditional(joint.astype(np.float32)), singles(4), method)
    assert found.topics.dtype == np.float64
    np.testing.assert_allclose(
        found.topics, recover(Conditional(joint), singles(4), method).topics, atol=1e-4
    )


@pytest.mark.parametrize("method", LIMITS)
def test_threads_change_no_bit(method):
    joint = noisy(separable(d=300, k=6)[2])
    with threads(1):
        alone = recover(Conditional(joint), singles(6), method, max_iter=50)
    with threads(3):
        together = recover(Conditional(joint), singles(6), method, max_iter=50)
    assert alone.topics.tobytes() == together.topics.tobytes()
    assert (alone.n_iter, alone.gap) == (together.n_iter, together.gap)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "qr"}, "'qr'"),
        ({"smoothing": -1.0}, r"smoothing=-1\.0"),
        ({"smoothing": 1e-5, "method": "inverse"}, "zero with 'inverse'"),
        ({"anchors": []}, "There are no anchors"),
        ({"anchors": [np.array([], dtype=np.int64)]}, "Anchor 0 .* at least one; it is"),
        ({"anchors": [np.array([0, 5])]}, r"Anchor 0 .* from 0 to 4, at least one; it is \[0, 5\]"),
        ({"anchors": [np.array([-1])]}, r"Anchor 0 .* it is \[-1\]"),
        ({"anchors": [np.array([1]), np.array([1])]}, "anchor of two topics"),
        ({"anchors": [np.array([1]), np.array([4])]}, "Anchor 1 .* never occurs"),
    ],
)
def test_wrong_input_is_named(arguments, message):
    joint = np.zeros((5, 5))
    joint[:4, :4] = separable(d=4, k=2)[2]
    given = {"anchors": singles(2), **arguments}
    with pytest.raises(InputError, match=message):
        recover(Conditional(joint), **given)
