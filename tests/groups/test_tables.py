"""Tables over time and by group: planted trends are found, gaps shown, odd input refused."""

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.groups.differing import differing_words
from chatham.notes import ChathamWarning

TOPICS = np.array([[0.4, 0.4, 0.1, 0.1, 0.0, 0.0], [0.0, 0.0, 0.05, 0.05, 0.5, 0.4]])
WORDS = ["wheat", "corn", "rain", "prices", "bank", "loan"]


@pytest.fixture(scope="module")
def rising():
    """The first topic rises from a tenth to nine tenths; in 2012 nobody wrote."""
    rng = np.random.default_rng(0)
    years = np.repeat([2010, 2011, 2013, 2014], 60)
    shares = np.repeat([0.1, 0.3, 0.7, 0.9], 60)
    first = rng.beta(20 * shares, 20 * (1 - shares))
    counts = rng.poisson(np.column_stack([first, 1 - first]) @ TOPICS * 80)
    import pandas as pd

    when = pd.DataFrame(
        {"published": [f"{year}-0{row % 9 + 1}-15" for row, year in enumerate(years)]}
    )
    return ch.Corpus(counts, WORDS, metadata=when), first


@pytest.fixture(scope="module")
def model(rising):
    return ch.fit("lda", rising[0], n_components=2, random_state=0, max_iter=60)


def test_a_planted_rise_is_found_within_its_intervals(rising, model):
    corpus, first = rising
    table = ch.over_time(model, corpus, "published", every="year")
    crops = int(model.topics[:, 0].argmax())
    mine = table[table["topic"] == crops]
    assert mine["span"].tolist() == ["2010", "2011", "2012", "2013", "2014"]
    assert mine["documents"].tolist() == [60, 60, 0, 60, 60]
    shares = mine["share"].to_numpy()
    assert np.isnan(shares[2])
    truth = [first[rows : rows + 60].mean() for rows in (0, 60, 120, 180)]
    np.testing.assert_allclose(shares[[0, 1, 3, 4]], truth, atol=0.05)
    known = mine[mine["documents"] > 0]
    assert (known["low"] < known["share"]).all()
    assert (known["share"] < known["high"]).all()


def test_shares_of_a_cell_sum_to_one_and_average_to_the_whole(rising, model):
    corpus, _ = rising
    table = ch.over_time(model, corpus, "published")
    known = table[table["documents"] > 0]
    np.testing.assert_allclose(known.groupby("start")["share"].sum(), 1.0)
    together = (known["share"] * known["documents"]).groupby(known["topic"]).sum() / len(corpus)
    np.testing.assert_allclose(together, model.transform(corpus).mean(axis=0), atol=1e-12)


def test_the_words_that_differ_are_the_topics_own_and_not_its_size():
    """The first topic is said with rain in one group, and three times as often there."""
    topics = np.array([[0.5, 0.3, 0.2, 0.0], [0.0, 0.0, 0.0, 1.0]])
    counts = np.array([[600.0, 100.0, 300.0, 50.0], [600.0, 350.0, 50.0, 400.0]])
    words = differing_words(counts, topics, np.array([0.5, 0.5]), 2)
    assert words[0][0].tolist() == [2]
    assert words[1][0].tolist() == [1]
    assert words[0][1].tolist() == words[1][1].tolist() == []


def test_groups_by_labels_numbers_and_what_is_missing():
    corpus = ch.Corpus(
        np.array([[3, 1], [1, 3], [2, 2], [1, 0]]), ["tea", "milk"], labels=[10, 9, None, 10]
    )
    model = ch.fit("nmf", corpus, n_components=2, random_state=0)
    table = ch.by_group(model, corpus, "label")
    assert table["label"].unique().tolist() == ["9", "10", "no value"]
    assert table["documents"].tolist() == [1, 1, 2, 2, 1, 1]


def test_topics_from_elsewhere_and_one_topic(rising):
    corpus, _ = rising
    table = ch.over_time(TOPICS, corpus, "published", every="year", vocabulary=WORDS)
    assert len(table) == 10
    one = ch.fit("nmf", corpus, n_components=1, random_state=0)
    assert ch.over_time(one, corpus, "published", every="year")["share"].dropna().eq(1).all()


def test_documents_without_words_belong_to_no_group(model):
    corpus = ch.Corpus(np.array([[3, 1, 0, 0, 0, 0], [0] * 6]), WORDS, labels=["a", "b"])
    assert ch.by_group(model, corpus, "label")["label"].unique().tolist() == ["a"]
    nothing = corpus.rows([1])
    with pytest.raises(InputError, match="No document has any word"):
        ch.by_group(model, nothing, "label")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, c: ch.over_time(m, c, "publishd"), "no column 'publishd'.*'published'"),
        (
            lambda m, c: ch.over_time(m, c, "published", every="fortnight"),
            "every must be one of day",
        ),
        (lambda m, c: ch.over_time(m, c, "published", level=1), "level must be a number above 0"),
        (lambda m, c: ch.by_group(m, c, "published", words=-1), "words must be a whole number"),
        (lambda m, c: ch.by_group(m, c.counts, "section"), "Counts alone have no column 'section'"),
        (lambda m, c: ch.by_group(ch.fit("svd", c, n_components=2), c, "published"), "no shares"),
    ],
)
def test_one_sentence_for_each_mistake(rising, model, call, message):
    with pytest.raises(InputError, match=message):
        call(model, rising[0])


def test_a_column_of_ids_is_no_column_of_groups(model):
    n = 501
    corpus = ch.Corpus(np.ones((n, 6)), WORDS, labels=[f"case {row}" for row in range(n)])
    with pytest.raises(InputError, match="has 501 values") as caught:
        ch.by_group(model, corpus, "label")
    assert "case 7" not in str(caught.value)
    with pytest.raises(InputError, match="no dates that can be read") as caught:
        ch.over_time(model, corpus, "label")
    assert "case" not in str(caught.value)


def test_a_guess_of_the_order_of_day_and_month_is_told(model):
    corpus = ch.Corpus(np.ones((2, 6)), WORDS, labels=["03/04/2017", "05/06/2017"])
    with pytest.warns(ChathamWarning, match="the month was taken to be first"):
        table = ch.over_time(model, corpus, "label", every="month")
    assert table["span"].unique().tolist() == ["2017-03", "2017-04", "2017-05"]


@pytest.mark.parametrize("algorithm", ["kmeans", "plsa", "anchor", "nmf", "lda"])
def test_every_learner(algorithm, rising):
    corpus, _ = rising
    how = {"min_anchor_df": 1, "refine": 0} if algorithm == "anchor" else {}
    model = (
        ch.fit(algorithm, corpus, n_components=2, random_state=0, max_iter=10, **how)
        if (algorithm != "anchor")
        else ch.fit(algorithm, corpus, n_components=2, random_state=0, **how)
    )
    table = ch.by_group(model, corpus, "published")
    known = table[table["documents"] > 0]
    np.testing.assert_allclose(known.groupby("published")["share"].sum(), 1.0)
