"""Labels and columns whose values are documents, missing or lists."""

import numpy as np
import pandas as pd
import pytest

from chatham.corpus import Corpus


@pytest.mark.parametrize(
    ("labels", "line"),
    [
        ([f"$1m payoff {row}" for row in range(20)], "labels      20"),
        (["x" * 41, "y"] * 10, "labels      2"),
        (["north", "south"] * 10, "labels      2 (north, south)"),
        (list("abcdefg") * 2 + [None] * 6, "labels      7 (a, b, c, d, e, ...)"),
        ([None] * 20, "labels      0"),
    ],
)
def test_summary_never_shows_labels_that_may_be_documents(labels, line):
    corpus = Corpus(np.ones((20, 1)), ["tea"], labels=labels)
    assert line in corpus.summary().splitlines()


def test_short_texts_as_labels_are_not_shown():
    corpus = Corpus(np.ones((2, 1)), ["tea"], labels=["I have cancer", "he is well"])
    assert "cancer" not in corpus.summary()


def test_parties_by_a_column_with_values_that_have_no_truth():
    metadata = pd.DataFrame({
        "town": pd.array(["Ely", pd.NA, "Ely", ""], dtype="string"),
        "tags": [np.array(["a", "b"]), np.array([]), None, np.array(["a", "b"])],
    })  # fmt: skip
    corpus = Corpus(np.ones((4, 1)), ["tea"], metadata=metadata)
    assert {name: len(party) for name, party in corpus.parties(by="town").items()} == {
        "(none)": 2, "Ely": 2,
    }  # fmt: skip
    assert {name: len(party) for name, party in corpus.parties(by="tags").items()} == {
        "(none)": 1, "['a' 'b']": 2, "[]": 1,
    }  # fmt: skip


def test_labels_that_are_lists_of_one_length():
    labels = [["a", "b"], ["a", "b"], ["c", "d"], ["c", "d"]]
    corpus = Corpus(np.arange(1, 5)[:, None], ["tea"], labels=labels)
    assert list(corpus.labels) == labels
    assert [len(part) for part in corpus.split(test=0.5, stratify=True)] == [2, 2]
