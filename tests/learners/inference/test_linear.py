"""SPI and TLI by hand."""

import numpy as np
import pytest
import scipy.sparse as sp

from chatham.learners.documents import Documents
from chatham.learners.inference import SPI, TLI, coefficients, left_inverse
from tests.conftest import plant


def documents(counts):
    return Documents(np.asarray(counts), frequencies=True)


TOPICS = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.25, 0.75, 0.0]])


def test_coefficients_follow_bayes():
    prevalence = np.array([0.8, 0.2])
    # p(z=0|word 1) = 0.5·0.8 / (0.5·0.8 + 0.25·0.2) = 8/9
    expected = [[1, 8 / 9, 0, 0], [0, 1 / 9, 1, 0]]
    assert coefficients(TOPICS, prevalence) == pytest.approx(np.array(expected))


def test_spi_is_the_mean_of_the_coefficients_of_the_words():
    weights = SPI(TOPICS, np.array([0.8, 0.2])).weights(documents([[1, 2, 1, 0], [0, 0, 5, 0]]))
    first = (1 + 2 * 8 / 9) / 4
    assert weights == pytest.approx(np.array([[first, 1 - first], [0, 1]]))


@pytest.mark.parametrize("inference", [SPI, TLI])
def test_words_that_no_topic_utters_change_nothing(inference):
    counts, topics, _ = plant(n=60, length=60)
    wider = np.hstack([topics, np.zeros((5, 1))])
    more = np.hstack([counts.toarray(), 10 * np.arange(60)[:, None]])
    plain = inference(topics, np.full(5, 0.2)).weights(Documents(counts, frequencies=True))
    found = inference(wider, np.full(5, 0.2)).weights(documents(more))
    assert found == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("inference", [SPI, TLI])
def test_a_document_without_words_of_any_topic_gets_the_prevalence(inference):
    weights = inference(TOPICS, np.array([0.7, 0.3])).weights(documents([[0, 0, 0, 4], [0] * 4]))
    assert weights == pytest.approx(np.array([[0.7, 0.3]] * 2))


def test_spi_of_words_that_only_a_topic_without_prevalence_utters():
    weights = SPI(TOPICS, np.array([1.0, 0.0])).weights(documents([[0, 0, 3, 0], [0, 1, 1, 0]]))
    assert weights == pytest.approx(np.array([[1.0, 0.0], [1.0, 0.0]]))


def by_hand(counts, topics, delta, divisor):
    """TLI to the letter, one document after the other."""
    inverse = left_inverse(topics, delta)
    largest = np.abs(inverse).max()
    rows = []
    for row in counts:
        raw = inverse @ (row / row.sum())
        least = (2 * largest * np.sqrt(np.log(len(topics)) / row.sum()) + delta) / divisor
        kept = np.where(raw < least, 0.0, raw)
        rows.append(kept / kept.sum() if kept.any() else np.eye(len(raw))[raw.argmax()])
    return np.array(rows)


@pytest.mark.parametrize(("delta", "divisor"), [(0.0, 1.0), (0.0, 4.5), (0.1, 3.0), (0.0, 1e9)])
def test_tli_is_the_left_inverse_with_its_threshold(delta, divisor):
    counts, topics, _ = plant(n=80, length=60)
    method = TLI(topics, np.full(5, 0.2), delta, divisor)
    weights = method.weights(Documents(counts, frequencies=True))
    expected = by_hand(counts.toarray(), topics, delta, divisor)
    assert weights == pytest.approx(expected, abs=1e-12)
    assert 80 < (weights > 0).sum() < 400
    assert weights.sum(axis=1) == pytest.approx(1.0)
    assert weights.min() >= 0


def test_where_all_topics_fall_the_largest_is_kept():
    counts, topics, _ = plant(n=20, length=3)
    weights = TLI(topics, np.full(5, 0.2), divisor=1.0).weights(Documents(counts, frequencies=True))
    assert (np.sort(weights, axis=1) == [0, 0, 0, 0, 1]).all()


def test_the_threshold_is_4_and_a_half_times_less_than_proven():
    counts, topics, _ = plant(n=40)
    documents = Documents(counts, frequencies=True)
    plain = TLI(topics, np.full(5, 0.2)).weights(documents)
    assert np.array_equal(plain, TLI(topics, np.full(5, 0.2), 0.0, 4.5).weights(documents))


@pytest.mark.parametrize("inference", [SPI, TLI])
def test_each_document_by_itself(inference):
    counts, topics, _ = plant(n=50)
    method = inference(topics, np.full(5, 0.2))
    together = method.weights(Documents(counts, frequencies=True))
    alone = [
        method.weights(Documents(sp.csr_array(counts[[row]]), frequencies=True))[0]
        for row in range(50)
    ]
    assert np.array_equal(together, np.array(alone))
