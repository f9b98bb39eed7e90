"""A corpus that is made from another is what building it anew would give, and shares nothing."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from chatham.corpus import Corpus, read_baskets, read_corpus
from chatham.corpus.tfidf import is_weighted, unweighted, weighted
from chatham.errors import InputError
from chatham.federation.words.rules import WordRules
from chatham.federation.words.table import recounted

TEXTS = ["tea with milk", "milk, no sugar", "", "rain and tea and rain", "sugar"]
WORDS = ["milk", "rain", "sugar", "tea"]


COUNTS = np.array([[1, 0, 0, 1], [1, 0, 1, 0], [0, 0, 0, 0], [0, 2, 0, 1]])


def corpus(counts=COUNTS, **more):
    rows = range(counts.shape[0])
    return Corpus(
        counts,
        WORDS,
        ids=[f"d{row}" for row in rows],
        labels=["wet" if row % 2 else None for row in rows],
        texts=[f"text {row}" for row in rows],
        metadata=pd.DataFrame({"n": rows}),
        **more,
    )


def assert_as_built(derived):
    """Nothing changes if everything is checked and put into its form again."""
    built = replace(derived)
    for name in ("data", "indices", "indptr"):
        mine, anew = getattr(derived.counts, name), getattr(built.counts, name)
        assert (mine.dtype, mine.tolist()) == (anew.dtype, anew.tolist())
    for name in ("vocabulary", "ids", "labels"):
        mine, anew = getattr(derived, name), getattr(built, name)
        assert np.array_equal(mine, anew)
        assert getattr(mine, "dtype", None) == getattr(anew, "dtype", None)
    pd.testing.assert_frame_equal(derived.metadata, built.metadata)
    assert (derived.texts, derived.label_name) == (built.texts, built.label_name)


MADE = {
    "some rows": lambda whole: whole.rows([2, 0]),
    "no row": lambda whole: whole.rows(slice(0)),
    "tf-idf": weighted,
    "some rows of tf-idf": lambda whole: weighted(whole).rows([1]),
    "plain counts again": lambda whole: unweighted(weighted(whole)),
    "a part of the words": lambda whole: read_corpus(whole, max_features=2),
    "without stop words": lambda whole: read_corpus(whole, stop_words=["tea"], weighting="tfidf"),
    "another vocabulary": lambda whole: read_corpus(whole, vocabulary=["rum", "tea", "milk"]),
    "without texts": lambda whole: read_corpus(whole, keep_texts=False),
    "agreed words": lambda whole: recounted(whole, ["rum", "tea"]),
    "as a session counts": lambda whole: WordRules().counted(read_corpus(TEXTS, stop_words=None)),
    "agreed words in texts": lambda whole: recounted(
        read_corpus(TEXTS, stop_words=None), ["rum", "tea"]
    ),
    "as a session reads": lambda whole: WordRules.of({"stop_words": "en"}).read(TEXTS, {}),
    "texts by tf-idf": lambda whole: read_corpus(TEXTS, stop_words="en", weighting="tfidf"),
    "counts by tf-idf": lambda whole: read_corpus(
        whole.counts.astype(float), vocabulary=WORDS, weighting="tfidf"
    ),
    "baskets": lambda whole: read_baskets(
        pd.DataFrame({"who": list("abbcc"), "what": ["tea", "tea", "a cold drink", "rum", "rum"]}),
        basket="who", item="what", min_df=1, max_features=2, least=1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", MADE)
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.float64, sp.coo_array])
def test_checking_again_changes_nothing(how, kind):
    counts = sp.coo_array(COUNTS) if kind is sp.coo_array else COUNTS.astype(kind)
    assert_as_built(MADE[how](corpus(counts)))


@given(arrays(np.int64, st.tuples(st.integers(1, 6), st.just(4)), elements=st.integers(0, 3)))
def test_weighing_and_back_gives_the_counts(counts):
    plain = corpus(counts)
    twice = weighted(plain)
    assert is_weighted(twice)
    assert not is_weighted(plain)
    assert_as_built(twice)
    assert np.array_equal(unweighted(twice).counts.toarray(), counts)
    assert unweighted(plain) is plain
    with pytest.raises(InputError, match="weighted by tf-idf already"):
        weighted(twice)


@pytest.mark.parametrize(
    "how", ["some rows", "tf-idf", "plain counts again", "a part of the words", "agreed words"]
)
def test_changing_one_in_place_does_not_change_the_other(how):
    whole, untouched = corpus(notes=["Drawn."]), corpus(notes=["Drawn."])
    other = MADE[how](whole)
    other.counts.data[:] = 7
    other.counts.indices[:] = 0
    other.metadata["more"] = 1
    for name in ("ids", "vocabulary", "labels"):
        getattr(other, name)[:] = "x"
    other.texts.clear()
    other.notes.clear()
    assert_as_built(whole)
    assert np.array_equal(whole.counts.toarray(), untouched.counts.toarray())
    assert whole.ids.tolist() == untouched.ids.tolist()
    assert whole.vocabulary.tolist() == untouched.vocabulary.tolist()
    assert whole.labels.tolist() == untouched.labels.tolist()
    assert whole.texts == untouched.texts
    assert whole.metadata.equals(untouched.metadata)
    assert whole.notes == untouched.notes


def test_what_is_new_is_still_refused():
    with pytest.raises(InputError, match="Ids must be unique"):
        corpus().rows([1, 1])
    with pytest.raises(InputError, match="the word 'tea' twice"):
        read_corpus(corpus(), vocabulary=["tea", "milk", "tea"])
    with pytest.raises(InputError, match="vocabulary is empty"):
        read_corpus(corpus(), vocabulary=[])
    with pytest.raises(InputError, match="the word 'tea' twice"):
        recounted(read_corpus(TEXTS, stop_words=None), ["tea", "tea"])


def test_every_part_is_looked_at_here():
    assert {field.name for field in fields(Corpus)} == {
        "counts", "vocabulary", "ids", "labels", "texts", "metadata", "vectorizer", "notes",
        "label_name", "digests",
    }  # fmt: skip
