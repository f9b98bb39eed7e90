"""The attacks on co-occurrences and on k-means, tried on the other learners as far as they apply.

One of three parties is curious, on the sample; each test prints its figures.

- *Differences*: the totals of two successive rounds, minus what the curious party added to each,
  matched with the others' documents by cosine.
- *Groups in one total*: words that a single one of the others' documents has enter NMF's and PLSA's
  sums with that document's weights, so their columns point in the same direction. Under the
  default rules no word is in so few documents; under a public list some are.
- *Rows from products*: SVD and NMF's start by singular vectors add up XᵀXV, which are equations for
  the rows of XᵀX as products with co-occurrences are.
"""

import os
import warnings
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.learners.documents import Documents
from tests.attacks.cooccurrence_products import (
    Overheard,
    by_programme,
    equations,
    recovered,
    sparsest,
    support_found,
)
from tests.attacks.sample_parties import four_parties, three_parties, with_public_list
from tests.learners.spying import Spied

torture = pytest.mark.skipif(
    not os.environ.get("CHATHAM_TORTURE"), reason="minutes of fits and programmes: make torture"
)

CURIOUS, NEAR = 0, 0.95
ITERATED = {
    "nmf": lambda: ch.NMF(20, init="random", max_iter=6, tol=0, random_state=0),
    "plsa": lambda: ch.PLSA(20, max_iter=6, tol=0, random_state=0),
    "lda": lambda: ch.LDA(20, max_iter=6, random_state=0),
}
STEPS = {"nmf": "topic_statistics", "plsa": "expectations", "lda": "sweep_documents"}
"""Which of their sums have a number for each word and topic."""


def rounds_of_others(name, parts):
    """The word–topic totals of a learner's rounds, minus the curious party's part."""
    commons = Spied(parts, secure=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ITERATED[name]().fit(commons)

    def by_word(arrays):
        return [a for step, a in arrays if step.endswith(STEPS[name]) and a.shape[:1] == (d,)]

    d = commons.n_features
    totals, parts = by_word(commons.totals), by_word(commons.contributions)[CURIOUS :: len(parts)]
    return [total - part for total, part in zip(totals, parts, strict=True)]


def nearest_document(vectors, parts):
    """The largest cosine of a column with one of the others' documents."""
    best = 0.0
    lengths = np.linalg.norm(vectors, axis=0)
    units = vectors[:, lengths > 0] / lengths[lengths > 0]
    for rows in (part for i, part in enumerate(parts) if i != CURIOUS):
        norms = np.sqrt(rows.multiply(rows).sum(axis=1))
        scale = np.where(norms > 0, 1.0 / np.where(norms > 0, norms, 1.0), 0.0)
        best = max(best, float((np.abs(rows @ units) * scale[:, None]).max()))
    return best


@pytest.mark.parametrize(
    "name", ["plsa", pytest.param("nmf", marks=torture), pytest.param("lda", marks=torture)]
)
def test_differences_of_rounds_are_no_documents(name):
    parts = three_parties()
    rounds = rounds_of_others(name, parts)
    differences = [later - earlier for earlier, later in pairwise(rounds)]
    best = max(nearest_document(change, parts) for change in differences)
    print(f"{name}: best cosine of a difference with a document {best:.2f}")
    assert best < NEAR


def directions(total, least=1e-6):
    """Groups of four words or more whose rows point in the same direction, to four digits."""
    norms = np.linalg.norm(total, axis=1)
    words = np.flatnonzero(norms > least * norms.max())
    units = np.round(total[words] / norms[words, None], 4) + 0.0  # no negative zeros
    groups = {}
    for word, unit in zip(words, units, strict=True):
        groups.setdefault(unit.tobytes(), []).append(int(word))
    return [frozenset(group) for group in groups.values() if len(group) >= 4]


def true_groups(groups, parts):
    """How many of these are words of one of the others' documents."""
    others = [part.toarray() > 0 for i, part in enumerate(parts) if i != CURIOUS]
    present = np.vstack(others)
    return sum(bool(present[:, sorted(group)].all(axis=1).any()) for group in groups)


@pytest.mark.parametrize("words", ["default", "public list"])
def test_no_four_words_have_one_direction_in_a_total_of_nmf(words):
    """Words that one document alone has point in its direction; but no four of one document do. (By
    their values some do in the first rounds: see `test_other_totals`.)"""
    parts = three_parties() if words == "default" else with_public_list()
    groups = directions(rounds_of_others("nmf", parts)[-1])
    right = true_groups(groups, parts)
    print(f"nmf, {words}: {len(groups)} groups, {right} of them true")
    assert right == 0


PRODUCTS = {
    "svd": (lambda: ch.SVD(20, max_iter=8, random_state=0), "gram_image"),
    "nmf": (lambda: ch.NMF(20, max_iter=1, random_state=0), "power"),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_rows_from_products(name):
    """An open weakness: two of four parties solve for sparse rows of the other two's XᵀX."""
    parts, coalition = four_parties(), (0, 1)
    make, step = PRODUCTS[name]
    commons = Overheard(parts, step=step)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make().fit(commons)
    others = [Documents(part, frequencies=name == "nmf") for part in parts[len(coalition) :]]
    truth = sum(gram_of(documents) for documents in others)
    system, words = equations(commons, coalition), sparsest(truth, 3)
    found = {word: by_programme(system, word, np.ones(len(truth))) for word in words}
    right = len(recovered({w: r for w, r in found.items() if r is not None}, truth))
    share = support_found({w: r for w, r in found.items() if r is not None}, truth)
    print(f"{name}: {right} of {len(words)} rows, best support {share:.2f}")
    assert right, "no longer so: docs/security.md says that it is"


def gram_of(documents):
    """XᵀX."""
    cells = (documents.data, documents.indices, documents.indptr)
    matrix = sp.csr_array(cells, shape=(documents.n, documents.d))
    return (matrix.T @ matrix).toarray()
