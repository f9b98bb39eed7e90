"""The scores of a session's model: which measures are taken, and of which documents.

Both stand in the session's `score`. Every party holds out the same share of its own documents, by
the session's seed, before anything is counted: neither the vocabulary nor the model sees them.
Measures are local statistics plus a sum, as learners are, so parties take them together as one
would alone; what comes out is the score on all parties' documents, as if they had been pooled.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from chatham.corpus import Corpus
from chatham.errors import InputError, SessionError
from chatham.federation.session import Session
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evaluate import evaluate
from chatham.measures.measure import NEEDS, Measure
from chatham.measures.registry import measures_named
from chatham.model.topic_model import TopicModel

LARGEST_SHARE = 0.5
TAKEN = frozenset({"words", "topics", "held_out", "reference", "corpus", "weights"})
"""What measures need that parties have: labels, texts in order and truth are none of it."""


@dataclass(frozen=True)
class ScoreRules:
    """A session's `score`, checked; the measures' names by whoever knows measures.

    >>> ScoreRules.of({"measures": ["perplexity"], "held_out": 0.2}).number_of(40)
    8
    """

    measures: tuple[str, ...] = ()
    held_out: float = 0.0

    @classmethod
    def of(cls, score: Mapping[str, Any]) -> ScoreRules:
        """Read and check what a session's file has under `score`."""
        if not score:
            return cls()
        names, share = score.get("measures", ()), score.get("held_out", 0.0)
        if set(score) - {"measures", "held_out"} or not _is_list_of_texts(names):
            raise SessionError(
                "The session's score must have measures, a list of names, and may have held_out, a "
                "share of the documents; nothing else."
            )
        if type(share) not in (int, float) or not 0 <= share <= LARGEST_SHARE:
            raise SessionError(
                f"The session's score has a held_out that isn't a share from 0 to {LARGEST_SHARE}."
            )
        return cls(tuple(names), float(share))

    def number_of(self, documents: int) -> int:
        """How many of so many documents are held out: never all of them."""
        return max(min(round(self.held_out * documents), documents - 1), 0)

    def parted(self, corpus: Corpus, seed: int) -> tuple[Corpus, Corpus]:
        """A party's documents to fit, and those held out; the same whenever it is asked."""
        number = self.number_of(len(corpus))
        if number == 0:
            return corpus, corpus.rows(slice(0))
        return corpus.split(number, random_state=seed)


def _is_list_of_texts(names: Any) -> bool:
    listed = isinstance(names, list | tuple) and bool(names)
    return listed and all(isinstance(name, str) for name in names)


def check_score(session: Session) -> list[Measure]:
    """The measures of a session; refused where parties couldn't take them together."""
    rules = ScoreRules.of(session.score)
    if not rules.measures:
        return []
    try:
        found = measures_named(rules.measures)
    except InputError as error:
        raise SessionError(f"The session's score can't be taken: {error}") from None
    for measure in found:
        for need in NEEDS:
            if need in measure.needs - TAKEN:
                raise SessionError(
                    f"The measure {measure.name!r} needs {NEEDS[need]}, which parties don't "
                    "bring to a session; choose another."
                )
        if "held_out" in measure.needs and not rules.held_out:
            raise SessionError(
                f"The measure {measure.name!r} needs held-out documents; say which share of them "
                "is held out."
            )
    if len({measure.name for measure in found}) < len(found):
        raise SessionError("The session's score names a measure twice.")
    return found


def taken_scores(
    model: TopicModel, measures: list[Measure], places: dict[str, Any], n_jobs: int | None
) -> pd.DataFrame:
    """A measure without a value is left out with its reason: the model is there all the same."""
    subject = as_subject(model)
    shared = places["corpus"].agreed(subject.topics, subject.prevalence, subject.alpha)
    topics, prevalence, alpha = shared
    subject = replace(subject, topics=topics, prevalence=prevalence, alpha=alpha)
    with warnings.catch_warnings():
        # Parties were told of so few documents before they joined, those held out included.
        warnings.filterwarnings("ignore", message=".*fewer than .* documents")
        table = evaluate(subject, measures=measures, **places, n_jobs=n_jobs, strict=False)
    for settings in table["settings"]:
        settings.pop("known_words", None)  # the counts are over the model's words alone
    return table
