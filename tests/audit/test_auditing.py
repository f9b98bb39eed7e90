"""`ch.audit`: from documents and a learner to the verdict, and what it refuses."""

import importlib
import re

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.audit.auditing import LEAST_DATABASES, prepare
from chatham.audit.sampling import Cost
from chatham.errors import InputError
from tests.audit.toys import bags

pytestmark = pytest.mark.filterwarnings("ignore")


def odd_one_out(n=120, d=30):
    """Documents of which one has words like no other, and half are the same."""
    counts = bags(n, d=d).toarray()
    counts[5] = 0
    counts[5, [1, 2]] = 200
    counts[60:] = counts[60]
    ids = [f"letter-{row}" for row in range(n)]
    return ch.Corpus(sp.csr_array(counts), [f"word{i:02d}" for i in range(d)], ids)


SMALL = {
    "n_components": 3, "party_size": 0.35, "documents": ["letter-5", "letter-70"],
    "databases": 64, "max_iter": 10, "exact_totals": True, "weighting": "counts",
}  # fmt: skip


def test_a_document_unlike_all_others_is_exposed_and_what_was_kept_is_used_again(tmp_path):
    verdict = ch.audit(odd_one_out(), "nmf", folder=tmp_path / "kept", **SMALL)
    first, second = verdict.documents
    assert (first.document, first.outcome) == ("letter-5", "exposed")
    assert second.right.estimate < 0.65 < first.right.estimate
    assert second.p > 1e-3
    assert first.p < 1e-6
    assert "final model" in verdict.adversary
    assert "no document of its own" in verdict.adversary
    assert "Totals are exact" in verdict.adversary
    assert "random document in its place" in verdict.neighbours
    told = []
    again = ch.audit(
        odd_one_out(), "nmf", folder=tmp_path / "kept", progress=lambda *n: told.append(n), **SMALL
    )
    assert told == []  # nothing was left to run
    assert again.to_dict() == verdict.to_dict()
    in_memory = ch.audit(odd_one_out(), "nmf", **SMALL)  # keeps values alone
    assert in_memory.table().equals(verdict.table())


def test_a_coalition_that_sees_the_transcript_has_documents_of_its_own():
    prepared = prepare(odd_one_out(), "nmf", sees="transcript", colluding=0.25, **SMALL)
    assert "totals of all rounds" in prepared.adversary
    assert "has 30 documents of its own" in prepared.adversary
    mechanism, plan = prepared.plan.mechanism, prepared.plan
    assert mechanism.own[0].shape == (30, 30)
    assert plan.counts.shape == (90, 30)
    whole = odd_one_out().counts.toarray()
    assert prepared.ids == ("letter-5", "letter-70")
    assert np.array_equal(plan.counts[plan.design.targets].toarray(), whole[[5, 70]])
    assert "total_projection" in plan.values_of


def test_documents_of_the_coalition_can_be_named():
    own = [f"letter-{row}" for row in range(10, 40)]
    prepared = prepare(odd_one_out(), "nmf", colluding=own, **SMALL)
    assert np.array_equal(
        prepared.plan.mechanism.own[0].toarray(), odd_one_out().counts.toarray()[10:40]
    )


def test_the_package_is_called_whichever_of_its_modules_are_imported():
    import chatham.audit.samples as samples

    assert importlib.import_module("chatham.audit.samples") is samples
    assert callable(ch.audit)
    assert "audit" in dir(ch)


def test_documents_are_chosen_at_random_among_those_with_words():
    counts = bags(240, d=30).toarray()
    counts[:40] = 0
    chosen = [
        prepare(counts, "nmf", n_components=2, party_size=0.3, documents=5, seed=seed).ids
        for seed in (0, 0, 1)
    ]
    assert chosen[0] == chosen[1] != chosen[2]
    assert all(int(each) >= 40 for ids in chosen for each in ids)


def test_a_first_look_takes_fewer_databases_and_at_need_fewer_documents():
    corpus = odd_one_out()
    prepared = prepare(corpus, "nmf", n_components=3, party_size=0.35, documents=8, databases=400)
    assert prepared.first_look(Cost(1600, 0.01, 16.0, 0)) is None  # soon done anyway
    look = prepared.first_look(Cost(1600, 0.5, 800.0, 0))
    assert look.databases_each == LEAST_DATABASES
    assert look.ids == prepared.ids[:6]  # two at a time, half a minute each
    assert prepared.first_look(Cost(1600, 2.0, 3200.0, 0)) is None  # not in two minutes
    assert prepared.first_look(Cost(1600, 0.2, 320.0, 0)).ids == prepared.ids


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"party_size": 1.5}, "party_size is a share of all documents, above 0 and at most 1"),
        ({"party_size": 1.0}, "can't be drawn from 120"),
        ({"documents": ["letter-5x"]}, "no document 'letter-5x'; did you mean 'letter-5'?"),
        ({"documents": 500}, "500 documents can't be chosen among 120"),
        ({"databases": 10}, "databases must be a whole number of at least 64"),
        ({"sees": "all"}, "sees must be 'model' or 'transcript'"),
        ({"colluding": 1.0}, "colluding is the share of all documents"),
        ({"colluding": ["letter-5"]}, "'letter-5' is the adversary's own"),
        ({"n_components": 31}, "31 topics were asked for"),
        ({"others": 0}, "others must be a whole number of at least 1"),
    ],
)
def test_bad_input_is_one_sentence(changed, why):
    with pytest.raises(InputError, match=re.escape(why)) as refused:
        prepare(odd_one_out(), "nmf", **{**SMALL, **changed})
    assert str(refused.value).count("\n") == 0


def test_a_named_document_without_words_is_refused():
    counts = bags(60).toarray()
    counts[7] = 0
    with pytest.raises(InputError, match="Document '7' has no word"):
        prepare(counts, "nmf", n_components=2, party_size=0.3, documents=["7"])
