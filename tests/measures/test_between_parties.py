"""Measures among masked holders: the pooled score, from sums within their bounds."""

from dataclasses import replace

import numpy as np
import pytest

import chatham as ch
from chatham.commons.fixed_point import bits_for
from chatham.commons.precision import BY_DOCUMENT, BY_LOGARITHM, BY_TOKEN
from chatham.commons.state import state_hash
from chatham.measures.evaluate import evaluate
from chatham.measures.held_out.perplexity import Perplexity
from chatham.measures.labels.accuracy import Accuracy
from chatham.measures.registry import MEASURES
from tests.measures.test_contract import CLASSES, World
from tests.watched import Watched

EVERY = [measure for measure in MEASURES.values() if "ratings" not in measure.needs]
EVERY += [Perplexity(estimator="completion"), Accuracy(pairs=True, baseline=True, max_rounds=20)]


@pytest.fixture(scope="module")
def world():
    return World()


def scores(world, rows, subject=None, measures=None):
    """All measures at once, so that documents are weighed once."""
    return evaluate(
        world.subject() if subject is None else subject,
        rows,
        measures=EVERY if measures is None else measures,
        held_out=rows,
        labels=CLASSES,
        true_topics=world.true_topics,
        vectors=world.vectors,
    )


@pytest.fixture(scope="module")
def pooled(world):
    return scores(world, world.rows)


@pytest.mark.parametrize("holders", [3, 9])
def test_every_measure_of_masked_holders_is_the_pooled_one(world, pooled, holders):
    commons = Watched(world.dealt(holders))  # which looks at every sum
    together = scores(world, commons)
    assert list(together["measure"]) == list(pooled["measure"])
    assert not together.attrs["skipped"]
    assert commons.room < 0.5
    for (_, found), (_, wanted) in zip(together.iterrows(), pooled.iterrows(), strict=True):
        assert found["value"] == pytest.approx(wanted["value"], rel=1e-8, abs=1e-8), found
        if wanted["per_topic"] is not None:
            assert found["per_topic"] == pytest.approx(wanted["per_topic"], rel=1e-7, abs=1e-8)


def test_parties_share_the_same_subject_wherever_they_read_it(tmp_path):
    counts = World(n=60).corpus
    states = []
    for name, n_jobs in (("here", 1), ("there", 2)):
        ch.fit("lda", counts, n_components=3, max_iter=20, random_state=0).save(tmp_path / name)
        model = ch.load(tmp_path / name)
        model.estimator.n_jobs = n_jobs
        commons = Watched([counts.rows(np.arange(start, 60, 2)) for start in range(2)])
        wanted = ["npmi", "c_v", "log_likelihood", "topic_uniform", "document_average"]
        evaluate(model, commons, measures=wanted, n_jobs=n_jobs)
        states.append(commons.states)
    assert states[0] == states[1]


def test_subjects_that_decide_otherwise_are_told_apart(world):
    subject = world.subject()
    other = world.subject(np.array([1, 0, 2, 3]))
    estimator = other.estimator
    unlike = [
        replace(subject, topics=other.topics),
        replace(subject, vocabulary=subject.vocabulary[::-1]),
        replace(subject, estimator=estimator),
        replace(subject, estimator=None),
        replace(subject, classes=CLASSES),
        replace(subject, alpha=np.ones(4)),
        replace(subject, prevalence=None),
        replace(subject, true_topics=world.true_topics),
        replace(subject, vectors=world.vectors),
        replace(subject, vectorizer=world.corpus.vectorizer),
        replace(subject, lists=[["a", "b"]]),
        replace(subject, anchors=subject.anchors[::-1]),
        replace(subject, correlations=None),
    ]
    hashes = [state_hash((each,)) for each in (subject, *unlike)]
    assert len(set(hashes)) == len(hashes)
    named = replace(subject, name="another", estimator=subject.estimator)
    assert state_hash((named,)) == hashes[0]
    shuffled = replace(subject, vectors=dict(reversed(world.vectors.items())))
    assert state_hash((shuffled,)) == state_hash((unlike[8],))


@pytest.mark.parametrize("holders", [3, 10])
def test_ten_million_documents_and_a_billion_words_have_room(holders):
    """The worst that each kind of sum can be, for the largest corpora that we have in mind."""
    assert bits_for(1e7, holders) >= BY_DOCUMENT.bits
    assert bits_for(1e7 * 20, holders) >= BY_LOGARITHM.bits
    assert bits_for(1e9, holders) >= BY_TOKEN.bits
    plain, squares, _ = (budget.bits for budget in Perplexity.budget)
    assert bits_for(1e9 * 7, holders) >= plain
    assert bits_for(1e7 * (1000 * 7) ** 2 / holders, holders) >= squares
