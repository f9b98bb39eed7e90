"""FastAnchorWords: the greedy choice, its clean-up pass done naively, and what projections are."""

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.projected import fast_anchors, random_directions
from chatham.learners.anchor.select import pivoted_qr
from chatham.numerics.threads import threads
from tests.learners.anchor.test_select import all_of, noisy, separable, words


def beyond_span(points, vectors):
    """Each point's distance from the span of the vectors."""
    if not len(vectors):
        return np.linalg.norm(points, axis=1)
    coefficients = np.linalg.lstsq(vectors.T, points.T, rcond=None)[0]
    return np.linalg.norm(points - coefficients.T @ vectors, axis=1)


def naive(points, k, candidates, first):
    """Algorithm 4 to the letter, with every distance from scratch."""
    chosen = []
    for _ in range(k - len(first)):
        distances = beyond_span(points, np.vstack([first, points[chosen]]))
        chosen.append(int(np.where(candidates, distances, -1).argmax()))
    greedy = list(chosen)
    for number in range(len(chosen)):
        others = chosen[:number] + chosen[number + 1 :]
        distances = beyond_span(points, np.vstack([first, points[others]]))
        chosen[number] = int(np.where(candidates, distances, -1).argmax())
    return greedy, chosen


@pytest.mark.parametrize("projection", ["gaussian", "sparse"])
def test_it_is_the_algorithm_to_the_letter(projection):
    changed = sum(compare_with_naive(projection, seed) for seed in range(8))
    assert changed >= 10  # otherwise the clean-up pass wouldn't be tested


def compare_with_naive(projection, seed, k=20):
    conditional = Conditional(noisy(d=120, rank=40, seed=seed))
    candidates = np.random.default_rng(seed).random(120) < 0.8
    given = [np.array([5, 6]), np.array([17])][: seed % 3]
    anchors, distances = fast_anchors(
        conditional,
        k,
        candidates,
        dimensions=30,
        projection=projection,
        seed=seed,
        given_anchors=given,
    )
    directions = random_directions(120, 30, projection, seed)
    points = conditional.rows(slice(None)) @ directions
    first = conditional.rows_of(given) @ directions if given else np.empty((0, 30))
    allowed = candidates.copy()
    allowed[[word for group in given for word in group]] = False
    greedy, cleaned = naive(points, k, allowed, first)
    assert words(anchors) == words(given) + [[word] for word in cleaned]
    vectors = np.vstack([first, points[cleaned]])
    for number in range(k):
        (distance,) = beyond_span(vectors[[number]], np.delete(vectors, number, axis=0))
        np.testing.assert_allclose(distances[number], distance, rtol=1e-8)
    return sum(old != new for old, new in zip(greedy, cleaned, strict=True))


@pytest.mark.parametrize("projection", ["gaussian", "sparse"])
@pytest.mark.parametrize("seed", range(3))
def test_anchors_of_a_separable_model_are_found(projection, seed):
    conditional = Conditional(separable(d=200, seed=seed))
    anchors, _ = fast_anchors(
        conditional, 6, all_of(conditional), dimensions=60, projection=projection, seed=seed
    )
    assert sorted(words(anchors)) == [[0], [1], [2], [3], [4], [5]]


def test_projections_keep_lengths_on_average_and_are_what_they_are_called():
    vector = np.random.default_rng(1).standard_normal(500)
    for projection in ("gaussian", "sparse"):
        lengths = [
            ((vector @ random_directions(500, 50, projection, seed)) ** 2).sum()
            for seed in range(200)
        ]
        assert abs(np.mean(lengths) / (vector @ vector) - 1) < 4 * np.sqrt(2 / 50 / 200)
    sparse = random_directions(500, 400, "sparse", 0)
    size = 1 / np.sqrt(0.1 * 400)
    assert set(np.unique(sparse)) == {-size, 0.0, size}
    shares = (sparse > 0).mean(), (sparse < 0).mean()
    np.testing.assert_allclose(shares, 0.05, atol=5 * np.sqrt(0.05 * 0.95 / 200_000))


def test_a_small_vocabulary_is_not_projected():
    conditional = Conditional(noisy(seed=2))
    anchors, _ = fast_anchors(conditional, 2, all_of(conditional), seed=1)
    same, _ = fast_anchors(conditional, 2, all_of(conditional), dimensions=150, seed=2)
    assert words(anchors) == words(same)
    _, cleaned = naive(conditional.rows(slice(None)), 2, all_of(conditional), np.empty((0, 150)))
    assert words(anchors) == [[word] for word in cleaned]


def test_one_topic_is_the_longest_row():
    conditional = Conditional(noisy(seed=2))
    anchors, distances = fast_anchors(conditional, 1, all_of(conditional))
    same, lengths = pivoted_qr(conditional, 1, all_of(conditional))
    assert words(anchors) == words(same)
    np.testing.assert_allclose(distances, lengths)


def test_threads_change_nothing():
    conditional = Conditional(noisy(d=300, seed=6))
    results = []
    for jobs in (1, 3):
        with threads(jobs):
            results.append(fast_anchors(conditional, 30, all_of(conditional), dimensions=100))
    assert words(results[0][0]) == words(results[1][0])
    assert (results[0][1] == results[1][1]).all()


def test_what_cannot_be_is_refused():
    conditional = Conditional(separable())
    free = all_of(conditional)
    with pytest.raises(InputError, match=r"one of \('gaussian', 'sparse'\); it is 'dense'"):
        fast_anchors(conditional, 3, free, projection="dense")
    with pytest.raises(InputError, match="to 4 dimensions can't have 5 independent"):
        fast_anchors(conditional, 5, free, dimensions=4)
    with pytest.raises(InputError, match="7 topics need 7 anchors, but after 6"):
        fast_anchors(conditional, 7, free, dimensions=50)
    with pytest.raises(InputError, match="3 topics need 3 anchors, and only 2 words"):
        fast_anchors(conditional, 3, np.arange(80) < 2)
