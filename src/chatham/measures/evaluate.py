"""Score one model with every measure that what was given allows.

A case is what is measured and on which documents; which measures can be taken follows from it.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.commons import Alone, Commons
from chatham.commons.interface import Step
from chatham.commons.precision import BY_TOKEN, Most
from chatham.corpus import Corpus
from chatham.errors import HolderError, InputError
from chatham.learners.small_parties import warn_of_few
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evidence import Evidence, corpus_in, count_known, names_in, what_there_is
from chatham.measures.measure import NEEDS, Measure, Score, UndefinedError
from chatham.measures.reading import read_documents
from chatham.measures.registry import measures_named
from chatham.measures.subject import Subject
from chatham.measures.truth.words import topics_over
from chatham.model.intake import is_texts
from chatham.numerics.threads import threads

Progress = Callable[[str, int, int], None]
"""Called with a measure's name, its number and how many there are, before it is taken."""
Array = NDArray[np.float64]

FEW = 0.5
"""A model that knows a smaller share of the words is measured on something else than the text."""
COLUMNS = ["measure", "value", "higher_is_better", "per_topic", "settings", "source"]
GIVE = {
    "topics": "give whole topics instead of lists of words",
    "learner": "its learner isn't known here: give ch.load the learner's class",
    "labels": "name the column of labels when the corpus is read",
    "order": "give texts instead of counts",
    "held_out": "give documents that the model has not seen as held_out=",
    "true_topics": "give them as true_topics=",
    "true_weights": "give them as true_weights=",
    "vectors": "give a mapping from words to vectors as vectors=",
}
"""What to do where something is missing."""


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
    totals = _total(commons, step, case.subject, shared, known, type(measure).most)
    return measure.value(totals, case.subject)


def _total(
    commons: Commons,
    step: Step,
    subject: Subject,
    shared: tuple[Any, ...],
    known: dict[Any, Any],
    most: Most,
) -> Any:
    """A sum; one that another measure has asked for already isn't asked again."""
    key = (id(commons), step, *map(_key, shared))
    if key not in known:
        known[key] = commons.sum(step, subject, *shared, most=most)
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


@dataclass(frozen=True, eq=False)
class Place:
    """Documents somewhere, and what is known of them: counted by a sum like everything else."""

    commons: Commons
    documents: int
    has_labels: bool
    has_counts: bool
    has_order: bool
    has_truth: bool


@dataclass(frozen=True, eq=False)
class Case:
    """A subject and the places where its documents are, by what they are for."""

    subject: Subject
    places: Mapping[str, Place]

    def place_of(self, measure: Measure) -> Place | None:
        """Where the documents of this measure are."""
        return self.places.get(measure.documents or "")

    def lacks(self, measure: Measure) -> str | None:
        """Why this measure can't be taken, in a sentence; None where it can."""
        has = self._has(measure)
        for need in NEEDS:
            if need in measure.needs and not has[need]:
                behind = need
                if need == "weights" and self.subject.estimator is None:
                    behind = "topics" if self.subject.topics is None else "learner"
                advice = GIVE.get(behind, "give documents as corpus=")
                return f"It needs {NEEDS[need]}; {advice}."
        if "labels" in measure.needs and self.subject.classes is None:
            return "Several holders must agree on the names of labels; give them as labels=."
        return None

    def _has(self, measure: Measure) -> dict[str, bool]:
        subject, place = self.subject, self.place_of(measure)
        return {
            "words": True,
            "topics": subject.topics is not None,
            "corpus": place is not None and place.has_counts,
            "weights": place is not None and place.has_counts and subject.estimator is not None,
            "held_out": "held_out" in self.places,
            "reference": "reference" in self.places,
            "labels": place is not None and place.has_labels,
            "order": place is not None and place.has_order,
            "true_topics": subject.true_topics is not None,
            "true_weights": place is not None and place.has_truth,
            "vectors": subject.vectors is not None,
        }


def case_of(
    subject: Subject,
    documents: Mapping[str, Any],
    labels: Iterable[str] | None = None,
    true_weights: Any = None,
) -> Case:
    """Put documents of any form where measures find them."""
    rows = {
        kind: read_once(given, [subject]) for kind, given in documents.items() if given is not None
    }
    if true_weights is not None and "corpus" in rows:
        rows["corpus"] = _with_truth(rows["corpus"], true_weights)
    classes = _agreed(labels) or _own_classes(rows)
    if "corpus" in rows:
        rows.setdefault("reference", rows["corpus"])
    places: dict[int, Place] = {}
    for given in rows.values():
        if id(given) not in places:
            places[id(given)] = _place(given)
    named = {kind: places[id(given)] for kind, given in rows.items()}
    return Case(replace(subject, classes=classes), named)


def _place(rows: Any) -> Place:
    commons = rows if isinstance(rows, Commons) else Alone(rows)
    documents, labelled, *lacking = (int(number) for number in commons.sum(what_there_is))
    return Place(commons, documents, labelled > 0, *(holders == 0 for holders in lacking))


def read_once(given: Any, subjects: Sequence[Subject]) -> Any:
    """A commons, a corpus or counts as they are; texts and files read as all the models read."""
    if isinstance(given, Commons | Corpus | Evidence):
        return given
    if isinstance(given, str | Path | pd.DataFrame) or is_texts(given):
        return read_documents(given, subjects)
    return given


def _with_truth(rows: Any, true_weights: Any) -> Evidence:
    corpus = corpus_in(rows)
    if corpus is None:
        raise InputError(
            "true_weights= goes with a corpus; at several holders give each an Evidence with the "
            "true weights of its documents."
        )
    return Evidence(corpus, np.asarray(true_weights))


def _agreed(labels: Iterable[str] | None) -> tuple[str, ...] | None:
    if isinstance(labels, str):
        raise InputError(f"labels= must be a list of names. Got the text {labels!r} instead.")
    return None if labels is None else tuple(sorted({str(label) for label in labels}))


def _own_classes(rows: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The labels of documents that are all here; elsewhere their names have to be agreed on."""
    here = [given.rows if isinstance(given, Alone) else given for given in rows.values()]
    if any(isinstance(given, Commons) for given in here):
        return None
    corpora = [corpus_in(given) for given in here]
    labels = [c.labels for c in corpora if c is not None and c.labels is not None]
    names = sorted({name for column in labels for label in column for name in names_in(label)})
    return tuple(names) or None
