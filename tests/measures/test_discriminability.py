"""What words tell about topics and topics about documents: by hand, and for awkward input."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import entropy

import chatham as ch
from chatham.commons import Alone, Simulated
from chatham.measures.discriminability import DiscriminabilityOfTopics, DiscriminabilityOfWords
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject, folding, subject_of_model
from tests.conftest import split

MEASURES = [DiscriminabilityOfWords, DiscriminabilityOfTopics]
TOPICS = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.25, 0.25, 0.5]])
# Exact mixtures of the topics: weights (1, 0), (0, 1), (2/3, 1/3), (1/2, 1/2).
COUNTS = np.array([[2, 2, 0, 0], [0, 1, 1, 2], [4, 5, 1, 2], [2, 3, 1, 2], [0, 0, 0, 0]])


def scored(measure, topics, counts):
    topics = np.asarray(topics, dtype=float)
    words = np.array([f"w{number:03}" for number in range(topics.shape[1])], dtype=object)
    subject = Subject(vocabulary=words, topics=topics, estimator=folding("nmf", topics))
    return measure.measure(subject, Alone(sp.csr_array(counts)))


@pytest.fixture(scope="module")
def fitted(planted):
    counts = planted[0]
    words = [f"w{number:03}" for number in range(counts.shape[1])]
    return ch.fit("nmf", counts, vocabulary=words, n_components=4, random_state=0), counts


def test_words_by_hand():
    # Only the second word is shared, P(t|j) = (2/3, 1/3): disc = 1 − H/log 2. The others have 1.
    shared = 1 - (2 / 3 * math.log(3 / 2) + 1 / 3 * math.log(3)) / math.log(2)
    score = scored(DiscriminabilityOfWords(), TOPICS, COUNTS)
    assert score.per_topic == pytest.approx([0.5 + 0.5 * shared, 0.75 + 0.25 * shared])
    # v = (13/48, 37/96, 11/96, 11/48), since w = (13/24, 11/24).
    assert score.value == pytest.approx((26 + 37 * shared + 11 + 22) / 96)


def test_topics_by_hand():
    # The columns over their sums are (6, 0, 4, 3)/13 and (0, 6, 2, 3)/11.
    first = (6 * math.log(13 / 6) + 4 * math.log(13 / 4) + 3 * math.log(13 / 3)) / 13
    second = (6 * math.log(11 / 6) + 2 * math.log(11 / 2) + 3 * math.log(11 / 3)) / 11
    told = [1 - first / math.log(4), 1 - second / math.log(4)]
    score = scored(DiscriminabilityOfTopics(), TOPICS, COUNTS)
    assert score.per_topic == pytest.approx(told)
    assert score.value == pytest.approx((13 * told[0] + 11 * told[1]) / 24)
    assert score.notes == {"documents": 4}


def test_equal_to_scipy(fitted):
    model, counts = fitted
    weights = model.transform(counts[np.asarray(counts.sum(axis=1)) > 0])
    shares = weights.sum(axis=0) / weights.sum()
    topics, commons = model.topics, Alone(counts)
    uttered = topics.sum(axis=0) > 0
    of_words = 1 - entropy(topics[:, uttered], axis=0) / math.log(len(topics))
    of_topics = 1 - entropy(weights, axis=0) / math.log(len(weights))
    by_words = DiscriminabilityOfWords().measure(subject_of_model(model), commons)
    by_topics = DiscriminabilityOfTopics().measure(subject_of_model(model), commons)
    assert by_words.value == pytest.approx((shares @ topics)[uttered] @ of_words)
    assert by_topics.value == pytest.approx(shares @ of_topics)


@pytest.mark.parametrize("measure", MEASURES)
def test_across_holders_as_alone_and_in_any_order(measure, fitted):
    model, counts = fitted
    subject = subject_of_model(model)
    pooled = measure().measure(subject, Alone(counts))
    empty = sp.csr_array((3, counts.shape[1]))
    among = measure().measure(subject, Simulated([*split(counts[::-1], 8), empty]))
    assert among.value == pytest.approx(pooled.value, abs=1e-9)
    assert among.per_topic == pytest.approx(pooled.per_topic, abs=1e-9)
    turned = scored(measure(), model.topics[::-1], counts)
    assert turned.value == pytest.approx(scored(measure(), model.topics, counts).value, abs=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
def test_a_single_topic_tells_nothing(measure):
    score = scored(measure(), [[0.25, 0.75]], [[3, 1], [0, 2]])
    assert score.value == pytest.approx(0.0, abs=1e-12)
    assert score.per_topic == pytest.approx([0.0], abs=1e-12)


def test_a_single_document_is_not_told_apart():
    score = scored(DiscriminabilityOfTopics(), TOPICS, COUNTS[2:3])
    assert score.value == 0.0
    assert score.per_topic == [0.0, 0.0]


def test_the_bounds_are_reached():
    alike = np.tile([0.25, 0.75], (2, 1))
    assert scored(DiscriminabilityOfWords(), alike, [[1, 3]]).value == pytest.approx(0, abs=1e-12)
    for measure in MEASURES:
        assert scored(measure(), np.eye(3), np.diag([1, 5, 2])).value == pytest.approx(1)


def test_a_topic_without_words_or_documents_has_no_value():
    with_empty = np.vstack([TOPICS, np.zeros(4)])
    # k = 3 now: the shared word's entropy is over log 3.
    shared = 1 - (2 / 3 * math.log(3 / 2) + 1 / 3 * math.log(3)) / math.log(3)
    score = scored(DiscriminabilityOfWords(), with_empty, COUNTS)
    assert score.per_topic[:2] == pytest.approx([0.5 + 0.5 * shared, 0.75 + 0.25 * shared])
    assert score.per_topic[2] is None
    unused = scored(DiscriminabilityOfTopics(), TOPICS, [[2, 2, 0, 0], [3, 3, 0, 0]])
    assert unused.per_topic == [0.0, None]


@pytest.mark.parametrize("measure", MEASURES)
def test_no_documents_no_value(measure):
    with pytest.raises(UndefinedError, match="No document"):
        scored(measure(), TOPICS, np.zeros((2, 4)))
