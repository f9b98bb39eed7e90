"""Document completion, worked by hand, and what it does with documents that can't be halved."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.errors import HolderError, InputError
from chatham.measures.held_out.completion import Completion, halves, log_likelihoods
from chatham.measures.measure import UndefinedError
from chatham.measures.subject import Subject, subject_of_model
from tests.conftest import plant, split
from tests.measures.held_out.conftest import HUGE, subject


def score(counts, topics, **settings):
    return Completion(**settings).measure(subject(topics), ch.Alone(counts))


def test_halves_add_up():
    counts = sp.csr_array(np.array([[3, 0, 5], [1, 2, 0], [0, 0, 0]]))
    seen, hidden = halves(counts)
    assert (seen + hidden).toarray().tolist() == counts.toarray().tolist()
    assert min(seen.data.min(), hidden.data.min()) > 0


def test_a_coin_is_fair_and_each_token_has_its_own():
    counts = np.random.default_rng(0).integers(1, 4, (4000, 20))  # no two alike
    seen = halves(counts)[0].toarray()
    assert abs(seen.sum() / counts.sum() - 0.5) < 4 * 0.5 / math.sqrt(counts.sum())
    three = seen[counts == 3]  # three tosses: ⅛, ⅜, ⅜, ⅛
    shares = np.bincount(three.astype(int), minlength=4) / len(three)
    assert shares == pytest.approx([1 / 8, 3 / 8, 3 / 8, 1 / 8], abs=0.03)
    of_one_row = np.corrcoef(seen[:, 0] - counts[:, 0] / 2, seen[:, 1] - counts[:, 1] / 2)[0, 1]
    assert abs(of_one_row) < 4 / math.sqrt(4000)


def test_coins_follow_the_document_and_the_seed():
    counts = np.random.default_rng(0).integers(0, 5, (50, 20))
    seen = halves(counts)[0].toarray()
    assert halves(counts[::-1])[0].toarray()[::-1].tolist() == seen.tolist()
    assert halves(counts, seed=1)[0].toarray().tolist() != seen.tolist()


@pytest.mark.parametrize("fraction", [0.75, 0.7, 0.1 + 0.2, 0.01])
def test_fractions_are_one_more_token(fraction):
    counts = 2 + fraction + np.arange(300)[:, None] * 1e-9
    seen, hidden = (half.toarray() for half in halves(counts))
    amounts = set(np.round(seen.ravel(), 6))
    whole = {0.0, fraction, 1.0, 1 + fraction, 2.0, 2 + fraction}
    assert amounts == {round(amount, 6) for amount in whole}
    assert (seen + hidden).tolist() == counts.tolist()
    # A cell that is seen whole leaves nothing behind, not even a rounding error.
    for one, other in ((seen, hidden), (hidden, seen)):
        assert (other[one > 2 + fraction / 2] == 0).all()


def test_log_likelihoods_by_hand():
    topics, weights = (
        np.array([[0.5, 0.5, 0.0], [0.0, 0.2, 0.8]]),
        np.array([[1.0, 0.0], [0.5, 0.5]]),
    )
    counts = sp.csr_array(np.array([[1, 2, 0], [0, 3, 1]]))
    # 3 log ½; and 3 log(¼ + 1/10) + log(4/10)
    by_hand = [3 * math.log(0.5), 3 * math.log(0.35) + math.log(0.4)]
    assert log_likelihoods(counts, weights, topics).tolist() == pytest.approx(by_hand)
    impossible = sp.csr_array(np.array([[0, 0, 1], [1, 0, 0]]))
    assert log_likelihoods(impossible, weights, topics).tolist() == [-math.inf, math.log(0.25)]


def test_one_topic_by_hand():
    topics = np.array([[0.75, 0.25]])
    counts = np.array([[4, 3], [2, 5]])
    hidden = halves(counts)[1].toarray().sum(axis=0)
    chances = [0.99 * 0.75 + 0.01 / 2, 0.99 * 0.25 + 0.01 / 2]
    found = score(counts, topics)
    assert found.value == pytest.approx(hidden @ np.log(chances) / hidden.sum())
    assert found.notes["tokens"] == hidden.sum()
    assert found.notes["left_out"] == 0


def test_topics_apart_by_hand():
    # Every document is of one topic; its seen half says which, and then a word has chance ½,
    # (0.99 · ½ + 0.01 / 4) after smoothing.
    topics = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    found = score(np.array([[6, 7, 0, 0], [0, 0, 8, 5]]), topics)
    assert found.value == pytest.approx(math.log(0.99 * 0.5 + 0.01 / 4), abs=1e-5)


def test_documents_that_cannot_be_halved_are_left_out():
    counts = np.array([[1, 0], [0, 1], [6, 7]])
    topics = np.array([[0.75, 0.25]])
    found, alone = score(counts, topics), score(counts[2:], topics)
    assert found.value == alone.value
    assert (found.notes["documents"], found.notes["left_out"]) == (1, 2)
    with pytest.raises(UndefinedError, match="No document has a word of the vocabulary in each"):
        score(counts[:2], topics)


def test_impossible_words():
    topics, counts = np.array([[0.5, 0.5, 0.0]]), np.array([[6, 5, 0], [5, 5, 9]])
    assert math.isfinite(score(counts, topics).value)
    with pytest.raises(UndefinedError, match="1 of the documents"):
        score(counts, topics, smoothing=0)


def test_true_topics_beat_others():
    counts, topics, _ = plant(n=80, d=40, k=4)
    other = plant(n=1, d=40, k=4, seed=9)[1]
    assert score(counts, topics).value > score(counts, other).value + 0.1


def test_holders_together_equal_pooled():
    counts, topics, _ = plant(n=90, d=40, k=4)
    pooled = score(counts, topics)
    apart = Completion().measure(subject(topics), ch.Simulated(split(counts, 9)))
    assert apart.value == pytest.approx(pooled.value, rel=1e-9)
    assert apart.notes["standard_error"] == pytest.approx(pooled.notes["standard_error"], rel=1e-9)


def test_weights_are_the_models_own():
    counts = plant(n=60, d=10, k=2)[0]
    words = [f"w{j}" for j in range(10)]
    for learner in ("nmf", "lda", "kmeans"):
        model = ch.fit(learner, counts, vocabulary=words, n_components=2, random_state=0)
        seen, hidden = halves(counts)
        predicted = 0.99 * model.transform(seen) @ model.topics + 0.01 / 10
        by_hand = (hidden.toarray() * np.log(predicted)).sum() / hidden.sum()
        found = Completion().measure(subject_of_model(model), ch.Alone(counts))
        assert found.value == pytest.approx(by_hand, rel=1e-9)


def test_topics_without_a_learner_cannot_weigh():
    words = Subject(np.array(["a", "b"], dtype=object), np.array([[0.5, 0.5]]))
    with pytest.raises(HolderError, match="get no weights without the model's learner"):
        Completion().measure(words, ch.Alone(np.array([[9, 9]])))


def test_settings_that_make_no_sense():
    with pytest.raises(InputError, match="smoothing"):
        Completion(smoothing=2)
    with pytest.raises(InputError, match="seed"):
        Completion(seed=-1)


@pytest.mark.parametrize("huge", HUGE)
def test_documents_too_long_to_toss_coins_for_are_refused(huge):
    with pytest.raises(InputError, match=r"A document has \S+ tokens, and up to 16,777,216 can be"):
        halves(np.array([[3, 2.0], [huge, 1]]))


def test_all_that_crosses_is_said():
    step = Completion.local_statistics.__doc__.splitlines()[0]
    for part in ("log-prob", "tokens", "squares", "product", "documents", "left out", "impossible"):
        assert part in step
