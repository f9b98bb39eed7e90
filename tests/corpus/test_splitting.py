"""Copies stay together, shares stay right, and a training part's idf has not seen the test part."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.corpus import Corpus, read_corpus, sample_corpus
from chatham.corpus.splitting import copies, split_rows
from chatham.corpus.tfidf import unweighted, weighted
from chatham.errors import InputError

seeds = st.integers(0, 20)


def of_groups(group_of, labels=None):
    """A corpus in which documents of one group are copies of one another."""
    groups = np.asarray(group_of)
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.7, (groups.max() + 1, 6))
    counts[:, 0] = np.arange(groups.max() + 1) + 1  # no two groups are alike
    return Corpus(counts[groups], [f"w{j}" for j in range(6)], labels=labels)


def rows_of(part):
    return [int(row) for row in part.ids]


@given(st.lists(st.integers(0, 8), min_size=3, max_size=60), st.floats(0.05, 0.95), seeds)
@settings(max_examples=200, deadline=None)
def test_copies_stay_together_and_the_share_is_about_right(group_of, test, seed):
    sizes, n = Counter(group_of), len(group_of)
    if len(sizes) == 1 or not 0 < round(test * n) < n:
        return
    parts = [rows_of(part) for part in of_groups(np.unique(group_of, return_inverse=True)[1])
             .split(test, random_state=seed)]  # fmt: skip
    assert sorted(parts[0] + parts[1]) == list(range(n))
    assert all(part == sorted(part) for part in parts)
    seen, unseen = ({group_of[row] for row in part} for part in parts)
    assert seen
    assert unseen
    assert not seen & unseen
    alone = min(len(seen), len(unseen)) == 1  # a part is never empty, whatever its share
    assert alone or abs(len(parts[1]) - round(test * n)) <= max(sizes.values()) / 2


@given(st.integers(2, 60), st.floats(0.05, 0.95), seeds)
@settings(max_examples=60, deadline=None)
def test_without_copies_the_number_is_exact(n, test, seed):
    wanted = round(test * n)
    if 0 < wanted < n:
        assert len(split_rows(n, test, seed)[1]) == wanted
        assert len(of_groups(range(n)).split(test, random_state=seed)[1]) == wanted


def test_every_document_twice():
    # Rows by themselves put 12 of these 20 apart from their copy.
    group_of = [*range(50), *range(50)]
    train, test = of_groups(group_of).split(0.2, random_state=0)
    assert (len(train), len(test)) == (80, 20)
    assert not {row % 50 for row in rows_of(train)} & {row % 50 for row in rows_of(test)}


def test_a_stratified_split_of_copies_takes_the_same_share_of_every_label():
    group_of = np.repeat(np.arange(50), 2)
    labels = np.array(["a"] * 60 + ["b"] * 30 + ["c"] * 10, dtype=object)
    _, test = of_groups(group_of, labels).split(0.2, stratify=True)
    assert Counter(test.labels) == {"a": 12, "b": 6, "c": 2}
    assert {row // 2 for row in rows_of(test)} == {row // 2 for row in rows_of(test) if row % 2}


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_strata_with_some_copies_keep_their_share(seed):
    rng = np.random.default_rng(seed)
    group_of, labels = [], []
    for label, size in (("a", 200), ("b", 100), ("c", 40)):
        own = rng.choice([1, 1, 1, 2, 3], size)
        start = max(group_of, default=-1) + 1
        group_of += np.repeat(np.arange(start, start + size), own).tolist()
        labels += [label] * int(own.sum())
    _, test = of_groups(group_of, labels).split(0.25, random_state=seed, stratify=True)
    found, all_of_them = Counter(test.labels), Counter(labels)
    for label, size in all_of_them.items():
        assert abs(found[label] - 0.25 * size) <= 3


@pytest.mark.parametrize(("test", "held_out"), [(0.2, 20), (0.8, 980)])
def test_a_text_with_very_many_copies_stays_where_most_rows_are(test, held_out):
    group_of = [0] * 900 + list(range(1, 101))
    for seed in range(5):
        parts = of_groups(group_of).split(test, random_state=seed)
        small, large = sorted((rows_of(part) for part in parts), key=len)
        assert set(range(900)) <= set(large)
        assert abs(len(parts[1]) - held_out) <= 1
        assert len(small) >= 19


def test_both_parts_have_documents_however_few_different_ones_there_are():
    for test in (0.1, 0.5, 0.9):
        parts = of_groups([0] * 5 + [1] * 5).split(test)
        assert [len(part) for part in parts] == [5, 5]


def test_nothing_but_copies_is_refused():
    with pytest.raises(InputError, match="All 10 documents have the same words equally often"):
        Corpus(np.ones((10, 2)), ["tea", "milk"]).split()


def test_copies_are_known_by_their_words_in_any_order_of_cells():
    corpus = read_corpus(["Tea, milk", "milk tea!", "milk", "", ""], stop_words=None)
    assert copies(corpus.counts).tolist() == [0, 0, 1, 2, 3]
    turned = corpus.counts[:, [1, 0]]  # the order of stored cells is another then
    assert copies(turned).tolist() == [0, 0, 1, 2, 3]


def by_formula(corpus, n_words):
    frequencies = (corpus.counts.toarray() > 0).sum(axis=0)
    return [math.log((1 + len(corpus)) / (1 + frequencies[j])) + 1 for j in range(n_words)]


def test_a_weighted_corpus_is_weighted_anew_by_the_training_part():
    plain = sample_corpus(max_features=300)
    train, test = weighted(plain).split(0.3, random_state=1)
    own, others = plain.split(0.3, random_state=1)
    assert train.ids.tolist() == own.ids.tolist()
    idf = np.array(by_formula(own, 300))
    np.testing.assert_allclose(train.vectorizer.idf, idf, rtol=1e-12)
    np.testing.assert_allclose(train.counts.toarray(), own.counts.toarray() * idf, rtol=1e-12)
    np.testing.assert_allclose(test.counts.toarray(), others.counts.toarray() * idf, rtol=1e-12)
    assert (unweighted(test).counts != others.counts).nnz == 0
    assert test.vectorizer is train.vectorizer


def test_what_is_in_the_test_part_changes_nothing_in_the_training_part():
    texts = [f"tea {'milk' if n % 2 else 'rum'} w{n}" for n in range(20)]
    corpus = read_corpus(texts, weighting="tfidf", stop_words=None)
    train, test = corpus.split(0.25, random_state=0)
    again = read_corpus(
        train.texts, vocabulary=list(corpus.vocabulary), weighting="tfidf", stop_words=None
    )
    np.testing.assert_allclose(train.counts.toarray(), again.counts.toarray(), rtol=1e-12)
    # New texts, and those of the test part, are weighted alike.
    found = train.vectorizer.counts(test.texts).toarray()
    np.testing.assert_allclose(test.counts.toarray(), found, rtol=1e-12)


def test_parties_share_the_idf_of_all():
    corpus = weighted(sample_corpus(max_features=50))
    for party in corpus.parties(n=3).values():
        assert np.array_equal(party.vectorizer.idf, corpus.vectorizer.idf)
