"""The shape of topics, worked by hand, and across holders."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from chatham.commons import Alone, Simulated
from chatham.corpus import Corpus
from chatham.measures import shape
from chatham.measures.diversity import Closeness
from chatham.measures.measure import UndefinedError
from chatham.measures.registry import MEASURES
from chatham.measures.shape import Dissimilarity, Entropy, Sparsity, Specificity
from chatham.measures.subject import Subject
from tests.conftest import plant, split

WORDS = np.array(["rain", "sun", "tea", "wine"], dtype=object)
TOPICS = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.25, 0.75]])


def subject(topics=TOPICS, words=WORDS, **others):
    return Subject(words, topics, **others)


def test_specificity_counts_every_token_alike():
    counts = np.array([[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 1, 3], [0, 0, 0, 0]])
    # 8 tokens: p = (¼ ¼ ⅛ ⅜). Both topics are the corpus restricted to half of it: log 2 each.
    score = Specificity().measure(subject(), Alone(counts))
    assert score.per_topic == pytest.approx([math.log(2)] * 2)
    assert score.value == pytest.approx(math.log(2))


@pytest.mark.filterwarnings("ignore:1 of the corpus's 3 different words")
def test_specificity_on_a_corpus_with_words_of_its_own():
    corpus = Corpus(np.array([[1, 9, 1]]), ["rain", "snow", "sun"])
    score = Specificity().measure(subject(), Alone(corpus))
    assert score.per_topic == [pytest.approx(0.0), None]  # p = (½ ½ 0 0), and no tea, no wine
    assert score.notes == {"words_left_out": 2}


def test_specificity_without_any_words():
    with pytest.raises(UndefinedError, match="No document"):
        Specificity().measure(subject(), Alone(np.zeros((2, 4))))


def test_specificity_across_holders():
    counts, topics, _ = plant()
    words = [f"w{j:02}" for j in range(60)]
    model = subject(topics, np.array(words, dtype=object))
    pooled = Specificity().measure(model, Alone(counts))
    nothing = Corpus(counts[:0], words)
    parts = Simulated([*split(counts, 8), nothing])
    shared = Specificity().measure(model, parts)
    assert shared.value == pytest.approx(pooled.value, abs=1e-12)
    assert shared.per_topic == pytest.approx(pooled.per_topic, abs=1e-12)
    shuffled = np.random.default_rng(0).permutation(300)
    assert Specificity().measure(model, Alone(counts[shuffled])).value == pooled.value


def test_dissimilarity_by_hand():
    # The mean is (¼ ¼ ⅛ ⅜), both topics (±¼ ±¼ ±⅛ ±⅜) from it: √(2/16 + 10/64)
    score = Dissimilarity().measure(subject(), None)
    assert score.value == pytest.approx(math.sqrt(18 / 64))


def test_entropy_by_bayes():
    topics = np.array([[0.5, 0.5], [0.25, 0.75]])
    # Shares ⅓ and ⅔: word 0 has (⅙ ⅙), all doubt; word 1 has (⅙ ½), that is (¼ ¾).
    in_bits = 0.25 * 2 + 0.75 * math.log2(4 / 3)
    score = Entropy().measure(subject(topics, WORDS[:2], prevalence=np.array([1 / 3, 2 / 3])), None)
    assert score.value == pytest.approx((1 + in_bits) / 2)
    # All topics alike without shares: (⅔ ⅓) and (⅖ ⅗)
    uniform = Entropy().measure(subject(topics, WORDS[:2]), None)
    entropies = [-sum(p * math.log2(p) for p in (a, 1 - a)) for a in (2 / 3, 2 / 5)]
    assert uniform.value == pytest.approx(sum(entropies) / 2)


def test_entropy_a_few_words_at_a_time(monkeypatch):
    topics, shares = plant(d=50, k=4)[1], np.array([0.4, 0.3, 0.2, 0.1])
    topics[2], topics[:, 7] = 0.0, 0.0
    model = subject(topics, np.array([f"w{j:02}" for j in range(50)], dtype=object))
    model = replace(model, prevalence=shares)
    joint = np.delete(shares[:, None] * topics, 2, axis=0)
    joint = np.delete(joint, 7, axis=1)
    given_word = joint / joint.sum(axis=0)
    expected = -np.log(given_word, where=given_word > 0, out=np.zeros_like(joint)) * given_word
    for at_once in (7, 4096):
        monkeypatch.setattr(shape, "WORDS_AT_ONCE", at_once)
        score = Entropy().measure(model, None)
        assert score.value == pytest.approx(expected.sum(axis=0).mean() / math.log(3), abs=1e-12)
        assert score.notes == {"words_without_topic": 1}


@pytest.mark.parametrize("measure", [Entropy, Closeness])
def test_memory_beside_the_topics_is_bounded(measure):
    topics = np.random.default_rng(0).dirichlet(np.full(20_000, 0.1), 40)
    words = np.array([f"w{j:05}" for j in range(20_000)], dtype=object)
    tracemalloc.start()
    try:
        measure().measure(subject(topics, words), None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2.2 * topics.nbytes


def test_topics_with_words_of_their_own_leave_no_doubt():
    assert Entropy().measure(subject(), None).value == 0.0
    assert Entropy().measure(subject(np.full((3, 4), 0.25)), None).value == pytest.approx(1.0)


def test_sparsity_by_hand():
    # 1/√½ = √2 and 1/√(10/16) = 4/√10
    score = Sparsity().measure(subject(), None)
    assert score.per_topic == pytest.approx([2 - math.sqrt(2), 2 - 4 / math.sqrt(10)])


@pytest.mark.parametrize("measure", [Specificity, Dissimilarity, Entropy, Sparsity])
def test_one_topic_an_empty_topic_and_any_order(measure):
    counts = np.array([[3, 1, 1, 2]])
    one = measure().measure(subject(TOPICS[:1]), Alone(counts))
    assert math.isfinite(one.value)
    plain = measure().measure(subject(), Alone(counts)).value
    assert measure().measure(subject(TOPICS[::-1].copy()), Alone(counts)).value == plain
    with_empty = measure().measure(
        subject(np.vstack([TOPICS, np.zeros(4)]), prevalence=np.array([0.5, 0.5, 0.0])),
        Alone(counts),
    )
    assert math.isfinite(with_empty.value)
    if with_empty.per_topic is not None:
        assert with_empty.per_topic[2] is None
        assert with_empty.value == pytest.approx(plain)
    assert MEASURES[measure.name] == measure()
