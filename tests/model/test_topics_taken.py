"""Topics are taken in the same forms, and refused in the same sentences, by all who take any.

They are to begin a learner from, to weigh documents by, to draw documents of, or to be measured.
"""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import chatham as ch
from chatham.corpus import planted_topics
from chatham.errors import InputError
from chatham.learners.words import as_probabilities
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.subject import folding
from chatham.model.infer import infer
from chatham.numerics.topics import as_topics

WORDS = ["tea", "milk", "topics", "rain"]
COUNTS = np.array([[3, 1, 0, 2], [0, 2, 4, 1], [1, 1, 1, 5], [6, 0, 1, 0]])


def begun_by(learner):
    def begun(topics, k=2):
        return learner(k, init=topics, max_iter=1, random_state=0).fit(COUNTS).components_

    return begun


TAKERS = {
    "coercion": as_topics,
    "NMF": begun_by(ch.NMF),
    "PLSA": begun_by(ch.PLSA),
    "KMeans": begun_by(ch.KMeans),
    "LDA": begun_by(ch.LDA),
    "infer": lambda topics: infer(topics, COUNTS),
    "synthetic_corpus": lambda topics: ch.synthetic_corpus(topics, 5, random_state=0).topics,
    "as_subject": lambda topics: as_subject(topics, WORDS).distributions,
}

FORMS = {
    "lists": np.ndarray.tolist,
    "whole numbers": lambda topics: topics.astype(np.int32),
    "single precision": lambda topics: topics.astype(np.float32),
    "columns first": np.asfortranarray,
    "objects": lambda topics: topics.astype(object),
    "sparse rows": sp.csr_array,
    "sparse columns": sp.csc_matrix,
    "a table": lambda topics: pd.DataFrame(topics, columns=WORDS),
    "a table of unlike columns": lambda topics: pd.DataFrame(topics, columns=WORDS).astype(
        {"tea": object, "milk": np.int64}
    ),
    "an estimator": lambda topics: folding("plsa", topics),
    "a model": lambda topics: ch.TopicModel(folding("plsa", topics), WORDS),
}

FAULTS = {
    "one row": np.ones(4),
    "three dimensions": np.ones((1, 2, 4)),
    "no topic": np.zeros((0, 4)),
    "no word": np.zeros((2, 0)),
    "NaN": np.array([[1, 1, 1, np.nan], [1, 1, 1, 1]]),
    "infinity": np.array([[1, 1, 1, 1], [1, np.inf, 1, 1]]),
    "negative": np.array([[1, 1, 1, -0.5], [1, 1, 1, 1]]),
    "words": np.array([["a", "b", "c", "d"]] * 2),
    "numbers as words": np.array([["1", "2", "3", "4"]] * 2),
    "a word among numbers": np.array([[1, 2, 3, "4"]] * 2, dtype=object),
    "complex": np.ones((2, 4)) + 1j,
    "dates": np.ones((2, 4)).astype("datetime64[s]"),
    "sparse and negative": sp.csr_array(-np.ones((2, 4))),
    "a table of words": pd.DataFrame([["a", "b", "c", "d"]] * 2, columns=WORDS),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("taker", TAKERS)
@settings(max_examples=5)
@given(topics=arrays(np.float64, (2, 4), elements=st.integers(1, 9)))
def test_every_form_is_taken_for_the_same_topics(taker, form, topics):
    take = TAKERS[taker]
    if form == "a model":  # its topics are distributions, whatever its estimator has
        topics = as_probabilities(topics)
    np.testing.assert_array_equal(take(FORMS[form](topics)), take(topics))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("taker", [taker for taker in TAKERS if taker != "coercion"])
def test_every_fault_is_refused_in_one_sentence(taker, fault):
    with pytest.raises(InputError) as alone:
        as_topics(FAULTS[fault])
    with pytest.raises(InputError) as taken:
        TAKERS[taker](FAULTS[fault])
    rule = str(alone.value).removeprefix("topics ")
    assert rule.startswith("must ")
    assert str(taken.value).endswith(rule)


@pytest.mark.parametrize("given", [object(), [[1, 2], [3]], None, {"a": 1}, ch.LDA(2)])
@pytest.mark.parametrize("taker", ["coercion", "NMF", "PLSA", "KMeans", "LDA", "synthetic_corpus"])
def test_what_is_no_array_at_all(taker, given):
    with pytest.raises(InputError, match=f"this {type(given).__name__} is neither"):
        TAKERS[taker](given)


@pytest.mark.parametrize("taker", ["infer", "synthetic_corpus"])
def test_a_topic_without_words_is_named_by_those_who_need_some(taker):
    topics = np.array([[1, 0, 0, 0], [0, 0, 0, 0]])
    assert as_topics(topics).tolist() == topics.tolist()
    with pytest.raises(InputError, match=r"^Topic 1 \(counted from 0\) has no word: leave it out"):
        TAKERS[taker](topics)


@pytest.mark.parametrize("taker", TAKERS)
def test_what_was_given_stays_as_it_was(taker):
    topics = np.array([[0.5, 0.25, 0.25, 0.0], [0.0, 0.0, 0.5, 0.5]])
    before = topics.copy()
    found = TAKERS[taker](topics)
    if taker != "as_subject":  # which only looks at them
        found[:] = 7
    np.testing.assert_array_equal(topics, before)


def test_the_parameter_is_named():
    wrong = np.full((2, 4), -1)
    with pytest.raises(InputError) as error:
        infer(wrong, COUNTS)
    assert error.value.parameters == ("topics",)
    with pytest.raises(InputError, match=r"^The 'init' parameter of KMeans must have no negative"):
        TAKERS["KMeans"](wrong)
    with pytest.raises(InputError, match=r"'init' parameter of PLSA .* here \(2, 4\)\. Got .*3, 4"):
        TAKERS["PLSA"](np.ones((3, 4)))


def test_planted_topics_and_anything_else_with_topics_are_taken():
    planted = planted_topics(2, 4, random_state=0)
    np.testing.assert_array_equal(as_topics(planted), planted.topics)
    np.testing.assert_array_equal(as_topics(SimpleNamespace(topics=[[1, 2]])), [[1, 2]])
