"""What tests share: planted corpora with a known answer, and the real ones where they lie."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, settings

CORPORA = Path(os.environ.get("CHATHAM_DATA", "nowhere"))
"""The folder of real corpora, if there is one."""
COMPLETE = "CHATHAM_CI"
"""Set where everything is installed that tests ask for (`.ci/run`): no skip without excuse."""


def pytest_configure():
    """Make nothing depend on how busy the machine is, or on how the tests were started.

    Hypothesis would fail an example that takes long, or is slow to find. And what a shell starts in
    the background ignores Ctrl-C, for which some tests wait.
    """
    settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy")
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Excused(pytest.skip.Exception):
    """A skip for a reason that installing something doesn't cure."""


def excused(why):
    """Skip a test that doesn't apply, wherever it runs, and say why."""
    raise Excused(why)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test's skip is a failure there, unless it is excused or a mark says it's the system."""
    report = yield
    by_mark = call.when == "setup" and item.get_closest_marker("skipif")
    return report if by_mark or hasattr(report, "wasxfail") else _unless_excused(report, call)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """And so is the skip of a whole module."""
    report = yield
    return _unless_excused(report, getattr(report, "call", None))


def _unless_excused(report, call):
    if report.skipped and os.environ.get(COMPLETE) and not isinstance(call.excinfo.value, Excused):
        report.outcome = "failed"
        report.longrepr = f"Skipped where nothing may be missing ({COMPLETE}): {call.excinfo.value}"
    return report


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
    if not CORPORA.is_dir():
        excused("CHATHAM_DATA names no folder of real corpora")
    return CORPORA
