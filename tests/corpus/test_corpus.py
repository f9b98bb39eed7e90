"""The corpus itself: what goes in stays in its row, and parts add up to the whole."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from chatham.corpus import Corpus, read_corpus
from chatham.errors import InputError


def made(n_documents=10, n_words=12, **more):
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.7, (n_documents, n_words))
    return Corpus(
        counts,
        [f"w{j}" for j in range(n_words)],
        ids=[f"d{i}" for i in range(n_documents)],
        texts=[f"text {i}" for i in range(n_documents)],
        metadata=pd.DataFrame({"row": range(n_documents)}),
        **more,
    )


def assert_partition(whole, parts):
    """Each row of the whole is in one part, with everything that belongs to it."""
    found = {}
    for part in parts:
        assert part.vocabulary.tolist() == whole.vocabulary.tolist()
        for row, name in enumerate(part.ids):
            assert name not in found
            found[name] = (
                part.counts.toarray()[row].tolist(),
                part.texts[row],
                part.metadata["row"][row],
            )
    expected = {
        name: (whole.counts.toarray()[row].tolist(), whole.texts[row], row)
        for row, name in enumerate(whole.ids)
    }
    assert found == expected


@given(st.integers(2, 30), st.floats(0.05, 0.95), st.integers(0, 5))
def test_split_is_a_partition_and_repeats(n, test, seed):
    corpus = made(n)
    if not 0 < round(test * n) < n:
        with pytest.raises(InputError, match="part empty"):
            corpus.split(test, random_state=seed)
        return
    parts = corpus.split(test, random_state=seed)
    assert_partition(corpus, parts)
    again = corpus.split(test, random_state=seed)
    assert [part.ids.tolist() for part in again] == [part.ids.tolist() for part in parts]
    assert len(parts[1]) == round(test * n)


@given(st.integers(1, 30), st.data())
def test_random_parties_are_a_partition_of_equal_parts(n, data):
    m = data.draw(st.integers(1, n))
    corpus = made(n)
    parties = corpus.parties(n=m, random_state=data.draw(st.integers(0, 3)))
    assert_partition(corpus, parties.values())
    sizes = [len(party) for party in parties.values()]
    assert len(sizes) == m
    assert max(sizes) - min(sizes) <= 1


@given(st.lists(st.sampled_from(["a", "b", None, "", float("nan")]), min_size=1, max_size=20))
def test_parties_by_a_column_are_a_partition(values):
    corpus = made(len(values), labels=values, label_name="group")
    parties = corpus.parties(by="group")
    assert_partition(corpus, parties.values())
    for name, party in parties.items():
        assert set(party.labels) == ({None} if name == "(none)" else {name})


def test_different_seeds_split_differently():
    corpus = made(50)
    assert (
        corpus.split(random_state=0)[1].ids.tolist() != corpus.split(random_state=1)[1].ids.tolist()
    )


def test_stratified_split_takes_the_same_share_of_every_label():
    labels = ["a"] * 60 + ["b"] * 30 + ["c"] * 10
    _, test = made(100, labels=labels).split(0.2, stratify=True)
    counts = pd.Series(test.labels).value_counts()
    assert counts.to_dict() == {"a": 12, "b": 6, "c": 2}


def test_a_test_part_may_be_a_number_of_documents():
    train, test = made(10).split(test=3)
    assert (len(train), len(test)) == (7, 3)


@pytest.mark.parametrize("test", [0, 0.0, 1.0, 10, -1, 1.5, float("nan")])
def test_a_split_with_an_empty_part_is_refused(test):
    with pytest.raises(InputError, match="part empty"):
        made(10).split(test)


def test_stratifying_without_labels_is_refused():
    with pytest.raises(InputError, match="needs labels"):
        made().split(stratify=True)


@pytest.mark.parametrize(
    ("index", "ids"),
    [
        ([2, 0], ["d2", "d0"]),
        (slice(1, 3), ["d1", "d2"]),
        (np.arange(10) > 7, ["d8", "d9"]),
        (-1, ["d9"]),
        ([], []),
    ],
)
def test_rows_by_number_slice_and_mask(index, ids):
    corpus = made(labels=list("abcdefghij"))
    part = corpus.rows(index)
    assert part.ids.tolist() == ids
    assert part.texts == [f"text {name[1:]}" for name in ids]
    assert part.metadata["row"].tolist() == [int(name[1:]) for name in ids]
    assert part.labels.tolist() == ["abcdefghij"[int(name[1:])] for name in ids]


@pytest.mark.parametrize("index", [[10], [-11], [True, False], ["d1"], [0.5]])
def test_impossible_rows_are_refused(index):
    with pytest.raises(InputError):
        made().rows(index)


def test_repeated_rows_would_repeat_ids():
    with pytest.raises(InputError, match="Ids must be unique"):
        made().rows([1, 1])


@pytest.mark.parametrize("n", [0, -1, 11, 2.5])
def test_impossible_numbers_of_parties_are_refused(n):
    with pytest.raises(InputError, match="parties can't be made"):
        made().parties(n=n)


def test_parties_by_an_unknown_column_name_the_columns():
    with pytest.raises(
        InputError, match=r"no column 'rwo'; the columns are 'row'; did you mean 'row'"
    ):
        made().parties(by="rwo")
    with pytest.raises(InputError, match="not both"):
        made().parties(by="row", n=3)


def explicit_zeros():
    data, columns, ends = np.array([0, 3, 0]), np.array([0, 1, 2]), np.array([0, 2, 3])
    return sp.csr_array((data, columns, ends), shape=(2, 3))


def test_explicit_zeros_stay_where_they_were_given():
    corpus = read_corpus(explicit_zeros(), vocabulary=["a", "b", "c"])
    assert corpus.counts.nnz == 3
    assert corpus.empty.tolist() == [False, True]
    assert corpus.rows([1]).counts.nnz == 1
    assert read_corpus(corpus, max_features=2).counts.nnz == 2
    assert read_corpus(corpus, weighting="tfidf").counts.nnz == 3


def test_duplicates_are_added_and_indices_sorted():
    coo = sp.coo_array(([1, 2, 4], ([0, 0, 0], [1, 1, 0])), shape=(1, 2))
    corpus = read_corpus(coo, vocabulary=["a", "b"])
    assert corpus.counts.toarray().tolist() == [[4, 3]]
    assert corpus.counts.has_canonical_format
    assert corpus.counts.indices.dtype == np.int32


def test_the_given_matrix_is_left_alone():
    matrix = sp.csr_array((np.array([1, 2]), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    corpus = read_corpus(matrix, vocabulary=["a", "b"])
    corpus.counts.data[:] = 9
    assert matrix.indices.tolist() == [1, 0]
    assert matrix.data.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("dtype", "kept"),
    [
        (np.int32, np.int32),
        (np.int64, np.int64),
        (np.uint8, np.int64),
        (bool, np.int64),
        (np.float32, np.int64),
    ],
)
def test_whole_counts_become_integers(dtype, kept):
    corpus = read_corpus(np.array([[1, 0]], dtype=dtype), vocabulary=["a", "b"])
    assert corpus.counts.dtype == kept


def test_fractions_stay_floats_in_every_part():
    corpus = read_corpus(np.array([[0.5], [2.0]]), vocabulary=["a"])
    assert corpus.counts.dtype == np.float64
    assert corpus.rows([1]).counts.dtype == np.float64
    assert "total weight 2.5" in repr(corpus)


def test_large_totals_do_not_overflow():
    counts = np.full((3, 2), 2**31 - 1, dtype=np.int32)
    corpus = Corpus(counts, ["a", "b"])
    assert corpus.n_tokens == 6 * (2**31 - 1)
    assert not corpus.empty.any()


def test_summary_says_sizes_labels_and_notes():
    corpus = read_corpus(["tea with milk", "", "tea"], label=["x", None, "y"], stop_words="en")
    lines = corpus.summary().splitlines()
    assert lines[:4] == [
        "documents   3 (1 empty)",
        "words       2",
        "tokens      3",
        "labels      2 (x, y)",
    ]
    assert "- Left out English stop words." in lines
    assert repr(corpus) == "Corpus(3 documents, 1 empty, 2 words, 3 tokens)"
    assert (corpus.n_documents, corpus.n_words, corpus.n_tokens) == (3, 2, 3)


def test_the_corpus_cannot_be_reassigned():
    with pytest.raises(AttributeError):
        made().counts = None


def test_notes_of_a_part_are_its_own():
    corpus = made(notes=["one"])
    corpus.rows([0]).notes.append("two")
    assert corpus.notes == ["one"]
