"""What tests of held-out text share: topics as a subject that can weigh documents."""

import numpy as np

from chatham.measures.subject import Subject, folding, smoothed

HUGE = [1e10, 2.0**53, 1e19, 1e300]
"""Counts that no loop over tokens ends for, and that whole numbers don't hold."""


def subject(topics, **more):
    words = np.array([f"w{j}" for j in range(topics.shape[1])], dtype=object)
    return Subject(words, topics, estimator=folding("plsa", smoothed(topics, 1e-9)), **more)
