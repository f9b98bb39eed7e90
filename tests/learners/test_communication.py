"""What crosses, by the formulas of docs/communication.md, from the ledger."""

import warnings

import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Recorded, Simulated
from tests.conftest import plant, split

START = 2
"""How many documents there are, and how many have words."""


def nmf(d, k, t):
    return t * (d * k + k * k + 3 * k)


FORMULAS = {
    "k-means": lambda d, k, t: START + 1 + d * k + t * d * k + k,
    "k-means, exact": lambda d, k, t: START + (d + 2) * k + t * ((d + 3) * k + 2),
    "nmf": lambda d, k, t: START + 1 + d * k + t * (d * k + k * k + 1) + k,
    "nmf random, exact": lambda d, k, t: START + 3 + nmf(d, k, t),
    "nmf random_2x, exact": lambda d, k, t: START + 3 + 2 * nmf(d, k, t),
    "nmf nndsvd, exact": lambda d, k, t: START + 7 * d * (k + 10) + 2 * k + 1 + nmf(d, k, t),
    "plsa": lambda d, k, t: START + 1 + t * (d * k + k + 1),
    "plsa, exact": lambda d, k, t: START + t * (d * k + k + 1),
    "lda": lambda d, k, t: START + 1 + d + d * k + t * (d * k + 2 * k + 2),
    "lda, exact": lambda d, k, t: START + d + d * k + t * (d * k + 2 * k + 2),
    "anchor words, exact": lambda d, k, t: d * (d + 1) // 2 + d + 2,
}

LEARNERS = {
    "k-means": lambda k, t: ch.KMeans(k, max_iter=t, tol=0, random_state=0),
    "k-means, exact": lambda k, t: ch.KMeans(k, max_iter=t, tol=0, random_state=0),
    "nmf": lambda k, t: ch.NMF(k, max_iter=t, tol=0, random_state=0),
    "nmf random, exact": lambda k, t: ch.NMF(k, init="random", max_iter=t, tol=0, random_state=0),
    "nmf random_2x, exact": lambda k, t: ch.NMF(
        k, init="random_2x", max_iter=t, tol=0, random_state=0
    ),
    "nmf nndsvd, exact": lambda k, t: ch.NMF(k, init="nndsvd", max_iter=t, tol=0, random_state=0),
    "plsa": lambda k, t: ch.PLSA(k, max_iter=t, tol=0, random_state=0),
    "plsa, exact": lambda k, t: ch.PLSA(k, max_iter=t, tol=0, random_state=0),
    "lda": lambda k, t: ch.LDA(k, max_iter=t, random_state=0),
    "lda, exact": lambda k, t: ch.LDA(k, max_iter=t, random_state=0),
    "anchor words, exact": lambda k, t: ch.AnchorWords(k, refine=0, random_state=0),
}


def ledger_of(learner, d, parties, exact=False):
    counts, _, _ = plant(n=120, d=d, k=learner.n_components, length=60)
    rows = split(sp.csr_array(counts), parties)
    commons = Recorded(Simulated(rows, secure=True, exact_totals=exact))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that so few iterations don't settle
        learner.fit(commons)
    return commons.ledger


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize(("d", "k", "t", "parties"), [(30, 3, 2, 2), (40, 5, 4, 3)])
def test_a_fit_sends_as_many_numbers_as_its_formula_says(name, d, k, t, parties):
    ledger = ledger_of(LEARNERS[name](k, t), d, parties, exact="exact" in name)
    assert sum(entry.bytes for entry in ledger) == 8 * FORMULAS[name](d, k, t)


@pytest.mark.parametrize(("d", "k", "parties"), [(300, 3, 2), (400, 5, 3)])
def test_anchor_words_send_products_with_k_and_twenty_columns(d, k, parties):
    """Of words enough: where there are few, a word's co-occurrences could be solved for."""
    counts, _, _ = plant(n=600, d=d, k=k, length=150)
    commons = Recorded(Simulated(split(sp.csr_array(counts), parties), secure=True))
    ch.AnchorWords(k, refine=0, random_state=0).fit(commons)
    assert sum(entry.bytes for entry in commons.ledger) == 8 * (d + 2 + 5 * d * (k + 20))
    assert commons.ledger[-1].round == 6


@pytest.mark.parametrize("exact", [False, True])
def test_each_sweep_of_refinement_is_a_round_more(exact):
    d, k, sweeps = 300, 3, 4
    counts, _, _ = plant(n=600, d=d, k=k, length=150)
    rows = split(sp.csr_array(counts), 3)
    ledgers = {}
    for refine in (0, sweeps):
        commons = Recorded(Simulated(rows, secure=True, exact_totals=exact))
        ch.AnchorWords(k, refine=refine, random_state=0).fit(commons)
        ledgers[refine] = commons.ledger
    assert ledgers[0][-1].round == (1 if exact else 6)
    assert ledgers[sweeps][-1].round == ledgers[0][-1].round + sweeps
    spectral, refined = (sum(entry.bytes for entry in ledgers[r]) for r in (0, sweeps))
    assert refined - spectral == 8 * sweeps * (d * k + k * k + 2 * k + 3)
    assert ch.AnchorWords().refine == 20  # as the page has it


def test_a_local_start_sends_topics_alone():
    """Its search goes on until it settles, so the number of its rounds isn't known beforehand."""
    d, k, t = 40, 3, 2
    ledger = ledger_of(ch.NMF(k, init="local", max_iter=t, tol=0, random_state=0), d, 3, exact=True)
    mixed = {entry.round for entry in ledger if entry.statistic.endswith("mix_topics")}
    assert mixed
    start = START + 2 + len(mixed) * (d * k + k * k) + 1
    assert sum(entry.bytes for entry in ledger) == 8 * (start + nmf(d, k, t))


def test_svd_sends_its_directions_once_a_product():
    d, k = 40, 3
    ledger = ledger_of(ch.SVD(k, random_state=0), d, 3)
    first, *products = ledger[1:]
    assert ledger[0].bytes + first.bytes == 8 * 5
    assert products
    assert all(entry.shape[0] == d and entry.shape[1] <= k + 10 for entry in products)
