"""One evaluation: what is measured, on which documents, and so which measures can be taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.commons import Alone, Commons
from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.measures.evidence import Evidence, corpus_in, names_in, what_there_is
from chatham.measures.measure import NEEDS, Measure
from chatham.measures.reading import read_documents
from chatham.measures.subject import Subject
from chatham.model.intake import is_texts

Array = NDArray[np.float64]

GIVE = {
    "topics": "give whole topics instead of lists of words",
    "labels": "name the column of labels when the corpus is read",
    "order": "give texts instead of counts",
    "held_out": "give documents that the model has not seen as held_out=",
    "true_topics": "give them as true_topics=",
    "true_weights": "give them as true_weights=",
    "vectors": "give a mapping from words to vectors as vectors=",
}
"""What to do where something is missing."""


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
                lists = need == "weights" and self.subject.estimator is None
                advice = GIVE.get("topics" if lists else need, "give documents as corpus=")
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
    documents, labelled, *lacking = (int(number) for number in commons.sum(what_there_is, bits=0))
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
