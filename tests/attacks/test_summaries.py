"""What published summaries give away: groups of words of one document, with nobody else's help.

The bundled sample, a party for each community, twenty topics, everything else as by default: 2,887
documents. Exact sums are what was published before. Small versions run always.
"""

import os
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from tests.attacks.kmeans_totals import Truth
from tests.attacks.summaries import (
    TOLERANCES,
    by_chance,
    claims,
    guessed_from_known,
    guessed_pairs,
    most_claimed,
    sums_by_word,
    told_exactly,
)

pytestmark = pytest.mark.filterwarnings("ignore")

torture = pytest.mark.skipif(
    not os.environ.get("CHATHAM_TORTURE"), reason="minutes of fits: make torture"
)

COMMUNITIES = ("applications", "generation", "resources")
SMALL = {"nmf": (600, 20), "plsa": (600, 20)}
"""How many documents and topics the quick versions have."""


@cache
def party(community, documents=None):
    """A party's documents."""
    corpus = ch.sample_corpus().parties(by="community")[community]
    return corpus if documents is None else corpus.rows(slice(0, documents))


@cache
def fitted(kind, community, documents, k):
    """A model as `chatham fit` makes it; quick ones have fewer iterations."""
    quick = {} if documents is None else {"max_iter": 100}
    return ch.fit(kind, party(community, documents), n_components=k, random_state=0, **quick)


def published(kind, community, documents=None, k=20, *, exact=False):
    """What a summary tells of each topic and word, and the truth over its words."""
    corpus, model = party(community, documents), fitted(kind, community, documents, k)
    if exact:
        with told_exactly():
            summary = ch.publish(model, corpus)
    else:
        summary = ch.publish(model, corpus)
    column = {word: number for number, word in enumerate(corpus.vocabulary)}
    columns = [column[word] for word in summary.vocabulary]
    own = model.estimator.components_[list(summary.numbers)][:, columns] if exact else None
    return sums_by_word(summary, own), Truth(sp.csr_array(corpus.counts)[:, columns])


@pytest.mark.parametrize("kind", sorted(SMALL))
def test_exact_sums_group_words_by_document_and_what_is_published_does_not(kind):
    """Even though every word is in five documents or more."""
    where = (kind, "generation", *SMALL[kind])
    exact = most_claimed(*published(*where, exact=True))
    print(f"{kind}, {SMALL[kind]}: exact {exact}")
    assert exact.true >= 10
    assert exact.false <= 0.1 * exact.true
    nothing_is_sure(*published(*where))


def nothing_is_sure(profiles, truth):
    """At no tolerance are groups truer than words drawn by chance, but for a few in a hundred."""
    for tolerance in TOLERANCES:
        found, chance = claims(profiles, truth, tolerance), by_chance(profiles, truth, tolerance)
        print(f"default, to within {tolerance}: {found}, by chance {chance.true}")
        assert found.true <= chance.true + 0.05 * found.false


def test_whoever_knows_rare_words_of_a_document_hardly_finds_more():
    right, chance = guessed_from_known(*published("plsa", "generation", *SMALL["plsa"]))
    print(f"plsa, {SMALL['plsa']}: {right:.1%} of guesses are right, {chance:.1%} by chance")
    assert right <= 0.1


@pytest.mark.parametrize("name", ["cell_squares", "cell_costs"])
def test_costs_of_cells_do_not_group_words_by_document(name):
    """Only the cells that are stored count: so words of the same documents cost the same."""
    summary, truth = weighted_summary(exact=False)
    nothing_is_sure(summary.statistics[name], truth)
    exact, truth = weighted_summary(exact=True)
    print(f"{name}, exact: {most_claimed(exact.statistics[name], truth)}")


@cache
def weighted_summary(*, exact):
    """A summary of weighted cells, and the truth over its words."""
    corpus = party("generation", 300)
    counts = sp.csr_array(corpus.counts, dtype=float)
    rows = ch.Weighted(counts, cell_weight=sp.csr_array(counts > 0, dtype=float))
    model = ch.fit(
        "nmf", rows, vocabulary=corpus.vocabulary, n_components=10, random_state=0, max_iter=30,
        constraint="none", l2_weights=0.1, l2_topics=0.1,
    )  # fmt: skip
    summary = ch.publish(model, rows, exact=exact)
    column = {word: number for number, word in enumerate(corpus.vocabulary)}
    return summary, Truth(counts[:, [column[word] for word in summary.vocabulary]])


@torture
@pytest.mark.parametrize("kind", ["nmf", "plsa", "lda"])
def test_summaries_of_the_whole_sample(kind):
    ways = (True, False) if kind in SMALL else (False,)
    for exact in ways:
        found = []
        for community in COMMUNITIES:
            profiles, truth = published(kind, community, exact=exact)
            found.append(most_claimed(profiles, truth))
            right, usual = guessed_pairs(profiles, truth, 5)
            more, chance = guessed_from_known(profiles, truth)
            print(f"{kind}, {community}, {exact=}: known words lead to {more:.1%} ({chance:.1%})")
            if not exact:
                nothing_is_sure(profiles, truth)
            print(f"{kind}, {community}, {exact=}: {found[-1]}, pairs {right:.0%} ({usual:.1%})")
        true, false, documents = np.sum(found, axis=0)
        print(f"{kind}, {exact=}: {true} groups, {false} false, {documents} documents")
        if exact:
            assert true > 40
            assert false <= 0.05 * true


@pytest.mark.parametrize("kind", ["plsa", "nmf"])
def test_two_summaries_of_nearly_the_same_documents_can_be_subtracted(kind):
    """The same model, published once more without a document: what is said not to do."""
    corpus, model = party("generation", 300), fitted(kind, "generation", 300, 10)
    fewer = corpus.rows(np.arange(1, 300))
    lone = corpus.counts[[0]].toarray().ravel() > 0
    with told_exactly():
        exact = difference(ch.publish(model, corpus), ch.publish(model, fewer))
    coarse = difference(ch.publish(model, corpus), ch.publish(model, fewer))
    found = [cosine(each, dict(zip(corpus.vocabulary, lone, strict=True)))
             for each in (exact, coarse)]  # fmt: skip
    print(f"{kind}: cosine of the difference with the document {found[0]:.2f}, now {found[1]:.2f}")
    assert found[0] > 0.5


def difference(more, less):
    """What the one tells of each word beyond the other, over words that both have."""
    first, second = (
        dict(zip(each.vocabulary, np.sum(sums_of(each), axis=0), strict=True))
        for each in (more, less)
    )
    return {word: first[word] - second[word] for word in first.keys() & second.keys()}


def sums_of(summary):
    """Sums by topic and word."""
    if summary.kind == "nmf":
        return sums_by_word(summary)
    return summary.statistics["expected"]


def cosine(change, document):
    """How like a document's words a difference is."""
    words = list(change)
    change = np.array([change[word] for word in words])
    own = np.array([document[word] for word in words], dtype=float)
    return float(change @ own / max(np.linalg.norm(change) * np.linalg.norm(own), 1e-300))
