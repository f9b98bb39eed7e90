"""Updating: a model grows by slices of a corpus, without the documents of earlier ones.

The model keeps a summary of each slice (`keep_summary` of the first). An update

1. counts the slice's documents over the model's words and the slice's own new ones;
2. fits topics to them, starting from those that the slice before had and from what these explain
   worst, so that numbers can be kept;
3. decides which number each goes on with (`continuing`) and writes that into the history;
4. merges the summaries of all slices, starting from what each number is by these decisions alone
   (`numbered`), and no farther than every number is still that (`keeping_numbers`).

A word that an earlier slice doesn't have counts as not used there: it was read in the same way, and
wasn't found or was too rare. (Between parties such a word is unknown; see `alignment`.)

Kept summaries are exact, and have all words and topics: what is rare in one slice may not be in all
of them together. So they aren't for others, and say so.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.commons import Commons, as_commons
from chatham.corpus import Corpus, Vectorizer, read_corpus
from chatham.corpus.build import onto_vocabulary
from chatham.corpus.corpus import derived, of_words
from chatham.corpus.text.pruning import Pruning
from chatham.corpus.text.weighting import (
    inverse_document_frequencies,
    own_idf,
    unweight_by_idf,
)
from chatham.corpus.tfidf import unweighted
from chatham.ensembles.alignment import Aligned, aligned
from chatham.ensembles.continuing import ALIKE, Continued, continued, similarities
from chatham.ensembles.file import packed, unpacked
from chatham.ensembles.merge import KINDS, vectorizer_of
from chatham.ensembles.mixture import Mixture
from chatham.ensembles.nmf import common_idf
from chatham.ensembles.publish import AT_HOME, check_model, summarised
from chatham.ensembles.starts import BLEND, overall_words, plain_topics
from chatham.ensembles.summary import IDF, STATISTICS, Summary
from chatham.errors import InputError, ModelFileError
from chatham.learners.fitted import Fitted
from chatham.learners.parameters import check_seed
from chatham.model.fit import fit_learner
from chatham.model.history import History, Slice
from chatham.model.intake import is_texts, tokenizing
from chatham.model.registry import make_estimator
from chatham.model.schema import UNSAVED
from chatham.model.topic_model import TopicModel
from chatham.naming import is_name, plural
from chatham.notes import ChathamWarning
from chatham.numerics.threads import threads
from chatham.wording import Either, say

Array = NDArray[np.float64]

FEW = 10
"""A slice should have as many documents for each of its topics."""
ROOM = 1
"""So many topics more than the slice before had does a slice get: room for what is new."""
WORST = 0.05
"""The share of a slice's documents, of those explained worst, that a new topic starts from,"""
FEWEST_WORST = 5
"""but at least so many."""
SWEEPS = 50
"""Of the sampler in merges of LDA, which start from topics and not from nothing."""
AS_FITTED = {
    "nmf": ("l1_topics", "l2_topics", "l1_weights", "l2_weights", "max_iter", "tol"),
    "plsa": ("max_iter", "tol"),
    "lda": (),
}
"""What a merge does as the model's own fit did."""
CHUNK = 256
"""Documents that are compared with their topics at a time."""


def keep_summary(
    model: TopicModel,
    documents: Any = None,
    *,
    slice: str = "slice 1",
    random_state: int = 0,
    n_jobs: int | None = None,
) -> TopicModel:
    """The same model with a summary of its documents, so that `ch.update` can add others to it.

    `documents` are those that it was fitted to, as `model.transform` takes them; by default the
    training documents, if the model still has them. `slice` is what they are called as the first
    slice of its history. The summary is saved with the model; it has exact sums, so such a folder
    isn't for others.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("plsa", corpus.rows(slice(0, 800)), n_components=4, random_state=0)
    >>> ch.keep_summary(model, slice="until 2017").slices[["slice", "documents"]].values.tolist()
    [['until 2017', 800]]
    """
    check_grows(model)
    check_name(slice, [])
    if isinstance(documents, Commons):
        raise InputError(
            "keep_summary takes documents of your own, as a corpus, texts or counts; a model of "
            "several parties can't keep a summary of their documents."
        )
    taken = model._take_in(model._training_documents() if documents is None else documents)
    counts = sp.csr_array(taken.counts)
    idf = getattr(model.vectorizer, "idf", None)
    plain_counts = counts if idf is None else unweight_by_idf(counts, idf)
    seed = check_seed(random_state)
    summary = summarised(model, as_commons(counts), AT_HOME, slice, seed, n_jobs)
    shares = np.zeros(model.n_topics)
    shares[list(summary.numbers)] = summary.shares
    content = packed(summary)
    first = Slice(
        name=slice,
        documents=summary.documents,
        tokens=summary.tokens,
        digest=digest_of(plain_counts, model.vocabulary),
        summary=hashlib.sha256(content).hexdigest(),
        goes=summary.numbers,
        has=tuple(np.flatnonzero(shares > 0).tolist()),
        shares=tuple(shares.tolist()),
    )
    kept = copy.copy(model)
    kept._given_names, kept._names = dict(model._given_names), None
    kept._grown, kept._kept = History((first,)), (content,)
    return kept


def update(
    model: TopicModel,
    corpus: Any,
    *,
    slice: str | None = None,
    n_components: int | None = None,
    vocabulary: Sequence[str] | NDArray[Any] | None = None,
    new_words: bool = True,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> TopicModel:
    """A model with the documents of a new slice added, without those that it was made from.

    `model` is one of `ch.fit` that still has its training documents, or of `ch.keep_summary`, or of
    an earlier update; all may have been saved and loaded. `corpus` is in any form that `ch.fit`
    takes: a `Corpus`, a list of texts, a path or a table that `read_corpus` reads, or a matrix of
    counts over the model's words, or over `vocabulary`. Texts are read as those of the model were.
    `slice` is what it is called, by default the file's name, or its number.

    Topics keep their numbers, new ones get further numbers, and `model.history` says what became of
    each. `n_components` is how many topics the slice itself gets, by default one more than the
    slice before had. With `new_words=False` only the model's words count.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("plsa", corpus.rows(slice(0, 800)), n_components=4, random_state=0)
    >>> model = ch.update(model, corpus.rows(slice(800, 1200)), slice="after 2017")
    >>> model.slices["slice"].tolist(), model.n_topics >= 4
    (['slice 1', 'after 2017'], True)
    """
    check_grows(model)
    seed = check_seed(random_state)
    _check_topics(n_components)
    if model._grown is None:
        model = _with_first(model, seed, n_jobs)
    history = model._history
    name = _name_of(corpus, len(history.slices) + 1) if slice is None else slice
    check_name(name, history.names)
    summaries = kept_summaries(model)
    documents = slice_corpus(model, corpus, vocabulary, new_words)
    _check_new(documents, history, summaries)
    words = documents.vocabulary.astype(object)
    k = len(history.living) + ROOM if n_components is None else n_components
    _warn_of_few(documents, k)
    fitted = _fit(model, documents, k, seed, n_jobs)
    rows = as_commons(fitted._take_in(documents).counts)
    summary = summarised(fitted, rows, AT_HOME, name, seed, n_jobs)
    together = aligned([*(_widened(each, words) for each in summaries), summary])
    own = plain_topics(together, len(summaries))
    topics = _spread(model.topics, model.vocabulary, together.vocabulary)
    found = continued(own, summary.sizes, topics, history.living)
    content = packed(summary)
    newest = _described(summary, found, len(topics), name, documents, content)
    longer = History((*history.slices, newest))
    grown = _merged(model, together, numbered(together, longer, topics), seed, n_jobs)
    grown._grown = longer
    grown._kept = (*model._kept, content)
    grown._given_names = dict(model._given_names)
    return grown


# What is asked of a model, and of a slice


def check_grows(model: Any) -> None:
    """Refuse a model that can't be merged with another slice."""
    check_model(model, "update")
    simplex = model.parameters.get("constraint") == "simplex"
    if simplex and getattr(model.vectorizer, "idf", None) is not None:
        raise InputError(
            say(
                "This model weighted words by tf-idf before it turned documents into frequencies, "
                "and a new slice has another idf; fit it with {constraint='none'} or "
                "{weighting='counts'} to update it."
            )
        )


def _check_topics(n_components: Any) -> None:
    whole = isinstance(n_components, Integral) and not isinstance(n_components, bool)
    if n_components is not None and not (whole and n_components >= 1):
        raise InputError(
            say(
                "{n_components} must be a whole number of at least 1; got {it!r}.",
                it=str(n_components)[:40],
            )
        )


def _with_first(model: TopicModel, seed: int, n_jobs: int | None) -> TopicModel:
    if model._documents is None:
        raise InputError(
            say(
                "This model keeps no summary of the documents that it was fitted to, so it can't "
                "be updated; {how}.",
                how=Either(
                    "use ch.keep_summary(model, documents) once, or before you save a model",
                    "give them once more with --first FILE, or fit it with --slice NAME",
                ),
            )
        )
    return keep_summary(model, random_state=seed, n_jobs=n_jobs)


def _name_of(corpus: Any, number: int) -> str:
    if isinstance(corpus, str | PathLike):
        return Path(corpus).name.split(".")[0]
    return f"slice {number}"


def check_name(name: Any, names: Sequence[str]) -> None:
    """Refuse what a slice can't be called, or what another is called already."""
    if not is_name(name):
        raise InputError(
            say(
                "A slice can't be called {it!r}: give {slice} a name of 1 to 60 letters, digits, "
                "blanks or characters such as . , & ' -, without a blank at its beginning or end.",
                it=str(name)[:60],
            )
        )
    if name in names:
        raise InputError(
            say(
                "The model has a slice called {name!r} already; give another name with {slice}.",
                name=name,
            )
        )


def kept_summaries(model: TopicModel) -> list[Summary]:
    """The summaries that a model keeps, which may be from anybody's file, if they are its own."""
    summaries = []
    for each, content in zip(model._history.slices, model._kept, strict=True):
        summary = unpacked(content, Path(f"{each.summary}.kept"), kept=True)
        mine = each.name, each.documents, each.tokens, len(each.goes), model.algorithm
        told = summary.name, summary.documents, summary.tokens, summary.n_topics, summary.kind
        if told != mine or not set(summary.vocabulary) <= set(model.vocabulary):
            raise ModelFileError(
                f"What the model keeps of the slice {each.name!r} isn't what its history says; it "
                "is damaged, or from another model."
            )
        summaries.append(summary)
    return summaries


def slice_corpus(
    model: TopicModel, corpus: Any, vocabulary: Any = None, new_words: bool = True
) -> Corpus:
    """Plain counts of a slice, over the model's words and, if they may join, its own new ones."""
    if isinstance(corpus, Commons):
        raise InputError(
            "update takes documents of your own, as a corpus, texts or counts, and no commons."
        )
    if isinstance(corpus, Corpus):
        read = _recounted(model, corpus)
    elif isinstance(corpus, str | PathLike | pd.DataFrame) or is_texts(corpus):
        read = read_slice(model, corpus)
    else:
        words: Any = model.vocabulary if vocabulary is None else vocabulary
        read = Corpus(corpus, words)
    known = set(model.vocabulary)
    if not known & set(read.vocabulary.tolist()):
        raise InputError(
            "The new documents have none of the model's words, so their topics can't be compared; "
            "give documents in the language, and read in the way, of those of the model."
        )
    more = set(read.vocabulary.tolist()) - known if new_words else set()
    counted = onto_vocabulary(read, sorted(known | more))
    if counted.empty.all():
        raise InputError("The new documents have no word at all; give some that have words.")
    return counted


def _recounted(model: TopicModel, corpus: Corpus) -> Corpus:
    """The corpus as plain counts: of texts, if it has them, in the model's way."""
    own = getattr(corpus.vectorizer, "tokenizer", None)
    models = getattr(model.vectorizer, "tokenizer", None)
    if corpus.texts is not None and models is not None and own != models:
        return read_slice(model, corpus.texts)
    return unweighted(corpus)


def read_slice(model: TopicModel, source: Any, **reading: Any) -> Corpus:
    """Texts counted in the model's way: its words, and others that aren't rare or very common.

    `reading` are further options of `read_corpus`; with a `vocabulary` only its words count.
    """
    if reading.get("vocabulary") is not None:
        return read_corpus(source, **reading, **tokenizing(model.vectorizer), keep_texts=False)
    every = read_corpus(
        source, **reading, **tokenizing(model.vectorizer), min_df=1, max_df=1.0, keep_texts=False
    )
    keep = np.isin(every.vocabulary.astype(str), model.vocabulary.astype(str))
    limits = Pruning().for_texts(len(every))
    with contextlib.suppress(InputError):  # none is within the limits
        keep[limits.keep(every.counts)] = True
    return of_words(every, np.flatnonzero(keep))


def digest_of(counts: Any, vocabulary: Any) -> str:
    """A hash of documents, whatever their order and that of the words; those without words aside.

    >>> digest_of(sp.csr_array([[2, 0], [0, 1]]), ["tea", "milk"]) == digest_of(
    ...     sp.csr_array([[1, 0], [0, 0], [0, 2]]), ["milk", "tea"])
    True
    """
    order = np.argsort(np.asarray(vocabulary, dtype=str), kind="stable")
    rows = sp.csr_array(sp.csr_array(counts, dtype=np.float64)[:, order])
    rows.sum_duplicates()
    rows.eliminate_zeros()
    cells = rows.indices.astype("<i8"), rows.data.astype("<f8")
    each = sorted(
        hashlib.sha256(b"".join(part[start:end].tobytes() for part in cells)).digest()
        for start, end in pairwise(rows.indptr.tolist())
        if end > start
    )
    words = "\n".join(sorted(map(str, vocabulary))).encode()
    return hashlib.sha256(hashlib.sha256(words).digest() + b"".join(each)).hexdigest()


def _warn_of_few(documents: Corpus, k: int) -> None:
    filled = len(documents) - int(documents.empty.sum())
    if filled < FEW * k:
        warnings.warn(
            f"The new slice has {plural(filled, 'document')} with words for {plural(k, 'topic')}, "
            f"fewer than {FEW} for each: its topics say more about these documents than about "
            "their time, and many may be born and die; collect more documents for a slice.",
            ChathamWarning,
            stacklevel=3,
        )


def _check_new(documents: Corpus, history: History, summaries: Sequence[Summary]) -> None:
    """Refuse documents that are a slice already; they would count twice."""
    column_of = {word: column for column, word in enumerate(documents.vocabulary.tolist())}
    for each, summary in zip(history.slices, summaries, strict=True):
        if len(documents) != each.documents:
            continue
        columns = [column_of[word] for word in summary.vocabulary]
        if digest_of(documents.counts[:, columns], summary.vocabulary) == each.digest:
            raise InputError(
                f"These documents are the slice {each.name!r} already, and would count twice; give "
                "new ones."
            )


# The slice's own topics


def _fit(model: TopicModel, documents: Corpus, k: int, seed: int, n_jobs: int | None) -> TopicModel:
    """A model of the slice that starts from the topics that were there, and from what is new."""
    weighted = getattr(model.vectorizer, "idf", None) is not None
    parameters = {**parameters_of(model), "n_components": k, "random_state": seed, "n_jobs": n_jobs}
    with threads(n_jobs):
        start = starting_topics(model, documents, k)
    parameters["init"] = start * own_idf(documents.counts) if weighted else start
    learner = make_estimator(model.algorithm, parameters)
    tokenizer = getattr(model.vectorizer, "tokenizer", None)
    bag = derived(documents, vectorizer=Vectorizer(tokenizer, documents.vocabulary), texts=None)
    fitted = fit_learner(learner, bag, weighting="tfidf" if weighted else "counts")
    fitted.vectorizer = replace(fitted.vectorizer, tokenizer=tokenizer)
    return fitted


def parameters_of(model: TopicModel) -> dict[str, Any]:
    """How the model was fitted, as far as it is the same for other numbers of topics and words."""
    values = model._fitted._parameter_values()
    reserved = {"n_components", "random_state", *UNSAVED}
    return {
        name: value
        for name, value in values.items()
        if name not in reserved and (value is None or isinstance(value, str | Real))
    }


def starting_topics(model: TopicModel, documents: Corpus, k: int) -> Array:
    """Where a slice's fit starts: topics that live, the largest first, and what they don't explain.

    A new topic is what is left over of documents that are explained worst and in the same way: the
    one that is most like the others, and each as far as it is like that one. No word of the slice
    is zero.
    """
    history = model._history
    words, counts = documents.vocabulary, sp.csr_array(documents.counts, dtype=np.float64)
    living = sorted(history.living, key=lambda topic: -history.slices[-1].shares[topic])[:k]
    topics = _spread(model.topics, model.vocabulary, words)
    overall = np.asarray(counts.sum(axis=0)).ravel() / counts.sum()
    rows = list(topics[sorted(living)])
    if len(rows) < k:
        rest = unexplained(model, documents, topics)
        rows += left_over(rest, k - len(rows), overall)
    return (1.0 - BLEND) * np.array(rows) + BLEND * overall


def unexplained(model: TopicModel, documents: Corpus, topics: Array) -> sp.csr_array:
    """By how much each word's frequency in a document is above what the topics make it."""
    weights = model.transform(onto_vocabulary(documents, model.vocabulary.tolist()))
    counts = sp.csr_array(documents.counts, dtype=np.float64)
    totals = np.asarray(counts.sum(axis=1)).ravel()
    rest = counts.copy()
    for start in range(0, len(totals), CHUNK):
        mixed = weights[start : start + CHUNK] @ topics
        for row in range(start, min(start + CHUNK, len(totals))):
            cells = np.s_[counts.indptr[row] : counts.indptr[row + 1]]
            frequencies = counts.data[cells] / max(totals[row], 1.0)
            more = frequencies - mixed[row - start, counts.indices[cells]]
            rest.data[cells] = np.maximum(more, 0.0)
    return rest


def left_over(rest: sp.csr_array, number: int, overall: Array) -> list[Array]:
    """So many distributions over words, of documents of which most is left over."""
    size = np.asarray(rest.sum(axis=1)).ravel()
    n = min(max(FEWEST_WORST, int(WORST * len(size))), len(size))
    worst = np.argsort(-np.round(size, 9), kind="stable")[:n]
    rows = rest[worst].toarray()
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    unit = rows / np.where(lengths > 0, lengths, 1.0)
    alike, open_ = unit @ unit.T, np.ones(n)
    found = []
    for _ in range(number):
        middle = int(np.round(open_ * (alike @ open_), 9).argmax())
        row = (alike[middle] * open_) @ rows
        found.append(row / row.sum() if row.sum() > 0 else overall)
        open_ = open_ * (1.0 - alike[middle])
    return found


# The slices together


def _widened(summary: Summary, words: NDArray[np.object_]) -> Summary:
    """A kept summary over more words, which its documents don't have."""
    places = {word: column for column, word in enumerate(words)}
    columns = [places[word] for word in summary.vocabulary]

    def wide(array: Array, of_others: float = 0.0) -> Array:
        filled = np.full((*array.shape[:-1], len(words)), of_others)
        filled[..., columns] = array
        return filled

    statistics = {
        name: wide(summary.statistics[name]) if "d" in axes else summary.statistics[name]
        for name, axes in STATISTICS[summary.kind].items()
        if name in summary.statistics
    }
    if summary.is_weighted:
        never = float(
            inverse_document_frequencies(np.zeros(1, dtype=np.int64), summary.documents)[0]
        )
        statistics[IDF] = wide(summary.statistics[IDF], never)
    return replace(summary, vocabulary=words, topics=wide(summary.topics), statistics=statistics)


def _spread(topics: Array, own: Any, words: Any) -> Array:
    """Topics over more words, which they don't have."""
    places = {str(word): column for column, word in enumerate(words)}
    wide = np.zeros((len(topics), len(words)))
    wide[:, [places[str(word)] for word in own]] = topics
    return wide


def _described(
    summary: Summary, found: Continued, k: int, name: str, documents: Corpus, content: bytes
) -> Slice:
    """The slice's row of the history."""
    shares = np.bincount(found.numbers, summary.shares, minlength=k + len(found.new))
    return Slice(
        name=name,
        documents=summary.documents,
        tokens=summary.tokens,
        digest=digest_of(documents.counts, documents.vocabulary),
        summary=hashlib.sha256(content).hexdigest(),
        goes=tuple(found.numbers.tolist()),
        has=tuple(np.unique(found.numbers[found.large]).tolist()),
        shares=tuple(shares.tolist()),
        split=tuple(sorted(found.split.items())),
        merged=tuple(sorted(found.merged.items())),
    )


def numbered(together: Aligned, history: History, topics: Array) -> Array:
    """What each number is by what was decided alone: the topics of all slices that went on with it.

    They count by their sizes. What split is what is left of it since, and not what it was. `topics`
    are those that the model had, for a number that no document has.
    """
    sums = np.zeros((history.n_topics, len(together.vocabulary)))
    since = np.array([history.since(topic) for topic in range(history.n_topics)])
    for number, (summary, each) in enumerate(zip(together.summaries, history.slices, strict=True)):
        goes = np.array(each.goes)
        sizes = np.where(since[goes] <= number, summary.sizes, 0.0)
        np.add.at(sums, goes, sizes[:, None] * plain_topics(together, number))
    totals = sums.sum(axis=1, keepdims=True)
    of_nobody = np.flatnonzero(totals[:, 0] <= 0)
    sums[of_nobody], totals[of_nobody] = topics[of_nobody], 1.0
    return np.asarray(sums / totals)


def _merged(
    model: TopicModel, together: Aligned, start: Array, seed: int, n_jobs: int | None
) -> TopicModel:
    """The model of all slices, its topics numbered as those that the merge starts from."""
    kind, k = KINDS[together.kind], len(start)
    init = (1.0 - BLEND) * start + BLEND * overall_words(together)
    settings = {name: model.parameters[name] for name in AS_FITTED[together.kind]}
    if together.kind == "nmf":
        idf = common_idf(together)
        init = start if idf is None else start * idf
    if together.kind == "lda":
        settings = {"max_iter": SWEEPS, "burn_in": 0}
    most = settings.pop("max_iter")
    merge = partial(
        kind.merge, together, k, init=init, seed=seed, **kind.jobs(n_jobs), **settings
    )  # fmt: skip
    mixture = keeping_numbers(merge, most, start)
    estimator = make_estimator(
        together.kind, {**parameters_of(model), "n_components": k, "random_state": seed}
    )
    estimator.n_features_in_ = len(together.vocabulary)
    learned = {name: value for name, value in mixture.more.items() if name in estimator.learned}
    sizes = np.sum(
        [each.sizes @ mine for each, mine in zip(together.summaries, mixture.shares, strict=True)],
        axis=0,
    )
    estimator._keep(
        Fitted(
            mixture.topics, sizes, mixture.objective, mixture.n_iter, learned,
            converged=mixture.converged, numbered=True,
        )
    )  # fmt: skip
    return TopicModel(estimator, together.vocabulary, vectorizer=vectorizer_of(together, mixture))


def keeping_numbers(merge: Callable[..., Mixture], most: int, start: Array) -> Mixture:
    """The merge, or as much of it as leaves every number the topic from which it starts.

    A merge explains what all slices have with so many topics. NMF then may give the number of a
    topic that has become small to a part of a large one; that number would be another topic's
    from here on. Where it does, the merge ends sooner: after the last of 1, 2, 4, … iterations in
    which no number is lost.
    """
    whole = merge(max_iter=most)
    if _themselves(whole, start):
        return whole
    kept, iterations = merge(max_iter=1), 2
    while iterations < most and _themselves(more := merge(max_iter=iterations), start):
        kept, iterations = more, 2 * iterations
    return replace(kept, converged=True)


def _themselves(mixture: Mixture, start: Array) -> bool:
    """Whether each number is more like the topic that it starts from than like any other's."""
    plain = mixture.topics / mixture.more.get("idf", 1.0)
    alike = similarities(start, plain / plain.sum(axis=1, keepdims=True))
    own, each = np.diag(alike), np.maximum(alike.max(axis=0), alike.max(axis=1))
    return bool((own >= np.maximum(each, ALIKE)).all())
