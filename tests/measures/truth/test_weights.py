"""Measures against true weights, worked by hand, with other numbers of topics, across holders."""

import math

import numpy as np
import pytest

from chatham.commons import Alone, Simulated
from chatham.corpus import Corpus
from chatham.errors import ChathamError, HolderError, InputError
from chatham.measures.evidence import Evidence
from chatham.measures.measure import UndefinedError
from chatham.measures.registry import MEASURES
from chatham.measures.truth import topics as topics_module
from chatham.measures.truth.weights import (
    KLToTrueWeights,
    PrecisionOfTopics,
    RecallOfTopics,
    prominent,
)
from tests.conftest import plant
from tests.measures.truth.conftest import subject

NAMES = (
    "precision_of_topics", "recall_of_topics", "f1_of_topics", "hellinger", "kl_to_true_weights",
    "l1_of_weights", "linf_of_weights", "prior_distance", "non_support",
)  # fmt: skip

# Each topic is a word, so that a document's weights are its frequencies: (.5 .3 .2) and (0 0 1).
COUNTS = np.array([[5, 3, 2], [0, 0, 4], [0, 0, 0]])
FOUND = np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 1.0]])
TRUE = np.array([[0.2, 0.8, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


def rows(counts, weights):
    return Evidence(Corpus(counts, [f"w{j:02}" for j in range(counts.shape[1])]), weights)


def score(name, counts=COUNTS, weights=TRUE, topics=None, truth=None):
    topics = np.eye(3) if topics is None else topics
    truth = np.eye(3) if truth is None else truth
    measure = MEASURES[name]() if isinstance(name, str) else name
    return measure.measure(subject(topics, truth), Alone(rows(counts, weights)))


# The second document is as it should be, and the third has no words. In the first .5 + .3 = .8 make
# topics 0 and 1 prominent, in truth topic 1 alone.
BY_HAND = {
    "precision_of_topics": (1 / 2 + 1) / 2,
    "recall_of_topics": 1.0,
    "f1_of_topics": (2 * 0.5 / 1.5 + 1) / 2,
    "hellinger": math.sqrt(
        ((0.5**0.5 - 0.2**0.5) ** 2 + (0.3**0.5 - 0.8**0.5) ** 2 + 0.2) / 2
    ) / 2,
    "kl_to_true_weights": (0.2 * math.log(0.2 / 0.5) + 0.8 * math.log(0.8 / 0.3)) / 2,
    "l1_of_weights": (0.3 + 0.5 + 0.2) / 2,
    "linf_of_weights": 0.5 / 2,
    # w*w*ᵀ − wwᵀ: −.21, .55, −.04 on the diagonal; .16 − .15, −.1, −.06 beside it
    "prior_distance": math.sqrt(
        0.21**2 + 0.55**2 + 0.04**2 + 2 * (0.01**2 + 0.1**2 + 0.06**2)
    ) / 2,
    "non_support": (0.5 + 0.2) / 2,
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_by_hand(name):
    found = score(name)
    assert found.value == pytest.approx(BY_HAND[name], abs=2e-6)  # KL is smoothed by 1e-6
    assert found.notes == {"documents": 2}


@pytest.mark.parametrize("name", NAMES)
def test_order_of_topics_and_documents_changes_nothing(name):
    plain = score(name).value
    order, documents = [2, 0, 1], [1, 2, 0]
    assert score(name, topics=np.eye(3)[order]).value == pytest.approx(plain, abs=1e-9)
    assert score(name, truth=np.eye(3)[order], weights=TRUE[:, order]).value == pytest.approx(
        plain, abs=1e-9
    )
    assert score(name, COUNTS[documents], TRUE[documents]).value == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_truth_is_at_the_best_value(name):
    best = score(name, weights=np.vstack([FOUND, np.ones(3)])).value
    expected = {"precision_of_topics": 1, "recall_of_topics": 1, "f1_of_topics": 1}
    if name == "non_support":  # what lies beyond 0.8 of the first document
        assert best == pytest.approx(0.1, abs=1e-8)
    else:
        assert best == pytest.approx(expected.get(name, 0), abs=2e-6)


def test_a_topic_too_many_keeps_its_own_column():
    # Only the first two topics are true: in the first document the third takes .2 for itself.
    truth, weights = np.eye(3)[:2], np.array([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]])
    values = {name: score(name, weights=weights, truth=truth).value for name in NAMES}
    assert values["l1_of_weights"] == pytest.approx((1.0 + 2.0) / 2, abs=1e-8)
    assert values["linf_of_weights"] == pytest.approx((0.5 + 1.0) / 2, abs=1e-8)
    assert values["precision_of_topics"] == pytest.approx((0.5 + 0.0) / 2)
    assert values["recall_of_topics"] == pytest.approx((1.0 + 0.0) / 2)
    assert values["f1_of_topics"] == pytest.approx((2 / 3 + 0.0) / 2)
    assert values["non_support"] == pytest.approx((0.7 + 1.0) / 2, abs=1e-8)
    # KL of the second document: −log of a third of 1e-6, less its own entropy, log 2
    first = BY_HAND["kl_to_true_weights"] * 2
    second = math.log(3e6) - math.log(2)
    assert values["kl_to_true_weights"] == pytest.approx((first + second) / 2, rel=1e-5)


def test_a_true_topic_that_was_missed_has_no_weight():
    # Least squares shares the third word's .2 out to the two topics alike: (.6 .4).
    weights = np.array([[0.2, 0.3, 0.5]])
    found = {
        name: score(name, COUNTS[:1], weights, topics=np.eye(3)[:2]).value
        for name in ("l1_of_weights", "recall_of_topics", "precision_of_topics")
    }
    assert found["l1_of_weights"] == pytest.approx(0.4 + 0.1 + 0.5, abs=1e-8)
    assert found["precision_of_topics"] == pytest.approx(1 / 2)  # {0, 1} where {2, 1} are true
    assert found["recall_of_topics"] == pytest.approx(1 / 2)


def test_one_topic():
    one = {"topics": np.full((1, 3), 1 / 3), "truth": np.full((1, 3), 1 / 3)}
    for name in NAMES:
        value = score(name, weights=np.ones((3, 1)), **one).value
        right = 1.0 if MEASURES[name].higher_is_better else 0.0
        assert value == pytest.approx(right, abs=1e-9)


def test_prominent_topics_that_tie_stand_or_fall_together():
    weights = np.array([[0.6, 0.2, 0.2], [0.9, 0.1, 0.0], [0.1, 0.1, 0.8]])
    assert prominent(weights, 0.8).sum(axis=1).tolist() == [3, 1, 1]
    assert prominent(np.full((1, 10), 0.1), 0.8).all()
    assert prominent(np.full((1, 10), 0.1), 0.8 + 1e-6).all()
    assert prominent(weights, 1.0).tolist() == (weights > 0).tolist()
    assert prominent(np.zeros((0, 3)), 0.8).shape == (0, 3)
    tiny = np.array([[1 - 1.6e-9, 8e-10, 8e-10, 0.0]])  # alike within rounding, but never zero
    assert prominent(tiny, 1.0).tolist() == [[True, True, True, False]]


def test_mass_is_a_setting():
    assert score(PrecisionOfTopics(mass=0.5)).value == pytest.approx((0 + 1) / 2)  # {0} for {1}
    assert score(RecallOfTopics(mass=1.0)).value == pytest.approx(1.0)
    assert score(PrecisionOfTopics(mass=1.0)).value == pytest.approx((2 / 3 + 1) / 2)
    for mass in (0, 1.5, -1):
        with pytest.raises(InputError, match="mass must be a number above 0"):
            PrecisionOfTopics(mass=mass)
    with pytest.raises(InputError, match="smoothing must be a number above 0"):
        KLToTrueWeights(smoothing=0)


def test_documents_without_known_truth_are_left_out():
    unknown = np.vstack([TRUE[0], np.zeros(3), TRUE[2]])
    found = score("l1_of_weights", weights=unknown)
    assert found.value == pytest.approx(1.0, abs=1e-8)
    assert found.notes == {"documents": 1}
    for name in NAMES:
        with pytest.raises(UndefinedError, match="true weights"):
            score(name, weights=np.zeros((3, 3)))


@pytest.mark.parametrize("name", NAMES)
def test_true_weights_are_read_as_shares(name):
    assert score(name, weights=4 * TRUE).value == pytest.approx(score(name).value, abs=1e-12)


def test_true_weights_that_do_not_fit_are_refused():
    with pytest.raises(ChathamError, match="of 2 topics and there are 3 true topics"):
        score("hellinger", weights=TRUE[:, :2])
    with pytest.raises(ChathamError, match="negative"):
        score("hellinger", weights=-TRUE)
    with pytest.raises(ChathamError, match="without true weights"):
        score("hellinger", weights=None)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (np.where(TRUE == 0.8, np.nan, TRUE), "aren't finite numbers"),
        (np.where(TRUE == 0.8, np.inf, TRUE), "aren't finite numbers"),
        (np.where(TRUE == 0.8, -0.1, TRUE), "negative"),
        (np.array([["a"] * 3] * 3), "aren't finite numbers"),
        (np.array([[None] * 3] * 3), "aren't finite numbers"),
        ([0.2, 0.8, 0.0], r"a column for each true topic. Got an array of shape \(3,\)"),
        (np.ones((3, 3, 1)), r"shape \(3, 3, 1\)"),
        (np.float64(1), r"shape \(\)"),
    ],
    ids=["NaN", "infinity", "negative", "text", "None", "a row", "a cube", "a number"],
)
def test_true_weights_that_are_none(name, weights, says):
    with pytest.raises(HolderError, match=says):
        score(name, weights=weights)


def test_true_weights_may_be_whole_numbers_or_lists():
    whole = np.array([[1, 4, 0], [0, 0, 1], [1, 0, 0]])
    by_list = score("hellinger", weights=whole.tolist()).value
    assert by_list == score("hellinger", weights=whole).value == score("hellinger").value


def test_all_measures_cost_one_matching(monkeypatch):
    asked = []
    whole = topics_module.l1_distances
    monkeypatch.setattr(
        topics_module, "l1_distances", lambda *topics: asked.append(1) or whole(*topics)
    )
    model = subject(np.eye(3), np.eye(3))
    for name in (*NAMES, "l1_to_truth"):
        MEASURES[name]().measure(model, Alone(rows(COUNTS, TRUE)))
    assert len(asked) == 1


@pytest.mark.parametrize("k", [4, 5, 6])
def test_across_holders(k):
    counts, truth, weights = plant(n=120, d=30, seed=1)
    rng = np.random.default_rng(k)
    topics = rng.dirichlet(np.full(30, 0.2), k)
    topics[:4] = 0.8 * truth[[3, 0, 4, 1]] + 0.2 * topics[:4]
    model = subject(topics, truth)
    pooled = Alone(rows(counts, weights))
    holders = [rows(counts[start::8], weights[start::8]) for start in range(8)]
    parts = Simulated([*holders, rows(counts[:0], weights[:0])])
    for name in NAMES:
        apart = MEASURES[name]().measure(model, parts).value
        assert apart == pytest.approx(MEASURES[name]().measure(model, pooled).value, abs=1e-9)


def test_nothing_that_crosses_grows_with_documents():
    model = subject(np.eye(3), np.eye(3))
    for name in NAMES:
        measure = MEASURES[name]()
        shapes = []
        for times in (1, 5):
            counts, weights = np.tile(COUNTS, (times, 1)), np.tile(TRUE, (times, 1))
            total = Alone(rows(counts, weights)).sum(
                type(measure).local_statistics, model, *measure.shared(model)
            )
            shapes.append(
                [part.shape for part in (total if isinstance(total, tuple) else (total,))]
            )
        assert shapes[0] == shapes[1]
