"""Merging every few iterations: a small run, and that its two ways are what they say."""

import numpy as np
import pytest

import chatham as ch
import synchronising as experiment
from tests.conftest import plant, split


def test_a_small_run_has_all_ways(tmp_path, capsys):
    sizes = ["--topics", "4", "--words", "150", "--documents", "200", "--rounds", "2"]
    assert experiment.main([*sizes, "--seeds", "1", "--keep", str(tmp_path / "kept")]) == 0
    page = capsys.readouterr().out
    assert page.count("| merged every 5 iterations |") == 4
    assert "## text, 9 parties, dealt at random" in page
    assert "| rounds | after 1 | after 2 |" in page


@pytest.mark.parametrize("way", experiment.WAYS)
def test_one_party_that_merges_with_nobody_goes_on_as_if_alone(way):
    """Its own topics are the merge's fixed point, so every τ iterations are its own."""
    counts = plant(n=120, d=40, k=3, length=60)[0]
    rows = counts[np.asarray(counts.sum(axis=1)).ravel() > 0]
    start = np.random.default_rng(0).dirichlet(np.ones(40), 3)
    together = list(experiment.synchronised([rows], start, way, 3, 4))
    topics = start
    for merged in together:
        topics = experiment.iterated(ch.Weighted(rows, start=weights_of(rows, topics, way, start)),
                                     topics, way, 4).components_  # fmt: skip
        np.testing.assert_allclose(merged, topics, rtol=0, atol=1e-8 * max(1.0, topics.max()))


def weights_of(rows, topics, way, start):
    """The weights with which a party goes on: none before the first merge."""
    if topics is start:
        return None
    learner = ch.NMF(len(topics), constraint=experiment.WAYS[way], init=topics, max_iter=1, tol=0)
    learner.fit(rows)
    learner.components_ = topics
    return learner.transform(rows)


def test_distributed_rounds_are_iterations_of_all_documents():
    counts = plant(n=120, d=40, k=3, length=60)[0]
    start = np.random.default_rng(0).dirichlet(np.ones(40), 3)
    apart = experiment.distributed(split(counts, 3), start, "simplex", 5)
    alone = experiment.iterated(counts, start, "simplex", 5).components_
    np.testing.assert_allclose(apart, alone, rtol=0, atol=1e-9)
    assert experiment.distributed(split(counts, 3), start, "simplex", 0) is start
