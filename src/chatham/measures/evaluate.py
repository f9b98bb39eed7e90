"""Score one model with every measure that the input allows.

The model becomes a `Subject`, the documents a `Source` for each of their uses. A measure is
computed if these two have what it needs: its step runs where its source's documents are, and their
sum and the subject make its score.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.commons import Alone, Commons
from chatham.commons.interface import Step
from chatham.commons.precision import BY_TOKEN, Budgets
from chatham.corpus import Corpus
from chatham.errors import HolderError, InputError
from chatham.learners.small_parties import warn_of_few
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evidence import Evidence, corpus_in, count_known, names_in, what_there_is
from chatham.measures.measure import NEEDS, Lack, Measure, Score, UndefinedError
from chatham.measures.reading import read_documents
from chatham.measures.registry import measures_named
from chatham.measures.subject import Subject
from chatham.measures.truth.words import topics_over
from chatham.model.intake import Where, columns_where, is_read, opened_where, says_something
from chatham.notes import ChathamWarning
from chatham.numerics.threads import threads
from chatham.wording import Either, Sentence, say

Progress = Callable[[str, int, int], None]
"""Called with a measure's name, its number and how many there are, before it is computed."""
Array = NDArray[np.float64]

FEW = 0.5
"""A model that knows a smaller share of the words is measured on something other than the text."""
COLUMNS = ["measure", "value", "higher_is_better", "per_topic", "settings", "source"]
GIVE: dict[str, Any] = {
    "topics": "give whole topics instead of lists of words",
    "anchors": "measure a model of anchor words, which has them",
    "correlations": "measure a model of anchor words, which has them",
    "ratings": Either(
        say("fit one with {missing='unobserved'}"), "fit NMF so that missing is unobserved"
    ),
    "labels": Either("name the column of labels when the corpus is read", say("give {label=}")),
    "held_out": Either(
        say("give documents that the model has not seen as {held_out=}"), say("give {held_out=}")
    ),
    "true_topics": Either(say("give them as {true_topics=}"), say("give {true_topics=}")),
    "true_weights": Either(
        say("give them as {true_weights=}"), "only ch.evaluate, in Python, takes them"
    ),
    "vectors": Either(
        say("give a mapping from words to vectors as {vectors=}"), say("give {vectors=}")
    ),
}
"""What to do where something is missing."""
OF_TOPICS = frozenset({"words", "topics", "weights"})
"""What a decomposition into directions doesn't have."""
GIVE_DOCUMENTS = Either(say("give documents as {corpus=}"), "give FILE after the models")


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
    **where: Unpack[Where],
) -> pd.DataFrame:
    """Score a model: one row per measure, with its value, its values by topic, and its settings.

    `model` is a `TopicModel`, or anything that `as_subject` takes: lists of words, a K×V array
    with its vocabulary, a model of gensim, scikit-learn, tomotopy, MALLET or OCTIS (some need
    `vocabulary`, the words of their columns). `corpus` is what in-sample measures are about;
    `held_out` are documents the model has not seen; `reference` are those that coherence counts
    words in, by default the corpus. Each is a `Corpus`, whatever `read_corpus` reads (`text`, `id`,
    `label`, `format` and the like say where things are in all of them), counts over the model's
    vocabulary, or a commons of any of these: then only sums cross, and `labels` must name the
    classes that all holders use.

    `measures` are names, or measures with their own settings such as `NPMI(window=10)`; by default
    all that can be computed, except those of the factors of an anchor-word model
    (`recovery_error` and so on), and `attrs["skipped"]` says why the others could not. With
    `strict`, the default where measures are named, one that can't be computed is an error.

    >>> import chatham as ch
    >>> corpus = ch.sample_corpus()
    >>> model = ch.fit("nmf", corpus, n_components=5, random_state=0)
    >>> scores = ch.evaluate(model, corpus, measures=["npmi", "frobenius"])
    >>> scores[["measure", "higher_is_better"]].values.tolist()
    [['npmi', True], ['frobenius', False]]
    """
    subject = _prepared(as_subject(model, vocabulary), true_topics, vectors, n_jobs)
    documents = {"corpus": corpus, "held_out": held_out, "reference": reference}
    rows = _rows_of(subject, documents, true_weights, where)
    subject = replace(subject, classes=_agreed(labels) or _own_classes(rows))
    sources = _sources(rows)
    chosen = measures_named(measures)
    is_strict = measures is not None if strict is None else strict
    if measures is None:
        chosen = expected_of(subject, chosen)
    with threads(n_jobs), ExitStack() as stack:
        for commons in {id(s.commons): s.commons for s in sources.values()}.values():
            warn_of_few(commons)
            stack.enter_context(commons.fitting())
        return _table(subject, sources, chosen, is_strict, progress or _silent)


def expected_of(subject: Subject, measures: Sequence[Measure]) -> list[Measure]:
    """Those of all measures that somebody may miss: of a model of texts no errors of ratings."""
    return [each for each in measures if subject.observes or "ratings" not in each.needs]


def _table(
    subject: Subject,
    sources: Mapping[str, Source],
    measures: list[Measure],
    strict: bool,
    progress: Progress,
) -> pd.DataFrame:
    totals: dict[Any, Any] = {}
    rows, skipped = [], {}
    for number, measure in enumerate(measures, start=1):
        progress(measure.name, number, len(measures))
        reason = _lacks(measure, subject, sources)
        if reason is None:
            try:
                source = sources.get(measure.documents or "")
                own = measure.suited(subject)
                score = _score(own, subject, source, totals)
                rows.append(_row(own, score, _known_words(own, subject, source, totals)))
                continue
            except (UndefinedError, HolderError) as error:
                reason = _undefined(error)
        if strict:
            raise InputError(
                say("The measure {name!r} can't be computed. {why}", name=measure.name, why=reason)
            )
        skipped[measure.name] = reason
    table = pd.DataFrame(rows, columns=COLUMNS)
    table.attrs["skipped"] = skipped
    if subject.edits is not None:
        table.attrs["numbers"] = subject.numbers  # of the topics in `per_topic`
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


def _score(
    measure: Measure, subject: Subject, source: Source | None, totals: dict[Any, Any]
) -> Score:
    step = measure.step
    if source is None or step is None or type(measure).measure is not Measure.measure:
        return measure.measure(subject, None if source is None else source.commons)
    shared = measure.shared(subject)
    total = _total(source.commons, step, subject, shared, totals, measure.most)
    return measure.value(total, subject)


def _total(
    commons: Commons,
    step: Step,
    subject: Subject,
    shared: tuple[Any, ...],
    totals: dict[Any, Any],
    budget: Budgets,
) -> Any:
    """A sum; one that another measure has already needed isn't computed again."""
    key = (id(commons), step, *map(_key, shared))
    if key not in totals:
        totals[key] = commons.sum(step, subject, *shared, most=budget)
    return totals[key]


def _key(value: Any) -> Any:
    """What identifies a shared value: all of an array, or a plain value itself."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.str, value.tobytes()
    return type(value), value


def _known_words(
    measure: Measure, subject: Subject, source: Source | None, totals: dict[Any, Any]
) -> float | None:
    """The share of the documents' tokens that the subject knows, where its topics matter."""
    if source is None or not {"topics", "weights"} & measure.needs:
        return None
    n_tokens, n_known = _total(source.commons, count_known, subject, (), totals, BY_TOKEN)
    share = float(n_known / n_tokens) if n_tokens else 0.0
    if share < FEW and (id(source), "warned") not in totals:
        totals[id(source), "warned"] = True
        warnings.warn(
            f"Only {share:.1%} of the words of these documents are in the model's vocabulary; the "
            "others don't count in its scores.",
            ChathamWarning,
            stacklevel=6,
        )
    return share


def _undefined(error: Exception) -> Sentence:
    """Why a measure has no value; anything else that went wrong at a holder is raised again."""
    cause = error.__cause__ if isinstance(error, HolderError) else error
    if not isinstance(cause, UndefinedError):
        raise error
    return say("{why}", why=cause)


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
    with suppress(AttributeError, TypeError, ValueError):
        return {str(word): np.asarray(vector, float) for word, vector in vectors.items()}
    raise InputError(say("{vectors=} must be a mapping from words to lists of numbers."))


def _plain(value: float | None) -> float | None:
    return None if value is None else float(value)


def _silent(measure: str, number: int, total: int) -> None:
    """Nobody listens."""


@dataclass(frozen=True, eq=False)
class Source:
    """Documents anywhere: the commons that sums over them, and what they have of NEEDS."""

    commons: Commons
    has: frozenset[str]


def _lacks(measure: Measure, subject: Subject, sources: Mapping[str, Source]) -> Sentence | None:
    """Why this measure can't be computed, in a sentence; None where it can."""
    has = subject.has | ({"held_out", "reference"} & sources.keys())
    source = sources.get(measure.documents or "")
    if source is not None:
        has |= source.has
    if subject.estimator is None:
        has -= {"weights"}
    if subject.directions and measure.needs & OF_TOPICS and not measure.takes_coordinates:
        return say(
            "It is about topics, and the directions of {learner} are none; measure a model of "
            "topics.",
            learner=subject.learner,
        )
    if subject.observes and measure.counts_absence:
        return Lack.of(
            "counts what a document doesn't have as zero, which to this model is unknown; rmse and "
            "mae are about what is known"
        )
    for need in NEEDS:
        if need in measure.needs - has:
            advice = _advice(need, subject, sources)
            return Lack.of(say("needs {what}; {advice}", what=NEEDS[need], advice=advice))
    if measure.tells_exactly and source is not None and not source.commons.exact_totals:
        return say(
            "Its sums give documents away by being exact, which between parties is only done if "
            "all know of it ({exact_totals_know})."
        )
    if "labels" in measure.needs and subject.classes is None:
        return say("Several holders must agree on the names of labels; give them as {labels=}.")
    return None


def _advice(need: str, subject: Subject, sources: Mapping[str, Source]) -> Any:
    """What to do where this is missing."""
    if need == "weights" and subject.estimator is None:
        return GIVE["topics"] if subject.topics is None else _give_learner(subject.learner)
    if need == "order":
        has_own_reference = sources.get("reference") is not sources.get("corpus")
        source = say("{reference=}") if has_own_reference else "FILE"
        texts = "give texts instead of counts"
        return Either(texts, say("{texts} as {where}", texts=texts, where=source))
    return GIVE.get(need, GIVE_DOCUMENTS)


def _give_learner(name: str) -> Sentence:
    """How a learner becomes known."""
    how = Either("ch.load the learner's class", f"--learner {name}")
    return say("its learner isn't known here: give {how}", how=how)


def _rows_of(
    subject: Subject, documents: Mapping[str, Any], true_weights: Any, where: Where
) -> dict[str, Any]:
    """The rows that steps read, from documents of any form, by what they are for."""
    rows = {
        kind: read_once(each, [subject], where)
        for kind, each in documents.items()
        if each is not None
    }
    if true_weights is not None and "corpus" in rows:
        rows["corpus"] = _with_truth(rows["corpus"], true_weights)
    if "corpus" in rows:
        rows.setdefault("reference", rows["corpus"])
    return rows


def _sources(rows: Mapping[str, Any]) -> dict[str, Source]:
    """Where the documents of each kind are, and what they have: counted by a sum, once for each."""
    sources: dict[int, Source] = {}
    for each in rows.values():
        if id(each) not in sources:
            sources[id(each)] = _source(each if isinstance(each, Commons) else Alone(each))
    return {kind: sources[id(each)] for kind, each in rows.items()}


def _source(commons: Commons) -> Source:
    """What any one holder lacks, measures can't rely on."""
    _, labelled, *lacking = (int(number) for number in commons.sum(what_there_is))
    no_counts, no_order, no_truth = lacking
    available = {
        "labels": labelled > 0,
        "corpus": no_counts == 0,
        "weights": no_counts == 0,
        "order": no_order == 0,
        "true_weights": no_truth == 0,
    }
    return Source(
        commons, frozenset(need for need, is_available in available.items() if is_available)
    )


def read_once(documents: Any, subjects: Sequence[Subject], where: Where | None = None) -> Any:
    """A commons, a corpus or counts as they are; texts and files read as the models read theirs."""
    where = where or {}
    if isinstance(documents, Commons | Corpus | Evidence):
        if says_something(where):
            raise InputError(
                f"A {type(documents).__name__} has its texts, labels and ids already: leave out "
                "what says where they are, or give it files and tables alone."
            )
        return documents
    if is_read(documents, where):
        contents = opened_where(documents, where)
        return read_documents(contents, subjects, **columns_where(where))
    return documents


def _with_truth(rows: Any, true_weights: Any) -> Evidence:
    corpus = corpus_in(rows)
    if corpus is None:
        raise InputError(
            say(
                "{true_weights=} goes with a corpus; at several holders give each an "
                "Evidence with the true weights of its documents."
            )
        )
    return Evidence(corpus, np.asarray(true_weights))


def _agreed(labels: Iterable[str] | None) -> tuple[str, ...] | None:
    if isinstance(labels, str):
        raise InputError(
            say("{labels=} must be a list of names. Got the text {it!r} instead.", it=labels)
        )
    return None if labels is None else tuple(sorted({str(label) for label in labels}))


def _own_classes(rows: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The labels of documents that are all here; elsewhere their names have to be agreed on."""
    here = [each.rows if isinstance(each, Alone) else each for each in rows.values()]
    if any(isinstance(each, Commons) for each in here):
        return None
    corpora = [corpus_in(each) for each in here]
    labels = [c.labels for c in corpora if c is not None and c.labels is not None]
    names = sorted({name for column in labels for label in column for name in names_in(label)})
    return tuple(names) or None
