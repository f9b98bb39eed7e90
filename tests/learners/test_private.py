"""Between parties nothing may cross that is one document, or nearly one."""

import re

import numpy as np
import pytest

import chatham as ch
from chatham.commons import Simulated
from chatham.errors import InputError
from tests.learners.spying import NEAR, parties, spied

LEARNERS = {
    "kmeans": lambda: ch.KMeans(4, random_state=0),
    "kmeans random": lambda: ch.KMeans(4, init="random", random_state=0),
    "kmeans relative": lambda: ch.KMeans(4, loss="relative", random_state=0),
    "kmeans, many": lambda: ch.KMeans(30, random_state=0, max_iter=20),
    "nmf": lambda: ch.NMF(4, random_state=0),
    "nmf relative": lambda: ch.NMF(4, loss="relative", random_state=0),
    "nmf none": lambda: ch.NMF(4, constraint="none", random_state=0),
    "nmf random": lambda: ch.NMF(4, init="random", random_state=0),
    "nmf interleaved": lambda: ch.NMF(4, schedule="interleaved", random_state=0),
    "plsa": lambda: ch.PLSA(4, random_state=0),
    "lda": lambda: ch.LDA(4, random_state=0, max_iter=20),
    "anchor": lambda: ch.AnchorWords(4, random_state=0, refine=3),
    "svd": lambda: ch.SVD(4, random_state=0),
}


@pytest.mark.filterwarnings("ignore:.*were restarted")
@pytest.mark.parametrize("name", LEARNERS)
def test_no_total_is_nearly_a_document(name):
    """Nor with odd documents about, which a start or a repair would pick."""
    totals = spied(LEARNERS[name](), parties())[1]
    assert totals, "the spy saw nothing of a document's shape"
    assert max(totals.values()) < NEAR, totals


@pytest.mark.filterwarnings("ignore:.*were restarted")
@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "kmeans, many"])
def test_no_contribution_is_nearly_a_document(name):
    contributions = spied(LEARNERS[name](), parties(odd=False))[0]
    assert max(contributions.values()) < NEAR, contributions


STARTS = {
    "kmeans": lambda: ch.KMeans(30, random_state=0, max_iter=1),
    "nmf local": lambda: ch.NMF(6, init="local", random_state=0, max_iter=1),
    "nmf random": lambda: ch.NMF(6, init="random_2x", random_state=0, max_iter=1),
}


OWN_SUMS = {"assign_documents", "topic_statistics"}


@pytest.mark.parametrize("name", STARTS)
def test_no_start_contributes_a_document(name):
    contributions = spied(STARTS[name](), parties())[0]
    of_start = {step: near for step, near in contributions.items() if step not in OWN_SUMS}
    assert of_start or name == "nmf random"  # of which nothing of that shape crosses
    assert max(of_start.values(), default=0.0) < NEAR, of_start


@pytest.mark.parametrize("init", ["greedy", "k-means++"])
def test_the_spy_sees_a_start_that_picks_documents(init):
    """Within one organisation these are as they were: a document crosses, and the spy says so."""
    contributions, totals = spied(ch.KMeans(4, init=init, random_state=0), parties(), secure=False)
    assert contributions["next_centre"] == pytest.approx(1)
    assert totals["next_centre"] == pytest.approx(1)
    with pytest.raises(
        InputError, match=rf"{re.escape(init)}.*no document may cross; use init='auto'"
    ):
        ch.KMeans(4, init=init).fit(Simulated(parties(), secure=True))
    with pytest.raises(InputError, match="no document may cross"):
        ch.KMeans(4, init=init).fit(ch.Recorded(Simulated(parties(), secure=True)))


def test_auto_is_plus_plus_inside_an_organisation_and_random_between_parties():
    parts = parties()
    settings = {"random_state": 5, "tol": 0, "max_iter": 10}
    inside = ch.KMeans(4, **settings).fit(Simulated(parts))
    plus = ch.KMeans(4, init="k-means++", **settings).fit(Simulated(parts))
    assert np.array_equal(inside.components_, plus.components_)
    between = ch.KMeans(4, **settings).fit(Simulated(parts, secure=True, exact_totals=True))
    random = ch.KMeans(4, init="random", **settings).fit(Simulated(parts))
    np.testing.assert_allclose(between.components_, random.components_, atol=1e-8)
