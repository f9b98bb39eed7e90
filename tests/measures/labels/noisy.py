"""A planted corpus whose labels no model can be sure of."""

import numpy as np

from chatham.corpus import Corpus
from chatham.measures.labels.accuracy import Trial
from chatham.measures.subject import Subject, folding
from tests.conftest import plant

TRIAL = Trial("weights", 0.2, 0)


def noisy_corpus(n=400, seed=0):
    """A planted corpus whose labels are drawn from the weights, so that none is sure."""
    counts, topics, weights = plant(n=n, seed=seed, concentration=0.5)
    rng = np.random.default_rng(seed)
    labels = np.array([f"c{rng.choice(5, p=row)}" for row in weights], dtype=object)
    words = [f"w{word}" for word in range(counts.shape[1])]
    subject = Subject(
        np.array(words, dtype=object), topics, estimator=folding("nmf", topics),
        classes=tuple(f"c{topic}" for topic in range(5)),
    )  # fmt: skip
    return subject, Corpus(counts, words, labels=labels)
