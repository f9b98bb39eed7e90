"""From a name and documents to a topic model in one call."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from chatham.commons import Commons
from chatham.corpus import Corpus, read_corpus
from chatham.corpus.readers.sources import Bag
from chatham.corpus.tfidf import is_weighted, weighted
from chatham.errors import InputError
from chatham.learners.base import TopicLearner
from chatham.learners.settings.base import Settings
from chatham.learners.weighted import counted_in
from chatham.model.intake import (
    Where,
    as_matrix_or_weighted,
    columns_where,
    is_read,
    opened_where,
    says_something,
)
from chatham.model.registry import check_known, known, make_estimator, settings_of
from chatham.model.topic_model import TopicModel
from chatham.model.vocabulary import as_vocabulary
from chatham.naming import plural, value_shown
from chatham.notes import ChathamWarning
from chatham.numerics.threads import thread_count
from chatham.wording import say

_OWN_VOCABULARY = say(
    "A corpus has its own vocabulary, so fit takes {vocabulary=} only with a matrix of counts or a "
    "commons; to restrict the words, give read_corpus the vocabulary."
)


def fit(
    name: str | TopicLearner | type[TopicLearner],
    corpus: Any,
    *,
    vocabulary: Sequence[str] | NDArray[Any] | None = None,
    weighting: str = "auto",
    text: str | int | Sequence[str] | None = None,
    label: str | int | Sequence[Any] | None = None,
    id: str | int | Sequence[Any] | None = None,
    encoding: str | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    header: bool = True,
    skip_bad_rows: bool = False,
    **parameters: Any,
) -> TopicModel:
    """Fit a learner and return its result with words instead of columns.

    `name` is "nmf", "lda", "online-lda", "plsa", "anchor", "kmeans" or "svd", or the name of a
    learner that was registered or that an installed package offers; instead of a name, a learner's
    class, or an estimator, of which a copy is fitted. `corpus` is a `Corpus`, whatever
    `read_corpus` reads (with `text` and the like, which say where things are in it), or, with
    `vocabulary`, a matrix of counts or any commons; for NMF also rows with
    weights (`Weighted`). The parameters are the learner's own:
    `n_components`, `random_state` and so on; one that takes topics to begin from (`init`) takes a
    `TopicModel` too, and `anchors` takes words.

    `weighting` is "counts", "tfidf", or "auto": tf-idf for NMF and k-means of a corpus or of texts,
    counts otherwise. NMF and k-means also measure each document's error relative to its own norm
    unless `loss` says otherwise, NMF has `constraint="none"` (on the simplex one topic may take
    most documents), and k-means begins with `init="random"`: what suits text. Where `corpus` is a
    party's commons, or one whose totals are noised, NMF stays on the simplex, as in a session.
    An estimator keeps its own parameters as they are, and only `weighting="auto"` still suits text:
    `ch.fit(ch.NMF(4), corpus)` is weighed by tf-idf, and has `loss="absolute"`.

    >>> import chatham as ch
    >>> ch.fit("kmeans", [[2, 0], [0, 3], [1, 0]], vocabulary=["tea", "milk"], n_components=2,
    ...        random_state=0).top_word_lists()
    [['tea'], ['milk']]
    """
    _check_order(name, corpus)
    together = isinstance(corpus, Commons) and _of_parties(corpus)
    learner = learner_for_text(name, parameters, weighting, between_parties=together)
    where: Where = {
        "text": text, "label": label, "id": id, "encoding": encoding, "format": format,
        "delimiter": delimiter, "header": header, "skip_bad_rows": skip_bad_rows,
    }  # fmt: skip
    documents = _read(corpus, where, vocabulary)
    return fit_learner(
        learner,
        documents,
        vocabulary=None if documents is not corpus else vocabulary,
        weighting=weighting,
    )


def _check_order(learner: Any, corpus: Any) -> None:
    """Refuse documents where the learner should be, whatever stands behind them."""
    if not isinstance(learner, str | type | Settings):
        kind = type(learner).__name__
        raise InputError(
            f"fit takes a learner first, such as 'nmf', and then documents; this {kind} is no "
            "learner: put the learner before the documents."
        )
    behind = isinstance(corpus, str) and known(corpus.lower()) is not None
    if isinstance(learner, str) and behind and known(learner.lower()) is None:
        raise InputError(
            "fit takes a learner first and then documents, and here it is the other way round: "
            f"put {corpus!r} before the documents."
        )


def learner_for_text(
    learner: Any,
    parameters: Mapping[str, Any],
    weighting: str = "auto",
    *,
    between_parties: bool = False,
) -> TopicLearner:
    """The learner of a name, a class or an estimator, checked; its defaults suit text.

    With `between_parties` they are those of a session, which tell no more than they must.
    """
    kind = settings_of(learner)
    like = learner if isinstance(learner, TopicLearner) else kind
    starts = {
        key: _topics_to_begin_from(value, weighs_by_idf(like, weighting, parameters))
        for key, value in parameters.items()
        if isinstance(value, TopicModel)
    }
    return _estimator(learner, kind, {**parameters, **starts}, between_parties)


def fit_learner(
    estimator: TopicLearner,
    corpus: Any,
    *,
    vocabulary: Sequence[str] | NDArray[Any] | None = None,
    weighting: str = "auto",
    vectorizer: Any = None,
) -> TopicModel:
    """`fit` with a learner from `learner_for_text`, whose parameters aren't checked again.

    `vectorizer` says how the rows of a commons were weighted.
    """
    text_corpus = corpus_for(estimator, corpus, weighting)
    words = text_corpus.vocabulary if text_corpus is not None else vocabulary
    if text_corpus is not None and vocabulary is not None:
        raise InputError(_OWN_VOCABULARY)
    if words is None:
        raise InputError(
            say(
                "A matrix or a commons has no words of its own; give fit its words, one for each "
                "column, as {vocabulary=}."
            )
        )
    rows = text_corpus.counts if text_corpus is not None else _as_rows(corpus)
    width = rows.n_features if isinstance(rows, Commons) else rows.shape[1]
    column_words = as_vocabulary(words, width)
    check_number_of_topics(estimator.n_components, width)
    estimator._index_words(column_words)
    vectorizer = vectorizer if text_corpus is None else text_corpus.vectorizer
    few = not isinstance(rows, Commons) and _warned_of_few(estimator, rows)
    estimator._learn(rows, getattr(vectorizer, "idf", None))
    if not few:
        _warn_of_equal(estimator)
    if not isinstance(rows, Commons):
        _tell_of_idle(estimator, rows)
    documents = (
        None if isinstance(rows, Commons) else (rows if text_corpus is None else text_corpus)
    )
    return TopicModel(
        estimator,
        column_words,
        vectorizer=vectorizer,
        documents=documents,
    )


def corpus_for(learner: TopicLearner, corpus: Any, weighting: str = "auto") -> Corpus | None:
    """The corpus that a fit of this learner sees, weighted as it asks for; None of a matrix."""
    return _weighted(as_corpus(corpus), learner, weighting)


def _of_parties(commons: Commons) -> bool:
    """Whether rows are those of parties: a real one's, or such as mustn't be told by totals."""
    return not commons.exact_totals or (commons.index is not None and commons.holders > 1)


def _estimator(
    learner: Any, kind: type[Settings], parameters: dict[str, Any], between_parties: bool
) -> TopicLearner:
    """A new one, with defaults that suit text; of an existing one, a copy as it is."""
    if not isinstance(learner, TopicLearner):
        suiting = kind._for_text_between_parties if between_parties else kind._for_text
        return make_estimator(kind, {**suiting(parameters), **parameters})
    check_known(kind, parameters)
    copied: TopicLearner = clone(learner).set_params(**parameters)
    copied._check_parameters()
    return copied


def _topics_to_begin_from(model: TopicModel, by_idf: bool) -> Any:
    """A model's topics as learned, if both fits weight words or neither; else over plain words."""
    weighed = getattr(model.vectorizer, "idf", None) is not None
    return model._fitted.components_ if by_idf == weighed else model.topics


def weighs_by_idf(
    learner: Settings | type[Settings], weighting: str, parameters: Mapping[str, Any] | None = None
) -> bool:
    """Whether this `weighting` turns counts into tf-idf for this learner.

    Its `parameters` have to be given where it isn't an estimator yet, or are to be changed.
    """
    own = learner._parameter_values() if isinstance(learner, Settings) else {}
    usual = learner._text_weighting({**own, **(parameters or {})})
    return (usual if weighting == "auto" else weighting) == "tfidf"


def _weighted(corpus: Corpus | None, learner: TopicLearner, weighting: str) -> Corpus | None:
    if weighting not in ("auto", "counts", "tfidf"):
        raise InputError(
            f"The weighting {value_shown(weighting)} does not exist; choose 'auto', 'counts' or "
            "'tfidf'."
        )
    if corpus is None:
        if weighting == "tfidf":
            raise InputError(
                "A matrix or a commons is taken as it is; give fit a corpus to be weighted by "
                "tf-idf, or weight the matrix beforehand."
            )
        return None
    if is_weighted(corpus) and weighting == "counts":
        raise InputError(
            say(
                "The corpus is weighted by tf-idf already, and {weighting='counts'} was "
                "asked for; read it again without weighting."
            )
        )
    by_idf = weighs_by_idf(learner, weighting) and not is_weighted(corpus)
    return weighted(corpus) if by_idf else corpus


def check_number_of_topics(k: int, d: int) -> None:
    """More topics than words can't all be different."""
    if k > d:
        raise InputError(
            f"{k:,} topics were asked for, and the vocabulary has only {plural(d, 'word')}; ask "
            f"for at most {plural(d, 'topic')}, or keep more words."
        )


def _read(documents: Any, where: Where, vocabulary: Any) -> Any:
    """Documents read as a corpus, if they are to be read; a file of counts has `vocabulary`."""
    if isinstance(documents, Corpus | Commons) or not is_read(documents, where):
        if says_something(where):
            read_corpus(documents, **where)  # says why it has no columns
        return documents
    contents = opened_where(documents, where)
    words = {"vocabulary": vocabulary} if isinstance(contents, Bag) else {}
    if vocabulary is not None and not words:
        raise InputError(_OWN_VOCABULARY)
    return read_corpus(contents, **columns_where(where), **words)


def _warned_of_few(estimator: TopicLearner, rows: Any) -> bool:
    """Whether there are more topics than documents to learn them from, and a warning if so."""
    filled = int(np.count_nonzero(np.asarray(abs(counted_in(rows)).sum(axis=1)).ravel()))
    few = 0 < filled < estimator.n_components and not estimator._gives_directions
    if few:
        warnings.warn(
            say(
                "{topics} were requested for {documents} with words: some topics will be "
                "duplicates or stand for single documents; ask for fewer with {n_components}.",
                topics=plural(estimator.n_components, "topic"),
                documents=plural(filled, "document"),
            ),
            ChathamWarning,
            stacklevel=4,
        )
    return few


def _warn_of_equal(estimator: TopicLearner) -> None:
    """Equal topics are one topic, which documents share out among them by chance."""
    topics = estimator.components_
    if estimator._gives_directions or len(topics) < 2:
        return
    largest = np.max(np.abs(topics), axis=1, keepdims=True)
    different = len(np.unique(np.round(topics / np.where(largest > 0, largest, 1.0), 9), axis=0))
    if different < len(topics):
        warnings.warn(
            say(
                "Only {different} of {topics} differ, the others are copies: these documents have "
                "no more to tell; ask for fewer with {n_components}.",
                different=different,
                topics=plural(len(topics), "topic"),
            ),
            ChathamWarning,
            stacklevel=4,
        )


def _tell_of_idle(estimator: TopicLearner, rows: Any) -> None:
    """Whoever asked for more threads than the fit had work for is told what would help."""
    advice = estimator._idle(thread_count(estimator.n_jobs), float(rows.sum()))
    if advice is not None:
        warnings.warn(advice, ChathamWarning, stacklevel=4)


def as_corpus(corpus: Any) -> Corpus | None:
    """A corpus as it is, or read from texts, a table or a path; None of a matrix or a commons."""
    if isinstance(corpus, Corpus):
        return corpus
    if isinstance(corpus, list | tuple) and not corpus:
        raise InputError("There are no documents: give at least one.")
    return read_corpus(corpus) if is_read(corpus, {}) else None


def _as_rows(corpus: Any) -> Any:
    return corpus if isinstance(corpus, Commons) else as_matrix_or_weighted(corpus)
