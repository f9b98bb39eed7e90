"""Stability: matched topics of several models, by hand and over seeds."""

from itertools import permutations

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.measures.measure import UndefinedError
from chatham.measures.stability import SIMILARITIES, stability, stability_across_seeds
from chatham.measures.subject import Subject, subject_of_model
from tests.conftest import plant


def of_lists(*lists):
    return Subject(vocabulary=np.array([], dtype=object), lists=lists)


def of_topics(topics, words="abcdefghijkl"):
    topics = np.asarray(topics, dtype=float)
    return Subject(vocabulary=np.array(list(words[: topics.shape[1]]), dtype=object), topics=topics)


def pairs(found):
    return list(zip(found.matching["left_topic"], found.matching["right_topic"], strict=True))


def test_by_hand():
    first = of_lists(["a", "b"], ["c", "d"])
    second = of_lists(["c", "d"], ["a", "x"])
    third = of_lists(["p", "q"], ["a", "b"])
    found = stability([first, second, third])
    # 1–2: {a} of three and {c, d}: (⅓ + 1)/2; 1–3: (1 + 0)/2; 2–3: (⅓ + 0)/2.
    assert found.value == pytest.approx((2 / 3 + 1 / 2 + 1 / 6) / 3)
    assert found.per_topic == pytest.approx([(1 / 3 + 1) / 2, (1 + 0) / 2])
    assert pairs(found) == [(0, 1), (1, 0), (0, 1), (1, 0), (0, 0), (1, 1)]
    assert found.matching["left"].tolist() == [0, 0, 0, 0, 1, 1]
    assert found.matching["right"].tolist() == [1, 1, 2, 2, 2, 2]


def test_the_best_matching_is_not_the_greedy_one():
    first = of_lists(["a", "b"], ["a", "c", "d"])
    second = of_lists(["a", "b", "c"], ["b", "x"])
    # ab–abc 2/3 and acd–bx 0 is greedy; ab–bx 1/3 and acd–abc 2/4 adds up to more.
    found = stability([first, second])
    assert pairs(found) == [(0, 1), (1, 0)]
    assert found.value == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_ranks_matter_for_rbo_only():
    first, second = of_lists(["a", "b"]), of_lists(["b", "a"])
    assert stability([first, second]).value == 1.0
    # p = 0.9: agreements 0, 1: 0.1·0.9 + 0.81.
    assert stability([first, second], by="rbo").value == pytest.approx(0.9)


def test_cosine_over_common_words():
    first = of_topics([[0.6, 0.4, 0.0], [0.0, 0.0, 1.0]], words="abc")
    second = of_topics([[0.5, 0.25, 0.25], [0.9, 0.1, 0.0]], words="zba")
    # Over (a, b): (0.6, 0.4), nothing; (0.25, 0.25), (0, 0.1).
    found = stability([first, second], by="cosine")
    best = 1.0 / (np.sqrt(0.52) * np.sqrt(2))
    assert pairs(found) == [(0, 0), (1, 1)]
    assert found.per_topic == pytest.approx([best, 0.0])
    with pytest.raises(UndefinedError, match="no word in common"):
        stability([first, of_topics([[1.0]], words="q")], by="cosine")
    with pytest.raises(InputError, match="probabilities"):
        stability([first, of_lists(["a"])], by="cosine")


@pytest.mark.parametrize("by", SIMILARITIES)
def test_the_same_topics_in_another_order(by):
    topics = plant()[1][:, :12]
    topics /= topics.sum(axis=1, keepdims=True)
    order = [3, 1, 4, 0, 2]
    found = stability([of_topics(topics), of_topics(topics[order])], n_words=4, by=by)
    assert found.value == pytest.approx(1.0)
    assert found.per_topic == pytest.approx([1.0] * 5)
    assert [order[right] for _, right in pairs(found)] == [0, 1, 2, 3, 4]


def test_ties_do_not_go_by_number():
    # Both topics of the first could have "a" of the second; whichever comes first by spelling has.
    for turned in permutations([["a", "b"], ["a", "c"]]):
        found = stability([of_lists(*turned), of_lists(["a"])])
        similar = dict(zip(map(tuple, turned), found.per_topic, strict=True))
        assert similar == {("a", "b"): 0.5, ("a", "c"): 0.0}


def test_topics_left_over_count_as_nothing():
    few, many = of_lists(["a", "b"]), of_lists(["x", "y"], ["a", "b"], ["p", "q"])
    found = stability([few, many])
    assert found.value == pytest.approx(1 / 3)
    assert found.per_topic == [1.0]
    turned = stability([many, few])
    assert turned.value == pytest.approx(1 / 3)
    assert turned.per_topic == [0.0, 1.0, 0.0]
    assert pairs(turned) == [(1, 0)]


def test_a_topic_without_words_is_like_none():
    for by in SIMILARITIES:
        empty = of_topics([[0.5, 0.5], [0.0, 0.0]])
        assert stability([empty, empty], by=by).per_topic == pytest.approx([1.0, 0.0])


def test_what_is_refused():
    one = of_lists(["a"])
    with pytest.raises(InputError, match="two or more"):
        stability([one])
    with pytest.raises(InputError, match="'words', 'rbo', 'cosine'"):
        stability([one, one], by="taste")
    with pytest.raises(InputError, match="n_words"):
        stability([one, one], n_words=0)
    with pytest.raises(InputError, match="without topics"):
        stability([one, of_lists()])
    with pytest.raises(InputError, match="read from int"):
        stability([one, 3])


def test_over_seeds(planted):
    counts = planted[0]
    words = [f"w{number:02}" for number in range(counts.shape[1])]
    told = {"vocabulary": words, "n_components": 5, "init": "random"}
    found = stability_across_seeds("nmf", counts, [0, 1, 2], **told)
    assert found.value > 0.95
    assert len(found.matching) == 15
    fitted = [ch.fit("nmf", counts, random_state=seed, **told) for seed in range(3)]
    assert stability(fitted).value == found.value
    assert stability([subject_of_model(model) for model in fitted]).value == found.value
    by_cosine = stability_across_seeds("nmf", counts, range(2), by="cosine", **told)
    assert by_cosine.value > 0.99


def test_noise_is_less_stable_than_planted_topics(planted):
    rng = np.random.default_rng(0)
    noise = rng.multinomial(80, np.full(60, 1 / 60), 300)
    words = [f"w{number:02}" for number in range(60)]
    told = {"vocabulary": words, "n_components": 5, "init": "random"}
    assert stability_across_seeds("nmf", noise, [0, 1], **told).value < 0.7


def test_seeds_that_are_refused(planted):
    for seeds in ([], [1], [1, 1]):
        with pytest.raises(InputError, match="different seeds"):
            stability_across_seeds("nmf", planted[0], seeds)
    with pytest.raises(InputError, match="random_state"):
        stability_across_seeds("nmf", planted[0], [0, 1], random_state=3)
