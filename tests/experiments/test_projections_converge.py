"""How alternating projection converges: it is the library's, its distances are, a tiny run."""

import numpy as np
import pytest

import projections_converge
from chatham.learners.anchor.rectify import alternate
from projections_converge import OfRank, line_through, of_sum_one, projected, trial


@pytest.fixture(scope="module")
def joint():
    """A noisy joint distribution of 30 words and three topics, symmetric, not negative."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(30, 0.2), 3)
    noisy = topics.T @ (np.eye(3) + 0.2) @ topics * rng.uniform(0.7, 1.3, (30, 30))
    noisy = noisy + noisy.T
    return noisy / noisy.sum()


@pytest.mark.parametrize("iterations", [1, 2, 7])
def test_it_is_what_the_library_does_without_forming_matrices(joint, iterations):
    *_, (matrix, _, _) = projected(joint, 3, iterations)
    library = alternate(joint, 3, max_iter=iterations, tol=0.0).matrix
    assert matrix / matrix.sum() == pytest.approx(library, abs=1e-9)


def test_the_projection_of_rank_k_is_that_of_all_eigenvectors(joint):
    values, vectors = np.linalg.eigh(joint)
    expected = (vectors[:, -3:] * np.maximum(values[-3:], 0)) @ vectors[:, -3:].T
    assert OfRank(30, 3)(joint) == pytest.approx(expected, abs=1e-10)
    assert of_sum_one(joint * 3).sum() == pytest.approx(1.0)


def test_a_matrix_in_all_three_sets_stays(joint):
    topics = np.random.default_rng(1).dirichlet(np.full(20, 0.2), 2)
    fixed = topics.T @ np.array([[0.4, 0.1], [0.1, 0.4]]) @ topics
    found = trial(fixed, 2, 3)
    assert max(found["change"] + found["distance"]) < 1e-9


def test_a_line_that_ends_in_rounding_has_no_slope():
    assert line_through([1e-3, 1e-6, 0.0], 1, 3) is None
    factor, off = line_through([1.0, 0.1, 0.02, 0.001], 1, 4)
    assert 0.1 < factor < 0.12
    assert off > 0.05


def test_a_tiny_run(tmp_path):
    run = ["--words", "60", "--topics", "3", "4", "--iterations", "8", "--output", str(tmp_path)]
    run += ["--keep", str(tmp_path / "kept.jsonl")]
    assert projections_converge.main(run) == 0
    page = (tmp_path / "projections_converge.md").read_text("utf-8")
    assert page.count("| change |") == page.count("| distance |") == 2
    assert (tmp_path / "projections_converge.png").stat().st_size > 10_000
    assert projections_converge.main(run) == 0
    assert (tmp_path / "projections_converge.md").read_text("utf-8") == page


def test_too_few_iterations_are_refused(capsys):
    with pytest.raises(SystemExit):
        projections_converge.main(["--iterations", "3"])
    assert "4 or more" in capsys.readouterr().err
