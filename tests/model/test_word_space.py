"""One map from a fitted model to plain words: tables, weights and scores tell the same story."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

import chatham as ch
from chatham.commons import Alone, Simulated
from chatham.errors import InputError
from chatham.learners import Fitted
from chatham.measures.elsewhere.anything import as_subject
from chatham.model.infer import infer
from chatham.model.word_space import word_space
from tests.conftest import plant

WORDS = ["a", "b", "c", "d"]
X = 5.0 * np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [3, 3, 3, 3]])
START = np.array([[0.01, 0.01, 0, 0], [0, 0, 50, 50]])


def unequal():
    """A general NMF with an error of zero, whose two topics differ 5,000 times in size."""
    return ch.fit("nmf", X, vocabulary=WORDS, n_components=2, constraint="none", loss="absolute",
                  init=START, max_iter=2000, tol=0, random_state=0)  # fmt: skip


def texts_of(seed=0, n=120):
    counts = plant(n=n, d=40, k=3, length=30, seed=seed)[0].toarray().astype(int)
    rare = [f"w{j:02}" for j in range(40)]
    # Ten words that nearly every document has: idf makes little of them.
    rng = np.random.default_rng(seed)
    common = rng.poisson(2.0, (n, 10))
    names = [*rare, *(f"the{j}" for j in range(10))]
    rows = np.hstack([counts, common])
    return [" ".join(np.repeat(names, row)) for row in rows]


def corpus_of(seed=0):
    return ch.read_corpus(texts_of(seed), stop_words=None, min_df=1, max_df=1.0)


def test_an_exact_fit_has_no_error_and_half_of_each_topic_is_half():
    model = unequal()
    assert model.estimator.objective_[-1] == pytest.approx(0, abs=1e-12)
    weights = model.transform(X)
    np.testing.assert_allclose(np.sort(weights[3]), [0.5, 0.5], atol=1e-6)
    table = ch.evaluate(model, X, measures=["frobenius"])
    assert table["value"][0] == pytest.approx(0, abs=1e-12)
    frequencies = X / X.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(weights @ model.topics, frequencies, atol=1e-6)
    np.testing.assert_allclose(weights.mean(axis=0), model.prevalence, atol=1e-6)


def test_weights_are_shares_also_where_topics_sum_to_one_by_themselves():
    """A general NMF may find, or be given, topics with sum one; its weights are still counts."""
    start = np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]])
    model = ch.fit("nmf", X, vocabulary=WORDS, n_components=2, constraint="none", loss="absolute",
                   init=start, max_iter=50, tol=0, random_state=0)  # fmt: skip
    np.testing.assert_allclose(model.estimator.components_.sum(axis=1), 1)
    np.testing.assert_allclose(np.sort(model.transform(X)[[0, 3]]), [[0, 1], [0.5, 0.5]], atol=1e-9)
    assert model.document_info(X)["weight"].max() <= 1 + 1e-9
    table = ch.evaluate(model, X, measures=["frobenius"])
    assert table["value"][0] == pytest.approx(0, abs=1e-12)


class Threefold(ch.TopicLearner):
    """A learner whose weights sum to three times the number of topics."""

    def _fit(self, commons, seed):
        topics = np.random.default_rng(seed).dirichlet(np.ones(commons.n_features), 3)
        return Fitted(topics, np.full(3, 1 / 3), [1.0], 1, {})

    def _weights(self, documents):
        return np.full((documents.n, 3), 3.0)


def test_a_learner_whose_weights_are_no_shares_shows_shares():
    model = ch.fit(Threefold, X, vocabulary=WORDS, n_components=3)
    np.testing.assert_allclose(model.transform(X), 1 / 3)


def test_the_estimator_stays_in_its_own_terms():
    model = unequal()
    np.testing.assert_allclose(model.estimator.transform(X) @ model.estimator.components_, X,
                               atol=1e-5)  # fmt: skip
    assert model.estimator.components_.sum(axis=1).max() > 2  # of no distribution


@given(
    components=arrays(np.float64, (3, 5), elements=st.floats(0, 50)),
    idf=arrays(np.float64, 5, elements=st.floats(1, 8)),
    coordinates=arrays(np.float64, (4, 3), elements=st.floats(0, 50)),
)
@settings(max_examples=50)
def test_weights_times_topics_are_the_reconstructed_documents(components, idf, coordinates):
    space = word_space(components, idf)
    plain = coordinates @ (components / idf)
    totals = plain.sum(axis=1, keepdims=True)
    rebuilt = space.weights(coordinates, np.full(3, 1 / 3)) @ space.topics
    filled = totals[:, 0] > 1e-200
    np.testing.assert_allclose(rebuilt[filled], (plain / np.where(totals > 0, totals, 1))[filled],
                               rtol=1e-9, atol=1e-12)  # fmt: skip
    sums = space.topics.sum(axis=1)
    assert ((np.abs(sums - 1) < 1e-9) | (sums == 0)).all()


@pytest.mark.parametrize("name", ["nmf", "kmeans"])
def test_what_was_learned_of_weighted_words_is_told_of_plain_ones(name):
    """Clusters' topics are known: the mean of their documents' frequencies, nearly."""
    corpus = corpus_of()
    model = ch.fit(name, corpus, n_components=3, random_state=0)
    np.testing.assert_allclose(model.topics.sum(axis=1), 1)
    common = [j for j, word in enumerate(model.vocabulary) if word.startswith("the")]
    assert (model.topics[:, common].sum(axis=1)
            > model.word_space.ordering[:, common].sum(axis=1) + 0.05).all()  # fmt: skip
    share = corpus.counts[:, common].sum() / corpus.counts.sum()
    assert model.topics[:, common].sum(axis=1) @ model.prevalence == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize("name", ["nmf", "kmeans"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_unseen_documents_are_likelier_under_plain_topics(name, seed):
    train, test = corpus_of(seed).split(test=0.3, random_state=0)
    model = ch.fit(name, train, n_components=3, random_state=seed)
    as_was = ch.evaluate(model.estimator.components_, vocabulary=list(model.vocabulary),
                         held_out=test, measures=["left_to_right"])["value"][0]  # fmt: skip
    now = ch.evaluate(model, held_out=test, measures=["left_to_right"])["value"][0]
    assert now > as_was


@pytest.mark.parametrize(
    "options",
    [{"constraint": "none"}, {"constraint": "simplex"}, {"schedule": "interleaved"}],
)
def test_shares_are_the_mean_of_weights(options):
    """At every commons: the sum of shares is taken where the rows are."""
    corpus = corpus_of()
    model = ch.fit("nmf", corpus, n_components=3, random_state=0, max_iter=400, tol=0, **options)
    np.testing.assert_allclose(model.weights.mean(axis=0), model.prevalence, atol=2e-3)
    idf = model.vectorizer.idf
    rows = sp.csr_array(model.vectorizer.weigh(corpus.counts.copy()))
    parts = Simulated([rows[:50], rows[50:51], rows[51:]])
    for commons in (Alone(rows), parts):
        again = clone(model.estimator)
        again._learn(commons, idf)
        np.testing.assert_allclose(again.prevalence_, model.prevalence, atol=1e-8)


def test_words_keep_the_order_that_idf_gave_them_and_scores_are_plain_probabilities():
    model = ch.fit("nmf", corpus_of(), n_components=3, random_state=0)
    table = model.top_words(8)
    places = {word: j for j, word in enumerate(model.vocabulary)}
    for topic, rows in table.groupby("topic"):
        columns = [places[word] for word in rows["word"]]
        assert (np.diff(model.estimator.components_[topic, columns]) <= 1e-12).all()
        np.testing.assert_allclose(rows["score"], model.topics[topic, columns])
    assert as_subject(model).top_words(8) == model.top_word_lists(8)


def test_a_saved_model_maps_alike(tmp_path):
    corpus = corpus_of()
    model = ch.fit("nmf", corpus, n_components=3, random_state=0, constraint="none")
    model.save(tmp_path / "m")
    again = ch.load(tmp_path / "m")
    assert again.topics.tobytes() == model.topics.tobytes()
    assert again.transform(corpus).tobytes() == model.transform(corpus).tobytes()
    assert again.word_space.ordering.tobytes() == model.word_space.ordering.tobytes()


def test_an_empty_document_has_the_average_weights():
    model = ch.fit("nmf", corpus_of(), n_components=3, random_state=0, constraint="none")
    weights = model.transform(np.zeros((2, len(model.vocabulary))))
    np.testing.assert_array_equal(weights, [model.prevalence] * 2)
    assert (model.estimator.transform(np.zeros((1, len(model.vocabulary)))) == 0).all()


def test_inference_by_name_reads_plain_counts_under_plain_topics():
    corpus = corpus_of()
    model = ch.fit("nmf", corpus, n_components=3, random_state=0)
    alone = infer(model.topics, corpus.counts, prevalence=model.prevalence)
    np.testing.assert_array_equal(infer(model, corpus), alone)


def test_a_model_begins_another_as_it_was_learned():
    corpus = corpus_of()
    model = ch.fit("nmf", corpus, n_components=3, random_state=0, constraint="none")
    on = ch.fit("nmf", corpus, n_components=3, constraint="none", init=model, max_iter=1)
    np.testing.assert_array_equal(on.estimator.init, model.estimator.components_)
    plain = ch.fit("nmf", corpus, n_components=3, weighting="counts", init=model, max_iter=1)
    np.testing.assert_array_equal(plain.estimator.init, model.topics)


def test_directions_are_no_topics():
    corpus = corpus_of()
    model = ch.fit("svd", corpus, n_components=3, random_state=0)
    assert model.kind == "direction"
    assert "3 directions over" in repr(model)
    assert next(iter(model.topic_info())) == "direction"
    assert list(model.weights_table(corpus))[1:] == ["direction_0", "direction_1", "direction_2"]
    np.testing.assert_array_equal(model.transform(corpus), model.estimator.transform(corpus.counts))
    table = model.top_words(5)
    for direction, rows in table.groupby("direction"):
        largest = np.sort(np.abs(model.topics[direction]))[::-1][:5]
        np.testing.assert_array_equal(rows["score"].abs(), largest)
    below = table[table["score"] < 0]
    assert len(below)
    shown = model.topic_info(5)["words"][below["direction"].iloc[0]]
    assert f"−{below['word'].iloc[0]}" in shown.split()
    with pytest.raises(InputError, match="no main topic among the directions of SVD"):
        model.document_info()
    with pytest.raises(InputError, match=r"no order of words by 'uplift'"):
        model.top_words(by="uplift")


def test_measures_of_topics_are_refused_for_directions_and_the_rest_is_not():
    corpus = corpus_of()
    labelled = ch.Corpus(corpus.counts, corpus.vocabulary, labels=["x", "y"] * 60)
    model = ch.fit("svd", corpus, n_components=3, random_state=0)
    table = ch.evaluate(model, labelled)
    assert table["measure"].tolist() == ["accuracy"]
    for measure in ("npmi", "frobenius"):
        assert "the directions of svd are none" in str(table.attrs["skipped"][measure])
        with pytest.raises(InputError, match=f"{measure}.* the directions of svd are none"):
            ch.evaluate(model, labelled, measures=[measure])
