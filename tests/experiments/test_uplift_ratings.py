"""What parties gain from recommending together: ratings held out, guesses, penalties."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from inference_study.records import Records
from uplift_study.documents import ratings_of
from uplift_study.plan import Plan
from uplift_study.rating_report import best_k
from uplift_study.rating_study import TOGETHER, penalties, rated, tuned
from uplift_study.recommender import (
    Held,
    hold_out,
    known_films,
    learner,
    predictions,
    rmse,
    user_means,
)
from uplift_study.tables import percent


@pytest.fixture(scope="module")
def ratings():
    rng = np.random.default_rng(3)
    tastes, films = rng.gamma(1.0, size=(300, 2)), rng.gamma(1.0, size=(2, 40))
    stars = np.clip(np.round(1 + 1.2 * tastes @ films), 1, 5)
    return sp.csr_array(stars * (rng.random(stars.shape) < 0.5))


def test_ratings_are_held_out_once(ratings):
    held = hold_out(ratings, 0)
    assert (held.train + held.test).toarray().tolist() == ratings.toarray().tolist()
    assert held.test.nnz == pytest.approx(0.2 * ratings.nnz, rel=0.1)
    assert (
        held.of(np.array([7, 3])).train.toarray().tolist() == held.train.toarray()[[7, 3]].tolist()
    )
    table = pd.DataFrame({"user": [9, 4], "item": [5, 8], "rating": [2, 3]})
    assert ratings_of(table).toarray().tolist() == [[0, 3], [2, 0]]


def test_guesses_by_hand():
    class Model:
        components_ = np.array([[4.0, 9.0, 2.0]])

        def transform(self, rows):
            return np.full((rows.shape[0], 1), 1.0)

    train = sp.csr_array([[2.0, 0, 0], [3.0, 4.0, 0]])
    held = Held(train, sp.csr_array([[0, 5.0, 4.0], [0, 0, 3.0]]))
    assert known_films(train).tolist() == [True, True, False]
    assert user_means(sp.csr_array([[2.0, 0], [0, 0]])).tolist() == [2.0, 3.0]
    guess = predictions(Model(), held, known_films(train))
    assert guess.tolist() == [5.0, 2.0, 3.5]  # cut to five stars; means of unseen films
    assert rmse(guess, held) == pytest.approx(np.sqrt((0 + 4 + 0.25) / 3))
    assert rmse(guess, held, known_films(train)) == 0.0


def test_factors_guess_better_than_means(ratings):
    held = hold_out(ratings, 0)
    model = learner(2, 1.0, 0).fit(held.train)
    guess = predictions(model, held, known_films(held.train))
    mean = user_means(held.train)[held.test.tocoo().row]
    assert rmse(guess, held) < 0.85 * rmse(mean, held)


def test_small_parties_gain_most_by_ratings(ratings):
    plan = Plan(
        rating_topics=(1, 2), penalties=(1.0, 4.0), rating_seeds=1, mix=((0.03, 4), (0.88, 1))
    )
    found = rated(plan, ratings, Records(None))
    assert len(found.tuning) == 4
    record = found.records[-1]
    assert record["k"] == 2
    *small, large = [percent(each["alone"], each["together"]) for each in record["parties"]]
    assert np.mean(small) > 5
    assert abs(large) < 3
    assert best_k(plan, found.tuning, TOGETHER) == 2


def test_penalties_are_those_that_do_best():
    def tried(penalty, alone, together):
        sizes = ((0.1, 1), (0.1, 1), (0.8, 8))
        errors = zip(sizes, alone, together, strict=True)
        return {
            "k": 3, "penalties": [penalty] * 3,
            "parties": [{"share": share, "test": n, "alone": a, "together": t}
                        for (share, n), a, t in errors],
        }  # fmt: skip

    tuning = [tried(1.0, (1, 3, 1), (1, 1, 2)), tried(8.0, (1, 1, 2), (3, 3, 1))]
    plan = Plan(mix=((0.1, 2), (0.8, 1)))
    assert tuned(tuning[0], 0.1) == 2.0
    assert tuned(tuning[0], TOGETHER) == pytest.approx(np.sqrt((1 + 1 + 8 * 4) / 10))
    assert penalties(tuning, 3, plan) == [8.0, 1.0, 8.0]
