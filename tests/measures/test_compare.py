import math

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.measures.coherence.pairwise import NPMI
from chatham.measures.compare import comparison, ranking


def table_of(**values):
    rows = [[name, value, better] for name, (value, better) in values.items()]
    return pd.DataFrame(rows, columns=["measure", "value", "higher_is_better"])


@pytest.fixture
def compared():
    # up: 3 leads 2 by (3 − 2)/2; down: 1 leads 4 by |1 − 4|/4; tie: nobody leads
    return comparison({
        "a": table_of(up=(3.0, True), down=(4.0, False), tie=(1.0, True), zero=(5.0, True)),
        "b": table_of(up=(2.0, True), down=(1.0, False), tie=(1.0, True), zero=(0.0, True)),
        "c": table_of(up=(-1.0, True), down=(9.0, False), tie=(0.0, True)),
    })  # fmt: skip


def test_leads_are_those_of_the_equation(compared):
    leads = compared.set_index("measure")
    assert leads.loc["up", ["best", "second", "delta"]].tolist() == ["a", "b", 0.5]
    assert leads.loc["down", ["best", "second", "delta"]].tolist() == ["b", "a", 0.75]
    assert leads.loc["tie", ["best", "second"]].isna().all()
    assert leads.loc["tie", "delta"] == 0
    assert leads.loc["zero", "best"] == "a"
    assert math.isinf(leads.loc["zero", "delta"])
    assert leads.loc["zero", "c"] is None


def test_negative_values_lead_by_the_size_of_the_second():
    lead = comparison({"a": table_of(x=(-2.0, True)), "b": table_of(x=(-4.0, True))})
    assert lead.loc[0, ["best", "delta"]].tolist() == ["a", 0.5]


def test_ranking_counts_and_averages(compared):
    ranks = ranking(compared).set_index("model")
    assert ranks["times_best"].to_dict() == {"a": 2, "b": 1, "c": 0}
    assert ranks.loc["a", "mean_delta"] == 0.5  # the infinite lead is left out
    assert ranks.loc["b", "mean_delta"] == 0.75
    assert ranks.loc["c", "mean_delta"] is None
    # a: up 1, down 2, tie 1½, zero 1
    assert ranks.loc["a", "mean_rank"] == pytest.approx((1 + 2 + 1.5 + 1) / 4)


def test_models_of_all_kinds_are_compared():
    corpus = ch.sample_corpus().rows(range(400))
    models = {
        "nmf": ch.fit("nmf", corpus, n_components=3, random_state=0),
        "lists": [["language", "model", "data"], ["translation", "machine", "quality"]],
    }
    table = ch.compare(models, corpus, measures=["npmi", "topic_diversity"])
    assert table["measure"].tolist() == ["npmi", "topic_diversity"]
    assert np.isfinite(table[["nmf", "lists"]].to_numpy(dtype=float)).all()


def test_what_one_model_lacks_is_none():
    corpus = ch.sample_corpus().rows(range(200))
    models = {
        "nmf": ch.fit("nmf", corpus, n_components=2, random_state=0),
        "lists": [["language", "model"], ["translation", "machine"]],
    }
    table = ch.compare(models, corpus).set_index("measure")
    assert table.loc["frobenius", "lists"] is None
    assert table.loc["frobenius", "best"] is None
    assert "frobenius" in table.attrs["skipped"]["lists"]


def test_one_model_is_no_comparison():
    with pytest.raises(InputError, match="at least two"):
        ch.compare({"only": [["tea", "milk"]]})
    with pytest.raises(InputError, match="'delta'"):
        ch.compare({"delta": [["tea", "milk"]], "b": [["tea", "milk"]]})


def test_one_measure_with_two_settings_is_refused():
    corpus = ch.sample_corpus().rows(range(50))
    models = {name: [["language", "model"], ["data", "text"]] for name in "ab"}
    with pytest.raises(InputError, match="'npmi' appears twice"):
        ch.compare(models, corpus, measures=[NPMI(), NPMI(n_words=2)])


def test_models_that_know_unlike_words_are_not_compared_in_silence():
    texts = ["tea milk sugar", "tea rum tea", "rum tea milk"]
    models = {
        "few": (np.array([[0.5, 0.5]]), ["tea", "milk"]),
        "all": (np.array([[0.4, 0.3, 0.2, 0.1]]), ["tea", "milk", "rum", "sugar"]),
    }
    with pytest.warns(UserWarning, match="few 66.7%, all 100.0%"):
        ch.compare(models, texts, measures=["log_likelihood"])


def test_a_model_without_any_value_is_ranked_last():
    table = comparison(
        {"a": table_of(x=(1.0, True)), "b": table_of(), "c": table_of(x=(2.0, True))}
    )
    ranks = ranking(table)
    assert ranks["model"].tolist() == ["c", "a", "b"]
    assert ranks["mean_rank"].tolist()[2] is None
