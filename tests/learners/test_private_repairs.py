"""Small topics, those that begin anew, and small parties: nothing of one document may cross."""

import numpy as np
import pytest

import chatham as ch
from chatham.commons import Simulated
from chatham.learners import beginnings
from tests.learners.spying import HOLDERS, NEAR, WORDS, Spied, parties, spied

# k-means: small topics, and those that begin anew


def lonely_start(parts):
    """One topic that is the first party's odd document, and three that are averages."""
    rows = np.vstack(parts)
    rows = rows / rows.sum(axis=1, keepdims=True)
    averages = [rows[HOLDERS * start :: 4 * HOLDERS].mean(axis=0) for start in range(1, 4)]
    return np.vstack([parts[0][:1] / parts[0][0].sum(), *averages])


def test_a_topic_of_one_document_is_never_added_up_between_parties():
    parts = parties()
    start = lonely_start(parts)
    inside = spied(ch.KMeans(4, init=start, max_iter=3), parts, secure=False)[1]
    assert inside["assign_documents"] == pytest.approx(1)
    with pytest.warns(UserWarning, match="1 of 4 topics were left without documents"):
        between = spied(ch.KMeans(4, init=start, max_iter=3), parts)[1]
    assert max(between.values()) < NEAR


def test_documents_of_a_small_topic_are_outside_the_objective():
    parts = parties()
    with pytest.warns(UserWarning, match="were restarted"):
        model = ch.KMeans(4, init=lonely_start(parts), max_iter=2, tol=0).fit(
            Simulated(parts, secure=True, exact_totals=True)
        )
    rows = np.vstack(parts)
    rows = rows / rows.sum(axis=1, keepdims=True)
    start = lonely_start(parts)
    labels = ((rows[:, None] - start[None]) ** 2).sum(axis=2).argmin(axis=1)
    expected = 0.0
    for topic in range(4):
        mine = rows[labels == topic]
        if len(mine) >= beginnings.LEAST:
            expected += ((mine - mine.mean(axis=0)) ** 2).sum()
    assert (labels == 0).sum() == 1
    assert model.objective_[0] == pytest.approx(expected, abs=1e-9)


def test_topics_large_enough_are_those_of_a_pooled_fit():
    parts = parties(odd=False)
    start = ch.KMeans(4, random_state=1, max_iter=2).fit(np.vstack(parts)).components_
    pooled = ch.KMeans(4, init=start, tol=0).fit(np.vstack(parts))
    exact = Simulated(parts, secure=True, exact_totals=True)
    between = ch.KMeans(4, init=start, tol=0).fit(exact)
    np.testing.assert_allclose(between.components_, pooled.components_, atol=1e-8)
    np.testing.assert_allclose(between.objective_, pooled.objective_, rtol=1e-8)


# Repairs: the average of the worst many


def far_topic(parts):
    """A topic on a word that nobody has, which no document will use."""
    wide = [np.hstack([part, np.zeros((len(part), 1))]) for part in parts]
    topics = ch.NMF(4, random_state=0).fit(np.vstack(wide)).components_
    topics[3] = 0.0
    topics[3, -1] = 1.0
    return wide, topics


@pytest.mark.parametrize(
    "make",
    [
        lambda start: ch.NMF(4, init=start, constraint="none", max_iter=30),
        lambda start: ch.NMF(4, init=start, constraint="none", max_iter=30, loss="relative"),
        lambda start: ch.NMF(4, init=start, constraint="none", schedule="interleaved"),
        lambda start: ch.NMF(
            4, init=start, constraint="none", missing="unobserved", l2_weights=0.1, l2_topics=0.1
        ),
        lambda start: ch.NMF(4, init=start, l2_weights=-5.0, max_iter=30),
        lambda start: ch.KMeans(4, init=np.diag([1, 1, 1, 9]) @ start, max_iter=30),
    ],
)
def test_a_dead_topic_begins_anew_from_many_documents(make):
    wide, start = far_topic(parties())
    repairs = {"add_badly_explained", "add_farthest"}
    with pytest.warns(UserWarning, match="left without documents and were restarted"):
        contributions, totals = spied(make(start), wide)
    seen = {step: near for step, near in contributions.items() if step in repairs}
    assert seen
    assert max(seen.values()) < NEAR
    assert max(near for step, near in totals.items() if step in repairs) < NEAR
    assert not {"worst_document", "farthest_document"} & set(contributions)
    with pytest.warns(UserWarning, match="were restarted"):
        inside = spied(make(start), wide, secure=False)[0]
    picked = {step: near for step, near in inside.items() if step.endswith("_document")}
    assert max(picked.values()) == pytest.approx(1)


def test_the_worst_many_are_the_worst_and_each_holder_has_several():
    wide, start = far_topic(parties())
    commons = Spied(wide, secure=True, exact_totals=True)
    with pytest.warns(UserWarning, match="were restarted"):
        model = ch.NMF(4, init=start, constraint="none", max_iter=40).fit(commons)
    assert model.revived_[0][0] == 1
    numbers = [int(part[0]) for name, part in commons.contributions
               if name.endswith("add_badly_explained") and part.shape == (1,)]  # fmt: skip
    assert all(number == 0 or number >= beginnings.LEAST for number in numbers)
    total = [part for name, part in commons.totals if name.endswith("add_badly_explained")]
    assert beginnings.MANY <= total[1][0] <= 60
    assert model.components_[:, -1].max() < 1e-9
    assert model.prevalence_.min() > 0.01


def test_the_average_of_the_worst_by_hand():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(5), 60)
    errors = np.concatenate([np.full(12, 8.0), np.full(4, 64.0), np.linspace(0, 1, 44)])

    parts = [np.hstack([rows[i::2], errors[i::2, None]]) for i in range(2)]

    def worst(parts):
        commons = Simulated(parts, secure=True, exact_totals=True)
        commons.count()
        steps = beginnings.Worst(None, count_given, add_given)
        return beginnings.beginnings_for(commons).worst(commons, steps, seed=0, most=64.0)

    found = worst(parts)
    # Each holder has two of the four worst: too few, so the sixteen of 8 and more it is.
    expected = np.hstack([rows, errors[:, None]])[errors >= 8].mean(axis=0)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    few = worst([part[:3] for part in parts])
    assert few.sum() == pytest.approx(1)  # nobody has enough, so it is a random distribution
    assert np.abs(np.vstack(parts)[:, :6] - few).sum(axis=1).min() > 0.1


def count_given(rows, memory):
    """How many documents have which error."""
    return beginnings.count_by_error(_documents(rows), rows[:, -1])


def add_given(rows, memory, least):
    """The worst of them."""
    return beginnings.add_worst(_documents(rows), rows[:, -1], least)


def _documents(rows):
    from chatham.learners.documents import Documents

    return Documents(rows)


# A party with very few documents


def test_a_party_with_very_few_documents_is_warned_once_a_fit():
    parts = [*parties(), np.ones((3, WORDS + 2 * HOLDERS)), np.zeros((0, WORDS + 2 * HOLDERS))]
    for learner in (ch.NMF(2, max_iter=2), ch.AnchorWords(2, refine=0), ch.SVD(2)):
        with pytest.warns(UserWarning, match="fewer than 30") as caught:
            learner.fit(ch.Recorded(Simulated(parts, secure=True, exact_totals=True)))
        said = [str(w.message) for w in caught if "fewer than 30 documents" in str(w.message)]
        assert len(said) == 1
        assert said[0].startswith("1 of 5 holders have fewer than 30 documents")


def test_nobody_is_warned_inside_an_organisation(recwarn):
    few = [part[:4] for part in parties()]
    ch.NMF(2, max_iter=2).fit(Simulated(few))
    ch.NMF(2, max_iter=2).fit(few[0])
    ch.NMF(2, max_iter=2, random_state=0).fit(Simulated(parties(), secure=True))
    assert not [w for w in recwarn if "fewer than" in str(w.message)]
