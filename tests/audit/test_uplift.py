"""Uplift: what is measured is what the measures say, a planted gain is found, and no false one."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.audit.audited_corpus import AuditedCorpus
from chatham.audit.uplift import (
    Deal,
    check_can_be_dealt,
    deal,
    explained,
    mean_over_draws,
    measure_uplift,
    scores,
)
from chatham.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore")


def planted(n=240, d=60, topics=4, seed=0, length=30):
    """Documents of a few topics that many documents tell better than few."""
    draws = np.random.default_rng(seed)
    words = draws.dirichlet(np.full(d, 0.1), topics)
    weights = draws.dirichlet(np.full(topics, 0.2), n)
    return sp.csr_array(
        np.array([draws.multinomial(length, each @ words) for each in weights], dtype=float)
    )


def corpus_of(counts, learner):
    return AuditedCorpus.read(counts, learner, "auto")


def test_every_document_is_dealt_once_and_a_fifth_is_held_out():
    dealt = deal(100, 20, seed=3, draw=1)
    assert (len(dealt.train), len(dealt.held_out), len(dealt.others)) == (16, 4, 4)
    everyone = np.concatenate([dealt.train, dealt.held_out, *dealt.others])
    assert np.array_equal(np.sort(everyone), np.arange(100))
    assert not np.array_equal(dealt.train, deal(100, 20, seed=3, draw=2).train)
    assert len(deal(1000, 5, 0, 0).others) == 9
    assert len(deal(10, 8, 0, 0).others) == 2


def test_scores_are_those_of_evaluate():
    counts = planted()
    learner = ch.PLSA(4, random_state=0, max_iter=30).fit(counts)
    dealt = Deal(np.arange(20), np.arange(20, 60), (np.arange(60, 240),))
    words = [str(column) for column in range(60)]
    model = ch.fit(ch.PLSA(4, random_state=0, max_iter=30), counts, vocabulary=words)
    found = scores(corpus_of(counts, learner), learner, dealt)
    told = ch.evaluate(
        model, ch.Corpus(counts[:60], words), ["completion", "npmi"],
        held_out=ch.Corpus(counts[20:60], words),
    ).set_index("measure")["value"]  # fmt: skip
    assert found["completion"] == pytest.approx(told["completion"], abs=1e-12)
    assert found["npmi"] == pytest.approx(told["npmi"], abs=1e-12)


@pytest.mark.parametrize("constraint", ["simplex", "none"])
def test_topics_of_weighted_words_are_scored_over_plain_ones(constraint):
    """By the model's one map to words, as everywhere."""
    sample = ch.sample_corpus()
    corpus = sample.rows(np.arange(300))
    parameters = {"constraint": constraint, "loss": "relative", "max_iter": 30, "random_state": 0}
    model = ch.fit("nmf", corpus, n_components=5, **parameters)
    audited = AuditedCorpus.read(corpus, model.estimator, "tfidf")
    dealt = Deal(np.arange(60), np.arange(60, 100), (np.arange(100, 300),))
    found = scores(audited, model.estimator, dealt)
    told = ch.evaluate(
        model, corpus.rows(np.arange(100)), ["completion", "npmi"],
        held_out=corpus.rows(np.arange(60, 100)),
    ).set_index("measure")["value"]  # fmt: skip
    assert found["completion"] == pytest.approx(told["completion"], abs=1e-9)
    assert found["npmi"] == pytest.approx(told["npmi"], abs=1e-9)


def test_what_is_explained_is_what_the_product_leaves():
    counts = planted(n=60, d=20)
    model = ch.SVD(3, random_state=0).fit(counts)
    weights = model.transform(counts)
    left = np.square(counts.toarray() - weights @ model.components_).sum()
    whole = np.square(counts.toarray()).sum()
    assert explained(model, counts) == pytest.approx(1 - left / whole, abs=1e-9)


def test_a_small_party_gains_with_others_of_the_same_topics():
    learner = ch.PLSA(4, random_state=0, max_iter=30)
    found = measure_uplift(corpus_of(planted(), learner), learner, 24, exact_totals=True)
    completion = found.gains[0]
    assert (completion.measure, completion.verdict) == ("completion", "better")
    assert completion.difference.low > 0
    assert completion.difference.caveat == "asymptotic"
    assert (found.party, found.parties, found.documents, found.draws) == (24, 10, 240, 6)
    ratio = math.exp(completion.difference.estimate)
    assert f"is {ratio:.2f} times" in found.in_words
    assert found.to_dict()["gains"][0]["difference"]["low"] == completion.difference.low


def test_one_who_has_nearly_all_gains_nothing_much_and_draws_repeat():
    learner = ch.PLSA(4, random_state=0, max_iter=30)
    corpus = corpus_of(planted(), learner)
    small = measure_uplift(corpus, learner, 24, exact_totals=True, draws=3)
    large = measure_uplift(corpus, learner, 220, exact_totals=True, draws=3)
    gains = [each.gains[0].difference.estimate for each in (small, large)]
    assert gains[1] < gains[0] / 4
    assert large == measure_uplift(corpus, learner, 220, exact_totals=True, draws=3, n_jobs=2)


def test_the_interval_is_students():
    found = mean_over_draws([1.0, 2.0, 4.0, 5.0], 0.95)
    half = 3.182446305284263 * math.sqrt(10 / 3) / 2  # t with 3 degrees of freedom
    assert found.low == pytest.approx(3 - half, abs=1e-12)
    assert found.high == pytest.approx(3 + half, abs=1e-12)


@pytest.mark.parametrize(("documents", "size"), [(100, 1), (100, 99), (100, 100)])
def test_what_leaves_nobody_else_is_refused(documents, size):
    with pytest.raises(InputError, match="can't be measured"):
        check_can_be_dealt(documents, size)
