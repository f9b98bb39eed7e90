"""Rebuilding inside the audit: exact totals give documents back, usual sessions none."""

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.audit.auditing import prepare
from chatham.audit.decision import attacked
from chatham.audit.rebuilt import drawn_with
from tests.audit.test_rebuilding import planted

pytestmark = pytest.mark.filterwarnings("ignore")


def prepared(learner="kmeans", **more):
    counts = planted(documents=160)
    ids = [f"letter-{row}" for row in range(160)]
    corpus = ch.Corpus(counts, [f"w{i:03d}" for i in range(counts.shape[1])], ids)
    asked = {"n_components": 4, "party_size": 0.5, "documents": 4, "databases": 64, **more}
    return corpus, prepare(corpus, learner, **asked)


def test_exact_totals_of_k_means_give_documents_back_and_noised_ones_none():
    corpus, audit = prepared(weighting="tfidf")
    rebuilt, _ = attacked(audit)
    assert all(not each.found for each in rebuilt.sessions)
    assert (rebuilt.succeeded.estimate, rebuilt.succeeded.low) == (0.0, 0.0)
    assert rebuilt.succeeded.high == pytest.approx(1 - 0.025 ** (1 / 3))
    assert "In none of 3 sessions as sessions are by default" in rebuilt.in_words
    exact = rebuilt.exact
    assert len(exact.whole) >= 1
    assert f"at least {len(exact.whole)} of 80 whole" in rebuilt.in_words
    rows = {name: row for row, name in enumerate(corpus.ids.tolist())}
    for each in exact.found:
        words = int((corpus.counts[[rows[each.document]]].toarray() > 0).sum())
        assert each.words == words if each.whole else each.words <= words
        assert "by chance in" in each.certificate
    assert not set(exact.whole) & set(exact.parts)


def test_an_audit_of_exact_totals_counts_the_sessions_that_gave_something():
    _, audit = prepared(exact_totals=True, colluding=0.2)
    rebuilt, _ = attacked(audit)
    assert rebuilt.exact_totals
    assert rebuilt.exact is rebuilt.sessions[0]
    assert rebuilt.succeeded.estimate == 1.0
    own = {audit.corpus.ids[row] for row in audit.own}
    assert not own & {each.document for one in rebuilt.sessions for each in one.found}
    told = rebuilt.to_dict()
    assert told["sessions"][0]["whole"] == len(rebuilt.sessions[0].whole)


def test_documents_in_question_are_among_those_that_are_drawn():
    pool, targets = np.arange(10, 60), np.array([12, 30, 59])
    drawn = drawn_with(pool, targets, 20, 0, 1)
    assert len(np.unique(drawn)) == 20
    assert set(targets) <= set(drawn) <= set(pool)
    assert set(drawn_with(pool, targets, 2, 0, 1)) < set(targets)


def test_the_ledger_has_every_total_and_small_counts_are_those_of_the_session():
    _, audit = prepared("nmf", weighting="counts", max_iter=4, exact_totals=True)
    _, crossing = attacked(audit)
    rows = drawn_with(audit.rest, audit.rest[audit.plan.design.targets], 80, 0, 0)
    recorded = ch.Recorded(
        ch.Simulated([audit.corpus.rows[rows][i::2] for i in range(2)], exact_totals=True)
    )
    learner = ch.NMF(**audit.mechanism.learner.get_params()).fit(recorded)
    assert crossing.bytes == sum(each.bytes for each in recorded.ledger)
    assert crossing.rounds == recorded.ledger[-1].round
    assert sum(each.times for each in crossing.ledger) == len(recorded.ledger)
    small, counts = crossing.small_counts, audit.corpus.rows[rows]
    having = np.diff(sp.csc_array(counts).indptr)
    assert small.rare_words == ((having > 0) & (having < 5)).sum()
    worth = learner.transform(counts).sum(axis=0)
    assert small.smallest_topic == pytest.approx(worth.min(), abs=1e-4)
    assert small.small_topics == {few: int((worth < few).sum()) for few in (5, 10)}
