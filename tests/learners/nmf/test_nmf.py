"""NMF: descent, the published algorithm, and planted answers."""

from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Alone
from chatham.errors import InputError
from chatham.numerics.simplex import least_in_box, least_on_simplex, project
from tests.conftest import matched_distance, plant

SETTINGS = [
    {"constraint": constraint, "schedule": schedule, "init": init, **penalties}
    for schedule in ("block", "interleaved")
    for init in ("random", "nndsvd")
    for constraint, penalties in [
        ("none", {}),
        ("none", {"l1_weights": 0.2, "l2_weights": 0.5, "l1_topics": 0.3, "l2_topics": 0.4}),
        ("none", {"missing": "unobserved", "l2_weights": 0.1, "l2_topics": 0.1}),
        ("simplex", {}),
        ("simplex", {"loss": "relative"}),
        ("none", {"loss": "relative", "l1_weights": 0.3, "l2_weights": 0.1}),
        ("simplex", {"l2_weights": 0.05, "l2_topics": 1.0}),
        ("simplex", {"l2_weights": -0.05, "l2_topics": -1.0}),
        ("simplex", {"l2_weights": -1.0, "l2_topics": -60.0}),
        ("simplex", {"missing": "unobserved", "l2_weights": 0.01}),
    ]
]


def objective(rows, weights, topics, model):
    """The objective from its definition, with everything dense."""
    seen = rows > 0 if model.missing else np.ones_like(rows, dtype=bool)
    norms = (rows**2).sum(axis=1)
    important = 1 / np.where(norms > 0, norms, np.inf) if model.loss == "relative" else 1.0
    errors = (((rows - weights @ topics) * seen) ** 2).sum(axis=1)
    return (
        0.5 * (important * errors).sum()
        + model.l1_weights * (important * weights.sum(axis=1)).sum()
        + model.l1_topics * topics.sum()
        + 0.5 * model.l2_weights * (important * (weights**2).sum(axis=1)).sum()
        + 0.5 * model.l2_topics * (topics**2).sum()
    )


@pytest.mark.filterwarnings("ignore:.*were restarted")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_objective_never_rises(settings, planted):
    model = ch.NMF(5, random_state=2, max_iter=60, tol=0, **settings).fit(planted[0])
    rises = np.diff(model.objective_) > 1e-10 * np.abs(model.objective_[0])
    revived = {iteration for iteration, _ in model.revived_}
    assert {iteration + 1 for iteration in np.flatnonzero(rises)} <= revived
    assert (model.components_.sum(axis=1) > 0).all()


@pytest.mark.filterwarnings("ignore:.*were restarted")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_objective_is_what_it_says(settings, planted):
    counts = planted[0]
    seen = {}

    class Spy(Alone):
        def _total(self, step, shared, precision):
            total = super()._total(step, shared, precision)
            if "weights" in self._memory:
                seen["weights"] = self._memory["weights"].copy()
            return total

    model = ch.NMF(4, random_state=0, max_iter=3, tol=0, **settings).fit(Spy(counts))
    rows = counts.toarray().astype(float)
    if settings["constraint"] == "simplex":
        rows /= np.maximum(rows.sum(axis=1, keepdims=True), 1)
    # Topics are numbered by size at the end; the weights were kept in the order before that.
    candidates = [
        objective(rows, seen["weights"][:, order], model.components_, model)
        for order in map(list, permutations(range(4)))
    ]
    assert min(np.abs(np.array(candidates) - model.objective_[-1])) < 1e-8 * rows.sum()


def residue_iterations(rows, weights, topics, iterations, l2_weights=0.0, l2_topics=0.0):
    """Equations 1.3 and 1.4 to the letter, forming R: general NMF by rank-one residues."""
    weights, topics = weights.copy(), topics.copy()
    for _ in range(iterations):
        for t in range(len(topics)):
            residue = rows - weights @ topics + np.outer(weights[:, t], topics[t])
            weights[:, t] = np.maximum(residue @ topics[t], 0) / (
                topics[t] @ topics[t] + l2_weights
            )
            top = np.maximum(weights[:, t] @ residue, 0)
            topics[t] = top / (weights[:, t] @ weights[:, t] + l2_topics)
    return topics


def test_interleaved_is_equations_1_3_and_1_4():
    counts = plant(n=40, d=20, k=3)[0]
    rows, start = counts.toarray().astype(float), np.random.default_rng(0).random((3, 20))
    expected = residue_iterations(rows, np.zeros((40, 3)), start, 6, 0.3, 0.2)
    model = ch.NMF(
        3,
        constraint="none",
        schedule="interleaved",
        init=start,
        max_iter=6,
        tol=0,
        l2_weights=0.3,
        l2_topics=0.2,
    ).fit(counts)
    order = np.argsort([np.abs(model.components_ - row).sum(1).argmin() for row in expected])
    np.testing.assert_allclose(model.components_, expected[order], atol=1e-10)


def algorithm_2(rows, weights, topics, iterations, l2w, l2t):
    """Algorithm 2 to the letter (with c = ½(‖·‖² + ℓ2) in its Lemma and Corollary)."""
    weights, topics, scale = weights.copy(), topics.copy(), np.ones(len(topics))
    for _ in range(iterations):
        for t in range(len(topics)):
            residue = rows - weights @ topics + np.outer(weights[:, t], topics[t])
            pull, curve = residue @ topics[t], topics[t] @ topics[t] + l2w
            if (pull > 0).any() and curve > 0:
                weights[:, t] = np.maximum(pull, 0) / curve
                if l2w == 0 and l2t == 0:
                    weights[:, t] *= scale[t]
            else:
                weights[:, t] = least_in_box(-pull, curve / 2) if (pull > 0).any() else 0
            residue = rows - weights @ topics + np.outer(weights[:, t], topics[t])
            pull, curve = residue.T @ weights[:, t], weights[:, t] @ weights[:, t] + l2t
            if not (pull > 0).any():
                scale[t], topics[t] = 1, 0
            elif curve > 0:
                scale[t] = (np.maximum(pull, 0) / curve).sum()
                topics[t] = project(np.maximum(pull, 0) / curve)
            else:
                scale[t], topics[t] = 1, least_on_simplex(-pull, curve / 2)
        weights = np.array([project(row) for row in weights])
    return topics


@pytest.mark.parametrize(("l2w", "l2t"), [(0.0, 0.0), (0.01, 0.3), (-0.3, -0.5)])
def test_the_published_step_is_algorithm_2(l2w, l2t):
    counts = plant(n=40, d=20, k=3)[0]
    rows = counts.toarray() / counts.sum(axis=1)[:, None]
    start = np.random.default_rng(0).dirichlet(np.ones(20), 3)
    expected = algorithm_2(rows, np.full((40, 3), 1 / 3), start, 5, l2w, l2t)
    model = ch.NMF(
        3,
        schedule="interleaved",
        weights_step="published",
        init=start,
        max_iter=5,
        tol=0,
        l2_weights=l2w,
        l2_topics=l2t,
    ).fit(counts)
    found = model.components_[np.lexsort(model.components_.T)]
    np.testing.assert_allclose(found, expected[np.lexsort(expected.T)], atol=1e-10)


@pytest.mark.parametrize("schedule", ["block", "interleaved"])
def test_planted_topics_are_recovered(schedule):
    counts, topics, weights = plant(n=1500, length=200, concentration=0.08)
    model = ch.NMF(5, schedule=schedule, random_state=0).fit(counts)
    assert matched_distance(model.components_, topics) < 0.12
    found = model.transform(counts)
    assert matched_distance(found.T / len(found), weights.T / len(weights)) < 0.06


def test_negative_penalties_make_weights_and_topics_sparse(planted):
    counts = planted[0]
    plain = ch.NMF(5, random_state=0).fit(counts)
    few_topics = ch.NMF(5, random_state=0, l2_weights=-0.05).fit(counts)
    few_words = ch.NMF(5, random_state=0, l2_topics=-2.0).fit(counts)

    def used(array):
        return (array > 1e-12).mean()

    assert used(few_topics.transform(counts)) < 0.7 * used(plain.transform(counts))
    assert used(few_words.components_) < 0.9 * used(plain.components_)


def test_a_dead_topic_is_revived_and_said_so():
    counts = plant(n=200, d=30, k=3)[0]
    counts = sp.csr_array(sp.hstack([counts, sp.csr_array((200, 1))]))
    start = ch.NMF(3, constraint="none", random_state=0).fit(counts).components_
    start[2] = 0
    start[2, 30] = 1  # a word that no document has
    with pytest.warns(UserWarning, match="1 of 3 topics were left without documents"):
        model = ch.NMF(3, constraint="none", init=start).fit(counts)
    assert len(model.revived_) == 1
    assert model.revived_[0][0] == 1
    assert model.components_[:, 30].max() == 0
    assert model.objective_[-1] < 0.8 * model.objective_[0]


def test_the_published_step_may_rise_where_ours_does_not(planted):
    settings = {"schedule": "interleaved", "random_state": 0, "max_iter": 40, "tol": 0}
    published = ch.NMF(5, weights_step="published", **settings).fit(planted[0])
    ours = ch.NMF(5, **settings).fit(planted[0])
    assert (np.diff(published.objective_) > 1e-9).any()
    assert (np.diff(ours.objective_) <= 1e-12).all()


def test_relative_loss_of_general_nmf_is_plain_nmf_of_unit_rows():
    counts = plant(n=80, d=25, k=3)[0]
    rows = counts.toarray() / np.linalg.norm(counts.toarray(), axis=1)[:, None]
    settings = {"constraint": "none", "random_state": 0, "max_iter": 30, "tol": 0}
    relative = ch.NMF(3, loss="relative", **settings).fit(counts)
    plain = ch.NMF(3, **settings).fit(rows)
    np.testing.assert_allclose(relative.objective_, plain.objective_, rtol=1e-9)
    np.testing.assert_allclose(relative.components_, plain.components_, atol=1e-9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "relative", "missing": "unobserved"}, "loss='relative'"),
        ({"loss": "squared"}, "loss"),
        ({"constraint": "box"}, "'constraint' parameter of NMF must be one of"),
        ({"schedule": "late"}, "schedule"),
        ({"init": "svd"}, "init"),
        ({"init": np.ones((3, 2))}, r"\(2, 4\)"),
        ({"init": -np.ones((2, 4))}, "at least 0"),
        ({"missing": "zeros"}, "missing"),
        ({"l1_weights": -1.0}, "l1_weights"),
        ({"l2_weights": -1.0, "constraint": "none"}, "l2_weights"),
        ({"l2_topics": -1.0, "missing": "unobserved"}, "negative l2"),
        ({"l1_topics": 0.1}, "l1 norm is always 1"),
        ({"weights_step": "published"}, "interleaved"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(InputError, match=message):
        ch.NMF(2, **settings).fit(np.ones((5, 4)))
