"""Which words are kept, and tf-idf worked by hand."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from chatham.corpus import read_corpus
from chatham.corpus.text.pruning import Pruning
from chatham.errors import InputError

TEXTS = ["tea tea milk", "tea sugar", "tea milk lemon"]


def words(**options):
    return read_corpus(TEXTS, stop_words=None, **options).vocabulary.tolist()


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, ["lemon", "milk", "sugar", "tea"]),
        ({"min_df": 2}, ["milk", "tea"]),
        ({"min_df": 0.5}, ["milk", "tea"]),
        ({"max_df": 2}, ["lemon", "milk", "sugar"]),
        ({"max_df": 0.7}, ["lemon", "milk", "sugar"]),
        ({"min_df": 2, "max_df": 0.7}, ["milk"]),
        ({"max_features": 2}, ["milk", "tea"]),
        ({"max_features": 3}, ["lemon", "milk", "tea"]),
    ],
)
def test_limits_keep_the_right_words(options, kept):
    assert words(**options) == kept


@pytest.mark.parametrize(
    ("n_documents", "min_df", "max_df"), [(49, 1, 1.0), (50, 2, 0.5), (999, 2, 0.5), (1000, 5, 0.5)]
)
def test_defaults_for_texts_grow_with_the_corpus(n_documents, min_df, max_df):
    limits = Pruning().for_texts(n_documents)
    assert (limits.min_df, limits.max_df) == (min_df, max_df)


def test_limits_are_said_in_the_notes():
    notes = read_corpus(TEXTS, stop_words=None, min_df=2).notes
    assert "Kept 2 of 4 words: min_df=2 and max_df=1.0." in notes


def test_tfidf_by_hand():
    corpus = read_corpus(TEXTS, stop_words=None, weighting="tfidf")
    once, twice, thrice = math.log(4 / 2) + 1, math.log(4 / 3) + 1, math.log(4 / 4) + 1
    expected = [
        [0, twice, 0, 2 * thrice],
        [0, 0, once, thrice],
        [once, twice, 0, thrice],
    ]
    np.testing.assert_allclose(corpus.counts.toarray(), expected, rtol=1e-15)
    assert corpus.counts.dtype == np.float64


def test_tfidf_is_scikit_learns_without_its_norm():
    plain = read_corpus(TEXTS, stop_words=None).counts
    theirs = TfidfTransformer(norm=None).fit_transform(plain)
    ours = read_corpus(TEXTS, stop_words=None, weighting="tfidf").counts
    np.testing.assert_allclose(ours.toarray(), theirs.toarray(), rtol=1e-14)


def test_new_documents_are_weighted_with_the_training_idf():
    corpus = read_corpus(TEXTS, stop_words=None, weighting="tfidf")
    row = corpus.vectorizer.counts(["lemon lemon"]).toarray()[0]
    np.testing.assert_allclose(row, [2 * (math.log(2) + 1), 0, 0, 0])


def test_ranking_by_count_and_by_tfidf_differ_as_designed():
    # "common": 12 times, once in each of 12 documents, tf-idf 12 x 1.
    # "burst": 10 times, all in one document, tf-idf 10 x (ln(13/2) + 1) = 28.7.
    counts = np.array([[1, 10]] + [[1, 0]] * 11)
    by_count = read_corpus(counts, vocabulary=["common", "burst"], max_features=1)
    by_tfidf = read_corpus(
        counts, vocabulary=["common", "burst"], max_features=1, max_features_by="tfidf"
    )
    assert by_count.vocabulary.tolist() == ["common"]
    assert by_tfidf.vocabulary.tolist() == ["burst"]


def test_ties_keep_the_earlier_column():
    counts = sp.csr_array(np.ones((3, 5)))
    assert Pruning(1, 1.0, max_features=2).keep(counts).tolist() == [0, 1]


def test_an_explicit_zero_is_no_occurrence():
    counts = sp.csr_array((np.array([0, 1]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    assert Pruning(1, 1.0).keep(counts).tolist() == [1]


def test_nothing_left_says_what_to_change():
    with pytest.raises(InputError, match=r"left of 4 words in 3 documents.*lower min_df"):
        words(min_df=4)


@pytest.mark.parametrize("name", ["min_df", "max_df"])
@pytest.mark.parametrize("value", [-1, 1.5, "5", float("nan"), True])
def test_impossible_limits_are_refused(name, value):
    with pytest.raises(InputError, match=f"{name} must be a number of documents"):
        words(**{name: value})


@pytest.mark.parametrize("value", [0, -3, 2.0, True])
def test_impossible_numbers_of_words_are_refused(value):
    with pytest.raises(InputError, match="max_features must be"):
        words(max_features=value)


def test_unknown_ranking_and_weighting_are_refused():
    with pytest.raises(InputError, match="max_features_by must be"):
        words(max_features=1, max_features_by="idf")
    with pytest.raises(InputError, match="weighting must be"):
        words(weighting="bm25")
