"""Two topics over three words, and documents read from left to right by them."""

import numpy as np

import chatham as ch
from chatham.learners.documents import Documents
from chatham.measures.held_out.left_to_right import LeftToRight
from tests.measures.held_out.conftest import subject

TOPICS = np.array([[0.75, 0.2, 0.05], [0.05, 0.25, 0.7]])


ALPHA = np.array([0.2, 0.5])


WORDS = (0, 0, 2, 1)


def bag(words, d=3):
    return Documents(np.bincount(words, minlength=d)[None, :])


def score(counts, topics=TOPICS, alpha=None, **settings):
    return LeftToRight(**settings).measure(subject(topics, alpha=alpha), ch.Alone(counts))
