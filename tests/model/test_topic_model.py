"""The result of a fit: tables, new documents in every form, the notebook's view."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Alone, Simulated

COUNTS = np.array(
    [[4, 2, 0, 0], [2, 1, 0, 0], [3, 2, 0, 0], [0, 0, 3, 3], [0, 0, 1, 1], [0, 0, 0, 0]]
)
WORDS = ["cat", "purr", "dog", "bark"]
TEXTS = ["Cats purr, cats sleep.", "Dogs bark!", "The dogs bark at the cats.", "Cats sleep.", ""]
LEARNERS = ["nmf", "plsa", "kmeans", "lda", "anchor"]


@pytest.fixture(scope="module")
def model():
    return ch.fit("kmeans", COUNTS, vocabulary=WORDS, n_components=2, random_state=0)


@pytest.fixture(scope="module")
def text_model():
    return ch.fit("nmf", TEXTS, n_components=2, random_state=0)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_finds_the_two_topics(name):
    model = ch.fit(name, COUNTS, vocabulary=WORDS, n_components=2, random_state=0)
    assert {frozenset(words) for words in model.top_word_lists(2)} == {
        frozenset({"cat", "purr"}),
        frozenset({"dog", "bark"}),
    }
    assert model.algorithm == name
    assert model.seed == 0
    assert (np.diff(model.prevalence) <= 0).all()
    assert model.weights.sum(axis=1) == pytest.approx(1)


def test_top_words_is_tidy_or_wide(model):
    tidy = model.top_words(3)
    assert list(tidy) == ["topic", "rank", "word", "score"]
    assert tidy["word"].tolist() == ["cat", "purr", "bark", "dog"]
    assert tidy["rank"].tolist() == [1, 2, 1, 2]
    wide = model.top_words(3, wide=True)
    assert wide.index.tolist() == [0, 1]
    assert wide.loc[1].tolist() == ["bark", "dog"]


def test_topic_info(model):
    table = model.topic_info(2)
    assert table["topic"].tolist() == [0, 1]
    assert table["words"].tolist() == ["cat purr", "bark dog"]
    assert table["prevalence"].sum() == pytest.approx(1)
    assert table["effective_words"][1] == pytest.approx(2, rel=0.01)


def test_document_info_carries_the_corpuss_other_columns():
    frame = pd.DataFrame({"text": TEXTS, "topic": list("abcde"), "year": range(2000, 2005)})
    corpus = ch.read_corpus(frame, text="text")
    model = ch.fit("nmf", corpus, n_components=2, random_state=0)
    own = ["id", "topic", "name", "weight", "words", "empty"]
    for table in (model.document_info(), model.document_info(frame, text="text")):
        assert list(table) == [*own, "corpus_topic", "year"]
        assert table["corpus_topic"].tolist() == list("abcde")
        assert table["year"].tolist() == list(range(2000, 2005))
    assert list(model.document_info(TEXTS)) == own


def test_document_info_keeps_ids_labels_and_empty_rows():
    corpus = ch.Corpus(COUNTS, WORDS, ids=list("abcdef"), labels=[1, 1, 1, 2, 2, None])
    model = ch.fit("kmeans", corpus, n_components=2, random_state=0)
    table = model.document_info()
    assert table["id"].tolist() == list("abcdef")
    assert table["topic"].tolist() == [0, 0, 0, 1, 1, 0]
    assert table["empty"].tolist() == [False] * 5 + [True]
    assert table["label"][0] == 1
    assert table["words"][4] == "bark dog"


def test_weights_table_has_ids_and_topics(text_model):
    table = text_model.weights_table(pd.Series(["cats"], index=["x"]))
    assert list(table) == ["id", "topic_0", "topic_1"]
    assert table["id"].tolist() == ["x"]


def test_all_forms_of_the_same_documents_have_the_same_weights(text_model):
    corpus = ch.read_corpus(TEXTS)
    forms = [TEXTS, tuple(TEXTS), pd.Series(TEXTS), corpus, corpus.counts, corpus.counts.toarray()]
    for form in forms:
        assert (text_model.transform(form) == text_model.weights).all()


def test_a_corpus_with_other_words_is_read_again_from_its_texts(text_model):
    other = ch.read_corpus(["Cats sleep.", "Quantum chromodynamics!"])
    with pytest.warns(UserWarning, match=r"1 of 2 documents have no word"):
        weights = text_model.transform(other)
    assert (weights[0] == text_model.transform(["Cats sleep."])[0]).all()
    assert weights[1] == pytest.approx(text_model.prevalence)


def test_counts_with_other_words_are_matched_and_the_rest_is_counted(model):
    other = ch.Corpus([[3, 5, 1, 6]], ["dog", "axolotl", "cat", "newt"])
    with pytest.warns(UserWarning, match=r"2 of the corpus's 4 different words, 73\.3%"):
        weights = model.transform(other)
    assert weights == pytest.approx(model.transform([[1, 0, 3, 0]]))


def test_plain_counts_are_weighted_like_the_training_documents():
    corpus = ch.read_corpus(TEXTS, weighting="tfidf")
    model = ch.fit("nmf", corpus, n_components=2, random_state=0)
    plain = ch.read_corpus(TEXTS)
    turned = ch.Corpus(plain.counts[:, ::-1], plain.vocabulary[::-1])
    assert model.transform(turned) == pytest.approx(model.weights)


@pytest.mark.parametrize(
    ("documents", "rule"),
    [
        (np.ones((2, 3)), "3 columns"),
        (sp.csr_array((2, 9)), "9 columns"),
        ("one text", "pass texts as a list"),
        (["a text"], "fitted on counts"),
        ({"a": 1}, "dict"),
        (None, "NoneType"),
        ([1, 2, 3], "list"),
    ],
)
def test_what_cannot_be_transformed_is_refused(model, documents, rule):
    with pytest.raises(ch.InputError, match=rule):
        model.transform(documents)


def test_a_commons_has_no_documents_to_weigh():
    parts = Simulated([COUNTS[:3], COUNTS[3:]])
    together = ch.fit("nmf", parts, vocabulary=WORDS, n_components=2, random_state=0)
    pooled = ch.fit("nmf", Alone(COUNTS), vocabulary=WORDS, n_components=2, random_state=0)
    assert together.topics == pytest.approx(pooled.topics, abs=1e-9)
    with pytest.raises(ch.InputError, match="training documents"):
        _ = together.weights


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"name": "nfm"}, "no learner called 'nfm'"),
        ({"n_component": 3}, "did you mean 'n_components'"),
        ({"n_components": 5}, "5 topics were asked for, and the vocabulary has only 4 words"),
        ({"n_components": 0}, "at least 1"),
        ({"vocabulary": None}, "vocabulary="),
        ({"vocabulary": ["a"]}, "4 words"),
        ({"vocabulary": ["a", "a", "b", "c"]}, "twice"),
        ({"vocabulary": "abcd"}, "4 words"),
        ({"corpus": [[1, 2], [3]]}, "matrix"),
    ],
)
def test_what_cannot_be_fitted_is_refused(arguments, rule):
    given = {"name": "nmf", "corpus": COUNTS, "vocabulary": WORDS, "n_components": 2, **arguments}
    with pytest.raises(ch.InputError, match=rule):
        ch.fit(**given)


def test_a_corpus_takes_no_second_vocabulary():
    with pytest.raises(ch.InputError, match="own vocabulary"):
        ch.fit("nmf", ch.Corpus(COUNTS, WORDS), vocabulary=WORDS, n_components=2)


def test_another_model_can_be_the_start(model):
    again = ch.fit("plsa", COUNTS, vocabulary=WORDS, n_components=2, init=model, max_iter=1)
    assert again.parameters["init"] == {"array": [2, 4]}


def test_an_unfitted_estimator_is_no_model():
    with pytest.raises(ch.InputError, match="not fitted"):
        ch.TopicModel(ch.NMF(2), WORDS)
    with pytest.raises(ch.InputError, match="must be one of"):
        ch.TopicModel(object(), WORDS)


def test_wrong_numbers_of_words_are_refused(model):
    for n in (0, -1, 1.5, "3"):
        with pytest.raises(ch.InputError, match="n must be"):
            model.top_words(n)


def test_repr_is_short(model):
    assert repr(model).startswith("TopicModel: KMeans, 2 topics over 4 words\n   0 ")
    assert "\x1b" not in repr(_with_words(["\x1b[31m", "b", "c", "d"]))


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def _with_words(words):
    return ch.fit("nmf", COUNTS, vocabulary=words, n_components=2, random_state=0)


def test_the_notebook_view_escapes_words():
    hostile = ["<script>alert(1)</script>", '" onmouseover="x', "<img src=x>", "&amp;"]
    page = Tags()
    page.feed(_with_words(hostile)._repr_html_())
    assert {"script", "img"}.isdisjoint(page.tags)
    assert "<script>alert(1)</script>" in page.text
    assert "&amp;" in page.text


def test_the_notebook_view_of_many_topics_says_what_it_leaves_out():
    rng = np.random.default_rng(0)
    words = [f"w{j}" for j in range(70)]
    model = ch.fit("kmeans", rng.poisson(1, (90, 70)), vocabulary=words, n_components=60)
    assert "and 10 smaller topics" in model._repr_html_()


def test_public_names_are_all_there():
    assert set(ch.__all__) <= set(dir(ch))
    for name in ch.__all__:
        assert getattr(ch, name) is not None
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        _ = ch.nothing_of_ours


def test_upper_and_lower_case_names_fit_the_same_model():
    lower, upper = (ch.fit(name, TEXTS, n_components=2, random_state=0) for name in ("nmf", "NMF"))
    assert lower.topics.tobytes() == upper.topics.tobytes()
    assert lower.parameters == upper.parameters


def test_a_corpus_with_an_idf_of_its_own_is_weighted_as_the_model():
    model = ch.fit("nmf", TEXTS, n_components=2, random_state=0)
    vocabulary = list(model.vocabulary)
    plain = ch.read_corpus(TEXTS[:3], vocabulary=vocabulary, keep_texts=False)
    own = ch.read_corpus(TEXTS[:3], vocabulary=vocabulary, weighting="tfidf", keep_texts=False)
    np.testing.assert_allclose(model.transform(own), model.transform(plain), atol=1e-12)
    lda = ch.fit("lda", TEXTS, n_components=2, random_state=0, max_iter=20)
    np.testing.assert_allclose(lda.transform(own), lda.transform(plain), atol=1e-12)


def test_what_fit_can_read_and_what_it_refuses():
    table = pd.DataFrame({"text": TEXTS})
    with_gap = [*TEXTS, None]
    assert ch.fit("nmf", table, n_components=2, random_state=0).n_topics == 2
    assert ch.fit("nmf", with_gap, n_components=2, random_state=0).weights.shape == (
        len(TEXTS) + 1, 2,
    )  # fmt: skip
    for rows in ([[1, np.nan]], [[1, -1]], []):
        with pytest.raises(ch.InputError):
            ch.fit("nmf", rows, vocabulary=["a", "b"], n_components=1)
    weighted = ch.read_corpus(TEXTS, weighting="tfidf")
    with pytest.raises(ch.InputError, match="weighted by tf-idf already"):
        ch.fit("nmf", weighted, weighting="counts", n_components=2)
    with pytest.raises(ch.InputError, match="random_state"):
        ch.fit("nmf", TEXTS, n_components=2, random_state=2**40)
