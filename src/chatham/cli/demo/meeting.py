"""How the parties of `chatham demo` fit together: simulated, or as processes; and what crossed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatham.cli.demo.parties import Neighbours, Stage
from chatham.commons import Commons, Entry, Recorded, Simulated
from chatham.corpus import Corpus
from chatham.federation.party.ledger import read_ledger
from chatham.model.file import load
from chatham.model.fit import fit_learner, learner_for_text
from chatham.model.topic_model import TopicModel

LEARNERS = ("nmf", "lda")


@dataclass(frozen=True)
class Crossing:
    """One kind of array that crossed the wall, and how often."""

    model: str
    meaning: str
    shape: tuple[int, ...]
    times: int
    bytes: int


@dataclass(frozen=True)
class Meeting:
    """How the parties fitted together, and the result."""

    models: dict[str, TopicModel]
    vocabulary: Any
    ledgers: dict[str, list[Entry]]
    """What left one party, by model."""
    home: Path | None = None
    """The folder of the first party, if the parties were separate processes."""
    same_bytes: bool = True
    """Whether all parties saved the same bytes."""

    @property
    def rounds(self) -> dict[str, int]:
        """How many sums each model took."""
        return {name: ledger[-1].round for name, ledger in self.ledgers.items()}

    @property
    def crossings(self) -> list[Crossing]:
        """What crossed, by kind of array."""
        return [kind for name, ledger in self.ledgers.items() for kind in crossings(name, ledger)]


Meet = Callable[[Mapping[str, Corpus], dict[str, Any], int, Stage], Meeting]
"""From the parties, the learners' parameters, a seed, and a function to report stages to."""


def simulated(
    parties: Mapping[str, Corpus], parameters: dict[str, Any], seed: int, stage: Stage
) -> Meeting:
    """All parties in this process; the vocabulary is the one that their corpora share."""
    words = next(iter(parties.values())).vocabulary
    rows = [party.counts for party in parties.values()]
    ledgers = {name: Recorded(Simulated(rows)) for name in LEARNERS}
    models = {}
    for name, commons in ledgers.items():
        stage(f"{name.upper()}, together")
        models[name] = fitted(name, commons, words, parameters, seed)
    return Meeting(models, words, {name: commons.ledger for name, commons in ledgers.items()})


def as_processes(folder: Path) -> Meet:
    """A process for each party, and one for the relay, all on this machine."""

    def meet(
        parties: Mapping[str, Corpus], parameters: dict[str, Any], seed: int, stage: Stage
    ) -> Meeting:
        stage("Making keys and sessions")
        neighbours = Neighbours(folder, parties)
        settings = {"weighting": "counts", **parameters}
        sessions = [neighbours.session(name, seed, **settings) for name in LEARNERS]
        with neighbours.relaying(sessions):
            saved = neighbours.join(sessions, stage)
        models = {name: load(folders[0]) for name, folders in saved.items()}
        ledgers = {name: entries(neighbours.home(0) / name) for name in LEARNERS}
        same = all(
            _bytes(folder) == _bytes(folders[0]) for folders in saved.values() for folder in folders
        )
        return Meeting(models, models["lda"].vocabulary, ledgers, neighbours.home(0), same)

    return meet


def entries(folder: Path) -> list[Entry]:
    """What left a party, as `Recorded` would have it."""
    return [
        Entry(
            line["round"], line["statistic"], line["meaning"], line["array"],
            tuple(line["shape"]), line["dtype"], line["bytes"],
        )
        for line in read_ledger(folder)
        if line["event"] == "left"
    ]  # fmt: skip


def _bytes(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def crossings(model: str, ledger: list[Entry]) -> list[Crossing]:
    """The ledger by kind of array: what it means, its shape, how often it crossed."""
    kinds: dict[tuple[str, int, tuple[int, ...]], list[Entry]] = {}
    for entry in ledger:
        kinds.setdefault((entry.meaning, entry.array, entry.shape), []).append(entry)
    return [
        Crossing(model, meaning, shape, len(crossed), sum(entry.bytes for entry in crossed))
        for (meaning, _, shape), crossed in kinds.items()
    ]


def fitted(
    name: str, rows: Commons, words: Any, parameters: dict[str, Any], seed: int, jobs: int = -1
) -> TopicModel:
    """One model of the demonstration, with the defaults of a session whoever's the rows are."""
    settings = {"random_state": seed, "n_jobs": jobs, **parameters}
    learner = learner_for_text(name, settings, between_parties=True)
    return fit_learner(learner, rows, vocabulary=words)
