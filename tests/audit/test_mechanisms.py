"""What a coalition sees of a fit is what a session sends, and nothing else."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import chatham as ch
from chatham.audit.mechanisms import (
    FitMechanism,
    Mechanism,
    Observables,
    Overheard,
    are_distributions,
    denominators_of,
    own_squares,
    seen_totals,
)
from chatham.audit.neighbours import CoinFlips
from chatham.audit.observing import Observed, Round
from chatham.audit.samples import Plan
from chatham.audit.sampling import sample
from chatham.errors import InputError
from tests.audit.toys import Constant, bags
from tests.outside.cones import Cones

pytestmark = pytest.mark.filterwarnings("ignore")

LEARNERS = {
    "nmf": ch.NMF(3, random_state=0, max_iter=5),
    "kmeans": ch.KMeans(3, random_state=0, max_iter=5),
    "plsa": ch.PLSA(3, random_state=0, max_iter=5),
    "lda": ch.LDA(3, random_state=0, max_iter=5),
    "svd": ch.SVD(3, random_state=0, max_iter=5),
    "svd normed": ch.SVD(3, sums="normed", random_state=0, max_iter=3),
}


def parts():
    counts = bags(90)
    return [counts[first::3] for first in range(3)]


@pytest.mark.parametrize("name", ["nmf", "kmeans", "plsa", "lda", "svd"])
def test_without_noise_every_total_is_that_of_masked_sums(name):
    secrets = Overheard(parts(), (0,), seed=4, exact_totals=True)._secrets
    masked = Observed(parts(), (0,), secrets=secrets, exact_totals=True)
    bare = Overheard(parts(), (0,), seed=4, exact_totals=True)
    models = [clone(LEARNERS[name]).fit(commons) for commons in (masked, bare)]
    assert len(masked.rounds) == len(bare.rounds) > 3
    for one, other in zip(masked.rounds, bare.rounds, strict=True):
        assert one.step == other.step
        for mine, theirs in zip(one.others, other.others, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(models[0].components_, models[1].components_)


def noised(rows, memory):
    """Nothing but noise."""
    return np.zeros(40_000)


def test_noise_has_the_declared_size_and_is_on_the_grid():
    commons = Overheard([np.ones((5, 2))] * 3, (0,), seed=1, exact_totals=False)
    commons.count()
    commons.sum(noised, noise=0.2)
    commons.sum(noised, noise=0.2)
    first, second = (seen.others[0] for seen in commons.rounds[1:])
    unit, expected = commons.rounds[1].units[0], 0.2 * np.sqrt(2)
    assert commons.rounds[1].noise[0] == pytest.approx(expected)
    assert unit <= 0.2 / 16
    # Two others' rounding adds 2·unit²/12 to the variance; four standard errors.
    variance = expected**2 + unit**2 / 6
    assert np.var(first) == pytest.approx(variance, rel=4 * np.sqrt(2 / 40_000))
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(40_000)
    np.testing.assert_array_equal(first / unit, np.rint(first / unit))


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("exact", [False, True])
def test_the_same_seed_gives_the_same_and_another_gives_other_noise(name, exact):
    mechanism = FitMechanism(LEARNERS[name], others=2, sees="transcript", exact_totals=exact)
    assert isinstance(mechanism, Mechanism)
    one, again, other = (mechanism(bags(40), seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.topics, again.topics)
    for left, right in zip(one.totals, again.totals, strict=True):
        np.testing.assert_array_equal(left.cells, right.cells)
    noisy = any(total.noise > 0 for total in one.totals)
    if noisy:
        assert any(
            not np.array_equal(left.cells, right.cells)
            for left, right in zip(one.totals, other.totals, strict=False)
        )
    if exact:
        assert not noisy


def test_a_learner_without_a_seed_draws_one_for_each_run():
    fixed, free = (
        FitMechanism(ch.SVD(3, random_state=state, max_iter=2), exact_totals=True)
        for state in (0, None)
    )
    rows = bags(40)
    np.testing.assert_array_equal(fixed(rows, 1).topics, fixed(rows, 2).topics)
    assert not np.array_equal(free(rows, 1).topics, free(rows, 2).topics)


def test_a_coalition_sees_the_sum_over_the_others():
    rows, own = bags(40), [bags(25, seed=7), bags(31, seed=8)]
    mechanism = FitMechanism(ch.PLSA(3, random_state=0, max_iter=4), own=own, others=2,
                             sees="transcript", exact_totals=True)  # fmt: skip
    seen = mechanism(rows, 0)
    counted = next(total for total in seen.totals if total.step == "count_documents")
    assert counted.cells.tolist() == [40, 40]
    # Expected frequencies by topic and word add up to those of the others; all have 25 words.
    expected = [t for t in seen.totals if t.by_word and t.cells.shape[0] == 3][-1]
    np.testing.assert_allclose(expected.cells.sum(axis=0), rows.sum(axis=0) / 25, atol=1e-8)
    np.testing.assert_allclose(seen.denominators.sum(), 40, atol=1e-8)


def test_a_coalition_of_several_parties_takes_all_their_parts_off():
    """The same three parties, two of them together or as one: the same is left, noise aside."""
    rows, own = bags(40), [bags(25, seed=7), bags(31, seed=8)]
    learner = ch.PLSA(3, random_state=0, max_iter=4)
    apart, together = (
        FitMechanism(learner, own=each, sees="transcript", exact_totals=True)(rows, 0)
        for each in (own, [sp.csr_array(sp.vstack(own))])
    )
    assert len(apart.totals) == len(together.totals)
    for one, other in zip(apart.totals, together.totals, strict=True):
        np.testing.assert_allclose(one.cells, other.cells, atol=1e-6)
    noised = FitMechanism(LEARNERS["nmf"], own=own, others=2, sees="transcript")(rows, 0)
    by_word = next(total for total in noised.totals if total.step == "add_by_weight")
    assert by_word.noise == pytest.approx(0.1 * np.sqrt(2))  # that of the two others alone


def test_a_learner_from_outside_is_a_mechanism_like_ours():
    learner = Cones(3, max_iter=4, random_state=0)
    seen = FitMechanism(learner, own=[bags(20, seed=5)], others=2, sees="transcript")(bags(40), 0)
    sizes = [total for total in seen.totals if total.step == "add_by_topic" and not total.by_word]
    np.testing.assert_allclose([total.cells.sum() for total in sizes], 40, atol=1e-6)
    assert seen.topics.shape == (3, 30)
    assert seen.frequencies
    described = FitMechanism(learner).described()
    assert described["learner"] == "tests.outside.cones.Cones"
    assert described["parameters"]["concentration"] == 60.0
    design = CoinFlips(60, np.array([3]), 40, 8)
    samples = sample(Plan(FitMechanism(learner, others=2, sees="transcript"), bags(60), design))
    assert {"topic_weights", "mean_projection"} <= set(samples.statistics)


def test_nmfs_denominators_are_those_of_the_models_topics():
    """Independently: the weights of Algorithm 2 for the last topics, squared and added up."""
    rows = bags(80, d=12, seed=3)
    learner = ch.NMF(3, random_state=0, max_iter=400, tol=0)
    seen = FitMechanism(learner, exact_totals=True)(rows, 0)
    fitted = ch.NMF(3, random_state=0, max_iter=400, tol=0).fit(
        Observed([rows], (), exact_totals=True)
    )
    weights = fitted.transform(rows)
    np.testing.assert_allclose(seen.denominators, (weights**2).sum(axis=0), rtol=2e-3)
    assert len(np.unique(seen.denominators.round(3))) == 3  # so the order was tested


def test_denominators_follow_the_topics_into_their_new_order():
    topics = np.eye(3)[:, [0, 1, 2, 2]] + 0.01
    order = [2, 0, 1]
    gram = np.diag([5.0, 6.0, 7.0])
    seen = [Round("any", (gram,), (0.0,), (topics,), (0.0,)),
            Round("later", (np.ones(3),), (0.0,), (topics,), (0.0,))]  # fmt: skip
    assert denominators_of(seen, topics[order] * 1.01).tolist() == [7.0, 5.0, 6.0]
    by_word = [Round("any", (np.arange(12.0).reshape(4, 3),), (0.0,), (topics,), (0.0,))]
    assert denominators_of(by_word, topics[order]).tolist() == [26.0, 18.0, 22.0]
    assert denominators_of([Round("any", (gram,), (0.0,), (), (0.0,))], topics) is None


def test_squares_are_revealed_or_guessed_from_the_coalitions_own():
    rows, own = bags(50), [bags(20, seed=5), bags(30, seed=6)]
    revealed = FitMechanism(ch.SVD(3, random_state=0), own=own, exact_totals=True)(rows, 0)
    everything = np.vstack([each.toarray() for each in (*own, rows)])
    truth = np.linalg.svd(everything, compute_uv=False)[:3] ** 2
    np.testing.assert_allclose(revealed.squares, truth, rtol=1e-6)
    normed = FitMechanism(LEARNERS["svd normed"], own=own, exact_totals=True, sees="transcript")
    hidden = normed(rows, 0)
    mine = np.linalg.svd(everything[:50], compute_uv=False)[:3] ** 2
    np.testing.assert_allclose(hidden.squares, (50 + 50) / 50 * mine)
    images = [total for total in hidden.totals if total.by_word]
    assert images
    for total in images:
        assert total.squares == pytest.approx(1.0)  # the norm isn't seen
    assert FitMechanism(LEARNERS["svd normed"])(rows, 0).squares is None


def test_the_coalitions_own_singular_values_are_computed_once_for_all_runs(monkeypatch):
    computed = []
    monkeypatch.setattr(
        "chatham.audit.mechanisms.own_squares",
        lambda own, k: computed.append(k) or own_squares(own, k),
    )
    mechanism = FitMechanism(LEARNERS["svd normed"], own=(bags(20, seed=5),), exact_totals=True)
    first, second = mechanism(bags(30), 0), mechanism(bags(50), 1)
    assert computed == [3]
    np.testing.assert_allclose(second.squares / first.squares, (50 + 20) / (30 + 20))


@pytest.mark.parametrize("shape", [(4, 9), (9, 4)])
def test_own_squares_are_those_of_a_singular_value_decomposition(shape):
    matrix = np.random.default_rng(0).normal(size=shape)
    values = np.linalg.svd(matrix, compute_uv=False) ** 2
    np.testing.assert_allclose(own_squares([sp.csr_array(matrix)], 6)[:4], values, rtol=1e-10)
    assert own_squares([sp.csr_array(matrix)], 6).shape == (6,)


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_about_fewer_and_fewer_words_is_about_the_fewest_at_once(data):
    draws = np.random.default_rng(data.draw(st.integers(0, 1000)))
    d = data.draw(st.integers(2, 12))
    rounds = [Round("step", (draws.normal(size=(d, 2)), np.ones(1)), (0.1, 0.1), (), (0.5, 0.5))]
    seen = Observables(
        d, draws.normal(size=(2, d)), squares=draws.random(2),
        totals=tuple(seen_totals(rounds, d)),
    )  # fmt: skip
    some = np.flatnonzero(draws.random(d) < 0.7)
    fewer = some[draws.random(len(some)) < 0.6]
    at_once, in_two = seen.about(fewer), seen.about(some).about(fewer)
    for name in ("topics", "gram", "row_maxima", "words"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(in_two, name))
    assert at_once.absolute_sum == in_two.absolute_sum
    assert at_once.other_maximum == in_two.other_maximum
    np.testing.assert_array_equal(at_once.totals[0].cells, in_two.totals[0].cells)
    np.testing.assert_array_equal(at_once.totals[0].cells, rounds[0].others[0][fewer].T)
    assert at_once.totals[0].size == 2 * d
    pairs = np.abs((seen.topics.T * seen.squares) @ seen.topics)
    others = np.setdiff1d(np.arange(d), fewer)
    assert at_once.absolute_sum == pytest.approx(pairs.sum())
    assert at_once.other_maximum == pytest.approx(pairs[others].max(initial=0.0))


def test_whether_topics_are_distributions_is_asked_of_them():
    assert are_distributions(np.array([[0.5, 0.5], [0.0, 0.0]]))
    assert not are_distributions(np.array([[0.6, 0.8]]))
    assert not are_distributions(np.array([[-0.5, 1.5]]))
    assert not FitMechanism(LEARNERS["svd"])(bags(), 0).frequencies
    assert FitMechanism(LEARNERS["lda"])(bags(), 0).frequencies


def test_only_what_is_watched_is_there():
    assert FitMechanism(LEARNERS["nmf"])(bags(), 0).totals == ()
    assert FitMechanism(LEARNERS["nmf"], sees="transcript")(bags(), 0).totals != ()


def test_descriptions_tell_mechanisms_apart():
    mechanisms = [
        FitMechanism(LEARNERS["nmf"]),
        FitMechanism(LEARNERS["nmf"], exact_totals=True),
        FitMechanism(LEARNERS["nmf"], others=2),
        FitMechanism(LEARNERS["nmf"], own=[bags(5)]),
        FitMechanism(LEARNERS["nmf"], own=[bags(5, seed=1)]),
        FitMechanism(ch.NMF(4, random_state=0)),
        FitMechanism(ch.NMF(4, init=np.ones((4, 30)))),
        FitMechanism(LEARNERS["nmf"], fraction_bits=20),
        Constant(),
    ]
    described = [str(each.described()) for each in mechanisms]
    assert len(set(described)) == len(described)


def test_bad_input():
    with pytest.raises(InputError, match="'model' or 'transcript'; got 'all'"):
        FitMechanism(LEARNERS["nmf"], sees="all")
    with pytest.raises(InputError, match="others must be a whole number of at least 1"):
        FitMechanism(LEARNERS["nmf"], others=0)
    with pytest.raises(InputError, match="1 documents can't be shared by 2 parties"):
        FitMechanism(LEARNERS["nmf"], others=2)(bags(1), 0)
