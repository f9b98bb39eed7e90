"""Summaries of weighted NMF: against the same sums, dense and as they are written."""

import copy

import numpy as np
import pytest

import chatham as ch
from chatham.ensembles.bounds import least_error
from chatham.ensembles.coarse import STEP
from tests.ensembles.parts import some_counts

WORDS = [f"w{number}" for number in range(8)]
CASES = [("simplex", "absolute"), ("none", "absolute"), ("none", "relative")]


def weighted_rows(n=60, *, of_rows=True, of_cells=True, seed=0):
    """Counts with weights of their own."""
    counts, rng = some_counts(n, seed=seed).astype(float), np.random.default_rng(seed)
    return ch.Weighted(
        counts,
        sample_weight=rng.uniform(0.3, 1, n) if of_rows else None,
        cell_weight=rng.choice([0.0, 0.2, 1.0], counts.shape, p=[0.1, 0.4, 0.5])
        if of_cells
        else None,
    )


def fitted(rows, constraint="none", loss="absolute", k=2):
    return ch.fit(
        "nmf", rows, vocabulary=WORDS, n_components=k, constraint=constraint, loss=loss,
        random_state=0,
    )  # fmt: skip


def dense(model, rows):
    """The sums of eqs. 2.22 to 2.24 and Corollary 4, with the weights that the model finds."""
    x, n = rows.counts, len(rows.counts)
    psi = np.ones(x.shape) if rows.cell_weight is None else rows.cell_weight.toarray()
    importance = np.ones(n) if rows.sample_weight is None else rows.sample_weight.copy()
    topics, weights = model.estimator.components_, model.estimator.transform(rows)
    seen = x * (psi > 0)
    if model.parameters["constraint"] == "simplex":
        x = seen / seen.sum(axis=1, keepdims=True)
    if model.parameters["loss"] == "relative":
        importance /= (psi * x**2).sum(axis=1)
    counting = importance[:, None] * psi
    left = weights @ topics - x
    grams = np.einsum("is,ij,it->jst", weights, counting, weights)
    return {
        "gram": weights.T @ (importance[:, None] * weights),
        "gradient": weights.T @ (counting * left),
        "errors": (counting * left**2).sum(axis=0),
        "cell_squares": np.einsum("jtt->tj", grams),
        "cell_costs": grams.sum(axis=2).T,
        "squares": (counting * x**2).sum(axis=0),
    }


@pytest.mark.parametrize(("constraint", "loss"), CASES)
@pytest.mark.parametrize("of_cells", [False, True])
def test_exact_sums_are_those_of_the_weighted_problem(constraint, loss, of_cells):
    rows = weighted_rows(of_cells=of_cells)
    model = fitted(rows, constraint, loss)
    summary = ch.publish(model, rows, exact=True)
    expected = dense(model, rows)
    assert summary.by_cell is of_cells
    assert len(summary.vocabulary) == 8
    for name in ("gram", "gradient", "errors", "cell_squares", "cell_costs"):
        if name in summary.statistics:
            scale = abs(expected[name]).max()
            told = summary.statistics[name]
            assert told == pytest.approx(expected[name], rel=1e-9, abs=1e-9 * scale), name
    if not of_cells:
        assert set(summary.statistics) == {"gram", "gradient", "errors"}


def test_unless_asked_for_them_costs_and_gradient_are_on_grids():
    rows = weighted_rows()
    model = fitted(rows)
    summary = ch.publish(model, rows)
    model.estimator = copy.copy(model.estimator)
    model.estimator.components_ = summary.topics  # of nine bits
    expected = dense(model, rows)
    norms = np.linalg.norm(summary.topics, axis=1, keepdims=True)
    usual = expected["squares"].sum() / len(rows.counts)
    assert summary.statistics["steps"] == pytest.approx(STEP * usual / norms[:, 0])
    for name in ("cell_squares", "cell_costs"):
        above = summary.statistics[name] - expected[name]
        assert (above >= -1e-9).all()  # so that bounds hold
        assert (above <= STEP * usual / norms**2 * (1 + 1e-9)).all()
        assert above.max() > 0.01
    off = abs(summary.statistics["gradient"] - expected["gradient"])
    assert (off <= 0.501 * STEP * usual / norms).all()


def test_a_row_of_weight_two_is_two_rows():
    counts = some_counts(40)
    model = fitted(ch.Weighted(counts))
    twice = ch.publish(model, ch.Weighted(counts, sample_weight=np.full(40, 2.0)), exact=True)
    doubled = ch.publish(model, np.vstack([counts, counts]), exact=True)
    for name, array in doubled.statistics.items():
        assert twice.statistics[name] == pytest.approx(array, rel=1e-9, abs=1e-9)
    assert twice.sizes == pytest.approx(doubled.sizes)
    assert twice.topics.tolist() == doubled.topics.tolist()


def test_weights_of_one_publish_what_none_publish():
    counts = some_counts()
    model = fitted(counts)
    plain = ch.publish(model, counts, exact=True)
    ones = ch.publish(model, ch.Weighted(counts, sample_weight=np.ones(60)), exact=True)
    for name, array in plain.statistics.items():
        assert np.array_equal(ones.statistics[name], array)
    cells = ch.publish(model, ch.Weighted(counts, cell_weight=np.ones((60, 8))), exact=True)
    costs = plain.statistics["gram"].sum(axis=1)
    assert cells.statistics["cell_costs"] == pytest.approx(np.tile(costs, (8, 1)).T)


def test_several_holders_publish_what_one_does():
    rows = weighted_rows(90)
    model = fitted(rows)
    psi = rows.cell_weight.toarray()
    parts = [
        ch.Weighted(rows.counts[p::3], sample_weight=rows.sample_weight[p::3],
                    cell_weight=psi[p::3])
        for p in range(3)
    ]  # fmt: skip
    alone, together = (ch.publish(model, each) for each in (rows, ch.Simulated(parts)))
    for name, array in alone.statistics.items():
        assert together.statistics[name] == pytest.approx(array, abs=1e-9 * abs(array).max())


@pytest.mark.parametrize("weights", ["thesis", "gram"])
@pytest.mark.parametrize("exact", [False, True])
def test_a_merge_counts_what_counts_and_its_bound_holds(weights, exact):
    """Of two parties one is sure of the first words alone, and the other of the last."""
    sure = np.where(np.arange(8) < 4, 1.0, 0.05), np.where(np.arange(8) < 4, 0.05, 1.0)
    rows = [
        ch.Weighted(some_counts(80, seed=seed).astype(float), cell_weight=np.tile(psi, (80, 1)))
        for seed, psi in enumerate(sure)
    ]
    summaries = [
        ch.publish(fitted(each), each, name=name, exact=exact)
        for each, name in zip(rows, ("North", "South"), strict=True)
    ]
    merged = ch.merge(summaries, 2, weights=weights)
    for number, each in enumerate(rows):
        true = least_error(each, merged.estimator.components_)
        bound = merged.bounds["bound"][number]
        assert true <= bound
        assert bound <= merged.bounds["own"][number] * (1.5 if exact else 4)
    # Where a party is sure, the merged topics are nearer to its own than to the other's.
    first, last = np.arange(8) < 4, np.arange(8) >= 4
    north, south = (each.topics for each in summaries)
    assert distance(merged.topics, north, first) < distance(merged.topics, south, first)
    assert distance(merged.topics, south, last) < distance(merged.topics, north, last)


def distance(merged, own, words):
    """How far a party's topics are from the nearest merged ones, over some words."""
    shapes = [each[:, words] / each.sum(axis=1, keepdims=True) for each in (merged, own)]
    return abs(shapes[0][:, None] - shapes[1][None]).sum(axis=2).min(axis=0).sum()


def test_a_topic_that_one_document_outweighs_is_left_out():
    """Eight documents carry it, of which one weighs as much as hundreds; its words are in many."""
    rng = np.random.default_rng(0)
    first = rng.poisson([30.0, 30, 30, 2, 2, 2], (40, 6)) + 1.0
    second = rng.poisson([2.0, 2, 2, 30, 30, 30], (8, 6)) + 1.0
    counts, words = np.vstack([first, second]), list("abcdef")
    for heavy, left in ((1.0, 2), (500.0, 1)):
        rows = ch.Weighted(counts, sample_weight=np.r_[np.full(40, heavy), np.ones(7), heavy])
        model = ch.fit("nmf", rows, vocabulary=words, n_components=2, random_state=0)
        summary = ch.publish(model, rows)
        assert (summary.n_topics, len(summary.vocabulary)) == (left, 6)
