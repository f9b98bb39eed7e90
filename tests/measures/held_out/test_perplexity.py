"""Perplexity is what its estimators say, turned round."""

import math

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.measures.held_out.completion import Completion
from chatham.measures.held_out.left_to_right import LeftToRight
from chatham.measures.held_out.perplexity import Perplexity
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject, folding
from tests.conftest import plant, split


def subject(topics):
    words = np.array([f"w{j}" for j in range(topics.shape[1])], dtype=object)
    return Subject(words, topics, estimator=folding("plsa", topics))


@pytest.mark.parametrize("estimator", ["left_to_right", "completion"])
def test_words_all_alike_are_as_many_as_they_are(estimator):
    # Every word has the chance 1/8, so one guesses among eight.
    uniform = np.full((1, 8), 1 / 8)
    counts = np.random.default_rng(0).integers(1, 5, (6, 8))
    found = Perplexity(estimator).measure(subject(uniform), ch.Alone(counts))
    assert found.value == pytest.approx(8.0, rel=1e-12)


def test_by_hand():
    # One topic (½, ¼, ¼), documents aa and bbbb: exp(10/6 log 2) = 2^(5/3)
    topics = np.array([[0.5, 0.25, 0.25]])
    counts = np.array([[2, 0, 0], [0, 4, 0]])
    found = Perplexity(smoothing=0).measure(subject(topics), ch.Alone(counts))
    assert found.value == pytest.approx(2 ** (5 / 3))
    assert found.notes["log_probability"] == pytest.approx(-5 / 3 * math.log(2))
    assert found.notes["documents"] == 2


@pytest.mark.parametrize("estimate", [LeftToRight, Completion])
def test_is_its_estimators_exponential(estimate):
    counts, topics, _ = plant(n=60, d=40, k=4)
    log = estimate(smoothing=0.05, seed=3).measure(subject(topics), ch.Alone(counts))
    measure = Perplexity(estimate.name, smoothing=0.05, seed=3)
    found = measure.measure(subject(topics), ch.Alone(counts))
    assert found.value == math.exp(-log.value)
    assert found.notes["standard_error"] == log.notes["standard_error"]
    apart = measure.measure(subject(topics), ch.Simulated(split(counts, 9)))
    assert apart.value == pytest.approx(found.value, rel=1e-9)


def test_the_estimators_differ():
    counts, topics, _ = plant(n=60, d=40, k=4)
    values = [
        Perplexity(name).measure(subject(topics), ch.Alone(counts)).value
        for name in ("left_to_right", "completion")
    ]
    assert values[0] != pytest.approx(values[1], rel=1e-4)
    assert values[0] == pytest.approx(values[1], rel=0.3)


def test_both_measures_cost_one_reading():
    counts, topics, _ = plant(n=20, d=40, k=4)
    commons = ch.Alone(counts)
    with commons.fitting():
        log = LeftToRight().measure(subject(topics), commons)
        assert Perplexity().measure(subject(topics), commons).value == math.exp(-log.value)


def test_undefined_and_senseless():
    with pytest.raises(UndefinedError, match="No document"):
        Perplexity().measure(subject(np.full((1, 2), 0.5)), ch.Alone(np.zeros((2, 2))))
    with pytest.raises(InputError, match="no estimator called 'guess'; choose from left_to_right"):
        Perplexity("guess")
    with pytest.raises(InputError, match="smoothing"):
        Perplexity(smoothing=-1)
