"""Documents that show a topic: enough words to tell, no near-copies, all forms of documents."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.documents.representative import at_least, best_unlike, overlap
from chatham.errors import InputError

WORDS = [f"{name}{number}" for name in ("tea", "bus") for number in range(20)]
TOPICS = np.repeat(np.eye(2), 20, axis=1) / 20


def drawn(share, length, seed):
    """A document of so many words, of which so large a share is from the first topic."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(length, np.array([share, 1 - share]) @ TOPICS)


def test_the_lower_end_is_wilsons():
    """At its lower end the share would be off by just 1.96 standard errors."""
    weights, words = np.array([0.3, 0.8, 0.99]), np.array([10, 50, 400])
    low = at_least(weights, words)
    np.testing.assert_allclose(weights - low, 1.96 * np.sqrt(low * (1 - low) / words), rtol=1e-6)
    assert at_least(np.array([1.0]), np.array([0])).tolist() == [0.0]


def test_a_document_of_three_words_does_not_win_because_its_weight_is_one():
    counts = np.stack([drawn(0.95, 150, 1), np.eye(40, dtype=int)[[0, 3, 5]].sum(axis=0),
                       drawn(0.5, 150, 2), drawn(0.0, 150, 3)])  # fmt: skip
    table = ch.representative(TOPICS, counts, 0, n=4, vocabulary=WORDS)
    assert table["id"].tolist() == [0, 1, 2]
    assert table["weight"][1] == pytest.approx(1.0, abs=1e-3)
    assert table["weight"][0] < table["weight"][1]
    assert (np.diff(table["low"]) <= 0).all()


def test_a_word_said_a_hundred_times_is_no_more_evidence_than_once():
    many = np.zeros((2, 40), dtype=int)
    many[0, :3] = 100
    many[1, :12] = 1
    table = ch.representative(TOPICS, many, 0, vocabulary=WORDS)
    assert table["id"].tolist() == [1, 0]


def test_near_copies_are_shown_once_and_the_best_of_them():
    first, other = np.zeros(40, dtype=int), np.zeros(40, dtype=int)
    first[:10], other[10:20] = 2, 1
    nearly, better = first.copy(), first.copy()
    nearly[0] = 3
    better[10] = 1
    copies = np.stack([first, first, other, nearly, better])
    table = ch.representative(TOPICS, copies, 0, n=5, vocabulary=WORDS)
    assert table["id"].tolist() == [4, 2]
    reverse = ch.representative(TOPICS, copies[::-1], 0, n=5, vocabulary=WORDS)
    assert reverse["id"].tolist() == [0, 2]
    assert reverse["low"].tolist() == table["low"].tolist()


def test_overlap_is_what_is_in_both_of_what_is_in_any():
    one, other = {0: 3.0, 1: 1.0}, {0: 1.0, 2: 4.0}
    dense = np.array([[3, 1, 0], [1, 0, 4]])
    assert overlap(one, other) == dense.min(axis=0).sum() / dense.max(axis=0).sum()
    assert overlap(one, one) == 1.0
    assert overlap(one, {}) == overlap({}, {}) == 0.0


def test_ties_go_to_the_document_that_comes_first():
    counts = sp.csr_array(np.eye(6))
    assert best_unlike(counts, np.array([0.5, 0.7, 0.7, 0.5, 0.7, 0.0]), 5) == [1, 2, 4, 0, 3]


@pytest.fixture(scope="module")
def corpus():
    return ch.sample_corpus(max_features=400).rows(range(0, 2887, 6))


@pytest.mark.parametrize("name", ["lda", "nmf", "plsa", "kmeans", "anchor", "online-lda"])
def test_every_learner_shows_documents_with_the_weights_it_gives_them(corpus, name):
    model = ch.fit(name, corpus, n_components=4, random_state=0, max_iter=10)
    table = model.representative(corpus, n=3)
    assert list(table) == ["topic", "name", "rank", "id", "label", "weight", "low", "passage"]
    assert set(table["topic"]) <= set(range(4))
    weights, ids = model.transform(corpus), corpus.ids.tolist()
    for row in table.itertuples():
        assert row.weight == pytest.approx(weights[ids.index(row.id), row.topic], abs=1e-9)
        assert row.passage.strip("… ").split()[0] in corpus.texts[ids.index(row.id)]
    np.testing.assert_array_equal(table["low"] <= table["weight"] + 1e-12, True)
    alone = model.representative(corpus, 2, n=3)
    pd.testing.assert_frame_equal(
        alone, table[table["topic"] == 2].reset_index(drop=True), check_exact=False
    )


def test_any_number_of_threads_gives_the_same_bytes(corpus):
    model = ch.fit("nmf", corpus, n_components=5, random_state=0)
    tables = [ch.representative(model, corpus, n_jobs=jobs).to_json() for jobs in (1, 3)]
    assert tables[0] == tables[1]


def test_documents_in_every_form(corpus, tmp_path):
    model = ch.fit("nmf", corpus, n_components=3, random_state=0)
    expected = model.representative(corpus, 1, n=2)
    frame = pd.DataFrame({"body": corpus.texts, "key": corpus.ids, "kind": corpus.labels})
    frame.to_csv(tmp_path / "news.csv", index=False)
    for source in (frame, tmp_path / "news.csv"):
        table = model.representative(source, 1, n=2, text="body", id="key", label="kind")
        pd.testing.assert_frame_equal(table, expected)
    texts = model.representative(corpus.texts, 1, n=2)
    assert list(texts) == ["topic", "name", "rank", "id", "weight", "low", "passage"]
    assert texts["passage"].tolist() == expected["passage"].tolist()
    assert model.representative(topic=1, n=2)["id"].tolist() == expected["id"].tolist()
    loaded = (model.save(tmp_path / "m"), ch.load(tmp_path / "m"))[1]
    pd.testing.assert_frame_equal(loaded.representative(corpus, 1, n=2), expected)
    with pytest.raises(InputError, match="training documents"):
        loaded.representative(topic=1)


def test_counts_without_texts_have_words_in_place_of_passages():
    counts = np.array([[5, 2, 0, 0], [1, 3, 0, 0], [0, 0, 3, 1], [0, 0, 0, 0]])
    words = ["tea", "milk", "rain", "bus"]
    model = ch.fit("nmf", counts, vocabulary=words, n_components=2, random_state=0)
    table = model.representative(n=5)
    assert list(table) == ["topic", "name", "rank", "id", "weight", "low", "words"]
    assert table["words"].tolist() == ["tea milk", "milk tea", "rain bus"]
    assert table["id"].tolist() == [0, 1, 2]


def test_other_columns_come_behind_and_keep_out_of_ours():
    metadata = pd.DataFrame(
        {"year": [1990, 1991, 1992], "weight": [1.5, 2.5, 3.5], "x": list("abc")}
    )
    corpus = ch.Corpus(np.eye(3, dtype=int) * 4, ["tea", "milk", "rain"], metadata=metadata)
    model = ch.fit("nmf", corpus, n_components=3, random_state=0)
    table = model.representative(corpus, columns=True, n=1).sort_values("id")
    assert table.columns.tolist()[-3:] == ["year", "corpus_weight", "x"]
    assert table["corpus_weight"].tolist() == [1.5, 2.5, 3.5]
    assert table["year"].dtype == metadata["year"].dtype
    assert list(model.representative(corpus, 0, columns="x"))[-1] == "x"
    with pytest.raises(InputError, match=r"no other column 'yaer'.*did you mean 'year'"):
        model.representative(corpus, 0, columns=["yaer"])
    with pytest.raises(InputError, match="Counts alone have no other columns"):
        model.representative(np.eye(3), 0, columns=True)


def test_one_topic_many_topics_one_document_and_empty_ones():
    one = ch.fit("nmf", ["tea milk", "", "tea"], n_components=1, random_state=0)
    table = one.representative(["tea milk", "", "tea"])
    assert table["id"].tolist() == ["0", "2"]
    assert one.representative(["milk"])["weight"].tolist() == [1.0]
    none = one.representative(["", "nothing known"])
    assert len(none) == 0
    assert list(none) == ["topic", "name", "rank", "id", "weight", "low", "passage"]
    words = [f"w{number}" for number in range(200)]
    many = ch.representative(np.eye(200), np.eye(200, dtype=int), vocabulary=words)
    assert many["topic"].tolist() == many["id"].tolist() == list(range(200))


def test_edited_models_show_topics_by_their_numbers_and_names(corpus):
    model = ch.fit("nmf", corpus, n_components=5, random_state=0)
    edited = model.merge([[1, 3]]).drop([0])
    edited.names[4] = "the last"
    table = edited.representative(corpus, n=2)
    assert table["topic"].unique().tolist() == [1, 2, 4]
    assert table["name"].tolist()[-1] == "the last"
    weights, ids = edited.transform(corpus), corpus.ids.tolist()
    for row in table.itertuples():
        column = edited.numbers.tolist().index(row.topic)
        assert row.weight == pytest.approx(weights[ids.index(row.id), column], abs=1e-9)
    with pytest.raises(
        InputError, match="There is no topic 3; the model has the topics 1, 2 and 4"
    ):
        edited.representative(corpus, 3)
    parts = model.split(2, corpus, into=2, random_state=0)
    assert set(parts.representative(corpus, n=1)["topic"]) <= set(parts.numbers.tolist())


def test_topics_from_elsewhere_need_no_model():
    table = ch.representative(
        np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]), ["Tea with milk", "More rain", "Tea, tea"],
        vocabulary=["tea", "milk", "rain"],
    )  # fmt: skip
    assert table["passage"].tolist() == ["Tea with milk", "Tea, tea", "More rain"]
    with pytest.raises(InputError, match="Lists of words have no probabilities"):
        ch.representative([["tea"], ["rain"]], ["Tea"])


@pytest.mark.parametrize("topic", [2, -1, "0", 1.0, True, [0, 5]])
def test_topics_that_there_are_not_are_refused(topic):
    with pytest.raises(InputError, match=r"There is no topic .*; the model has the topics 0 to 1"):
        ch.representative(TOPICS, np.ones((2, 40)), topic, vocabulary=WORDS)


def test_what_has_no_documents_to_show_is_refused(corpus):
    svd = ch.fit("svd", corpus, n_components=2)
    with pytest.raises(InputError, match="no direction of svd"):
        svd.representative(corpus)
    model = ch.fit("nmf", corpus, n_components=2, random_state=0)
    with pytest.raises(InputError, match="stay with their holders"):
        model.representative(ch.Simulated([corpus.rows([0, 1]), corpus.rows([2, 3])]))
    with pytest.raises(InputError, match="n must be a whole number of at least 1"):
        model.representative(corpus, n=0)
