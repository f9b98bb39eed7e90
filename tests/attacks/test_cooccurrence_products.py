"""Rows of co-occurrence can be solved from products where they are sparse; by default none is.

The control takes the rules away: all words of all documents, forty bits. Then the sparsest rows
come back, and with them words of single documents.
"""

import os
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.audit.observing import Observed
from chatham.audit.rebuilding.rows_from_products import by_programme, cooccurrences, groups_in_rows
from chatham.commons.precision import Budget
from chatham.learners.anchor import products
from chatham.learners.cooccurrence import Pairing
from chatham.learners.documents import Documents, with_words
from tests.attacks.cooccurrence_products import (
    attacked,
    equations,
    recovered,
    sparsest,
    support_found,
)
from tests.attacks.cooccurrence_totals import Truth, figures
from tests.attacks.sample_parties import four_parties, three_parties, with_public_list

torture = pytest.mark.skipif(
    not os.environ.get("CHATHAM_TORTURE"), reason="minutes of linear programmes: make torture"
)

PARTIES = {"three": three_parties, "four": four_parties, "public list": with_public_list}
COALITIONS = {"three": (0,), "four": (0, 1), "public list": (0,)}
"""Each leaves two others, whose sum is all that a total may tell."""


TOPICS = {"three": 20, "four": 15, "public list": 20}
"""With more, four parties refuse: two of them have about 500 documents."""


PAIRINGS = {"documents": Pairing(), "tokens": Pairing(by_length=True)}


@cache
def fitted(who, mean_over="auto"):
    commons = Observed(PARTIES[who](), COALITIONS[who])
    ch.AnchorWords(
        TOPICS[who], refine=0, max_iter=1, tol=0, mean_over=mean_over, random_state=0
    ).fit(commons)
    return commons


def others_of(who, fewest, pairing=PAIRINGS["documents"]):
    """The rows of those outside the coalition as they entered, and their co-occurrences."""
    rows = [rows for i, rows in enumerate(PARTIES[who]()) if i not in COALITIONS[who]]
    rows = [with_words(part, products.words_of_enough(Documents(part), fewest)) for part in rows]
    return rows, sum(cooccurrences(part, pairing) for part in rows)


def test_without_the_rules_the_sparsest_rows_come_back(monkeypatch):
    monkeypatch.setattr(
        products, "words_of_enough", lambda documents, *_, **__: np.ones(documents.d, bool)
    )
    monkeypatch.setattr(products, "check_hidden", lambda *numbers: None)
    monkeypatch.setattr(products, "PAIR_PRODUCTS", Budget(40, "as many as there are"))
    who = "four"
    commons = Observed(PARTIES[who](), COALITIONS[who])
    ch.AnchorWords(20, refine=0, max_iter=1, random_state=0).fit(commons)
    rows, truth = others_of(who, fewest=1)
    system, words = equations(commons), sparsest(truth, 3)
    assert (truth[words] > 0).sum(axis=1).max() < 60
    found = {word: by_programme(system, word, np.ones(len(truth))) for word in words}
    groups = groups_in_rows(found)
    held = [Truth(rows).holding(group) for group in groups]
    print(f"{len(recovered(found, truth))} of {len(words)} rows; {len(groups)} groups, {held}")
    assert len(recovered(found, truth)) >= 2
    assert any(number is not None for number in held)


def attack_default(who, count, mean_over="auto"):
    """By default: what each attack has of the sparsest rows, of groups and of documents."""
    pairing = PAIRINGS["tokens" if mean_over == "tokens" else "documents"]
    rows, truth = others_of(who, products.FEWEST, pairing)
    system = equations(fitted(who, mean_over), pairing=pairing)
    words = sparsest(truth, count)
    np.testing.assert_allclose(truth @ system.blocks, system.products, rtol=0, atol=system.off)
    documents = Truth(rows)
    for name, found in attacked(system, words).items():
        groups = groups_in_rows(found, by_length=pairing.by_length)
        held = [group for group in groups if documents.holding(group) is not None]
        share = support_found(found, truth)
        print(f"{who}, {mean_over}, {name}: {len(found)} rows, {share:.2f}, {len(groups)} groups")
        assert not recovered(found, truth)
        assert share < 0.8
        assert not held


@pytest.mark.parametrize("mean_over", ["auto", "tokens"])
def test_by_default_none_does(mean_over):
    attack_default("four", 2, mean_over)


@torture
@pytest.mark.parametrize("mean_over", ["auto", "tokens"])
@pytest.mark.parametrize("who", PARTIES)
def test_by_default_none_of_many_does(who, mean_over):
    attack_default(who, 12, mean_over)


def largest_parts(rows, pairing):
    """Of each document the largest part that it has in a word's row, for words that are told."""
    counts, weights = Documents(rows), pairing.weights(Documents(rows))
    shares = sp.csr_array((counts.data * weights[counts.owners] * counts.sizes[counts.owners],
                           counts.indices, counts.indptr), shape=(counts.n, counts.d))  # fmt: skip
    totals = shares.sum(axis=0)
    return np.asarray(shares.max(axis=0).toarray()).ravel()[totals > 0] / totals[totals > 0]


def test_by_length_a_party_is_told_more_of_its_longest_document():
    """Why it isn't the default between parties: the largest part that one document has in all
    products; though in the rows of single words it is rather short ones that stand out."""
    longest, in_rows = {}, {}
    for name, pairing in PAIRINGS.items():
        rows, _ = others_of("three", products.FEWEST, pairing)
        parts = [pairing.weights(Documents(part)) * Documents(part).sizes for part in rows]
        parts = [part * np.maximum(Documents(each).sizes - 1, 0)
                 for part, each in zip(parts, rows, strict=True)]  # fmt: skip
        longest[name] = max(float(part.max() / part.sum()) for part in parts)
        in_rows[name] = float(np.median(np.concatenate([largest_parts(r, pairing) for r in rows])))
    print(longest, in_rows)
    percent = [round(100 * longest[name], 2) for name in PAIRINGS]
    assert percent == [0.11, 0.29]  # as in docs/anchors.md
    assert [round(100 * in_rows[name]) for name in PAIRINGS] == [11, 9]


def test_what_parties_of_the_sample_hold_back():
    """The figures of docs/anchors.md: the share of tokens that is told of, and sparsest rows."""
    told, sparsest_rows = [], []
    for rows in three_parties():
        kept = with_words(rows, products.words_of_enough(Documents(rows)))
        entries = products.row_entries(Documents(kept))
        told.append(round(100 * kept.sum() / rows.sum()))
        sparsest_rows.append(int(entries[entries > 0].min()))
    assert sorted(told) == [88, 91, 92]
    assert sorted(sparsest_rows) == [203, 240, 276]
    assert [products.measurements(k) for k in (20, 21)] == [200, 205]


@pytest.mark.parametrize("mean_over", ["auto", "tokens"])
@pytest.mark.parametrize("who", PARTIES)
def test_the_symmetric_matrix_nearest_to_the_products_has_no_group(who, mean_over):
    """F = YZᵀ + ZYᵀ − ZZᵀYZᵀ is what products tell of F without further assumptions."""
    pairing = PAIRINGS["tokens" if mean_over == "tokens" else "documents"]
    rows, truth = others_of(who, products.FEWEST, pairing)
    system = equations(fitted(who, mean_over), pairing=pairing)
    basis, known = system.blocks, system.products
    nearest = known @ basis.T
    nearest = np.maximum(nearest + nearest.T - basis @ (basis.T @ known) @ basis.T, 0.0)
    found = figures(nearest, rows, tolerance=1e-5, by_length=pairing.by_length)
    print(who, mean_over, found)
    assert found["true"] == found["rebuilt rightly"] == 0
    assert np.abs(nearest - truth).max() > truth[truth > 0].min()
