"""A few documents with labels and ids, as a table."""

import pandas as pd
import pytest

from chatham.corpus import read_corpus

TEXTS = [
    "Tea with milk",
    'She said "tea, please",\nthen left',
    "",
    "Crème brûlée; tea\ttea",
    "milk; milk, milk!",
]


LABELS = ["drinks", "talk", None, "food", "drinks"]
IDS = ["d1", "d2", "d3", "d4", "007"]


def table():
    return pd.DataFrame({"id": IDS, "label": LABELS, "year": [1, 2, 3, 4, 5], "text": TEXTS})


@pytest.fixture
def expected():
    return read_corpus(TEXTS, stop_words=None)


def assert_same_counts(corpus, expected):
    assert corpus.vocabulary.tolist() == expected.vocabulary.tolist()
    assert corpus.counts.toarray().tolist() == expected.counts.toarray().tolist()
