"""The contingency: WᵀW by hand, on every commons, and the distances of the conversion."""

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.looking.contingency import Contingency, contingency_of, squared_distances
from chatham.looking.relations import Relations, relations_of
from chatham.looking.topics import topics_of

TOPICS = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0.5, 0.5]])
WORDS = ["tea", "milk", "rain", "snow"]


def test_known_answer_documents_of_separate_topics():
    counts = [[2, 2, 0, 0], [0, 3, 1, 0], [4, 0, 0, 0], [0, 0, 0, 0]]
    found = contingency_of(topics_of(TOPICS, WORDS), np.array(counts))
    weights = np.array([[0.5, 0.5, 0], [0, 0.75, 0.25], [1, 0, 0]])
    np.testing.assert_allclose(found.counts, weights.T @ weights, atol=1e-7)
    np.testing.assert_allclose(found.sizes, weights.sum(axis=0), atol=1e-7)
    assert found.documents == pytest.approx(3)  # the empty one isn't counted


@pytest.fixture(scope="module")
def fitted():
    corpus = ch.sample_corpus()
    part = ch.Corpus(corpus.counts[:400], corpus.vocabulary)
    return ch.fit("lda", part, n_components=6, random_state=0, max_iter=20), part


def naive(weights):
    total = np.zeros((weights.shape[1],) * 2)
    for document in weights:
        for one, mine in enumerate(document):
            for other, its in enumerate(document):
                total[one, other] += mine * its
    return total


def test_it_is_the_sum_over_documents(fitted):
    model, corpus = fitted
    weights = model.transform(corpus)[np.asarray(corpus.counts.sum(axis=1)).ravel() > 0]
    found = contingency_of(topics_of(model), corpus)
    np.testing.assert_allclose(found.counts, naive(weights), rtol=1e-9)


def test_it_is_the_same_wherever_documents_are(fitted):
    model, corpus = fitted
    counts = corpus.counts.tocsr()
    parts = [counts[:100], counts[100:110], counts[110:]]
    alone = contingency_of(topics_of(model), corpus).counts
    apart = contingency_of(topics_of(model), ch.Simulated(parts)).counts
    np.testing.assert_allclose(apart, alone, rtol=1e-9)
    masked = ch.Recorded(ch.Simulated(parts, secure=True, exact_totals=True))
    with pytest.warns(UserWarning, match="fewer than 30"):
        secure = contingency_of(topics_of(model), masked).counts
    np.testing.assert_allclose(secure, alone, atol=1e-6)
    (crossed,) = masked.ledger
    assert "product of their weights" in crossed.meaning
    assert (secure == secure.T).all()


@pytest.mark.filterwarnings("ignore:.*fewer than 30")
def test_between_parties_it_isn_t_exact(fitted):
    model, corpus = fitted
    counts = corpus.counts.tocsr()
    parts = [counts[:150], counts[150:300], counts[300:]]
    alone = contingency_of(topics_of(model), corpus).counts
    noised = contingency_of(topics_of(model), ch.Simulated(parts, secure=True)).counts
    off = np.abs(noised - alone)
    assert 0.01 < off.max() < 3.0
    assert (noised >= 0).all()


def test_distances_are_those_of_the_gaussian():
    counts = np.array([[40.0, 6, 1], [6, 30, 3], [1, 3, 20]])
    contingency = Contingency(counts)
    given = contingency.conditional
    np.testing.assert_allclose(given.sum(axis=1), 1)
    smoothed = counts + 1 / 9
    np.testing.assert_allclose(given, smoothed / smoothed.sum(axis=1)[:, None])
    sigma = 1 / (np.sqrt(2 * np.pi) * given.max())
    squared = squared_distances(given, sigma)
    assert squared.min() == pytest.approx(0, abs=1e-12)
    density = np.exp(-squared / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2)
    np.testing.assert_allclose(density, given)  # eq. 1.33 of eq. 1.34
    expected = np.sqrt(np.maximum(squared + squared.T, 0) / 2)
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(contingency.distances, expected)
    assert contingency.distances[0, 1] < contingency.distances[0, 2]


def test_topics_that_never_meet_or_never_occur_have_distances_too():
    distances = Contingency(np.diag([5.0, 3.0, 0.0])).distances
    assert np.isfinite(distances).all()
    assert (distances[~np.eye(3, dtype=bool)] > 0).all()


def test_what_relates_topics_by_default(fitted):
    model, corpus = fitted
    assert relations_of(model).by == "words"
    assert relations_of(model, corpus).by == "documents"
    anchored = ch.fit("anchor", corpus, n_components=4, random_state=0, refine=0)
    learned = relations_of(anchored)
    assert learned.by == "correlations"
    related = anchored.related_topics(3)
    expected = learned.contingency.lifts[related["topic"], related["related"]]
    np.testing.assert_allclose(related["lift"], expected, rtol=1e-9)
    assert relations_of(anchored, by="words").by == "words"


def test_neighbours_in_the_order_are_alike_and_odd_pairs_don_t_decide_it():
    chain = np.array([[9, 3, 0, 0], [3, 9, 3, 0], [0, 3, 9, 3], [0, 0, 3, 9.0]])
    counts = np.zeros((6, 6))
    shuffled = [3, 1, 4, 0]
    counts[np.ix_(shuffled, shuffled)] = chain
    counts[[2, 5, 2, 5], [2, 5, 5, 2]] = 1e-3  # two that are only with each other
    topics = topics_of(np.eye(6), list("abcdef"))
    relations = Relations(topics, "documents", Contingency(counts))
    assert relations.likeness[2, 5] > 100
    order = relations.order().tolist()
    kept = [row for row in order if row in shuffled]
    assert kept in (shuffled, shuffled[::-1])
    assert abs(order.index(2) - order.index(5)) == 1


def test_what_can_t_relate_topics_is_said(fitted):
    model, corpus = fitted
    with pytest.raises(InputError, match="by must be one of"):
        relations_of(model, by="smell")
    with pytest.raises(InputError, match="give the documents"):
        relations_of(model, by="documents")
    with pytest.raises(InputError, match="no correlations"):
        relations_of(model, by="correlations")
    directions = ch.fit("svd", corpus, n_components=3, random_state=0)
    with pytest.raises(InputError, match="no shares of the directions"):
        relations_of(directions, corpus)
    with pytest.raises(InputError, match="No document has any word"):
        relations_of(topics_of(TOPICS, WORDS), np.zeros((2, 4)))
    assert relations_of(directions).by == "words"
