"""What tests against the truth share: topics with the true ones beside them."""

import numpy as np

from chatham.measures.subject import Subject, folding


def subject(topics, truth):
    words = np.array([f"w{j:02}" for j in range(topics.shape[1])], dtype=object)
    return Subject(words, topics, estimator=folding("nmf", topics), true_topics=truth)
