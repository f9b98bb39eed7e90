"""The sampler's parts: the conditional, counts, tokens, keys, and what it tells of itself."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numba import njit
from scipy.special import gammaln
from scipy.stats import chisquare

from chatham.errors import InputError
from chatham.learners.documents import Documents
from chatham.learners.lda import LDA
from chatham.learners.lda.gibbs import (
    count_topics,
    merge_shards,
    tally_documents,
    token_starts,
    tokens_of,
)
from chatham.learners.lda.steps import document_keys
from chatham.numerics.dirichlet import best_scale, log_likelihood
from chatham.numerics.lanes import LANES, add_at, aligned, choose, padded, put_at, scratch, take_at
from tests.learners.lda.samplers import sampler_of

TINY = np.array([[2, 1, 0], [0, 1, 1], [1, 0, 0]])


@njit(cache=True)
def draw(words, row, beta, document, alpha, inverse, sums, bits):
    return choose(words, row, beta, document, alpha, inverse, sums, bits)


def laid_out(of_word, beta, of_document, alpha, inverse):
    """What `choose` reads, as it reads it, and room for its sums."""
    k, width = len(alpha), padded(len(alpha))
    arrays = [aligned(width) for _ in range(4)]
    for array, values in zip(arrays, (of_word, of_document, alpha, inverse), strict=True):
        array[:k] = values
    words, *others = arrays
    return words, 0, np.float32(beta), *others, scratch(width)


def draw_from(*state_and_bits):
    """The topic that `choose` draws, and the probabilities that it drew from."""
    *state, bits = state_and_bits
    given = laid_out(*state)
    topic = draw(*given, np.uint64(bits))
    halves = given[-1][: padded(len(state[-1]))].reshape(2, -1, LANES)
    products = np.diff(halves, axis=1, prepend=np.float32(0)).ravel()
    return topic, products / products.sum()


def eq_1_14(of_word, beta, of_document, alpha, inverse):
    p = (of_word + beta) * inverse * (of_document + alpha)
    return p / p.sum()


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 100), st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1))
def test_the_conditional_is_eq_1_14(k, seed, bits):
    rng = np.random.default_rng(seed)
    of_word, of_document = rng.integers(0, 50, k), rng.integers(0, 20, k)
    state = of_word, 0.01, of_document, rng.gamma(0.5, size=k) + 1e-6, 1 / rng.integers(9, 999, k)
    topic, drawn_from = draw_from(*state, bits)
    np.testing.assert_allclose(drawn_from[:k], eq_1_14(*state), rtol=1e-4, atol=1e-6)
    assert not drawn_from[k:].any()
    assert 0 <= topic < k


@pytest.mark.parametrize("k", [3, 16, 20, 75])
def test_topics_are_drawn_as_often_as_the_conditional_says(k):
    rng = np.random.default_rng(k)
    state = rng.integers(0, 9, k), 0.1, rng.integers(0, 5, k), np.full(k, 0.2), np.full(k, 0.01)
    bits = rng.integers(0, 2**64, 20_000, dtype=np.uint64)
    given = laid_out(*state)
    drawn = np.bincount([draw(*given, b) for b in bits], minlength=k)
    assert chisquare(drawn, eq_1_14(*state) * len(bits)).pvalue > 0.01


@pytest.mark.parametrize("bits", [0, 2**64 - 1, 2**24 - 1, 2**64 - 2**24])
@pytest.mark.parametrize("k", [1, 2, 3, 7, 17, 33])
def test_the_ends_of_the_random_range_give_a_topic_that_exists(k, bits):
    for seed in range(50):
        rng = np.random.default_rng(seed)
        of_word = rng.integers(0, 3, k) * 10.0 ** rng.integers(0, 6, k)
        topic, p = draw_from(
            of_word, 1e-6, rng.integers(0, 9, k), np.full(k, 1e-6), np.ones(k), bits
        )
        assert 0 <= topic < k
        assert p[topic] > 0


@njit(cache=True)
def change_counts(array):
    add_at(array, 32, 17, np.float32(2.5))
    take_at(array, 32, 17, np.float32(1.0))
    take_at(array, 0, 3, np.float32(0.5))
    put_at(array, 5, np.float32(7.0))


def test_changes_reach_their_place_and_no_other():
    array, expected = aligned(64), np.zeros(64)
    change_counts(array)
    expected[[49, 5]] = 1.5, 7
    np.testing.assert_array_equal(array, expected)


def small_counts(fractional=False, shape=(30, 12), seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(1.5, shape) * (rng.random(shape) if fractional else 1)
    return sp.csr_array(counts.astype(float))


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("fractional", [False, True])
@pytest.mark.parametrize("k", [3, 40])
def test_counts_stay_those_of_the_topics(shards, fractional, k):
    counts = small_counts(fractional)
    sampler = sampler_of(Documents(counts), k, shards, seed=1, holder=0)
    alpha, beta = np.full(k, 0.1), np.full(12, 0.01)
    for number in range(40):
        sampler.sweep(sampler.mine.copy(), alpha, beta, number)
    recounted = count_topics(sampler.tokens, 12, k).astype(np.float32)
    np.testing.assert_array_equal(sampler.mine, recounted)
    np.testing.assert_allclose(sampler.mine.sum(axis=1), counts.sum(axis=0), rtol=1e-5)
    live = sampler.live[0]
    assert not live[:, k:].any()
    if shards == 1:
        np.testing.assert_allclose(live[:, :k], recounted, atol=1e-4 if fractional else 0)


def test_every_shard_is_told_what_all_changed():
    total, mine = np.full((2, 3), 5, np.float32), np.full((2, 3), 2, np.float32)
    live = aligned(2, 2, 32)
    live[:, :, :3] = total
    live[0, 0, 0], live[1, 0, 0], live[1, 1, 2] = 4, 8, 3
    merge_shards(live, mine, total, 0, 2)
    np.testing.assert_array_equal(mine, [[4, 2, 2], [2, 2, 0]])
    np.testing.assert_array_equal(total, [[7, 5, 5], [5, 5, 3]])


def test_the_others_counts_are_left_alone():
    sampler = sampler_of(Documents(small_counts()), 3, 2, seed=1, holder=0)
    others = np.float32(np.random.default_rng(1).integers(0, 9, (12, 3)))
    for number in range(5):
        sampler.sweep(sampler.mine + others, np.full(3, 0.1), np.full(12, 0.1), number)
    np.testing.assert_array_equal(sampler.mine, count_topics(sampler.tokens, 12, 3))


@settings(deadline=None, max_examples=40)
@given(hnp.arrays(float, (4, 3), elements=st.sampled_from([0, 0.3, 1, 1.5, 2, 2.7])))
def test_a_cell_is_whole_tokens_and_one_of_the_rest(counts):
    documents = Documents(counts)
    tokens = tokens_of(documents, documents.keys(0))
    assert len(tokens.topics) == np.ceil(counts).sum()
    weights = tokens.weights if len(tokens.weights) else np.ones(len(tokens.topics))
    assert (weights > 0).all()
    assert (weights <= 1).all()
    ends = tokens.starts[tokens.indptr]
    found = [weights[a:b].sum() for a, b in pairwise(ends)]
    np.testing.assert_allclose(found, counts.sum(axis=1), rtol=1e-5)


@pytest.mark.parametrize("huge", [2.0**24, 1e10, 2.0**53, 1e19, 1e300])
def test_documents_of_more_tokens_than_can_be_counted_are_refused(huge):
    documents = Documents(np.array([[3, 2.0, 0], [huge, 1, 0], [huge, 0, 2]]))
    with pytest.raises(InputError, match=r"A document has \S+ tokens, and up to 16,777,216 can be"):
        tokens_of(documents, documents.keys(0))
    model = LDA(n_components=2, max_iter=10, random_state=0).fit(small_counts())
    with pytest.raises(InputError, match="Scale the counts down"):
        model.transform(np.full((1, small_counts().shape[1]), huge))


def test_where_tokens_start():
    documents = Documents(np.array([[2.0**24 - 1, 0.5], [0, 0], [1, 2.7]]))
    assert token_starts(documents).tolist() == [0, 2**24 - 1, 2**24, 2**24 + 1, 2**24 + 4]
    assert token_starts(Documents(np.zeros((0, 3)))).tolist() == [0]
    assert token_starts(Documents(np.zeros((2, 3)))).tolist() == [0]


def test_whole_counts_carry_no_weights():
    documents = Documents(small_counts())
    assert len(tokens_of(documents, documents.keys(0)).weights) == 0


def test_equal_documents_dont_share_their_draws():
    counts = np.tile([[5, 3, 0, 9]], (20, 1))
    documents = Documents(counts)
    assert len(np.unique(document_keys(documents, 0, 0))) == 20
    sampler = sampler_of(documents, 4, 1, seed=0, holder=0)
    started = sampler.tokens.topics.reshape(20, -1).copy()
    sampler.sweep(sampler.mine.copy(), np.full(4, 0.5), np.full(4, 0.5), 1)
    swept = sampler.tokens.topics.reshape(20, -1)
    assert len(np.unique(started, axis=0)) == 20
    assert len(np.unique(swept, axis=0)) == 20


def test_equal_documents_at_two_holders_dont_share_their_draws():
    documents = Documents(small_counts())
    assert not set(document_keys(documents, 0, 0)) & set(document_keys(documents, 0, 1))


def test_keys_follow_the_content_and_not_the_place():
    counts = small_counts().toarray()
    order = np.random.default_rng(3).permutation(len(counts))
    keys = document_keys(Documents(counts), 7, 0)
    np.testing.assert_array_equal(document_keys(Documents(counts[order]), 7, 0), keys[order])


def test_the_tally_is_what_it_says():
    sampler = sampler_of(Documents(small_counts(fractional=True)), 3, 1, seed=4, holder=0)
    alpha = np.array([0.2, 1.0, 3.0])
    by_document = np.array([
        np.bincount(sampler.tokens.topics[a:b], sampler.tokens.weights[a:b], minlength=3)
        for a, b in pairwise(sampler.tokens.starts[sampler.tokens.indptr])
    ])  # fmt: skip
    by_document = by_document[by_document.sum(axis=1) > 0]
    sizes, whole = by_document.sum(axis=1), alpha.sum()
    step = 1e-5
    slope = [
        (gammaln(by_document + alpha + step * one) - gammaln(alpha + step * one)
         - gammaln(by_document + alpha - step * one) + gammaln(alpha - step * one)).sum() / step / 2
        for one in np.eye(3)
    ]  # fmt: skip
    log_p = (gammaln(by_document + alpha) - gammaln(alpha)).sum()
    log_p += (gammaln(whole) - gammaln(sizes + whole)).sum()
    tally = tally_documents(sampler.tokens, 0, 30, alpha)
    np.testing.assert_allclose(tally[:3], slope, rtol=1e-5)
    np.testing.assert_allclose(tally[4], log_p, rtol=1e-9)
    means = (by_document + alpha) / (sizes + whole)[:, None]
    np.testing.assert_allclose(tally[5:], means.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(sampler.tally(alpha), tally, rtol=1e-12)


def test_twins_at_two_holders_draw_differently():
    first, second = (sampler_of(Documents(TINY), 2, 1, seed=5, holder=holder) for holder in (0, 1))
    later = sampler_of(Documents(np.tile(TINY, (20, 1))), 4, 1, seed=5, holder=1)
    again = sampler_of(Documents(np.tile(TINY, (20, 1))), 4, 1, seed=5, holder=0)
    assert not np.array_equal(later.tokens.topics, again.tokens.topics)
    assert np.array_equal(first.tokens.words, second.tokens.words)


def test_the_best_scale_is_a_maximum():
    rng = np.random.default_rng(0)
    prior = np.full(40, 0.3)
    counts = np.array([rng.multinomial(500, rng.dirichlet(prior * 2)) for _ in range(30)])
    counts = counts.T.astype(np.float32)
    scale = best_scale(counts, prior)
    here = log_likelihood(counts, prior * scale)
    assert here > log_likelihood(counts, prior * scale * 1.02)
    assert here > log_likelihood(counts, prior * scale * 0.98)
