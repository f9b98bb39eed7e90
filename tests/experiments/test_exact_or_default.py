"""The experiment on exact totals and the default, on a small scale."""

import numpy as np
import pandas as pd
import pytest

import chatham as ch
import exact_or_default
from exact_or_default import page, results, spread


@pytest.mark.filterwarnings("ignore")
def test_every_learner_is_measured_both_ways(monkeypatch):
    monkeypatch.setattr(exact_or_default, "LEARNERS", ("nmf", "plsa", "anchor", "svd"))
    corpus = ch.sample_corpus(max_features=300).rows(np.arange(0, 2887, 8))
    rows = results(corpus, 3, 1)
    assert [(row["learner"], row["way"]) for row in rows] == [
        (learner, way) for learner in exact_or_default.LEARNERS for way in ("exact", "default")
    ]
    explained = [row["explained"] for row in rows if row["learner"] == "svd"]
    assert 0.5 < explained[1] <= explained[0] <= 1 + 1e-9
    written = page({"some": rows}, 3, 1)
    assert written.count("| nmf |") == written.count("| plsa |") == 2
    assert "## some: 3 parties, 3 topics" in written


def test_a_refused_fit_is_said_to_be():
    assert spread(pd.Series([1.0, 2.0, np.nan])) == "1.000 to 2.000 (1 refused)"
    assert spread(pd.Series([np.nan])) == "refused"
