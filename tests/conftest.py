"""What tests share: planted corpora with a known answer, and the real ones where they lie."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def plant(n=300, d=60, k=5, length=80, seed=0, concentration=0.15):
    """Counts drawn from k topics with disjoint main words, with the topics and the weights."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(d, 0.1), k) * 0.2
    for topic in range(k):
        own = np.arange(topic, d, k)
        topics[topic, own] += 0.8 * rng.dirichlet(np.ones(len(own)))
    weights = rng.dirichlet(np.full(k, concentration), n)
    rows = [rng.multinomial(length, row @ topics) for row in weights]
    return sp.csr_array(np.array(rows)), topics, weights


def split(counts, holders):
    """The rows dealt out to holders in turn, so that no holder has a run of them."""
    return [counts[start::holders] for start in range(holders)]


def matched_distance(found, truth):
    """The mean ℓ1 distance of topics after the best matching."""
    from scipy.optimize import linear_sum_assignment

    distances = np.abs(found[:, None, :] - truth[None, :, :]).sum(axis=2)
    rows, columns = linear_sum_assignment(distances)
    return distances[rows, columns].mean()


@pytest.fixture(scope="session")
def planted():
    """A small planted corpus with one empty document."""
    counts, topics, weights = plant()
    counts = counts.tolil()
    counts[7] = 0
    return sp.csr_array(counts), topics, weights


@pytest.fixture(scope="session")
def shared_data():
    """The folder of real corpora, or a skip that says why."""
    if not SHARED.is_dir():
        pytest.skip("the real corpora are not beside this checkout (../shared/data)")
    return SHARED
