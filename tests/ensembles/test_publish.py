"""What a summary has: sums over documents, without words and topics that few of them have."""

import copy

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.ensembles.coarse import STEP, to_bits
from chatham.ensembles.summary import FEWEST, STATISTICS
from chatham.errors import InputError
from tests.ensembles.parts import published, some_counts

KINDS = sorted(STATISTICS)


def naive_nmf(model, counts):
    """G, g and each word's squared error, dense and as they are written."""
    fitted = copy.copy(model.estimator)
    topics = to_bits(fitted.components_)
    if model.parameters["constraint"] == "simplex":
        topics /= topics.sum(axis=1, keepdims=True)
    fitted.components_ = topics
    weights = fitted.transform(counts)
    rows = np.asarray(counts, dtype=float)
    if model.parameters["constraint"] == "simplex":
        rows = rows / np.maximum(rows.sum(axis=1, keepdims=True), 1)
    importance = np.ones(len(rows))
    if model.parameters["loss"] == "relative":
        importance = 1 / (rows**2).sum(axis=1)
    residue = weights @ topics - rows
    return (
        weights.T @ (importance[:, None] * weights),
        weights.T @ (importance[:, None] * residue),
        (importance[:, None] * residue**2).sum(axis=0),
    )


@pytest.mark.parametrize("constraint", ["simplex", "none"])
@pytest.mark.parametrize("loss", ["absolute", "relative"])
def test_the_sums_of_nmf_are_those_of_its_matrices(constraint, loss):
    counts = some_counts()
    model, summary = published("nmf", counts, constraint=constraint, loss=loss)
    gram, gradient, errors = naive_nmf(model, counts)
    assert summary.statistics["gram"] == pytest.approx(gram, rel=1e-10)
    squares = np.einsum("kl,kw,lw->", gram, summary.topics, summary.topics) + errors.sum()
    step = STEP * squares / len(counts) / np.linalg.norm(summary.topics, axis=1, keepdims=True)
    off = abs(summary.statistics["gradient"] - gradient)
    assert (off <= 0.501 * step).all()
    told = summary.statistics["errors"]
    assert (told >= errors * (1 - 1e-9)).all()  # so that bounds hold
    assert told == pytest.approx(errors, rel=2**-8)
    assert summary.settings == {"constraint": constraint, "loss": loss}


def test_the_sums_of_plsa_are_expected_counts():
    counts = some_counts()
    model, summary = published("plsa", counts, k=3)
    weights, topics = model.estimator.transform(counts), model.estimator.components_
    given = np.einsum("dk,kw->dkw", weights, topics)
    posterior = given / given.sum(axis=1, keepdims=True)
    expected = np.einsum("dw,dkw->kw", counts, posterior)
    told = summary.statistics["expected"]
    assert told == pytest.approx(expected, abs=1.0)
    assert (told % 1 == 0).all()
    assert told.sum(axis=0).tolist() == counts.sum(axis=0).tolist()
    assert summary.topics == pytest.approx(told / told.sum(axis=1, keepdims=True))
    likelihood = (counts * np.log(weights @ topics)).sum()
    assert float(summary.statistics["log_likelihood"]) == pytest.approx(likelihood, rel=1e-12)
    assert summary.tokens == counts.sum()
    assert summary.sizes == pytest.approx(weights.sum(axis=0), rel=1e-9)


def test_the_sums_of_lda_are_whole_and_add_up_to_the_words():
    counts = some_counts()
    model, summary = published("lda", counts, max_iter=60)
    drawn = summary.statistics["counts"]
    assert (drawn % 1 == 0).all()
    assert drawn.sum(axis=0).tolist() == counts.sum(axis=0).tolist()
    assert summary.statistics["alpha"] == pytest.approx(model.estimator.alpha_)
    own = drawn / drawn.sum(axis=1, keepdims=True)
    assert abs(own - model.topics).sum(axis=1).max() < 0.2


@pytest.mark.parametrize("kind", KINDS)
def test_one_holder_or_three_publish_the_same(kind):
    if kind == "lda":  # its draws are keyed by the holder, as in a fit
        return
    counts = some_counts(90)
    model, alone = published(kind, counts)
    split = ch.Simulated([counts[part::3] for part in range(3)])
    together = ch.publish(model, split)
    assert together.documents == alone.documents
    for name, array in alone.statistics.items():
        scale = max(float(np.abs(array).max()), 1.0)
        assert together.statistics[name] == pytest.approx(array, abs=1e-9 * scale)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_model_and_documents_give_the_same_bytes(kind, tmp_path):
    counts = some_counts()
    model, _ = published(kind, counts, max_iter=40)
    for name, jobs in (("a", 1), ("b", 2)):
        ch.write_summary(ch.publish(model, counts, n_jobs=jobs), tmp_path / name)
    assert (tmp_path / "a.summary").read_bytes() == (tmp_path / "b.summary").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_its_size_is_that_of_topics_and_words(kind, tmp_path):
    sizes = []
    for n in (50, 500):
        counts = some_counts(n)
        _, summary = published(kind, counts, max_iter=20)
        path = ch.write_summary(summary, tmp_path / f"{n}")
        sizes.append(sum(array.size for array in summary.statistics.values()))
        assert path.stat().st_size < 8000
    assert sizes[0] == sizes[1]


def planted_with_rare():
    """Two topics that many documents have, one that only four have, and a word of four documents.

    The third topic's words are 6 and 7, the rare word is 8.
    """
    counts = np.zeros((44, 9))
    counts[:20, :3], counts[20:40, 3:6] = 4, 4
    counts[40:, 6:8] = 5
    counts[:4, 8] = 1
    counts += np.arange(44)[:, None] % 3 * (counts > 0)  # no copies
    counts[::2, 0] += 1
    counts[1::2, 4] += 1
    counts[range(40), [6, 7] * 20] = 1  # all words but one are in many documents
    return counts


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_that_few_documents_have_leaves_no_trace(kind):
    counts = planted_with_rare()
    _, summary = published(kind, counts, k=3, max_iter=100)
    assert "w8" not in list(summary.vocabulary)
    assert len(summary.vocabulary) == 8
    # The sums are those of a corpus in which the word was never written.
    assert summary.tokens == counts[:, :8].sum()
    without = counts.copy()
    without[:, 8] = 0
    model, _ = published(kind, counts, k=3, max_iter=100)
    again = ch.publish(model, without)
    for name, array in summary.statistics.items():
        assert np.array_equal(again.statistics[name], array)


@pytest.mark.parametrize("kind", KINDS)
def test_a_topic_that_few_documents_carry_is_left_out(kind):
    counts = planted_with_rare()
    model, summary = published(kind, counts, k=3, max_iter=200)
    rare = int(model.topics[:, 6:8].sum(axis=1).argmax())
    shares = model.transform(counts)
    if kind != "lda":
        assert (shares[:40, rare] < 0.1).all()
    assert rare not in summary.numbers
    assert summary.n_topics == 2
    assert all(array.shape[0] in (2, 8) for array in summary.statistics.values() if array.ndim)


def test_copies_of_a_document_count_once():
    counts = some_counts()
    counts = np.hstack([counts, np.zeros((len(counts), 1), dtype=int)])
    counts[:6] = counts[0]
    counts[:6, -1] = 1
    _, summary = published("plsa", counts)
    assert f"w{counts.shape[1] - 1}" not in list(summary.vocabulary)


def test_too_few_documents_publish_nothing():
    counts = some_counts(FEWEST - 1)
    model = ch.fit("plsa", counts, vocabulary=[f"w{n}" for n in range(8)], n_components=2)
    with pytest.raises(InputError, match="No word is in 5 different documents"):
        ch.publish(model, counts)


@pytest.mark.parametrize(
    ("fit", "rule"),
    [
        ({"name": "kmeans"}, "Summaries are of nmf, plsa and lda"),
        ({"name": "nmf", "missing": "unobserved"}, "missing='unobserved'"),
    ],
)
def test_models_that_cannot_be_merged_are_refused(fit, rule):
    counts = sp.csr_array(some_counts())
    words = [f"w{n}" for n in range(8)]
    model = ch.fit(fit.pop("name"), counts, vocabulary=words, n_components=2, max_iter=5, **fit)
    with pytest.raises(InputError, match=rule):
        ch.publish(model, counts)


def test_plsa_of_weighted_words_is_refused():
    corpus = ch.read_corpus(["tea milk"] * 3 + ["rum milk"] * 3, stop_words=None, min_df=1,
                            max_df=1.0)  # fmt: skip
    model = ch.fit("plsa", corpus, n_components=1, weighting="tfidf")
    with pytest.raises(InputError, match="weighting='counts'"):
        ch.publish(model, corpus)


def test_masked_sums_and_other_widths_are_refused():
    counts = some_counts()
    model, _ = published("plsa", counts)
    with pytest.raises(InputError, match="may not cross between parties"):
        ch.publish(model, ch.Simulated([counts, counts], secure=True))
    with pytest.raises(InputError, match="has 7 columns"):
        ch.publish(model, ch.Alone(counts[:, :7]))
    with pytest.raises(InputError, match="takes a TopicModel"):
        ch.publish(model.estimator, counts)


def test_what_crosses_is_said_in_words():
    counts = some_counts()
    for kind in KINDS:
        model, _ = published(kind, counts, max_iter=10)
        recorded = ch.Recorded(ch.Alone(counts))
        ch.publish(model, recorded)
        assert all(entry.meaning.endswith(".") for entry in recorded.ledger)
        assert all(len(counts) not in entry.shape for entry in recorded.ledger)


def test_words_weighted_by_idf_tell_how_many_documents_have_them():
    corpus = ch.sample_corpus().rows(slice(0, 300))
    model = ch.fit("nmf", corpus, n_components=3, random_state=0, max_iter=30)
    summary = ch.publish(model, corpus)
    columns = [list(corpus.vocabulary).index(word) for word in summary.vocabulary]
    having = np.asarray((corpus.counts > 0).sum(axis=0)).ravel()[columns]
    assert summary.statistics["document_frequencies"].tolist() == having.tolist()
    assert summary.statistics["idf"] == pytest.approx(model.vectorizer.idf[columns])
    assert summary.tokens == pytest.approx(corpus.counts[:, columns].sum())


def test_topics_and_errors_of_nmf_have_nine_bits():
    """More would tell of words whose weight in a topic is one document's."""
    summary = published("nmf", some_counts(80))[1]
    for told in (summary.topics, summary.statistics["errors"]):
        significands = np.frexp(told)[0] * 512
        assert np.array_equal(significands, np.rint(significands))
        assert len(np.unique(told)) > 5
