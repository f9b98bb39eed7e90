"""Co-occurrence: the unbiased estimator to the letter, exactly unbiased, in one sum."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.commons import Alone, Recorded, Simulated
from chatham.errors import HolderError, InputError
from chatham.learners import cooccurrence as module
from chatham.learners.cooccurrence import Pairing, cooccurrence, mirror, row_starts, unpacked
from chatham.numerics.threads import threads
from tests.conftest import plant, split

PAIRINGS = [Pairing(), Pairing(True), Pairing(False, 3), Pairing(True, 2.5)]


def one_by_one(counts, pairing=PAIRINGS[0]):
    """The mean of (hhᵀ − diag h) / n(n−1), a document at a time (eq. 3.1); or n times that."""
    total, frequencies, kept = np.zeros((counts.shape[1],) * 2), np.zeros(counts.shape[1]), 0
    for h in counts:
        n = h.sum()
        if n > 1 and n >= pairing.min_length:
            often = n if pairing.by_length else 1
            total += often * (np.outer(h, h) - np.diag(h)) / (n * (n - 1))
            frequencies += h > 0
            kept += 1
    np.fill_diagonal(total, np.maximum(np.diag(total), 0))
    return total / max(total.sum(), 1e-300), frequencies, kept


@st.composite
def matrices(draw, values):
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    cells = draw(st.lists(values, min_size=n * d, max_size=n * d))
    return np.array(cells, dtype=float).reshape(n, d)


def check_against_one_by_one(counts, pairing):
    matrix, frequencies, kept = one_by_one(counts, pairing)
    if not matrix.any():
        with pytest.raises(InputError, match=r"co-occur|longer documents"):
            cooccurrence(Alone(counts), pairing=pairing)
        return
    found = cooccurrence(Alone(sp.csr_array(counts)), pairing=pairing)
    assert np.abs(found.matrix - matrix).max() < 1e-14
    assert np.array_equal(found.matrix, found.matrix.T)
    assert np.array_equal(found.document_frequencies, frequencies)
    assert (found.kept, found.dropped) == (kept, len(counts) - kept)


@given(matrices(st.sampled_from([0, 0, 0, 1, 1, 2, 3])), st.sampled_from(PAIRINGS))
@settings(max_examples=250, deadline=None)
def test_is_the_mean_over_documents_or_tokens(counts, pairing):
    check_against_one_by_one(counts, pairing)


@given(matrices(st.sampled_from([0, 0, 0.25, 0.5, 0.75, 1.5, 2])), st.sampled_from(PAIRINGS))
@settings(max_examples=250, deadline=None)
def test_is_the_mean_over_fractional_documents_or_tokens(counts, pairing):
    """With counts below one a word may pair with itself less than never: that becomes zero."""
    check_against_one_by_one(counts, pairing)


def test_is_the_mean_over_documents_of_a_corpus(planted):
    matrix, frequencies, kept = one_by_one(planted[0].toarray())
    found = cooccurrence(Alone(planted[0]))
    assert np.abs(found.matrix - matrix).max() < 1e-16
    assert np.array_equal(found.document_frequencies, frequencies)
    assert (found.kept, found.dropped) == (kept, 1)
    assert abs(found.matrix.sum() - 1) < 1e-13


@pytest.mark.parametrize("length", [2, 3, 5])
def test_is_unbiased_exactly(length):
    """All documents of a length, each as often as p = (½, ¼, ¼) writes it: the mean is ppᵀ."""
    texts = product((0, 0, 1, 2), repeat=length)
    counts = np.array([np.bincount(text, minlength=3) for text in texts])
    p = np.array([0.5, 0.25, 0.25])
    assert np.abs(cooccurrence(Alone(counts)).matrix - np.outer(p, p)).max() < 1e-14


def test_is_unbiased_for_documents_of_unlike_lengths_and_topics():
    """Each document counts once however long it is: C is the mean of pₘpₘᵀ, not of tokens."""
    texts = [*product((0, 0, 1, 2), repeat=2), *product((2, 2, 2, 0), repeat=2)]
    short = [np.bincount(text, minlength=3) for text in texts]
    long = [np.bincount(text, minlength=3) for text in product((1, 1, 1, 2), repeat=4)]
    counts = np.array([*short] * 8 + long)  # 128 short ones of each kind, 256 long ones
    p = np.array([[0.5, 0.25, 0.25], [0.25, 0, 0.75], [0, 0.75, 0.25]])
    expected = (p.T * [0.25, 0.25, 0.5]) @ p
    assert np.abs(cooccurrence(Alone(counts)).matrix - expected).max() < 1e-14
    # By length: 128 × 2 tokens, the same again, and 256 × 4.
    by_length = (p.T * [1 / 6, 1 / 6, 4 / 6]) @ p
    found = cooccurrence(Alone(counts), pairing=Pairing(by_length=True)).matrix
    assert np.abs(found - by_length).max() < 1e-14
    only_long = cooccurrence(Alone(counts), pairing=Pairing(by_length=True, min_length=3))
    assert np.abs(only_long.matrix - np.outer(p[2], p[2])).max() < 1e-14
    assert (only_long.kept, only_long.dropped) == (256, 256)


@pytest.mark.parametrize("pairing", PAIRINGS, ids=str)
def test_masked_sums_are_as_exact(pairing, planted):
    """Totals by length have fewer fraction bits, and are as many times larger."""
    counts = sp.csr_array(planted[0] * 40)  # 3,200 tokens in a document
    pooled = cooccurrence(Alone(counts), pairing=pairing)
    together = Simulated(split(counts, 3), secure=True, exact_totals=True)
    apart = cooccurrence(together, pairing=pairing)
    assert np.abs(apart.matrix - pooled.matrix).max() < 1e-12


def test_totals_by_length_fit_into_single_precision():
    counts = plant(n=60, d=20, k=3)[0].toarray() * 1e60
    matrix = cooccurrence(Alone(counts), single=True, pairing=Pairing(by_length=True)).matrix
    double = cooccurrence(Alone(counts), pairing=Pairing(by_length=True)).matrix
    assert matrix.dtype == np.float32
    assert np.abs(matrix - double).max() < 1e-6
    assert abs(matrix.sum(dtype=np.float64) - 1) < 1e-5


@pytest.mark.parametrize("pairing", PAIRINGS[:2], ids=str)
@pytest.mark.parametrize("holders", [3, 9])
def test_holders_change_nothing(holders, pairing, planted):
    pooled = cooccurrence(Alone(planted[0]), pairing=pairing)
    apart = cooccurrence(Simulated(split(planted[0], holders)), pairing=pairing)
    assert np.abs(apart.matrix - pooled.matrix).max() < 1e-15
    assert np.array_equal(apart.document_frequencies, pooled.document_frequencies)
    assert (apart.kept, apart.dropped) == (pooled.kept, pooled.dropped)


def test_single_precision_is_close(planted):
    double, single = (cooccurrence(Alone(planted[0]), single=single) for single in (False, True))
    assert single.matrix.dtype == np.float32
    assert double.matrix.dtype == np.float64
    seen = double.matrix > 0
    assert np.abs(single.matrix[seen] / double.matrix[seen] - 1).max() < 1e-6
    assert abs(single.matrix.sum(dtype=np.float64) - 1) < 1e-6


@pytest.mark.parametrize("single", [False, True])
def test_threads_change_no_bit(single):
    counts = plant(n=400, d=150, k=4)[0]

    def found(jobs):
        with threads(jobs):
            return cooccurrence(Alone(counts), single=single).matrix

    assert np.array_equal(found(1), found(3))


def test_one_sum_whose_size_has_nothing_to_do_with_documents():
    ledgers = []
    for n in (40, 400):
        commons = Recorded(Alone(plant(n=n, d=30, k=3)[0]))
        cooccurrence(commons)
        ledgers.append([(entry.round, entry.shape, entry.dtype) for entry in commons.ledger])
    assert ledgers[0] == ledgers[1]
    assert [(number, shape) for number, shape, _ in ledgers[0]] == [
        (1, (30 * 31 // 2,)),
        (1, (30,)),
        (1, (2,)),
    ]


def test_a_word_that_never_occurs_has_a_row_of_zeros():
    found = cooccurrence(Alone(np.array([[2, 0, 1], [1, 0, 3], [0, 1, 0]])))
    assert not found.matrix[1].any()
    assert found.document_frequencies.tolist() == [2, 0, 2]  # its one document has no pair
    assert (found.kept, found.dropped) == (2, 1)


def test_stored_zeros_and_unsorted_cells_are_no_words():
    tidy = np.array([[2.0, 0, 1], [1, 0, 3]])
    cells = [1.0, 0.0, 2.0, 2.0, 1.0, 1.0]  # row 0 backwards with a stored zero, row 1 in pieces
    untidy = sp.csr_array((cells, [2, 1, 0, 2, 0, 2], [0, 3, 6]), shape=(2, 3))
    found, expected = cooccurrence(Alone(untidy)), cooccurrence(Alone(tidy))
    assert np.array_equal(found.matrix, expected.matrix)
    assert found.document_frequencies.tolist() == [2, 0, 2]


def test_documents_without_pairs_are_refused():
    with pytest.raises(InputError, match="None of the 3 documents has two words"):
        cooccurrence(Alone(np.eye(3)))
    with pytest.raises(InputError, match="None of the 2 documents"):
        cooccurrence(Alone(np.zeros((2, 4))))


def test_documents_that_are_all_too_short_are_refused():
    pairing = Pairing(min_length=5)
    with pytest.raises(InputError, match=r"None of the 3 documents has 5 words .* min_length"):
        cooccurrence(Alone(np.ones((3, 4))), pairing=pairing)
    assert cooccurrence(Alone(np.ones((3, 5))), pairing=pairing).kept == 3


def test_frequencies_in_place_of_counts_are_refused():
    """Rows of sum one up to rounding have no pairs; one in the last bit above it hasn't either."""
    rows = np.random.default_rng(0).dirichlet(np.ones(7), 50)
    with pytest.raises(InputError, match="None of the 50 documents has two words"):
        cooccurrence(Alone(rows))


@pytest.mark.parametrize(("d", "tile"), [(1, 4), (4, 4), (9, 4), (11, 3)])
def test_packing_and_back(d, tile, monkeypatch):
    monkeypatch.setattr(module, "TILE", tile)
    half = np.random.default_rng(0).random((d, d))
    matrix = np.triu(half) + np.triu(half, 1).T
    packed = np.concatenate([row[place:] for place, row in enumerate(matrix)])
    assert np.array_equal(unpacked(packed, d), matrix)
    assert row_starts(d).tolist() == [d * row - row * (row - 1) // 2 for row in range(d + 1)]


def test_mirroring_overwrites_whatever_was_below(monkeypatch):
    monkeypatch.setattr(module, "TILE", 2)
    matrix = np.full((5, 5), np.nan)
    matrix[np.triu_indices(5)] = np.arange(15.0)
    mirror(matrix)
    assert np.array_equal(matrix, matrix.T)
    assert matrix[np.triu_indices(5)].tolist() == list(range(15))


def test_documents_too_large_to_square_are_refused_wherever_they_are():
    rows = np.array([[1e151, 1e151], [1.0, 2.0]])
    with pytest.raises(HolderError, match="sum to 2e\\+151"):
        cooccurrence(Simulated([rows, rows[1:]]))
