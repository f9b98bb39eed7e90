"""Score one model with every measure that what was given allows."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from chatham.commons import Commons
from chatham.commons.interface import Step
from chatham.errors import HolderError, InputError
from chatham.learners.base import warn_of_few
from chatham.measures.case import Case, case_of
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evidence import count_known
from chatham.measures.measure import BY_TOKEN, Bits, Measure, Score, UndefinedError
from chatham.measures.registry import measures_named
from chatham.measures.subject import Subject
from chatham.measures.truth.words import topics_over
from chatham.numerics.threads import threads

Progress = Callable[[str, int, int], None]
"""Called with a measure's name, its number and how many there are, before it is taken."""


def evaluate(
    model: Any,
    corpus: Any = None,
    measures: Any = None,
    *,
    vocabulary: Any = None,
    held_out: Any = None,
    reference: Any = None,
    labels: Iterable[str] | None = None,
    true_topics: Any = None,
    true_weights: Any = None,
    vectors: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    strict: bool | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Score a model: one row a measure, with its value, its values by topic, and its settings.

    `model` is a `TopicModel`, or anything that `as_subject` takes: lists of words, a K×V array
    with its vocabulary, a model of gensim, scikit-learn, tomotopy, MALLET or OCTIS (some need
    `vocabulary`, the words of their columns). `corpus` is what in-sample measures are about;
    `held_out` are documents the model has not seen; `reference` are those that coherence counts
    words in, the corpus unless given. Each is a `Corpus`, texts, a file, counts over the model's
    vocabulary, or a commons of any of these: then only sums cross, and `labels` must name the
    classes that all holders use.

    `measures` are names, or measures with settings of their own such as `NPMI(window=10)`; all
    that can be taken if not given, and `attrs["skipped"]` says why the others could not. With
    `strict`, and unless told otherwise where measures are named, one that can't be taken is an
    error.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("nmf", corpus, n_components=5, random_state=0)
    >>> scores = ch.evaluate(model, corpus, measures=["npmi", "frobenius"])
    >>> scores[["measure", "higher_is_better"]].values.tolist()
    [['npmi', True], ['frobenius', False]]
    """
    subject = _prepared(as_subject(model, vocabulary), true_topics, vectors, n_jobs)
    documents = {"corpus": corpus, "held_out": held_out, "reference": reference}
    case = case_of(subject, documents, labels, true_weights)
    wanted = measures_named(measures)
    with threads(n_jobs), ExitStack() as stack:
        for commons in {id(p.commons): p.commons for p in case.places.values()}.values():
            warn_of_few(commons)
            stack.enter_context(commons.fitting())
        must = measures is not None if strict is None else strict
        return _table(case, wanted, must, progress or _silent)


def _table(case: Case, wanted: list[Measure], strict: bool, progress: Progress) -> pd.DataFrame:
    known: dict[Any, Any] = {}
    rows, skipped = [], {}
    for number, measure in enumerate(wanted, start=1):
        progress(measure.name, number, len(wanted))
        why = case.lacks(measure)
        if why is None:
            try:
                score = _score(measure, case, known)
                rows.append(_row(measure, score, _known_words(measure, case, known)))
                continue
            except (UndefinedError, HolderError) as error:
                why = _undefined(error)
        if strict:
            raise InputError(f"The measure {measure.name!r} can't be taken. {why}")
        skipped[measure.name] = why
    table = pd.DataFrame(rows, columns=COLUMNS)
    table.attrs["skipped"] = skipped
    return table


FEW = 0.5
"""A model that knows a smaller share of the words is measured on something else than the text."""

COLUMNS = ["measure", "value", "higher_is_better", "per_topic", "settings", "source"]


def _row(measure: Measure, score: Score, known_words: float | None) -> list[Any]:
    settings = {**measure.settings, **score.notes}
    if measure.documents is not None:
        settings["measured_on"] = measure.documents
    if known_words is not None:
        settings["known_words"] = known_words
    per_topic = None if score.per_topic is None else [_plain(value) for value in score.per_topic]
    return [
        measure.name, float(score.value), measure.higher_is_better, per_topic, settings,
        measure.source,
    ]  # fmt: skip


def _score(measure: Measure, case: Case, known: dict[Any, Any]) -> Score:
    place = case.place_of(measure)
    commons = None if place is None else place.commons
    step = type(measure).local_statistics
    if commons is None or step is None or type(measure).measure is not Measure.measure:
        return measure.measure(case.subject, commons)
    shared = measure.shared(case.subject)
    totals = _total(commons, step, case.subject, shared, known, type(measure).bits)
    return measure.value(totals, case.subject)


def _total(
    commons: Commons,
    step: Step,
    subject: Subject,
    shared: tuple[Any, ...],
    known: dict[Any, Any],
    bits: Bits,
) -> Any:
    """A sum; one that another measure has asked for already isn't asked again."""
    key = (id(commons), step, *map(_key, shared))
    if key not in known:
        known[key] = commons.sum(step, subject, *shared, bits=bits)
    return known[key]


def _key(value: Any) -> Any:
    """What tells shared values apart: all of an array, or a plain value itself."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    return type(value), value


def _known_words(measure: Measure, case: Case, known: dict[Any, Any]) -> float | None:
    """The share of the documents' words that the subject knows, where its topics are about them."""
    place = case.place_of(measure)
    if place is None or not {"topics", "weights"} & measure.needs:
        return None
    said, known_ones = _total(place.commons, count_known, case.subject, (), known, BY_TOKEN)
    share = float(known_ones / said) if said else 0.0
    if share < FEW and (id(place), "warned") not in known:
        known[id(place), "warned"] = True
        warnings.warn(
            f"Only {share:.1%} of the words of these documents are in the model's vocabulary; the "
            "others take no part in its scores.",
            stacklevel=6,
        )
    return share


def _undefined(error: Exception) -> str:
    """Why a measure has no value; anything else that went wrong at a holder goes on."""
    cause = error.__cause__ if isinstance(error, HolderError) else error
    if not isinstance(cause, UndefinedError):
        raise error
    return str(cause)


def _prepared(
    subject: Subject, true_topics: Any, vectors: Mapping[str, Any] | None, n_jobs: int | None
) -> Subject:
    truth = None if true_topics is None else topics_over(subject, true_topics)
    estimator = copy.copy(subject.estimator)
    if hasattr(estimator, "n_jobs"):
        estimator.n_jobs = n_jobs
    return replace(subject, true_topics=truth, vectors=_as_vectors(vectors), estimator=estimator)


def _as_vectors(vectors: Any) -> dict[str, Any] | None:
    if vectors is None:
        return None
    try:
        return {str(word): np.asarray(vector, float) for word, vector in vectors.items()}
    except (AttributeError, TypeError, ValueError):
        raise InputError("vectors= must be a mapping from words to lists of numbers.") from None


def _plain(value: float | None) -> float | None:
    return None if value is None else float(value)


def _silent(measure: str, number: int, total: int) -> None:
    """Nobody listens."""
