"""Several numbers of topics: nothing held out is seen, and reasons follow from the numbers."""

import numpy as np
import pandas as pd
import pytest

import chatham as ch
from chatham.measures.several import SAYS, Several, fit_several


@pytest.fixture(scope="module")
def corpus():
    return ch.sample_corpus(max_features=400).rows(range(120))


@pytest.fixture(scope="module")
def several(corpus):
    return fit_several("nmf", corpus, [3, 6], random_state=1, max_iter=15)


def test_held_out_documents_were_in_no_fit(corpus, several):
    train, unseen = corpus.split(0.1, random_state=1)
    assert several.held_out.ids.tolist() == unseen.ids.tolist()
    assert not set(several.train.ids) & set(unseen.ids)
    alone = ch.fit("nmf", train, n_components=6, random_state=1, max_iter=15)
    model = several.models[6]
    assert np.array_equal(model.estimator.components_, alone.estimator.components_)
    assert np.array_equal(model.vectorizer.idf, alone.vectorizer.idf), "idf is of the others too"


def test_the_numbers_are_those_of_the_measures(several):
    table = several.table
    assert table["topics"].tolist() == [3, 6]
    for place, model in enumerate(several.models.values()):
        scores = ch.evaluate(
            model, several.train, held_out=several.held_out,
            measures=["npmi", "completion", "topic_diversity"],
        )  # fmt: skip
        for name, value in zip(scores["measure"], scores["value"], strict=True):
            assert table[name][place] == value
    assert (table["seconds"] > 0).all()


def test_what_speaks_for_a_number_is_what_it_is_best_by(several):
    def compared(**values):
        rows = [
            [name, True, *each, {0: "3", 1: "6", None: None}[best], None, 0.0]
            for name, (best, *each) in values.items()
        ]
        columns = ["measure", "higher_is_better", "3", "6", "best", "second", "delta"]
        table = pd.DataFrame(rows, columns=columns)
        return Several(several.models, several.train, several.held_out, table).reasons

    assert compared(npmi=(0, 0.3, 0.2), completion=(1, -7.0, -6.0)) == {
        3: [SAYS["npmi"]], 6: [SAYS["completion"]],
    }  # fmt: skip
    assert compared(npmi=(None, 0.2, 0.2), seconds=(0, 1.0, 2.0)) == {3: [], 6: []}


def test_planted_topics_are_seen():
    """With as many topics as were planted, unseen documents are predicted better than with one."""
    rng = np.random.default_rng(0)
    topics = np.kron(np.eye(4), np.ones(8)) / 8
    counts = np.vstack([rng.multinomial(40, topics[i % 4]) for i in range(200)])
    words = [f"w{i:02}" for i in range(32)]
    found = fit_several("lda", ch.Corpus(counts, words), [1, 4], max_iter=40)
    assert {SAYS["completion"], SAYS["npmi"]} <= set(found.reasons[4])
    assert found.reasons[1] == [SAYS["topic_diversity"]], "one topic shares with none"


def test_each_model_is_handed_over_as_soon_as_it_is_there(corpus):
    said = []
    fit_several(
        "kmeans", corpus, (4, 2), max_iter=2, begin=lambda *each: said.append(each),
        keep=lambda k, model: said.append((k, len(model.topics))),
    )  # fmt: skip
    assert said == [(4, 1, 2), (4, 4), (2, 2, 2), (2, 2)]


@pytest.mark.parametrize("sizes", [[], [5], [5, 5], [0, 5], [2.5, 5], "5,10", 5, [True, 5]])
def test_numbers_that_cannot_be_compared_are_refused(corpus, sizes):
    with pytest.raises(ch.InputError, match="n_components"):
        fit_several("nmf", corpus, sizes)


def test_what_cannot_be_fitted_is_refused_before_anything_is(corpus):
    begun = []
    for name, rows, sizes, wrong in (
        ("nmf", corpus, [3, 401], {}),
        ("nmf", corpus, [3, 6], {"l2_weight": 1}),
        ("nmf", corpus.rows(range(19)), [3, 6], {}),
        ("nmf", np.ones((30, 4)), [2, 3], {}),
    ):
        with pytest.raises(ch.InputError):
            fit_several(name, rows, sizes, begin=lambda *each: begun.append(each), **wrong)
    assert not begun


def test_directions_have_no_reasons(corpus):
    found = fit_several("svd", corpus, [2, 3])
    assert found.table.columns.tolist() == ["topics", "seconds"]
    assert found.reasons == {2: [], 3: []}
