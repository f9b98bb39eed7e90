"""C by its products: the same eigenvectors and anchors, and what a party leaves out or refuses."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Memory, Recorded, Simulated
from chatham.errors import HolderError
from chatham.learners.anchor import products
from chatham.learners.anchor.clipped import ClippedRows, clipped
from chatham.learners.anchor.products import (
    FEWEST,
    check_ever_hidden,
    count_pairs,
    count_pairs_and_words,
    measurements,
    multiply_pairs,
    row_entries,
    words_of_enough,
)
from chatham.learners.anchor.rectify import leading_of, project
from chatham.learners.anchor.refine import sweep_documents
from chatham.learners.cooccurrence import Pairing, joint_distribution, pair_statistics
from chatham.learners.documents import Documents, with_words
from tests.conftest import plant, split

K, WORDS = 4, 300


@pytest.fixture(scope="module")
def rows():
    """Documents long enough for every word to occur together with most others."""
    return sp.csr_array(plant(n=900, d=WORDS, k=K, length=150, seed=2)[0])


def as_told(parts):
    """The parties' rows as they enter: without the words that few of their own documents have."""
    return [with_words(part, words_of_enough(Documents(part))) for part in parts]


def cooccurrence_of(rows):
    return joint_distribution(pair_statistics(rows, Memory())[0], rows.shape[1])


def learner(**more):
    return ch.AnchorWords(K, **{"refine": 0, "precision": "double", "random_state": 0, **more})


# The products themselves


def test_products_are_those_with_the_co_occurrence(rows):
    block = np.random.default_rng(0).standard_normal((WORDS, 5))
    kept = int((rows.sum(axis=1) > 1).sum())
    product = multiply_pairs(rows, Memory(), block, 1.0 / kept)
    np.testing.assert_allclose(product, cooccurrence_of(rows) @ block, rtol=1e-10, atol=1e-14)


def test_entries_of_rows_are_counted_as_the_matrix_has_them():
    rows = plant(n=40, d=60, k=3, length=9, seed=5)[0]
    wanted = (cooccurrence_of(sp.csr_array(rows)) > 0).sum(axis=1)
    np.testing.assert_array_equal(row_entries(Documents(rows)), wanted)


def test_words_that_fewer_than_ten_documents_have_are_left_out_until_all_that_are_left_have_ten():
    rows = np.zeros((40, 4))
    rows[:20, :2] = np.arange(1, 21)[:, None]  # two words that twenty documents have
    rows[20:29, 2:] = np.arange(1, 10)[:, None]  # two that nine have
    assert words_of_enough(Documents(rows)).tolist() == [True, True, False, False]
    rows[29:39, 2] = 1  # one of them in nineteen, but in ten of these without another word
    assert words_of_enough(Documents(rows)).tolist() == [True, True, False, False]
    rows[:20, :2] = 1  # copies of one document hide nothing
    assert not words_of_enough(Documents(rows)).any()


# Parties


@pytest.mark.parametrize("holders", [2, 3])
def test_parties_find_what_pooled_rows_lead_to(holders, rows):
    """Rows without the words that each left out; up to what few bits and products are off."""
    parts = split(rows, holders)
    together = learner().fit(Simulated(parts, secure=True))
    pooled = learner().fit(sp.csr_array(sp.vstack(as_told(parts))))
    assert sorted(together.anchors_) == sorted(pooled.anchors_)
    order = [pooled.anchors_.tolist().index(anchor) for anchor in together.anchors_]
    apart = np.abs(together.components_ - pooled.components_[order]).sum(axis=1)
    assert apart.max() < 0.02
    np.testing.assert_allclose(together.correlations_.sum(), pooled.correlations_.sum(), rtol=0.01)


@pytest.mark.parametrize(
    "settings",
    [
        {"refine": 3},
        {"inference": "padd"},
        {"recover": "kl"},
        {"recover": "inverse"},
        {"anchors": "fast"},
        {"anchors": "pca"},
        {"anchors": [3, [4, 9]]},
        {"precision": "single"},
    ],
    ids=str,
)
def test_whatever_needs_no_pairs_works_by_products_too(settings, rows):
    parts = split(rows, 3)
    together = learner(**settings).fit(Simulated(parts, secure=True))
    pooled = learner(**settings).fit(sp.csr_array(sp.vstack(as_told(parts))))
    assert sorted(together.anchors_) == sorted(pooled.anchors_)
    again = learner(**settings, n_jobs=2).fit(Simulated(parts, secure=True))
    assert again.components_.tobytes() == together.components_.tobytes()


def unlike_lengths(rows):
    """Every other document cut short: the same words, a tenth as many."""
    dense = rows.toarray()
    rng = np.random.default_rng(0)
    for row in range(0, len(dense), 2):
        dense[row] = rng.binomial(dense[row], 0.1)
    return sp.csr_array(dense)


def test_products_by_length_are_those_with_the_co_occurrence_by_length(rows):
    rows = unlike_lengths(rows)
    for pairing in (Pairing(True), Pairing(True, 14), Pairing(False, 14)):
        joint = joint_distribution(pair_statistics(rows, Memory(), pairing)[0], WORDS)
        block = np.random.default_rng(0).standard_normal((WORDS, 5))
        lengths = rows.sum(axis=1)
        taken = lengths[pairing.takes(lengths)]
        total = taken.sum() if pairing.by_length else len(taken)
        product = multiply_pairs(rows, Memory(), block, 1.0 / total, pairing)
        np.testing.assert_allclose(product, joint @ block, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("min_length", [0, 14])
def test_by_length_parties_find_what_pooled_rows_lead_to(min_length, rows):
    parts = split(unlike_lengths(rows), 3)
    settings = {"mean_over": "tokens", "min_length": min_length}
    commons = Recorded(Simulated(parts, secure=True))
    together = learner(**settings).fit(commons)
    pooled = learner(**settings).fit(sp.csr_array(sp.vstack(as_told(parts))))
    assert sorted(together.anchors_) == sorted(pooled.anchors_)
    order = [pooled.anchors_.tolist().index(anchor) for anchor in together.anchors_]
    apart = np.abs(together.components_ - pooled.components_[order]).sum(axis=1)
    assert apart.max() < 0.02
    assert max(entry.round for entry in commons.ledger) == 6


def test_by_default_documents_count_alike_between_parties(rows):
    """There a long document would be a larger part of what the others see."""
    parts = split(unlike_lengths(rows), 3)
    commons = Simulated(parts, secure=True)
    usual, alike, by_length = (
        learner(mean_over=how).fit(commons).components_ for how in ("auto", "documents", "tokens")
    )
    assert usual.tobytes() == alike.tobytes()
    assert np.abs(usual - by_length).max() > 1e-4
    exact = Simulated(parts, secure=True, exact_totals=True)
    usual, alike = (learner(mean_over=how).fit(exact).components_ for how in ("auto", "documents"))
    assert usual.tobytes() == alike.tobytes()
    alone = sp.csr_array(sp.vstack(parts))
    usual, by_length = (learner(mean_over=how).fit(alone).components_ for how in ("auto", "tokens"))
    assert usual.tobytes() == by_length.tobytes()


def test_a_document_that_would_be_a_large_part_of_products_by_length_is_not_told(rows):
    mine = rows.tolil(copy=True)
    mine[3] = mine[3] * 150  # 22,500 tokens of 157,350
    mine = sp.csr_array(mine)
    with pytest.raises(ch.InputError, match=r"longest document here has 14% .* more than 10%"):
        count_pairs_and_words(mine, Memory(), 0, Pairing(by_length=True))
    assert count_pairs(mine, Memory(), 0)[1].tolist() == [900, 0]
    frequencies, _, length = count_pairs_and_words(rows, Memory(), 0, Pairing(by_length=True))
    assert length == pytest.approx(rows[:, frequencies > 0].sum())


def test_rounds_are_six_and_one_for_each_sweep(rows):
    commons = Recorded(Simulated(split(rows, 3), secure=True))
    learner(refine=2).fit(commons)
    rounds = {entry.round: entry.statistic.split(".")[-1] for entry in commons.ledger}
    assert list(rounds.values()) == [
        "count_pairs", *["multiply_pairs"] * 5, *["sweep_documents"] * 2
    ]  # fmt: skip
    blocks = [entry.shape for entry in commons.ledger if entry.statistic.endswith("multiply_pairs")]
    assert blocks == [(WORDS, K + 20)] * 5
    assert sum(shape[1] for shape in blocks) == learner()._measurements() == measurements(K)


def test_the_first_block_is_the_same_whatever_the_seed(rows, monkeypatch):
    """A session's seed is somebody's choice, and other blocks would be other equations."""
    blocks = []

    class Seen(Simulated):
        def _total(self, step, shared, precision):
            if step is multiply_pairs:
                blocks.append(shared[0])
            return super()._total(step, shared, precision)

    for seed in (0, 1):
        learner(random_state=seed).fit(Seen(split(rows, 3), secure=True))
    for first, second in zip(blocks[:5], blocks[5:], strict=True):
        np.testing.assert_array_equal(first, second)


def test_a_word_that_few_of_a_partys_documents_have_is_left_out_of_all_its_sums(rows):
    """As counted: whatever it was offered for, and sweeps too."""
    rare = 7
    mine = rows.tolil(copy=True)[:300]
    mine[:, rare] = 0
    mine[: FEWEST - 1, rare] = 5
    mine = sp.csr_array(mine)
    memory = Memory()
    frequencies, _ = count_pairs(mine, memory, 0)
    assert frequencies[rare] == 0
    block = np.random.default_rng(0).standard_normal((WORDS, 3))
    assert not multiply_pairs(mine, memory, block, 1.0)[rare].any()
    expected = sweep_documents(mine, memory, np.full((2, WORDS), 1 / WORDS), np.ones(2))[0]
    assert not expected[rare].any()
    assert expected[rare - 1].any()
    mine = mine.tolil()
    mine[FEWEST - 1, rare] = 1
    frequencies, _ = count_pairs(sp.csr_array(mine), Memory(), 0)
    assert frequencies[rare] == FEWEST


# What is refused


def test_a_party_whose_rows_are_sparse_takes_no_part():
    sparse = sp.csr_array(plant(n=600, d=400, k=3, length=12, seed=1)[0])
    commons = Recorded(Simulated(split(sparse, 3), secure=True))
    with pytest.raises(HolderError) as error:
        ch.AnchorWords(3, random_state=0).fit(commons)
    assert error.value.__cause__.kind == "sparse"
    assert "115 numbers" in str(error.value)
    assert not commons.ledger


def test_what_earlier_sessions_told_counts(rows):
    told = measurements(K)
    entries = row_entries(Documents(*as_told([rows])))
    sparsest = int(entries[entries > 0].min())
    assert told < sparsest
    count_pairs(rows, Memory(told=sparsest - told - 1), told)
    with pytest.raises(ch.InputError, match=f"earlier sessions told {sparsest - told}") as error:
        count_pairs(rows, Memory(told=sparsest - told), told)
    assert error.value.kind == "sparse"


def test_what_is_refused_before_words_are_agreed_on_is_refused_with_any_of_them():
    """And what isn't may still be refused: that depends on the words."""
    rows = sp.csr_array(plant(n=200, d=60, k=3, length=12, seed=1)[0])
    fullest = int(row_entries(Documents(*as_told([rows]))).max())
    with pytest.raises(ch.InputError, match=f"at most {fullest} words") as error:
        check_ever_hidden(rows, 3, fullest - 3)
    assert error.value.kind == "sparse"
    check_ever_hidden(rows, 3, fullest - 4)
    rng = np.random.default_rng(0)
    for size in (60, 40, 20):
        words = rng.choice(60, size, replace=False)
        kept = with_words(rows, np.isin(np.arange(60), words))
        with pytest.raises(ch.InputError, match="only"):
            count_pairs(kept, Memory(told=fullest - 3), 3)
    with pytest.raises(ch.InputError, match="only"):
        count_pairs(rows, Memory(told=fullest - 4), 3)
    check_ever_hidden(sp.csr_array((5, 60)), 3, 10**6)


def test_more_topics_than_eigenvalues_stand_out_are_refused():
    """Inside an organisation the co-occurrence is then used as counted; here it isn't there."""
    one_topic = np.random.default_rng(0).poisson(3.0, (3, 400)) @ np.eye(400)
    rows = sp.csr_array(np.repeat(one_topic, 60, axis=0) * np.tile(np.arange(1, 61), 3)[:, None])
    with pytest.raises(ch.InputError, match="positive eigenvalue") as error:
        ch.AnchorWords(20, random_state=0).fit(Simulated(split(rows, 2), secure=True))
    assert error.value.kind == "exact totals"
    assert error.value.parameters == ("exact_totals_know",)


def test_counts_beyond_all_bounds_are_refused_before_they_leave(rows):
    with pytest.raises(HolderError, match="divide such rows"):
        learner().fit(Simulated(split(rows * 1e151, 3), secure=True))


# Without C


def test_rows_on_demand_are_those_of_the_matrix(rows):
    joint = cooccurrence_of(rows)
    low_rank = project(leading_of(joint, K), K, np.float64).low_rank
    whole, by_rows = clipped(low_rank), ClippedRows(low_rank)
    np.testing.assert_allclose(by_rows[:], whole, rtol=1e-12, atol=1e-18)
    np.testing.assert_allclose(by_rows[[5, 3]], whole[[5, 3]], rtol=1e-12, atol=1e-18)
    np.testing.assert_allclose(by_rows.sum(axis=1), whole.sum(axis=1), rtol=1e-12)
    assert len(by_rows) == len(whole)


def test_no_array_has_a_number_for_each_pair_of_words(monkeypatch):
    """Nor do all arrays together: so vocabularies may be large."""
    d = 3000
    rows = sp.csr_array(plant(n=300, d=d, k=3, length=60)[0])
    monkeypatch.setattr(products, "check_hidden", lambda *numbers: None)
    monkeypatch.setattr(products, "words_of_enough", lambda documents, **_: np.ones(d, bool))
    commons = Simulated(split(rows, 3), secure=True)
    settings = {"refine": 0, "max_iter": 1, "precision": "double", "random_state": 0}
    tracemalloc.start()
    try:
        ch.AnchorWords(3, **settings).fit(commons)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 8 * d * d
