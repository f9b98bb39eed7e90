"""Topics under truncated multinomials: never less likely, and exact where the answer is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.ensembles.mixture import truncated_topics, usual_of


def likelihood(topics, counts, tokens, observed, extra=0.0, usual=None):
    """The log-likelihood as it is written, with the extra counts and the prior."""
    inside = topics @ observed.T.astype(float)
    value = ((counts + extra) * np.log(topics)).sum() - (tokens.T * np.log(inside)).sum()
    return value + (0.0 if usual is None else usual.log(topics, observed))


def drawn_problem(seed, prior):
    rng = np.random.default_rng(seed)
    m, k, d = rng.integers(1, 5), rng.integers(1, 4), rng.integers(2, 9)
    observed = rng.random((m, d)) < 0.7
    observed[0, :], observed[:, 0] = observed[0, :] | ~observed.any(axis=0), True
    cells = rng.gamma(0.5, 20, (m, k, d)) * observed[:, None, :]
    overall = rng.dirichlet(np.ones(d))
    usual = usual_of(observed, overall, float(cells.sum()), k) if prior else None
    start = rng.dirichlet(np.ones(d), k)
    return start, cells.sum(axis=0), cells.sum(axis=2), observed, usual


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=200, deadline=None)
def test_no_step_makes_the_counts_less_likely(seed, prior):
    topics, counts, tokens, observed, usual = drawn_problem(seed, prior)
    before = likelihood(topics, counts, tokens, observed, 1e-3, usual)
    for _ in range(6):
        topics = truncated_topics(topics, counts, tokens, observed, 1e-3, 1, usual)
        after = likelihood(topics, counts, tokens, observed, 1e-3, usual)
        assert after >= before - 1e-9 * abs(before)
        assert topics.sum(axis=1) == pytest.approx(1.0)
        before = after


def test_where_all_words_are_observed_it_is_one_division():
    counts = np.array([[3.0, 1.0, 0.0], [0.0, 2.0, 2.0]])
    observed, tokens = np.ones((2, 3), dtype=bool), np.array([[1.0, 4.0], [3.0, 0.0]])
    found = truncated_topics(np.full((2, 3), 1 / 3), counts, tokens, observed, 0.0, 1)
    assert found.tolist() == [[0.75, 0.25, 0.0], [0.0, 0.5, 0.5]]


def test_words_that_only_one_party_counts_get_their_share_there():
    """Truth (.4, .2, .1, .3); A counts words 0–2, B words 0, 1 and 3, without any noise."""
    truth = np.array([0.4, 0.2, 0.1, 0.3])
    observed = np.array([[True, True, True, False], [True, True, False, True]])
    cells = np.array([n * truth * known / (truth * known).sum() for n, known in
                      zip((700.0, 90.0), observed, strict=True)])  # fmt: skip
    tokens = cells.sum(axis=1)[:, None]
    found = truncated_topics(
        np.full((1, 4), 0.25), cells.sum(axis=0)[None], tokens, observed, 0.0, 500
    )
    assert found[0] == pytest.approx(truth, abs=1e-9)


def test_the_prior_is_of_how_many_words_a_party_lacks_and_of_nothing_else():
    """Without tokens of a topic, its words inside and outside keep their proportions."""
    observed = np.array([[True, True, False, False], [True, True, True, True]])
    usual = usual_of(observed, np.array([0.5, 0.3, 0.1, 0.1]), 100.0, 1)
    start = np.array([[0.1, 0.2, 0.3, 0.4]])
    nothing = np.zeros((1, 4)), np.zeros((2, 1))
    found = truncated_topics(start, *nothing, observed, 0.0, 50, usual)[0]
    assert found[:2].sum() == pytest.approx(0.8)
    assert found[0] / found[1] == pytest.approx(0.5)
    assert found[2] / found[3] == pytest.approx(0.75)


def test_no_topic_has_a_second_face():
    """Ten tokens of words that A lacks don't make up most of a topic with a thousand tokens of A's.

    A lacks the last two words, which are a twentieth of all; likelihood alone gives them nearly
    everything, since to A it makes no difference.
    """
    observed = np.array([[True, True, False, False], [True, True, True, True]])
    counts = np.array([[500.0, 500.0, 5.0, 5.0]])
    tokens = np.array([[1000.0], [10.0]])
    problem = np.full((1, 4), 0.25), counts, tokens, observed, 1e-6, 2000
    assert truncated_topics(*problem)[0, 2:].sum() > 0.9
    usual = usual_of(observed, np.array([0.475, 0.475, 0.025, 0.025]), 1010.0, 1)
    assert truncated_topics(*problem, usual)[0, 2:].sum() < 0.1
