"""Four models among documents of three words: their geometry, and a tiny run."""

import numpy as np
import pytest

import chatham as ch
import in_a_triangle
from in_a_triangle import LEARNERS, NMF, Plan, apart, aslant, clouds, geometry, nearest, story

TINY = Plan(documents=30, sweeps=20)


@pytest.mark.parametrize("drawn", [clouds, story])
def test_documents_lie_in_the_triangle(drawn):
    counts = drawn(TINY, 3)
    assert counts.shape == (30, 3)
    assert counts.min() >= 0
    assert np.array_equal(counts, drawn(TINY, 3))


def test_clouds_lie_around_three_places():
    points = clouds(Plan(documents=300), 1) / 500
    places = np.stack([points[cloud::3].mean(axis=0) for cloud in range(3)])
    aside = points - places[np.arange(300) % 3]
    assert np.abs(aside.sum(axis=1)).max() < 0.02  # in the plane of the triangle
    # The deviation of N(0, σ²) without its mean over three words is σ√(2/3).
    assert aside.std() == pytest.approx(0.05 * np.sqrt(2 / 3), rel=0.2)


def test_the_nearest_point_is_what_a_fine_search_finds():
    rng = np.random.default_rng(0)
    points, ends = rng.dirichlet(np.ones(3), 20), rng.dirichlet(np.ones(3), 2)
    shares = np.linspace(0, 1, 2001)[:, None]
    line = shares * ends[0] + (1 - shares) * ends[1]
    found = np.linalg.norm(points - nearest(points, ends), axis=1)
    searched = np.linalg.norm(points[:, None] - line[None], axis=2).min(axis=1)
    assert found == pytest.approx(searched, abs=1e-6)
    assert nearest(points, ends[[0, 0]]) == pytest.approx(np.tile(ends[0], (20, 1)))


def test_reconstructions_of_nmf_are_the_nearest_and_perpendicular():
    counts = clouds(TINY, 0)
    learner = ch.NMF(2, random_state=0).fit(counts)
    points = counts / counts.sum(axis=1, keepdims=True)
    of = geometry(points, learner.components_, learner.transform(counts))
    assert of["nearest"] == 1.0
    assert of["aslant"] < 0.01
    assert of["distance"] == pytest.approx(of["least distance"], abs=1e-6)


def test_degrees_are_of_documents_between_topics_alone():
    topics = np.array([[0.0, 0.0], [2.0, 0.0]])
    points = np.array([[1.0, 1.0], [5.0, 7.0]])
    assert aslant(points, np.array([[1.0, 0.0], [2.0, 0.0]]), topics) == pytest.approx(
        0.0, abs=1e-9
    )
    assert aslant(points, topics, topics) == 0.0  # all of them at topics


def test_distances_are_between_topics_that_match():
    topics = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    assert apart(topics, topics[::-1]) == 0.0
    assert apart(topics, [[0.0, 0.5, 0.5], [0.9, 0.1, 0.0]]) == pytest.approx(0.1)


def test_a_tiny_run(tmp_path):
    run = ["--documents", "20", "--sweeps", "10", "--seeds", "2", "--output", str(tmp_path)]
    run += ["--keep", str(tmp_path / "kept.jsonl")]
    assert in_a_triangle.main(run) == 0
    page = (tmp_path / "in_a_triangle.md").read_text("utf-8")
    picture = (tmp_path / "in_a_triangle.png").read_bytes()
    assert all(page.count(f"| {name} |") == 2 for name in LEARNERS)
    assert f"| {NMF} and PLSA |" in page
    assert in_a_triangle.main(run) == 0  # from what was kept
    assert (tmp_path / "in_a_triangle.md").read_text("utf-8") == page
    assert (tmp_path / "in_a_triangle.png").read_bytes() == picture
