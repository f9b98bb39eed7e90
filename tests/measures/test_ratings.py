"""Errors over known cells: against a plain computation, and against biases that were planted."""

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Memory, Simulated
from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.ratings import MAE, RMSE, _split_at

N, D = 80, 30
WORDS = [f"film {j:02}" for j in range(D)]


@pytest.fixture(scope="module")
def ratings():
    rng = np.random.default_rng(1)
    full = 1 + rng.gamma(2.0, 0.5, (N, 2)) @ rng.gamma(2.0, 0.5, (2, D))
    rows, columns = np.nonzero(rng.random(full.shape) < 0.6)
    return sp.csr_array((full[rows, columns], (rows, columns)), shape=full.shape)


@pytest.fixture(scope="module")
def model(ratings):
    return ch.fit("nmf", ratings, vocabulary=WORDS, n_components=2, constraint="none",
                  missing="unobserved", max_iter=300, random_state=0,
                  l2_weights=0.01, l2_topics=0.01)  # fmt: skip


def score(model, rows, measure, **where):
    table = ch.evaluate(model, rows, measures=[measure], **where)
    return table["value"][0], table["settings"][0]


def biases(seen, mean):
    """The same baseline, written down as a loop over cells."""
    cells = list(zip(*sp.find(seen), strict=True))
    word, document = np.zeros(seen.shape[1]), np.zeros(seen.shape[0])

    def own():
        for u in range(seen.shape[0]):
            left = [r - mean - word[i] for v, i, r in cells if v == u]
            document[u] = sum(left) / (15 + len(left))

    for _ in range(10):
        own()
        for j in range(seen.shape[1]):
            left = [r - mean - document[u] for u, i, r in cells if i == j]
            word[j] = sum(left) / (10 + len(left))
    own()
    return word, document


def test_in_sample_it_is_the_error_of_the_known_cells(ratings, model):
    fit = model.estimator.transform(ratings) @ model.estimator.components_
    rows, columns, values = sp.find(ratings)
    errors = values - fit[rows, columns]
    rmse, notes = score(model, ratings, "rmse")
    assert rmse == pytest.approx(np.sqrt(np.mean(errors**2)), rel=1e-9)
    assert score(model, ratings, "mae")[0] == pytest.approx(np.mean(np.abs(errors)), rel=1e-9)
    assert (notes["cells"], notes["documents"], notes["left_out"]) == (len(values), N, 0)
    assert score(model, ratings, RMSE(scale=2.0))[0] == pytest.approx(rmse / 2)


def test_the_baseline_is_mean_and_biases(ratings, model):
    word, document = biases(ratings, ratings.data.mean())
    rows, columns, values = sp.find(ratings)
    errors = values - ratings.data.mean() - word[columns] - document[rows]
    assert score(model, ratings, "rmse")[1]["baseline"] == pytest.approx(
        np.sqrt(np.mean(errors**2))
    )
    assert score(model, ratings, "mae")[1]["baseline"] == pytest.approx(np.mean(np.abs(errors)))


def test_hidden_cells_are_predicted_from_the_others(ratings, model):
    """Cells of rank two that weren't looked at come back; biases can't know them so well."""
    value, notes = score(model, None, "rmse_held_out", held_out=ratings)
    assert 0 < value < 0.1 * ratings.data.std()
    assert value < 0.5 * notes["baseline"]
    assert notes["cells"] == pytest.approx(0.2 * len(ratings.data), rel=0.2)
    again = score(model, None, RMSE(held_out=True, seed=1), held_out=ratings)[0]
    assert again != value
    assert again == pytest.approx(value, rel=1.0)


def test_hidden_cells_are_not_seen_by_what_predicts_them(model):
    """Where ratings are nothing but noise, who sees them predicts them and nobody else can."""
    rng = np.random.default_rng(3)
    noise = sp.csr_array(rng.uniform(1, 5, (N, D)) * (rng.random((N, D)) < 0.5))
    measure = RMSE(held_out=True, hidden=0.8)  # so few are seen that two factors could tell them
    value, notes = score(model, None, measure, held_out=noise)
    in_sample, _ = score(model, noise, "rmse")
    assert value > 1.1 * in_sample
    # By hand: the weights that the seen cells give, and errors at the others.
    split = _split_at(noise, Memory(), as_subject(model), 0.8, 0)
    fitted = model.estimator.transform(split.seen) @ model.estimator.components_
    rows, columns, values = sp.find(split.hidden)
    assert not split.seen.multiply(split.hidden).nnz
    assert value == pytest.approx(np.sqrt(np.mean((values - fitted[rows, columns]) ** 2)))
    assert notes["cells"] == len(values)


def test_biases_alone_are_found_by_the_baseline():
    rng = np.random.default_rng(0)
    planted = 5 + rng.normal(0, 1, (200, 1)) + rng.normal(0, 1, (1, 60))
    full = sp.csr_array(np.maximum(planted, 0.1))
    model = ch.fit("nmf", full, vocabulary=[f"w{j}" for j in range(60)], n_components=1,
                   constraint="none", missing="unobserved", random_state=0)  # fmt: skip
    for measure in (RMSE(held_out=True), MAE(held_out=True)):
        assert score(model, None, measure, held_out=full)[1]["baseline"] < 0.3


@pytest.mark.parametrize("measure", [RMSE(), MAE(), RMSE(held_out=True), MAE(held_out=True)])
def test_several_holders_have_the_same_error(ratings, model, measure):
    parts = Simulated([ratings[:10], ratings[10:11], ratings[11:]])
    kind = "held_out" if measure.held_out else "corpus"
    alone = ch.evaluate(model, measures=[measure], **{kind: ratings})
    together = ch.evaluate(model, measures=[measure], **{kind: parts})
    assert together["value"][0] == pytest.approx(alone["value"][0], rel=1e-12)
    baselines = [table["settings"][0]["baseline"] for table in (alone, together)]
    assert baselines[1] == pytest.approx(baselines[0], rel=1e-12)


def test_sums_over_single_items_dont_cross_unless_all_know(ratings, model):
    parts = [ratings[:40], ratings[40:]]
    usual = ch.Recorded(Simulated(parts, secure=True))
    table = ch.evaluate(model, usual, measures=["rmse"])
    assert table["settings"][0]["baseline"] is None
    assert all(max(entry.shape, default=1) < D for entry in usual.ledger)
    known = ch.evaluate(model, Simulated(parts, secure=True, exact_totals=True), measures=["rmse"])
    assert known["settings"][0]["baseline"] > 0


def test_stored_zeros_are_ratings(model):
    zeros = sp.csr_array((np.zeros(6), ([0] * 3 + [1] * 3, [0, 1, 2] * 2)), shape=(2, D))
    value, notes = score(model, zeros, "mae")
    assert notes["cells"] == 6
    assert value == pytest.approx(0.0, abs=1e-9)


def test_other_measures_of_documents_are_not_for_ratings(ratings, model):
    table = ch.evaluate(model, ratings, held_out=ratings)
    assert {"rmse", "rmse_held_out", "mae", "mae_held_out"} <= set(table["measure"])
    for measure in ("frobenius", "log_likelihood_held_out", "completion", "perplexity"):
        assert "to this model is unknown" in str(table.attrs["skipped"][measure])
    usual = ch.fit("nmf", ratings, vocabulary=WORDS, n_components=2, random_state=0)
    with pytest.raises(InputError, match=r"rmse.*missing='unobserved'"):
        ch.evaluate(usual, ratings, measures=["rmse"])


@pytest.mark.parametrize("wrong", [{"hidden": 0}, {"hidden": 1}, {"scale": 0}, {"seed": -1}])
def test_settings_are_checked(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        RMSE(**wrong)
