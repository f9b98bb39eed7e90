"""What words tell about topics and topics about documents: by hand, and for awkward input."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import entropy

from chatham.commons import Alone, Simulated
from chatham.measures.discriminability import DiscriminabilityOfTopics, DiscriminabilityOfWords
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import subject_of_model
from tests.conftest import split
from tests.measures.conftest import COUNTS, TOPICS, scored, subject_of

MEASURES = [DiscriminabilityOfWords, DiscriminabilityOfTopics]


def test_words_by_hand():
    # Only the second word is shared, P(t|j) = (2/3, 1/3): disc = 1 − H/log 2. The others have 1.
    shared = 1 - (2 / 3 * math.log(3 / 2) + 1 / 3 * math.log(3)) / math.log(2)
    score = scored(DiscriminabilityOfWords(), subject_of(TOPICS), COUNTS)
    assert score.per_topic == pytest.approx([0.5 + 0.5 * shared, 0.75 + 0.25 * shared])
    # v = (13/48, 37/96, 11/96, 11/48), since w = (13/24, 11/24).
    assert score.value == pytest.approx((26 + 37 * shared + 11 + 22) / 96)


def test_topics_by_hand():
    # The columns over their sums are (6, 0, 4, 3)/13 and (0, 6, 2, 3)/11.
    first = (6 * math.log(13 / 6) + 4 * math.log(13 / 4) + 3 * math.log(13 / 3)) / 13
    second = (6 * math.log(11 / 6) + 2 * math.log(11 / 2) + 3 * math.log(11 / 3)) / 11
    told = [1 - first / math.log(4), 1 - second / math.log(4)]
    score = scored(DiscriminabilityOfTopics(), subject_of(TOPICS), COUNTS)
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
    turned = scored(measure(), subject_of(model.topics[::-1]), counts)
    assert turned.value == pytest.approx(
        scored(measure(), subject_of(model.topics), counts).value, abs=1e-9
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_a_single_topic_tells_nothing(measure):
    score = scored(measure(), subject_of([[0.25, 0.75]]), [[3, 1], [0, 2]])
    assert score.value == pytest.approx(0.0, abs=1e-12)
    assert score.per_topic == pytest.approx([0.0], abs=1e-12)


def test_a_single_document_is_not_told_apart():
    score = scored(DiscriminabilityOfTopics(), subject_of(TOPICS), COUNTS[2:3])
    assert score.value == 0.0
    assert score.per_topic == [0.0, 0.0]


def test_the_bounds_are_reached():
    alike = np.tile([0.25, 0.75], (2, 1))
    assert scored(DiscriminabilityOfWords(), subject_of(alike), [[1, 3]]).value == pytest.approx(
        0, abs=1e-12
    )
    for measure in MEASURES:
        assert scored(measure(), subject_of(np.eye(3)), np.diag([1, 5, 2])).value == pytest.approx(
            1
        )


def test_a_topic_without_words_or_documents_has_no_value():
    with_empty = np.vstack([TOPICS, np.zeros(4)])
    # It is none of the k: the shared word's entropy is over log 2 still.
    shared = 1 - (2 / 3 * math.log(3 / 2) + 1 / 3 * math.log(3)) / math.log(2)
    score = scored(DiscriminabilityOfWords(), subject_of(with_empty), COUNTS)
    assert score.per_topic[:2] == pytest.approx([0.5 + 0.5 * shared, 0.75 + 0.25 * shared])
    assert score.per_topic[2] is None
    unused = scored(DiscriminabilityOfTopics(), subject_of(TOPICS), [[2, 2, 0, 0], [3, 3, 0, 0]])
    assert unused.per_topic == [0.0, None]


@pytest.mark.parametrize("measure", MEASURES)
def test_no_documents_no_value(measure):
    with pytest.raises(UndefinedError, match="No document"):
        scored(measure(), subject_of(TOPICS), np.zeros((2, 4)))
