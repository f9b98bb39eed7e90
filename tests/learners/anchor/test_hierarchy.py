"""A planted hierarchy comes back; its edges, words and tree say the same."""

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.correlations import smallest_eigenvalue
from chatham.learners.anchor.hierarchy import build_hierarchy
from chatham.learners.anchor.recover import recover


def planted_level(above, k, seed):
    """p(subtopic|supertopic) with one pure subtopic for each supertopic, not in order."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(k, 0.6), above)
    anchors = rng.permutation(k)[:above]
    topics[:, anchors] = np.diag(rng.uniform(0.2, 0.5, above))
    return topics / topics.sum(axis=1, keepdims=True), anchors


def planted_top(k, seed=0):
    weights = np.random.default_rng(seed).dirichlet(np.full(k, 0.4), 200)
    return weights.T @ weights / 200


def matching(found, anchors):
    """Where each planted supertopic is among those found."""
    assert sorted(found) == sorted(anchors)
    return [found.tolist().index(anchor) for anchor in anchors]


@pytest.mark.parametrize(("k", "above"), [(25, 5), (12, 3), (20, 8), (40, 5), (9, 2)])
def test_a_planted_level_comes_back(k, above):
    topics, anchors = planted_level(above, k, seed=k)
    correlations = planted_top(above)
    (level,) = build_hierarchy(topics.T @ correlations @ topics, [above]).levels
    order = matching(level.anchors, anchors)
    assert np.abs(level.topics[order] - topics).max() < 1e-6
    assert np.abs(level.correlations[np.ix_(order, order)] - correlations).max() < 1e-6
    assert np.abs(level.prevalence[order] - correlations.sum(axis=1)).max() < 1e-6
    shares = (topics * correlations.sum(axis=1)[:, None]).T
    shares /= shares.sum(axis=1, keepdims=True)
    assert np.abs(level.coefficients[:, order] - shares).max() < 1e-6
    assert smallest_eigenvalue(level.correlations) >= -1e-10


@pytest.fixture(scope="module")
def two_levels():
    """30 topics under 8 supertopics without noise, and 3 supertopics of those, rectified."""
    low, anchors = planted_level(8, 30, seed=1)
    hierarchy = build_hierarchy(low.T @ planted_top(8) @ low, (8, 3))
    return hierarchy, low, matching(hierarchy.levels[0].anchors, anchors)


def test_each_level_is_the_one_below_factorised(two_levels):
    hierarchy, low, order = two_levels
    assert hierarchy.sizes == [30, 8, 3]
    assert repr(hierarchy) == "Hierarchy(30 → 8 → 3 topics)"
    assert np.abs(hierarchy.levels[0].topics[order] - low).max() < 1e-6
    (again,) = build_hierarchy(hierarchy.levels[0].correlations, [3]).levels
    assert again.topics.tobytes() == hierarchy.levels[1].topics.tobytes()
    assert again.correlations.tobytes() == hierarchy.levels[1].correlations.tobytes()


def test_words_go_through_all_levels(two_levels):
    hierarchy, low, order = two_levels
    topics = np.random.default_rng(4).dirichlet(np.full(50, 0.1), 30)
    over_words = hierarchy.levels[1].topics[:, order] @ low @ topics
    assert np.abs(hierarchy.topics_over_words(3, topics) - over_words).max() < 1e-6
    assert hierarchy.topics_over_words(1, topics) is topics
    vocabulary = [f"w{place}" for place in range(50)]
    expected = [[f"w{place}" for place in np.argsort(-row)[:4]] for row in over_words]
    assert hierarchy.words(3, 4, vocabulary, topics) == expected
    lists = hierarchy.all_words(2, vocabulary, topics)
    assert [len(level) for level in lists] == [30, 8, 3]
    assert lists[1] == hierarchy.words(2, 2, vocabulary, topics)
    kept = build_hierarchy(hierarchy.correlations, (8, 3), topics=topics)
    assert kept.all_words(2, vocabulary) == lists
    with pytest.raises(InputError, match="built without topics over words"):
        hierarchy.words(2, 4, vocabulary)
    by_relevance = hierarchy.words(3, 4, vocabulary, topics, by="relevance")
    relevance = np.log(over_words) - 0.4 * np.log(hierarchy.prevalence(3) @ over_words)
    assert by_relevance[0] == [f"w{place}" for place in np.argsort(-relevance[0])[:4]]


@pytest.mark.parametrize("n", [0, 2, 49, 51])
def test_a_vocabulary_of_other_words_is_refused(two_levels, n):
    topics = np.random.default_rng(4).dirichlet(np.full(50, 0.1), 30)
    with pytest.raises(InputError, match=f"has {n} words and the topics are over 50"):
        two_levels[0].words(2, 4, [f"w{place}" for place in range(n)], topics)


@pytest.mark.parametrize("shape", [(29, 50), (30,)])
def test_topics_of_another_model_are_refused(two_levels, shape):
    with pytest.raises(InputError, match="level 1 needs a row for each of its 30 topics"):
        two_levels[0].topics_over_words(2, np.ones(shape))


def test_prevalence_of_each_level(two_levels):
    hierarchy, _, order = two_levels
    below, middle, top = map(hierarchy.prevalence, (1, 2, 3))
    assert middle[order] == pytest.approx(planted_top(8).sum(axis=1), abs=1e-6)
    assert middle @ hierarchy.levels[0].topics == pytest.approx(below, abs=1e-6)
    assert top.sum() == pytest.approx(1.0)


def test_edges_are_the_weights_that_matter(two_levels):
    hierarchy = two_levels[0]
    everything = hierarchy.edges(least=0.0)
    positive = sum(int((level.topics > 0).sum()) for level in hierarchy.levels)
    assert len(everything) == positive
    assert everything.groupby(["level", "parent"])["weight"].sum().to_numpy() == pytest.approx(1.0)
    assert everything.groupby(["level", "child"])["share"].sum().to_numpy() == pytest.approx(1.0)
    few = hierarchy.edges(least=0.9)
    assert few.groupby("level").size().to_dict() == {2: 30, 3: 8}
    for row in few.itertuples():
        level = hierarchy.levels[row.level - 2]
        assert row.weight == level.topics[row.parent, row.child]
        assert row.share == level.coefficients[row.child].max()


def test_the_tree_lists_each_branch_once(two_levels):
    hierarchy = two_levels[0]
    lines = hierarchy.show(least=0.05).splitlines()
    depths = [(len(line) - len(line.lstrip())) // 2 for line in lines]
    edges = hierarchy.edges(0.05)
    assert depths.count(0) == 3
    assert depths.count(1) == (edges["level"] == 3).sum()
    assert depths.count(2) == (edges["level"] == 2).sum()
    heaviest = int(np.argmax(hierarchy.prevalence(3)))
    assert lines[0] == f"{hierarchy.prevalence(3)[heaviest]:.2f} level 3 topic {heaviest}"


def test_a_single_topic_at_the_top_is_everything():
    shares = np.array([0.5, 0.3, 0.2])
    (top,) = build_hierarchy(np.outer(shares, shares), [1]).levels
    assert top.topics[0] == pytest.approx(shares)
    assert top.correlations == pytest.approx(np.ones((1, 1)))
    assert top.prevalence.tolist() == [1.0]
    assert top.coefficients == pytest.approx(np.ones((3, 1)))


def test_more_supertopics_than_can_be_told_apart_are_refused():
    topics, _ = planted_level(3, 30, seed=1)
    with pytest.raises(InputError, match="30 topics have no 8 supertopics"):
        build_hierarchy(topics.T @ planted_top(3) @ topics, [8])


def noisy(k=25, seed=0):
    weights = np.random.default_rng(seed).dirichlet(np.full(k, 0.1), 80)
    return weights.T @ weights / 80


def test_real_correlations_give_distributions_and_the_same_each_time():
    first, second = build_hierarchy(noisy(), (7, 3)), build_hierarchy(noisy(), (7, 3))
    for level, again in zip(first.levels, second.levels, strict=True):
        assert level.topics.tobytes() == again.topics.tobytes()
        assert level.topics.sum(axis=1) == pytest.approx(1.0)
        assert (level.topics >= 0).all()
        assert (level.correlations >= 0).all()


def around_a_ring(k=25):
    """Neighbours meet, and far from k/5 supertopics fit: the projections take a hundred turns."""
    rng, place = np.random.default_rng(k), np.arange(k)
    apart = np.abs(place[:, None] - place)
    joint = np.exp(-1.3 * np.minimum(apart, k - apart)) + 0.02 * rng.uniform(size=(k, k))
    return (joint + joint.T) / (2 * joint.sum())


def projected_by_hand(joint, k, turns):
    """Algorithm 1 as it is printed."""
    for _ in range(turns):
        values, vectors = np.linalg.eigh(joint)
        joint = (vectors[:, -k:] * np.maximum(values[-k:], 0)) @ vectors[:, -k:].T
        joint = np.maximum(joint + (1 - joint.sum()) / joint.size, 0)
    return joint / joint.sum()


def test_the_projections_and_the_mixtures_go_on_to_the_end():
    (level,) = build_hierarchy(around_a_ring(), [5]).levels
    conditional = Conditional(projected_by_hand(around_a_ring(), 5, turns=150))
    groups = [np.array([anchor]) for anchor in level.anchors]
    expected = recover(conditional, groups, "admm", max_iter=20000, tol=1e-14)
    assert level.topics == pytest.approx(expected.topics, abs=1e-9)
    assert level.coefficients == pytest.approx(expected.coefficients, abs=1e-9)


def test_correlations_need_not_sum_to_one():
    whole, part = build_hierarchy(noisy(), [5]), build_hierarchy(0.25 * noisy(), [5])
    assert whole.levels[0].topics == pytest.approx(part.levels[0].topics, abs=1e-9)


def test_a_topic_that_never_occurs_has_no_parent():
    topics, _ = planted_level(3, 12, seed=5)
    topics[:, np.argmax((topics > 0).sum(axis=0) == 3)] = 0.0
    topics /= topics.sum(axis=1, keepdims=True)
    (lost,) = np.flatnonzero(topics.sum(axis=0) == 0)
    hierarchy = build_hierarchy(topics.T @ planted_top(3) @ topics, [3])
    assert np.isfinite(hierarchy.levels[0].topics).all()
    assert hierarchy.levels[0].topics[:, lost] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("levels", [(), (25,), (5, 5), (3, 4), (5, 0), (2.5,), (-1,), 5])
def test_levels_must_fall(levels):
    with pytest.raises(InputError, match="over 25 topics must decrease"):
        build_hierarchy(noisy(), levels)


def test_one_topic_is_one():
    with pytest.raises(InputError, match=r"levels \[1\] over 1 topic must decrease"):
        build_hierarchy(np.ones((1, 1)), [1])


@pytest.mark.parametrize("level", [0, 4])
def test_a_level_that_is_not_there_is_refused(two_levels, level):
    with pytest.raises(InputError, match=f"no level {level}; levels go from 1"):
        two_levels[0].prevalence(level)
    with pytest.raises(InputError, match="no level 1; levels go from 2 to 3"):
        two_levels[0].main_parents(1)
