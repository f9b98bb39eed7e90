"""When fits stop: by what can be gained, whatever nobody can explain; or they say otherwise."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import chatham as ch
from chatham.learners import UnconvergedWarning, has_converged
from chatham.notes import ChathamWarning
from tests.conftest import plant

ITERATIVE = [ch.KMeans, ch.NMF, ch.PLSA]


def stops(objective, tol, nothing=None):
    """After how many iterations."""
    ends = (n for n in range(1, len(objective) + 1) if has_converged(objective[:n], tol, nothing))
    return next(ends, None)


def test_what_nobody_can_explain_changes_nothing():
    gains = [100.0 * 0.9**n for n in range(400)]
    alone = stops(gains, 1e-4, nothing=130.0)
    assert alone is not None
    for unexplained in (1e3, 1e6, -1e6):
        objective = [gain + unexplained for gain in gains]
        assert stops(objective, 1e-4, 130.0 + unexplained) == alone
        assert stops(objective, 1e-4) == stops(gains, 1e-4)


@pytest.mark.parametrize("tol", [0.1, 0.01])
def test_where_each_iteration_gains_hardly_less_than_the_one_before_little_is_left(tol):
    slow = [1.0 / n for n in range(1, 5000)]  # as many again gain half of what is left
    end = stops(slow, tol, nothing=2.0)
    assert tol / 4 < slow[end - 1] / 2.0 < 2 * tol
    steady = [1.0 - 1e-4 * n for n in range(1, 5000)]
    assert stops(steady, tol, nothing=1.0) is None


def test_a_slow_iteration_between_fast_ones_is_not_the_end():
    paused = [100.0, 90.0, 80.0, 80.0 - 1e-9, 70.0, 60.0, 50.0]
    assert stops(paused, 1e-3, nothing=120.0) is None


def test_what_began_at_the_end_stops_at_once_and_rounding_is_no_gain():
    assert stops([5.0, 5.0], 1e-6) == 2
    assert stops([5.0, 5.0 + 1e-13], 1e-6, nothing=5.0) == 2
    assert stops([5.0] * 50, 0) is None


def of_nothing(learner, counts):
    """The objective of a model that has learned nothing, from its definition."""
    frequencies = counts.toarray() / counts.sum(axis=1)[:, None]
    squares = (frequencies**2).sum()
    together = frequencies.sum(axis=0)
    likelihood = together @ np.log(together / together.sum())
    return {ch.KMeans: squares, ch.NMF: squares / 2, ch.PLSA: likelihood}[learner]


@pytest.mark.parametrize(
    ("learner", "k", "tol"), [(ch.KMeans, 20, 0.3), (ch.NMF, 6, 3e-3), (ch.PLSA, 6, 0.02)]
)
def test_learners_stop_by_what_they_gained_over_nothing(learner, k, tol):
    """And not beside the objective as a whole, most of which nobody can explain."""
    counts = plant(n=300, d=60, k=6, length=20)[0]
    settings = {"init": "random", "random_state": 0, "max_iter": 100}
    objective = list(learner(k, tol=0, **settings).fit(counts).objective_)
    by_gain = stops(objective, tol, of_nothing(learner, counts))
    assert by_gain not in (None, len(objective), stops(objective, tol, 0.0))
    assert learner(k, tol=tol, **settings).fit(counts).n_iter_ == by_gain


@pytest.mark.parametrize("k", [10, 20])
def test_topics_of_nmf_stop_where_they_end(k):
    """But for a saddle that no rule sees: of three starts one may pause at some."""
    corpus, distances = ch.sample_corpus(max_features=800), []
    for seed in range(3):
        stopped, ended = (
            ch.fit("nmf", corpus, n_components=k, random_state=seed, **settings).topics
            for settings in ({}, {"tol": 0, "max_iter": 400})
        )
        between = np.abs(stopped[:, None] - ended[None]).sum(axis=-1)
        distances.append(between.min(axis=1).mean())
    assert np.median(distances) < 0.05
    assert max(distances) < 0.3


@pytest.mark.parametrize("learner", [*ITERATIVE, ch.SVD])
def test_too_few_iterations_are_told_where_they_were_asked_for(learner):
    counts = plant(n=120, d=30, k=4)[0]
    with pytest.warns(ConvergenceWarning, match=r"max_iter") as caught:
        learner(4, max_iter=2, random_state=0).fit(counts)
    (warning,) = [each for each in caught if issubclass(each.category, UnconvergedWarning)]
    assert issubclass(warning.category, ChathamWarning)
    assert warning.filename == __file__
    assert {"max_iter", "tol"} <= set(warning.message.parameters)


@pytest.mark.parametrize("name", ["kmeans", "nmf", "plsa"])
def test_so_they_are_by_fit_in_one_call(name):
    texts = ["wheat corn grain", "corn grain rye", "loan bank debt", "bank debt interest"] * 5
    with pytest.warns(UnconvergedWarning, match="all its 1 iterations"):
        ch.fit(name, texts, n_components=2, max_iter=1, random_state=0)


@pytest.mark.parametrize(
    "learner",
    [
        *(each(4, max_iter=2, tol=0, random_state=0) for each in ITERATIVE),
        *(each(4, random_state=0) for each in [*ITERATIVE, ch.SVD]),
        ch.LDA(4, max_iter=20, random_state=0),  # as many sweeps as were asked for
        ch.LDA(4, max_iter=200, tol=0.2, random_state=0),
        ch.LDA(4, max_iter=20, tol=0.9, random_state=0),  # it levels off at the last sweep
    ],
    ids=repr,
)
def test_nothing_is_told_without_a_tolerance_or_where_it_is_met(learner):
    counts = plant(n=120, d=30, k=4)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        learner.fit(counts)


def test_a_chain_that_was_to_level_off_says_if_it_did_not():
    counts = plant(n=120, d=30, k=4)[0]
    with pytest.warns(UnconvergedWarning):
        ch.LDA(4, max_iter=20, tol=1e-9, random_state=0).fit(counts)


@pytest.mark.parametrize("learner", [ch.KMeans, ch.NMF, ch.SVD])
def test_noised_fits_have_a_number_of_rounds_and_no_tolerance(learner):
    counts = plant(n=300, d=30, k=4)[0]
    parties = ch.Simulated([counts[::3], counts[1::3], counts[2::3]], secure=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        learner(4, random_state=0).fit(parties)


@pytest.mark.parametrize("learner", ITERATIVE)
def test_holders_stop_with_the_pooled_fit(learner):
    counts = plant(n=120, d=30, k=4)[0]
    pooled = learner(4, init="random", random_state=0).fit(counts)
    apart = learner(4, init="random", random_state=0).fit(ch.Simulated([counts[:50], counts[50:]]))
    assert apart.n_iter_ == pooled.n_iter_
