"""Audits of differentially private fits, and what their privacy costs."""

from dataclasses import replace

import numpy as np
import pytest

import chatham as ch
from chatham.audit.auditing import prepare
from chatham.audit.cost_of_privacy import cost_of_privacy
from chatham.audit.decision import decide
from chatham.audit.mechanisms import FitMechanism
from chatham.commons.privacy import Privacy
from chatham.errors import InputError
from tests.conftest import plant
from tests.federation.parties import make_session

STRICT, LOOSE = Privacy(1.0, 1e-5), Privacy(1000.0, 1e-5)


def odd_one_out():
    """Documents of two topics, and one with words of its own, which exact totals give away."""
    counts = plant(n=240, d=40, k=2, length=60, seed=0)[0].toarray()
    counts = np.hstack([counts, np.zeros((240, 5), dtype=counts.dtype)])
    counts[7] = 0
    counts[7, 40:] = 12
    return counts


def test_noise_hides_the_document_that_exact_totals_show():
    asked = {"n_components": 2, "party_size": 0.4, "documents": ["7"], "databases": 64}
    exact = ch.audit(odd_one_out(), "nmf", exact_totals=True, **asked)
    private = ch.audit(odd_one_out(), "nmf", privacy=STRICT, sees="transcript", **asked)
    assert exact.documents[0].outcome == "exposed"
    assert exact.documents[0].right.estimate > 0.9
    assert private.documents[0].outcome == "nothing found"
    # No audit may refute what is promised, at twice the privacy of one document for another.
    assert private.documents[0].epsilon.low <= STRICT.epsilon
    assert "ε = 1 at δ = 1e-05" in private.adversary


def test_a_mechanism_says_what_it_promises_and_others_are_described_as_before():
    plain = FitMechanism(ch.NMF(2, random_state=0)).described()
    private = FitMechanism(ch.NMF(2, random_state=0), privacy=STRICT, others=2).described()
    assert "privacy" not in plain
    assert private["privacy"] == {"epsilon": 1.0, "delta": 1e-5, "honest": 2}


def test_all_that_a_decision_rests_on_has_the_same_noise():
    decided = decide(
        odd_one_out(), "nmf", n_components=2, party_size=0.4, documents=["7"], databases=64,
        privacy=STRICT,
    )  # fmt: skip
    assert "with that privacy" in decided.rebuilt.in_words
    assert not any(session.found for session in decided.rebuilt.sessions)
    assert "add_bounded" in str(decided.crossing.to_dict())
    assert decided.uplift is not None


def test_what_can_not_be_promised_is_refused():
    asked = {"n_components": 2, "party_size": 0.4, "databases": 64, "privacy": STRICT}
    with pytest.raises(InputError, match="no differentially private fit"):
        prepare(odd_one_out(), "lda", **asked)
    with pytest.raises(InputError, match="can't be exact"):
        prepare(odd_one_out(), "nmf", exact_totals=True, **asked)
    with pytest.raises(InputError, match="honest=2 parties"):
        prepare(odd_one_out(), "nmf", others=1, **asked)


def test_the_cost_of_a_promise_is_measured_on_the_same_documents():
    counts = plant(n=600, d=40, k=3, length=60, seed=0)[0]
    corpus = ch.Corpus(counts.astype(int), [f"word{i}" for i in range(40)])

    def cost(privacy):
        session, _ = make_session(3, privacy=privacy.as_plain(), parameters={"n_components": 3})
        return cost_of_privacy(replace(session, algorithm="nmf"), corpus)

    strict, loose = cost(STRICT), cost(LOOSE)
    assert strict.usual == loose.usual
    completion = [
        each.gains[0].together.estimate for each in (strict.private, loose.private, loose.usual)
    ]
    assert completion[0] < completion[1] - 0.1
    assert completion[1] > completion[2] - 0.05
    assert "Tried on 600 documents dealt to 3 parties, 3 times." in strict.in_words


def test_where_nothing_stands_out_from_the_noise_it_says_so():
    counts = plant(n=60, d=40, k=3, length=60, seed=0)[0]
    corpus = ch.Corpus(counts.astype(int), [f"word{i}" for i in range(40)])
    session, _ = make_session(3, privacy=Privacy(0.01, 1e-5).as_plain(),
                              parameters={"n_components": 3})  # fmt: skip
    told = cost_of_privacy(replace(session, algorithm="svd"), corpus)
    assert told.private is None
    assert "nothing is found: No direction" in told.in_words
    assert told.to_dict()["private"] is None
