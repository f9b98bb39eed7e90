"""New texts become rows just as the old ones did, also after saving."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatham.corpus import Tokenizer, Vectorizer, read_corpus
from chatham.errors import InputError

TEXTS = ["Tea with milk", "tea, tea and lemon", "", None, "milk tea"]
words = st.sampled_from(["tea", "Tea", "milk", "thé", "चाय", "x", "42", "ice-cream", "don't"])
documents = st.lists(st.lists(words, max_size=8).map(" ".join), min_size=1, max_size=8)
options = st.fixed_dictionaries(
    {
        "ngrams": st.sampled_from([(1, 1), (1, 2), (2, 3)]),
        "hyphens": st.booleans(),
        "lowercase": st.booleans(),
        "weighting": st.sampled_from(["counts", "tfidf"]),
        "stop_words": st.sampled_from([None, ["tea"]]),
        "min_length": st.sampled_from([1, 2]),
    }
)


def read_or_none(texts, **chosen):
    """Read texts, unless no word is left of them."""
    try:
        return read_corpus(texts, **chosen)
    except InputError as error:
        if "No word is left" in str(error):
            return None
        raise


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and (a != b).nnz == 0


@given(documents, options)
def test_training_texts_give_the_training_counts(texts, chosen):
    corpus = read_or_none(texts, **chosen)
    if corpus is not None:
        assert same(corpus.vectorizer.counts(texts), corpus.counts)


@given(documents, options)
def test_saved_and_read_back_it_counts_the_same(texts, chosen):
    corpus = read_or_none(texts, **chosen)
    if corpus is not None:
        saved = json.loads(json.dumps(corpus.vectorizer.to_dict()))
        again = Vectorizer.from_dict(saved, corpus.vocabulary)
        assert same(again.counts(texts), corpus.counts)
        assert again.to_dict() == saved


@given(documents)
def test_rows_sum_to_the_number_of_tokens_in_the_vocabulary(texts):
    corpus = read_or_none(texts, stop_words=None, max_features=3)
    if corpus is not None:
        kept = set(corpus.vocabulary)
        expected = [sum(token in kept for token in Tokenizer()(text)) for text in texts]
        assert corpus.counts.sum(axis=1).tolist() == expected


def test_missing_texts_are_empty_rows():
    vectorizer = read_corpus(TEXTS).vectorizer
    assert vectorizer.counts([None, float("nan"), "tea"]).sum(axis=1).tolist() == [0, 0, 1]


def test_an_own_function_is_asked_for_after_loading():
    corpus = read_corpus(["A b", "b"], tokenizer=str.split, stop_words=None)
    saved = corpus.vectorizer.to_dict()
    assert saved["tokenizer"]["custom"] is True
    loaded = Vectorizer.from_dict(json.loads(json.dumps(saved)), corpus.vocabulary)
    assert loaded.to_dict() == saved
    with pytest.raises(InputError, match="with_tokenizer"):
        loaded.counts(["A b"])
    assert same(loaded.with_tokenizer(str.split).counts(["A b", "b"]), corpus.counts)


def test_a_failing_function_is_named_without_its_text():
    def fail(text):
        raise KeyError(text)

    with pytest.raises(InputError, match="failed with KeyError on a text of 8") as caught:
        read_corpus(["a secret"], tokenizer=fail, stop_words=None)
    assert "secret" not in str(caught.value)


def test_a_failing_function_is_named_when_the_language_is_guessed_too():
    def fail(text):
        raise KeyError(text)

    with pytest.raises(InputError, match="with KeyError") as caught:
        read_corpus(["a secret"], tokenizer=fail)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("answer", [[1, 2], [None], 7])
def test_a_function_that_gives_no_words_is_refused(answer):
    with pytest.raises(InputError, match="tokenizer function"):
        read_corpus(["tea"], tokenizer=lambda text: answer)


def test_one_string_is_not_a_list_of_texts():
    with pytest.raises(InputError, match="put it into a list"):
        read_corpus(TEXTS).vectorizer.counts("tea")


def test_what_is_no_text_is_refused_by_number():
    with pytest.raises(InputError, match="Text number 1 isn't a string but of type int"):
        read_corpus(TEXTS).vectorizer.counts(["tea", 5])


def test_counts_alone_cannot_take_texts_but_weigh_new_counts():
    corpus = read_corpus(np.array([[1, 0], [1, 2]]), vocabulary=["a", "b"], weighting="tfidf")
    with pytest.raises(InputError, match="given as counts"):
        corpus.vectorizer.counts(["a b"])
    assert same(corpus.vectorizer.weigh(np_csr([[1, 0], [1, 2]])), corpus.counts)


def np_csr(rows):
    return read_corpus(np.array(rows), vocabulary=["a", "b"]).counts


@pytest.mark.parametrize(
    "damage",
    [
        "nonsense",
        {"tokenizer": 5, "weighting": "counts", "idf": None},
        {"tokenizer": {}, "weighting": "counts", "idf": None},
        {"tokenizer": None, "weighting": "exec", "idf": None},
        {"tokenizer": None, "weighting": ["tfidf"], "idf": [1.0]},
        {"tokenizer": None, "weighting": "tfidf", "idf": None},
        {"tokenizer": None, "weighting": "tfidf", "idf": ["x"]},
        {"tokenizer": None, "weighting": "tfidf", "idf": [1.0, 2.0, 3.0]},
        {"tokenizer": None, "weighting": "tfidf", "idf": [[1.0]]},
    ],
)
def test_damaged_settings_are_refused(damage):
    with pytest.raises(InputError):
        Vectorizer.from_dict(damage, ["a"])


@pytest.mark.parametrize("name", sorted(Tokenizer().to_dict()))
def test_each_damaged_tokenizer_setting_is_refused(name):
    settings = {**Tokenizer().to_dict(), name: {"no": "good"}}
    with pytest.raises(InputError, match=name):
        Tokenizer.from_dict(settings)


def test_progress_counts_up_to_all_documents():
    steps = []
    read_corpus(
        ["tea"] * 4500, max_df=1.0, progress=lambda done, total: steps.append((done, total))
    )
    assert steps == [(2000, 4500), (4000, 4500), (4500, 4500)]


def test_words_that_no_text_can_have_are_said():
    with pytest.warns(UserWarning, match="never produces 2 words of the vocabulary"):
        corpus = read_corpus(["Apple brown tea"], vocabulary=["Apple", "Brown", "tea"])
    assert corpus.counts.toarray().tolist() == [[0, 0, 1]]
    assert any("never produces 2 words" in note for note in corpus.notes)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["Apple", "tea"], {"lowercase": False}),
        (["a", "7", "été", "the"], {}),
        (["re-read"], {"hyphens": True}),
        (["tea", "green_tea"], {"ngrams": (1, 2), "stop_words": None}),
        (["Apple!"], {"tokenizer": str.split}),
    ],
)
def test_nothing_is_said_of_words_that_a_text_can_have(words, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus = read_corpus([" ".join(words).replace("_", " ")], vocabulary=words, **options)
    assert (corpus.counts.toarray() > 0).all()


def test_n_grams_longer_than_asked_for_are_never_found():
    with pytest.warns(UserWarning, match="never produces 1 word of the vocabulary, so it is"):
        read_corpus(["hot green tea"], vocabulary=["tea", "hot_green_tea"], ngrams=(1, 2))
