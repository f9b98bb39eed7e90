"""The page's words are the library's, in its order, at every λ that the slider has."""

import numpy as np
import pytest

import chatham as ch
from chatham.explorer.numbering import numbers_of, ordering_of
from chatham.explorer.words import GRID, SHOWN, word_tables
from tests.explorer.conftest import wide_model


def tables(model):
    return word_tables(
        model.topics, ordering_of(model), model.prevalence, model.vocabulary,
        numbers_of(model),
    )  # fmt: skip


def as_on_the_page(entries, words, by, lam, n):
    """What order.js does, in Python's doubles, which are JavaScript's."""
    place = np.array(entries["word"])
    own = np.array(entries.get("ordering", entries["probability"]))
    scores = {
        "prevalence": own,
        "discriminability": own * np.array(words["discriminability"])[place],
        "uplift": np.array(entries["exclusive"]) * lam + (1 - lam) * own,
        "relevance": np.array(entries["log"]) - (1 - lam) * np.array(words["log_share"])[place],
    }[by]
    order = sorted(range(len(place)), key=lambda i: (-scores[i], place[i]))[:n]
    return [words["word"][place[i]] for i in order]


@pytest.mark.parametrize("name", ["lda", "nmf", "kmeans"])
def test_the_order_is_the_librarys_at_every_step_of_the_slider(name):
    corpus = ch.sample_corpus()
    model = ch.fit(name, corpus, n_components=6, max_iter=20, random_state=0)
    made = tables(model)
    assert made["words"]["word"] == sorted(made["words"]["word"])
    for by in ("relevance", "uplift"):
        for lam in [*GRID[::3], 1.0]:
            expected = model.top_word_lists(SHOWN, by, lam)
            for entries, words in zip(made["topics"], expected, strict=True):
                assert as_on_the_page(entries, made["words"], by, lam, SHOWN) == words
    for by in ("prevalence", "discriminability"):
        for entries, words in zip(made["topics"], model.top_word_lists(9, by), strict=True):
            assert as_on_the_page(entries, made["words"], by, 0.6, 9) == words


def test_probabilities_are_the_models_and_only_few_words_are_sent():
    model = ch.fit("lda", ch.sample_corpus(), n_components=6, max_iter=20, random_state=0)
    made = tables(model)
    column = {str(word): j for j, word in enumerate(model.vocabulary)}
    for t, entries in enumerate(made["topics"]):
        columns = [column[made["words"]["word"][place]] for place in entries["word"]]
        assert entries["probability"] == model.topics[t, columns].tolist()
        assert len(columns) < 300
    whole = model.prevalence @ model.topics
    shares = [whole[column[word]] for word in made["words"]["word"]]
    np.testing.assert_allclose(made["words"]["share"], shares, rtol=1e-12)


def test_where_a_word_lives_is_bayes_rule():
    model = ch.fit("lda", ch.sample_corpus(), n_components=6, max_iter=20, random_state=0)
    made = tables(model)["words"]
    column = list(map(str, model.vocabulary)).index(made["word"][7])
    joint = model.prevalence * model.topics[:, column]
    for number, share, probability in made["homes"][7]:
        assert share == pytest.approx(joint[number] / joint.sum())
        assert probability == model.topics[number, column]


def test_two_hundred_topics_keep_their_order():
    model = wide_model()
    made = tables(model)
    for lam in (0.0, 0.33, 1.0):
        expected = model.top_word_lists(SHOWN, "relevance", lam)
        for entries, words in zip(made["topics"], expected, strict=True):
            assert as_on_the_page(entries, made["words"], "relevance", lam, SHOWN) == words


@pytest.mark.parametrize("name", ["lda", "nmf"])
def test_edited_topics_keep_the_librarys_order_and_numbers(name):
    corpus = ch.sample_corpus()
    model = ch.fit(name, corpus, n_components=6, max_iter=20, random_state=0)
    edited = model.merge([[1, 4]]).drop([2])
    made = tables(edited)
    for lam in (0.0, 0.6, 1.0):
        expected = edited.top_word_lists(SHOWN, "relevance", lam)
        for entries, words in zip(made["topics"], expected, strict=True):
            assert as_on_the_page(entries, made["words"], "relevance", lam, SHOWN) == words
    assert {number for homes in made["words"]["homes"] for number, *_ in homes} == {0, 1, 3, 5}
