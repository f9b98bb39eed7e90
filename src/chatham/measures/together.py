"""Fit one model with other parties, and score it on everybody's held-out documents.

Measures are sums like everything else, so parties take them together as one would alone; what comes
out is the score on all parties' documents, as if they had been pooled.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from chatham.commons.session import Session, read_session
from chatham.corpus import Corpus
from chatham.errors import InputError, SessionError
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.evaluate import evaluate
from chatham.measures.measure import NEEDS, Measure
from chatham.measures.registry import measures_named
from chatham.models.linking import links_of
from chatham.models.session_scores import ScoreRules
from chatham.models.together import (
    Meet,
    Tell,
    about_this,
    connect,
    counted_as,
    fit_between,
    meeting,
)
from chatham.models.topic_model import TopicModel

TAKEN = frozenset({"words", "topics", "held_out", "reference", "corpus", "weights"})
"""What measures need that parties have: labels, texts in order and truth are none of it."""


def fit_together(
    session: str | Path | Session,
    corpus: Corpus,
    *,
    key: str | Path,
    folder: str | Path,
    direct_key: str | Path | None = None,
    plain: bool = False,
    tell: Tell | None = None,
    n_jobs: int | None = -1,
) -> TopicModel:
    """Agree on a vocabulary, then fit the session's algorithm; the same model at every party.

    `corpus` holds this party's documents, best read with `read_for(session, ...)`, which counts
    words as the session says. The rest is as for `join`. If the session says so (`score`), a share
    of every party's documents is held out and the model's `scores` are the measures that were
    taken, on the documents of all; a table as `evaluate` makes it.
    """
    found = session if isinstance(session, Session) else read_session(session)
    check_score(found)
    links = links_of(found, Path(key), None if direct_key is None else Path(direct_key))
    connection = connect(found, corpus, key=key, folder=folder, tell=tell)
    try:
        meet = meeting(connection, folder, plain, links)
        model = fit_and_score(meet, found, [corpus], n_jobs=n_jobs)
        connection.finish()  # whoever was stopped at the end may still need what I have
        return model
    finally:
        if links is not None:
            links.close()


def fit_and_score(
    meet: Meet, session: Session, corpora: Sequence[Corpus], *, n_jobs: int | None = None
) -> TopicModel:
    """The whole program, for the holders whose documents are here: `fit_between`, then scores."""
    rules = ScoreRules.of(session.score)
    parts = [rules.parted(corpus, session.seed) for corpus in corpora]
    fitted, held_out = [part for part, _ in parts], [part for _, part in parts]
    model = fit_between(meet, session, fitted, n_jobs=n_jobs)
    if rules.measures:
        rows = {"corpus": fitted, "held_out": held_out} if rules.held_out else {"corpus": fitted}
        places = {
            kind: meet(counted_as(session, each, model.vocabulary), about_this(kind.encode()))
            for kind, each in rows.items()
        }
        model.scores = _scores(model, check_score(session), places, n_jobs)
    return model


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


def _scores(
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
