"""The numbers behind `chatham demo`: parties alone, together and pooled, on the same text."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from chatham.cli.demo.meeting import LEARNERS, Crossing, Meet, Meeting, fitted, simulated
from chatham.cli.demo.parties import Stage
from chatham.commons import Alone, Commons
from chatham.corpus import Corpus
from chatham.federation.words.table import recounted
from chatham.measures.held_out.completion import Completion
from chatham.measures.objectives import FrobeniusError
from chatham.measures.subject import subject_of_model
from chatham.model.topic_model import TopicModel


@dataclass(frozen=True)
class Score:
    """How well one model fits everyone's held-out documents."""

    fitted_by: str
    documents: int
    nmf_error: float
    nmf_log_likelihood: float
    lda_log_likelihood: float


@dataclass(frozen=True)
class Study:
    """Everything that the demonstration shows."""

    parties: dict[str, int]
    held_out: int
    vocabulary: int
    scores: list[Score]
    largest_difference: float | None
    """Between NMF's topics together and pooled; None where the parties' totals carry noise."""
    meeting: Meeting
    seconds: float

    @property
    def nmf(self) -> TopicModel:
        """The NMF model that all parties have."""
        return self.meeting.models["nmf"]

    @property
    def lda(self) -> TopicModel:
        """The LDA model that all parties have."""
        return self.meeting.models["lda"]

    @property
    def rounds(self) -> dict[str, int]:
        """How many sums each model took."""
        return self.meeting.rounds

    @property
    def crossings(self) -> list[Crossing]:
        """What crossed, by kind of array."""
        return self.meeting.crossings

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        plain = {
            name: getattr(self, name)
            for name in ("parties", "held_out", "vocabulary", "largest_difference", "rounds")
        }
        plain["processes"] = self.meeting.home is not None
        plain["same_model_everywhere"] = self.meeting.same_bytes
        plain["scores"] = [asdict(score) for score in self.scores]
        plain["crossings"] = [asdict(crossing) for crossing in self.crossings]
        plain["topics"] = {
            model.algorithm: model.top_word_lists(8) for model in (self.nmf, self.lda)
        }
        return plain | {"seconds": round(self.seconds, 2)}


def study(
    corpus: Corpus,
    by: str,
    k: int,
    seed: int = 0,
    jobs: int = -1,
    stage: Stage = lambda _: None,
    meet: Meet = simulated,
    **more: Any,
) -> Study:
    """Fit NMF and LDA for every party alone, for all together, and pooled; score them all equally.

    `meet` is how they fit together: `simulated` in this process, or `as_processes`. All models have
    the vocabulary of the joint one. `more` are parameters of both learners.
    """
    began, parameters = time.perf_counter(), {"n_components": k, **more}
    train, test = corpus.split(test=0.2, random_state=seed)
    meeting = meet(train.parties(by=by), parameters, seed, stage)
    train, test = (recounted(part, meeting.vocabulary) for part in (train, test))
    parties = train.parties(by=by)
    models = {
        name: _models(Alone(party.counts), train, parameters, seed, jobs, name, stage)
        for name, party in parties.items()
    }
    models["together"] = meeting.models
    models["pooled"] = _models(Alone(train.counts), train, parameters, seed, jobs, "pooled", stage)
    stage("Scoring")
    sizes = {name: len(party) for name, party in parties.items()}
    differences = models["together"]["nmf"].topics - models["pooled"]["nmf"].topics
    return Study(
        parties=sizes,
        held_out=len(test),
        vocabulary=train.n_words,
        scores=[_score(name, sizes.get(name, len(train)), models[name], test) for name in models],
        largest_difference=None if meeting.home else float(np.abs(differences).max()),
        meeting=meeting,
        seconds=time.perf_counter() - began,
    )


def _models(
    rows: Commons,
    train: Corpus,
    parameters: dict[str, Any],
    seed: int,
    jobs: int,
    fitted_by: str,
    stage: Stage,
) -> dict[str, TopicModel]:
    models = {}
    for name in LEARNERS:
        stage(f"{name.upper()}, {fitted_by}")
        models[name] = fitted(name, rows, train.vocabulary, parameters, seed, jobs)
    return models


def _score(fitted_by: str, documents: int, models: dict[str, TopicModel], test: Corpus) -> Score:
    likelihoods = {
        name: Completion().measure(subject_of_model(model), Alone(test)).value
        for name, model in models.items()
    }
    return Score(
        fitted_by=fitted_by,
        documents=documents,
        nmf_error=relative_error(models["nmf"], test),
        nmf_log_likelihood=likelihoods["nmf"],
        lda_log_likelihood=likelihoods["lda"],
    )


def relative_error(model: TopicModel, test: Corpus) -> float:
    """‖X − WT‖ / ‖X‖ for the documents' frequencies X; documents without words don't count."""
    half = FrobeniusError().measure(subject_of_model(model), Alone(test)).value
    sizes = test.counts.sum(axis=1)
    squares = test.counts.power(2).sum(axis=1)[sizes > 0] / sizes[sizes > 0] ** 2
    return math.sqrt(2 * half / float(squares.sum()))
