"""The numbers behind `chatham demo`: parties alone, together and pooled, on the same text."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from chatham.commons import Alone, Commons, Entry, Recorded, Simulated
from chatham.corpus import Corpus
from chatham.measures.held_out.completion import Completion
from chatham.measures.objectives import FrobeniusError
from chatham.measures.subject import subject_of_model
from chatham.models.fit import fit
from chatham.models.topic_model import TopicModel

Stage = Callable[[str], None]


@dataclass(frozen=True)
class Score:
    """How well one model fits everyone's held-out documents."""

    fitted_by: str
    documents: int
    nmf_error: float
    nmf_log_likelihood: float
    lda_log_likelihood: float


@dataclass(frozen=True)
class Crossing:
    """One kind of array that crossed the wall, and how often."""

    model: str
    meaning: str
    shape: tuple[int, ...]
    times: int
    bytes: int


@dataclass(frozen=True)
class Study:
    """All that the demonstration shows."""

    parties: dict[str, int]
    held_out: int
    vocabulary: int
    scores: list[Score]
    largest_difference: float
    rounds: dict[str, int]
    crossings: list[Crossing]
    nmf: TopicModel
    lda: TopicModel
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values for JSON."""
        plain = {
            name: getattr(self, name)
            for name in ("parties", "held_out", "vocabulary", "largest_difference", "rounds")
        }
        plain["scores"] = [asdict(score) for score in self.scores]
        plain["crossings"] = [asdict(crossing) for crossing in self.crossings]
        plain["topics"] = {
            model.algorithm: model.top_word_lists(8) for model in (self.nmf, self.lda)
        }
        return plain | {"seconds": round(self.seconds, 2)}


def study(
    corpus: Corpus, by: str, k: int, seed: int = 0, jobs: int = -1, stage: Stage = lambda _: None
) -> Study:
    """Fit NMF and LDA for every party alone, for all together, and pooled; score them all alike."""
    began = time.perf_counter()
    train, test = corpus.split(test=0.2, random_state=seed)
    parties = train.parties(by=by)
    ledgers = {name: Recorded(Simulated([p.counts for p in parties.values()])) for name in LEARNERS}
    sources: dict[str, Mapping[str, Commons]] = {
        name: dict.fromkeys(LEARNERS, Alone(party.counts)) for name, party in parties.items()
    }
    sources |= {"together": ledgers, "pooled": dict.fromkeys(LEARNERS, Alone(train.counts))}
    models = {who: _models(rows, train, k, seed, jobs, who, stage) for who, rows in sources.items()}
    stage("Scoring")
    sizes = {name: len(party) for name, party in parties.items()}
    together, pooled = models["together"], models["pooled"]
    return Study(
        parties=sizes,
        held_out=len(test),
        vocabulary=train.n_words,
        scores=[_score(who, sizes.get(who, len(train)), models[who], test) for who in models],
        largest_difference=float(np.abs(together["nmf"].topics - pooled["nmf"].topics).max()),
        rounds={name: ledger.ledger[-1].round for name, ledger in ledgers.items()},
        crossings=[kind for name, each in ledgers.items() for kind in crossings(name, each.ledger)],
        nmf=together["nmf"],
        lda=together["lda"],
        seconds=time.perf_counter() - began,
    )


LEARNERS = ("nmf", "lda")


def _models(
    rows: Mapping[str, Commons], train: Corpus, k: int, seed: int, jobs: int, who: str, stage: Stage
) -> dict[str, TopicModel]:
    models = {}
    for name in LEARNERS:
        stage(f"{name.upper()}, {who}")
        models[name] = fit(
            name, rows[name], vocabulary=train.vocabulary, n_components=k, random_state=seed,
            n_jobs=jobs,
        )  # fmt: skip
    return models


def _score(who: str, documents: int, models: dict[str, TopicModel], test: Corpus) -> Score:
    likelihoods = {
        name: Completion().measure(subject_of_model(model), Alone(test)).value
        for name, model in models.items()
    }
    return Score(
        fitted_by=who,
        documents=documents,
        nmf_error=relative_error(models["nmf"], test),
        nmf_log_likelihood=likelihoods["nmf"],
        lda_log_likelihood=likelihoods["lda"],
    )


def relative_error(model: TopicModel, test: Corpus) -> float:
    """‖X − WT‖ / ‖X‖ for the documents' frequencies X; documents without words have no part."""
    half = FrobeniusError().measure(subject_of_model(model), Alone(test)).value
    sizes = test.counts.sum(axis=1)
    squares = test.counts.power(2).sum(axis=1)[sizes > 0] / sizes[sizes > 0] ** 2
    return math.sqrt(2 * half / float(squares.sum()))


def crossings(model: str, ledger: list[Entry]) -> list[Crossing]:
    """The ledger by kind of array: what it means, its shape, how often it crossed."""
    kinds: dict[tuple[str, int, tuple[int, ...]], list[Entry]] = {}
    for entry in ledger:
        kinds.setdefault((entry.meaning, entry.array, entry.shape), []).append(entry)
    return [
        Crossing(model, meaning, shape, len(entries), sum(entry.bytes for entry in entries))
        for (meaning, _, shape), entries in kinds.items()
    ]
