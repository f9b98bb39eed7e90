"""Scores that parties take together are those on their pooled documents."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Recorded, Simulated
from chatham.errors import SessionError
from chatham.federation.join import read_for
from chatham.federation.program import (
    TAKEN,
    check_score,
    counted_as,
    fit_and_score,
    fit_between,
    program_of,
)
from chatham.federation.scores import ScoreRules
from chatham.learners import Numbers
from chatham.measures.registry import MEASURES
from chatham.model import registry
from tests.federation.test_program import PARTIES, session

SOME = ["npmi", "frobenius_held_out", "log_likelihood", "completion", "perplexity", "overlap"]


def scored(algorithm, *measures, held_out=0.2, **parameters):
    found = {"measures": list(measures), "held_out": held_out}
    return replace(session(algorithm, **parameters), score=found)


def known(agreed):
    """The same session, with totals that may be exact even where that gives documents away."""
    return replace(agreed, exact_totals_know=True)


def met(agreed, given=PARTIES, **options):
    corpora = [read_for(agreed, each) for each in given]
    model = fit_and_score(lambda rows, about: Simulated(rows, **options), agreed, corpora)
    return model, corpora


def pooled(agreed, model, corpora):
    """The same measures of the same model, on all documents in one place."""
    rules = ScoreRules.of(agreed.score)
    parts = zip(*(rules.split(corpus, agreed.seed) for corpus in corpora), strict=True)
    fitted, held_out = (
        ch.Corpus(sp.vstack(counted_as(agreed, part, model.vocabulary)), model.vocabulary)
        for part in parts
    )
    assert len(held_out) == 19
    return ch.evaluate(model, fitted, held_out=held_out, measures=list(rules.measures))


@pytest.mark.parametrize("algorithm", ["nmf", "lda"])
def test_scores_are_those_of_pooled_documents(algorithm):
    agreed = scored(algorithm, *SOME, max_iter=10)
    model, corpora = met(agreed, secure=True)
    wanted = pooled(agreed, model, corpora)
    assert model.scores.attrs["skipped"] == {}
    assert model.scores["measure"].tolist() == wanted["measure"].tolist() == SOME
    np.testing.assert_allclose(model.scores["value"], wanted["value"], rtol=1e-8, atol=1e-8)


def test_factors_of_anchor_words_are_measured_where_exact_totals_are_known_to_cross():
    names = ["recovery_error", "approximation_error", "validity", "dominancy", "soft_rank"]
    agreed = scored("anchor", *names, refine=2, min_anchor_df=2)
    model, corpora = met(known(agreed), secure=True, exact_totals=True)
    wanted = pooled(agreed, model, corpora)
    assert model.scores.attrs["skipped"] == {}
    assert model.scores["measure"].tolist() == names
    np.testing.assert_allclose(model.scores["value"], wanted["value"], rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("measure", ["recovery_error", "approximation_error", "validity"])
def test_measures_whose_totals_give_documents_away_are_refused_where_nobody_knows(measure):
    agreed = scored("anchor", "npmi", measure)
    with pytest.raises(SessionError) as error:
        program_of(agreed)
    assert error.value.parameters == ("exact_totals_know",)
    assert program_of(known(agreed)).measures[-1].name == measure


@pytest.mark.parametrize("algorithm", ["nmf", "lda", "plsa", "kmeans", "svd"])
@pytest.mark.parametrize("measure", ["hard_rank", "validity"])
def test_factors_that_no_model_of_the_learner_has_are_refused_at_once(algorithm, measure):
    agreed = scored(algorithm, "npmi", measure)
    with pytest.raises(SessionError, match=f"'{measure}' needs .* no model of '{algorithm}' has"):
        program_of(agreed)


def test_learners_of_ones_own_may_have_anchors(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})
    ch.register(type("Mine", (ch.AnchorWords,), {}))
    ch.register(type("Correlated", (ch.PLSA,), {"learned": {"correlations_": Numbers("kk")}}))
    assert check_score(known(scored("mine", "hard_rank", "validity")))
    assert check_score(known(scored("correlated", "validity")))
    with pytest.raises(SessionError, match="no model of 'correlated' has that"):
        check_score(scored("correlated", "hard_rank"))


def test_the_model_never_saw_what_was_held_out():
    agreed = scored("plsa", "perplexity", max_iter=3)
    model, corpora = met(agreed)
    rules = ScoreRules.of(agreed.score)
    fitted = [rules.split(corpus, agreed.seed)[0] for corpus in corpora]
    alone = fit_between(lambda rows, about: Simulated(rows), agreed, fitted)
    np.testing.assert_array_equal(model.topics, alone.topics)
    assert alone.scores is None


def test_without_a_score_nothing_more_crosses():
    ledgers = []
    for agreed in (session("plsa", max_iter=2), scored("plsa", "npmi", held_out=0.0, max_iter=2)):
        commons = []

        def meet(rows, about, commons=commons):
            commons.append(Recorded(Simulated(rows)))
            return commons[-1]

        model = fit_and_score(meet, agreed, [read_for(agreed, each) for each in PARTIES])
        assert (model.scores is None) == (not agreed.score)
        ledgers.append([entry.statistic for each in commons for entry in each.ledger])
    assert ledgers[1][: len(ledgers[0])] == ledgers[0]
    assert len(ledgers[1]) > len(ledgers[0])


def test_a_party_with_too_few_documents_holds_none_out():
    agreed = scored("plsa", "log_likelihood_held_out", held_out=0.1, max_iter=2)
    with pytest.warns(UserWarning, match="fewer than 30 documents"):
        model, _ = met(agreed, [PARTIES[0], PARTIES[1], PARTIES[2][:3]], secure=True)
    assert model.scores["settings"][0]["documents"] == 6


def test_a_measure_without_a_value_costs_no_model():
    agreed = scored("plsa", "perplexity", "npmi", held_out=0.01, max_iter=2)
    model, _ = met(agreed, secure=True)
    assert model.scores["measure"].tolist() == ["npmi"]
    assert list(model.scores.attrs["skipped"]) == ["perplexity"]


def test_all_that_need_nothing_more_than_documents_are_taken():
    every = [name for name, measure in MEASURES.items() if measure.needs <= TAKEN]
    assert set(SOME) < set(every) < set(MEASURES)
    assert [measure.name for measure in check_score(known(scored("anchor", *every)))] == every


@pytest.mark.parametrize(
    ("measures", "held_out", "said"),
    [
        (["perplexty"], 0.1, "did you mean 'perplexity'"),
        (["perplexity"], 0.0, "needs held-out documents"),
        (["ari"], 0.1, "documents with labels"),
        (["c_v"], 0.1, "words in their order"),
        (["l1_to_truth"], 0.1, "the true topics"),
        (["npmi", "NPMI"], 0.1, "twice"),
    ],
)
def test_measures_that_parties_cannot_take_are_refused(measures, held_out, said):
    with pytest.raises(SessionError, match=said):
        check_score(scored("lda", *measures, held_out=held_out))
