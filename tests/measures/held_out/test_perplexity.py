"""Perplexity is what its estimators say, turned round."""

import math
from dataclasses import replace

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.measures.held_out.completion import Completion
from chatham.measures.held_out.left_to_right import LeftToRight
from chatham.measures.held_out.perplexity import Perplexity
from chatham.measures.measure import UndefinedError
from tests.conftest import plant, split
from tests.measures.held_out.conftest import subject


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


def test_the_estimators_differ_by_little():
    counts, topics, _ = plant(n=60, d=40, k=4)
    reading, completing = (
        Perplexity(name).measure(subject(topics), ch.Alone(counts)).notes["log_probability"]
        for name in ("left_to_right", "completion")
    )
    # Over twenty seeds completion is 0.028 higher (it knows half a document at every token) with a
    # standard deviation of 0.013 for its coins; particles scatter by 0.001.
    assert abs(completing - reading - 0.028) < 3 * 0.013
    assert completing != pytest.approx(reading, abs=1e-3)


class Counted:
    """Finds weights as another does, and counts how often it was asked."""

    def __init__(self, estimator):
        self.estimator, self.times = estimator, 0

    def transform(self, counts):
        self.times += 1
        return self.estimator.transform(counts)


@pytest.mark.parametrize("estimate", [LeftToRight, Completion])
def test_both_measures_cost_one_reading(estimate):
    counts, topics, _ = plant(n=20, d=40, k=4)
    commons, model = ch.Alone(counts), subject(topics)
    model = replace(model, estimator=Counted(model.estimator))
    with commons.fitting():
        log = estimate().measure(model, commons)
        found = Perplexity(estimate.name).measure(model, commons)
        assert found.value == math.exp(-log.value)
        assert Perplexity(estimate.name, seed=1).measure(model, commons).value != found.value
        assert Perplexity(estimate.name, smoothing=0.1).measure(model, commons).value != found.value
    assert model.estimator.times == (3 if estimate is Completion else 0)


def test_all_that_crosses_is_said():
    step = Perplexity.local_statistics.__doc__.splitlines()[0]
    for part in ("log p", "tokens", "squares", "product", "variance", "cut or left out", "imposs"):
        assert part in step


def test_undefined_and_senseless():
    with pytest.raises(UndefinedError, match="No document"):
        Perplexity().measure(subject(np.full((1, 2), 0.5)), ch.Alone(np.zeros((2, 2))))
    with pytest.raises(InputError, match="no estimator called 'guess'; choose from left_to_right"):
        Perplexity("guess")
    with pytest.raises(InputError, match="smoothing"):
        Perplexity(smoothing=-1)
