"""Word orderings: worked by hand, and laws that hold for any topics."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.errors import InputError
from chatham.learners.words import (
    ORDERINGS,
    best_words,
    discriminability,
    effective_words,
    relevance,
    score_words,
    uplift,
)

TOPICS = np.array([[0.5, 0.25, 0.25, 0.0], [0.5, 0.0, 0.25, 0.25]])
WORDS = ["the", "cat", "and", "dog"]


def test_discriminability_by_hand():
    # "the" and "and" are as likely in both topics; "cat" and "dog" each belong to one.
    assert discriminability(TOPICS).tolist() == [0.0, 1.0, 0.0, 1.0]


def test_discriminability_normalises_the_column_first():
    topics = np.array([[0.3, 0.7], [0.1, 0.9]])  # P(t | first word) = 3/4, 1/4
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert discriminability(topics)[0] == pytest.approx(1 - entropy / math.log(2))


def test_discriminability_with_one_topic_is_prevalence():
    topics = np.array([[0.2, 0.5, 0.3]])
    assert discriminability(topics).tolist() == [1.0, 1.0, 1.0]
    assert score_words(topics, np.ones(1), "discriminability").tolist() == topics.tolist()


def test_uplift_by_hand():
    expected = 0.4 * 0.5 + 0.6 * 0.5, 0.4 * 0.25 + 0.6 * 1.0, 0.4 * 0.25 + 0.6 * 0.5, 0.0
    assert uplift(TOPICS, 0.6)[0] == pytest.approx(expected)
    assert uplift(TOPICS, 0.0).tolist() == TOPICS.tolist()


def test_relevance_by_hand():
    shares = np.array([0.75, 0.25])
    cat = 0.6 * math.log(0.25) + 0.4 * math.log(0.25 / (0.75 * 0.25))
    found = relevance(TOPICS, shares, 0.6)
    assert found[0, 1] == pytest.approx(cat)
    assert found[0, 3] == -math.inf
    assert relevance(TOPICS, shares, 1.0)[0, :3] == pytest.approx(np.log(TOPICS[0, :3]))


def test_relevance_of_a_topic_without_documents_is_finite():
    topics = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert np.isfinite(relevance(topics, np.array([1.0, 0.0]), 0.6)[1, 1])


def test_words_of_a_general_nmf_are_scored_as_probabilities():
    assert score_words(TOPICS * [[7.0], [0.01]], np.ones(2) / 2) == pytest.approx(TOPICS)


@pytest.mark.parametrize(
    ("by", "first"),
    [("prevalence", "the"), ("discriminability", "cat"), ("uplift", "cat"), ("relevance", "the")],
)
def test_orderings_of_the_example(by, first):
    scores = score_words(TOPICS, np.ones(2) / 2, by)
    assert WORDS[best_words(scores, TOPICS, WORDS, 1)[0][0]] == first


@pytest.mark.parametrize("by", ORDERINGS)
def test_a_topic_lists_only_words_it_utters(by):
    places = best_words(score_words(TOPICS, np.ones(2) / 2, by), TOPICS, WORDS, 10)
    assert [sorted(best.tolist()) for best in places] == [[0, 1, 2], [0, 2, 3]]


def test_words_alike_go_by_spelling():
    topics = np.full((1, 4), 0.25)
    places = best_words(topics, topics, WORDS, 4)[0]
    assert [WORDS[place] for place in places] == ["and", "cat", "dog", "the"]


def test_effective_words_of_a_uniform_topic():
    assert effective_words(np.full((1, 8), 1 / 8))[0] == pytest.approx(8)


@pytest.mark.parametrize(("by", "lam"), [("size", 0.6), ("uplift", 1.5), ("uplift", "x"), (3, 0)])
def test_wrong_orderings_are_refused(by, lam):
    with pytest.raises(InputError):
        score_words(TOPICS, np.ones(2) / 2, by, lam)


@st.composite
def topic_matrices(draw):
    """Topics in 64ths, so that sums over words are exact in any order."""
    k, d = draw(st.integers(1, 4)), draw(st.integers(1, 8))
    rows = []
    for _ in range(k):
        marks = sorted(draw(st.lists(st.integers(0, 64), min_size=d - 1, max_size=d - 1)))
        rows.append(np.diff([0, *marks, 64]) / 64)
    return np.array(rows)


@given(topic_matrices(), st.sampled_from(ORDERINGS), st.floats(0, 1), st.randoms())
def test_moving_the_columns_moves_nothing_else(topics, by, lam, random):
    k, d = topics.shape
    words = [f"w{number}" for number in range(d)]
    order = list(range(d))
    random.shuffle(order)
    moved, renamed = topics[:, order], [words[place] for place in order]
    shares = np.ones(k) / k
    before = best_words(score_words(topics, shares, by, lam), topics, words, d)
    after = best_words(score_words(moved, shares, by, lam), moved, renamed, d)
    assert [[words[p] for p in best] for best in before] == [
        [renamed[p] for p in best] for best in after
    ]


def ordered_in_full(scores, topics, vocabulary, n):
    """Every word of every topic put in order, and the first `n` taken."""
    spelled = np.array(sorted(range(len(vocabulary)), key=vocabulary.__getitem__), dtype=int)
    uttered = [spelled[topic[spelled] > 0] for topic in topics]
    return [
        places[np.argsort(-row[places], kind="stable")[:n]].tolist()
        for row, places in zip(scores, uttered, strict=True)
    ]


@st.composite
def scored_words(draw):
    """Scores with many ties and any signs, topics with zeros, words in no order, some alike."""
    k, d = draw(st.integers(0, 3)), draw(st.integers(1, 12))
    values = st.sampled_from([-np.inf, -2.0, -0.0, 0.0, 0.5, 1.0, np.nan])
    scores = draw(st.lists(values, min_size=k * d, max_size=k * d))
    uttered = draw(st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.0]), min_size=k * d, max_size=k * d))
    words = draw(st.lists(st.text("abä", max_size=2), min_size=d, max_size=d))
    return np.reshape(scores, (k, d)), np.reshape(uttered, (k, d)), words


@given(scored_words(), st.integers(0, 15))
def test_the_best_words_are_those_of_the_full_order(given_words, n):
    found = [best.tolist() for best in best_words(*given_words, n)]
    assert found == ordered_in_full(*given_words, n)


@given(topic_matrices(), st.sampled_from(ORDERINGS), st.floats(0, 1), st.integers(1, 10))
def test_the_best_words_of_every_ordering_are_those_of_the_full_order(topics, by, lam, n):
    k, d = topics.shape
    words = [f"w{number % 7}{number}" for number in range(d)]
    scores = score_words(topics, np.ones(k) / k, by, lam)
    found = [best.tolist() for best in best_words(scores, topics, words, n)]
    assert found == ordered_in_full(scores, topics, words, n)


def test_the_best_of_many_words_with_a_topic_of_ties_and_one_of_none():
    topics = np.random.default_rng(0).dirichlet(np.full(3_000, 0.05), 5).round(4)
    topics[3], topics[4] = 1.0, 0.0
    words = [f"w{number}" for number in np.random.default_rng(1).permutation(3_000)]
    for n in (1, 10, 3_001):
        found = [best.tolist() for best in best_words(topics, topics, words, n)]
        assert found == ordered_in_full(topics, topics, words, n)


@given(topic_matrices(), st.sampled_from(ORDERINGS), st.floats(0, 1))
def test_scores_are_never_nan_and_fall(topics, by, lam):
    k, d = topics.shape
    scores = score_words(topics, np.ones(k) / k, by, lam)
    assert not np.isnan(scores).any()
    for topic, best in enumerate(best_words(scores, topics, [str(j) for j in range(d)], d)):
        assert np.isfinite(scores[topic, best]).all()
        assert (np.diff(scores[topic, best]) <= 0).all()
        assert len(best) == (topics[topic] > 0).sum()


@given(st.lists(st.floats(0, 1e-300), min_size=6, max_size=6), st.sampled_from(ORDERINGS))
def test_vanishing_numbers_give_no_nan(values, by):
    topics = np.array(values).reshape(2, 3)
    assert not np.isnan(score_words(topics, np.array([1.0, 0.0]), by)).any()
