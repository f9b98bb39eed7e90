"""`evaluate`: words from elsewhere, references, and topics that are known."""

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.measures.evaluate import evaluate
from chatham.measures.texts import TokenTexts
from tests.measures.test_contract import World, words_of


@pytest.fixture(scope="module")
def world():
    return World()


def test_texts_are_read_as_the_model_reads_them():
    texts = ["Tea and milk", "the SEA and the sky", "milk tea", "sky over sea"]
    model = ch.fit("plsa", texts, n_components=2, random_state=0)
    from_texts = ch.evaluate(model, texts, measures=["npmi", "frobenius"])
    from_corpus = ch.evaluate(model, ch.read_corpus(texts), measures=["npmi", "frobenius"])
    assert from_texts["value"].tolist() == from_corpus["value"].tolist()


def test_the_reference_is_where_words_are_counted(world):
    other = World(seed=9)
    own = evaluate(world.subject(), world.corpus, measures="npmi")
    elsewhere = evaluate(world.subject(), world.corpus, measures="npmi", reference=other.corpus)
    assert own["value"][0] != elsewhere["value"][0]
    assert elsewhere["settings"][0]["measured_on"] == "reference"
    expected = evaluate(world.subject(), other.corpus, measures="npmi")
    assert elsewhere["value"][0] == expected["value"][0]


def test_lists_of_words_can_be_the_reference(world):
    words = TokenTexts([text.split() for text in world.corpus.texts])
    names = ["c_v", "npmi"]
    split = evaluate(world.subject(), measures=names, reference=words)
    whole = evaluate(world.subject(), measures=names, reference=world.corpus)
    assert split["value"].tolist() == whole["value"].tolist()


def test_true_topics_are_matched_by_their_words(world):
    subject, names = world.subject(), ["l1_to_truth", "distance_to_truth"]
    order = np.random.default_rng(0).permutation(len(subject.vocabulary))
    words = subject.vocabulary[order]
    turned = (subject.topics[:, order], list(words))
    table = pd.DataFrame(subject.topics[:, order], columns=words)
    for truth in (subject.topics, turned, table, subject):
        scores = evaluate(subject, measures=names, true_topics=truth)
        assert scores["value"].tolist() == pytest.approx([0, 0], abs=1e-9)


def test_true_topics_of_other_words_are_refused(world):
    other = (world.true_topics, [f"other{j}" for j in range(world.true_topics.shape[1])])
    with pytest.raises(InputError, match="no word in common"):
        evaluate(world.subject(), measures="l1_to_truth", true_topics=other)
    half = (np.array([[0.5, 0.5]]), [words_of(1)[0], "other"])
    with pytest.warns(UserWarning, match="50.0% of the true topics"):
        evaluate(world.subject(), measures="l1_to_truth", true_topics=half)


def test_models_that_need_their_words_are_given_them(world):
    from sklearn.decomposition import NMF

    model = NMF(3, random_state=0).fit(world.corpus.counts)
    words = list(world.corpus.vocabulary)
    table = ch.evaluate(model, world.corpus, vocabulary=words, measures=["npmi", "frobenius"])
    pair = ch.evaluate((model.components_, words), world.corpus, measures=["npmi", "frobenius"])
    assert table["value"].tolist() == pair["value"].tolist()


def test_the_share_of_known_words_is_said():
    topics = (np.array([[0.5, 0.5], [1.0, 0.0]]), ["tea", "milk"])
    texts = ["tea milk sugar", "tea rum", "rum gin"]  # 3 of 7 words are known
    with pytest.warns(UserWarning, match="Only 42.9% of the words"):
        table = ch.evaluate(topics, texts, measures=["frobenius", "log_likelihood"])
    assert [s["known_words"] for s in table["settings"]] == [3 / 7, 3 / 7]


def test_every_document_with_words_is_in_the_reference():
    texts = ["tea milk", "tea milk", "rum gin", "rum and gin"]
    lists = ch.evaluate([["tea", "milk"]], texts, measures="npmi")
    whole = ch.evaluate((np.array([[0.5, 0.5]]), ["tea", "milk"]), texts, measures="npmi")
    assert [t["settings"][0]["windows"] for t in (lists, whole)] == [4, 4]


def test_words_from_elsewhere_are_counted_though_they_be_stop_words():
    corpus = ch.sample_corpus()
    scores = ch.evaluate([["the", "of"], ["language", "model"]], corpus.texts, measures="npmi")
    assert scores["settings"][0]["missing_words"] == 0
    assert None not in scores["per_topic"][0]


def test_lists_of_words_and_their_model_are_measured_in_the_same_windows():
    texts = ch.sample_corpus().rows(range(300)).texts
    model = ch.fit("nmf", texts, n_components=3, random_state=0)
    lists = model.top_word_lists(10)
    names = ["npmi", "uci", "c_v"]
    scores = [ch.evaluate(each, texts, measures=names)["value"].tolist() for each in (model, lists)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)
    side_by_side = ch.compare({"model": model, "lists": lists}, texts, measures=names)
    assert side_by_side["model"].tolist() == pytest.approx(scores[0], abs=1e-12)
    assert side_by_side["best"].isna().all()


def test_what_is_given_as_words_alone_is_skipped_where_counts_are_needed(world):
    words = TokenTexts([text.split() for text in world.corpus.texts])
    table = evaluate(world.subject(), words)
    assert {"npmi", "c_v"} <= set(table["measure"])
    assert "documents" in table.attrs["skipped"]["frobenius"]


def test_a_holder_without_documents_does_not_stop_sliding_windows(world):
    nothing = ch.Corpus(world.corpus.counts[:0], world.corpus.vocabulary)
    commons = ch.Simulated([world.corpus, nothing])
    expected = evaluate(world.subject(), world.corpus, measures="c_v")["value"][0]
    assert evaluate(world.subject(), commons, measures="c_v")["value"][0] == expected
