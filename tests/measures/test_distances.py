"""Distances from bad outcomes: by hand, against SciPy, for awkward input, across holders."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import entropy

import chatham as ch
from chatham.commons import Alone, Simulated
from chatham.errors import InputError
from chatham.measures.distances import (
    DocumentAverage,
    TopicAverage,
    TopicUniform,
    WeightsBackground,
    divergences,
    weight_divergences,
)
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import subject_of_model
from tests.conftest import split
from tests.measures.conftest import COUNTS, TOPICS, scored, subject_of

MEASURES = [TopicUniform, TopicAverage, DocumentAverage, WeightsBackground]
SHARES = (13 / 24, 11 / 24)


def test_topic_uniform_by_hand():
    # log 4 − log 2 = log 2; H = ½ log 4 + ½ log 2 = 1½ log 2, so log 4 − H = ½ log 2.
    score = scored(TopicUniform(), subject_of(TOPICS), COUNTS)
    assert score.per_topic == pytest.approx([math.log(2), 0.5 * math.log(2)])
    assert score.value == pytest.approx(37 / 48 * math.log(2))  # 13/24 + 11/24 · ½


def test_topic_average_by_hand():
    # The mean topic is (2, 3, 1, 2)/8.
    first = 0.5 * math.log(2) + 0.5 * math.log(4 / 3)
    second = 0.25 * math.log(2 / 3) + 0.25 * math.log(2) + 0.5 * math.log(2)
    score = scored(TopicAverage(), subject_of(TOPICS), COUNTS)
    assert score.per_topic == pytest.approx([first, second])
    assert score.value == pytest.approx(SHARES[0] * first + SHARES[1] * second)


def test_document_average_by_hand():
    # The mean of (½, ½, 0, 0), (0, ¼, ¼, ½), (4, 5, 1, 2)/12, (2, 3, 1, 2)/8: (26, 37, 11, 22)/96.
    first = 0.5 * math.log(48 / 26) + 0.5 * math.log(48 / 37)
    second = 0.25 * math.log(24 / 37) + 0.25 * math.log(24 / 11) + 0.5 * math.log(48 / 22)
    score = scored(DocumentAverage(smoothing=0.0), subject_of(TOPICS), COUNTS)
    assert score.per_topic == pytest.approx([first, second])
    assert score.value == pytest.approx(SHARES[0] * first + SHARES[1] * second)
    nearly = scored(DocumentAverage(), subject_of(TOPICS), COUNTS)
    assert nearly.value == pytest.approx(score.value, abs=1e-5)


def test_weights_background_by_hand():
    # The columns over their sums: (6, 0, 4, 3)/13 and (0, 6, 2, 3)/11, each against ¼.
    first = (6 * math.log(24 / 13) + 4 * math.log(16 / 13) + 3 * math.log(12 / 13)) / 13
    second = (6 * math.log(24 / 11) + 2 * math.log(8 / 11) + 3 * math.log(12 / 11)) / 11
    score = scored(WeightsBackground(), subject_of(TOPICS), COUNTS)
    assert score.per_topic == pytest.approx([first, second])
    assert score.value == pytest.approx(SHARES[0] * first + SHARES[1] * second)
    assert score.notes == {"documents": 4}


def test_equal_to_scipy(fitted):
    model, counts = fitted
    dense = counts.toarray()[counts.sum(axis=1) > 0]
    topics, weights = model.topics, model.transform(sp.csr_array(dense))
    average = (dense / dense.sum(axis=1, keepdims=True)).mean(axis=0)
    backgrounds = {
        TopicUniform(): (topics, np.full(topics.shape[1], 1 / topics.shape[1])),
        TopicAverage(): (topics, topics.mean(axis=0)),
        DocumentAverage(smoothing=0.0): (topics, average),
        WeightsBackground(): (weights.T, np.full(len(weights), 1 / len(weights))),
    }
    for measure, (rows, background) in backgrounds.items():
        expected = [entropy(row, background) for row in rows]
        score = scored(measure, subject_of_model(model), counts)
        assert score.per_topic == pytest.approx(expected, abs=1e-9)
        assert score.value == pytest.approx(np.average(expected, weights=weights.sum(axis=0)))


@pytest.mark.parametrize("measure", MEASURES)
def test_across_holders_as_alone_and_in_any_order(measure, fitted):
    model, counts = fitted
    subject = subject_of_model(model)
    pooled = measure().measure(subject, Alone(counts))
    empty = sp.csr_array((3, counts.shape[1]))
    among = measure().measure(subject, Simulated([*split(counts[::-1], 8), empty]))
    assert among.value == pytest.approx(pooled.value, abs=1e-9)
    assert among.per_topic == pytest.approx(pooled.per_topic, abs=1e-9)
    turned = scored(measure(), subject_of(model.topics[::-1]), counts)
    assert turned.value == pytest.approx(
        scored(measure(), subject_of(model.topics), counts).value, abs=1e-9
    )


def test_what_crosses_does_not_grow_with_documents(fitted):
    model, counts = fitted
    subject = subject_of_model(model)
    for measure in MEASURES:
        sizes = {
            sum(np.size(part) for part in Alone(rows).sum(measure.local_statistics, subject))
            for rows in (counts, counts[:20])
        }
        assert len(sizes) == 1


@pytest.mark.parametrize("measure", [TopicAverage, WeightsBackground])
def test_a_single_topic_has_no_distance(measure):
    score = scored(measure(), subject_of([[0.25, 0.75]]), [[3, 1], [0, 2]])
    assert score.value == pytest.approx(0.0, abs=1e-12)
    assert score.per_topic == pytest.approx([0.0], abs=1e-12)


def test_a_single_document_has_no_background():
    assert scored(WeightsBackground(), subject_of(TOPICS), COUNTS[2:3]).value == 0.0


def test_the_bounds_are_reached():
    apart = subject_of(np.eye(3))
    counts = np.diag([1, 5, 2])
    for measure in MEASURES:
        assert scored(measure(), apart, counts).value == pytest.approx(math.log(3), abs=1e-5)


def test_a_topic_without_words_has_no_value_and_is_not_in_the_mean():
    with_empty = subject_of(np.vstack([TOPICS, np.zeros(4)]))
    for measure in (TopicUniform(), TopicAverage(), DocumentAverage()):
        plain = scored(measure, subject_of(TOPICS), COUNTS)
        score = scored(measure, with_empty, COUNTS)
        assert score.per_topic[2] is None
        assert score.per_topic[:2] == pytest.approx(plain.per_topic)
    with pytest.raises(UndefinedError, match="No topic"):
        scored(TopicUniform(), subject_of(np.zeros((1, 4))), COUNTS)


def test_a_topic_that_no_document_has_is_left_out():
    score = scored(WeightsBackground(), subject_of(TOPICS), [[2, 2, 0, 0], [3, 3, 0, 0]])
    assert score.per_topic == [0.0, None]
    assert score.value == 0.0
    assert weight_divergences((np.array([1.0, 0.0]), np.zeros(2), np.array([2.0]))) == [
        pytest.approx(math.log(2)),
        None,
    ]


def test_a_word_that_no_document_has():
    counts = [[2, 2, 0, 0]]
    # The background of the third word is 1e-6/4, of the first two 1/2 (but for the smoothing).
    expected = 0.25 * math.log(0.5) + 0.25 * math.log(1e6) + 0.5 * math.log(2e6)
    score = scored(DocumentAverage(), subject_of(TOPICS), counts)
    assert score.per_topic[1] == pytest.approx(expected, abs=1e-5)
    with pytest.raises(UndefinedError, match="smoothing"):
        scored(DocumentAverage(smoothing=0.0), subject_of(TOPICS), counts)
    with pytest.raises(InputError, match="smoothing"):
        DocumentAverage(smoothing=2.0)


@pytest.mark.parametrize("measure", MEASURES)
def test_no_documents_no_value(measure):
    with pytest.raises(UndefinedError, match="No document"):
        scored(measure(), subject_of(TOPICS), np.zeros((2, 4)))


def test_divergences_are_never_infinite():
    tiny = np.array([[1.0 - 2e-308, 5e-324], [1.0, 0.0]])
    assert np.isfinite(divergences(tiny, tiny.mean(axis=0))).all()


@pytest.mark.parametrize("measure", MEASURES)
def test_a_holder_without_documents(measure):
    corpus = ch.read_corpus(["cats purr and sleep", "dogs bark", "dogs bark at cats", "cats sleep"])
    subject = subject_of_model(ch.fit("nmf", corpus, n_components=2, random_state=0))
    alone = measure().measure(subject, Alone(corpus))
    among = measure().measure(subject, Simulated([corpus.rows([]), corpus]))
    assert among.value == pytest.approx(alone.value, abs=1e-12)
