"""Attacks that rebuild documents: on planted totals their equations hold, and what they return is
there; where there is nothing, they return nothing."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import chatham as ch
from chatham.audit.observing import Observed, Round
from chatham.audit.rebuilding import (
    Certificate,
    Effort,
    Finding,
    Known,
    expected_counts,
    findings_of,
    lone_rows,
    rebuild,
)
from chatham.audit.rebuilding.differences import lone_documents, whole_multiples
from chatham.audit.rebuilding.exposing import Lookup
from chatham.audit.rebuilding.pair_lengths import rebuilt, tied_words
from chatham.audit.rebuilding.rows_from_products import by_products, cooccurrences
from chatham.audit.rebuilding.same_weights import moving_together
from chatham.audit.rebuilding.shared_values import groups_of
from chatham.audit.rebuilding.whole_counts import solve_whole

WORDS, DOCUMENTS = 120, 90


def planted(seed=0, documents=DOCUMENTS, words=WORDS, length=25):
    """Counts of documents of five topics."""
    draws = np.random.default_rng(seed)
    topics = draws.dirichlet(np.full(words, 0.1), 5)
    weights = draws.dirichlet(np.full(5, 0.3), documents)
    sizes = draws.integers(length // 2, length * 2, documents)
    rows = [draws.multinomial(n, w @ topics) for n, w in zip(sizes, weights, strict=True)]
    return sp.csr_array(np.array(rows, dtype=np.float64))


def three_parts(seed=0):
    counts = planted(seed)
    return [sp.csr_array(counts[i::3]) for i in range(3)]


def watched(learner, parts, **more):
    """The rounds that the first of these parties sees, and what it knows."""
    commons = Observed(parts, secrets=[b"%d" % i for i in range(len(parts))], **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(commons)
    return commons.rounds, Known.of_parts(parts)


def others_of(parts):
    return sp.csr_array(sp.vstack(parts[1:]))


def claims(findings, counts):
    """How many documents are claimed, and how many of these are there, count for count."""
    lookup = Lookup(counts)
    documents = [each for each in findings if each.kind == "document"]
    return len(documents), sum(bool(lookup.about(each)) for each in documents)


# Differences

SCALE = np.random.default_rng(1).uniform(0.5, 5.0, WORDS)


@given(st.integers(0, 10_000), st.integers(4, 60))
@settings(max_examples=40, deadline=None)
def test_a_document_that_left_alone_is_the_difference(seed, size):
    draws = np.random.default_rng(seed)
    counts = np.zeros(WORDS)
    held = draws.choice(WORDS, size, replace=False)
    counts[held] = draws.integers(1, 4, size)
    counts[held[0]] = 1
    total = draws.uniform(1.0, 50.0, (2, WORDS))
    left = total.copy()
    left[1] -= counts * SCALE / (counts @ SCALE)
    found = list(lone_documents([(total, 0.0), (left, 0.0)], SCALE))
    assert [lone.words.tolist() for lone in found] == [np.sort(held).tolist()]
    assert found[0].counts.tolist() == counts[np.sort(held)].tolist()


def test_two_that_left_together_or_noise_are_no_document():
    draws = np.random.default_rng(0)
    for _ in range(200):
        two = sum(draws.poisson(0.2, WORDS) * SCALE / draws.uniform(20, 60) for _ in range(2))
        assert whole_multiples(two, SCALE, 0.0) is None
        assert whole_multiples(draws.normal(0, 0.2, WORDS), SCALE, 0.2) is None


# Values that words share


def test_words_of_one_document_share_a_value_and_chance_has_no_such_words():
    draws = np.random.default_rng(0)
    total = draws.uniform(0.1, 3.0, WORDS)
    held = [3, 17, 40, 41, 99]
    total[held] = 0.02 * SCALE[held]
    assert [sorted(group.words.tolist()) for group in groups_of(total, SCALE, 0.0)] == [held]
    noised = total + draws.normal(0, 0.2, WORDS)
    assert not list(groups_of(noised, SCALE, 0.2))
    found = [list(groups_of(draws.uniform(0.1, 3.0, WORDS), SCALE, 0.0)) for _ in range(300)]
    assert not any(found)


# Pairs


def test_all_words_of_a_document_that_nobody_shares_say_its_length():
    counts = np.zeros((3, 30))
    counts[0, :9] = 1
    counts[0, 9] = 3
    counts[1, 12:20] = 1
    counts[2, 18:28] = 1
    matrix = cooccurrences(sp.csr_array(counts))
    tied = tied_words(matrix)
    assert {group.length for group in tied} == {12, 8, 10}
    documents = rebuilt(matrix, tied)
    assert counts[0].tolist() in [row.tolist() for row in documents]
    rows = set(map(tuple, counts.astype(int)))
    assert {tuple(row) for row in documents} <= rows


def test_an_exact_total_of_pairs_gives_groups_and_documents_through_the_entry():
    parts = [planted(seed, 40, 400, 12) for seed in range(3)]
    rounds, known = watched(
        ch.AnchorWords(3, refine=0, max_iter=1, random_state=0), parts, exact_totals=True
    )
    findings = rebuild(rounds, known)
    groups = [each for each in findings if each.kind == "group"]
    lookup = Lookup(others_of(parts))
    assert len(groups) > 50
    assert sum(bool(lookup.about(each)) for each in groups) > 0.98 * len(groups)
    claimed, right = claims(findings, others_of(parts))
    assert claimed == right > 0


# Whole counts


def test_whole_counts_are_found_from_fewer_equations_than_words():
    draws = np.random.default_rng(0)
    counts = np.zeros(200)
    counts[draws.choice(200, 12, replace=False)] = draws.integers(1, 4, 12)
    matrix = draws.random((80, 200))
    off = np.full(80, 1e-6)
    right = matrix @ counts + draws.uniform(-1e-7, 1e-7, 80)
    solved = solve_whole(matrix, right, off, total=int(counts.sum()))
    assert solved.counts.tolist() == counts.tolist()
    assert solved.log10_chance < -6
    word = int(np.flatnonzero(counts)[0])
    scaled = solve_whole(matrix, 0.37 * right, off, given=(word, int(counts[word])))
    assert scaled.counts.tolist() == counts.tolist()
    assert solve_whole(matrix, right, off, total=int(counts.sum()) + 1) is None
    assert solve_whole(matrix, matrix @ (counts * 1.37), off) is None
    assert solve_whole(matrix, right + draws.normal(0, 1.0, 80), off) is None
    assert solve_whole(matrix[:5], right[:5], off[:5]) is None


# PLSA


@pytest.fixture(scope="module")
def plsa():
    parts = three_parts()
    learner = ch.PLSA(8, max_iter=25, random_state=0)
    return parts, *watched(learner, parts, exact_totals=True)


def lone_words_of(parts):
    """Words that one document of the others has, and the document of each."""
    counts = others_of(parts)
    by_word = sp.csc_array(counts)
    words = np.flatnonzero(np.diff(by_word.indptr) == 1)
    return counts, {int(word): int(by_word.indices[by_word.indptr[word]]) for word in words}


def test_equations_of_em_hold_for_the_document_that_has_the_word(plsa):
    parts, rounds, _ = plsa
    counts, owners = lone_words_of(parts)
    transcript = expected_counts.Transcript.of(rounds, 2)
    every = np.arange(WORDS)
    assert len(owners) > 5
    for word, owner in owners.items():
        row = counts[[owner]].toarray().ravel()
        document = expected_counts.followed(transcript, word)
        assert document.share == pytest.approx(row[word] / row.sum(), rel=1e-6)
        matrix, right, off = expected_counts.equations_of(transcript, document, every)
        assert (np.abs(matrix @ (row / row.sum()) - right) <= 20 * off).all()
        allowed = expected_counts.may_be_in(transcript, document, 1 / row.sum())
        assert np.isin(np.flatnonzero(row), allowed).all()


def test_a_document_taken_off_leaves_what_the_others_tell(plsa):
    """Its own EM is replayed: what is left of a word that it alone has is nothing."""
    parts, rounds, _ = plsa
    counts, owners = lone_words_of(parts)
    transcript = expected_counts.Transcript.of(rounds, 2)
    word, owner = next(iter(owners.items()))
    words, numbers = Lookup(counts).row(owner)
    transcript.without(words, numbers / numbers.sum())
    assert all(np.abs(each[:, word]).max() < 1e-9 for each in transcript.expected)
    assert all(each.min() > -1e-9 for each in transcript.expected)


def test_exact_totals_of_plsa_give_documents_count_for_count(plsa):
    parts, rounds, known = plsa
    counts, owners = lone_words_of(parts)
    claimed, right = claims(rebuild(rounds, known), counts)
    print(f"plsa: {right} of {counts.shape[0]}, {len(set(owners.values()))} have a lone word")
    assert claimed == right
    assert right > len(set(owners.values()))  # those that a document found has led to, too


# NMF


@pytest.fixture(scope="module", params=["none", "simplex"])
def nmf(request):
    parts = three_parts()
    learner = ch.NMF(8, constraint=request.param, max_iter=25, random_state=0)
    return request.param, parts, *watched(learner, parts, exact_totals=True)


def test_equations_of_descent_and_of_products_hold_for_the_document(nmf):
    constraint, parts, rounds, known = nmf
    counts, owners = lone_words_of(parts)
    transcript = lone_rows.Transcript.of(rounds, known)
    assert len(transcript.topics) == (25 if constraint == "none" else 0)
    for word, owner in owners.items():
        row = counts[[owner]].toarray().ravel()
        own = row[word]
        weights = transcript.weights(word, own)
        matrix, right, off = transcript.equations(word, own, weights, np.arange(WORDS))
        factor = 1.0 if constraint == "none" else 1.0 / row.sum() ** 2
        assert (np.abs(factor * (matrix @ row) - right) <= 20 * off).all()
        allowed = transcript.may_be_in(weights, transcript.off / own, np.ones(WORDS))
        assert np.isin(np.flatnonzero(row), allowed).all()


def test_exact_totals_of_nmf_give_documents_count_for_count(nmf):
    constraint, parts, rounds, known = nmf
    counts, owners = lone_words_of(parts)
    claimed, right = claims(rebuild(rounds, known, Effort(rows=2)), counts)
    print(f"nmf, {constraint}: {right} of {counts.shape[0]}")
    assert claimed == right > 0.5 * len(set(owners.values()))


# Products


def products_of(counts, columns, noise=0.0):
    """A round of a product with XᵀX."""
    draws = np.random.default_rng(0)
    block = np.linalg.qr(draws.standard_normal((counts.shape[1], columns)))[0]
    product = counts.T @ (counts @ block) + noise * draws.standard_normal(block.shape)
    return Round("gram_image", (product,), (noise,), (block, 1.0), (1e-9,))


def test_the_row_of_a_word_that_one_document_has_is_the_document():
    counts = others_of(three_parts())
    known = Known.of_parts([counts, counts])
    rounds = [products_of(counts, 100)]
    findings = list(by_products(rounds, known, 4))
    claimed, right = claims(findings, counts)
    assert claimed == right == 4
    assert not list(by_products([products_of(counts, 100, noise=0.5)], known, 4))
    assert not list(by_products([products_of(counts, 12)], known, 4))


# LDA


def test_words_of_one_document_move_together_and_others_do_not():
    """Planted sweeps: two words follow one document's leaning, all others none."""
    draws = np.random.default_rng(0)
    rounds = []
    leaning, even = np.zeros(4), np.ones((30, 4))
    for _ in range(250):
        leaning = 0.7 * leaning + draws.normal(0, 1.0, 4)
        chances = np.exp(leaning) / np.exp(leaning).sum()
        counts = np.array([draws.multinomial(1, chances if word < 2 else np.full(4, 0.25))
                           for word in range(30)])  # fmt: skip
        rounds.append(Round("sweep_documents", (counts,), (0.0,), (even,), (1.0,)))
    known = Known(np.ones(30), np.ones(30, dtype=np.int64))
    together = moving_together(rounds, np.arange(30))
    others = together[np.triu_indices(30, 1)]
    assert together[0, 1] > 5
    assert np.sort(others)[-2] < 5
    assert [each.words for each in rebuild(rounds, known)] == [(0, 1)]


# What sessions send by default


@pytest.mark.parametrize(
    "learner",
    [
        ch.KMeans(5, random_state=0),
        ch.NMF(5, random_state=0),
        ch.PLSA(5, max_iter=20, random_state=0),
        ch.LDA(5, max_iter=80, random_state=0),
        ch.SVD(5, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_what_crosses_by_default_gives_nothing(learner):
    rounds, known = watched(learner, three_parts())
    assert rebuild(rounds, known) == []


# Whose documents they are


def test_findings_are_told_by_the_ids_of_my_documents():
    counts = np.array(
        [[2, 1, 1, 1, 0, 0], [4, 2, 2, 2, 0, 0], [0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]]
    )
    corpus = ch.Corpus(counts, list("abcdef"), ids=["one", "twice", "two", "all"])
    certificate = Certificate("seen", -9.0)

    def finding(kind, words, counts=None, length=None):
        return Finding(kind, words, counts, length, "step", certificate)

    document = finding("document", (0, 1, 2, 3), (2, 1, 1, 1))
    exposed = findings_of([document], corpus)
    assert set(exposed.documents) == {"one", "twice"}  # the same in proportion
    assert not exposed.parts
    exposed = findings_of([finding("group", (2, 3, 4), length=4)], corpus)
    assert exposed.parts == {"two": frozenset({2, 3, 4})}
    exposed = findings_of([finding("group", (2, 3, 4))], corpus)
    assert set(exposed.parts) == {"two", "all"}
    exposed = findings_of([finding("row", (4, 2, 3, 5))], corpus)
    assert set(exposed.parts) == {"two"}
    wrong = finding("document", (0, 5), (1, 1))
    assert findings_of([wrong], corpus).elsewhere == (wrong,)
    assert str(findings_of([document], corpus)) == "2 documents whole, and words of 0 others"


def test_a_certificate_says_in_words_how_probable_chance_is():
    assert str(Certificate("seen", -0.64)) == "seen; by chance in 23% of cases"
    assert str(Certificate("seen", -6.2)) == "seen; by chance in one case of 10^6"
    assert str(Certificate("seen", -400.0)) == "seen; by chance in less than one case of 10^50"


def test_what_is_known_must_fit_the_words():
    ones = np.ones(3)
    with pytest.raises(ch.InputError, match="document frequencies for 3 words"):
        Known(ones, np.ones(2, dtype=np.int64))
    with pytest.raises(ch.InputError, match="columns for 3 words"):
        Known(ones, own=sp.csr_array(np.ones((2, 2))))
    with pytest.raises(ch.InputError, match="positive"):
        Known(np.zeros(3))


def test_the_same_rounds_give_the_same_findings(plsa):
    _, rounds, known = plsa
    assert rebuild(rounds, known, Effort(documents=3)) == rebuild(
        rounds, known, Effort(documents=3)
    )
