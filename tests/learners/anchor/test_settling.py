"""When rectification ends: by the anchors' own rows, and with a warning where it didn't."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import chatham as ch
from chatham.learners.anchor.clipped import LowRank, clipped
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.rectify import alternate, leading_of, project
from chatham.learners.anchor.select import candidate_words, pivoted_qr
from chatham.learners.anchor.settling import (
    APART,
    RECENT,
    Settling,
    coordinates,
    provisional_anchors,
)
from chatham.learners.cooccurrence import Pairing, cooccurrence
from chatham.notes import ChathamWarning
from tests.learners.anchor.separable import noisy, separable

EVERY = np.ones(40, bool)


def low_rank(seed=0, k=4):
    """Projections of a noisy separable co-occurrence."""
    joint = noisy(separable(k=k, seed=seed)[2], seed, size=0.05)
    return project(leading_of(joint, k), k, np.float64, max_iter=4, tol=0.0).low_rank


def test_coordinates_have_the_lengths_and_angles_of_rows():
    one = low_rank()
    whole = one.left @ one.right.T
    points, sums = coordinates(one)
    assert points.shape == (40, 5)
    np.testing.assert_allclose(points @ points.T, whole @ whole.T, atol=1e-14)
    np.testing.assert_allclose(sums, whole.sum(axis=1), atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_provisional_anchors_are_those_of_the_matrix_in_full(seed):
    one = low_rank(seed)
    whole = one.left @ one.right.T
    assert whole.min() > -1e-3 * whole.max()
    chosen, _ = pivoted_qr(Conditional(np.maximum(clipped(one), 0)), 4, EVERY)
    found = provisional_anchors(one, 4, EVERY)
    assert sorted(group[0] for group in found) == sorted(group[0] for group in chosen)


def test_given_anchors_come_first_and_candidates_alone_follow():
    one = low_rank()
    usual = [int(group[0]) for group in provisional_anchors(one, 4, EVERY)]
    others = EVERY.copy()
    others[usual] = False
    given = [np.array([usual[0], usual[1]]), np.array([7])]
    found = provisional_anchors(one, 4, others, given)
    assert [group.tolist() for group in found[:2]] == [group.tolist() for group in given]
    assert not {int(group[0]) for group in found[2:]} & {*usual, 7}


def test_no_more_anchors_than_there_are_directions():
    vectors = np.linalg.qr(np.random.default_rng(0).random((40, 2)))[0]
    flat = LowRank(np.abs(vectors[:, :1]), np.array([1.0]), 0.0, EVERY)
    assert 1 <= len(provisional_anchors(flat, 3, EVERY)) < 3


def test_what_is_left_is_how_far_rows_moved_lately_times_the_projections():
    one = low_rank()
    settling = Settling(4, EVERY)
    assert [settling.left(one) for _ in range(RECENT)][-1] == RECENT * APART  # all were new once
    assert settling.left(one) == 0
    vectors = one.vectors.copy()
    vectors[::3] *= 1.01
    moved = LowRank(vectors, one.values, one.shift, one.occurs)
    rows = [
        np.maximum(each.left @ each.right.T, 0.0)[
            [int(group[0]) for group in provisional_anchors(each, 4, EVERY)]
        ]
        for each in (one, moved)
    ]
    before, after = (each / each.sum(axis=1, keepdims=True) for each in rows)
    distance = np.abs(after - before).sum(axis=1).max()
    for projections in range(RECENT + 2, 2 * RECENT + 2):
        assert settling.left(moved) == pytest.approx(projections * distance)
    assert settling.left(moved) == 0


def test_an_anchor_that_was_just_replaced_has_not_settled():
    """However little the projection after that moved it: that was the end, once."""
    one, other = low_rank(), low_rank(seed=1)
    settling = Settling(4, EVERY)
    for projection in (*[one] * 10, *[other] * RECENT):
        left = settling.left(projection)
    assert left >= 15 * APART / 2
    assert settling.left(other) == 0


def test_frequent_words_settle_long_before_the_anchors_do():
    """On the sample, C changes by 4e-4 in the fifteenth projection, and no anchor is the last."""
    corpus = ch.sample_corpus(max_features=1500)
    pairs = cooccurrence(ch.Alone(corpus), pairing=Pairing(by_length=True))
    candidates = candidate_words(pairs.document_frequencies, pairs.kept, 0.02)

    def after(**settings):
        left = Settling(5, candidates).left
        found = alternate(pairs.matrix, 5, left=left, **settings)
        return found, {int(g[0]) for g in pivoted_qr(Conditional(found.matrix), 5, candidates)[0]}

    fifteen, early = after(max_iter=15, tol=0.0)
    _, last = after(max_iter=400, tol=0.0)
    settled, found = after(max_iter=400, tol=0.005)
    assert alternate(pairs.matrix, 5, max_iter=15, tol=0.0).changes[-1] < 1e-3
    assert len(early & last) <= 1
    assert fifteen.changes[-1] > 0.01
    assert len(found & last) >= 4
    assert 15 < settled.n_iter < 400
    assert settled.projected.converged


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(60, 0.1), 6)
    weights = rng.dirichlet(np.full(6, 0.2), 300)
    return np.array([rng.multinomial(40, words) for words in weights @ topics])


def warned(rows, **settings):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = ch.AnchorWords(6, refine=0, random_state=0, **settings).fit(rows)
    return model, [each for each in caught if issubclass(each.category, ConvergenceWarning)]


def test_projections_that_run_out_are_told(rows):
    model, (warning,) = warned(rows, max_iter=4, tol=1e-3)
    assert model.n_iter_ == 4
    assert model.objective_[-1] > 1e-3
    assert warning.filename == __file__
    assert isinstance(warning.message, ChathamWarning)
    assert str(warning.message).startswith(
        "AnchorWords took all its 4 projections and its anchors hadn't settled to tol=0.001; "
    )


def test_projections_that_settle_or_are_asked_for_are_not(rows):
    model, told = warned(rows, max_iter=1000, tol=0.05)
    assert not told
    assert model.n_iter_ < 1000
    assert model.objective_[-1] <= 0.05 < model.objective_[-2]
    model, told = warned(rows, max_iter=7, tol=0)
    assert model.n_iter_ == 7
    assert not told
    for rectify in ("none", "diagonal"):
        assert not warned(rows, rectify=rectify, max_iter=1)[1]
