"""Spectral measures, worked by hand and on factors that were planted."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from chatham.measures import spectral as s
from chatham.measures.measure import UndefinedError

TOPICS = np.array([[0.5, 0.0, 0.25, 0.25], [0.0, 0.5, 0.25, 0.25]])  # words 0 and 1 are anchors
CORRELATIONS = np.array([[0.3, 0.1], [0.1, 0.5]])


def separable(k=4, d=600, seed=0):
    """C = BABᵀ with an anchor a topic, p(z|x) by Bayes' rule, and where the anchors are."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(d, 0.3), k)
    anchors = rng.permutation(d)[:k]
    topics[:, anchors] = np.diag(rng.uniform(0.05, 0.1, k))
    topics /= topics.sum(axis=1, keepdims=True)
    weights = rng.dirichlet(np.full(k, 0.4), 50)
    correlations = weights.T @ weights / 50
    joint = correlations.sum(axis=1)[:, None] * topics
    return topics, correlations, (joint / joint.sum(axis=0)).T, anchors, joint.sum(axis=0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array, sp.coo_array])
def test_planted_factors_have_no_error(form):
    topics, correlations, coefficients, anchors, unigram = separable()
    cooccurrence = form(topics.T @ correlations @ topics)
    assert s.recovery_error(cooccurrence, coefficients, anchors).value < 1e-15
    assert s.approximation_error(cooccurrence, topics, correlations).value < 1e-16
    assert s.legality(correlations).value == pytest.approx(1.0, abs=1e-14)
    assert s.validity(correlations, coefficients, unigram).value == pytest.approx(0.0, abs=1e-14)


def test_wrong_factors_have_an_error():
    topics, correlations, coefficients, anchors, unigram = separable()
    cooccurrence = topics.T @ correlations @ topics
    good = s.recovery_error(cooccurrence, coefficients, anchors).value
    others = np.setdiff1d(np.arange(600), anchors)[:4]
    assert s.recovery_error(cooccurrence, coefficients, others).value > good + 0.01
    assert s.recovery_error(cooccurrence, coefficients, anchors[::-1]).value > good + 0.01
    whole = np.linalg.norm(cooccurrence - topics[::-1].T @ correlations @ topics[::-1])
    wrong = s.approximation_error(cooccurrence, topics[::-1], correlations).value
    assert wrong == pytest.approx(whole, rel=1e-12)
    assert whole > 1e-4
    assert s.validity(2 * correlations, coefficients, unigram).value > 0.1
    assert s.legality(2 * correlations).value == pytest.approx(2.0)


def test_recovery_by_hand():
    cooccurrence = np.array([[0.2, 0.0, 0.1], [0.0, 0.4, 0.0], [0.1, 0.0, 0.2]])
    coefficients = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
    # C̄: (⅔ 0 ⅓), (0 1 0), (⅓ 0 ⅔). Words 0 and 1 are rebuilt. Word 2 is (⅓ 0 ⅔) − (⅓ ½ ⅙)
    # = (0 −½ ½), of norm √½.
    found = s.recovery_error(cooccurrence, coefficients, [0, 1])
    assert found.value == pytest.approx(math.sqrt(0.5) / 3, abs=1e-15)
    # As section 2.4 prints it: (0.1 0 0.2) − (0.1 0.2 0.05) = (0 −0.2 0.15), of norm 0.25.
    printed = s.recovery_error(cooccurrence, coefficients, [0, 1], normalised=False)
    assert printed.value == pytest.approx(0.25 / 3, abs=1e-15)


def test_recovery_without_bars_has_an_error_for_exact_factors():
    topics, correlations, coefficients, anchors, _ = separable()
    cooccurrence = topics.T @ correlations @ topics
    assert s.recovery_error(cooccurrence, coefficients, anchors, normalised=False).value > 1e-4


def test_words_that_cooccur_with_none_are_left_out_of_recovery():
    cooccurrence = np.array([[0.5, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.5]])
    coefficients = np.array([[0.5, 0.5], [0.5, 0.5], [0.0, 1.0]])
    found = s.recovery_error(cooccurrence, coefficients, [0, 2])
    # Word 0 is (1 0 0) − (½ 0 ½), of norm √½; word 2 is rebuilt; word 1 isn't there.
    assert found.value == pytest.approx(math.sqrt(0.5) / 2)
    assert found.notes == {"words_alone": 1}
    printed = s.recovery_error(cooccurrence, coefficients, [0, 2], normalised=False)
    assert printed.value == pytest.approx(math.sqrt(0.125) / 2)
    with pytest.raises(UndefinedError, match="anchor co-occurs with no word"):
        s.recovery_error(cooccurrence, coefficients, [0, 1])


def test_approximation_by_hand():
    # BABᵀ for topics that are words is A itself: the residue is 0.1 in two cells.
    residue = np.array([[0.1, 0.0], [0.1, 0.0]])
    found = s.approximation_error(CORRELATIONS + residue, np.eye(2), CORRELATIONS)
    assert found.value == pytest.approx(math.sqrt(0.02))


def test_dominancy_by_hand():
    found = s.dominancy(CORRELATIONS)  # 0.3/0.4 and 0.5/0.6
    assert found.per_topic == pytest.approx([3 / 4, 5 / 6])
    assert found.value == pytest.approx((3 / 4 + 5 / 6) / 2)
    assert s.dominancy(np.array([[1.0]])).value == 1.0
    assert s.dominancy(np.array([[0.1, 0.3], [0.0, 0.6]])).per_topic == pytest.approx([0.25, 1.0])


def test_a_lost_topic_has_no_dominancy_but_a_zero_on_the_diagonal_has():
    with pytest.raises(UndefinedError, match="Topic 2 has no probability"):
        s.dominancy(np.array([[1.0, 0.0], [0.0, 0.0]]))
    assert s.dominancy(np.array([[0.0, 0.5], [0.25, 0.25]])).per_topic == pytest.approx([0.0, 0.5])


def test_specificity_by_hand():
    unigram = np.array([0.25, 0.25, 0.25, 0.25])
    # Topic 0: ½ log 2 + 2·¼ log 1 = ½ log 2; topic 1 alike.
    assert s.specificity(TOPICS, unigram).value == pytest.approx(0.5 * math.log(2))
    skewed = s.specificity(np.array([[0.5, 0.5]]), np.array([0.8, 0.2]))
    # KL(topic ‖ corpus), not the other way: ½ log(½/0.8) + ½ log(½/0.2)
    assert skewed.value == pytest.approx(0.5 * math.log(0.625) + 0.5 * math.log(2.5))
    # Counts 8, 2 and 0 are the same distribution.
    counted = s.specificity(np.array([[0.5, 0.5, 0.0]]), np.array([8.0, 2.0, 0.0]))
    assert counted.value == pytest.approx(skewed.value, abs=1e-12)


def test_specificity_leaves_out_words_that_the_corpus_lacks():
    topics = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    found = s.specificity(topics, np.array([0.0, 0.25, 0.75]))
    # Topic 0 over words 1 and 2 is (½ ½): ½ log 2 + ½ log ⅔. The others have nothing there.
    assert found.value == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert found.per_topic == [found.value, None, None]
    assert found.notes == {"words_left_out": 1}
    with pytest.raises(UndefinedError):
        s.specificity(topics[1:], np.array([0.0, 0.25, 0.75]))


def test_a_topic_like_the_corpus_is_not_specific():
    unigram = np.random.default_rng(0).dirichlet(np.ones(50))
    assert s.specificity(unigram[None], unigram).value == pytest.approx(0.0, abs=1e-15)
    assert s.specificity(unigram[None], unigram).value >= 0


def test_radius_by_hand():
    topics = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    # The mean is (⅔ ⅓ 0): topics 0 and 1 are (−⅓ ⅓) away, topic 2 (⅔ −⅔).
    found = s.dissimilarity_radius(topics)
    assert found.per_topic == pytest.approx([math.sqrt(2) / 3] * 2 + [math.sqrt(8) / 3])
    assert found.value == pytest.approx(math.sqrt(8) / 3)


def test_radius_of_one_topic_and_of_empty_ones():
    assert s.dissimilarity_radius(TOPICS[:1]).value == 0.0
    with_empty = s.dissimilarity_radius(np.vstack([TOPICS, np.zeros(4)]))
    assert with_empty.value == s.dissimilarity_radius(TOPICS).value
    assert with_empty.per_topic[2] is None
    with pytest.raises(UndefinedError):
        s.dissimilarity_radius(np.zeros((2, 4)))


def test_own_words_by_hand():
    lists = [["a", "b", "c", "z"], ["a", "d", "e", "z"], ["f", "b", "g", "z"], []]
    found = s.dissimilarity_words(lists, n=3)  # c; d, e; f, g; nothing
    assert found.per_topic == [1.0, 2.0, 2.0, 0.0]
    assert found.value == 5 / 4
    assert s.dissimilarity_words([list(range(30))]).value == 20  # one topic: all of its 20
    assert s.dissimilarity_words([["a", "a"]]).value == 1
    with pytest.raises(UndefinedError):
        s.dissimilarity_words([])


def test_entropy_by_hand():
    coefficients = np.array([[0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.25, 0.25]])
    # In bits 1.5 and 2, over log₂ 4 = 2
    assert s.normalised_entropy(coefficients).value == pytest.approx((0.75 + 1.0) / 2)


def test_entropy_of_one_topic_and_of_words_in_none():
    assert s.normalised_entropy(np.ones((3, 1))).value == 0.0
    found = s.normalised_entropy(np.array([[0.5, 0.5], [0.0, 0.0]]))
    assert (found.value, found.notes) == (1.0, {"words_without_topic": 1})
    with pytest.raises(UndefinedError):
        s.normalised_entropy(np.zeros((3, 2)))


def test_sparsity_by_hand():
    topics = np.array([[0.5, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    # ℓ1/ℓ2 of the first is 1/√½ = √2: (2 − √2)/(2 − 1)
    found = s.sparsity(topics)
    assert found.per_topic == [pytest.approx(2 - math.sqrt(2)), 1.0, None]
    assert found.value == pytest.approx((3 - math.sqrt(2)) / 2)
    with pytest.raises(UndefinedError, match="single word"):
        s.sparsity(np.ones((2, 1)))


def test_validity_by_hand():
    coefficients = np.array([[1.0, 0.0], [0.5, 0.5]])
    # By Bayes: ½·1 + ½·½ = ¾ and ¼; from A: 0.4 and 0.6.
    found = s.validity(CORRELATIONS, coefficients, np.array([0.5, 0.5]))
    both_ways = [(0.4, 0.75), (0.6, 0.25)]
    forwards = sum(p * math.log(p / q) for p, q in both_ways)
    backwards = sum(q * math.log(q / p) for p, q in both_ways)
    assert found.value == pytest.approx(forwards + backwards)
    assert sum(found.per_topic) == pytest.approx(found.value)
    assert s.validity(CORRELATIONS, coefficients, np.array([3.0, 3.0])).value == found.value


def test_validity_of_marginals_at_zero_and_below():
    illegal = np.array([[-0.5, 0.2], [0.2, 0.8]])
    found = s.validity(illegal, np.array([[1.0, 0.0]]), np.ones(1))
    # p = (1e-12, 1), q = (1, 1e-12): twice (1 − 1e-12)·12 log 10
    assert found.value == pytest.approx(24 * math.log(10))


def test_validity_adds_up_the_second_topic():
    lopsided = np.array([[0.0, 0.75], [0.0, 0.25]])  # p(z₁) = (¾ ¼), p(z₂) = (0 1)
    coefficients = np.array([[0.75, 0.25]])
    assert s.validity(lopsided, coefficients, np.ones(1)).value == pytest.approx(0.0, abs=1e-15)


def test_hard_rank_by_hand():
    topics = np.array([[0.4, 0.3, 0.3, 0.0], [0.1, 0.2, 0.3, 0.4]])
    found = s.hard_rank(topics, [2, 0])  # behind one, sharing ranks 1 and 2; behind three
    assert found.per_topic == [1.5, 3.0]
    assert found.value == 2.25
    assert s.hard_rank(topics, [0, 3]).value == 0.0
    assert s.hard_rank(np.vstack([topics, np.zeros(4)]), [0, 3, 1]).per_topic == [0.0, 0.0, None]


def test_soft_rank_by_hand():
    topics = np.array([[0.4, 0.3, 0.3, 0.0], [0.1, 0.2, 0.3, 0.4]])
    found = s.soft_rank(topics, np.array([0, 0]))  # log 1 and log 4
    assert found.per_topic == pytest.approx([0.0, math.log(4)])
    assert found.value == pytest.approx(math.log(2))
    with pytest.raises(UndefinedError, match="Topic 1 gives its own anchor probability zero"):
        s.soft_rank(topics, [3, 0])


def test_order_of_topics_changes_nothing():
    topics, correlations, coefficients, anchors, unigram = separable(k=6, d=80, seed=3)
    order = np.random.default_rng(1).permutation(6)
    cooccurrence = np.random.default_rng(2).random((80, 80))
    measured = [
        [
            s.recovery_error(cooccurrence, coefficients[:, o], anchors[o]),
            s.approximation_error(cooccurrence, topics[o], correlations[np.ix_(o, o)]),
            s.dominancy(correlations[np.ix_(o, o)]),
            s.specificity(topics[o], unigram),
            s.dissimilarity_radius(topics[o]),
            s.normalised_entropy(coefficients[:, o]),
            s.sparsity(topics[o]),
            s.validity(correlations[np.ix_(o, o)] + 0.1, coefficients[:, o], unigram),
            s.hard_rank(topics[o], anchors[o]),
            s.soft_rank(topics[o], anchors[o]),
        ]
        for o in (np.arange(6), order)
    ]
    for plain, shuffled in zip(*measured, strict=True):
        assert shuffled.value == pytest.approx(plain.value, rel=1e-12)
        if plain.per_topic is not None:
            assert shuffled.per_topic == pytest.approx([plain.per_topic[i] for i in order])
