"""What is told of cells: everything at home; between parties never of a few documents of one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chatham as ch
from chatham.errors import InputError
from chatham.groups.cells import Cells, groups_of
from chatham.groups.sums import FEWEST, OTHER, join_lonely, moved_to_other, sum_cells
from chatham.measures.subject import subject_of_model

TOPICS = np.array([[0.7, 0.2, 0.05, 0.05], [0.05, 0.05, 0.3, 0.6]])
WORDS = ["wheat", "corn", "bank", "loan"]


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    counts = rng.poisson(rng.dirichlet([1, 1], 80) @ TOPICS * 30)
    return ch.fit("lda", ch.Corpus(counts, WORDS), n_components=2, random_state=0, max_iter=20)


def corpus_with(groups, seed=0):
    """A document for each group, all different."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.dirichlet([1, 1], len(groups)) @ TOPICS * 30)
    counts[:, 0] += 1
    ids = [f"{seed}-{row}" for row in range(len(groups))]
    return ch.Corpus(counts, WORDS, ids=ids, labels=groups, label_name="group")


def told(model, parties, **how):
    commons = ch.Simulated(parties, **how)
    cells = groups_of(parties, "group")
    sums = sum_cells(commons, subject_of_model(model), cells)
    return dict(zip(sums.titles, sums.documents.tolist(), strict=True)), sums


def test_sums_are_those_of_the_documents(model):
    corpus = corpus_with(["a"] * 5 + ["b"] * 3 + [None])
    weights, counts = model.transform(corpus), corpus.counts.toarray()
    sums = sum_cells(ch.Alone(corpus), subject_of_model(model), groups_of([corpus], "group"))
    assert sums.titles == ["a", "b", "no value"]
    for cell, rows in enumerate([slice(0, 5), slice(5, 8), slice(8, 9)]):
        assert sums.documents[cell] == len(weights[rows])
        np.testing.assert_allclose(sums.weights[cell], weights[rows].sum(axis=0))
        np.testing.assert_allclose(sums.squares[cell], (weights[rows] ** 2).sum(axis=0))
        np.testing.assert_array_equal(sums.counts[cell], counts[rows].sum(axis=0))


def test_any_split_gives_the_same_sums(model):
    corpus = corpus_with([*"abcab"] * 10)
    whole = sum_cells(ch.Alone(corpus), subject_of_model(model), groups_of([corpus], "group"))
    _, parts = told(model, list(corpus.parties(n=3).values()))
    assert parts.titles == whole.titles
    np.testing.assert_array_equal(parts.documents, whole.documents)
    np.testing.assert_allclose(parts.weights, whole.weights, atol=1e-9)
    np.testing.assert_array_equal(parts.counts, whole.counts)


def test_a_document_with_several_labels_is_in_each(model):
    corpus = corpus_with([["a", "b"], "a", ["b"], []])
    sums = sum_cells(ch.Alone(corpus), subject_of_model(model), groups_of([corpus], "group"))
    assert dict(zip(sums.titles, sums.documents.tolist(), strict=True)) == {
        "a": 2, "b": 2, "no value": 1,
    }  # fmt: skip


def test_small_cells_and_those_of_one_party_are_told_as_others(model):
    parties = [
        corpus_with(["a"] * 60 + ["b"] * 40 + ["c"] * 20 + ["d"] * 50, 1),
        corpus_with(["a"] * 60 + ["b"] * 5 + ["c"] * 70 + [None] * 31, 2),
        corpus_with(["a"] * 50 + ["b"] * 40 + ["e"] * 2, 3),
    ]
    documents, sums = told(model, parties, secure=True)
    # Every party has a small cell, which isn't enough for others, and adds its next smallest: the
    # first 20 of c and 40 of b, the second 5 of b and 31 without a value, the third 2 of e and 40
    # of b. Then the first alone has d, and the second alone c.
    assert documents == {"a": 170, OTHER: (20 + 40) + (5 + 31) + (2 + 40) + 50 + 70}
    assert sums.starts == ["a", None]


@pytest.mark.parametrize("value", ["case 17", None])
def test_two_documents_of_a_group_of_their_own_are_nowhere(model, value):
    """Planted beside forty of another party's, as the only small cell, or as undated ones: their
    words, which nobody else has, are in no cell, and the cell that they are in has enough more."""
    words = [*WORDS, "secret"]
    hidden = ch.fit("lda", ch.Corpus(np.array([[3, 1, 1, 1, 1], [1, 1, 2, 3, 1]]), words),
                    n_components=2, random_state=0, max_iter=5)  # fmt: skip

    def with_secrets(groups, seed, n=0):
        corpus = corpus_with(groups, seed)
        counts = np.hstack([corpus.counts.toarray(), np.zeros((len(corpus), 1))])
        counts[len(corpus) - n :, 4] = 7
        return ch.Corpus(counts, words, ids=corpus.ids, labels=groups, label_name="group")

    parties = [
        with_secrets(["a"] * 60 + ["b"] * 40 + [value] * 2, 1, n=2),
        with_secrets(["a"] * 60 + ["b"] * 40 + [value] * 40, 2),
        with_secrets(["a"] * 60 + ["b"] * 40, 3),
    ]
    documents, sums = told(hidden, parties, secure=True)
    # The two take 40 of b along; the second's 40 are one party's, and so join the others, where
    # there must be two parties: nothing tells that there are, so b comes too.
    assert documents == {"a": 180, OTHER: (2 + 40) + 40 + (40 + 40)}
    assert not sums.counts[:, 4].any()


def test_words_of_few_documents_of_a_party_arent_told(model):
    counts = np.tile([3, 2, 0, 0], (40, 1)) + np.arange(40)[:, None] * [1, 0, 0, 0]
    counts[:29, 2] = 1
    counts[:30, 3] = 1
    party = ch.Corpus(counts, WORDS, labels=["a"] * 40, label_name="group")
    other = corpus_with(["a"] * 40, 5)
    two = ch.Corpus(counts, WORDS, labels=["a"] * 40, label_name="group")
    _, sums = told(model, [party, two], secure=True)
    assert sums.counts[0, 2] == 0
    assert sums.counts[0, 3] == 60
    assert told(model, [party, other], secure=True)[1].counts[0, 0] > 0


def test_copies_of_a_document_are_one(model):
    copied = ch.Corpus(
        np.tile([3, 2, 1, 0], (200, 1)), WORDS, labels=["b"] * 200, label_name="group"
    )
    mixed = corpus_with(["a"] * 60 + ["b"] * 60, 1)
    documents, _ = told(
        model, [copied, mixed, corpus_with(["a"] * 60 + ["b"] * 60, 2)], secure=True
    )
    assert sum(documents.values()) == 240  # the one that has nothing but copies tells nothing


def test_one_party_alone_tells_nothing(model):
    with pytest.raises(InputError, match="No group has 30 documents of each of two parties"):
        told(model, [corpus_with(["a"] * 50, 1), corpus_with(["a"] * 3, 2)], secure=True)


SIZES = st.lists(st.integers(0, 80), min_size=2, max_size=8)


@given(SIZES)
def test_a_party_tells_of_no_small_cell(sizes):
    documents = np.array(sizes)
    goes_to = moved_to_other(documents)
    told_of = np.bincount(goes_to, weights=documents, minlength=len(documents))
    assert told_of.sum() == documents.sum()
    if documents.sum() >= FEWEST:
        assert ((told_of == 0) | (told_of >= FEWEST)).all()


@given(st.lists(st.lists(st.integers(0, 80), min_size=4, max_size=4), min_size=2, max_size=5))
@settings(max_examples=200)
def test_no_cell_is_one_partys(parties):
    filled = []
    for sizes in parties:
        documents = np.array([*sizes, 0])
        told_of = np.bincount(moved_to_other(documents), weights=documents, minlength=5)
        filled.append((told_of > 0) & (sum(sizes) >= FEWEST))
    fillers = np.sum(filled, axis=0)
    goes_to = join_lonely(fillers)
    for cell in set(goes_to.tolist()):
        together = {p for p, mine in enumerate(filled) if mine[goes_to == cell].any()}
        assert len(together) != 1 or np.any(filled, axis=1).sum() == 1


def test_cells_have_one_name_each():
    cells = Cells("year", ("2016-01-01", "2017-01-01"), "year")
    assert cells.titles == ["2016", "2017", "no value", "other"]
    assert cells.membership([2017, "2016-05-01", None, 1999]).indices.tolist() == [1, 0, 2, 3]


def test_groups_that_are_called_like_our_own_are_these(model):
    corpus = corpus_with(["a", "other", "no value", None, "a"])
    cells = groups_of([corpus], "group")
    assert cells.names == ("a",)
    sums = sum_cells(ch.Alone(corpus), subject_of_model(model), cells)
    assert dict(zip(sums.titles, sums.documents.tolist(), strict=True)) == {
        "a": 2, "no value": 2, "other": 1,
    }  # fmt: skip
