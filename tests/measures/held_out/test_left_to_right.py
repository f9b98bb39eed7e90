"""Left to right, against all assignments of topics counted out on models small enough for it."""

import math

import numpy as np
import pytest

import chatham as ch
from benchmarks.held_out import read_with_numpy
from chatham.errors import HolderError
from chatham.learners.documents import Documents
from chatham.measures.held_out.left_to_right import LeftToRight, read_documents
from chatham.measures.held_out.particles import LOG, SHORTENED, SIZE
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import smoothed, subject_of_model
from chatham.numerics.threads import threads
from tests.conftest import plant, split
from tests.measures.held_out.conftest import subject
from tests.measures.held_out.reading import ALPHA, TOPICS, score


@pytest.mark.parametrize("resample", [True, False])
def test_one_topic_is_exact(resample):
    # log p = 2 log ¾ + log ⅕, whatever the particles do; three tokens
    found = score(np.array([[2, 1, 0]]), TOPICS[:1], smoothing=0, resample=resample)
    assert found.value == pytest.approx((2 * math.log(0.75) + math.log(0.2)) / 3, rel=1e-13)
    assert found.notes["sampling_error"] == pytest.approx(0.0, abs=1e-12)


def test_topics_all_alike_are_one_topic():
    one, three = (
        score(np.array([[2, 1, 4]]), TOPICS[:1]),
        score(np.array([[2, 1, 4]]), TOPICS[[0] * 3]),
    )
    assert three.value == pytest.approx(one.value, rel=1e-12)


def test_an_overwhelming_prior_mixes_all_topics():
    # α → ∞: weights are α / Σα = (¼, ¾) and words are independent
    mixed = np.array([0.25, 0.75]) @ TOPICS
    found = score(np.array([[3, 1, 2]]), alpha=np.array([1e9, 3e9]), smoothing=0)
    assert found.value == pytest.approx(np.array([3, 1, 2]) @ np.log(mixed) / 6, rel=1e-7)


def test_a_single_word_by_hand():
    # p(w) = Σ_t α_t / Σα · T_tw = (0.2 · 0.75 + 0.5 · 0.05) / 0.7 = ¼
    assert score(np.array([[1, 0, 0]]), alpha=ALPHA, smoothing=0).value == pytest.approx(
        math.log(0.25)
    )


def test_alpha_is_given_or_the_models_or_a_tenth():
    word = np.array([[1, 0, 0]])
    usual = math.log((0.75 + 0.05) / 2)
    assert score(word, smoothing=0).value == pytest.approx(usual)
    given = LeftToRight(smoothing=0, alpha=(0.2, 0.5)).measure(subject(TOPICS), ch.Alone(word))
    assert given.value == pytest.approx(math.log(0.25))
    again = LeftToRight(smoothing=0, alpha=3.0).measure(
        subject(TOPICS, alpha=ALPHA), ch.Alone(word)
    )
    assert again.value == pytest.approx(usual)
    model = ch.fit(
        "lda", plant(n=40, d=3)[0], vocabulary=list("abc"), n_components=2, random_state=0
    )
    learned = LeftToRight().shared(subject_of_model(model))[3]
    assert learned.tolist() == model.estimator.alpha_.tolist()


def test_smoothing_by_hand():
    # 0.9 · 0.75 + 0.1 / 3
    found = score(np.array([[1, 0, 0]]), TOPICS[:1], smoothing=0.1)
    assert found.value == pytest.approx(math.log(0.675 + 0.1 / 3))


def test_errors_by_hand():
    # Documents aa and bbbb under one topic (½, ¼, ¼): log p = −2 log 2 and −8 log 2, together
    # −10/6 log 2 a token. Off what their sizes expect by ±(2 − 20/6) log 2 = ∓4/3 log 2 each, so
    # the error is √(2 · (4/3)² · 2/1) / 6 = 4/9 log 2.
    found = score(np.array([[2, 0, 0], [0, 4, 0]]), np.array([[0.5, 0.25, 0.25]]), smoothing=0)
    assert found.value == pytest.approx(-10 / 6 * math.log(2))
    assert found.notes["standard_error"] == pytest.approx(4 / 9 * math.log(2))
    assert found.notes["per_document"] == pytest.approx(-5 * math.log(2))
    assert (found.notes["documents"], found.notes["tokens"]) == (2, 6)
    alone = score(np.array([[2, 0, 0]]), particles=1)
    assert alone.notes["standard_error"] is None
    assert alone.notes["sampling_error"] is None


def test_sampling_error_is_the_scatter_over_seeds():
    counts, topics, _ = plant(n=60, d=40, k=5, length=30)
    found = [score(counts, topics, seed=seed) for seed in range(200)]
    stated = np.mean([each.notes["sampling_error"] for each in found])
    # The deviation of 200 has a standard error of 5%. Orders scatter too, and first order is low.
    ratio = stated / np.std([each.value for each in found], ddof=1)
    assert 0.9 - 3 * 0.05 < ratio < 1 + 3 * 0.05


def test_agrees_with_a_plain_reading():
    counts, topics, _ = plant(n=60, d=40, k=5, length=30)
    words = np.array([np.repeat(np.arange(40), row) for row in counts.toarray()])
    words = np.random.default_rng(0).permuted(words, axis=1)
    alpha = np.linspace(0.05, 0.3, 5)
    plain = read_with_numpy(words, smoothed(topics, 0.01), alpha, 10).sum() / words.size
    ours = score(counts, topics, alpha=alpha)
    assert abs(ours.value - plain) < 4 * math.sqrt(2) * ours.notes["sampling_error"]


def test_fractions_count_as_much_as_they_weigh():
    # 1.5 of a and 0.25 of b under one topic: 1.5 log ¾ + 0.25 log ⅕ over 1.75 tokens
    found = score(np.array([[1.5, 0.25, 0]]), TOPICS[:1], smoothing=0)
    assert found.notes["tokens"] == 1.75
    assert found.value == pytest.approx((1.5 * math.log(0.75) + 0.25 * math.log(0.2)) / 1.75)
    # Half a word is in N with a half: p_2 lies between those of one word before and of none.
    two = read_documents(Documents(np.array([[0.5, 0, 0.5]])), TOPICS, ALPHA, 4000)[0]
    first = [0.25, (0.2 * 0.05 + 0.5 * 0.7) / 0.7]  # of a and of c
    posterior = TOPICS[:, [0, 2]] * ALPHA[:, None] / 0.7 / first
    second = [
        sum(
            posterior[t, seen] * TOPICS[:, other] @ (ALPHA + 0.5 * np.eye(2)[t]) / 1.2
            for t in range(2)
        )
        for seen, other in ((0, 2), (1, 0))
    ]
    logs = [0.5 * math.log(first[i] * second[i]) for i in range(2)]
    assert min(abs(two[LOG] - log) for log in logs) < 0.005


def test_long_documents_are_shortened_and_said_so():
    counts = np.array([[20, 5, 5], [5, 3, 2]])
    found = score(counts, longest=10)
    assert found.notes["shortened"] == 1
    assert found.notes["tokens"] == 20
    assert score(counts, longest=None).notes["tokens"] == 40
    assert score(counts, longest=None).notes["shortened"] == 0
    assert score(counts).value == score(counts, longest=None).value
    read = read_documents(Documents(counts), TOPICS, ALPHA, longest=10)
    assert read[:, SIZE].tolist() == [10, 10]
    assert read[:, SHORTENED].tolist() == [1, 0]


def test_a_shortened_document_is_a_fair_sample_of_itself():
    # One topic: log p of 10 of 20 a and 10 b is on average half of all of it.
    found = [
        read_documents(Documents(np.array([[20, 10, 0]])), TOPICS[:1], ALPHA[:1], 1, True, 10, seed)
        for seed in range(800)
    ]
    logs = np.array([each[0, LOG] for each in found])
    whole = 20 * math.log(0.75) + 10 * math.log(0.2)
    assert abs(logs.mean() - whole / 3) < 4 * logs.std() / math.sqrt(800)


def test_the_same_at_any_number_of_threads():
    counts, topics, _ = plant(n=700, d=60, k=6, length=70)
    found = []
    for n_jobs in (1, 2, 3):
        with threads(n_jobs):
            found.append(read_documents(Documents(counts), topics, np.full(6, 0.1), 20))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_split_and_order_change_nothing():
    counts, topics, _ = plant(n=90, d=40, k=4, length=25)
    pooled = score(counts, topics)
    parts = ch.Simulated(split(counts, 9))
    apart = LeftToRight().measure(subject(topics), parts)
    assert apart.value == pytest.approx(pooled.value, rel=1e-12)
    assert apart.notes["standard_error"] == pytest.approx(pooled.notes["standard_error"], rel=1e-9)
    assert score(counts[::-1], topics[[2, 0, 3, 1]]).value == pytest.approx(pooled.value, rel=1e-12)
    assert score(counts, topics, seed=1).value != pooled.value


def test_more_particles_than_lanes():
    counts, topics, _ = plant(n=50, d=40, k=4, length=25)
    few, many = score(counts, topics, particles=16), score(counts, topics, particles=100)
    assert many.value > few.value  # less is lost to the logarithm
    errors = [
        [score(counts, topics, particles=n, seed=seed).notes["sampling_error"] for n in (16, 100)]
        for seed in range(30)
    ]
    ratio = np.divide(*np.sqrt(np.square(errors).mean(axis=0)))
    assert 2.25 < ratio < 2.55  # √(100 / 16) = 2.5, and first order is 5% low for sixteen


def test_true_topics_beat_others():
    counts, topics, _ = plant(n=80, d=40, k=4)
    other = plant(n=1, d=40, k=4, seed=9)[1]
    assert score(counts, topics).value > score(counts, other).value + 0.1


def test_a_topic_without_words_takes_no_part():
    counts = np.array([[3, 1, 2], [0, 2, 2]])
    with_empty = np.vstack([TOPICS, np.zeros((1, 3))])
    expected = score(counts, alpha=ALPHA)
    assert score(counts, with_empty, alpha=np.array([*ALPHA, 4.0])).value == expected.value
    with pytest.raises((UndefinedError, HolderError), match="No topic has any words"):
        score(counts, np.zeros((2, 3)))
