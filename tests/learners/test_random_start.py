"""How k-means begins between parties: from averages that can't be taken apart again."""

import numpy as np
import pytest

import chatham as ch
from chatham.commons import Simulated
from chatham.errors import InputError
from chatham.learners import beginnings
from tests.learners.spying import Spied, parties

pytestmark = pytest.mark.filterwarnings("ignore:.*(fewer than 30 documents|were restarted)")


def start_of(parts, k):
    """The totals from which k topics of these parties begin: sums, and numbers of documents."""
    commons = Spied(parts, secure=True, exact_totals=True)
    ch.KMeans(k, random_state=0, max_iter=1).fit(commons)
    totals, sizes, _ = (t for name, t in commons.totals if name.endswith("assign_at_random"))
    return totals, sizes


def few(each, empty=0):
    """Three parties with so many documents each, and so many empty ones."""
    parts = [part[:each] for part in parties(odd=False)]
    return [np.vstack([part, np.zeros((empty, part.shape[1]))]) for part in parts]


@pytest.mark.parametrize("k", [5, 10, 13, 19, 30])
@pytest.mark.parametrize("empty", [0, 80])
def test_no_combination_of_the_totals_is_a_document(k, empty):
    """Thirty documents: were they in ten groups, or in groups that overlap, some would show."""
    parts = few(10, empty)
    rows = np.vstack(few(10))
    rows = rows / rows.sum(axis=1, keepdims=True)
    totals, sizes = start_of(parts, k)
    assert sizes.sum() == 30
    assert sizes.min() >= beginnings.MANY
    coefficients = np.linalg.lstsq(totals.T, rows.T, rcond=None)[0]
    apart = np.linalg.norm(rows.T - totals.T @ coefficients, axis=0)
    assert (apart / np.linalg.norm(rows, axis=1)).min() > 0.3


@pytest.mark.parametrize(("each", "k", "groups"), [(6, 4, 1), (20, 30, 3), (80, 30, 12)])
def test_few_documents_for_many_topics_make_few_groups(each, k, groups):
    totals, sizes = start_of(few(each), k)
    assert len(totals) == groups
    assert sizes.sum() == 3 * each
    assert sizes.min() >= beginnings.MANY


def topics_of_start(commons, k):
    """The topics themselves."""
    learner = ch.KMeans(k, init="random", random_state=0)
    with commons.fitting():
        learner._check_documents(commons)
        return learner._start(commons, beginnings.beginnings_for(commons), 0)


@pytest.mark.parametrize("each", [6, 20])
def test_mixtures_are_distributions_and_all_different(each):
    topics = topics_of_start(Simulated(few(each), secure=True), 30)
    assert topics.min() >= 0
    np.testing.assert_allclose(topics.sum(axis=1), 1.0, rtol=1e-12)
    assert np.linalg.norm(topics[:, None] - topics[None], axis=2)[~np.eye(30, dtype=bool)].min() > 0


def test_enough_documents_begin_as_in_one_organisation():
    parts = parties(odd=False)
    between = topics_of_start(Simulated(parts, secure=True), 12)
    inside = topics_of_start(ch.Alone(np.vstack(parts)), 12)
    np.testing.assert_allclose(between, inside, atol=1e-11)


class OneParty(Simulated):
    """As a real party sees itself: one of several, among whom nobody may see another's rows."""

    index = 0


@pytest.mark.filterwarnings("ignore:SVD stopped")
@pytest.mark.parametrize("learner", [ch.KMeans, ch.PLSA, ch.SVD])
def test_a_party_must_say_where_all_begin(learner):
    party = OneParty(parties(), secure=True)
    with pytest.raises(InputError, match=f"{learner.__name__} got no random_state.*agree on a"):
        learner(2, max_iter=2).fit(party)
    learner(2, max_iter=2, random_state=0).fit(party)
    learner(2, max_iter=2).fit(Simulated(parties(), secure=True))  # all are here, and draw one
