"""How different topics' top words are: by hand, a naive overlap of ranks, awkward input."""

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.measures.diversity import (
    Closeness,
    Overlap,
    RankBiasedOverlap,
    TopicDiversity,
    UniqueWords,
    jaccard,
    rank_biased_overlap,
    rank_biased_overlaps,
    shared_words,
)
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject

MEASURES = [Closeness, UniqueWords, TopicDiversity, Overlap, RankBiasedOverlap]
LISTS = [["a", "b", "c", "d"], ["b", "a", "x", "y"], ["c", "p", "q", "r"]]


def of_lists(*lists):
    words = np.array(sorted({word for words in lists for word in words}), dtype=object)
    return Subject(vocabulary=words, lists=lists)


def of_topics(topics, prevalence=None, words="abcdefgh"):
    topics = np.asarray(topics, dtype=float)
    named = np.array(list(words[: topics.shape[1]]), dtype=object)
    return Subject(vocabulary=named, topics=topics, prevalence=prevalence)


def score(measure, subject):
    return measure.measure(subject, None)


def naive_rbo(left, right, p):
    """The published sums, term by term: eq. 32 for lists of lengths s ≤ l."""
    short, long = sorted((left, right), key=len)
    s, n = len(short), len(long)
    common = [len(set(short[:d]) & set(long[:d])) for d in range(n + 1)]
    first = sum(common[d] / d * p**d for d in range(1, n + 1))
    second = sum(common[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    last = ((common[n] - common[s]) / n + common[s] / s) * p**n
    return (1 - p) / p * (first + second) + last


def test_closeness_by_hand():
    # Shared: {a, b}, {c}, nothing; each topic's largest: 2, 2, 1, all weighing the same.
    found = score(Closeness(), of_lists(*LISTS))
    assert found.per_topic == [2.0, 2.0, 1.0]
    assert found.value == pytest.approx(5 / 3)


def test_closeness_by_uplift_and_share():
    topics = [[0.6, 0.4, 0.0, 0.0], [0.6, 0.0, 0.4, 0.0], [0.0, 0.0, 0.1, 0.9]]
    # One word a topic by uplift 0.4·T + 0.6·share: a has 0.24 + 0.3 = 0.54 and b 0.16 + 0.6 = 0.76,
    # a 0.54 and c 0.16 + 0.48 = 0.64, c 0.04 + 0.12 and d 0.96: b, c, d share nothing.
    # By prevalence: a, a, d, so that the first two are close.
    subject = of_topics(topics, np.array([0.5, 0.3, 0.2]))
    assert score(Closeness(n_words=1), subject).value == 0.0
    assert score(Closeness(n_words=1, lam=0.0), subject).value == pytest.approx(0.8)
    by_prevalence = score(Closeness(n_words=1, by="prevalence"), subject)
    assert by_prevalence.per_topic == [1.0, 1.0, 0.0]
    assert by_prevalence.value == pytest.approx(0.8)


def test_unique_words_by_hand():
    # d; x, y; p, q, r.
    found = score(UniqueWords(), of_lists(*LISTS))
    assert found.per_topic == [1.0, 2.0, 3.0]
    assert found.value == 2.0
    assert score(UniqueWords(n_words=1), of_lists(*LISTS)).value == 1.0  # a, b, c


def test_topic_diversity_by_hand():
    assert score(TopicDiversity(), of_lists(*LISTS)).value == pytest.approx(9 / 12)
    assert score(TopicDiversity(n_words=2), of_lists(*LISTS)).value == pytest.approx(4 / 6)
    assert score(TopicDiversity(), of_lists(["a"], ["a"])).value == 0.5


def test_overlap_by_hand():
    # {a, b} of six, {c} of seven, nothing of eight.
    found = score(Overlap(), of_lists(*LISTS))
    assert found.value == pytest.approx((2 / 6 + 1 / 7 + 0) / 3)
    assert found.per_topic == pytest.approx([(2 / 6 + 1 / 7) / 2, 2 / 12, 1 / 14])


def test_rank_biased_overlap_by_hand():
    # p = ½, agreements 0, 1: ½·0 + ¼·1 + ¼·1 = ½.
    assert rank_biased_overlap("ab", "ba", 0.5) == pytest.approx(0.5)
    # Agreements 1, ½: ½ + ¼·½ + ¼·½ = ¾.
    assert rank_biased_overlap("ab", "ac", 0.5) == pytest.approx(0.75)
    # One list ends after "a", all of it shared, so agreement is taken to go on as 1: 1.
    assert rank_biased_overlap("a", "ab", 0.5) == pytest.approx(1.0)
    # It ends after "b": agreements 0, ½ + 0: ¼·½ + ¼·½ = ¼.
    assert rank_biased_overlap("b", "ab", 0.5) == pytest.approx(0.25)


def test_rank_biased_overlap_as_defined():
    rng = np.random.default_rng(0)
    words = np.array(list("abcdefghijklmnop"))
    lists = [rng.permutation(words)[: rng.integers(1, 13)].tolist() for _ in range(30)]
    for p in (0.1, 0.5, 0.9, 0.99):
        found = rank_biased_overlaps(lists, lists[:20], p)
        expected = [[naive_rbo(left, right, p) for right in lists[:20]] for left in lists]
        assert found == pytest.approx(np.array(expected), abs=1e-12)


def test_rank_biased_overlap_at_its_ends():
    assert rank_biased_overlap(LISTS[0], LISTS[0]) == pytest.approx(1.0)
    assert rank_biased_overlap("abc", "xyz") == 0.0
    assert rank_biased_overlap("", "abc") == rank_biased_overlap("", "") == 0.0
    assert rank_biased_overlap("aab", "ab") == pytest.approx(1.0)
    assert rank_biased_overlap("abcd", "bc") == pytest.approx(rank_biased_overlap("bc", "abcd"))
    assert rank_biased_overlap("abcd", "abxy") > rank_biased_overlap("abcd", "xycd")
    for p in (0.0, 1.0, float("nan")):
        with pytest.raises(InputError, match="p must"):
            rank_biased_overlap("a", "a", p)


def test_rank_biased_overlap_of_topics():
    pairs = [(0, 1), (0, 2), (1, 2)]
    values = [naive_rbo(LISTS[one], LISTS[other], 0.9) for one, other in pairs]
    found = score(RankBiasedOverlap(), of_lists(*LISTS))
    assert found.value == pytest.approx(np.mean(values))
    assert found.per_topic[0] == pytest.approx((values[0] + values[1]) / 2)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_order_of_topics_does_not_matter(measure):
    rng = np.random.default_rng(1)
    topics, shares = rng.dirichlet(np.full(8, 0.3), 5), rng.dirichlet(np.ones(5))
    plain = score(measure(n_words=3), of_topics(topics, shares))
    order, words = rng.permutation(5), rng.permutation(8)
    named = "".join("abcdefgh"[place] for place in words)
    moved = score(
        measure(n_words=3), of_topics(topics[order][:, words], shares[order], words=named)
    )
    assert moved.value == pytest.approx(plain.value, abs=1e-12)
    if plain.per_topic is not None:
        assert moved.per_topic == pytest.approx([plain.per_topic[t] for t in order], abs=1e-12)


def test_ties_go_by_spelling():
    even = np.full((2, 4), 0.25)
    assert score(UniqueWords(n_words=2), of_topics(even, words="dcba")).value == 0.0
    assert score(Overlap(n_words=2), of_topics(even, words="badc")).value == 1.0


@pytest.mark.parametrize(
    ("measure", "expected"), list(zip(MEASURES, [0.0, 2.0, 1.0, 0.0, 0.0], strict=True))
)
def test_a_single_topic(measure, expected):
    assert score(measure(), of_topics([[0.5, 0.5]])).value == expected
    assert score(measure(), of_lists(["tea", "milk"])).value == expected


@pytest.mark.parametrize("measure", MEASURES)
def test_a_topic_without_words(measure):
    full = of_lists(*LISTS)
    found = score(measure(), of_lists(*LISTS, []))
    none_or_zero = 0.0 if measure is UniqueWords else None
    assert found.per_topic is None or found.per_topic[3] == none_or_zero
    # Left out everywhere, but a topic more for the mean number of unique words.
    factor = 3 / 4 if measure is UniqueWords else 1
    assert found.value == pytest.approx(factor * score(measure(), full).value)
    with pytest.raises(UndefinedError, match="No topic"):
        score(measure(), of_topics(np.zeros((2, 3))))


@pytest.mark.parametrize("measure", [Closeness, Overlap, RankBiasedOverlap])
def test_one_topic_with_words_overlaps_with_nothing(measure):
    found = score(measure(), of_topics([[0.5, 0.5], [0.0, 0.0]]))
    assert found.value == 0.0
    assert found.per_topic == [0.0, None]


def test_a_word_twice_in_a_list_counts_once():
    twice = of_lists(["a", "a", "b"], ["c", "b"])
    assert score(UniqueWords(), twice).per_topic == [1.0, 1.0]
    assert score(TopicDiversity(), twice).value == 0.75
    assert score(Closeness(), twice).value == 1.0
    assert jaccard([["a", "a", "b"]], [["b"]]).tolist() == [[0.5]]
    assert shared_words([], [["a"]]).shape == (0, 1)


def test_settings_are_checked():
    for measure in MEASURES:
        for n_words in (0, -1, 2.5, "10"):
            with pytest.raises(InputError, match="n_words"):
                measure(n_words=n_words)
    with pytest.raises(InputError, match="ordered"):
        Closeness(by="taste")
    with pytest.raises(InputError, match="lam"):
        Closeness(lam="0.6")
    for p in (2, 0, 1, -0.1, float("nan"), "0.9", None):
        with pytest.raises(InputError, match="p must be a number above 0 and below 1"):
            RankBiasedOverlap(p=p)
    assert Closeness().settings == {"n_words": 10, "by": "uplift", "lam": 0.6}
