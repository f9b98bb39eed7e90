"""The topic that each word is from: Bayes' rule by hand, places in the text, odd input."""

import numpy as np
import pytest

import chatham as ch
from chatham.documents.tinting import tinted, topics_of_words
from chatham.errors import InputError
from chatham.measures.elsewhere.anything import as_subject

TOPICS = np.array([[0.6, 0.3, 0.1, 0.0], [0.1, 0.3, 0.0, 0.6]])
WORDS = ["tea", "milk", "rain", "bus"]


def test_a_word_is_from_a_topic_by_bayes_rule():
    """Against the enumeration of all pairs of a topic and a word."""
    weights = np.array([0.25, 0.75])
    joint = weights[:, None] * TOPICS
    found = topics_of_words(TOPICS, weights, np.arange(4))
    np.testing.assert_allclose(found, (joint / joint.sum(axis=0)).T)
    assert found[0].tolist() == pytest.approx([0.15 / 0.225, 0.075 / 0.225])
    assert topics_of_words(TOPICS, np.array([1.0, 0.0]), np.array([3])).tolist() == [[0.0, 0.0]]


def test_the_expected_words_of_a_topic_are_its_weight_at_the_likeliest_weights():
    """Weights of the highest likelihood are a fixed point: the mean of their words' shares."""
    document = tinted(TOPICS, "tea tea tea rain bus milk milk bus", WORDS)
    np.testing.assert_allclose(document.probabilities.mean(axis=0), document.weights, atol=1e-4)


def test_the_same_word_is_from_another_topic_in_another_document():
    in_tea = tinted(TOPICS, "milk and tea and tea and rain", WORDS)
    in_buses = tinted(TOPICS, "milk on the bus, the bus, the bus", WORDS)
    assert [d.spans[0].topic for d in (in_tea, in_buses)] == [0, 1]
    assert [d.spans[0].word for d in (in_tea, in_buses)] == ["milk", "milk"]


def test_equally_likely_topics_give_the_smaller_number():
    alike = np.array([[0.1, 0.9], [0.1, 0.9], [0.7, 0.3]])
    document = tinted(alike, "b b b", ["a", "b"])
    assert {span.topic for span in document.spans} == {0}


def test_pieces_are_the_whole_text_and_words_outside_the_vocabulary_are_plain():
    text = "  Tea?\n\nNo: the MILK, & rain &amp; bus\u00ad. "
    document = tinted(TOPICS, text, WORDS)
    pieces = document.pieces()
    assert "".join(piece for piece, _ in pieces) == text
    assert [piece for piece, span in pieces if span] == ["Tea", "MILK", "rain", "bus"]
    table = document.table()
    assert table.columns.tolist() == ["begin", "end", "word", "topic", "probability"]
    assert [text[b:e] for b, e in zip(table["begin"], table["end"], strict=True)] == [
        "Tea", "MILK", "rain", "bus",
    ]  # fmt: skip
    np.testing.assert_allclose(document.probabilities.max(axis=1), table["probability"])


def test_of_ngrams_the_longest_is_shown_and_stop_words_between_are_in_it():
    texts = ["State of the art model", "state of the art model wins", "a model of the state"] * 4
    corpus = ch.read_corpus(texts, ngrams=(1, 2), stop_words=["of", "the", "a"], min_df=1,
                            max_df=1.0)  # fmt: skip
    model = ch.fit("nmf", corpus, n_components=2, random_state=0)
    document = model.tinted("The State of the Art model!")
    assert [span.word for span in document.spans] == ["state_art", "model"]
    assert [piece for piece, span in document.pieces() if span] == ["State of the Art", "model"]
    # The weights are those of all its terms, also of those below the longer ones.
    weights = model.transform(["The State of the Art model!"])[0]
    np.testing.assert_allclose(document.weights, weights, atol=1e-12)


@pytest.mark.parametrize("name", ["lda", "nmf", "plsa", "kmeans", "anchor", "online-lda"])
def test_every_learners_words_are_from_topics_by_its_own_weights(name):
    corpus = ch.sample_corpus(max_features=300).rows(range(0, 2887, 8))
    model = ch.fit(name, corpus, n_components=4, random_state=0, max_iter=10)
    text = corpus.texts[5]
    document = model.tinted(text)
    weights = model.transform([text])[0]
    np.testing.assert_allclose(document.weights, weights, atol=1e-9)
    columns = [list(model.vocabulary).index(span.word) for span in document.spans]
    joint = weights * model.topics[:, columns].T
    known = joint.sum(axis=1) > 0
    np.testing.assert_allclose(
        document.probabilities[known], joint[known] / joint[known].sum(axis=1, keepdims=True),
        atol=1e-9,
    )  # fmt: skip


def test_words_are_from_the_topics_of_an_edited_model():
    corpus = ch.sample_corpus(max_features=300).rows(range(0, 2887, 8))
    model = ch.fit("lda", corpus, n_components=4, random_state=0, max_iter=10)
    model.names[2] = "mine"
    edited = model.merge([[1, 3]])
    after = edited.tinted(corpus.texts[5])
    assert after.numbers.tolist() == [0, 1, 2]
    assert after.names[2] == "mine"
    assert {span.topic for span in after.spans} <= {0, 1, 2}
    weights = edited.transform([corpus.texts[5]])[0]
    columns = [list(edited.vocabulary).index(span.word) for span in after.spans]
    joint = weights * edited.topics[:, columns].T
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(after.probabilities, expected, atol=1e-9)


def test_texts_without_any_known_word_and_lists_of_words():
    model = ch.fit("nmf", [["New York", "tea"], ["tea", "rum"], ["rum"]], n_components=2,
                   random_state=0)  # fmt: skip
    document = model.tinted(["New York", "never", "rum"])
    assert document.text == "New York never rum"
    assert [piece for piece, span in document.pieces() if span] == ["New York", "rum"]
    for empty in ([], ["never"]):
        nothing = model.tinted(empty)
        assert nothing.spans == ()
        assert nothing.probabilities.shape == (0, 2)
        np.testing.assert_allclose(nothing.weights, model.prevalence)
        assert len(nothing.table()) == 0
    with pytest.raises(InputError, match="give new documents as lists of words"):
        model.tinted("New York")


def test_one_topic_and_many():
    one = tinted(np.array([[0.5, 0.5]]), "tea milk", ["tea", "milk"])
    assert [(span.topic, span.probability) for span in one.spans] == [(0, 1.0), (0, 1.0)]
    words = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(200)]
    many = tinted(np.eye(200), " ".join(words), words)
    assert [span.topic for span in many.spans] == list(range(200))


def test_what_shows_itself_is_short():
    document = tinted(TOPICS, "tea and bus", WORDS)
    assert repr(document) == "Tinted(2 words of 2 topics)"
    assert 'class="chatham-document"' in document._repr_html_()


@pytest.mark.parametrize("text", [None, 3, {"text": "tea"}, ["tea", 3], b"tea"])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(InputError, match="text"):
        tinted(TOPICS, text, WORDS)


def test_directions_and_lists_are_refused():
    model = ch.fit("svd", ["cats purr", "dogs bark", "cats bark"], n_components=1)
    with pytest.raises(InputError, match=r"no direction of svd.*give a model of topics"):
        model.tinted("cats")
    with pytest.raises(InputError, match="Lists of words have no probabilities"):
        tinted(as_subject([["tea", "milk"], ["bus"]]), "tea")
