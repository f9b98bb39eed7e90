"""α₀ by likelihood: a true lower bound, and the concentration that documents were drawn with."""

import numpy as np
import pytest

import chatham as ch
from chatham.commons import Recorded, Simulated
from chatham.corpus.synthetic.planting import planted_topics
from chatham.learners.anchor.concentration import GRID, bound, prior_by_likelihood
from chatham.learners.documents import Documents
from tests.conftest import plant, split


@pytest.mark.parametrize("total", [0.1, 1.0, 10.0])
def test_it_bounds_the_likelihood_from_below_and_tightly(total):
    """The likelihood itself as the mean over a million draws of weights."""
    topics = np.array([[0.5, 0.3, 0.2, 0.0], [0.05, 0.15, 0.3, 0.5]])
    alpha = total * np.array([0.4, 0.6])
    rows = np.array([[3, 1, 0, 0], [1, 2, 2, 4], [0, 0, 0, 1], [0, 0, 0, 0]])
    drawn = np.random.default_rng(0).dirichlet(alpha, 1_000_000)
    likelihoods = [np.log(np.prod((drawn @ topics) ** row, axis=1).mean()) for row in rows]
    bounds = [bound(Documents(row[None]), topics, alpha) for row in rows]
    assert bounds[3] == pytest.approx(0, abs=1e-12)
    for lower, likelihood in zip(bounds, likelihoods, strict=True):
        assert lower < likelihood + 0.01
        assert lower > likelihood - 0.7 or total < 1  # a bound of weights near corners is loose
    assert bound(Documents(rows), topics, alpha) == pytest.approx(sum(bounds))


def drawn(total, seed, k=8):
    rng = np.random.default_rng(seed)
    topics, _ = planted_topics(k, 200, concentration=0.1, anchor_probability=0.03,
                               random_state=seed)  # fmt: skip
    weights = rng.dirichlet(total * rng.dirichlet(np.full(k, 5)), 700)
    return np.array([rng.multinomial(100, words) for words in weights @ topics])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("total", [0.3, 1.0, 3.0, 10.0])
def test_it_is_about_the_one_that_documents_were_drawn_with(total, seed):
    """Within one step of the grid, each 1.8 times the one before."""
    model = ch.AnchorWords(8, refine=0, prior="likelihood", random_state=0).fit(drawn(total, seed))
    assert model.alpha_.sum() == pytest.approx(GRID[np.argmin(np.abs(GRID - model.alpha_.sum()))])
    assert 1 / 1.9 < model.alpha_.sum() / total < 1.9
    np.testing.assert_allclose(model.alpha_ / model.alpha_.sum(), model.prevalence_, atol=2e-3)


def test_where_documents_mix_evenly_it_is_nearer_than_by_moments():
    errors = {}
    for prior in ("moments", "likelihood"):
        totals = [
            ch.AnchorWords(8, refine=0, prior=prior, random_state=0).fit(drawn(10.0, seed)).alpha_
            for seed in range(3)
        ]
        errors[prior] = np.mean([abs(np.log(alpha.sum() / 10.0)) for alpha in totals])
    assert errors["likelihood"] < errors["moments"]


def test_holders_find_what_one_does_in_one_more_sum():
    rows = plant(n=200, d=40, k=4, length=40)[0]
    together = ch.AnchorWords(4, refine=0, prior="likelihood", random_state=0).fit(rows)
    commons = Recorded(Simulated(split(rows, 3)))
    apart = ch.AnchorWords(4, refine=0, prior="likelihood", random_state=0).fit(commons)
    np.testing.assert_allclose(apart.alpha_, together.alpha_, rtol=1e-7)
    assert {entry.round for entry in commons.ledger} == {1, 2}
    assert commons.ledger[-1].shape == GRID.shape


def test_threads_change_no_bit():
    rows = plant(n=200, d=40, k=4, length=40)[0].toarray()
    words = rows.sum(axis=0) / rows.sum()
    topics, shares = plant(n=1, d=40, k=4)[1], np.full(4, 0.25)
    found = {prior_by_likelihood(ch.Alone(rows), topics, shares, words).tobytes() for _ in range(3)}
    assert len(found) == 1
    fits = [
        ch.AnchorWords(4, refine=0, prior="likelihood", random_state=0, n_jobs=jobs).fit(rows)
        for jobs in (1, 3)
    ]
    assert fits[0].alpha_.tobytes() == fits[1].alpha_.tobytes()


def test_sweeps_learn_their_own():
    with pytest.raises(ch.InputError, match=r"prior='likelihood' is for .* give refine=0, or"):
        ch.AnchorWords(3, prior="likelihood").fit(plant(n=40, d=15, k=3)[0])
