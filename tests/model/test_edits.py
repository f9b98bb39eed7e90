"""Edits: merging adds weights, dropping leaves gaps, splitting finds parts, and all is undone."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

import chatham as ch
from chatham.errors import InputError, ModelFileError
from chatham.model.edits import Edits, Split, come_from, divisions, dropped, merged
from chatham.model.supertopics import hierarchy_of

LEARNERS = ("nmf", "lda", "plsa", "kmeans", "anchor")


@pytest.fixture(scope="module")
def corpus() -> ch.Corpus:
    return ch.sample_corpus().rows(slice(0, 400))


@pytest.fixture(scope="module", params=LEARNERS)
def model(request: pytest.FixtureRequest, corpus: ch.Corpus) -> ch.TopicModel:
    steps = {"refine": 2} if request.param == "anchor" else {"max_iter": 20}
    return ch.fit(request.param, corpus, n_components=6, random_state=0, **steps)


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_merged_weights_are_sums(model: ch.TopicModel, corpus: ch.Corpus) -> None:
    before = model.transform(corpus)
    edited = model.merge([[4, 1], [2, 5, 0]])
    assert edited.numbers.tolist() == [0, 1, 3]
    after = edited.transform(corpus)
    expected = np.column_stack(
        [before[:, [0, 2, 5]].sum(axis=1), before[:, [1, 4]].sum(axis=1), before[:, 3]]
    )
    assert (after == expected).all()
    shares = model.prevalence
    assert np.allclose(
        edited.prevalence, [shares[[0, 2, 5]].sum(), shares[[1, 4]].sum(), shares[3]]
    )


def test_merged_topics_are_mixtures_by_share(model: ch.TopicModel) -> None:
    edited, shares = model.merge([[1, 4]]), model.prevalence
    expected = (shares[1] * model.topics[1] + shares[4] * model.topics[4]) / (shares[1] + shares[4])
    assert np.allclose(edited.topics[1], expected)
    assert np.allclose(edited.topics.sum(axis=1), 1.0)
    # What the model says of all documents' words stays the same.
    assert np.allclose(edited.prevalence @ edited.topics, shares @ model.topics)


def test_dropping_leaves_a_gap_and_scales_weights(model: ch.TopicModel, corpus: ch.Corpus) -> None:
    before, edited = model.transform(corpus), model.drop([2])
    assert edited.numbers.tolist() == [0, 1, 3, 4, 5]
    rest = before[:, [0, 1, 3, 4, 5]]
    totals = rest.sum(axis=1, keepdims=True)
    expected = np.where(totals > 1e-9, rest / np.where(totals > 0, totals, 1), edited.prevalence)
    assert np.allclose(edited.transform(corpus), expected)
    assert np.allclose(edited.transform(corpus).sum(axis=1), 1.0)
    assert edited.prevalence.sum() == pytest.approx(1.0)


def test_tables_have_numbers_not_places(model: ch.TopicModel, corpus: ch.Corpus) -> None:
    edited = model.drop([0, 2])
    assert edited.topic_info()["topic"].tolist() == [1, 3, 4, 5]
    assert set(edited.top_words(3)["topic"]) == {1, 3, 4, 5}
    assert edited.top_words(3, wide=True).index.tolist() == [1, 3, 4, 5]
    assert list(edited.weights_table(corpus))[1:] == ["topic_1", "topic_3", "topic_4", "topic_5"]
    assert set(edited.document_info(corpus)["topic"]) <= {1, 3, 4, 5}
    assert set(edited.by_group(corpus, "community")["topic"]) == {1, 3, 4, 5}
    scores = ch.evaluate(edited, corpus, measures=["npmi"])
    assert scores.attrs["numbers"] == [1, 3, 4, 5]
    words = model.top_word_lists(5)
    assert edited.top_word_lists(5) == [words[number] for number in (1, 3, 4, 5)]


def test_undoing_restores_the_bytes(model: ch.TopicModel, corpus: ch.Corpus, tmp_path) -> None:
    model.save(tmp_path / "before")
    edited = model.merge([[0, 1]]).drop([2]).split(3, corpus, random_state=1)
    edited.save(tmp_path / "after")
    loaded = ch.load(tmp_path / "after")
    assert (loaded.transform(corpus) == edited.transform(corpus)).all()
    assert loaded.edits.equals(edited.edits)
    loaded.undo().undo().undo().save(tmp_path / "after")
    assert files_of(tmp_path / "after") == files_of(tmp_path / "before")
    edited.original.save(tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(tmp_path / "before")
    edited.save(tmp_path / "one"), ch.load(tmp_path / "one").save(tmp_path / "two")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_an_edit_leaves_the_model_as_it_is(model: ch.TopicModel, corpus: ch.Corpus) -> None:
    topics, weights = model.topics.copy(), model.transform(corpus)
    edited = model.merge([[0, 1]])
    edited.names[0] = "both"
    assert (model.topics == topics).all()
    assert (model.transform(corpus) == weights).all()
    assert model.names.given == {}
    assert model.numbers.tolist() == list(range(6))
    with pytest.raises(InputError, match="nothing to undo"):
        model.undo()


def test_the_parts_of_a_split_topic_divide_its_weight(
    model: ch.TopicModel, corpus: ch.Corpus
) -> None:
    edited = model.split(1, corpus, into=3, random_state=0)
    assert edited.numbers.tolist() == [0, 2, 3, 4, 5, 6, 7, 8]
    before, after = model.transform(corpus), edited.transform(corpus)
    assert np.allclose(after[:, 5:].sum(axis=1), before[:, 1], atol=1e-12)
    assert np.allclose(after[:, :5], before[:, [0, 2, 3, 4, 5]], atol=1e-12)
    assert edited.prevalence[5:].sum() == pytest.approx(model.prevalence[1])
    merged_again = edited.merge([[6, 7, 8]])
    assert np.allclose(merged_again.transform(corpus)[:, 5], before[:, 1], atol=1e-12)
    assert (edited.transform(corpus) == model.split(1, corpus, into=3).transform(corpus)).all()


def test_planted_topics_that_a_fit_put_together_are_told_apart() -> None:
    """Three topics of three words each, fitted as two: splitting the mixed one finds its parts."""
    planted = np.kron(np.eye(3), np.full(3, 1 / 3))
    rng = np.random.default_rng(0)
    which = np.arange(300) % 3
    counts = rng.multinomial(30, planted[which])
    words = [f"{group}{n}" for group in "abc" for n in range(3)]
    two = np.vstack([planted[0], planted[1:].mean(axis=0)])
    fitted = ch.fit("plsa", counts, vocabulary=words, n_components=2, init=two, random_state=0)
    mixed = int(np.argmax(fitted.topics[:, -1]))
    edited = fitted.split(mixed, counts, random_state=0)
    for topic in planted:
        assert np.abs(edited.topics - topic).sum(axis=1).min() < 0.05
    main = edited.transform(counts).argmax(axis=1)
    assert all(len(set(main[which == group])) == 1 for group in range(3))
    assert edited.transform(counts).max(axis=1).min() > 0.9


def test_where_words_come_from_is_bayes() -> None:
    import scipy.sparse as sp

    counts = sp.csr_array([[2.0, 1.0], [0.0, 4.0], [0.0, 0.0]])
    weights, topics = (
        np.array([[0.5, 0.5], [0.2, 0.8], [0.5, 0.5]]),
        np.array([[0.9, 0.1], [0.5, 0.5]]),
    )
    expected = [0.45 / 0.70, 0.05 / 0.30, 0.02 / 0.42]
    assert np.allclose(come_from(counts, weights, topics, 0), expected)


def test_a_division_is_the_fixed_point_of_its_equation() -> None:
    import scipy.sparse as sp

    rng = np.random.default_rng(1)
    counts = sp.csr_array(rng.poisson(2.0, (5, 6)).astype(float))
    step = Split(0, rng.dirichlet(np.ones(6), 2), np.array([0.3, 0.7]))
    shares = rng.uniform(size=counts.nnz)
    found = divisions(step, counts, shares)
    rows = np.repeat(np.arange(5), np.diff(counts.indptr))
    for row in range(5):
        n, words = (counts.data * shares)[rows == row], counts.indices[rows == row]
        r = step.shares.copy()
        for _ in range(20):
            p = r[:, None] * step.parts[:, words]
            r = step.shares + (p / p.sum(axis=0) * n).sum(axis=1)
            r /= r.sum()
        assert np.allclose(found[row], r)


def test_every_learner_orders_a_merged_topics_words_as_its_own(model: ch.TopicModel) -> None:
    idf = getattr(model.vectorizer, "idf", None)
    edited = model.merge([[0, 1]])
    weighed = edited.topics[0] if idf is None else edited.topics[0] * idf
    best = {str(word) for word in model.vocabulary[np.argsort(-weighed, kind="stable")[:5]]}
    assert set(edited.top_word_lists(5)[0]) == best


def test_correlations_are_those_of_the_merged_topics(corpus: ch.Corpus) -> None:
    model = ch.fit("anchor", corpus, n_components=5, random_state=0, refine=2)
    edited = model.merge([[1, 3]])
    joint, before = edited._correlations, model._correlations
    assert joint.shape == (4, 4)
    assert joint.sum() == pytest.approx(1.0)
    together = before[np.ix_([1, 3], [1, 3])].sum() / before.sum()
    assert joint[1, 1] == pytest.approx(together)
    assert edited.anchors[1] == [*model.anchors[1], *model.anchors[3]]
    assert set(edited.related_topics()["topic"]) <= {0, 1, 2, 4}
    with pytest.raises(InputError, match=r"model\.original"):
        hierarchy_of(edited, [2])


@pytest.mark.parametrize(
    "groups",
    [[], [3, 7], [[1]], [[1, 1]], [[1, 2], [2, 3]], [[1, 99]], "12", [[1, "2"]], [[0, True]]],
)  # fmt: skip
def test_what_cant_be_merged_is_refused(groups: object, corpus: ch.Corpus) -> None:
    edits = Edits(np.eye(5), np.full(5, 0.2))
    with pytest.raises(InputError):
        merged(edits.last, groups)


@pytest.mark.parametrize("topics", [[], [9], list(range(5)), [1, 1], "1", None, [1.0]])
def test_what_cant_be_dropped_is_refused(topics: object) -> None:
    with pytest.raises(InputError):
        dropped(Edits(np.eye(5), np.full(5, 0.2)).last, topics)


def test_what_cant_be_split_is_refused(model: ch.TopicModel, corpus: ch.Corpus) -> None:
    with pytest.raises(InputError, match="no topic 9"):
        model.split(9, corpus)
    with pytest.raises(InputError, match="into"):
        model.split(1, corpus, into=1)
    with pytest.raises(InputError, match="too few"):
        model.split(1, np.zeros((3, len(model.vocabulary))))


def test_directions_arent_edited() -> None:
    model = ch.fit("svd", ch.sample_corpus(), n_components=3, random_state=0)
    with pytest.raises(InputError, match="directions"):
        model.merge([[0, 1]])


def test_a_document_of_dropped_topics_alone_gets_the_shares() -> None:
    model = ch.fit("nmf", np.eye(3) * 4, vocabulary=["tea", "beer", "milk"], n_components=3)
    edited = model.drop([int(model.transform([[5, 0, 0]]).argmax())])
    assert np.allclose(edited.transform([[5, 0, 0], [0, 0, 0]]), edited.prevalence)


def test_edited_models_arent_published_or_updated(corpus: ch.Corpus) -> None:
    model = ch.fit("plsa", corpus, n_components=4, random_state=0, max_iter=10)
    for what in (lambda: ch.publish(model.merge([[0, 1]]), corpus),
                 lambda: ch.keep_summary(model.drop(2), corpus)):  # fmt: skip
        with pytest.raises(InputError, match=r"model\.original"):
            what()
    model.names[1] = "mine"
    assert ch.keep_summary(model, corpus).names[1] == "mine"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_edits_keep_weights_shares_and_ids(data: st.DataObject) -> None:
    k = data.draw(st.integers(2, 7))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    topics, prevalence = rng.dirichlet(np.ones(9), k), rng.dirichlet(np.ones(k))
    edits, seen = Edits(topics, prevalence), set(range(k))
    for _ in range(data.draw(st.integers(1, 5))):
        numbers = list(edits.last.numbers)
        kind = data.draw(st.sampled_from(["merge", "drop", "split"]))
        if kind == "split":
            step = Split(data.draw(st.sampled_from(numbers)), rng.dirichlet(np.ones(9), 2),
                         rng.dirichlet(np.ones(2)))  # fmt: skip
        elif len(numbers) < 3:
            continue
        else:
            chosen = data.draw(st.lists(st.sampled_from(numbers), min_size=2,
                                        max_size=len(numbers) - 1, unique=True))  # fmt: skip
            step = merged(edits.last, [chosen]) if kind == "merge" else dropped(edits.last, chosen)
        edits = edits.and_then(step)
        new = set(edits.last.numbers) - seen
        assert all(number >= max(seen) + 1 for number in new)
        seen |= new
    assert list(edits.last.numbers) == sorted(edits.last.numbers)
    counts = rng.poisson(1.0, (8, 9)).astype(float)
    weights = edits.weights(rng.dirichlet(np.ones(k), 8), counts)
    assert weights.shape == (8, len(edits.last.numbers))
    assert (weights >= 0).all()
    assert np.allclose(weights.sum(axis=1), 1.0)
    assert np.allclose(edits.edited_topics.sum(axis=1), 1.0)
    assert np.allclose(edits.edited_prevalence.sum(), 1.0)
    assert np.allclose(prevalence @ edits.map / (prevalence @ edits.map).sum(),
                       edits.edited_prevalence)  # fmt: skip
    undone = edits
    while undone.steps:
        undone = undone.but_the_last()
    assert undone.last == Edits(topics, prevalence).last


HOSTILE = {
    "no list": {"merge": [[0, 1]]},
    "nothing": [],
    "unknown": [{"explode": 1}],
    "gone": [{"drop": [0]}, {"merge": [[0, 1]]}],
    "all": [{"drop": [0, 1, 2, 3]}],
    "twice": [{"merge": [[0, 1], [1, 2]]}],
    "out of order": [{"merge": [[1, 0]]}],
    "two in one": [{"drop": [0], "merge": [[1, 2]]}],
    "text": [{"drop": ["0"]}],
    "no arrays": [{"split": 0, "into": 2}],
    "many parts": [{"split": 0, "into": 10**12}],
    "half a part": [{"split": 0, "into": 1.5}],
    "no topic": [{"split": 17, "into": 2}],
    "truth": [{"drop": True}],
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_edits_are_refused(case: str, corpus: ch.Corpus, tmp_path) -> None:
    model = ch.fit("plsa", corpus, n_components=4, random_state=0, max_iter=5)
    model.drop([3]).save(tmp_path / "m")
    path = tmp_path / "m" / "model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"edits": HOSTILE[case]}))
    with pytest.raises(ModelFileError):
        ch.load(tmp_path / "m")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda parts: parts * 2,
        lambda parts: parts - 0.5,
        lambda parts: parts * np.nan,
        lambda parts: parts[:1],
        lambda parts: parts[:, :-1],
        lambda parts: parts.astype(np.float32),
    ],
)
def test_hostile_parts_are_refused(spoil, corpus: ch.Corpus, tmp_path) -> None:
    import hashlib

    model = ch.fit("plsa", corpus, n_components=4, random_state=0, max_iter=5)
    model.split(0, corpus).save(tmp_path / "m")
    arrays = load_arrays((tmp_path / "m" / "arrays.safetensors").read_bytes())
    arrays["edit.0.parts"] = np.ascontiguousarray(spoil(arrays["edit.0.parts"]))
    content = save_arrays(arrays)
    (tmp_path / "m" / "arrays.safetensors").write_bytes(content)
    path = tmp_path / "m" / "model.json"
    described = json.loads(path.read_text())
    described["arrays"]["edit.0.parts"] = list(arrays["edit.0.parts"].shape)
    described["arrays_sha256"] = hashlib.sha256(content).hexdigest()
    path.write_text(json.dumps(described))
    with pytest.raises(ModelFileError):
        ch.load(tmp_path / "m")


def test_parts_are_told_apart_by_plain_words_whatever_the_learner_weighed(
    corpus: ch.Corpus,
) -> None:
    model = ch.fit("nmf", corpus, n_components=4, random_state=0, max_iter=10)
    assert getattr(model.vectorizer, "idf", None) is not None
    weighed = model._take_in(corpus).counts
    plain = model._begun_edits.plain(weighed)
    assert np.allclose(plain.toarray(), corpus.counts.toarray())
    assert np.shares_memory(plain.data, weighed.data) is False
    edited = model.split(0, corpus)
    step = edited._edits.steps[0]
    before = model.transform(corpus)
    shares = come_from(plain, before, model.topics, 0)
    expected = before[:, [0]] * divisions(step, plain, shares)
    assert np.allclose(edited.transform(corpus)[:, -2:], expected)


def test_the_order_of_a_split_topics_words_is_weighed_too(corpus: ch.Corpus) -> None:
    model = ch.fit("nmf", corpus, n_components=4, random_state=0, max_iter=10)
    edited = model.split(0, corpus)
    weighed = edited.topics[-1] * model.vectorizer.idf
    best = [str(model.vocabulary[column]) for column in np.argsort(-weighed, kind="stable")[:8]]
    assert set(edited.top_word_lists(8)[-1]) == set(best)
