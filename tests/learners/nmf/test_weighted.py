"""NMF where rows and cells don't all count alike (thesis, eqs. 2.22 to 2.24)."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import chatham as ch
from chatham.errors import InputError
from chatham.learners.weighted import Weighted, weighted_cells
from tests.conftest import split

STEADY = pytest.mark.filterwarnings("ignore:.*were restarted", "ignore:NMF took all")


def naive(rows, repeats, psi, topics, iterations, l1w=0.0, l2w=0.0, l1t=0.0, l2t=0.0, weights=None):
    """Weighted rank-one residue iteration, all in dense arrays: topics and objectives."""
    topics = topics.copy()
    weights = np.zeros((len(rows), len(topics))) if weights is None else weights.copy()
    both, objectives = psi * repeats[:, None], []
    for _ in range(iterations):
        for t in range(len(topics)):
            left = rows - weights @ topics + np.outer(weights[:, t], topics[t])
            slope = (psi * left) @ topics[t] - l1w
            curve = psi @ topics[t] ** 2 + l2w
            moved = np.maximum(slope, 0) / np.where(curve > 0, curve, 1)
            weights[:, t] = np.where(curve > 0, moved, weights[:, t])
        for t in range(len(topics)):
            left = rows - weights @ topics + np.outer(weights[:, t], topics[t])
            slope = weights[:, t] @ (both * left) - l1t
            curve = weights[:, t] ** 2 @ both + l2t
            moved = np.maximum(slope, 0) / np.where(curve > 0, curve, 1)
            topics[t] = np.where(curve > 0, moved, topics[t])
        objectives.append(
            0.5 * (both * (rows - weights @ topics) ** 2).sum()
            + l1w * (repeats @ weights).sum() + 0.5 * l2w * (repeats @ weights**2).sum()
            + l1t * topics.sum() + 0.5 * l2t * (topics**2).sum()
        )  # fmt: skip
    return topics, objectives


def cases(psi_values):
    """Rows, weights of rows, weights of cells and topics to start from."""
    shape = st.tuples(st.integers(2, 7), st.integers(2, 6))
    return shape.flatmap(
        lambda nd: st.tuples(
            arrays(float, nd, elements=st.integers(0, 5).map(float)),
            arrays(float, nd[0], elements=st.sampled_from([0.25, 0.5, 1.0, 3.0])),
            arrays(float, nd, elements=st.sampled_from(psi_values)),
            arrays(float, (2, nd[1]), elements=st.sampled_from([0.1, 0.3, 0.7, 1.1])),
        )
    )


def in_order(model):
    """The topics as the algorithm numbered them, before they were ordered by size."""
    return model.components_[np.argsort(model._order)]


@STEADY
@settings(max_examples=150)
@given(
    case=cases([0.1, 0.5, 1.0, 4.0]),
    penalties=st.sampled_from([(0.0, 0.0, 0.0, 0.0), (0.1, 0.2, 0.05, 0.3)]),
)
def test_it_is_the_dense_weighted_residue_iteration(case, penalties):
    rows, repeats, psi, start = case
    rows = rows + 0.5  # no topic dies
    names = ("l1_weights", "l2_weights", "l1_topics", "l2_topics")
    model = ch.NMF(
        2, constraint="none", init=start, max_iter=4, tol=0,
        **dict(zip(names, penalties, strict=True)),
    )  # fmt: skip
    model.fit(rows, sample_weight=repeats, cell_weight=psi)
    topics, objectives = naive(rows, repeats, psi, start, 4, *penalties)
    if not model.revived_:
        np.testing.assert_allclose(in_order(model), topics, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(model.objective_, objectives, rtol=1e-8, atol=1e-9)


@STEADY
@settings(max_examples=60)
@given(
    case=cases([0.0, 0.0, 0.3, 1.0, 4.0]),
    constraint=st.sampled_from(["simplex", "none"]),
    schedule=st.sampled_from(["block", "interleaved"]),
    missing=st.sampled_from([None, "unobserved"]),
)
def test_the_objective_never_rises(case, constraint, schedule, missing):
    rows, repeats, psi, start = case
    psi[:, 0] += 0.1  # something counts in each row
    rows[:, 0] += 1.0
    model = ch.NMF(
        2, constraint=constraint, init=start, schedule=schedule, missing=missing, max_iter=8, tol=0,
        l2_weights=0.01, l2_topics=0.01,
    ).fit(rows, sample_weight=repeats, cell_weight=psi)  # fmt: skip
    falls = np.diff(model.objective_) <= 1e-9 * (1 + model.objective_[:-1])
    falls[[iteration - 1 for iteration, _ in model.revived_ if iteration <= len(falls)]] = True
    assert falls.all()


@pytest.mark.parametrize("what", [np.nan, -2.0])
def test_so_may_a_row_of_no_weight_and_none_that_counts(what, planted):
    counts = planted[0][:20].toarray().astype(float)
    weights = np.r_[np.ones(19), 0.0]
    plain = ch.NMF(2, random_state=0).fit(counts, sample_weight=weights).components_
    counts[19, 3] = what
    other = ch.NMF(2, random_state=0).fit(counts, sample_weight=weights).components_
    np.testing.assert_array_equal(other, plain)
    with pytest.raises(ValueError, match=r"NaN|Negative"):
        ch.NMF(2, random_state=0).fit(counts, sample_weight=np.ones(20))


@STEADY
@settings(max_examples=60)
@given(
    case=cases([0.0, 0.0, 0.5, 1.0]),
    missing=st.sampled_from([None, "unobserved"]),
    constraint=st.sampled_from(["simplex", "none"]),
    what=st.sampled_from([7.0, -1.0, np.nan, np.inf]),
    sparse=st.booleans(),
)
def test_a_cell_of_no_weight_may_hold_anything(case, missing, constraint, what, sparse):
    rows, _, psi, start = case
    rows[:, 0], psi[:, 0] = rows[:, 0] + 1.0, 1.0
    other = np.where(psi > 0, rows, what)
    if sparse:
        rows, other = sp.csr_array(rows), sp.csr_array(other)
    model = ch.NMF(2, constraint=constraint, missing=missing, init=start, max_iter=5, tol=0)
    first = model.fit_transform(rows, cell_weight=psi)
    topics = model.components_.copy()
    np.testing.assert_array_equal(model.fit_transform(other, cell_weight=psi), first)
    np.testing.assert_array_equal(model.components_, topics)


NAMED = {
    "simplex": {},
    "none": {"constraint": "none"},
    "relative": {"loss": "relative"},
    "interleaved": {"schedule": "interleaved"},
    "none random": {"constraint": "none", "init": "random"},
    "penalties": {"constraint": "none", "l1_weights": 0.1, "l2_weights": 0.2, "l2_topics": 0.3},
}


@STEADY
@pytest.mark.parametrize("name", NAMED)
def test_weights_of_one_change_nothing(name, planted):
    rows = planted[0].toarray()[:80]
    learner = ch.NMF(4, random_state=0, max_iter=30, tol=0, **NAMED[name])
    plain = learner.fit(rows)
    topics, objective = plain.components_.copy(), plain.objective_.copy()
    by_row = learner.fit(rows, sample_weight=np.ones(80))
    assert by_row.components_.tobytes() == topics.tobytes()
    by_cell = learner.fit(rows, cell_weight=np.ones(rows.shape))
    np.testing.assert_allclose(by_cell.components_, topics, rtol=0, atol=1e-8)
    np.testing.assert_allclose(by_cell.objective_, objective, rtol=1e-9)
    weights = by_cell.transform(rows, cell_weight=np.ones(rows.shape))
    np.testing.assert_allclose(weights, by_row.transform(rows), rtol=0, atol=1e-6)


@STEADY
@pytest.mark.parametrize("constraint", ["simplex", "none"])
@pytest.mark.parametrize("schedule", ["block", "interleaved"])
def test_weights_of_zero_and_one_are_missing_cells_to_the_bit(constraint, schedule, planted):
    rows = planted[0]
    learner = ch.NMF(
        4, constraint=constraint, schedule=schedule, random_state=0, max_iter=20, tol=0,
        l2_weights=0.1, l2_topics=0.1,
    )  # fmt: skip
    unobserved = learner.set_params(missing="unobserved").fit(rows)
    topics, objective = unobserved.components_.tobytes(), unobserved.objective_.tobytes()
    weights = unobserved.transform(rows).tobytes()
    stored = rows.copy()
    stored.data = np.ones_like(stored.data)
    for missing in (None, "unobserved"):
        same = learner.set_params(missing=missing).fit(rows, cell_weight=stored)
        assert same.components_.tobytes() == topics
        assert same.objective_.tobytes() == objective
        assert same.transform(rows, cell_weight=stored).tobytes() == weights


@STEADY
@pytest.mark.parametrize("settings_", [{}, {"constraint": "none"}, {"loss": "relative"}], ids=str)
def test_a_row_of_weight_two_is_two_rows_and_one_of_none_is_none(settings_, planted):
    rows = planted[0].toarray()[:60]
    repeats = np.arange(60) % 3
    learner = ch.NMF(3, random_state=0, max_iter=40, tol=0, l2_weights=0.01, **settings_)
    weighted = learner.fit(rows, sample_weight=repeats)
    topics, shares, objective = weighted.components_, weighted.prevalence_, weighted.objective_
    repeated = learner.fit(np.repeat(rows, repeats, axis=0))
    np.testing.assert_allclose(repeated.components_, topics, rtol=0, atol=1e-8)
    np.testing.assert_allclose(repeated.prevalence_, shares, rtol=0, atol=1e-8)
    np.testing.assert_allclose(repeated.objective_, objective, rtol=1e-9)


@STEADY
def test_the_same_weight_in_all_cells_of_a_row_is_the_rows_but_for_penalties(planted):
    rows = planted[0].toarray()[:60]
    weight = np.random.default_rng(0).random(60) + 0.1
    learner = ch.NMF(3, init=planted[1][:3], max_iter=30, tol=0)
    by_row = learner.fit(rows, sample_weight=weight).components_.copy()
    by_cell = learner.fit(rows, cell_weight=np.outer(weight, np.ones(rows.shape[1])))
    np.testing.assert_allclose(by_cell.components_, by_row, rtol=0, atol=1e-8)


@pytest.mark.parametrize("constraint", ["simplex", "none"])
def test_what_counts_more_is_explained_better(constraint):
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(8), 40)
    psi = np.where(rng.random(rows.shape) < 0.5, 1.0, 0.01)
    model = ch.NMF(3, constraint=constraint, random_state=0, max_iter=500)
    left = []
    for weights in (None, psi):
        found = model.fit(rows, cell_weight=weights).transform(rows, cell_weight=weights)
        left.append((psi * (rows - found @ model.components_) ** 2).sum())
    assert left[1] < 0.75 * left[0]


def weighted_parts(counts, holders, cells):
    """Each holder's rows with weights of their own, and all of them in one place."""
    parts = []
    for part in split(counts, holders):
        values = 0.2 + 0.8 * (np.asarray(part.sum(axis=1)).ravel() % 5) / 5
        psi = part.copy()
        psi.data = 0.2 + 0.8 / (1.0 + psi.data)
        parts.append(Weighted(part, sample_weight=values, cell_weight=psi if cells else None))
    whole = Weighted(
        sp.vstack([part.counts for part in parts], format="csr"),
        sample_weight=np.concatenate([part.sample_weight for part in parts]),
        cell_weight=sp.vstack([part.cell_weight for part in parts]) if cells else None,
    )
    return parts, whole


WAYS = [{}, {"constraint": "none"}, {"schedule": "interleaved"}, {"missing": "unobserved"}]


@STEADY
@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("cells", [False, True])
@pytest.mark.parametrize("settings_", WAYS, ids=str)
def test_weights_at_each_holder_are_weights_in_one_place(settings_, cells, secure, planted):
    learner = ch.NMF(4, random_state=0, max_iter=30, tol=0, **settings_)
    for holders in (3, 9):
        parts, whole = weighted_parts(planted[0], holders, cells)
        apart = learner.fit(ch.Simulated(parts, secure=secure, exact_totals=secure))
        topics, objective = apart.components_, apart.objective_
        pooled = learner.fit(whole)
        np.testing.assert_allclose(topics, pooled.components_, rtol=0, atol=1e-8)
        np.testing.assert_allclose(objective, pooled.objective_, rtol=1e-8)


@STEADY
@pytest.mark.parametrize("schedule", ["block", "interleaved"])
def test_some_holders_may_have_weights_of_cells_and_others_none(schedule, planted):
    counts = planted[0]
    first, second = counts[:100], counts[100:]
    psi = np.where(np.arange(first.shape[1]) % 2, 1.0, 0.3) * np.ones(first.shape)
    learner = ch.NMF(4, schedule=schedule, random_state=0, max_iter=20, tol=0)
    apart = learner.fit(ch.Simulated([Weighted(first, cell_weight=psi), second])).components_
    together = np.vstack([psi, np.ones(second.shape)])
    pooled = learner.fit(counts, cell_weight=together).components_
    np.testing.assert_allclose(apart, pooled, rtol=0, atol=1e-8)


@STEADY
def test_threads_change_no_bit_and_nothing_grows_with_the_rows(planted):
    ledgers = []
    for n in (60, 240):
        parts, _ = weighted_parts(planted[0][:n], 3, cells=True)
        commons = ch.Recorded(ch.Simulated(parts))
        learner = ch.NMF(4, random_state=0, max_iter=3, tol=0)
        topics = learner.fit(commons).components_.tobytes()
        learner.fit(ch.Recorded(ch.Simulated(parts)))
        assert learner.set_params(n_jobs=3).fit(ch.Simulated(parts)).components_.tobytes() == topics
        ledgers.append([(entry.statistic, entry.shape) for entry in commons.ledger])
    assert ledgers[0] == ledgers[1]


@STEADY
def test_a_start_of_ones_own_goes_on_where_another_fit_stopped(planted):
    rows = planted[0]
    settings_ = {"constraint": "none", "tol": 0, "random_state": 0}
    model = ch.NMF(4, max_iter=500, **settings_).fit(rows)
    weights = model.transform(rows)
    again = ch.NMF(4, init=model.components_, max_iter=1, **settings_)
    assert again.fit(rows).objective_[0] > model.objective_[-1] * (1 + 1e-3)
    again.fit(Weighted(rows, start=weights))
    assert again.objective_[0] <= model.objective_[-1] * (1 + 1e-9)


@given(
    arrays(int, (5, 6), elements=st.integers(0, 3)),
    arrays(int, (5, 6), elements=st.integers(0, 2)),
    st.booleans(),
)
def test_cells_are_those_of_positive_weight(rows, psi, stored):
    cells, weights = weighted_cells(sp.csr_array(rows), sp.csr_array(psi), stored)
    kept = (psi > 0) & ((rows > 0) | (not stored))
    at = np.nonzero(kept)
    assert np.array_equal(cells.tocoo().coords, at)
    assert np.array_equal(cells.data, rows[at])
    assert np.array_equal(weights, psi[at])


def test_the_other_learners_refuse_what_they_would_ignore():
    rows = Weighted(np.ones((6, 3)), sample_weight=np.arange(6.0))
    for learner in (ch.KMeans(2), ch.PLSA(2), ch.LDA(2), ch.SVD(2), ch.AnchorWords(2)):
        for given_rows in (rows, ch.Simulated([rows, rows])):
            with pytest.raises(InputError, match=f"{type(learner).__name__} got rows with weights"):
                learner.fit(given_rows)
    fitted = ch.KMeans(2, random_state=0).fit(np.eye(3))
    for call in (fitted.transform, fitted.score):
        with pytest.raises(InputError, match="NMF alone weights rows"):
            call(rows)


ROWS = np.ones((4, 3))


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"sample_weight": [1, 2]}, r"sample_weight has shape \(2,\) for 4 rows"),
        ({"sample_weight": [1, 2, -1, 0]}, "sample_weight has weights that are negative"),
        ({"sample_weight": [1, 2, np.nan, 0]}, "not finite"),
        ({"sample_weight": ["a", "b", "c", "d"]}, "something else than numbers"),
        ({"sample_weight": np.zeros(4)}, "all zero"),
        ({"cell_weight": np.ones((4, 2))}, r"cell_weight has shape \(4, 2\) for rows of"),
        ({"cell_weight": -ROWS}, "cell_weight has weights that are negative"),
        ({"cell_weight": np.zeros((4, 3))}, "all zero"),
    ],
)
def test_wrong_weights_are_named(weights, says):
    with pytest.raises(InputError, match=says):
        ch.NMF(2).fit(ROWS, **weights)


def test_what_does_not_go_with_weights_is_said():
    rows = Weighted(np.tile(ROWS, (20, 1)), cell_weight=np.tile(2 * ROWS, (20, 1)))
    with pytest.raises(InputError, match="put them with the rows"):
        ch.NMF(2).fit(ch.Alone(ROWS), sample_weight=np.ones(4))
    with pytest.raises(InputError, match="totals are noised"):
        ch.NMF(2).fit(ch.Simulated([rows, rows, rows], secure=True))
    with pytest.raises(InputError, match="at most 1"):
        ch.NMF(2).fit(ch.Simulated([rows, rows, rows], secure=True, exact_totals=True))
    with pytest.raises(InputError, match="weights_step"):
        ch.NMF(2, schedule="interleaved", weights_step="published").fit(rows)
    with pytest.raises(InputError, match="a negative l2 penalty"):
        ch.NMF(2, l2_topics=-0.1).fit(rows)
    with pytest.raises(InputError, match="a start of 3 topic weights"):
        ch.NMF(2, init=np.ones((2, 3))).fit(Weighted(ROWS, start=np.ones((4, 3))))
    with pytest.raises(InputError, match="a start of 2 topic weights"):
        ch.NMF(2).fit(Weighted(ROWS, start=np.ones((4, 2))))
    with pytest.raises(InputError, match="give each row's topic weights"):
        Weighted(ROWS, start=np.ones(4))
