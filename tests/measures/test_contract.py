"""Laws that every registered measure keeps; the registry says which measures there are."""

from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Recorded
from chatham.commons.interface import check_step, meaning_of
from chatham.errors import InputError
from chatham.measures.evaluate import evaluate
from chatham.measures.evidence import Evidence
from chatham.measures.measure import NEEDS, Measure
from chatham.measures.registry import MEASURES
from chatham.measures.subject import Subject, folding
from tests.conftest import plant

K, D = 4, 24
CLASSES = ("a", "b", "c")


def words_of(d):
    return [f"word{chr(97 + j // 26)}{chr(97 + j % 26)}" for j in range(d)]


def corpus_of(counts, labels=None):
    """A corpus with texts, in which words stand in an order of their own."""
    words = np.array(words_of(counts.shape[1]))
    rng = np.random.default_rng(5)
    texts = []
    for row in sp.csr_array(counts).toarray().astype(int):
        tokens = np.repeat(words, row)
        rng.shuffle(tokens)
        texts.append(" ".join(tokens))
    read = ch.read_corpus(texts, vocabulary=list(words), stop_words=None)
    return ch.Corpus(
        read.counts, read.vocabulary, labels=labels, texts=texts, vectorizer=read.vectorizer
    )


class World:
    """A planted corpus with everything that a measure may need, and a model close to its truth."""

    def __init__(self, k=K, n=90, seed=0):
        counts, self.true_topics, self.true_weights = plant(n=n, d=D, k=k, length=25, seed=seed)
        rng = np.random.default_rng(seed + 1)
        labels = rng.choice([*CLASSES, None], n)
        labels[:3] = CLASSES
        self.corpus = corpus_of(counts, labels)
        self.topics = 0.9 * self.true_topics + 0.1 * rng.dirichlet(np.ones(D), k)
        self.prevalence = rng.dirichlet(np.ones(k))
        self.anchors = rng.permutation(D)[:k]
        self.correlations = self.true_weights.T @ self.true_weights / n
        self.vectors = {word: rng.normal(size=5) for word in words_of(D)}
        self.rows = Evidence(self.corpus, self.true_weights)

    def subject(self, order=None):
        order = np.arange(len(self.topics)) if order is None else order
        topics = self.topics[order]
        return Subject(
            vocabulary=np.array(words_of(D), dtype=object),
            topics=topics,
            prevalence=self.prevalence[order],
            estimator=folding("plsa", topics),
            anchors=self.anchors[order],
            correlations=self.correlations[np.ix_(order, order)],
        )

    def score(self, measure, rows=None, subject=None):
        rows = self.rows if rows is None else rows
        subject = self.subject() if subject is None else subject
        found = evaluate(
            replace(subject, observes="ratings" in measure.needs),
            rows,
            measures=[measure],
            held_out=rows,
            labels=CLASSES,
            true_topics=self.true_topics,
            vectors=self.vectors,
        )
        return found.iloc[0]

    def dealt(self, holders):
        parts = [np.arange(len(self.corpus))[start::holders] for start in range(holders)]
        return [Evidence(self.corpus.rows(part), self.true_weights[part]) for part in parts]


@pytest.fixture(scope="module")
def world():
    return World()


every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


@every_measure
def test_says_what_it_is(measure):
    assert is_dataclass(measure)
    assert isinstance(measure, Measure)
    assert isinstance(measure.higher_is_better, bool)
    assert measure.needs <= set(NEEDS)
    assert measure.source
    assert len(measure.__doc__.split()) > 8
    assert len(measure.definition.split()) > 4
    own = {field.name for field in fields(measure)} - {"held_out"}
    assert set(measure.settings) == own  # of which documents it is, `documents` says


@every_measure
def test_a_measure_of_held_out_documents_is_the_same_with_a_setting(measure):
    assert measure.name.endswith("_held_out") == getattr(measure, "held_out", False)
    if hasattr(measure, "held_out"):
        seen, unseen = measure(held_out=False), measure(held_out=True)
        assert unseen.name == f"{seen.name}_held_out" == f"{type(measure).name}_held_out"
        assert (seen.documents, unseen.documents) == ("corpus", "held_out")
        assert {MEASURES[seen.name], MEASURES[unseen.name]} == {seen, unseen}


@every_measure
def test_step_says_what_crosses(measure):
    if measure.documents is None:
        assert measure.step is None
    else:
        check_step(measure.step)
        assert meaning_of(measure.step).endswith(".")


@every_measure
def test_is_a_finite_number(world, measure):
    row = world.score(measure)
    assert np.isfinite(row["value"])
    assert row["per_topic"] is None or len(row["per_topic"]) == K
    known = [value for value in row["per_topic"] or [] if value is not None]
    assert np.isfinite(known).all()


@every_measure
def test_order_of_topics_does_not_matter(world, measure):
    order = np.array([2, 0, 3, 1])
    straight, turned = world.score(measure), world.score(measure, subject=world.subject(order))
    assert turned["value"] == pytest.approx(straight["value"], rel=1e-9, abs=1e-9)
    if straight["per_topic"] is not None:
        expected = [straight["per_topic"][topic] for topic in order]
        assert turned["per_topic"] == pytest.approx(expected, rel=1e-7, abs=1e-9)


@every_measure
def test_order_of_documents_does_not_matter(world, measure):
    order = np.random.default_rng(3).permutation(len(world.corpus))
    shuffled = Evidence(world.corpus.rows(order), world.true_weights[order])
    expected = world.score(measure)["value"]
    assert world.score(measure, shuffled)["value"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@every_measure
@pytest.mark.parametrize("holders", [1, 3, 9])
def test_sums_alone_give_the_same(world, measure, holders):
    commons = ch.Simulated(world.dealt(holders))
    pooled, together = world.score(measure), world.score(measure, commons)
    assert together["value"] == pytest.approx(pooled["value"], rel=1e-9, abs=1e-9)
    if pooled["per_topic"] is not None:
        assert together["per_topic"] == pytest.approx(pooled["per_topic"], rel=1e-9, abs=1e-9)


@every_measure
def test_nothing_that_crosses_grows_with_documents(measure):
    crossed = []
    for n in (60, 120):
        world = World(n=n)
        commons = Recorded(ch.Simulated(world.dealt(3)))
        world.score(measure, commons)
        crossed.append({(entry.statistic, entry.array, entry.shape) for entry in commons.ledger})
    assert crossed[0] == crossed[1]


@every_measure
def test_holds_for_one_topic(measure):
    row = World(k=1).score(measure)
    assert np.isfinite(row["value"])


@every_measure
def test_empty_documents_change_nothing(world, measure):
    if measure.documents is None:
        return
    n = len(world.corpus)
    counts = sp.vstack([world.corpus.counts, sp.csr_array((5, D), dtype=np.int32)])
    labels = [*world.corpus.labels, "a", "b", "c", None, "a"]
    corpus = ch.Corpus(
        counts, world.corpus.vocabulary, labels=labels, texts=[*world.corpus.texts, *[""] * 5],
        vectorizer=world.corpus.vectorizer,
    )  # fmt: skip
    truth = np.vstack([world.true_weights, np.full((5, K), 1 / K)])
    assert len(corpus) == n + 5
    with_empty = world.score(measure, Evidence(corpus, truth))
    expected = world.score(measure)["value"]
    assert with_empty["value"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@every_measure
def test_a_holder_without_documents_is_fine(world, measure):
    nothing = np.zeros(0, dtype=int)
    empty = Evidence(world.corpus.rows(nothing), world.true_weights[nothing])
    commons = ch.Simulated([world.rows, empty])
    expected = world.score(measure)["value"]
    assert world.score(measure, commons)["value"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_labels_at_several_holders_must_be_agreed(world):
    table = evaluate(world.subject(), ch.Simulated(world.dealt(2)), measures="ari", strict=False)
    assert "agree" in table.attrs["skipped"]["ari"]


def test_a_budget_is_one_of_the_table():
    with pytest.raises(InputError, match="must be one of those in"):

        class Bounded(Measure):
            budget = 1.0
