"""LDA finds what was planted, alone, in shards and among holders."""

from unittest import SkipTest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.utils.estimator_checks import parametrize_with_checks

from chatham.commons import Alone, Recorded, Simulated
from chatham.errors import InputError
from chatham.learners.lda.lda import LDA, mean_topics
from chatham.learners.lda.steps import count_start, sweep_documents
from chatham.learners.progress import listening
from chatham.numerics.dirichlet import log_likelihood
from tests.conftest import excused, matched_distance, plant, split


@pytest.fixture(scope="module")
def small():
    """Counts, topics and weights of a planted corpus."""
    return plant(n=300, seed=1)


def bits_of(learner):
    names = ("components_", "alpha_", "beta_", "prevalence_", "objective_")
    return [np.asarray(getattr(learner, name)).tobytes() for name in names]


def completion(learner, counts):
    """Log-likelihood per word of the second half of each document, given the first."""
    first = np.random.default_rng(0).binomial(counts.toarray().astype(int), 0.5)
    p = learner.transform(first) @ learner.components_
    second = counts.toarray() - first
    return (second * np.log(p)).sum() / second.sum()


def test_planted_topics_are_recovered(small):
    counts, topics, weights = small
    lda = LDA(5, max_iter=150, random_state=0).fit(counts)
    assert matched_distance(lda.components_, topics) < 0.25
    assert matched_distance(lda.transform(counts).T / 300, weights.T / 300) < 0.05
    np.testing.assert_allclose(lda.components_.sum(axis=1), 1)
    assert lda.objective_[-1] > lda.objective_[0]
    assert lda.n_iter_ == 150
    assert len(lda.objective_) == 15


def test_prevalence_is_the_average_weight(small):
    counts, _, weights = small
    lda = LDA(5, max_iter=100, random_state=0).fit(counts)
    np.testing.assert_allclose(lda.prevalence_, np.sort(weights.mean(axis=0))[::-1], atol=0.03)
    empty = lda.transform(np.zeros((1, counts.shape[1])))
    np.testing.assert_allclose(empty[0], lda.prevalence_)


def test_topics_are_the_mean_of_eq_1_19():
    counts, beta = np.float32([[2, 0], [1, 3]]), np.array([0.5, 0.25])
    expected = [[2.5 / 3.75, 1.25 / 3.75], [0.5 / 3.75, 3.25 / 3.75]]
    np.testing.assert_allclose(mean_topics(counts, beta), expected)


@pytest.mark.parametrize("shards", [1, 4])
def test_one_holder_is_alone_to_the_bit(small, shards):
    alone = LDA(5, shards=shards, max_iter=70, random_state=2).fit(Alone(small[0]))
    one = LDA(5, shards=shards, max_iter=70, random_state=2).fit(Simulated([small[0]]))
    assert bits_of(alone) == bits_of(one)


@pytest.mark.parametrize("shards", [1, 4])
def test_threads_and_a_second_fit_change_no_bit(small, shards):
    lda = LDA(5, shards=shards, max_iter=70, random_state=2).fit(small[0])
    first, weights = bits_of(lda), lda.transform(small[0])
    assert bits_of(lda.fit(small[0])) == first
    threaded = LDA(5, shards=shards, max_iter=70, random_state=2, n_jobs=2).fit(small[0])
    assert bits_of(threaded) == first
    np.testing.assert_array_equal(threaded.transform(small[0]), weights)


def test_shards_and_seeds_change_the_draws_but_not_the_quality(small):
    counts, topics, _ = small
    fits = [LDA(5, shards=s, max_iter=150, random_state=r) for s, r in ((1, 0), (1, 1), (4, 0))]
    for lda in fits:
        assert matched_distance(lda.fit(counts).components_, topics) < 0.25
    assert len({lda.components_.tobytes() for lda in fits}) == 3
    assert fits[2].objective_[-1] == pytest.approx(fits[0].objective_[-1], rel=0.01)


@pytest.mark.parametrize("holders", [3, 9])
def test_holders_predict_held_out_words_as_well_as_pooled(holders):
    counts = plant(n=900, seed=3)[0]
    train, test = counts[:600], counts[600:]
    pooled = LDA(5, max_iter=150, random_state=0).fit(train)
    apart = LDA(5, max_iter=150, random_state=0).fit(Simulated(split(train, holders)))
    assert completion(apart, test) == pytest.approx(completion(pooled, test), rel=0.01)


def test_a_holder_without_documents_changes_nothing(small):
    counts = small[0]
    alone = LDA(5, max_iter=30, shards=2, random_state=0).fit(counts)
    joined = LDA(5, max_iter=30, shards=2, random_state=0).fit(Simulated([counts, counts[:0]]))
    assert bits_of(alone) == bits_of(joined)


def test_one_sum_a_sweep_and_nothing_grows_with_the_documents():
    ledgers = []
    for n in (60, 240):
        commons = Recorded(Simulated(split(plant(n=n)[0], 3)))
        LDA(4, max_iter=12, random_state=0).fit(commons)
        ledgers.append([(e.round, e.statistic, e.shape) for e in commons.ledger])
    assert ledgers[0] == ledgers[1]
    sweeps = [entry for entry in ledgers[0] if entry[1].endswith("sweep_documents")]
    assert len({round_ for round_, *_ in sweeps}) == 12
    assert [shape for *_, shape in sweeps[:5]] == [(60, 4), (4,), (), (), (4,)]


def test_tomotopy_agrees(small):
    tomotopy = pytest.importorskip("tomotopy")
    counts, _, _ = small
    model = tomotopy.LDAModel(k=5, alpha=0.2, eta=0.05, seed=1)
    model.optim_interval = 0
    dense = counts.toarray()
    for row in dense:
        model.add_doc([str(j) for j in np.repeat(np.arange(60), row)])
    model.train(200, workers=1)
    names = [int(word) for word in model.used_vocabs]
    topics = np.zeros((5, 60))
    topics[:, names] = [model.get_topic_word_dist(t) for t in range(5)]
    by_word, by_document = np.zeros((60, 5), np.float32), np.zeros((300, 5))
    for i, document in enumerate(model.docs):
        np.add.at(by_word, ([names[w] for w in document.words], list(document.topics)), 1)
        by_document[i] = np.bincount(document.topics, minlength=5)
    theirs = log_likelihood(by_word, np.full(60, 0.05))
    theirs += log_likelihood(np.float32(by_document.T), np.full(5, 0.2))
    lda = LDA(5, alpha=0.2, beta=0.05, learn_priors=False, max_iter=200, random_state=0).fit(counts)
    assert lda.objective_[-1] == pytest.approx(theirs / dense.sum(), rel=0.005)
    assert matched_distance(lda.components_, topics) < 0.15


def test_several_samples_are_averaged(small):
    one = LDA(5, max_iter=100, burn_in=20, random_state=0).fit(small[0])
    many = LDA(5, max_iter=100, burn_in=20, n_samples=6, random_state=0).fit(small[0])
    np.testing.assert_array_equal(one.objective_, many.objective_)
    assert matched_distance(many.components_, small[1]) < matched_distance(
        one.components_, small[1]
    )
    np.testing.assert_allclose(many.components_.sum(axis=1), 1)


def test_a_tolerance_stops_early_and_still_takes_its_samples(small):
    fixed = {"learn_priors": False, "max_iter": 500, "burn_in": 0, "random_state": 0}
    lda = LDA(5, tol=0.05, **fixed).fit(small[0])
    assert lda.n_iter_ < 200
    sampled = LDA(5, tol=0.05, n_samples=3, **fixed).fit(small[0])
    assert sampled.n_iter_ == lda.n_iter_ + 20


def test_every_sweep_is_reported(small):
    heard = []
    with listening(lambda *report: heard.append(report)):
        LDA(3, max_iter=12, random_state=0).fit(small[0])
    assert [report[1] for report in heard] == list(range(1, 13))
    assert [report[1] for report in heard if report[3] is not None] == [2, 12]


def test_a_document_is_transformed_by_itself(small):
    counts = small[0]
    lda = LDA(5, max_iter=30, random_state=0).fit(counts)
    together = lda.transform(counts)
    order = np.random.default_rng(0).permutation(300)
    np.testing.assert_array_equal(lda.transform(counts[order]), together[order])
    np.testing.assert_array_equal(lda.transform(counts[17:18]), together[17:18])


@settings(deadline=None, max_examples=30)
@given(
    hnp.arrays(float, (6, 4), elements=st.sampled_from([0, 0, 0.5, 1, 2.25, 40])),
    st.integers(1, 40),
    st.integers(1, 3),
)
def test_any_counts_give_distributions(counts, k, shards):
    counts[0, 0] += 1
    lda = LDA(k, max_iter=12, burn_in=0, shards=shards, random_state=0).fit(counts)
    for found in (lda.components_, lda.transform(counts)):
        assert np.isfinite(found).all()
        assert found.min() >= 0
        np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-9)
    assert np.isfinite(lda.objective_).all()
    assert np.isfinite(lda.alpha_).all()


def test_a_cell_of_a_million_is_a_million_tokens():
    counts = np.array([[1e6, 0, 3], [0, 2, 1e5]])
    lda = LDA(2, max_iter=12, burn_in=0, random_state=0).fit(counts)
    np.testing.assert_allclose(lda.components_.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"alpha": [1, 2, 3]}, r"'alpha' parameter .* each topic \(2\). Got .* shape \(3,\)"),
        ({"alpha": 0.0}, "'alpha' parameter of LDA must be finite and at least"),
        ({"alpha": -1.0}, "'alpha'"),
        ({"beta": np.ones(3)}, r"'beta' parameter .* each word \(60\)"),
        ({"beta": float("nan")}, "'beta'"),
        ({"shards": 0}, "'shards' parameter of LDA must be a whole number"),
        ({"burn_in": -1}, "'burn_in'"),
        ({"n_samples": 0}, "'n_samples'"),
        ({"n_samples": 40}, "40 samples 10 sweeps apart take 390 sweeps after the burn-in of 50"),
    ],
)
def test_wrong_parameters_are_named(small, settings_, message):
    with pytest.raises(InputError, match=message):
        LDA(2, **settings_).fit(small[0])


def test_a_word_too_frequent_to_count_is_an_error():
    with pytest.raises(InputError, match="Word 1 occurs 16777216 times"):
        LDA(2, max_iter=1).fit(np.array([[1, 2.0**23], [0, 2.0**23]]))


@parametrize_with_checks([LDA(n_components=2, max_iter=12, burn_in=0)])
def test_scikit_learn_checks_pass(estimator, check):
    try:
        check(estimator)
    except SkipTest as why:
        if check.func.__name__ != "check_array_api_input":  # of arrays other than numpy's
            raise
        excused(str(why))


def test_given_topics_are_where_the_chain_begins(small):
    """From the planted topics a sweep or two is enough; from random ones it is not."""
    counts, topics, _ = small
    k = len(topics)
    near = LDA(k, init=topics, max_iter=2, random_state=0).fit(counts)
    far = LDA(k, max_iter=2, random_state=0).fit(counts)
    assert matched_distance(topics, near.components_) < 0.5 * matched_distance(
        topics, far.components_
    )
    threaded = LDA(k, init=near, max_iter=2, random_state=0, n_jobs=2).fit(counts)
    alone = LDA(k, init=near, max_iter=2, random_state=0).fit(counts)
    assert (threaded.components_ == alone.components_).all()


def test_topics_to_begin_from_must_fit(small):
    with pytest.raises(InputError, match="'init' parameter of LDA"):
        LDA(2, init=np.ones((3, 4))).fit(small[0])
    with pytest.raises(InputError, match="'init' parameter of LDA"):
        LDA(2, init="spectral").fit(small[0])


@pytest.mark.parametrize("number", [1, 2, 3])
def test_no_sweep_repeats_the_draws_of_a_given_start(number):
    k, counts = 4, np.random.default_rng(0).integers(1, 5, (30, 20))
    alone, even = Alone(counts), np.full(20, 1e6)  # every topic as probable for every token
    total = alone.sum(count_start, k, 1, 0, np.full((k, 20), 1 / 20), np.full(k, 1e6))
    started = alone._memory["assignments"].copy()
    alone.sum(sweep_documents, total, np.full(k, 1e6), even, 1, number, False)
    same = (alone._memory["assignments"] == started).mean()
    assert same == pytest.approx(1 / k, abs=0.06)  # by chance; 1 of them if numbers repeat
