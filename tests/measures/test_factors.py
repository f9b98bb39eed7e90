"""Measures of anchor words' factors, beside dense arithmetic from the definitions."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import chatham as ch
from chatham.commons.precision import PAIRS
from chatham.errors import InputError
from chatham.learners.cooccurrence import pair_statistics
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evaluate import evaluate
from chatham.measures.factors import meeting_words
from chatham.measures.registry import MEASURES
from chatham.measures.subject import Subject, folding

NAMES = [
    "recovery_error", "approximation_error", "validity", "legality", "dominancy", "hard_rank",
    "soft_rank",
]  # fmt: skip


def from_definitions(counts, topics, shares, correlations, anchors, by_length=False):
    """Every measure from what Lee writes, word by word and document by document."""
    counts = sp.csr_array(counts).toarray().astype(float)
    d, k = counts.shape[1], len(topics)
    C = np.zeros((d, d))
    for h in counts:
        n = h.sum()
        if n > 1:
            C += (np.outer(h, h) - np.diag(h)) / ((n - 1) if by_length else n * (n - 1))
    C /= C.sum()
    unigram = C.sum(axis=1)
    given_word = np.zeros((d, k))
    for i in range(d):
        joint = [shares[t] * topics[t, i] for t in range(k)]
        if sum(joint) > 0:
            given_word[i] = np.array(joint) / sum(joint)
    bar = {i: C[i] / C[i].sum() for i in range(d) if C[i].sum() > 0}
    gaps = [
        np.sqrt(sum((row - sum(given_word[i, t] * bar[anchors[t]] for t in range(k))) ** 2))
        for i, row in bar.items()
    ]
    p, q = correlations.sum(axis=1), unigram @ given_word
    ranks = [
        sum(topics[t] > topics[t, s]) + (sum(topics[t] == topics[t, s]) - 1) / 2
        for t, s in enumerate(anchors)
    ]
    return {
        "recovery_error": np.mean(gaps),
        "approximation_error": math.sqrt(((C - topics.T @ correlations @ topics) ** 2).sum()),
        "validity": sum(p * np.log(p / q)) + sum(q * np.log(q / p)),
        "legality": abs(correlations.sum() - 1),
        "dominancy": np.mean([correlations[t, t] / correlations[t].sum() for t in range(k)]),
        "hard_rank": np.mean(ranks),
        "soft_rank": np.mean(
            [math.log(max(topics[t]) / topics[t, s]) for t, s in enumerate(anchors)]
        ),
    }


def compared(subject, counts, corpus=None):
    table = evaluate(subject, counts if corpus is None else corpus, measures=NAMES)
    assert table["measure"].tolist() == NAMES
    wanted = from_definitions(
        counts, subject.topics, subject.shares, subject.correlations, subject.anchors,
        by_length=table["settings"][0]["mean_over"] == "tokens",
    )  # fmt: skip
    assert table["value"].tolist() == pytest.approx([wanted[name] for name in NAMES], rel=1e-9)
    return table.set_index("measure")


@pytest.mark.parametrize("seed", range(5))
def test_random_factors(seed):
    rng = np.random.default_rng(seed)
    k, d, n = 3, 12, 20
    topics = rng.dirichlet(np.full(d, 0.5), k)
    weights = rng.dirichlet(np.full(k, 0.4), 30)
    counts = rng.poisson(0.4, (n, d))
    counts[0], counts[:, 5] = 0, 0  # a document without words, and a word without documents
    counts[1] = np.eye(d)[3]  # one word has no pair
    met = np.flatnonzero((counts[counts.sum(axis=1) > 1] > 0).any(axis=0))
    subject = Subject(
        vocabulary=np.array([f"w{i:02}" for i in range(d)], dtype=object),
        topics=topics,
        prevalence=rng.dirichlet(np.ones(k)),
        estimator=folding("plsa", topics),
        anchors=rng.choice(met, k, replace=False),
        correlations=1.1 * weights.T @ weights / 30,  # its sum isn't one
    )
    table = compared(subject, counts)
    assert table["settings"]["recovery_error"]["words_alone"] >= 1
    assert table["settings"]["recovery_error"]["documents"] == (counts.sum(axis=1) > 1).sum()
    assert table["settings"]["validity"]["documents"] == (counts.sum(axis=1) > 1).sum()
    assert table["settings"]["legality"]["sum"] == pytest.approx(1.1)
    of_tokens = [MEASURES[name](mean_over="tokens") for name in NAMES[:3]]
    wanted = from_definitions(
        counts, topics, subject.shares, subject.correlations, subject.anchors, by_length=True
    )
    for rows in (counts, ch.Simulated([counts[:8], counts[8:]])):
        found = evaluate(subject, rows, measures=of_tokens)["value"].tolist()
        assert found == pytest.approx([wanted[name] for name in NAMES[:3]], rel=1e-9)
        assert found != pytest.approx(table["value"][NAMES[:3]].tolist(), rel=1e-3)
    with pytest.raises(InputError, match="mean over 'words'"):
        MEASURES["validity"](mean_over="words")
    assert {table["settings"][name]["mean_over"] for name in NAMES[:3]} == {"documents"}


@pytest.fixture(scope="module")
def real():
    corpus = ch.read_corpus(ch.sample_corpus().rows(range(500)), min_df=12)
    models = {
        f"refine{sweeps}": ch.fit("anchor", corpus, n_components=4, refine=sweeps, random_state=0)
        for sweeps in (0, 5)
    }
    return corpus, models


def test_a_fit_is_measured_against_the_co_occurrence_that_it_took(real):
    corpus, _ = real
    for mean in ("auto", "tokens", "documents"):
        model = ch.fit("anchor", corpus, n_components=4, refine=0, mean_over=mean, random_state=0)
        taken = "documents" if mean == "documents" else "tokens"
        found = evaluate(model, corpus, measures=NAMES[:3])
        assert {each["mean_over"] for each in found["settings"]} == {taken}
        named = [MEASURES[name](mean_over=taken) for name in NAMES[:3]]
        assert found["value"].tolist() == evaluate(model, corpus, measures=named)["value"].tolist()


def test_a_model_that_parties_fitted_says_that_they_took_documents_alike(real):
    """Measured later by one of them, alone, where "auto" would have meant tokens."""
    corpus, _ = real
    own, others = corpus.rows(range(250)), corpus.rows(range(250, 500))
    together = ch.Simulated([own.counts, others.counts], secure=True)
    settings = {"n_components": 3, "refine": 0, "random_state": 0}
    model = ch.fit("anchor", together, vocabulary=corpus.vocabulary, **settings)
    found = evaluate(model, own, measures=NAMES[:3])
    assert {each["mean_over"] for each in found["settings"]} == {"documents"}
    named = [MEASURES[name](mean_over="documents") for name in NAMES[:3]]
    assert found["value"].tolist() == evaluate(model, own, measures=named)["value"].tolist()


def test_a_model_of_real_text(real, tmp_path):
    corpus, models = real
    for name, model in models.items():
        subject = as_subject(model)
        assert subject.anchors.tolist() == model.estimator.anchors_.tolist()
        compared(subject, corpus.counts, corpus)
        model.save(tmp_path / name)
        values = [
            evaluate(each, corpus, measures=NAMES)["value"].tolist()
            for each in (model, ch.load(tmp_path / name))
        ]
        assert values[0] == values[1]


def test_unrefined_words_are_mixtures_of_their_anchors_above_all(real):
    corpus, models = real
    table = ch.compare(models, corpus, measures=NAMES).set_index("measure")
    assert table["best"]["recovery_error"] == "refine0"
    assert not table["higher_is_better"]["recovery_error"]


def test_words_in_another_order_are_the_same_words(real):
    corpus, models = real
    texts = ch.Corpus(corpus.counts[:, ::-1], corpus.vocabulary[::-1])
    both = [evaluate(models["refine0"], c, measures=NAMES)["value"] for c in (corpus, texts)]
    assert both[0].tolist() == pytest.approx(both[1].tolist(), rel=1e-12)


def test_they_are_taken_only_if_they_are_named(real):
    corpus, models = real
    table = ch.evaluate(models["refine0"], corpus)
    assert not {*table["measure"], *table.attrs["skipped"]} & set(NAMES)
    assert {name for name, measure in MEASURES.items() if not measure.by_default} == set(NAMES)


def test_models_without_anchors_are_refused_before_anything_crosses(real):
    corpus, _ = real
    model = ch.fit("kmeans", corpus, n_components=3, random_state=0)
    commons = ch.Recorded(ch.Simulated([corpus.rows(slice(start, None, 2)) for start in (0, 1)]))
    with pytest.raises(InputError, match="an anchor word for each topic; measure a model of"):
        ch.evaluate(model, commons, measures="recovery_error")
    with pytest.raises(InputError, match="needs the topics' correlations"):
        ch.evaluate(model, commons, measures="approximation_error")
    skipped = ch.evaluate(model, commons, measures=NAMES, strict=False).attrs["skipped"]
    assert set(skipped) == set(NAMES)
    assert max(math.prod(entry.shape) for entry in commons.ledger) < len(corpus.vocabulary)


def test_what_crosses_is_what_the_fit_has_sent(real):
    corpus, _ = real
    parts = [corpus.rows(slice(start, None, 3)) for start in range(3)]
    fitted, measured = ch.Recorded(ch.Simulated(parts)), ch.Recorded(ch.Simulated(parts))
    model = ch.fit("anchor", fitted, vocabulary=corpus.vocabulary, n_components=4, refine=0)
    ch.evaluate(model, measured, measures=["recovery_error", "approximation_error"])
    packed = [entry for entry in measured.ledger if "upper half" in entry.meaning]
    assert packed[0].shape == fitted.ledger[0].shape
    assert len({entry.round for entry in packed}) == 1  # both ask for one sum
    commons = ch.Simulated(parts, secure=True)
    sent = commons.sum(pair_statistics, most=PAIRS)[0]
    total = commons.sum(meeting_words, as_subject(model), most=PAIRS)[0]
    np.testing.assert_array_equal(total, sent)


def test_a_model_of_weighed_counts_is_measured_as_it_was_fitted(real):
    corpus, _ = real
    model = ch.fit("anchor", corpus, n_components=3, weighting="tfidf", refine=0, random_state=0)
    subject, weighed = as_subject(model), model.vectorizer.weigh(corpus.counts)
    fitted = ch.Alone(weighed).sum(pair_statistics)[0]
    np.testing.assert_allclose(ch.Alone(corpus).sum(meeting_words, subject)[0], fitted, rtol=1e-12)
    compared(subject, weighed, corpus)


def test_documents_without_pairs_have_no_cooccurrence():
    subject = Subject(
        vocabulary=np.array(["a", "b"], dtype=object), topics=np.eye(2), anchors=np.array([0, 1]),
        correlations=np.eye(2) / 2,
    )  # fmt: skip
    with pytest.raises(InputError, match="No two words of the model's vocabulary co-occur"):
        evaluate(subject, np.eye(2), measures="approximation_error")
    with pytest.raises(InputError, match="An anchor co-occurs with no word"):
        evaluate(
            replace(subject, vocabulary=np.array(["a", "b", "c"], dtype=object),
                    topics=np.eye(3)[:2]),
            np.array([[1, 0, 1]]), measures="recovery_error",
        )  # fmt: skip
