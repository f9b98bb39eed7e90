"""What the page is given: numbers of the library's, for odd models and documents too."""

import json

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.explorer.placing import Places
from chatham.explorer.prepare import FORMAT_VERSION, as_json, prepare
from chatham.explorer.shelf import Shelf
from chatham.explorer.workbench import Workbench
from chatham.looking.mapping import map_of
from chatham.looking.topics import topics_of
from chatham.measures.intrusion.tasks import word_intrusion
from chatham.numerics.joint import lifts
from tests.explorer.conftest import EXPLODES, TEXTS, wide_model


def read(model, corpus=None):
    shelf = None if corpus is None else Shelf.of(model, corpus)
    return json.loads(as_json(prepare(model, shelf)))


def test_topics_shares_and_intrusion_are_the_models(model, corpus):
    data = read(model, corpus)
    info = model.topic_info()
    assert data["format_version"] == FORMAT_VERSION
    assert [topic["number"] for topic in data["topics"]] == info["topic"].tolist()
    assert [topic["share"] for topic in data["topics"]] == info["prevalence"].tolist()
    assert [t["effective_words"] for t in data["topics"]] == info["effective_words"].tolist()
    task = word_intrusion(model)
    assert [q["intruder"] for q in data["intrusion"]] == [
        question.options[key.intruder]
        for question, key in zip(task.questions, task.key, strict=True)
    ]


def test_weights_of_documents_are_transforms(model, corpus):
    shelf = Shelf.of(model, corpus)
    weights = model.transform(corpus)
    for topic in range(3):
        page = shelf.page(topic, 0, 50)
        assert page["total"] == len(corpus)
        listed = [each["weight"] for each in page["documents"]]
        assert listed == [weights[each["row"], topic] for each in page["documents"]]
        assert listed[:-1] == sorted(listed[:-1], reverse=True)  # the empty one is last
        assert page["documents"][-1]["empty"]
    mixture = dict(shelf.document(2, None)["mixture"])
    assert mixture == {t: w for t, w in enumerate(weights[2]) if w >= 0.005}


def test_pages_follow_each_other(model, corpus):
    shelf = Shelf.of(model, corpus)
    whole = [each["row"] for each in shelf.page(1, 0, 100)["documents"]]
    parts = [
        each["row"] for start in range(0, 13, 5) for each in shelf.page(1, start, 5)["documents"]
    ]
    assert parts == whole


def test_search_finds_texts_and_words(model, corpus):
    shelf = Shelf.of(model, corpus)
    assert set(shelf.find(None, "BOLD & brave", "")) == {1}
    assert set(shelf.find(None, "", "yeast")) == {4, 6, 7}
    assert set(shelf.find(0, "quoted", "yeast")) == {6}
    assert len(shelf.find(None, "nowhere to be found", "")) == 0


def test_pieces_are_the_text_and_words_have_the_posterior(model, corpus):
    shelf = Shelf.of(model, corpus)
    for row, text in enumerate(TEXTS):
        found = shelf.document(row, None)
        assert "".join(piece[0] for piece in found["pieces"]) == text
        for piece in found["pieces"]:
            if len(piece) > 1:
                column = shelf.column_of[piece[0].lower()]
                joint = shelf.weights[row] * model.topics[:, column]
                for number, probability in piece[1]:
                    assert probability == pytest.approx(joint[number] / joint.sum(), abs=1e-4)


def test_a_passage_is_counted_as_a_browser_counts(model, corpus):
    text = "🚀🚀 " + "nothing " * 50 + "rocket orbit moon launch"
    shelf = Shelf.of(model, ch.read_corpus([text], vocabulary=list(map(str, model.vocabulary))))
    found = shelf.document(0, None)
    units = text.encode("utf-16-le")
    cut = units[2 * found["passage"] : 2 * found["passage_end"]].decode("utf-16-le")
    assert cut.endswith("rocket orbit moon launch")
    assert len(cut) <= 240


@pytest.mark.parametrize("k", [1, 2, 200])
def test_few_and_many_topics(k):
    model = wide_model(200) if k == 200 else ch.fit("nmf", TEXTS[:12], n_components=k)
    data = read(model)
    assert len(data["topics"]) == k
    assert sorted(data["order"]) == list(range(k))
    for layout in data["layouts"]:
        assert len(layout["x"]) == k
        assert np.abs([layout["x"], layout["y"]]).max() <= 1


def test_one_document_counts_without_texts_and_no_labels():
    model = ch.fit("nmf", np.eye(3) + 1, vocabulary=["a", "b", "c"], n_components=2)
    bench = Workbench(model, ch.Corpus(np.array([[2, 1, 0]]), ["a", "b", "c"]))
    page = bench.documents(0, 0, 10, "", "")
    assert page["documents"][0]["passage"] == "a b"
    assert bench.document(0, None)["pieces"]
    assert json.loads(bench.data)["documents"]["texts"] is False
    bench.close()


def test_all_documents_empty():
    model = ch.fit("nmf", TEXTS[:12], n_components=2, random_state=0)
    corpus = ch.Corpus(np.zeros((2, len(model.vocabulary))), list(map(str, model.vocabulary)))
    data = read(model, corpus)
    assert data["documents"]["empty"] == 2


def test_directions_are_refused():
    model = ch.fit("svd", TEXTS[:12], n_components=2, random_state=0)
    with pytest.raises(InputError, match="directions"):
        prepare(model)


def test_json_can_stand_within_html(model, corpus):
    shelf = Shelf.of(model, corpus)
    written = as_json(shelf.document(3, None))
    assert "<" not in written
    assert "".join(piece[0] for piece in json.loads(written)["pieces"]) == TEXTS[3]
    assert EXPLODES in TEXTS[3]


def test_the_map_is_the_librarys_and_links_are_lifts(model, corpus):
    data = read(model, corpus)
    weights = model.transform(corpus)[:-1]  # the last one is empty
    lifted = lifts(weights.T @ weights)
    for a, b, lift in data["links"]:
        assert lift == pytest.approx(lifted[a, b])
        assert lift > 1
    assert data["source"] == "documents"
    drawn = map_of(model, corpus, by="documents")
    found = np.array([data["layouts"][0]["x"], data["layouts"][0]["y"]]).T
    apart = np.linalg.norm(found[:, None] - found[None], axis=2)
    expected = np.linalg.norm(drawn.points[:, None] - drawn.points[None], axis=2)
    np.testing.assert_allclose(apart / apart.max(), expected / expected.max(), atol=0.05)


def test_learned_correlations_are_shown_where_there_are_any():
    corpus = ch.sample_corpus()
    model = ch.fit("anchor", corpus, n_components=5, random_state=0)
    data = read(model)
    assert data["source"] == "correlations"
    table = model.related_topics(1)
    pairs = {(min(a, b), max(a, b)): lift for a, b, lift in data["links"]}
    for row in table.itertuples():
        pair = min(row.topic, row.related), max(row.topic, row.related)
        assert pairs[pair] == pytest.approx(row.lift)


def test_the_tree_joins_the_nearest_first(model):
    places = Places(topics_of(model), None)
    tree = places.tree()
    apart = places.alike + 9 * np.eye(3)
    assert tree[0][2] == pytest.approx(apart.min())
    assert sorted(places.order()) == [0, 1, 2]


def test_tables_over_time_and_by_group_are_the_librarys(model, corpus):
    bench = Workbench(model, corpus)
    offered = {
        (each["column"], each["kind"]) for each in json.loads(bench.data)["documents"]["columns"]
    }
    assert {("label", "group"), ("date", "time")} <= offered
    table = model.by_group(corpus, "label")
    found = bench.cells("label", "group")
    for each in found["topics"]:
        expected = table[table["topic"] == each["topic"]]["share"]
        np.testing.assert_allclose(each["share"], expected)
    assert found["cells"] == list(dict.fromkeys(table["label"]))
    with pytest.raises(InputError, match="offered"):
        bench.cells("text", "group")
    bench.close()


def test_scores_are_evaluates(model, corpus):
    bench = Workbench(model, corpus)
    found = {each["measure"]: each for each in bench.scores()["measures"]}
    expected = ch.evaluate(model, corpus, measures=["npmi", "topic_diversity"])
    for row in expected.itertuples():
        assert found[row.measure]["value"] == row.value
    bench.close()


def test_compared_with_itself_every_topic_finds_itself(model):
    bench = Workbench(model, other=model, other_title="again")
    for pair in bench.compared()["pairs"]:
        assert pair["topic"] == pair["other"]
        assert pair["similarity"] == pytest.approx(1.0)
    bench.close()


def test_compared_with_fewer_topics_some_have_nobody(model):
    fewer = ch.fit("lda", TEXTS[:8], n_components=2, max_iter=20, random_state=0)
    bench = Workbench(model, other=fewer, other_title="fewer")
    pairs = bench.compared()["pairs"]
    assert len(pairs) == 3
    assert sum(pair["other"] is None for pair in pairs) == 1
    bench.close()


@pytest.mark.parametrize("name", ["updates", "tags"])
def test_columns_of_lists_are_no_groups(model, corpus, name):
    table = corpus.metadata.assign(**{name: [["a"], ["b"]] * 6 + [None]})
    given = ch.Corpus(
        corpus.counts, corpus.vocabulary, texts=corpus.texts, metadata=table,
        vectorizer=corpus.vectorizer,
    )  # fmt: skip
    offered = read(model, given)["documents"]["columns"]
    assert name not in {each["column"] for each in offered}


def test_a_name_changes_the_page_as_preparing_it_again_would(model, corpus):
    bench = Workbench(model, corpus)
    before = bench.data
    for name in ("rockets", None):
        bench.name(1, name)
        assert json.loads(bench.data) == json.loads(Workbench(model, corpus).data)
        assert (bench.data == before) == (name is None)
    bench.edit("merge", [0, 2])
    assert len(json.loads(bench.data)["topics"]) == 2
