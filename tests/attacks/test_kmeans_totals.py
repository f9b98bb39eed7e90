"""Totals of k-means under attack: exact ones give documents away, noised ones don't.

The bundled sample, a party for each community, one of which is curious; twenty topics, tf-idf, the
relative loss: what a session does by default. Figures are printed; `CHATHAM_TORTURE` adds fifty
topics, all pairs of rounds, and more seeds.
"""

import os
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.audit.observing import Round
from chatham.audit.rebuilding.word_totals import averaged, totals_of
from chatham.learners.documents import Documents, with_words
from chatham.learners.nearest import nearest
from chatham.learners.rare_words import FEWEST, words_of_several
from noised_totals import InBatches
from tests.attacks.kmeans_totals import (
    Found,
    Truth,
    best_guess,
    documents_by_difference,
    groups_in,
    located_words,
    share_of_words,
)
from tests.attacks.overhearing import Sample, overheard, sample

pytestmark = pytest.mark.filterwarnings("ignore:.*were restarted")
torture = pytest.mark.skipif(
    not os.environ.get("CHATHAM_TORTURE"), reason="takes minutes: `make torture` has it"
)

NOTHING = Found(0, 0)
STARTS = ["assign_at_random", "add_random_groups"]
ROUNDS = ["assign_documents", "add_unit_rows"]


@dataclass
class Attacked:
    """A fit as the curious party heard it, and the truth."""

    sample: Sample
    truth: Truth
    heard: list[Round]
    model: ch.KMeans

    @property
    def start(self):
        return totals_of(self.heard, STARTS)[0]

    @property
    def rounds(self):
        return totals_of(self.heard, ROUNDS)

    def documents(self, **ways):
        return documents_by_difference(self.rounds, self.sample.idf, self.truth, **ways)

    def groups(self, totals, noise, truth=None):
        return groups_in(totals, self.sample.idf, noise, truth or self.truth)


@pytest.fixture(scope="module")
def everything():
    """The sample, and the others' documents."""
    given = sample("applications")
    return given, Truth(given.counts)


def attacked(everything, k=20, seed=0, **more):
    learner = ch.KMeans(k, loss="relative", init="random", random_state=seed)
    return Attacked(*everything, *overheard(everything[0].parts, learner, **more))


@pytest.fixture(scope="module")
def exact(everything):
    """Parties that all know that totals are exact."""
    return attacked(everything, exact_totals=True)


@pytest.fixture(scope="module")
def usual(everything):
    """Parties that don't: the default."""
    return attacked(everything)


# By difference


def test_differences_of_exact_totals_are_documents(exact):
    next_to, further = exact.documents(), exact.documents(apart=3, topics=2)
    print("by difference, exact:", next_to, "three apart, two topics:", further)
    assert 40 <= next_to.true <= further.true
    assert next_to.false == further.false == 0


def test_differences_of_noised_totals_are_none(usual):
    assert usual.documents(apart=9, topics=2) == NOTHING


# By single totals


def test_exact_totals_group_words_by_document(exact):
    (start, _), (last, parts) = exact.groups(*exact.start), exact.groups(*exact.rounds[-1])
    several = [parts, *(exact.groups(*one)[1] for one in exact.rounds[::5])]
    share = share_of_words(several, exact.truth)
    print("groups, exact: the start's", start, "the last's", last, f"words known {share:.0%}")
    assert start.true > 900
    assert last.true > 500
    assert start.false + last.false <= (start.true + last.true) // 50
    assert share > 0.1


def test_noised_totals_group_nothing(usual):
    """Nor do averages over rounds, in which noise is less; false groups come from chance alone."""
    averages = [averaged(usual.rounds[first:]) for first in range(len(usual.rounds))]
    found = [usual.groups(*one)[0] for one in (usual.start, *usual.rounds, *averages)]
    noise = averages[0][1]
    print("groups, noised:", sum(found, NOTHING), f"noise over all rounds: {noise:.2f}")
    assert sum(found, NOTHING).true == 0
    assert sum(found, NOTHING).false <= len(found)
    assert noise == pytest.approx(0.09, abs=0.005)


def test_taking_noise_for_the_truth_finds_nothing_either(usual):
    """Somebody who looks for equal values as if there were no noise finds groups, all false."""
    found, _ = usual.groups(usual.rounds[-1][0], 0.0)
    print("groups in noise:", found)
    assert found.true <= 0.01 * found.false


# What else is told


def test_a_saved_model_of_exact_totals_groups_words_and_one_of_noised_ones_does_not(
    exact, usual, tmp_path
):
    idf = exact.sample.idf
    counts = sp.vstack(exact.sample.parts, format="csr") @ sp.diags_array(1 / idf)
    everybody = Truth(sp.csr_array(np.rint(counts)))
    found = {}
    for name, each in (("exact", exact), ("noised", usual)):
        words = [f"w{word}" for word in range(len(idf))]
        ch.TopicModel(each.model, words).save(tmp_path / name)
        topics = ch.load(tmp_path / name).topics
        documents = counts.shape[0] * each.model.prevalence_[:, None]
        found[name] = each.groups(topics * documents, 0.0, everybody)[0]
    print("groups in a saved model:", found)
    assert found["exact"].true > 100
    assert found["exact"].false <= found["exact"].true // 10
    assert found["noised"].true <= 0.01 * found["noised"].false


def test_exact_sizes_norms_and_moves_are_whole_and_noised_ones_are_not_told(exact, usual):
    """A number of documents that moved certifies a lone one; by default nobody hears any."""
    moves = [one.others[4] for one in exact.heard if one.step == "assign_documents"]
    assert any(move == 1 for move in moves) or min(moves) < 20
    steps = [one.step for one in usual.heard]
    assert steps == ["count_documents", "leave_out_rare_words", "add_random_groups",
                     *["add_unit_rows"] * 10, "count_by_topic"]  # fmt: skip
    assert all(len(one.others) == 1 for one in usual.heard)
    sizes, noise = usual.heard[-1].others[0], usual.heard[-1].noise[0]
    assert noise == pytest.approx(np.sqrt(2))
    labels = labels_of(usual, usual.heard[-1].shared[0])
    true = np.bincount(labels, minlength=len(sizes))
    off = sizes - true  # of two other parties
    assert 0.5 < np.sqrt((off**2).mean()) < 3


def test_the_farthest_documents_are_added_up_in_exact_totals_alone(everything):
    """From a start with a topic that no document is near. The farthest are the shortest here."""
    given, truth = everything
    start = ch.KMeans(4, max_iter=2, random_state=0).fit(given.parts[0]).components_
    start[3] = 0.0
    start[3, 0] = 50.0
    learner = ch.KMeans(4, init=start, max_iter=3)
    heard = {
        known: overheard(given.parts, learner, exact_totals=known)[0] for known in (True, False)
    }
    added = [one.others[0] for one in heard[True] if one.step == "add_farthest"]
    found = groups_in(added, given.idf, 0.0, truth)[0]
    print("groups in what a topic is restarted from, exact:", found)
    assert found.true > 0
    assert found.false == 0
    assert not {"count_far", "add_farthest", "count_nearest"} & {one.step for one in heard[False]}


# The best guess


def others_of(attacked):
    """The others' documents as they are added up: by default without rare words."""
    parts = attacked.sample.parts[1:]
    if any(one.step == "leave_out_rare_words" for one in attacked.heard):
        parts = [with_words(part, words_of_several(Documents(part), FEWEST)) for part in parts]
    return Documents(sp.vstack(parts, format="csr"), frequencies=True)


def labels_of(attacked, topics):
    documents = others_of(attacked)
    return nearest(documents, topics)[0][~documents.empty]


def rows_of(documents, power):
    """The others' documents as they are added up: over their norm, or over its square."""
    norms = np.sqrt(documents.squared_norms)
    cells = (documents.data, documents.indices, documents.indptr)
    rows = sp.csr_array(cells, shape=(documents.n, documents.d))
    return sp.csr_array(sp.diags_array(1 / np.where(norms > 0, norms, 1) ** power) @ rows)


def guess_of(attacked, power, apart):
    documents = others_of(attacked)
    labels = [nearest(documents, one.shared[0])[0] for one in attacked.heard if one.step in ROUNDS]
    return best_guess(attacked.rounds, labels, rows_of(documents, power), apart)


def test_who_is_told_when_a_document_moved_guesses_its_words_as_well_as_one_who_heard_nothing(
    exact, usual
):
    """An upper bound: nobody is told that. Averages over the rounds before and after included."""
    known, vague = guess_of(exact, 2, 1), [guess_of(usual, 1, apart) for apart in (1, 3, 9)]
    print("lone moves, exact:", known, "noised:", *vague)
    assert known.right > 0.9
    assert known.cosine == pytest.approx(1)
    for guess in vague:
        assert guess.documents >= 3
        assert guess.right < guess.usual + 0.1
        assert guess.cosine < 0.2


def test_words_that_one_document_has_are_located_in_exact_totals(exact, usual):
    """Which says little of the document, and by default little of even that."""
    found = {}
    for name, each in (("exact", exact), ("noised", usual)):
        by_word = each.truth.by_word
        lone = np.flatnonzero(np.diff(by_word.indptr) == 1)
        shared = [one.shared[0] for one in each.heard if one.step in ROUNDS]
        owners = by_word.indices[by_word.indptr[lone]]
        topic_of = nearest(others_of(each), shared[-1])[0][owners]
        rounds = each.rounds[-1:] if name == "exact" else each.rounds[4:]
        found[name] = located_words(*averaged(rounds), lone, topic_of)
    print("words of one document, located:", found)
    assert found["exact"][1] == 1


# More of the same


@torture
@pytest.mark.parametrize("k", [20, 50])
@pytest.mark.parametrize("seed", range(3))
def test_fifty_topics_all_pairs_of_rounds_and_other_seeds(everything, k, seed):
    exact = attacked(everything, k, seed, exact_totals=True)
    found = exact.documents(apart=3, topics=2)
    usual = attacked(everything, k, seed)
    print(f"k={k}, seed {seed}: exact {found}, the start's {exact.groups(*exact.start)[0]}")
    assert found.true > 40
    assert found.false <= 1
    assert usual.documents(apart=10, topics=3 if k == 20 else 2) == NOTHING
    for first in range(len(usual.rounds)):
        for last in range(first + 1, len(usual.rounds) + 1):
            totals, noise = averaged(usual.rounds[first:last])
            assert usual.groups(totals, noise)[0].true == 0
    guesses = [guess_of(usual, 1, apart) for apart in (1, 2, 3, 9)]
    print("best guesses:", *guesses)
    assert max(guess.right - guess.usual for guess in guesses) < 0.1


@torture
def test_documents_that_are_told_once_are_told_all_the_same(everything):
    """Ten batches, each in one exact total: nothing to subtract, and words are grouped as ever."""
    learner = InBatches(20, loss="relative", init="random", random_state=0)
    heard, _ = overheard(everything[0].parts, learner, exact_totals=True)
    rounds = totals_of(heard, ["begin_from_batch", "add_batch"])
    given, truth = everything
    found = [groups_in(totals, given.idf, noise, truth) for totals, noise in rounds]
    share = share_of_words([parts for _, parts in found], truth)
    every = sum((each for each, _ in found), NOTHING)
    print(f"told once, exact: {every}, a median of {share:.0%} of a document's words")
    assert every.true > 1000
    assert every.false < every.true / 50


@torture
@pytest.mark.parametrize("noise", [0.05, 0.1, 0.2])
def test_what_less_noise_would_tell(everything, noise, monkeypatch):
    monkeypatch.setattr(ch.KMeans, "_noise", noise)
    usual = attacked(everything)
    print(f"noise {noise}: {usual.documents(apart=9)}, {usual.groups(*averaged(usual.rounds))[0]},",
          *(guess_of(usual, 1, apart) for apart in (1, 3, 9)))  # fmt: skip
    assert usual.documents(apart=9).true == 0
