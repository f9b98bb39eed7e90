"""One way in: topics of any learner, documents of any form, and what can't be."""

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Alone
from chatham.errors import InputError
from chatham.learners.inference import METHODS, PADD, inference_by, learn_dual
from chatham.model.infer import infer
from tests.conftest import plant

A = np.eye(5) / 10 + np.full((5, 5), 1 / 50)


@pytest.fixture(scope="module")
def corpus():
    return plant(n=120)


@pytest.mark.parametrize("method", METHODS)
def test_rows_are_weights(method, corpus):
    counts, topics, truth = corpus
    weights = infer(topics, counts, method, correlations=A)
    assert weights.shape == (120, 5)
    assert weights.min() >= 0
    assert weights.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert np.abs(weights - truth).sum(axis=1).mean() < 0.7


@pytest.mark.parametrize("method", METHODS)
def test_the_form_of_the_counts_changes_nothing(method, corpus):
    counts, topics, _ = corpus
    sparse = infer(topics, counts, method, correlations=A)
    assert np.array_equal(infer(topics, counts.toarray(), method, correlations=A), sparse)
    assert infer(topics * 7, counts, method, correlations=A) == pytest.approx(sparse, abs=1e-10)


def test_padd_learns_its_dual_on_the_documents_or_takes_it(corpus):
    counts, topics, _ = corpus
    commons = Alone(counts)
    with commons.fitting():
        dual = learn_dual(commons, topics, A)
    here = infer(topics, counts, "padd", correlations=A)
    assert infer(topics, counts, "padd", dual=dual, correlations=A) == pytest.approx(
        here, abs=1e-11
    )
    few = infer(topics, counts[:5], "padd", dual=dual, correlations=A)
    assert few == pytest.approx(here[:5], abs=1e-11)
    assert np.abs(infer(topics, counts[:5], "padd", correlations=A) - few).max() > 1e-3


def test_prevalence_defaults_to_that_of_the_correlations(corpus):
    counts, topics, _ = corpus
    uneven = A * np.outer(np.arange(1, 6), np.arange(1, 6))
    given = infer(topics, counts, "spi", prevalence=uneven.sum(axis=1) / uneven.sum())
    assert infer(topics, counts, "spi", correlations=uneven) == pytest.approx(given, abs=1e-14)
    assert np.abs(infer(topics, counts, "spi") - given).max() > 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_topics_of_a_fitted_estimator_and_of_a_model(method, corpus):
    counts = corpus[0]
    estimator = ch.PLSA(5, random_state=0, max_iter=20).fit(counts)
    model = ch.TopicModel(estimator, [f"word{place}" for place in range(60)])
    expected = infer(
        estimator.components_, counts, method, prevalence=estimator.prevalence_, correlations=A
    )
    assert np.array_equal(infer(estimator, counts, method, correlations=A), expected)
    assert np.array_equal(infer(model, counts, method, correlations=A), expected)


class Fitted:
    """What an estimator that knows correlations looks like from outside."""

    def __init__(self, topics, dual):
        self.components_, self.prevalence_ = topics, np.full(len(topics), 1 / len(topics))
        self.correlations_, self.dual_ = A, dual


def test_a_models_own_dual_is_used_unless_it_is_all_zeros(corpus):
    counts, topics, _ = corpus
    dual = 0.1 * np.eye(5)
    found = infer(Fitted(topics, dual), counts)
    assert np.array_equal(found, infer(topics, counts, dual=dual))
    learned_here = infer(topics, counts, correlations=A)
    assert np.array_equal(infer(Fitted(topics, dual), counts, correlations=A), learned_here)
    for nothing in (np.zeros((5, 5)), None):
        assert np.array_equal(infer(Fitted(topics, nothing), counts), learned_here)


def test_texts_are_read_by_a_topic_model():
    texts = ["cats purr and cats sleep", "dogs bark", "a dog may bark at cats", "cats sleep"]
    model = ch.fit("plsa", texts, n_components=2, random_state=0)
    weights = infer(model, ["cats sleep", "dogs bark"], "least-squares")
    assert (
        weights.argmax(axis=1).tolist()
        == model.transform(["cats sleep", "dogs bark"]).argmax(axis=1).tolist()
    )


@pytest.mark.parametrize("method", METHODS)
def test_documents_without_words_get_the_prevalence(method, corpus):
    counts, topics, _ = corpus
    with_empty = sp.vstack([counts[:20], sp.csr_array((2, 60)), counts[20:]]).tocsr()
    prevalence = np.array([0.3, 0.3, 0.2, 0.1, 0.1])
    options = {"prevalence": prevalence, "correlations": A}
    weights = infer(topics, with_empty, method, **options)
    assert weights[20:22] == pytest.approx(np.array([prevalence] * 2))
    expected = infer(topics, counts, method, **options)
    assert np.delete(weights, [20, 21], axis=0) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_one_topic_has_all_the_weight(method, corpus):
    counts, topics, _ = corpus
    assert (infer(topics[:1], counts, method, correlations=np.ones((1, 1))) == 1).all()


@pytest.mark.parametrize("method", ["padd", "spi", "least-squares"])
def test_topics_that_are_alike(method, corpus):
    counts, topics, _ = corpus
    twice = np.vstack([topics, topics[:1]])
    weights = infer(twice, counts, method, correlations=np.full((6, 6), 1 / 36) + np.eye(6) / 20)
    assert np.isfinite(weights).all()
    assert weights.sum(axis=1) == pytest.approx(1.0)
    assert weights[:, 0] == pytest.approx(weights[:, 5], abs=1e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"method": "gibbs"}, "method='gibbs': give one of 'padd'"),
        ({"method": "padd"}, "neither they nor a dual were given"),
        ({"method": "padd", "correlations": np.eye(4)}, r"shape \(4, 4\); for 5 topics give"),
        ({"method": "padd", "correlations": np.triu(np.ones((5, 5)))}, "not symmetric"),
        ({"method": "padd", "correlations": np.zeros((5, 5))}, "sum to zero"),
        ({"method": "padd", "correlations": np.full((5, 5), np.nan)}, "NaN or infinity"),
        ({"method": "padd", "dual": np.eye(3)}, r"shape \(3, 3\); for 5 topics give"),
        ({"method": "spi", "prevalence": np.ones(4)}, "must be 5 numbers"),
        ({"method": "spi", "prevalence": -np.ones(5)}, "at least 0"),
        ({"method": "spi", "prevalence": "many"}, "give numbers"),
        ({"method": "tli", "delta": 2.0}, "delta=2.0"),
        ({"method": "tli", "delta": "a"}, "delta='a': .* must be a number"),
        ({"method": "tli", "divisor": 0.0}, "divisor=0.0"),
        ({"method": "tli", "divisor": "a"}, "divisor='a': .* must be a finite number"),
        ({"method": "tli", "divisor": np.inf}, "divisor=inf"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(change, said, corpus):
    counts, topics, _ = corpus
    with pytest.raises(InputError, match=said):
        infer(topics, counts, **change)


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        (np.ones((3, 7)), "60 columns"),
        (np.ones(60), "topics × words"),
        (np.zeros((2, 60)), "Topic 0 .* has no word"),
        (-np.ones((2, 60)), "no negative entry"),
    ],
)
def test_topics_that_are_none(topics, said, corpus):
    with pytest.raises(InputError, match=said):
        infer(topics, corpus[0], "spi")


def test_the_factory_keeps_the_name_and_the_dual():
    made = inference_by("padd", plant()[1], np.full(5, 0.2), dual=0.1 * np.eye(5))
    assert isinstance(made, PADD)
    assert np.array_equal(made.dual, 0.1 * np.eye(5))
