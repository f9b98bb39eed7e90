"""Two figures of models with and without rectification: their measures, tiny runs."""

import numpy as np
import pytest

import chatham as ch
import rectified_hull
import topic_interactions
from rectification_study.before_and_after import AFTER, BEFORE, both, rectified
from rectification_study.factors import Counted
from rectified_hull import PANELS, ROWS, covered
from topic_interactions import ANCHORS, RECTIFIED, SQUARES, by_least_squares, qualities


@pytest.fixture(scope="module")
def counted():
    rng = np.random.default_rng(0)
    themes = rng.dirichlet(np.full(80, 0.1), size=20)
    counts = np.array([rng.multinomial(50, themes[document % 20]) for document in range(160)])
    return Counted(ch.Corpus(counts, [f"word{number:02d}" for number in range(80)]))


def test_the_second_model_is_of_the_rectified_matrix(counted):
    found = both(counted, 5)
    joint = rectified(counted, 5)
    assert np.linalg.eigvalsh(found[AFTER].correlations)[0] > -1e-6
    assert joint.sum() == pytest.approx(1.0)
    assert np.abs(joint - counted.matrix).max() > 1e-6
    assert found[BEFORE].anchors != found[AFTER].anchors


def test_least_squares_find_interactions_with_negative_entries():
    rng = np.random.default_rng(2)
    topics = rng.dirichlet(np.full(12, 0.5), 3)
    noisy = topics.T @ np.diag([0.5, 0.3, 0.2]) @ topics + 1e-3 * rng.standard_normal((12, 12))
    found = by_least_squares(noisy, topics)
    best = np.linalg.norm(noisy - topics.T @ found @ topics)
    for _ in range(20):
        other = found + 1e-3 * rng.standard_normal((3, 3))
        assert best < np.linalg.norm(noisy - topics.T @ other @ topics)


def test_qualities_of_a_matrix():
    of = qualities(np.array([[0.6, -0.1], [-0.1, 0.0]]))
    assert of["sum"] == pytest.approx(0.4)
    assert (of["negative"], of["zero"]) == (0.5, 0.0)
    assert of["mass"] == pytest.approx(0.25)
    assert of["diagonal"] == pytest.approx(0.75)
    assert qualities(np.eye(3))["zero"] == 1.0
    assert qualities(np.diag([0.7, 0.3]))["eigenvalue"] == pytest.approx(0.3)


def test_what_a_polygon_covers():
    square = np.array([[0.0, 0.0], [4, 0], [4, 4], [0, 4], [1, 0.5], [3, 3.5]])
    whole = covered(square, np.array([0, 1, 2, 3]), np.full(6, 1 / 6))
    assert whole == {"area": 1.0, "words": 1.0, "text": 1.0}
    # Below the diagonal: half of the square, one word of three, which has most of the text.
    half = covered(square, np.array([0, 1, 2]), np.array([0, 0, 0, 0.1, 0.8, 0.1]))
    assert half["area"] == pytest.approx(0.5)
    assert half["words"] == pytest.approx(1 / 3)
    assert half["text"] == pytest.approx(0.8)
    assert covered(square, np.array([0, 2, 0]), np.full(6, 1 / 6))["area"] == 0.0  # on a line


def test_a_tiny_run_of_interactions(tmp_path):
    run = ["--words", "80", "--topics", "4", "6", "--keep", str(tmp_path / "kept.jsonl")]
    run += ["--output", str(tmp_path)]
    assert topic_interactions.main(run) == 0
    page = (tmp_path / "topic_interactions.md").read_text("utf-8")
    assert all(page.count(f"| {way} |") == 2 for way in (SQUARES, ANCHORS, RECTIFIED))
    assert (tmp_path / "topic_interactions.png").stat().st_size > 10_000
    assert topic_interactions.main(run) == 0
    assert (tmp_path / "topic_interactions.md").read_text("utf-8") == page


def test_a_tiny_run_of_the_hull(tmp_path, capsys):
    run = ["--words", "80", "--topics", "4"]
    assert rectified_hull.main([*run, "--output", str(tmp_path)]) == 0
    page = (tmp_path / "rectified_hull.md").read_text("utf-8")
    assert all(f"| 4 | {kind} |" in page for kind in ROWS)
    assert page.count(" / ") == 6 * len(ROWS)
    assert all(panel in page for panel in PANELS)
    assert (tmp_path / "rectified_hull.png").stat().st_size > 10_000
    assert rectified_hull.main(run) == 0
    assert capsys.readouterr().out == page


@pytest.mark.parametrize(("experiment", "k"), [(topic_interactions, "1"), (rectified_hull, "2")])
def test_too_few_topics_are_refused(experiment, k, capsys):
    with pytest.raises(SystemExit):
        experiment.main(["--topics", k])
    assert "--topics must be at least" in capsys.readouterr().err
