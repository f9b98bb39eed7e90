"""SVD between parties by default: what is told, and how near it comes to the exact one."""

import warnings

import numpy as np
import pytest

import chatham as ch
from chatham.learners.svd import gram_image, noise_value
from chatham.notes import IgnoredParametersWarning
from chatham.numerics.eigen import leading
from tests.conftest import plant, split

SECRETS = [b"one", b"two", b"three"]


def between(rows, **more):
    return ch.Simulated(split(rows, 3), secure=True, secrets=SECRETS, **more)


def documents(n=900, d=150):
    return plant(n=n, d=d, k=6, length=120, seed=0)[0]


def explained(model, rows):
    """The share of the best directions' squared singular values that the model's have."""
    largest = np.linalg.svd(rows.toarray(), compute_uv=False)[: len(model.components_)]
    return float(((rows @ model.components_.T) ** 2).sum() / (largest**2).sum())


def test_five_products_are_all_that_is_told():
    commons = ch.Recorded(between(documents()))
    model = ch.SVD(4, random_state=0).fit(commons)
    told = [(entry.statistic.rsplit(".", 1)[1], entry.shape) for entry in commons.ledger]
    assert told == [
        ("size_of_rows", (2,)),
        ("size_of_rows", (3,)),
        *[("gram_image", (150, 14))] * 5,
    ]
    assert model.n_iter_ == 5


@pytest.mark.parametrize("sums", ["secure", "normed"])
def test_directions_are_nearly_the_best(sums):
    rows = documents()
    for seed in range(3):
        model = ch.SVD(4, sums=sums, random_state=seed).fit(between(rows))
        assert explained(model, rows) > 0.97
        products = model.components_ @ model.components_.T
        np.testing.assert_allclose(products, np.eye(4), atol=1e-9)
        if sums == "secure":
            largest = np.linalg.svd(rows.toarray(), compute_uv=False)[:4]
            np.testing.assert_allclose(model.singular_values_, largest, rtol=0.03)
        else:
            assert model.n_iter_ == 20


@pytest.mark.parametrize("sums", ["secure", "normed"])
def test_every_product_has_noise_and_the_same_keys_give_the_same(sums):
    rows = documents(n=300)

    def fitted(secrets=SECRETS, **more):
        commons = ch.Simulated(split(rows, 3), secure=True, secrets=secrets, **more)
        return ch.SVD(3, sums=sums, max_iter=3, tol=0, random_state=0).fit(commons).components_

    assert np.array_equal(fitted(), fitted())
    assert not np.array_equal(fitted(), fitted([b"one", b"two", b"other"]))
    exact = fitted(exact_totals=True)
    plain = ch.SVD(3, sums=sums, max_iter=3, tol=0, random_state=0).fit(
        ch.Simulated(split(rows, 3))
    )
    np.testing.assert_allclose(exact, plain.components_, atol=1e-6)
    assert np.abs(fitted() - exact).max() > 1e-3


def test_noise_has_the_deviation_that_is_declared():
    rows, basis = documents(n=300), np.linalg.qr(np.random.default_rng(0).normal(size=(150, 8)))[0]
    deviation = 0.02 * rows.power(2).sum() / 300

    def told(**more):
        return between(rows, **more).sum(gram_image, basis, 1.0, total=2.0**40, noise=deviation)

    noise = told() - told(exact_totals=True)
    assert noise.std() == pytest.approx(deviation * np.sqrt(3), rel=0.1)
    learner, heard = ch.SVD(3, max_iter=2, random_state=0), []

    class Kept(ch.Simulated):
        def _total(self, step, shared, precision):
            heard.append(precision.deviations(1)[0] if step is gram_image else 0.0)
            factors.append(shared[1] if step is gram_image else 1.0)
            return super()._total(step, shared, precision)

    factors = []
    learner.fit(Kept(split(rows, 3), secure=True))
    assert heard[1] / factors[1] == pytest.approx(deviation, rel=1e-6)


def test_noise_alone_stays_below_what_counts_as_a_direction():
    width, passes, d = 12, 5, 400
    rng, largest = np.random.default_rng(0), []
    for _ in range(10):
        start = np.linalg.qr(rng.normal(size=(d, width)))[0]
        _, values = leading(
            lambda basis: rng.normal(size=basis.shape), start, 4, tol=-1.0, depth=8, most=passes
        )
        largest.append(values[0])
    assert max(largest) < noise_value(1.0, width * passes)
    assert max(largest) > 0.8 * noise_value(1.0, width * passes) / 1.15


def test_a_direction_that_noise_may_account_for_is_zero():
    rows = np.zeros((600, 40))
    rows[:300, :3], rows[300:, 3:5] = (3.0, 2.0, 1.0), (1.0, 4.0)  # of rank two
    model = ch.SVD(5, random_state=0).fit(between(rows))
    assert (model.components_[2:] == 0).all()
    assert (model.singular_values_[2:] == 0).all()
    largest = np.linalg.svd(rows, compute_uv=False)[:2]
    np.testing.assert_allclose(model.singular_values_[:2], largest, rtol=0.01)


@pytest.mark.parametrize(("given", "told"), [({}, 0), ({"max_iter": 50}, 1), ({"tol": 1e-3}, 1)])
def test_who_asks_for_more_passes_is_told_that_they_do_not_count(given, told):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ch.SVD(3, random_state=0, **given).fit(between(documents(n=200)))
    of_kind = [w for w in caught if w.category is IgnoredParametersWarning]
    assert len(of_kind) == told
    assert all(w.filename == __file__ for w in of_kind)
    assert not [w for w in caught if "stopped after" in str(w.message)]
