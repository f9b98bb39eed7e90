"""Predicted ratings: the baseline is the measure's own, a tiny run, its page."""

import numpy as np
import pandas as pd
import pytest

import chatham as ch
import ratings as experiment
from ratings import Ratings, biases_of, by_biases, by_nmf


@pytest.fixture
def table():
    rng = np.random.default_rng(2)
    liking = rng.gamma(3.0, 0.3, (60, 2)) @ rng.gamma(3.0, 0.3, (2, 25))
    user, film = np.nonzero(rng.random(liking.shape) < 0.6)
    stars = np.clip(np.round(1 + 2 * liking[user, film]), 1, 5)
    return pd.DataFrame({"user": user, "item": film, "rating": stars})


def test_the_baseline_is_that_of_the_measure(table):
    columns = (table[name].to_numpy() for name in ("user", "item"))
    everything = np.ones(len(table), dtype=bool)
    seen = Ratings(*columns, table["rating"].to_numpy(dtype=float), ~everything).matrix(everything)
    model = ch.fit("nmf", seen, vocabulary=[f"f{j}" for j in range(seen.shape[1])], n_components=2,
                   missing="unobserved", random_state=0)  # fmt: skip
    noted = ch.evaluate(model, seen, measures=["rmse"])["settings"][0]["baseline"]
    mean, of_user, of_film = biases_of(seen)
    cells = seen.tocoo()
    left = cells.data - mean - of_user[cells.coords[0]] - of_film[cells.coords[1]]
    # The measure begins with documents, the experiment with films, as scikit-surprise does.
    assert np.sqrt(np.mean(left**2)) == pytest.approx(noted, rel=1e-6)


def test_penalised_factors_are_better_than_biases(table):
    hidden = np.random.default_rng(0).random(len(table)) < 0.2
    columns = (table[name].to_numpy() for name in ("user", "item"))
    found = Ratings(*columns, table["rating"].to_numpy(dtype=float), hidden)
    assert by_nmf(found, 0, 2, 1.0)["RMSE"] < by_biases(found, 0)["RMSE"]


def test_a_tiny_run_has_a_row_for_each_way(table, tmp_path, capsys, monkeypatch):
    table.to_parquet(tmp_path / experiment.FILE)
    monkeypatch.setattr(experiment, "PENALTIES", (1.0,))
    words = ["--data", str(tmp_path), "--topics", "2", "--seeds", "2"]
    assert experiment.main([*words, "--keep", str(tmp_path / "kept")]) == 0
    page = capsys.readouterr().out
    assert "| biases alone |" in page
    assert "| NMF, k = 2, penalty 1 |" in page
    assert "of 2 random splits" in page
