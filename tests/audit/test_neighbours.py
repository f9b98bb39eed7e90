"""Designs: equal arms, the document where it should be, and everything else at random."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from chatham.audit.neighbours import (
    SIMULATORS,
    CoinFlips,
    OneByOne,
    database_size,
    random_targets,
    targets_by_id,
)
from chatham.errors import InputError


@given(
    st.integers(10, 60), st.integers(1, 5), st.integers(5, 40), st.integers(0, 9),
    st.sampled_from(["coins", *SIMULATORS]),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_both_arms_have_the_same_size_and_the_document_is_where_it_should_be(
    n, count, size, seed, kind
):
    targets = random_targets(count, n, seed)
    size = min(size, n - count)
    design = (
        CoinFlips(n, targets, size, 4)
        if kind == "coins"
        else OneByOne(n, targets, size, 2, simulator=kind)
    )
    asked = []
    for number in range(design.databases):
        drawn = design.database(number, seed)
        assert len(drawn.rows) == len(np.unique(drawn.rows)) == size
        assert drawn.rows.min() >= 0
        assert drawn.rows.max() < n
        np.testing.assert_array_equal(np.isin(targets[drawn.targets], drawn.rows), drawn.present)
        np.testing.assert_array_equal(drawn.rows, design.database(number, seed).rows)
        asked.append(drawn.targets)
    # Four databases tell something about each target.
    assert np.bincount(np.concatenate(asked), minlength=count).tolist() == [4] * count


def test_coins_are_fair_and_independent_and_the_rest_is_uniform():
    design = CoinFlips(120, np.array([3, 50, 51, 119]), 80, 2000)
    drawn = [design.database(number, 1) for number in range(2000)]
    assert len(design.groups) == 1
    present = np.array([each.present for each in drawn])
    for column in present.T:
        assert binomtest(int(column.sum()), 2000).pvalue > 1e-4
    assert np.abs(np.corrcoef(present.T) - np.eye(4)).max() < 4 / np.sqrt(2000)
    inside = np.bincount(np.concatenate([each.rows for each in drawn]), minlength=120)
    rest = np.delete(inside, design.targets)
    # Without replacement, cells are correlated, and the statistic is smaller by this factor.
    share = rest.mean() / 2000
    assert chisquare(rest).statistic / (1 - share) < 116 + 5 * np.sqrt(2 * 116)
    # Whether a target is there says nothing about how many of the others there are.
    with_first = present[:, 1:].sum(axis=1)[present[:, 0]].mean()
    assert with_first == pytest.approx(1.5, abs=0.15)


def test_targets_are_at_most_a_twentieth_of_a_database():
    design = CoinFlips(2000, np.arange(50), 800, 400)
    assert [len(group) for group in design.groups] == [25, 25]
    assert design.databases == 800
    assert max(map(len, CoinFlips(2000, np.arange(50), 1000, 4).groups)) == 50
    assert [len(group) for group in CoinFlips(100, np.arange(3), 10, 4).groups] == [1, 1, 1]
    assert "at most 25 of 800" in design.neighbours


def test_by_replacement_one_document_differs_and_by_a_fresh_database_many_do():
    targets = np.array([7, 20])
    same = OneByOne(60, targets, 25, 5, simulator="replacement")
    for pair in range(10):
        with_it, without = (same.database(2 * pair + arm, 3) for arm in (0, 1))
        document = targets[with_it.targets[0]]
        assert set(with_it.rows) - set(without.rows) == {document}
        assert len(set(without.rows) - set(with_it.rows)) == 1
        assert with_it.seed == without.seed
    fresh = OneByOne(60, targets, 25, 5, simulator="fresh")
    with_it, without = (fresh.database(arm, 3) for arm in (0, 1))
    assert len(set(without.rows) - set(with_it.rows)) > 5
    assert with_it.seed != without.seed
    assert same.neighbours != fresh.neighbours


def test_the_arms_of_both_simulators_have_the_same_law():
    """Row by row, a database without the document has each other document equally often."""
    for simulator in SIMULATORS:
        design = OneByOne(20, np.array([4]), 10, 1500, simulator=simulator)
        for arm, others in ((0, 9), (1, 10)):
            rows = [design.database(2 * i + arm, 0).rows for i in range(1500)]
            inside = np.delete(np.bincount(np.concatenate(rows), minlength=20), 4)
            share = others / 19
            assert inside.sum() == 1500 * others
            spread = np.sqrt(1500 * share * (1 - share))
            assert np.abs(inside - 1500 * share).max() < 4.5 * spread


def test_a_design_describes_itself():
    described = CoinFlips(200, np.array([3, 4]), 80, 10).described()
    assert described["design"] == "CoinFlips"
    assert described["targets"] == [3, 4]
    assert described["neighbours"].endswith("drawn from the corpus.")
    assert OneByOne(200, np.array([3]), 80, 10).described()["simulator"] == "fresh"


def test_bad_input_is_told_in_one_sentence():
    with pytest.raises(InputError, match=r"no document 'b7'; did you mean 'b71'\?$"):
        targets_by_id(["a1", "b7"], ["a1", "b71", "c"])
    with pytest.raises(InputError, match="nor 1 other that you named; ids are as in the corpus"):
        targets_by_id(["x", "y"], ["1", "2"])
    assert targets_by_id(["c", "a1"], ["a1", "b71", "c"]).tolist() == [2, 0]
    with pytest.raises(InputError, match=r"party_size is a share .* at most 1; got 1.5\.$"):
        database_size(1.5, 100)
    for wrong in (0, -0.1, float("nan")):
        with pytest.raises(InputError, match="above 0 and at most 1"):
            database_size(wrong, 100)
    assert database_size(0.05, 16_545) == 827
    assert database_size(0.001, 100) == 1
    with pytest.raises(InputError, match="no document 10; ask about"):
        CoinFlips(10, np.array([10]), 4)
    with pytest.raises(InputError, match="at most 9 documents"):
        OneByOne(10, np.array([1]), 10)
    with pytest.raises(InputError, match="asked about twice"):
        CoinFlips(10, np.array([1, 1]), 4)
    with pytest.raises(InputError, match="name at least one"):
        CoinFlips(10, np.array([], dtype=np.int64), 4)
    with pytest.raises(InputError, match="simulator must be 'fresh' or 'replacement'; got 'x'"):
        OneByOne(10, np.array([1]), 4, simulator="x")
    with pytest.raises(InputError, match="an_arm must be at least 2"):
        OneByOne(10, np.array([1]), 4, an_arm=1)
    with pytest.raises(InputError, match="at least one document; got 0"):
        CoinFlips(10, np.array([1]), 0)
    with pytest.raises(InputError, match="11 documents can't be chosen among 10"):
        random_targets(11, 10, 0)
