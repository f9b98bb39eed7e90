"""WR-NMF: what is published of several models becomes one (Algorithm 6)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import chatham as ch
from chatham.ensembles.bounds import bounds, least_error, local_fit
from chatham.ensembles.wr_nmf import Base, merge_topics
from chatham.errors import InputError
from tests.conftest import matched_distance, plant, split
from tests.learners.nmf.test_weighted import naive

pytestmark = pytest.mark.filterwarnings("ignore:.*were restarted", "ignore:NMF took all")


def base(topics, weights=None, observed=None, cells=None):
    topics = np.asarray(topics, dtype=float)
    weights = np.ones(len(topics)) if weights is None else np.asarray(weights, dtype=float)
    observed = np.ones(topics.shape[1], dtype=bool) if observed is None else np.asarray(observed)
    return Base(topics, observed, weights, cells)


@pytest.mark.parametrize("constraint", ["simplex", "none"])
@pytest.mark.parametrize("seen", ["all", "some"])
def test_one_party_at_its_own_k_started_at_its_topics_stays(constraint, seen):
    rng = np.random.default_rng(0)
    observed = np.ones(40, dtype=bool) if seen == "all" else rng.random(40) < 0.7
    topics = rng.dirichlet(np.full(40, 0.2), 6) * observed
    topics /= topics.sum(axis=1, keepdims=True)
    if constraint == "none":
        topics *= rng.random((6, 1)) * 5
    own = base(topics, rng.random(6) * 100 + 1, observed)
    merged = merge_topics([own], 6, constraint=constraint, init=topics, max_iter=50, tol=0)
    np.testing.assert_allclose(merged.topics[:, observed], topics[:, observed], rtol=0, atol=1e-10)
    np.testing.assert_allclose(merged.weights[0], np.eye(6), rtol=0, atol=1e-10)
    np.testing.assert_allclose(merged.objective, 0, atol=1e-12)


@pytest.mark.parametrize("constraint", ["simplex", "none"])
def test_so_does_what_two_parties_share_also_with_the_penalty_on_topics(constraint):
    rng = np.random.default_rng(1)
    topics = rng.dirichlet(np.full(30, 0.2), 5)
    parties = [base(topics[[0, 1, 2]], [3, 1, 2]), base(topics[[4, 3, 1]], [1, 1, 5])]
    merged = merge_topics(
        parties, 5, constraint=constraint, init=topics, l2_topics=2.0, max_iter=30, tol=0
    )
    np.testing.assert_allclose(merged.topics, topics, rtol=0, atol=1e-10)
    np.testing.assert_allclose(merged.weights[1], np.eye(5)[[4, 3, 1]], rtol=0, atol=1e-10)


NUMBERS = st.sampled_from([0.1, 0.4, 1.0, 2.5])


@settings(max_examples=60)
@given(
    arrays(float, (3, 6), elements=NUMBERS),
    arrays(float, (4, 6), elements=NUMBERS),
    arrays(float, 7, elements=NUMBERS),
    arrays(float, (4, 6), elements=NUMBERS),
    arrays(bool, 6),
    st.sampled_from([0.0, 1.5]),
)
def test_it_is_the_dense_weighted_iteration_on_the_stacked_topics(ours, theirs, v, cells, has, l2):
    has[0] = True
    theirs = theirs * has
    parties = [base(ours, v[:3]), base(theirs, v[3:], has, cells)]
    init = np.vstack([ours[0], theirs[0] + 0.2])
    merged = merge_topics(
        parties, 2, constraint="none", init=init, l1_topics=0.01, l1_weights=0.02,
        l2_weights=0.03, l2_topics=l2, max_iter=4, tol=0,
    )  # fmt: skip
    rows, psi = np.vstack([ours, theirs]), np.vstack([np.ones((3, 6)), cells * has])
    start = np.zeros((7, 2))
    for row in range(7):
        sizes = (psi[row] * init) @ rows[row] / ((psi[row] * init**2).sum(axis=1))
        left = [(psi[row] * (rows[row] - sizes[t] * init[t]) ** 2).sum() for t in (0, 1)]
        if abs(left[0] - left[1]) < 1e-9:
            return  # as near to one as to the other
        best = int(np.argmin(left))
        start[row, best] = sizes[best]
    topics, objectives = naive(rows, v + l2, psi, init, 4, 0.02, 0.03, 0.01, weights=start)
    if not topics.any(axis=1).all():
        return  # penalties left a topic without weight, and such a one is restarted
    np.testing.assert_allclose(merged.objective, objectives, rtol=1e-8)
    np.testing.assert_allclose(merged.topics, topics, rtol=1e-7, atol=1e-9)


def fits(parts, k, constraint):
    """Every party's rows, weights and topics."""
    found = []
    for part in parts:
        rows = part.toarray() / np.maximum(part.sum(axis=1), 1)[:, None]
        rows = rows[rows.sum(axis=1) > 0]
        model = ch.NMF(k, constraint=constraint, random_state=0).fit(rows)
        found.append((rows, local_fit(rows, model.transform(rows), model.components_)))
    return found


@pytest.mark.parametrize("by", ["thesis", "gram"])
@pytest.mark.parametrize("constraint", ["simplex", "none"])
def test_parties_that_share_their_topics_find_them_in_the_merge(by, constraint):
    counts, topics, _ = plant(n=600, d=50, k=4, length=400, concentration=0.1)
    parts = fits(split(counts, 3), 4, constraint)
    parties = [base(fit.topics, fit.costs(by)) for _, fit in parts]
    merged = merge_topics(parties, 4, constraint=constraint, random_state=0)
    shapes = merged.topics / merged.topics.sum(axis=1, keepdims=True)
    apart = [fit.topics / fit.topics.sum(axis=1, keepdims=True) for _, fit in parts]
    assert matched_distance(shapes, topics) < max(matched_distance(own, topics) for own in apart)
    assert np.diff(merged.objective).max() <= 1e-9 * merged.objective[0]
    for (rows, fit), mixtures in zip(parts, merged.weights, strict=True):
        assert mixtures.shape == (4, 4)
        if constraint == "simplex":
            np.testing.assert_allclose(mixtures.sum(axis=1), 1, atol=1e-9)
        found = bounds(fit, mixtures, merged.topics)
        true = least_error(rows, merged.topics, constraint)
        assert fit.error * (1 - 1e-6) <= true <= found.quadratic <= found.diagonal


def test_its_objective_is_the_bound_that_it_minimises():
    counts = plant(n=300, d=40, k=4, length=100)[0]
    parts = fits(split(counts, 3), 4, "none")
    parties = [base(fit.topics, fit.costs("gram")) for _, fit in parts]
    merged = merge_topics(parties, 5, constraint="none", random_state=0, max_iter=2000, tol=1e-9)
    changes = [
        fit.topics - m @ merged.topics for (_, fit), m in zip(parts, merged.weights, strict=True)
    ]
    cost = sum(
        bounds(fit, mixtures, merged.topics).diagonal - fit.error + (fit.gradient * change).sum()
        for (_, fit), mixtures, change in zip(parts, merged.weights, changes, strict=True)
    )
    assert cost == pytest.approx(merged.objective[-1], rel=1e-4)


@pytest.mark.parametrize("constraint", ["simplex", "none"])
def test_a_word_that_a_party_lacks_is_not_a_word_that_it_never_uses(constraint):
    topics = np.array([[0.5, 0.0, 0.5, 0.0], [0.0, 0.5, 0.0, 0.5]])
    has = np.array([True, True, False, False])
    halves = topics * has / (topics * has).sum(axis=1, keepdims=True)
    parties = [base(topics, [1, 1]), base(halves, [9, 9], has)]
    unknown = merge_topics(parties, 2, constraint=constraint, init=topics, max_iter=500)
    as_zeros = merge_topics(
        [parties[0], base(halves, [9, 9])], 2, constraint=constraint, init=topics, max_iter=500
    )
    kept = unknown.topics / unknown.topics.sum(axis=1, keepdims=True)
    lost = as_zeros.topics / as_zeros.topics.sum(axis=1, keepdims=True)
    assert np.abs(kept - topics).max() < 1e-9
    assert np.abs(lost - topics).max() > 0.1
    np.testing.assert_allclose(unknown.weights[1], 2 * np.eye(2), atol=1e-9)
    if constraint == "simplex":
        np.testing.assert_allclose(unknown.topics, kept, atol=1e-12)


def test_the_numbers_of_given_topics_are_kept():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(30, 0.1), 4)
    sizes = np.array([1.0, 100.0, 10.0, 1000.0])  # by size they would be ordered otherwise
    near = np.abs(topics + 0.001 * rng.random(topics.shape))
    merged = merge_topics([base(near / near.sum(axis=1, keepdims=True), sizes)], 4, init=topics)
    assert ((merged.topics[:, None] - topics[None]) ** 2).sum(axis=2).argmin(axis=1).tolist() == [
        0, 1, 2, 3,
    ]  # fmt: skip


def test_the_same_at_any_number_of_threads():
    rng = np.random.default_rng(0)
    parties = [
        base(rng.dirichlet(np.ones(200), 6), rng.random(6), rng.random(200) < 2) for _ in "ab"
    ]
    one, two = (merge_topics(parties, 5, random_state=0, n_jobs=n) for n in (1, 3))
    assert one.topics.tobytes() == two.topics.tobytes()
    assert [m.tobytes() for m in one.weights] == [m.tobytes() for m in two.weights]


GOOD = base(np.eye(3))


@pytest.mark.parametrize(
    ("parties", "says"),
    [
        ([], "at least one party"),
        ([GOOD, base(np.eye(2))], r"Party 2 of a merge has topics of shape \(2, 2\)"),
        ([base(np.eye(3), [1, 1])], "with 2 weights"),
        ([base(np.eye(3), cells=np.ones((2, 3)))], r"cells of shape \(2, 3\)"),
        ([base(np.eye(3), [1, -1, 1])], "negative or not finite"),
        ([base(np.eye(3), observed=[True, True, False])], "doesn't observe"),
        ([base(2 * np.eye(3))], "aren't distributions"),
    ],
)
def test_what_can_not_be_merged_is_said(parties, says):
    with pytest.raises(InputError, match=says):
        merge_topics(parties, 2)


def test_so_are_parameters():
    with pytest.raises(InputError, match="cost less than nothing"):
        merge_topics([GOOD], 2, l2_topics=-1.0)
    with pytest.raises(InputError, match="topics × words, here"):
        merge_topics([GOOD], 2, init=np.eye(3))
    with pytest.raises(InputError, match="constraint"):
        merge_topics([GOOD], 2, constraint="free")
