"""One fit with many canaries: what tells all is found, what is private is bounded truthfully."""

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp

from chatham.audit.auditing import prepare
from chatham.audit.mechanisms import Observables, seen_totals
from chatham.audit.observing import Round
from chatham.audit.one_run import LEAST_CANARIES, MOST_CANARIES, canaries_of, one_run
from tests.audit.toys import Constant, Database, NoisySums, bags


@dataclass(frozen=True)
class Responses:
    """Each document has a word of its own; of each word it is told, with randomised response,
    whether its document is there."""

    truth: float

    def described(self):
        return {"toy": "Responses", "truth": self.truth}

    def __call__(self, database, seed):
        draws = np.random.default_rng(seed)
        there = database.sum(axis=0) > 0
        told = there ^ (draws.random(there.shape) < 1 / (1 + math.exp(self.truth)))
        rounds = [Round("respond", (told * 1.0,), (0.0,), (), (1.0,))]
        return Observables(there.size, totals=tuple(seen_totals(rounds, there.size)))


def test_a_mechanism_that_releases_the_database_is_found_in_one_fit():
    found = one_run(Database(), bags(400), 150)
    assert found.guesses.right == found.guesses.made == 50
    assert found.epsilon.low == pytest.approx(math.log(0.05**0.02 / (1 - 0.05**0.02)))
    assert found.p == pytest.approx(0.5**50)
    assert "50 of 50 guesses" in found.in_words


@pytest.mark.parametrize("truth", [0.0, 1.0, 3.0])
def test_the_bound_holds_for_randomised_response_and_comes_near(truth):
    """24 fits of a mechanism whose ε is known, each with its own coins: 5 % may fail."""
    corpus = sp.csr_array(np.eye(300))
    found = [one_run(Responses(truth), corpus, 150, seed=seed) for seed in range(24)]
    assert sum(each.epsilon.low > truth for each in found) <= 5  # of 1.2, and 4 deviations more
    shares = [each.right.estimate for each in found]
    assert np.mean(shares) == pytest.approx(1 / (1 + math.exp(-truth)), abs=0.05)
    if truth:
        assert np.median([each.epsilon.low for each in found]) > 0.25 * truth


def test_where_nothing_leaks_guesses_are_coins():
    loud = [one_run(NoisySums(deviation=1e4), bags(200), 60, seed=seed) for seed in range(20)]
    rights, made = sum(each.guesses.right for each in loud), sum(e.guesses.made for e in loud)
    assert abs(rights / made - 0.5) < 4 * 0.5 / np.sqrt(made)
    assert sum(each.epsilon.low > 0 for each in loud) <= 5  # of 1 expected
    constant = [one_run(Constant(), bags(200), 60, seed=seed) for seed in range(20)]
    assert sum(each.epsilon.low > 0 for each in constant) <= 5


def test_databases_are_about_as_large_as_a_partys_and_canaries_are_half_of_them():
    assert canaries_of(144, 2887) == 288
    assert canaries_of(80, 100) == 40
    assert canaries_of(5000, 50_000) == MOST_CANARIES
    for size in (60, 150, 170):
        sizes = [one_run(Constant(), bags(200), size, seed=seed).documents for seed in range(20)]
        deviation = math.sqrt(canaries_of(size, 200) / 4)
        assert abs(np.mean(sizes) - size) < 4 * deviation / math.sqrt(20)
        assert len(set(sizes)) > 1
    assert canaries_of(190, 200) < LEAST_CANARIES
    assert one_run(Constant(), bags(200), 190) is None


def test_empty_documents_are_no_canaries():
    counts = bags(300).toarray()
    counts[:120] = 0
    assert one_run(Database(), sp.csr_array(counts), 100).guesses.canaries == 80


@pytest.mark.filterwarnings("ignore")
def test_an_audit_has_a_first_look_in_one_fit_which_is_the_same_again():
    counts = bags(240, d=40, length=60)
    asked = {"n_components": 3, "party_size": 0.4, "documents": 2, "exact_totals": True}
    prepared = prepare(counts, "nmf", **asked)
    found = prepared.one_run()
    assert found == prepare(counts, "nmf", **asked).one_run()
    assert found.guesses.right > 0.65 * found.guesses.made
    assert found.epsilon.low > 0.1
    assert prepared.one_run(delta=1e-3).epsilon.low < found.epsilon.low
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["epsilon_at_least"] == found.epsilon.low
    assert 0.5 < told["right_at_least"] < told["right"] / told["guesses"]
