"""What tests of measures share: two topics with exact mixtures of them, and a fitted model."""

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Alone
from chatham.measures.subject import Subject, folding

TOPICS = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.25, 0.25, 0.5]])
# Exact mixtures of the topics: weights (1, 0), (0, 1), (2/3, 1/3), (1/2, 1/2), which add up to
# 13/6 and 11/6, so that w = (13/24, 11/24); the fifth document is empty and left out.
COUNTS = np.array([[2, 2, 0, 0], [0, 1, 1, 2], [4, 5, 1, 2], [2, 3, 1, 2], [0, 0, 0, 0]])


def subject_of(topics):
    """Topics over words w000, w001 and so on, whose documents are weighed exactly."""
    topics = np.asarray(topics, dtype=float)
    words = np.array([f"w{number:03}" for number in range(topics.shape[1])], dtype=object)
    return Subject(vocabulary=words, topics=topics, estimator=folding("nmf", topics))


def scored(measure, subject, counts):
    """The measure of a subject on these counts, which one holder has."""
    return measure.measure(subject, Alone(sp.csr_array(counts)))


@pytest.fixture(scope="module")
def fitted(planted):
    """A model of the planted corpus, and the corpus's counts."""
    counts = planted[0]
    words = [f"w{number:03}" for number in range(counts.shape[1])]
    return ch.fit("nmf", counts, vocabulary=words, n_components=4, random_state=0), counts
