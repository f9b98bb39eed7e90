"""Anchors that a user names: words, places, groups of either, and what isn't one."""

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.learners.settings.given_anchors import as_groups, check_anchors, indices_of, is_given
from tests.conftest import plant

WORDS = ["milk", "sugar", "tea", "7"]


@pytest.mark.parametrize(
    ("anchors", "places"),
    [
        (["tea", "milk"], [[2], [0]]),
        ([2, 0], [[2], [0]]),
        ([["tea", "milk"], 1], [[2, 0], [1]]),
        ((np.str_("tea"), (0, "sugar")), [[2], [0, 1]]),
        (np.array([2, 0]), [[2], [0]]),
        (np.array([[2, 0], [1, 3]], dtype=np.uint8), [[2, 0], [1, 3]]),
        (np.array(["7", "tea"]), [[3], [2]]),
        ([np.array([2, 0]), np.int32(1)], [[2, 0], [1]]),
    ],
)
def test_words_and_places_become_groups(anchors, places):
    groups = as_groups(anchors, 4, WORDS)
    assert [group.tolist() for group in groups] == places
    assert all(group.dtype == np.int64 for group in groups)


def test_places_need_no_names_and_words_do():
    assert [group.tolist() for group in as_groups([3, [0, 1]], 4)] == [[3], [0, 1]]
    with pytest.raises(InputError, match="columns have no names"):
        as_groups(["tea"], 4)


def test_what_is_given_and_what_is_a_way():
    assert not is_given("qr")
    assert is_given(["qr"])
    assert indices_of([["tea", 1], "milk"], WORDS) == [[2, 1], [0]]


@pytest.mark.parametrize("anchors", [None, True, 3, 2.5, [], (), {}, {"tea"}, np.array(3), object])
def test_anything_but_a_list_is_refused(anchors):
    with pytest.raises(InputError, match="'anchors' parameter of AnchorWords must be 'qr'"):
        check_anchors(anchors, 2)
    with pytest.raises(InputError, match="'anchors' parameter of AnchorWords must be 'qr'"):
        ch.AnchorWords(2, anchors=anchors).fit(np.ones((4, 3)))


@pytest.mark.parametrize(
    ("anchors", "rule"),
    [
        (["coffee"], "'coffee' is not among the 4 words of the vocabulary"),
        (["Tea"], "'Tea' is not among .* did you mean 'tea'"),
        ([4], "index from 0 to 3. Got 4"),
        ([-1], "index from 0 to 3. Got -1"),
        ([True], "index from 0 to 3. Got True"),
        (["tea", True], "index from 0 to 3. Got True"),
        ([np.array([True])], "index from 0 to 3. Got"),
        ([1.0], "index from 0 to 3. Got 1.0"),
        (["tea", None], "index from 0 to 3. Got None"),
        ([np.nan], "index from 0 to 3. Got nan"),
        ([[[1]]], r"index from 0 to 3. Got \[1\]"),
        ([np.array(1)], r"index from 0 to 3. Got an array"),
        ([[]], "has no word"),
        ([1, []], "has no word"),
        ([1, 1], "anchor at index 1 is given twice"),
        ([[1, 2], [2]], "anchor at index 2 is given twice"),
        (["tea", 2], "anchor 'tea' is given twice"),
        ([["tea", "tea"]], "anchor 'tea' is given twice"),
    ],
)
def test_what_is_no_anchor_is_named(anchors, rule):
    with pytest.raises(InputError, match=rule):
        as_groups(anchors, 4, WORDS)


# In the estimator


@pytest.fixture(scope="module")
def table():
    counts = plant(n=200, d=30, k=3)[0].toarray()
    return pd.DataFrame(counts, columns=[f"word_{j}" for j in range(30)])


def fitted(table, anchors, k=3, **more):
    return ch.AnchorWords(k, anchors=anchors, refine=0, min_anchor_df=1, **more).fit(table)


def groups_of(model):
    return sorted(group.tolist() for group in model.anchor_groups_)


def test_column_names_and_places_are_the_same_anchors(table):
    named = fitted(table, ["word_3", ["word_4", "word_7"], "word_5"])
    placed = fitted(table.to_numpy(), [3, [4, 7], 5])
    assert groups_of(named) == groups_of(placed) == [[3], [4, 7], [5]]
    assert named.components_.tobytes() == placed.components_.tobytes()
    assert set(named.anchors_) == {3, 4, 5}


def test_each_topic_has_its_own_anchor_to_itself(table):
    model = fitted(table, [3, 4, 5])
    among = model.components_[:, model.anchors_]
    assert (np.diag(among) > 0).all()
    assert (among[~np.eye(3, dtype=bool)] == 0).all()


def test_the_rest_is_found_by_pivoted_qr(table):
    found = fitted(table, "qr")
    first = int(found.anchors_[0])
    model = fitted(table, [first])
    assert [first] in groups_of(model)
    assert len(groups_of(model)) == 3
    every = fitted(table, found.anchors_)
    np.testing.assert_allclose(every.components_, found.components_, atol=1e-12)


def test_given_anchors_may_be_rare(table):
    assert [29] in groups_of(fitted(table, [29], rectify="none"))
    with_rare = table.assign(word_29=0)
    with_rare.loc[0, "word_29"] = 1
    model = ch.AnchorWords(3, anchors=["word_29"], refine=0, min_anchor_df=0.2).fit(with_rare)
    assert [29] in groups_of(model)


@pytest.mark.parametrize(
    ("anchors", "rule"),
    [
        ([1, 2, 3, 4], "4 anchors were given for 3 topics"),
        ([40], "index from 0 to 29"),
        (["word_40"], "'word_40' is not among the 30 words"),
        ([3, 3], "twice"),
        ([[[3]]], r"a word or its index from 0 on. Got \[3\]"),
        ([3.0], "a word or its index from 0 on. Got 3.0"),
        ([-3], "a word or its index from 0 on. Got -3"),
        ("best", "'anchors' parameter of AnchorWords must be one of 'qr'"),
    ],
)
def test_wrong_anchors_are_refused_before_anything_is_counted(table, anchors, rule):
    with pytest.raises(InputError, match=rule):
        fitted(table, anchors)
    commons = ch.Recorded(ch.Simulated([table.to_numpy()]))
    with pytest.raises(InputError):
        fitted(commons, anchors)
    assert commons.ledger == []


def test_an_anchor_that_never_occurs_is_refused(table):
    with pytest.raises(InputError, match="never occurs"):
        fitted(table.assign(word_3=0), ["word_3"])


def test_words_of_a_vocabulary_are_known_to_fit(table):
    words = list(table)
    model = ch.fit(
        "anchor", table.to_numpy(), vocabulary=words,
        n_components=3, anchors=["word_3", ["word_4", 7]], refine=0,
    )  # fmt: skip
    assert [3] in groups_of(model.estimator)
    assert [4, 7] in groups_of(model.estimator)
    with pytest.raises(InputError, match="not among the 30 words"):
        ch.fit("anchor", table.to_numpy(), vocabulary=words, n_components=3, anchors=["coffee"])
