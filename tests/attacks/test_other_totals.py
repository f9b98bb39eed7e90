"""The attacks on k-means' totals, tried on those of NMF, PLSA, LDA and SVD, which are exact.

No difference of two rounds is a document. Single totals of NMF do group some words by document in
its first rounds, where few documents have a weight for a topic; how many is counted here.
"""

import os
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from tests.attacks.kmeans_totals import (
    Found,
    Truth,
    documents_by_difference,
    groups_in,
    share_of_words,
)
from tests.attacks.overhearing import overheard, sample

pytestmark = [
    pytest.mark.skipif(
        not os.environ.get("CHATHAM_TORTURE"), reason="takes minutes: `make torture` has it"
    ),
    pytest.mark.filterwarnings("ignore"),
]

LEARNERS = {
    "nmf": ch.NMF(20, loss="relative", random_state=0, max_iter=30),
    "nmf none": ch.NMF(20, constraint="none", random_state=0, max_iter=30),
    "plsa": ch.PLSA(20, random_state=0, max_iter=30),
    "lda": ch.LDA(20, random_state=0, max_iter=30),
    "svd": ch.SVD(20, random_state=0),
}
WITH_COUNTS = ("plsa", "lda")


def totals_by_step(heard, d):
    """Arrays with a number for each word, words last, by step; those of a step have one shape."""
    found = {}
    for one in heard:
        for array in map(np.asarray, one.others):
            if array.ndim == 2 and d in array.shape:
                rows = array if array.shape[1] == d else np.ascontiguousarray(array.T)
                found.setdefault((one.step, rows.shape[0]), []).append(rows.astype(float))
    return found


def nearest_cosine(rounds, units):
    """The largest cosine of a document and a difference of two rounds."""
    best = 0.0
    for before, after in pairwise(rounds):
        change = after - before
        sizes = np.linalg.norm(change, axis=1)
        if (sizes > 1e-6).any():
            directions = change[sizes > 1e-6] / sizes[sizes > 1e-6, None]
            best = max(best, float(np.abs(units @ directions.T).max()))
    return best


@pytest.mark.parametrize("name", LEARNERS)
def test_no_difference_of_two_rounds_is_a_document(name):
    given, truth = (found := sample("applications")), Truth(found.counts)
    counts = name in WITH_COUNTS
    idf = np.ones_like(given.idf) if counts else given.idf
    weights = sp.diags_array(1 / given.idf if counts else np.ones_like(given.idf))
    parts = [sp.csr_array(part @ weights) for part in given.parts]
    if counts:
        for part in parts:
            part.data = np.rint(part.data)
    rows = sp.csr_array(truth.counts @ sp.diags_array(idf))
    norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    units = sp.csr_array(sp.diags_array(1 / np.maximum(norms, 1e-9)) @ rows)
    heard, _ = overheard(parts, LEARNERS[name])
    for (step, _), rounds in totals_by_step(heard, len(idf)).items():
        documents = documents_by_difference([(one, 0.0) for one in rounds], idf, truth)
        cosine = nearest_cosine(rounds, units)
        groups = [groups_in(one, idf, 0.0, truth) for one in rounds]
        every = sum((each for each, _ in groups), Found(0, 0))
        share = share_of_words([words for _, words in groups], truth)
        touched = len(set().union(*(words for _, words in groups)))
        print(f"{name}, {step}, {len(rounds)} rounds: by difference {documents}, nearest cosine "
              f"{cosine:.2f}; groups {every}, the first round's {groups[0][0]}, of {touched} "
              f"documents, a median of {share:.0%} of the words")  # fmt: skip
        assert documents.true == 0
        assert cosine < 0.9
