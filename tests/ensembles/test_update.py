"""A model that grows by slices: numbers stay, events are those that were planted."""

import copy
import hashlib
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
import chatham.notes as ch_notes
from chatham.ensembles.alignment import aligned
from chatham.ensembles.file import packed
from chatham.ensembles.mixture import Mixture
from chatham.ensembles.starts import plain_topics
from chatham.ensembles.update import (
    digest_of,
    keeping_numbers,
    kept_summaries,
    left_over,
    numbered,
    slice_corpus,
)
from chatham.ensembles.wr_nmf import Base, merge_topics
from chatham.errors import InputError, ModelFileError, SummaryFileError
from chatham.model.history import History
from tests.ensembles.growing import (
    FEBRUARY,
    HALVES,
    JANUARY,
    MARCH,
    NEW,
    WIDE,
    WORDS,
    A,
    B,
    C,
    documents,
    january,
    likeness,
)
from tests.model.model_folders import bytes_of

PARAMETERS = {"nmf": {}, "plsa": {}, "lda": {"max_iter": 60}}


@pytest.fixture(scope="module", params=list(PARAMETERS))
def grown(request):
    """The model of January, and the one that also has February and March."""
    first = january(request.param, **PARAMETERS[request.param])
    second = ch.update(first, FEBRUARY, slice="February")
    return first, second, ch.update(second, MARCH, slice="March")


def numbers_of(model, *planted):
    """The topic that each planted one is."""
    return [int(likeness(model.topics, one[None]).argmax()) for one in planted]


def test_what_was_planted_is_what_the_history_says(grown):
    first, second, third = grown
    a, b, c, wide = numbers_of(first, A, B, C, WIDE)
    (new,) = numbers_of(second, NEW)
    assert new == 4  # the first number that is free
    events = {(row.slice, row.topic): (row.event, row.others) for row in third.history.itertuples()}
    february = {topic: event for (name, topic), event in events.items() if name == "February"}
    assert february[c] == ("died", ())
    assert february[new] == ("born", ())
    assert {february[topic][0] for topic in (a, b, wide)} <= {"", "grew", "shrank"}
    march = {topic: event for (name, topic), event in events.items() if name == "March"}
    assert march[a] == ("grew", ())
    assert march[c] == ("gone", ())
    assert march[wide] == ("split", (5,))
    assert march[5] == ("born", (wide,))
    assert third.n_topics == 6
    assert third.slices["slice"].tolist() == ["slice 1", "February", "March"]
    assert third.slices["documents"].tolist() == [150, 150, 150]


def test_topics_keep_their_numbers(grown):
    first, second, third = grown
    numbers = numbers_of(first, A, B, C)
    for model in (second, third):
        assert numbers_of(model, A, B, C) == numbers
    (wide,) = numbers_of(first, WIDE)
    assert likeness(third.topics[[wide, 5]], np.array(HALVES)).max() > 0.9
    assert numbers_of(third, NEW) == [4]


BLOCKS = np.kron(np.eye(3), [[0.5, 0.5]])
ONE_OF_TWO = np.array([[0.25, 0.25, 0.25, 0.25, 0, 0], [0, 0, 0.01, 0.01, 0.49, 0.49]])
"""Number 0 is two large topics at once, and number 1 a small one."""


def merged_blocks(max_iter):
    base = Base(BLOCKS, np.ones(6, bool), np.array([100.0, 100.0, 20.0]))
    merged = merge_topics(
        [base], 2, constraint="none", init=ONE_OF_TWO, max_iter=max_iter, tol=1e-9
    )  # fmt: skip
    return Mixture(merged.topics, merged.weights, list(merged.objective), merged.n_iter, False)


def test_numbers_are_the_means_of_what_went_on_with_them(grown):
    """By sizes, in all slices; what split, only since then."""
    third = grown[2]
    history = third._history
    together = aligned(kept_summaries(third))
    found = numbered(together, history, third.topics)
    (wide,) = [parent for _, parent in history.slices[2].split]
    for topic in range(third.n_topics):
        rows, sizes = [], []
        for number, each in enumerate(history.slices):
            if number < (2 if topic == wide else 0):
                continue
            for z in np.flatnonzero(np.array(each.goes) == topic):
                rows.append(plain_topics(together, number)[z])
                sizes.append(together.summaries[number].sizes[z])
        np.testing.assert_allclose(found[topic], np.average(rows, axis=0, weights=sizes))
    assert (np.diag(likeness(found, third.topics)) > 0.95).all()
    nobodys = replace(together.summaries[0], sizes=together.summaries[0].sizes * [0, 1, 1, 1])
    alone = aligned([nobodys])
    first = History(history.slices[:1])
    assert numbered(alone, first, np.eye(4, len(WORDS)))[0].tolist() == np.eye(1, 42)[0].tolist()


def test_a_merge_takes_no_number_from_a_topic():
    whole = merged_blocks(1000)
    lost = whole.topics[1] / whole.topics[1].sum()
    assert likeness(lost[None], ONE_OF_TWO[1:])[0, 0] < 0.6  # it is half of number 0 now
    kept = keeping_numbers(merged_blocks, 1000, ONE_OF_TWO)
    topics = kept.topics / kept.topics.sum(axis=1, keepdims=True)
    alike = likeness(topics, ONE_OF_TWO)
    assert (alike.argmax(axis=1) == [0, 1]).all()
    assert (alike.argmax(axis=0) == [0, 1]).all()
    assert kept.converged  # it ends by a rule, and nobody is told to allow more
    assert 1 < kept.n_iter < whole.n_iter
    assert whole.objective[-1] < kept.objective[-1] < merged_blocks(1).objective[-1]


def test_a_merge_that_leaves_all_numbers_is_the_whole_merge():
    def merge(max_iter):
        return Mixture(BLOCKS, [np.eye(3)], [0.0], max_iter, converged=False)

    kept = keeping_numbers(merge, 7, BLOCKS)
    assert (kept.n_iter, kept.converged) == (7, False)
    assert keeping_numbers(merge, 7, BLOCKS[[1, 0, 2]]).n_iter == 1


def test_shares_are_those_of_the_documents(grown):
    """What the history says of March is what the model itself finds in its documents."""
    model = grown[2]
    weights = model.transform(MARCH).mean(axis=0)
    told = model.history.query("slice == 'March'")["share"].to_numpy()
    np.testing.assert_allclose(told, weights, atol=0.04)
    assert told.sum() == pytest.approx(1.0)
    (a,) = numbers_of(model, A)
    assert told[a] == pytest.approx(0.4, abs=0.06)


def log_likelihood(model, counts):
    """Of a token, with the model's own weights."""
    mixed = 0.999 * model.transform(counts) @ model.topics + 0.001 / len(WORDS)
    return float((counts * np.log(mixed)).sum() / counts.sum())


def test_it_is_as_good_as_a_fit_of_all_slices_together(grown):
    """To within a hundredth of a nat a token; one topic for all is half a nat worse or more."""
    model = grown[2]
    everything = np.vstack([JANUARY, FEBRUARY, MARCH])
    kind = model.algorithm
    pooled = ch.fit(kind, everything, vocabulary=WORDS, n_components=model.n_topics,
                    random_state=0, **PARAMETERS[kind])  # fmt: skip
    rates = everything.sum(axis=0) / everything.sum()
    alone = float((everything.sum(axis=0) * np.log(rates)).sum() / everything.sum())
    reached = log_likelihood(model, everything)
    assert reached >= log_likelihood(pooled, everything) - 0.01
    assert reached > alone + 0.5


def test_saved_and_loaded_it_goes_on_in_the_same_way(grown, tmp_path):
    first, second, third = grown
    second.save(tmp_path / "m")
    again = ch.update(ch.load(tmp_path / "m"), MARCH, slice="March")
    third.save(tmp_path / "a")
    again.save(tmp_path / "b")
    assert bytes_of(tmp_path / "a") == bytes_of(tmp_path / "b")
    loaded = ch.load(tmp_path / "a")
    assert loaded.history.equals(third.history)
    assert (loaded.prevalence == third.prevalence).all()
    assert first._grown is None  # what is updated stays as it is


def test_kept_summaries_add_up_to_the_documents(grown):
    """Exact, over every word, and nothing of a single document: that is why it isn't for others."""
    model = grown[2]
    for summary, counts in zip(kept_summaries(model), (JANUARY, FEBRUARY, MARCH), strict=True):
        assert summary.kept
        assert summary.vocabulary.tolist() == WORDS
        assert summary.tokens == pytest.approx(counts.sum())
        assert summary.sizes.sum() == pytest.approx(len(counts))
        counted = summary.statistics.get("expected", summary.statistics.get("counts"))
        if counted is not None:
            np.testing.assert_allclose(counted.sum(axis=0), counts.sum(axis=0), rtol=1e-9)
        assert "not for others" in summary.reveals[0]


def test_a_kept_summary_is_no_published_one(grown, tmp_path):
    path = tmp_path / "ours.summary"
    path.write_bytes(grown[1]._kept[0])
    with pytest.raises(SummaryFileError, match=r"keeps at home.*'chatham publish'"):
        ch.read_summary(path)
    published = ch.publish(grown[0])
    model = grown[1]
    with pytest.raises(SummaryFileError, match="is a published summary"):
        kept_summaries(with_kept(model, packed(published)))


def with_kept(model, content):
    """The model with another first summary, and a history whose hash fits."""
    slices = model._history.slices
    digest = hashlib.sha256(content).hexdigest()
    other = copy.copy(model)
    other._grown = History((replace(slices[0], summary=digest), *slices[1:]))
    other._kept = (content, *model._kept[1:])
    return other


def test_a_summary_of_another_slice_is_refused(grown):
    model = grown[1]
    with pytest.raises(ModelFileError, match="isn't what its history says"):
        kept_summaries(with_kept(model, model._kept[1]))


# Words


def test_new_words_join_and_old_slices_never_used_them():
    first = ch.keep_summary(january("plsa"), slice="January")
    more = np.hstack([FEBRUARY, np.zeros((len(FEBRUARY), 2), dtype=int)])
    more[:40, -2] = 3  # a word that comes with the first documents
    model = ch.update(first, more, vocabulary=[*WORDS, "zeal", "zero"], slice="February")
    assert model.vocabulary.tolist() == [*WORDS, "zeal", "zero"]
    share = (model.prevalence @ model.topics)[-2]
    assert share == pytest.approx(120 / (JANUARY.sum() + more.sum()), rel=0.2)
    assert (model.prevalence @ model.topics)[-1] < 1e-4
    fixed = ch.update(first, more, vocabulary=[*WORDS, "zeal", "zero"], new_words=False)
    assert fixed.vocabulary.tolist() == WORDS


def test_texts_are_counted_as_the_first_were_and_rare_new_words_stay_out():
    texts = [f"alpha beta gamma {word}" for word in ("tea", "milk") * 15]
    corpus = ch.read_corpus(texts, stop_words=["gamma"], min_df=1, max_df=1.0)
    model = ch.fit("plsa", corpus, n_components=2, random_state=0, max_iter=5)
    new = ["Alpha, gamma and delta!", "beta"] * 20 + ["alpha once"] + ["tea often"] * 50
    counted = slice_corpus(model, new)
    assert counted.vocabulary.tolist() == ["alpha", "and", "beta", "delta", "milk", "tea"]
    assert counted.counts.sum(axis=0).tolist() == [21, 20, 20, 20, 0, 50]  # often: too common
    as_corpus = slice_corpus(model, ch.read_corpus(new, stop_words=None))
    assert (as_corpus.counts != counted.counts).nnz == 0
    assert slice_corpus(model, new, new_words=False).vocabulary.tolist() == sorted(
        model.vocabulary.tolist()
    )


def test_words_weighted_by_idf_grow_with_an_idf_of_all_slices():
    corpus = ch.Corpus(JANUARY, WORDS)
    model = ch.fit("nmf", corpus, n_components=4, random_state=0)
    assert model.vectorizer.weighting == "tfidf"
    model = ch.update(model, ch.Corpus(FEBRUARY, WORDS), slice="February")
    both = np.vstack([JANUARY, FEBRUARY])
    expected = np.log((1 + len(both)) / (1 + (both > 0).sum(axis=0))) + 1
    np.testing.assert_allclose(model.vectorizer.idf, expected, rtol=1e-12)
    assert sorted(model._history.event(1, t)[0] for t in (0, 1, 2, 3, 4)).count("born") == 1
    assert model.transform(FEBRUARY).shape == (150, 5)


# Where a new topic starts


def test_what_is_left_over_of_documents_alike_is_one_start_and_of_others_another():
    rest = np.zeros((100, 12))
    rest[:5, 0:3], rest[5:9, 6:9], rest[9:, 11] = 0.3, 0.25, 0.01
    first, second = left_over(sp.csr_array(rest[:60]), 2, np.full(12, 1 / 12))
    assert first.argmax() in (0, 1, 2)
    assert first[:3].sum() > 0.99
    wide = left_over(sp.csr_array(np.vstack([rest] * 2)), 2, np.full(12, 1 / 12))
    assert wide[0][:3].sum() > 0.99
    assert second.sum() == pytest.approx(1.0)


# What is refused


@pytest.fixture(scope="module")
def kept():
    return ch.keep_summary(january("plsa", max_iter=20), slice="January")


def test_the_same_documents_count_once(kept):
    shuffled = JANUARY[::-1]
    for again, words in ((JANUARY, None), (shuffled, WORDS), (JANUARY[:, ::-1], WORDS[::-1])):
        with pytest.raises(InputError, match="are the slice 'January' already"):
            ch.update(kept, again, vocabulary=words, slice="again")
    more = np.hstack([JANUARY, np.ones((len(JANUARY), 1), dtype=int)])
    with pytest.raises(InputError, match="count twice"):  # also with words that it left out then
        ch.update(kept, more, vocabulary=[*WORDS, "the"], slice="again")


def test_one_word_more_is_another_slice(kept):
    other = JANUARY.copy()
    other[0, 0] += 1
    assert digest_of(other, WORDS) != digest_of(JANUARY, WORDS)
    assert ch.update(kept, other, slice="corrected").n_topics >= 4


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"slice": "January"}, "has a slice called 'January' already"),
        ({"slice": "a/b"}, "can't be called 'a/b'"),
        ({"slice": ""}, "can't be called ''"),
        ({"n_components": 0}, "n_components must be a whole number of at least 1; got '0'"),
        ({"n_components": True}, "must be a whole number"),
        ({"random_state": -1}, "random_state must be a whole number"),
        ({"corpus": ch.Corpus([[1, 2]], ["tea", "milk"])}, "none of the model's words"),
        ({"corpus": np.zeros((3, len(WORDS)))}, "no word at all"),
        ({"corpus": np.ones((3, 2))}, "42 entries|2 columns"),
        ({"corpus": ch.Alone(JANUARY)}, "no commons"),
    ],
)
def test_what_can_not_be_added_is_one_sentence(kept, change, says):
    arguments = {"corpus": FEBRUARY, "slice": "February", **change}
    corpus = arguments.pop("corpus")
    with pytest.raises(InputError, match=says):
        ch.update(kept, corpus, **arguments)


def test_what_can_not_grow_says_what_to_do(tmp_path):
    svd = ch.fit("svd", JANUARY, vocabulary=WORDS, n_components=2, random_state=0)
    with pytest.raises(InputError, match="Summaries are of nmf, plsa and lda"):
        ch.update(svd, FEBRUARY)
    with pytest.raises(InputError, match="update takes a TopicModel"):
        ch.update("model/", FEBRUARY)
    weighted = ch.fit("nmf", ch.Corpus(JANUARY, WORDS), n_components=2, random_state=0,
                      constraint="simplex", max_iter=5)  # fmt: skip
    with pytest.raises(InputError, match=r"another idf; fit it with constraint='none'"):
        ch.update(weighted, FEBRUARY)
    plain = january("plsa", max_iter=3)
    with pytest.raises(InputError, match=r"no history.*ch.keep_summary"):
        _ = plain.history
    plain.save(tmp_path / "m")
    with pytest.raises(InputError, match=r"keeps no summary.*ch.keep_summary"):
        ch.update(ch.load(tmp_path / "m"), FEBRUARY)
    kept = ch.keep_summary(ch.load(tmp_path / "m"), JANUARY, slice="January")
    assert kept.history["event"].tolist() == ["", "", "", ""]
    with pytest.raises(InputError, match="several parties"):
        ch.keep_summary(plain, ch.Simulated([JANUARY, FEBRUARY]))


def test_a_slice_of_one_document_and_more_topics_than_documents(kept):
    with pytest.warns(ch_notes.ChathamWarning, match="1 document with words for 5 topics"):
        model = ch.update(kept, FEBRUARY[:1], slice="one")
    assert model.slices["documents"].tolist() == [150, 1]
    assert np.isfinite(model.topics).all()


def test_parameters_stay_those_of_the_first_fit():
    model = january("lda", max_iter=7, beta=0.05, learn_priors=False)
    again = ch.update(model, documents([A, B, C, WIDE], 5, n=60), slice="more")
    assert again.parameters["max_iter"] == 7
    assert again.parameters["beta"] == 0.05
    assert again.parameters["learn_priors"] is False
