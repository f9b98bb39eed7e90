"""The attacks on co-occurrences and on k-means, tried on the other learners as far as they apply.

One of three parties is curious, on the sample, unless said otherwise; each test prints its figures.

- *Differences* of two successive rounds' totals, matched with the others' documents.
- *Groups in one total*: words that a single document brings to a topic share value/idf. Exact
  totals of NMF have such groups, above all in the first rounds.
- *Pairs*: words that one document alone has enter NMF's sums with that document's weights, so that
  they have one direction over topics. Pairs of rare words are guessed by it.
- *Rows from products*: SVD, and NMF's start by singular vectors, add up XᵀXV, which are equations
  for the rows of XᵀX as products with co-occurrences are.

- *Weights from expected counts*: PLSA's expected counts of a word that one document has, divided by
  the topics, are proportional to that document's weights, and so are the averages of LDA's counts.

NMF and SVD add noise, and PLSA and LDA leave out words that few of a party's documents have, which
stops all of them; where all know of exact totals they work, and that is a test too.
"""

import os
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.audit.observing import Observed
from chatham.audit.rebuilding.rows_from_products import by_least_squares, by_programme
from chatham.audit.rebuilding.same_weights import (
    alike,
    profiles_of_lda,
    profiles_of_plsa,
)
from chatham.audit.rebuilding.shared_values import single_and_averaged
from chatham.audit.rebuilding.word_totals import totals_by_step
from chatham.learners.documents import Documents
from tests.attacks.cooccurrence_products import (
    equations,
    recovered,
    sparsest,
    support_found,
)
from tests.attacks.kmeans_totals import (
    Found,
    Truth,
    documents_by_difference,
    groups_in,
)
from tests.attacks.overhearing import overheard, sample
from tests.attacks.sample_parties import four_parties

pytestmark = pytest.mark.filterwarnings("ignore")

torture = pytest.mark.skipif(
    not os.environ.get("CHATHAM_TORTURE"), reason="minutes of fits and programmes: make torture"
)

LEARNERS = {
    "nmf": ch.NMF(20, loss="relative", random_state=0),
    "nmf, exact": ch.NMF(20, loss="relative", random_state=0, max_iter=30),
    "nmf none, exact": ch.NMF(20, constraint="none", random_state=0, max_iter=30),
    "plsa": ch.PLSA(20, random_state=0, max_iter=30),
    "plsa, exact": ch.PLSA(20, random_state=0, max_iter=30),
    "lda": ch.LDA(20, random_state=0, max_iter=30),
    "lda, exact": ch.LDA(20, random_state=0, max_iter=300),
    "svd": ch.SVD(20, random_state=0),
    "svd, exact": ch.SVD(20, random_state=0),
}
WITH_COUNTS = ("plsa", "plsa, exact", "lda", "lda, exact")


def heard_by_one(name):
    """The sample as the learner sees it, and what one party hears of the fit."""
    given = sample("applications")
    idf, parts = given.idf, given.parts
    if name in WITH_COUNTS:
        parts = [sp.csr_array(part @ sp.diags_array(1 / idf)) for part in parts]
        for part in parts:
            part.data = np.rint(part.data)
        idf = np.ones_like(idf)
    heard, _ = overheard(parts, LEARNERS[name], exact_totals="exact" in name)
    return idf, Truth(given.counts), heard


def nearest_cosine(rounds, truth, idf):
    """The largest cosine of a document and a difference of two rounds."""
    rows = sp.csr_array(truth.counts @ sp.diags_array(idf))
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    units = sp.csr_array(sp.diags_array(1 / np.maximum(norms, 1e-9)) @ rows)
    best = 0.0
    for (before, _), (after, _) in pairwise(rounds):
        change = after - before
        sizes = np.linalg.norm(change, axis=1)
        if (sizes > 1e-6).any():
            directions = change[sizes > 1e-6] / sizes[sizes > 1e-6, None]
            best = max(best, float(np.abs(units @ directions.T).max()))
    return best


def groups_in_rounds(rounds, idf, truth):
    """Groups of four words or more in single totals and in averages over runs of rounds."""
    found, documents = Found(0, 0), set()
    for totals, noise in single_and_averaged(rounds):
        group, parts = groups_in(totals, idf, noise, truth)
        found, documents = found + group, documents | set(parts)
    return found, len(documents)


def quick(names, quick_ones):
    """Names for `parametrize`; those that take longer are for `make torture`."""
    return [name if name in quick_ones else pytest.param(name, marks=torture) for name in names]


DIFFERENCES = ["nmf", "nmf, exact", "nmf none, exact", "plsa", "lda", "svd", "svd, exact"]


@pytest.mark.parametrize("name", quick(DIFFERENCES, ("nmf", "svd", "plsa")))
def test_no_difference_of_two_rounds_is_a_document(name):
    idf, truth, heard = heard_by_one(name)
    for step, rounds in totals_by_step(heard, len(idf)).items():
        documents = documents_by_difference(rounds, idf, truth)
        cosine = nearest_cosine(rounds, truth, idf)
        print(f"{name}, {step}, {len(rounds)} rounds: by difference {documents}, nearest cosine "
              f"{cosine:.2f}")  # fmt: skip
        assert documents.true == 0
        assert cosine < 0.9


@pytest.mark.parametrize("name", quick(("nmf", "plsa", "lda", "svd"), ("nmf", "svd")))
def test_by_default_no_total_groups_words_by_document(name):
    idf, truth, heard = heard_by_one(name)
    for step, rounds in totals_by_step(heard, len(idf)).items():
        found, documents = groups_in_rounds(rounds, idf, truth)
        print(f"{name}, {step}: groups {found} in {documents} documents")
        assert found.true == 0


@torture
@pytest.mark.parametrize("name", ["nmf, exact", "nmf none, exact"])
def test_exact_totals_of_nmf_group_words_by_document(name):
    """What noise is there for: without it dozens of groups are certain."""
    idf, truth, heard = heard_by_one(name)
    rounds = totals_by_step(heard, len(idf))["topic_statistics"]
    found, documents = groups_in_rounds(rounds, idf, truth)
    first, _ = groups_in_rounds(rounds[:1], idf, truth)
    print(f"{name}: groups {found} in {documents} documents, {first} in the first round")
    assert found.true > 20


# Pairs of rare words


def guessed_pairs(name, most, count=100):
    """Of so many pairs of rare words likeliest to be of one document: the share that are, by the
    better of two statistics; and the share among all pairs, which is what guessing has.

    Rare are words that at most so many of the others' documents have, as document frequencies tell.
    Exact profiles are compared by direction. Beside noise their inner product tells more, over all
    rounds and the start.
    """
    idf, truth, heard = heard_by_one(name)
    totals = totals_by_step(heard, len(idf))
    rounds = [
        total for total, _ in totals["topic_statistics" if "exact" in name else "add_by_weight"]
    ]
    start = [total for total, _ in totals.get("add_random_groups", [])]
    in_documents = np.diff(truth.by_word.indptr)
    words = np.flatnonzero((in_documents > 0) & (in_documents <= most))
    profiles = np.vstack([np.mean(rounds[:3], axis=0), np.mean(rounds[-5:], axis=0)])
    profiles = profiles[:, words] / idf[words]
    units = profiles / np.maximum(np.linalg.norm(profiles, axis=0), 1e-12)
    every = np.vstack([*rounds, *start])[:, words]
    has = sp.csr_array(truth.counts[:, words] > 0).astype(float)
    pairs = np.triu_indices(len(words), 1)
    together = (has.T @ has).toarray()[pairs] > 0
    likeliest = [
        np.argsort(-alike[pairs], kind="stable")[:count]
        for alike in (units.T @ units, every.T @ every)
    ]
    return max(float(together[each].mean()) for each in likeliest), float(together.mean())


@pytest.mark.parametrize("name", quick(("nmf", "nmf, exact"), ("nmf",)))
def test_pairs_of_rare_words_are_guessed_only_from_exact_totals(name):
    right, usual = guessed_pairs(name, most=3)
    print(f"{name}: {right:.0%} of a hundred pairs right, {usual:.1%} of all")
    assert right > 0.2 if "exact" in name else right < 0.05


# Weights from expected counts


def words_of_one(truth):
    """Words that one document of the others has, as document frequencies tell."""
    return np.flatnonzero(np.diff(truth.by_word.indptr) == 1)


def pairs_by_weights(profiles, truth, words):
    """How like each other the profiles of two words are, for all pairs, and whether one document
    has both."""
    has = sp.csr_array(truth.counts[:, words] > 0).astype(float)
    pairs = np.triu_indices(len(words), 1)
    return alike(profiles)[pairs], (has.T @ has).toarray()[pairs] > 0


def test_exact_expectations_of_plsa_give_pairs_of_lone_words_away():
    """All that there are, and for sure: their weights agree to the last digits."""
    _, truth, heard = heard_by_one("plsa, exact")
    words = words_of_one(truth)
    fourth = [one for one in heard if one.step == "expectations"][3:4]
    likeness, together = pairs_by_weights(profiles_of_plsa(fourth, words), truth, words)
    sure = likeness > 1 - 1e-6
    print(f"plsa, exact: {(sure & together).sum()} of {together.sum()} pairs, "
          f"{(sure & ~together).sum()} false")  # fmt: skip
    assert together.sum() > 4
    assert np.array_equal(sure, together)


@torture
def test_averages_of_exact_counts_of_lda_tell_some_pairs_of_lone_words():
    _, truth, heard = heard_by_one("lda, exact")
    words = words_of_one(truth)
    profiles = np.mean(profiles_of_lda(heard, words), axis=0)
    likeness, together = pairs_by_weights(profiles, truth, words)
    likeliest = together[np.argsort(-likeness, kind="stable")[:20]].sum()
    print(f"lda, exact: {likeliest} of {together.sum()} pairs among the 20 likeliest")
    assert likeliest / 20 > 10 * together.mean()


@pytest.mark.parametrize("name", quick(("plsa", "lda"), ("plsa",)))
def test_by_default_no_total_has_a_word_that_four_documents_have(name):
    idf, truth, heard = heard_by_one(name)
    rare = np.flatnonzero(np.diff(truth.by_word.indptr) < 5)
    assert len(rare) > 100
    for rounds in totals_by_step(heard, len(idf)).values():
        assert all((total[:, rare] == 0).all() for total, _ in rounds)


@pytest.mark.parametrize("name", ["nmf"])
def test_of_a_word_that_four_documents_have_noise_alone_is_told(name):
    idf, truth, heard = heard_by_one(name)
    rare = np.flatnonzero(np.diff(truth.by_word.indptr) < 5)
    for rounds in totals_by_step(heard, len(idf)).values():
        for total, noise in rounds:
            cells = total[:, rare]
            assert abs(cells.mean()) < 5 * noise / np.sqrt(cells.size)
            assert cells.std() == pytest.approx(noise, rel=0.05)


# Rows from products

PRODUCTS = {
    "svd": (lambda: ch.SVD(20, max_iter=8, random_state=0), "gram_image"),
    "svd normed": (lambda: ch.SVD(20, sums="normed", random_state=0), "gram_image"),
    "nmf": (lambda: ch.NMF(20, max_iter=1, random_state=0), "power"),
}


def rows_from_products(name, words, *, exact):
    """Two of four parties solve for the sparsest rows of the other two's XᵀX; how many are right,
    and the best share of a row's words."""
    parts, coalition = four_parties(), (0, 1)
    make, step = PRODUCTS[name]
    secrets = [b"party %d" % party for party in range(len(parts))]
    commons = Observed(parts, coalition, exact_totals=exact, secrets=secrets)
    make().fit(commons)
    others = [Documents(part, frequencies=name == "nmf") for part in parts[len(coalition) :]]
    truth = sum(gram_of(documents) for documents in others)
    system, rare = equations(commons, step), sparsest(truth, words)
    flat = np.ones(len(truth))
    found = [{word: by_programme(system, word, flat) for word in rare}]
    if not exact:  # which noise doesn't make impossible, as it does intervals
        found.append({word: by_least_squares(system, word, flat) for word in rare})
    rows = [{word: row for word, row in each.items() if row is not None} for each in found]
    right = max(len(recovered(each, truth)) for each in rows)
    return right, max(support_found(each, truth) for each in rows)


def gram_of(documents):
    """XᵀX."""
    cells = (documents.data, documents.indices, documents.indptr)
    matrix = sp.csr_array(cells, shape=(documents.n, documents.d))
    return (matrix.T @ matrix).toarray()


@torture
@pytest.mark.parametrize("name", ["svd", "nmf"])
def test_exact_products_give_rows_away(name):
    right, share = rows_from_products(name, 3, exact=True)
    print(f"{name}, exact: {right} of 3 rows, best support {share:.2f}")
    assert right == 3


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("svd", 3),
        pytest.param("svd", 12, marks=torture),
        pytest.param("svd normed", 3, marks=torture),
    ],
)
def test_by_default_no_row_comes_back_from_products(name, words):
    """Of normed sums the attack is given the lengths too, which parties don't learn."""
    right, share = rows_from_products(name, words, exact=False)
    print(f"{name}: {right} of {words} rows, best support {share:.2f}")
    assert right == 0
    assert share < 0.5


def test_by_default_nmf_adds_up_no_products():
    commons = ch.Recorded(ch.Simulated(four_parties(), secure=True))
    ch.NMF(20, random_state=0, max_iter=1).fit(commons)
    assert not [entry for entry in commons.ledger if entry.statistic.endswith(".power")]
