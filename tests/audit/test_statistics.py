"""Each statistic against its definition, computed the long way over all words."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, minimize_scalar

import chatham as ch
from chatham.audit.mechanisms import FitMechanism, Observables, SeenTotal, seen_totals
from chatham.audit.observing import Round
from chatham.audit.statistics import (
    STATISTICS,
    Document,
    applicable,
    documents_at,
    statistics_named,
    values_of,
)
from chatham.audit.unit_box import in_unit_box
from chatham.errors import InputError
from tests.audit.toys import bags

seeds = st.integers(0, 10_000)


def value(name, seen, document):
    return STATISTICS[name](seen, document)


def planted(seed, d=15, k=3, directions=False):
    """Observables of topics or directions, and a document as a dense row and as it is stored."""
    draws = np.random.default_rng(seed)
    if directions:
        topics = np.linalg.qr(draws.normal(size=(d, k)))[0].T
    else:
        topics = draws.dirichlet(np.full(d, 0.3), k)
    row = draws.poisson(0.7, d).astype(float)
    row[draws.integers(d)] += 2
    seen = Observables(
        d, topics, prevalence=draws.dirichlet(np.ones(k)), denominators=draws.random(k) * 9,
        squares=draws.random(k) * 20 if directions else None, frequencies=not directions,
    )  # fmt: skip
    return seen, row, documents_at(sp.csr_array(row[None]), [0])[0]


@given(seeds)
@settings(max_examples=40, deadline=None)
def test_coefficients_are_the_least_squares_in_the_unit_box(seed):
    draws = np.random.default_rng(seed)
    topics, x = draws.normal(size=(4, 9)), draws.normal(size=9)
    reference = lsq_linear(topics.T, x, (0, 1), tol=1e-13).x
    a = in_unit_box(topics @ topics.T, topics @ x)
    np.testing.assert_allclose(a, reference, atol=1e-5)
    # At the optimum the gradient points out of the box, wherever it isn't zero.
    gradient = topics @ (a @ topics - x)
    inside = (a > 0) & (a < 1)
    assert np.abs(gradient[inside]).max(initial=0.0) < 1e-9
    assert (gradient[a == 0] > -1e-9).all()
    assert (gradient[a == 1] < 1e-9).all()


def test_box_with_a_topic_that_is_empty_or_doubled():
    topics = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    a = in_unit_box(topics @ topics.T, topics @ np.array([1.5, 1.0]))
    assert a[0] == 0
    assert a[1] + a[2] == pytest.approx(1.5)


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_statistics_of_topics(seed):
    seen, row, document = planted(seed)
    x = row / row.sum()
    a = lsq_linear(seen.topics.T, x, (0, 1), tol=1e-14).x
    assert value("topic_weights", seen, document) == pytest.approx(a @ seen.denominators, rel=1e-4)
    error = np.square(x - a @ seen.topics).sum()
    assert value("reconstruction_error", seen, document) == pytest.approx(error, abs=1e-8)
    unit = seen.topics / np.linalg.norm(seen.topics, axis=1, keepdims=True)
    distance = np.linalg.norm(unit - x / np.linalg.norm(x), axis=1).min()
    assert value("nearest_topic", seen, document) == pytest.approx(distance, abs=1e-7)
    p, words = seen.prevalence, np.flatnonzero(row)
    expected = -np.inf
    for i in words:
        for j in words:
            if i < j:
                joint = sum(p[t] * seen.topics[t, i] * seen.topics[t, j] for t in range(3))
                marginal = (p @ seen.topics[:, i]) * (p @ seen.topics[:, j])
                expected = max(expected, np.log(joint / marginal))
    if len(words) <= 10:
        assert value("rarest_pairs", seen, document) == pytest.approx(expected, abs=1e-4)


def test_rarest_pairs_are_those_of_the_rarest_words():
    topics = np.full((2, 12), 1 / 12)
    topics[0, :2], topics[1, :2] = 0.3, 0.01
    seen = Observables(12, topics, prevalence=np.array([0.5, 0.5]))
    common = np.ones(12)
    rare_together = Document(np.arange(12), common, np.r_[1.0, 1.0, np.full(10, 50.0)])
    frequent = Document(np.arange(12), common, np.r_[99.0, 99.0, np.full(10, 50.0)])
    assert value("rarest_pairs", seen, rare_together) > value("rarest_pairs", seen, frequent) + 0.3


def test_log_likelihood_is_that_of_the_best_mixture():
    topics = np.array([[0.7, 0.2, 0.1, 0.0], [0.1, 0.1, 0.3, 0.5]])
    row = np.array([3.0, 1.0, 2.0, 1.0])
    document = documents_at(sp.csr_array(row[None]), [0])[0]
    x = row / row.sum()
    best = minimize_scalar(lambda w: -(x @ np.log(np.array([w, 1 - w]) @ topics)),
                           bounds=(0, 1), method="bounded")  # fmt: skip
    assert value("log_likelihood", Observables(4, topics), document) == pytest.approx(
        -best.fun, abs=1e-4
    )


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_statistics_of_correlations_are_those_of_the_whole_matrix(seed):
    seen, x, document = planted(seed, directions=True)
    S = (seen.topics.T * seen.squares) @ seen.topics
    W = np.abs(S * np.outer(x, x))
    D = np.abs(S / np.linalg.norm(S) - np.outer(x, x) / np.linalg.norm(x))
    for family, matrix in (("product", W), ("difference", D)):
        for name, number in (
            ("max", matrix.max()), ("sum", matrix.sum()), ("squares", (matrix**2).sum())
        ):  # fmt: skip
            assert value(f"{family}_{name}", seen, document) == pytest.approx(number, rel=1e-9)


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_statistics_of_transcripts(seed):
    draws = np.random.default_rng(seed)
    d, unit = 8, 2.0**-4
    arrays = [np.rint(draws.normal(size=(d, 2)) / unit) * unit for _ in range(3)]
    extra = np.rint(draws.normal(size=3) / unit) * unit
    rounds = [Round("step", (array, extra), (0, 0), (), (unit, unit)) for array in arrays]
    rounds.insert(1, Round("other", (arrays[0] * 2,), (0,), (), (unit,)))
    row = draws.poisson(1.0, d) + np.eye(d)[0]
    document = documents_at(sp.csr_array(row[None]), [0])[0]
    seen = Observables(d, totals=tuple(seen_totals(rounds, d)))
    x, words = row / np.linalg.norm(row), np.flatnonzero(row)
    products = [x @ array for array in (arrays[0], arrays[0] * 2, *arrays[1:])]
    changes = [x @ (arrays[1] - arrays[0]), x @ (arrays[2] - arrays[1])]
    with_words = [arrays[0] * 2, *arrays]
    everything = np.concatenate([each.ravel() for each in with_words])
    own = np.concatenate([each[words].ravel() for each in with_words])
    expected = {
        "total_projection": max(p.max() for p in products),
        "mean_projection": np.mean([p.sum() for p in products]),
        "quietest_projection": min(
            zip((arrays[0], arrays[0] * 2, *arrays[1:]), products, strict=True),
            key=lambda pair: (pair[0] ** 2).mean(),
        )[1].sum(),
        "change_max": max(np.abs(c).max() for c in changes),
        "change_squares": np.mean([(c**2).mean() for c in changes]),
        "second_moment": np.log((everything**2).mean()),
        "own_second_moment": np.log((own**2).mean()),
        "low_bits": np.mean(np.rint(own / unit) % 2),
    }
    for name, number in expected.items():
        assert value(name, seen, document) == pytest.approx(number), name


def test_every_statistic_is_registered_with_a_sentence_and_its_needs():
    fields = set(Observables.__dataclass_fields__)
    for name, each in STATISTICS.items():
        assert each.name == name
        assert each.meaning.endswith(".")
        assert each.needs
        assert set(each.needs) <= fields


@pytest.mark.filterwarnings("ignore")
def test_which_apply_is_asked_of_what_was_seen():
    rows = bags(40)

    def names(learner, **more):
        return {each.name for each in applicable(FitMechanism(learner, **more)(rows, 0))}

    nmf = names(ch.NMF(3, random_state=0))
    assert {"topic_weights", "log_likelihood", "rarest_pairs"} <= nmf
    assert not {"product_max", "low_bits"} & nmf
    svd = names(ch.SVD(3, random_state=0))
    assert {"product_max", "difference_sum"} <= svd
    assert "topic_weights" not in svd
    normed = ch.SVD(3, sums="normed", random_state=0)
    assert "product_max" not in names(normed)
    assert "product_max" in names(normed, own=[bags(20, seed=4)])
    assert "low_bits" in names(ch.LDA(3, random_state=0, max_iter=3), sees="transcript")
    with pytest.raises(
        InputError, match="no statistic 'topic_weight'; did you mean 'topic_weights'"
    ):
        statistics_named(["topic_weight"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [ch.NMF(3), ch.SVD(3), ch.KMeans(3), ch.PLSA(3, max_iter=5)])
def test_values_are_finite_and_the_same_from_what_is_stored(learner):
    rows = bags(40)
    rows[0] = 0  # an empty document too
    documents = documents_at(rows, [0, 1, 2])
    seen = FitMechanism(learner, sees="transcript")(rows, 0)
    words = np.unique(np.concatenate([each.words for each in documents]))
    for document in documents:
        whole = values_of(applicable(seen), seen, document)
        stored = values_of(applicable(seen), seen.about(words), document)
        assert np.isfinite(whole).all()
        assert whole == stored
        assert whole == [each(seen, document) for each in applicable(seen)]


def test_documents_know_how_rare_their_words_are():
    counts = sp.csr_array(np.array([[2.0, 0, 1], [1, 0, 0], [0, 3, 0]]))
    document = documents_at(counts, [0])[0]
    assert document.words.tolist() == [0, 2]
    assert document.rarity.tolist() == [2, 1]
    np.testing.assert_allclose(document.values(frequencies=True), [2 / 3, 1 / 3])
    assert document.values(frequencies=False).tolist() == [2, 1]


def test_a_total_without_words_is_kept_whole():
    total = SeenTotal(0, "s", 0, np.array([1.0, 3.0]), False, 0.0, 1.0, 2, 10.0)
    seen = Observables(5, totals=(total,)).about(np.array([2]))
    assert seen.totals[0].cells.tolist() == [1.0, 3.0]
