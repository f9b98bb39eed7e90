"""Topics of other tools arrive as they are there, and what is no topic is refused in a sentence."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD

import chatham as ch
from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject

TEXTS = ["cats purr cats sleep", "kittens purr", "dogs bark", "puppies bark at dogs", "cats purr"]


TOKENS = [text.split() for text in TEXTS]


WORDS = ["cats", "dogs", "purr", "bark"]


TOPICS = np.array([[3.0, 0.0, 1.0, 0.0], [0.0, 2.0, 0.0, 2.0]])


def rows_sum_to_one(subject):
    return np.allclose(subject.distributions.sum(axis=1), 1, atol=1e-12)


def test_a_subject_is_itself():
    subject = as_subject([["a"]])
    assert as_subject(subject) is subject


def test_our_model_and_our_learner_are_the_same():
    corpus = ch.read_corpus(TEXTS, stop_words=None, min_df=1, max_df=1.0)
    model = ch.fit("nmf", corpus, n_components=2, weighting="counts", random_state=0)
    both = as_subject(model), as_subject(model.estimator, vocabulary=corpus.vocabulary)
    assert both[0].estimator is both[1].estimator is model.estimator
    assert (both[0].topics == both[1].topics).all()
    assert as_subject(model, name="mine").name == "mine"


def test_lists_of_words():
    subject = as_subject([["purr", "cats"], (), np.array(["bark"])])
    assert subject.n_topics == 3
    assert subject.top_words(1) == [["purr"], [], ["bark"]]
    assert subject.vocabulary.tolist() == ["bark", "cats", "purr"]
    assert subject.topics is None
    with pytest.raises(InputError, match="no probabilities"):
        _ = subject.distributions


@pytest.mark.parametrize(
    "form",
    [
        lambda: as_subject(TOPICS, WORDS),
        lambda: as_subject((TOPICS, WORDS)),
        lambda: as_subject([TOPICS.tolist(), WORDS]),
        lambda: as_subject(TOPICS.astype(int).tolist(), np.array(WORDS)),
        lambda: as_subject(pd.DataFrame(TOPICS, columns=WORDS)),
        lambda: as_subject(sp.csr_array(TOPICS), pd.Index(WORDS)),
        lambda: as_subject({"topic-word-matrix": TOPICS}, WORDS),
    ],
)
def test_arrays_in_every_form(form):
    subject = form()
    assert subject.distributions.tolist() == [[0.75, 0, 0.25, 0], [0, 0.5, 0, 0.5]]
    assert subject.vocabulary.tolist() == WORDS


def test_numbers_of_unlike_kinds():
    frame = pd.DataFrame({"a": [1, 0], "b": pd.array([3.0, 2.0], dtype="Float64")})
    for given in (frame, frame.astype(object)):
        assert as_subject(given).distributions.tolist() == [[0.25, 0.75], [0.0, 1.0]]
    longest = "x" * 500
    assert as_subject([[longest]]).top_words(1) == [[longest]]


def test_a_topic_of_zeros_stays_one():
    subject = as_subject([[0, 0], [1, 3]], ["a", "b"])
    assert subject.distributions.tolist() == [[0, 0], [0.25, 0.75]]
    assert subject.top_words(5) == [[], ["b", "a"]]


def test_documents_are_weighed_by_maximum_likelihood():
    """Topics that share no word: a topic's weight is the share of its words in the document."""
    subject = as_subject(TOPICS, WORDS)
    counts = sp.csr_array(np.array([[3, 1, 0, 0], [0, 0, 0, 5]]))
    assert np.allclose(subject.weights(counts), [[0.75, 0.25], [0, 1]], atol=1e-6)


def test_words_that_no_topic_has_favour_none():
    """The third word tells nothing: the rest decide; a document of it alone is half and half."""
    subject = as_subject([[1, 0, 0], [0, 1, 0], [0, 0, 0]], ["a", "b", "strange"])
    counts = sp.csr_array(np.array([[1, 0, 9], [0, 0, 1], [1, 1, 0]]))
    weights = subject.weights(counts)
    assert np.isfinite(weights).all()
    assert weights[0, 0] > 10 * weights[0, 1]
    assert weights[1, 0] == pytest.approx(weights[1, 1])
    assert np.allclose(weights[2], [0.5, 0.5, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("model", "vocabulary", "said"),
    [
        ([["a", "b", "a"]], None, "same word twice, as its words 1 and 3"),
        ([[], []], None, "no word"),
        ([], None, "no word"),
        (["a b c"], None, "single string"),
        ([["a", 3]], None, "isn't a word"),
        ([["a", ""]], None, "isn't a word"),
        ([3, 4], None, "lists of words"),
        (TOPICS, None, "vocabulary="),
        (TOPICS, "cats", "vocabulary="),
        (TOPICS, WORDS[:3], "list of 4 words"),
        (TOPICS.T, WORDS, "transpose"),
        (TOPICS, ["a", "a", "b", "c"], "same word twice"),
        (-TOPICS, WORDS, "negative"),
        (TOPICS * np.nan, WORDS, "finite"),
        (TOPICS * 0, WORDS, "zeros only"),
        (np.zeros((0, 4)), WORDS, "topics × words"),
        (np.ones(4), WORDS, "topics × words"),
        (np.array([["a", "b"]]), ["a", "b"], "numbers only"),
        (np.array([["1", "2"]]), ["a", "b"], "numbers only"),
        (np.array([["1", 2]], dtype=object), ["a", "b"], "numbers only"),
        (np.array([[1 + 2j, 1]]), ["a", "b"], "numbers only"),
        (sp.csr_array([[1 + 2j, 1]]), ["a", "b"], "numbers only"),
        (np.array([[3, 4]], dtype="datetime64[s]"), ["a", "b"], "numbers only"),
        (np.array([[3, 4]], dtype="timedelta64[s]"), ["a", "b"], "numbers only"),
        (pd.DataFrame({"a": ["1"], "b": [2.0]}), None, "numbers only"),
        ([["a", "x" * 501]], None, "word has 501 characters; at most 500"),
        (TOPICS, ["x" * 501, "a", "b", "c"], "501 characters"),
        ({"topics": [["a"]], "topic-document-matrix": np.array([["1"]])}, None, "numbers only"),
        ({"words": []}, None, "topic-word-matrix"),
        ({"topics": ["ab"]}, None, "lists of words"),
        ({"topics": [["a"]], "topic-document-matrix": [[1], [2]]}, None, "row for each"),
        (object(), None, "can't be read from object"),
        (TruncatedSVD(), None, "isn't fitted"),
    ],
)
def test_what_is_no_topic_is_refused(model, vocabulary, said):
    with pytest.raises(InputError, match=said):
        as_subject(model, vocabulary)


def test_octis_without_a_vocabulary_has_words_alone():
    """Document weights .8 .4 / .2 .6: the topics' shares are .6 and .4."""
    output = {
        "topics": [["cats", "purr"], ["dogs", "bark"]],
        "topic-word-matrix": TOPICS,
        "topic-document-matrix": np.array([[0.8, 0.4], [0.2, 0.6]]),
    }
    subject = as_subject(output)
    assert subject.topics is None
    assert subject.shares.tolist() == pytest.approx([0.6, 0.4])
    whole = as_subject(output, WORDS)
    assert whole.distributions[0].tolist() == [0.75, 0, 0.25, 0]
    assert whole.shares.tolist() == pytest.approx([0.6, 0.4])
