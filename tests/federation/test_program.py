"""The program that every party runs, on parties in one process; and what it refuses."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Simulated
from chatham.federation.join import concerns, read_for
from chatham.federation.pinning import rows_hash
from chatham.federation.program import fit_between, program_of
from chatham.federation.session import Member, Session
from tests.cli.federation import texts

IN_SESSIONS = {"nmf": {"constraint": "simplex"}}
"""What a session sets where `ch.fit`, for oneself, sets something else."""
PARTIES = [texts(n, seed=seed) for seed, n in enumerate((40, 25, 30))]


def session(algorithm="nmf", words=None, **parameters):
    return Session(
        id="ab" * 16,
        relay="http://127.0.0.1:1",
        parties=tuple(Member(f"Party {i}", f"{i:x}" * 64) for i in range(3)),
        algorithm=algorithm,
        parameters={"n_components": 3, **parameters},
        vocabulary={"stop_words": "none", "min_df": 6, "own_df": 3, **(words or {})},
        seed=1,
    )


def met(agreed, given=PARTIES, **options):
    corpora = [read_for(agreed, each) for each in given]
    return fit_between(lambda rows, about: Simulated(rows, **options), agreed, corpora)


def pooled_texts(parties):
    return [text for party in parties for text in party]


def plain_rule(parties, min_df, own_df, max_df=float("inf")):
    """The words that two parties offer and enough documents have, found by looking at all."""
    frequencies = [
        Counter(word for text in party for word in set(text.split())) for party in parties
    ]
    offers = [{w: n for w, n in each.items() if n >= own_df} for each in frequencies]
    words = sorted(set().union(*offers))
    return [
        word
        for word in words
        if sum(word in offer for offer in offers) >= 2
        and min_df <= sum(offer.get(word, 0) for offer in offers) <= max_df
    ]


@pytest.mark.parametrize("weighting", ["auto", "counts", "tfidf"])
@pytest.mark.parametrize("algorithm", ["nmf", "kmeans", "plsa"])
def test_together_is_what_pooled_documents_lead_to(algorithm, weighting):
    agreed = session(algorithm, max_iter=10, weighting=weighting)
    words = plain_rule(PARTIES, min_df=6, own_df=3)
    pooled = ch.fit(
        algorithm, ch.read_corpus(pooled_texts(PARTIES), vocabulary=words), n_components=3,
        random_state=1, max_iter=10, weighting=weighting, **IN_SESSIONS.get(algorithm, {}),
    )  # fmt: skip
    together = met(agreed, secure=True, exact_totals=True)
    assert together.vocabulary.tolist() == words
    np.testing.assert_allclose(together.topics, pooled.topics, atol=1e-8)
    new = texts(4, seed=9)
    np.testing.assert_allclose(together.transform(new), pooled.transform(new), atol=1e-6)


def test_words_in_too_many_documents_are_left_out():
    given = [[f"{text} everywhere" for text in party] for party in PARTIES]
    documents = len(pooled_texts(given))
    model = met(session("plsa", {"max_df": 0.4}, max_iter=1), given)
    expected = plain_rule(given, min_df=6, own_df=3, max_df=0.4 * documents)
    assert model.vocabulary.tolist() == expected
    assert 0 < len(expected) < len(plain_rule(given, min_df=6, own_df=3)) - 1


@pytest.mark.parametrize("algorithm", ["lda", "nmf", "plsa", "kmeans", "anchor", "svd"])
def test_a_share_tells_no_number_that_the_fit_does_not_tell_anyhow(algorithm):
    """The number of documents of all: it is the only thing that a share adds up besides."""
    seen = []

    class Overheard(Simulated):
        def _total(self, step, shared, precision):
            total = super()._total(step, shared, precision)
            for each in total if isinstance(total, tuple) else (total,):
                seen.append((step.__name__, np.ravel(each).tolist()))
            return total

    corpora = [read_for(session(), each) for each in PARTIES]
    exact = algorithm == "anchor"
    more = {"refine": 0} if exact else {} if algorithm == "svd" else {"max_iter": 1}
    agreed = session(algorithm, {"max_df": 0.9}, **more)
    fit_between(lambda rows, about: Overheard(rows, exact_totals=exact), agreed, corpora)
    by_share = [total for name, total in seen if name == "count_all"]
    assert by_share == [[len(pooled_texts(PARTIES))]]
    assert any(by_share[0][0] in total for name, total in seen if name != "count_all")


def test_words_that_only_one_party_has_stay_there():
    given = [PARTIES[0], PARTIES[1], [f"{text} onlyhere" for text in PARTIES[2]]]
    assert "onlyhere" not in met(session(max_iter=1), given).vocabulary


def test_rare_words_at_one_party_are_counted_there_once_agreed():
    """A party with too few documents of a word doesn't offer it, but has it in its counts."""
    given = [
        [f"{text} shared" for text in PARTIES[0]],
        [f"{text} shared" for text in PARTIES[1]],
        [*PARTIES[2], "shared " * 50],
    ]
    one = met(session("kmeans", max_iter=1, weighting="counts", init="random"), given)
    words = one.vocabulary.tolist()
    pooled = ch.fit(
        "kmeans", ch.read_corpus(pooled_texts(given), vocabulary=words), n_components=3,
        random_state=1, max_iter=1, weighting="counts", init="random",
    )  # fmt: skip
    assert "shared" in words
    np.testing.assert_allclose(one.topics, pooled.topics, atol=1e-9)


def test_a_corpus_that_was_pruned_when_read_is_counted_anew():
    agreed = session(max_iter=3)
    corpora = [ch.read_corpus(each, min_df=8, stop_words=None) for each in PARTIES]
    model = fit_between(lambda rows, about: Simulated(rows), agreed, corpora)
    pooled = ch.fit(
        "nmf", ch.read_corpus(pooled_texts(PARTIES), vocabulary=model.vocabulary.tolist()),
        n_components=3, random_state=1, max_iter=3, **IN_SESSIONS["nmf"],
    )  # fmt: skip
    np.testing.assert_allclose(model.topics, pooled.topics, atol=1e-9)


def test_phrases_are_counted_where_they_were_not_looked_for():
    """A corpus that was read without phrases has none to offer, but all count what was agreed."""
    agreed = session("plsa", {"ngrams": [1, 2]}, max_iter=2)
    first = ch.read_corpus(PARTIES[0], stop_words=None)
    corpora = [first, *(read_for(agreed, each) for each in PARTIES[1:])]
    assert not any("_" in word for word in first.vocabulary)
    model = fit_between(lambda rows, about: Simulated(rows), agreed, corpora)
    words = model.vocabulary.tolist()
    pooled = ch.fit(
        "plsa",
        ch.read_corpus(pooled_texts(PARTIES), ngrams=(1, 2), stop_words=None, vocabulary=words),
        n_components=3, random_state=1, max_iter=2,
    )  # fmt: skip
    assert any("_" in word for word in words)
    np.testing.assert_allclose(model.topics, pooled.topics, atol=1e-9)


def test_a_public_list_is_the_vocabulary():
    words = ["bamel", "camel", "nowhere"]
    model = met(session("plsa", {"words": words, "min_df": 1}, max_iter=1))
    assert model.vocabulary.tolist() == words


def test_words_of_a_public_list_that_next_to_nobody_has_are_left_out():
    """A sum over such a word's documents would be about them alone."""
    texts = [["tea milk"] * 3 + ["tea secret"], ["tea sugar"] * 4, ["the tea"] * 4]
    words = ["milk", "nowhere", "secret", "sugar", "tea", "the"]
    for least, kept in ((2, ["milk", "sugar", "tea", "the"]), (4, ["sugar", "tea", "the"])):
        agreed = session("plsa", {"words": words, "min_df": least}, n_components=1, max_iter=1)
        assert met(agreed, texts).vocabulary.tolist() == kept


def test_parties_without_a_common_word_are_told():
    with pytest.raises(ch.InputError, match="no word in common"):
        met(session(), [["tea milk"] * 9, ["rum sugar"] * 9, ["bread salt"] * 9])


def test_items_in_baskets_are_counted_as_they_are(tmp_path):
    tables = []
    for party in range(3):
        path = tmp_path / f"{party}.csv"
        rows = [f"{user},Item {item} (1999)" for user in range(12) for item in range(user % 4 + 1)]
        path.write_text("\n".join(["user,item", *rows]))
        tables.append(path)
    agreed = session("plsa", {"items": True, "stop_words": "auto"}, n_components=2, max_iter=2)
    corpora = [read_for(agreed, path, basket="user", item="item") for path in tables]
    model = fit_between(lambda rows, about: Simulated(rows), agreed, corpora)
    assert model.vocabulary.tolist() == [f"Item {n} (1999)" for n in range(4)]
    with pytest.raises(ch.InputError, match="counts"):
        model.transform(["Item 1 (1999)"])
    with pytest.raises(ch.InputError, match="basket"):
        read_for(agreed, PARTIES[0])


def test_the_hash_of_rows_is_of_all_that_is_in_them():
    corpus = ch.read_corpus(PARTIES[0], stop_words=None)
    hashes = {
        rows_hash(each)
        for each in (
            corpus,
            corpus.counts,
            corpus.rows(slice(1, None)),
            replace(corpus, vocabulary=corpus.vocabulary[::-1].copy()),
            sp.csr_array(corpus.counts * 2),
        )
    }
    assert len(hashes) == 5
    assert rows_hash(corpus) == rows_hash(ch.read_corpus(PARTIES[0], stop_words=None))


def test_a_session_that_names_no_constraint_is_fitted_on_the_simplex():
    """Others need exact totals between parties; `ch.fit`, for oneself, sets none."""
    for known in (False, True):
        learner = program_of(replace(session(), exact_totals_know=known)).learner
        assert (learner.constraint, learner.loss) == ("simplex", "relative")
    free = replace(session(constraint="none"), exact_totals_know=True)
    assert program_of(free).learner.constraint == "none"


def test_concerns():
    three = session()
    two = replace(three, parties=three.parties[:2], two_parties_know=True)
    assert concerns(three, 30) == []
    assert len(concerns(three, 29)) == 1
    assert len(concerns(two, 5)) == 2


@pytest.mark.parametrize(
    ("algorithm", "wrong", "said"),
    [
        ("plsa", {"n_topics": 3}, "no parameter 'n_topics'"),
        ("kmeans", {"init": "best"}, "best"),
        ("word2vec", {}, "word2vec"),
    ],
)
def test_what_a_learner_refuses_is_refused_before_anything_leaves(algorithm, wrong, said):
    agreed = session(algorithm, **wrong)
    corpora = [read_for(agreed, each) for each in PARTIES]
    met_with = []
    with pytest.raises(ch.InputError, match=said):
        fit_between(lambda rows, about: met_with.append(rows), agreed, corpora)
    assert met_with == []


@pytest.mark.parametrize("rows", [np.array([[1.0, np.nan]]), np.array([[1.0, np.inf]]), [1.0, 2.0]])
def test_rows_that_no_sum_could_take_are_refused_by_join(rows, tmp_path):
    with pytest.raises(ch.InputError, match=r"NaN or infinity|two dimensions"):
        ch.join(session(), rows, key=tmp_path / "no.key", folder=tmp_path)
