"""Models found by anchors, as people see them: named words, tables, views, supertopics, files."""

import copy

import numpy as np
import pytest

import chatham as ch
from chatham.model.supertopics import hierarchy_of, hierarchy_words
from tests.conftest import plant

COUNTS, TOPICS, _ = plant(n=400, d=40, k=4, seed=3)
WORDS = [f"w{place:02}" for place in range(40)]
SETTINGS = {"n_components": 4, "random_state": 0, "refine": 2, "min_anchor_df": 0.0}


@pytest.fixture(scope="module")
def model():
    return ch.fit("anchor", COUNTS, vocabulary=WORDS, **SETTINGS)


def test_anchors_are_words(model):
    assert model.algorithm == "anchor"
    assert model.anchors == [[WORDS[place]] for place in model.estimator.anchors_]
    assert model.vectorizer is None


def test_words_stand_for_their_places():
    named = ch.fit(
        "anchor", COUNTS, vocabulary=WORDS, anchors=[["w07", "w03"], "w02", 12], **SETTINGS
    )
    placed = ch.fit("anchor", COUNTS, vocabulary=WORDS, anchors=[[7, 3], [2], [12]], **SETTINGS)
    assert np.array_equal(named.topics, placed.topics)
    assert ["w07", "w03"] in named.anchors
    assert ["w12"] in named.anchors
    assert named.parameters["anchors"] == [[7, 3], [2], [12]]


def test_a_corpus_and_a_commons_know_their_words():
    corpus = ch.Corpus(COUNTS, WORDS)
    alone = ch.fit("anchor", corpus, anchors=["w05"], **SETTINGS)
    halves = ch.Simulated([COUNTS[:200], COUNTS[200:]])
    together = ch.fit("anchor", halves, vocabulary=WORDS, anchors=["w05"], **SETTINGS)
    assert together.anchors == alone.anchors
    assert ["w05"] in alone.anchors
    assert np.allclose(together.topics, alone.topics, atol=1e-8)


def test_anchor_words_are_counted_not_weighted():
    texts = ["cats purr and cats sleep", "dogs bark at dogs", "dogs bark", "cats purr"] * 3
    model = ch.fit("anchor", texts, n_components=2, random_state=0)
    assert model.vectorizer.weighting == "counts"


@pytest.mark.parametrize(
    ("anchors", "said"),
    [
        (["W07"], "'W07' is not among the 40 words of the .* did you mean 'w07'"),
        ([["w07", "zebra"]], "'zebra' is not among .*; choose one that is in it"),
        (["w07", ["w02", "w07"]], "'w07' is given twice"),
        ([["w01"], [7.5]], "Got 7.5"),
        ([[]], "has no word"),
        (["w00", "w01", "w02", "w03", "w04"], "5 anchors were given for 4 topics"),
    ],
)
def test_wrong_anchors_are_named(anchors, said):
    with pytest.raises(ch.InputError, match=said):
        ch.fit("anchor", COUNTS, vocabulary=WORDS, anchors=anchors, **SETTINGS)


def test_tables_show_the_anchor(model):
    table = model.topic_info(2)
    assert list(table) == ["topic", "name", "prevalence", "anchor", "words", "effective_words"]
    assert table["anchor"].tolist() == [group[0] for group in model.anchors]
    plain = ch.fit("kmeans", COUNTS, vocabulary=WORDS, n_components=2, random_state=0)
    assert plain.anchors is None
    assert "anchor" not in plain.topic_info()


def test_views_show_the_anchor_and_escape_it(model):
    assert f"[{model.anchors[0][0]}] " in repr(model).split("\n")[1]
    assert "<th>anchor</th>" in model._repr_html_()
    strange = [f"<b>{word}" for word in WORDS]
    shown = ch.TopicModel(model.estimator, strange)._repr_html_()
    assert f'<td class="a">&lt;b&gt;{model.anchors[0][0]}</td>' in shown
    assert "<b>w" not in shown


def test_an_anchor_that_was_left_behind_is_in_brackets(model):
    """Where another topic utters the anchor more often than its own does."""
    assert model.estimator.anchors_fit_.all()
    changed = copy.deepcopy(model)
    place = int(changed.estimator.anchors_[1])
    changed.estimator.components_[2] = 0.9 * changed.estimator.components_[2]
    changed.estimator.components_[2, place] += 0.1
    assert changed.estimator.anchors_fit_.tolist() == [True, False, True, True]
    word = WORDS[place]
    labels = changed.topic_info()["anchor"].tolist()
    assert labels[1] == f"({word})"
    assert [label for topic, label in enumerate(labels) if topic != 1] == [
        group[0] for topic, group in enumerate(model.anchors) if topic != 1
    ]
    assert f"[({word})] " in repr(changed).split("\n")[2]
    assert f'<td class="a">({word})</td>' in changed._repr_html_()
    assert changed.anchors == model.anchors


def test_several_words_fit_together():
    named = ch.fit("anchor", COUNTS, vocabulary=WORDS, anchors=[["w07", "w03"]], **SETTINGS)
    topic = named.anchors.index(["w07", "w03"])
    together = named.topics[:, [7, 3]].sum(axis=1)
    assert named.estimator.anchors_fit_[topic] == (together.argmax() == topic)


def test_titles_are_told_apart():
    titles = [f"Film {place}" for place in range(40)]
    model = ch.fit("anchor", COUNTS, vocabulary=titles, anchors=[["Film 1", "Film 5"]], **SETTINGS)
    assert "Film 1; Film 5" in [label.strip("()") for label in model.topic_info()["anchor"]]
    assert model.topic_info(2)["words"][0].count("; ") == 1
    assert "; Film" in repr(model)
    assert "; Film" in model.document_info(n=2)["words"][0]


def test_related_topics_are_those_that_documents_mix():
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.full(4, 0.05), 600)
    weights[:200] = 0.01
    weights[:200, 1] = weights[:200, 3] = 0.49
    drawn = np.array([rng.multinomial(100, row @ TOPICS) for row in weights])
    model = ch.fit("anchor", drawn, vocabulary=WORDS, **{**SETTINGS, "refine": 20})
    own = [int(np.abs(topic - TOPICS).sum(axis=1).argmin()) for topic in model.topics]
    table = model.related_topics(1)
    pairs = {
        frozenset((own[topic], own[other]))
        for topic, other in zip(table["topic"], table["related"], strict=True)
    }
    assert pairs == {frozenset((1, 3))}
    assert (table["lift"] > 2).all()


def test_what_only_anchor_models_have_is_said(model):
    plain = ch.fit("kmeans", COUNTS, vocabulary=WORDS, n_components=2, random_state=0)
    with pytest.raises(ch.InputError, match="KMeans have no correlations"):
        plain.related_topics()
    with pytest.raises(ch.InputError, match="KMeans have no correlations"):
        hierarchy_of(plain, [1])
    with pytest.raises(ch.InputError, match="whole number of at least 1"):
        model.related_topics(0)


def test_supertopics_have_words_and_topics_keep_theirs(model):
    hierarchy = hierarchy_of(model, [2])
    words = hierarchy_words(model, hierarchy, 3, by="relevance", lam=0.1)
    assert words[0] == model.top_word_lists(3, by="relevance", lam=0.1)
    assert [len(level) for level in words] == [4, 2]
    over_words = hierarchy.levels[0].topics @ model.topics
    best = hierarchy_words(model, hierarchy, 1)[1]
    assert best == [[WORDS[place]] for place in over_words.argmax(axis=1)]


def test_a_file_keeps_all_that_is_shown(model, tmp_path):
    model.save(tmp_path)
    again = ch.load(tmp_path)
    assert again.anchors == model.anchors
    assert again.related_topics().equals(model.related_topics())
    assert repr(again) == repr(model)
