"""What `rebuild` finds in totals of every learner, exact and as sessions send them by default.

The bundled sample, a party for each community, one of which is curious, as in the other attacks;
1,853 documents belong to the others. `rebuild` has no truth: it is compared with it here. The table
that is printed has every learner with `make torture`; the quick ones run always.
"""

import os
import time
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.audit.rebuilding import Effort, Known, findings_of, rebuild
from chatham.audit.rebuilding.exposing import Lookup
from chatham.commons.privacy import Privacy
from tests.attacks.overhearing import overheard, sample
from tests.attacks.sample_parties import three_parties
from tests.attacks.test_other_learners import LEARNERS, WITH_COUNTS

pytestmark = pytest.mark.filterwarnings("ignore")

torture = pytest.mark.skipif(
    not os.environ.get("CHATHAM_TORTURE"), reason="minutes of equations: make torture"
)

WEAK = 100.0
"""An ε that promises next to nothing: even its noise is more than that of a session by default, so
that attacks on it find whatever those on a stronger promise would."""
KMEANS = ch.KMeans(20, loss="relative", init="random", random_state=0)
ANCHORS = ch.AnchorWords(20, refine=0, max_iter=1, random_state=0)
EVERY = {
    **LEARNERS,
    "lda": LEARNERS["lda, exact"],  # as long as that one
    "nmf, private": ch.NMF(20, random_state=0),
    "svd, private": ch.SVD(20, random_state=0),
    "k-means": KMEANS,
    "k-means, exact": KMEANS,
    "anchor words": ANCHORS,
    "anchor words, exact": ANCHORS,
}


class Figures(NamedTuple):
    """Of the others' documents: claimed whole, and right; groups and rows claimed, and right."""

    documents: int
    right: int
    parts: int
    right_parts: int
    with_parts: int
    """Documents that a right group or row is about."""


@cache
def heard_of(name):
    """What one party hears and knows, and the others' counts."""
    given = sample("applications")
    counts, parts, idf = given.counts, given.parts, given.idf
    if "anchor" in name:
        parts, idf = list(three_parties()), None
        counts = sp.csr_array(sp.vstack(parts[1:]))
    elif name in WITH_COUNTS:
        parts = [sp.csr_array(part @ sp.diags_array(1 / idf)) for part in parts]
        for part in parts:
            part.data = np.rint(part.data)
        idf = None
    privacy = Privacy(WEAK, 1e-5) if "private" in name else None
    heard, _ = overheard(parts, EVERY[name], exact_totals="exact" in name, privacy=privacy)
    return heard, Known.of_parts(parts, scale=idf), counts


@cache
def rebuilt(name, effort):
    """What is found, and how long it took."""
    heard, known, _ = heard_of(name)
    began = time.monotonic()
    return rebuild(heard, known, effort), time.monotonic() - began


def figures(name, effort):
    """What `rebuild` claims, and how much of it is true."""
    findings, took = rebuilt(name, effort)
    _, _, counts = heard_of(name)
    lookup = Lookup(counts)
    about = [(finding.kind == "document", lookup.about(finding)) for finding in findings]
    whole = [each for is_whole, each in about if is_whole]
    parts = [each for is_whole, each in about if not is_whole]
    held = {document for each in parts for document in each}
    found = Figures(len(whole), sum(map(bool, whole)), len(parts), sum(map(bool, parts)), len(held))
    print(f"| {name} | {found.right} of {found.documents} | {found.right_parts} of {found.parts}, "
          f"in {found.with_parts} documents | {took:.0f} s |")  # fmt: skip
    return found


def test_exact_totals_of_k_means_give_dozens_of_documents_and_noised_ones_none():
    exact = figures("k-means, exact", Effort())
    assert 46 <= exact.right == exact.documents
    assert exact.right_parts > 2000
    assert exact.parts - exact.right_parts <= 0.01 * exact.parts
    assert figures("k-means", Effort(apart=9)) == Figures(0, 0, 0, 0, 0)


def test_a_party_is_told_which_of_its_documents_they_are():
    _, known, counts = heard_of("k-means, exact")
    vocabulary = [f"w{word}" for word in range(known.n_words)]
    corpus = ch.Corpus(counts.astype(int), vocabulary)
    exposed = findings_of(rebuilt("k-means, exact", Effort())[0], corpus)
    print(f"k-means, exact: {exposed}")
    assert len(exposed.documents) >= 46
    for document, finding in exposed.documents.items():
        row = counts[[corpus.ids.tolist().index(document)]].toarray().ravel()
        assert np.flatnonzero(row).tolist() == list(finding.words)
    assert not set(exposed.parts) & set(exposed.documents)


@pytest.mark.parametrize("name", ["nmf, private", "svd, private"])
def test_differentially_private_totals_give_nothing_even_for_a_weak_promise(name):
    """These leave no rare words out: noise alone protects."""
    assert figures(name, Effort(rows=1)) == Figures(0, 0, 0, 0, 0)


@pytest.mark.parametrize("name", ["nmf", "plsa", "svd"])
def test_by_default_nothing_is_found(name):
    assert figures(name, Effort(rows=1)) == Figures(0, 0, 0, 0, 0)


def test_an_exact_transcript_of_plsa_gives_documents_count_for_count():
    """A few, to be quick."""
    found = figures("plsa, exact", Effort(rows=0, documents=3))
    assert found.right == found.documents >= 2


MOST = {
    "k-means, exact": 46,
    "nmf, exact": 20,
    "nmf none, exact": 100,
    "plsa, exact": 100,
    "svd, exact": 3,
    "anchor words, exact": 1,
}
"""The least of documents that exact totals give away."""


@torture
@pytest.mark.parametrize("name", sorted(EVERY))
def test_every_learner(name):
    found = figures(name, Effort(rows=4))
    assert found.right >= MOST.get(name, 0)
    assert found.documents - found.right <= 1
    assert found.parts - found.right_parts <= 0.01 * found.parts
    if "exact" not in name:
        assert found == Figures(0, 0, 0, 0, 0)


@torture
@pytest.mark.parametrize("curious", [1, 2])
def test_documents_from_pairs_are_not_sure_and_say_so(curious):
    """Other curious parties than the one that the attack was made with: groups are right, and of
    documents one is wrong."""
    three = three_parties()
    parts = [three[curious], *(part for i, part in enumerate(three) if i != curious)]
    heard, _ = overheard(parts, ANCHORS, exact_totals=True)
    lookup = Lookup(sp.csr_array(sp.vstack(parts[1:])))
    findings = rebuild(heard, Known.of_parts(parts), Effort(rows=0))
    documents = [each for each in findings if each.kind == "document"]
    right = sum(bool(lookup.about(each)) for each in documents)
    print(f"anchor words, exact, party {curious}: {right} of {len(documents)} documents")
    assert all(lookup.about(each) for each in findings if each.kind == "group")
    assert all(each.certificate.log10_chance > -1 for each in documents)
    assert right >= len(documents) - 1
