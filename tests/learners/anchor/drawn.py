"""A fit to documents that were drawn from planted topics."""

import numpy as np
import pytest

import chatham as ch
from chatham.corpus.synthetic.corpora import synthetic_corpus
from chatham.corpus.synthetic.planting import planted_topics

INFERENCES = ["posterior", "padd", "spi", "tli", "least-squares"]


# Near the truth


@pytest.fixture(scope="module")
def drawn():
    topics = planted_topics(5, 80, concentration=0.1, anchor_probability=0.02, random_state=1)
    prior = [0.1, 0.15, 0.2, 0.25, 0.3]
    return synthetic_corpus(topics, 1500, lengths=80, prior=prior, random_state=1)


def fitted(drawn, k=5, **settings):
    settings = {"refine": 0, "min_anchor_df": 0.02, "random_state": 0, **settings}
    return ch.AnchorWords(k, **settings).fit(drawn.corpus.counts)


def order_of(model, drawn):
    return np.abs(model.components_[:, None] - drawn.topics[None]).sum(axis=2).argmin(axis=1)
