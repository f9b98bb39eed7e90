"""The SVD of rows that stay where they are: against numpy's, over every commons."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import svds

import chatham as ch
from chatham.commons import Simulated
from chatham.errors import InputError, ModelFileError
from chatham.learners.svd import gram_image, measure, room
from chatham.numerics.settled import upright
from tests.conftest import excused, plant, split

pytestmark = pytest.mark.filterwarnings("ignore:.*fewer than 30 documents")

COMMONS = {
    "alone": ch.Alone,
    "simulated": lambda rows: ch.Simulated(split(rows, 3)),
    "secure": lambda rows: ch.Simulated(split(rows, 3), secure=True, exact_totals=True),
    "secure, some empty": lambda rows: ch.Simulated(
        [rows[:0], *split(rows, 2), np.zeros((3, rows.shape[1]))], secure=True, exact_totals=True
    ),
    "secure, few bits": lambda rows: ch.Simulated(
        split(rows, 3), secure=True, exact_totals=True, fraction_bits=10
    ),
}


def rows_of(kind, n=120, d=40):
    rng = np.random.default_rng(4)
    counts = plant(n=n, d=d, k=5)[0].toarray().astype(float)
    return {
        "counts": counts,
        "large counts": counts * 1e5,
        "frequencies": counts / counts.sum(axis=1, keepdims=True) / 1e4,
        "any sign": rng.standard_normal((n, d)) * np.linspace(3, 0.5, d),
    }[kind]


def exact(rows, k):
    _, values, right = np.linalg.svd(rows, full_matrices=False)
    return values[:k], upright(right[:k])


@pytest.mark.parametrize("commons", COMMONS)
@pytest.mark.parametrize("kind", ["counts", "large counts", "frequencies", "any sign"])
@pytest.mark.parametrize("k", [1, 6, 40])
def test_equals_numpys(kind, k, commons):
    rows = rows_of(kind)
    svd = ch.SVD(k, random_state=0).fit(COMMONS[commons](rows))
    values, right = exact(rows, k)
    np.testing.assert_allclose(svd.singular_values_, values, rtol=1e-9)
    np.testing.assert_allclose(svd.components_, right, rtol=0, atol=1e-8)
    np.testing.assert_allclose(svd.prevalence_, values**2 / (values**2).sum(), rtol=1e-9)
    assert svd.objective_[-1] <= svd.tol
    assert len(svd.objective_) == svd.n_iter_ - 1


def test_equals_scipys_on_a_larger_sparse_matrix():
    rng = np.random.default_rng(0)
    rows = sp.random_array((900, 700), density=0.02, rng=rng, format="csr")
    rows = sp.csr_array(rows @ sp.diags_array(np.linspace(2, 0.1, 700)))
    svd = ch.SVD(12, random_state=3).fit(rows)
    _, values, right = svds(rows, k=12, tol=1e-13)
    order = np.argsort(-values)
    np.testing.assert_allclose(svd.singular_values_, values[order], rtol=1e-9)
    np.testing.assert_allclose(svd.components_, upright(right[order]), rtol=0, atol=1e-8)
    assert svd.n_iter_ < 60


@pytest.mark.parametrize("commons", [name for name in COMMONS if "few bits" not in name])
def test_one_vector_at_a_time_finds_the_same_directions(commons):
    rows = rows_of("any sign")[:, :12] * 2.0 ** -np.arange(12)
    svd = ch.SVD(4, sums="normed", tol=1e-9, random_state=0).fit(COMMONS[commons](rows))
    np.testing.assert_allclose(svd.components_, exact(rows, 4)[1], rtol=0, atol=1e-8)
    assert svd.singular_values_.shape == (0,)
    assert svd.prevalence_.tolist() == [0.25] * 4


def test_with_normed_sums_no_sum_of_images_crosses_but_their_directions():
    asked = []

    class Normed(Simulated):
        def normed_sum(self, step, *shared, noise=0.0):
            asked.append(step)
            self.within = True
            direction = super().normed_sum(step, *shared, noise=noise)
            self.within = False
            return direction

        def _total(self, step, shared, precision):
            assert step is not gram_image or self.within
            return super()._total(step, shared, precision)

    svd = ch.SVD(3, sums="normed", random_state=0).fit(Normed(split(rows_of("counts"), 3)))
    assert set(asked) == {gram_image}
    assert len(asked) == 3 * len(svd.objective_) == 3 * svd.n_iter_


@pytest.mark.parametrize("commons", COMMONS)
@pytest.mark.parametrize("sums", ["secure", "normed"])
def test_directions_beyond_the_rank_are_zero(sums, commons):
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((30, 3)) * [4, 2, 1] @ rng.standard_normal((3, 15))
    if (sums, commons) == ("normed", "secure, few bits"):
        excused("ten bits of noise are a rank of their own")
    svd = ch.SVD(6, sums=sums, random_state=0, tol=1e-9).fit(COMMONS[commons](rows))
    values, right = exact(rows, 3)
    np.testing.assert_allclose(svd.components_[:3], right, rtol=0, atol=1e-8)
    assert not svd.components_[3:].any()
    assert not svd.transform(rows)[:, 3:].any()
    if sums == "secure":
        np.testing.assert_allclose(svd.singular_values_, [*values, 0, 0, 0], rtol=1e-9)


def test_one_document_and_more_directions_than_words():
    row = np.array([[3.0, -4.0, 0.0]])
    for commons in (
        ch.Alone(row),
        ch.Simulated([row[:0], row, row[:0]], secure=True, exact_totals=True),
    ):
        svd = ch.SVD(5, random_state=0).fit(commons)
        np.testing.assert_allclose(svd.singular_values_, [5, 0, 0, 0, 0], atol=1e-12)
        np.testing.assert_allclose(svd.components_[0], [-0.6, 0.8, 0], atol=1e-12)
        assert svd.components_.shape == (5, 3)
        assert not svd.components_[1:].any()


def test_coordinates_are_left_vectors_times_values_and_an_empty_row_has_none():
    rows = rows_of("any sign")
    rows[4] = 0.0
    svd = ch.SVD(7, random_state=0)
    coordinates = svd.fit_transform(rows)
    np.testing.assert_allclose(coordinates, rows @ svd.components_.T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(coordinates, axis=0), svd.singular_values_)
    assert not coordinates[4].any()


TIES = {
    "three equal groups": np.kron(np.eye(3), np.ones((8, 4))),
    "one word each": np.eye(12)[np.arange(60) % 12],
    "one word each, wide": np.eye(60),
}


@pytest.mark.parametrize("corpus", TIES)
@pytest.mark.parametrize("k", [2, 5])
def test_of_equal_values_a_split_does_not_choose_the_vectors(corpus, k):
    rows = TIES[corpus]
    alone = ch.SVD(k, random_state=0).fit(rows)
    nothing = rows[:0]
    for parts in (split(rows, 3), [nothing, *split(rows, 2)], [rows[i : i + 1] for i in range(12)]):
        if len(parts) == 12:
            parts.append(rows[12:])
        for secure in (False, True):
            commons = ch.Simulated(parts, secure=secure, exact_totals=True)
            apart = ch.SVD(k, random_state=0).fit(commons)
            np.testing.assert_allclose(apart.components_, alone.components_, atol=1e-9)
    taken = alone.components_[: np.linalg.matrix_rank(rows)]
    np.testing.assert_allclose(taken @ taken.T, np.eye(len(taken)), atol=1e-9)
    np.testing.assert_allclose(
        rows.T @ (rows @ taken.T), taken.T * alone.singular_values_[: len(taken)] ** 2, atol=1e-9
    )


@pytest.mark.parametrize("size", [1e-12, 1e-4, 1.0, 7.0, 1e5, 1e13])
@pytest.mark.parametrize("holders", [1, 3, 10])
def test_the_size_of_the_rows_is_known_to_a_power_of_two(size, holders):
    rows = np.full((holders, 1), np.sqrt(size / holders))
    for secure in (False, True):
        n, filled, mean, scale = measure(ch.Simulated(split(rows, holders), secure=secure), False)
        assert (n, filled) == (holders, holders)
        assert mean == pytest.approx(size / holders, rel=0.01)
        assert size * (1 - 1e-9) <= scale <= 2.001 * size
    measured = measure(ch.Simulated(split(rows, holders), secure=True), True)
    assert size / holders / 4.001 <= measured.mean <= 4.001 * size / holders
    hidden = measured.scale
    assert size <= hidden * (1 + 1e-9)
    assert hidden <= 2 * 16 * size
    assert np.log2(room(holders)) % 1 == 0
    assert room(holders) * holders < 2**60


def test_a_hidden_size_is_told_to_a_power_of_sixteen():
    def told(size, hidden):
        return measure(ch.Alone(np.array([[np.sqrt(size)]])), hidden).scale

    assert [told(size, False) for size in (17.0, 100.0, 255.0)] == [32.0, 128.0, 256.0]
    assert [told(size, True) for size in (17.0, 100.0, 255.0)] == [256.0] * 3


def test_too_few_passes_are_said():
    with pytest.warns(UserWarning, match=r"SVD stopped after .* max_iter"):
        ch.SVD(5, max_iter=2, random_state=0).fit(rows_of("any sign"))


def test_a_fit_as_a_topic_model_is_saved_and_loaded(tmp_path):
    texts = ["wheat corn grain", "corn grain corn", "loan bank debt", "bank debt loan loan"] * 5
    for sums in ("secure", "normed"):
        model = ch.fit("svd", texts, n_components=2, random_state=0, sums=sums)
        assert sorted(model.top_word_lists(3)[0]) in (
            ["bank", "debt", "loan"],
            ["corn", "grain", "wheat"],
        )
        model.save(tmp_path / sums)
        again = ch.load(tmp_path / sums)
        assert np.array_equal(again.topics, model.topics)
        assert np.array_equal(again.estimator.singular_values_, model.estimator.singular_values_)
        assert np.array_equal(again.transform(texts), model.transform(texts))


def test_words_of_a_direction_are_those_of_both_ends():
    rows = np.array([[2.0, 0.0, 1.0], [0.0, 2.0, 1.0]] * 10) + [[0, 0, 0], [0, 0, 0.5]] * 10
    model = ch.fit("svd", rows, vocabulary=["a", "b", "c"], n_components=2, random_state=0)
    assert model.topics.min() < 0
    for topic, words in zip(model.topics, model.top_word_lists(3), strict=True):
        assert words == ["abc"[place] for place in np.argsort(-np.abs(topic))]
    info = model.topic_info()
    assert ((info["effective_words"] >= 1) & (info["effective_words"] <= 3)).all()
    with pytest.raises(InputError, match="directions of svd are none"):
        ch.evaluate(model, rows, measures=["npmi"])


@pytest.mark.parametrize("what", ["components_", "singular_values_"])
def test_a_model_that_is_no_decomposition_is_refused(what, tmp_path):
    model = ch.fit("svd", rows_of("counts"), vocabulary=[f"w{i}" for i in range(40)],
                   n_components=3, random_state=0)  # fmt: skip
    broken = getattr(model.estimator, what).copy()
    broken[0] *= -0.5
    setattr(model.estimator, what, broken)
    with pytest.raises((InputError, ModelFileError), match=r"orthonormal|largest first"):
        model.save(tmp_path / "model")


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="'sums' parameter of SVD must be one of"):
        ch.SVD(2, sums="plain").fit(np.ones((4, 3)))
    with pytest.raises(InputError, match="All 4 documents are empty"):
        ch.SVD(2).fit(np.zeros((4, 3)))
