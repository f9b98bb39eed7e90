"""What `chatham evaluate` is given: models, documents, held-out ones, vectors, true topics."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import typer

from chatham.cli.wording import as_options, is_news
from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.measures.compare import FIXED
from chatham.measures.elsewhere.files import read_topics
from chatham.measures.reading import all_words, read_documents
from chatham.measures.subject import Subject
from chatham.models.model_folder import is_model

EXPECTED = r".*(not in the model's vocabulary|no word of the model's vocabulary)"
"""Warnings about words that only another of the models has, and about documents left out."""


@dataclass(frozen=True)
class Wanted:
    """The command's arguments."""

    models: list[Path]
    file: Path | None
    held_out: str | None
    reference: Path | None
    measures: list[str] | None
    words: int | None
    vectors: Path | None
    true_topics: Path | None
    seed: int
    jobs: int
    reading: dict[str, Any]
    label: str | None


@dataclass
class Given:
    """What the arguments stand for."""

    subjects: dict[str, Subject]
    lines: dict[str, str]
    corpus: Corpus | None = None
    held_out: Corpus | None = None
    reference: Corpus | None = None
    true_topics: Subject | None = None
    vectors: dict[str, Any] | None = None
    notes: list[str] = field(default_factory=list)


def parted(arguments: Sequence[Path]) -> tuple[list[Path], Path | None]:
    """The models, and the documents: the last one, unless it is alone or a model folder."""
    if not arguments:
        raise typer.BadParameter(
            "Give a model, and the documents after it; or --list.", param_hint="MODEL"
        )
    *models, last = arguments
    if not models or (last.is_dir() and is_model(last)):
        return list(arguments), None
    return models, last


def read_input(wanted: Wanted, shown: Any) -> Given:
    """Read everything; the models' words are counted in documents as each model's own were."""
    warnings.filterwarnings("ignore", message=EXPECTED)  # progress() puts the filters back
    share = _as_share(wanted.held_out)
    given = _models(wanted.models)
    subjects = list(given.subjects.values())
    if wanted.true_topics is not None:
        given.true_topics = _truth(wanted.true_topics)
    if wanted.vectors is not None:
        from chatham.measures.coherence.embeddings import read_vectors

        shown.stage(f"Reading {wanted.vectors.name}")
        given.vectors = read_vectors(wanted.vectors, all_words(subjects))
    for kind, path in (
        ("corpus", wanted.file),
        ("held_out", None if share or wanted.held_out is None else Path(wanted.held_out)),
        ("reference", wanted.reference),
    ):
        if path is not None:
            shown.stage(f"Reading {path.name}")
            label = None if kind == "reference" else wanted.label
            corpus = _documents(path, subjects, {**wanted.reading, "label": label}, shown.count)
            setattr(given, kind, corpus)
            _note(given, corpus, path)
    if share:
        _cut(given, share, wanted)
    return given


def _truth(path: Path) -> Subject:
    truth = read_topics(path)
    if truth.topics is None:
        raise InputError(
            f"'{path}' has lists of words, and true topics must be whole; give a model folder, or "
            "a table with a number for each topic and word."
        )
    return truth


def _models(paths: Sequence[Path]) -> Given:
    subjects, lines = {}, {}
    for path, name in zip(paths, _names(paths), strict=True):
        subjects[name] = read_topics(path, name=name)
        lines[name] = _line(name, subjects[name])
    return Given(subjects, lines)


def _names(paths: Sequence[Path]) -> list[str]:
    """Short names where they differ, else the paths as they were given."""
    short = [path.resolve().name if path.is_dir() else path.name for path in paths]
    if len(set(short)) == len(short) and not set(short) & set(FIXED):
        return short
    written = [str(path) for path in paths]
    if len(set(written)) < len(written):
        raise typer.BadParameter("The same model is given twice.", param_hint="MODEL")
    return written


def _line(name: str, subject: Subject) -> str:
    """Which curve a model is on: its name without its number of topics, or its learner's."""
    from chatham.measures.plots.panels import without_number

    number = name[len(name.rstrip("0123456789")) :]
    if number == str(subject.n_topics):
        return without_number(name)
    return name if subject.vectorizer is None else type(subject.estimator).__name__


def _documents(
    path: Path, subjects: Sequence[Subject], reading: dict[str, Any], progress: Any
) -> Corpus:
    options = {**reading, "progress": progress}
    if path.suffix.lower() == ".txt" or path.is_dir():
        options["text"] = None  # there are no columns, and another file may have them
    return read_documents(path, subjects, **options)


def _note(given: Given, corpus: Corpus, path: Path) -> None:
    news = [
        as_options(note) for note in corpus.notes if is_news(note) and not note.startswith("Kept")
    ]
    empty = int(corpus.empty.sum())
    if empty:
        news.append(
            f"{empty:,} of {len(corpus):,} documents of {path.name} have no word that any model "
            "knows and are left out."
        )
    given.notes += [note for note in news if note not in given.notes]


def _as_share(written: str | None) -> float | None:
    """A share such as 20% or 0.2, or None where a file is meant."""
    if written is None:
        return None
    try:
        share = float(written[:-1]) / 100 if written.endswith("%") else float(written)
    except ValueError:
        return None
    if not 0 < share < 1:
        raise typer.BadParameter(
            f"{written!r} must be a file, or a share between 0 and 100%, such as 20%.",
            param_hint="--held-out",
        )
    return share


def _cut(given: Given, share: float, wanted: Wanted) -> None:
    if given.corpus is None or wanted.file is None:
        raise typer.BadParameter(
            f"A share ({wanted.held_out}) is cut from FILE; give documents after the models.",
            param_hint="--held-out",
        )
    given.corpus, given.held_out = given.corpus.split(test=share, random_state=wanted.seed)
    given.notes.append(
        f"The {len(given.held_out):,} held-out documents are cut from {wanted.file.name} itself: "
        "they are only unseen if the models were fitted without them; a file of its own is safer."
    )


def true_topics_for(subject: Subject, truth: Subject | None) -> Any:
    """The true topics over the model's own words; what a model can't know is left out and said."""
    if truth is None:
        return None
    places = {str(word): place for place, word in enumerate(truth.vocabulary)}
    found = [places.get(str(word), -1) for word in subject.vocabulary]
    whole = truth.distributions
    matched = np.where(np.array(found) >= 0, whole[:, found], 0.0)
    lost = 1 - matched.sum() / whole.sum()
    if lost > 1e-9:
        warnings.warn(
            f"{lost:.1%} of the true topics is words that {subject.name} doesn't know; they are "
            "left out, and the rest is made to sum to one.",
            stacklevel=2,
        )
    return matched
