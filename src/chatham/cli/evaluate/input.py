"""What `chatham evaluate` is given: models, documents, held-out ones, vectors, true topics."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from chatham.cli.parse import as_number
from chatham.cli.progress import Silent
from chatham.cli.wording import news
from chatham.corpus import Corpus, read_baskets
from chatham.corpus.readers.files import stem
from chatham.errors import InputError
from chatham.measures.compare import FIXED
from chatham.measures.elsewhere.files import read_topics
from chatham.measures.reading import all_words, read_documents
from chatham.measures.subject import Subject
from chatham.model.folder import is_model
from chatham.notes import PRUNED, UnknownWordsWarning
from chatham.plots.panels import without_number

TAKEN = {*FIXED, "settings"}
"""Columns of the table of a comparison, which no model can be called."""


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
    """What the arguments stand for; `files` says where each kind of documents was read from."""

    subjects: dict[str, Subject]
    lines: dict[str, str]
    files: dict[str, Path] = field(default_factory=dict)
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


def read_input(wanted: Wanted, shown: Silent) -> Given:
    """Read everything; the models' words are counted in documents as each model's own were."""
    # Some words only another of the models has; documents without any are told of in a note.
    warnings.simplefilter("ignore", UnknownWordsWarning)  # progress() puts the filters back
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
            given.files[kind] = path
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
    named = dict(zip(_names(paths), paths, strict=True))
    subjects = {name: read_topics(path, name=name) for name, path in named.items()}
    return Given(subjects, _lines(named, subjects))


def _names(paths: Sequence[Path]) -> list[str]:
    """Short names where they differ, else the paths as they were given."""
    short = [path.resolve().name if path.is_dir() else path.name for path in paths]
    if len(set(short)) == len(short) and not set(short) & TAKEN:
        return short
    written = [f"./{path}" if str(path) in TAKEN else str(path) for path in paths]
    if len(set(written)) < len(written):
        raise typer.BadParameter("The same model is given twice.", param_hint="MODEL")
    return written


def _lines(named: Mapping[str, Path], subjects: Mapping[str, Subject]) -> dict[str, str]:
    """Which curve each model is on: its learner's; of topics from elsewhere, that of its name.

    Where a learner has two models of one size, something else tells them apart, and we go by
    their names too.
    """
    ours = {
        name: type(subjects[name].estimator).__name__ for name, path in named.items()
        if path.is_dir() and subjects[name].estimator is not None
    }  # fmt: skip
    sizes = [(learner, subjects[name].n_topics) for name, learner in ours.items()]
    twice = {learner for (learner, _), times in Counter(sizes).items() if times > 1}
    lines = {name: learner for name, learner in ours.items() if learner not in twice}
    learners = {learner.casefold() for learner in lines.values()}
    for name in named.keys() - lines.keys():
        short = _stem(name, named[name], subjects[name])
        lines[name] = f"{short} (by name)" if short.casefold() in learners else short
    return lines


def _stem(name: str, path: Path, subject: Subject) -> str:
    """A model's name without its number of topics; a file's without its ending too."""
    short = name if path.is_dir() else name.removesuffix(path.name) + stem(path)
    number = short[len(short.rstrip("0123456789")) :]
    return without_number(short) if number == str(subject.n_topics) else name


def _documents(
    path: Path,
    subjects: Sequence[Subject],
    reading: dict[str, Any],
    progress: Callable[[int, int], None],
) -> Corpus:
    if "basket" in reading:
        named = {name: value for name, value in reading.items() if name != "label"}
        return read_baskets(path, **named, min_df=1)
    options = {**reading, "progress": progress}
    if path.suffix.lower() == ".txt" or path.is_dir():
        options["text"] = None  # there are no columns, and another file may have them
    return read_documents(path, subjects, **options)


def _note(given: Given, corpus: Corpus, path: Path) -> None:
    found = news(corpus.notes, PRUNED)
    empty = int(corpus.empty.sum())
    if empty:
        found.append(
            f"{empty:,} of {len(corpus):,} documents of {path.name} have no words and are left out."
        )
    given.notes += [note for note in found if note not in given.notes]


def _as_share(written: str | None) -> float | None:
    """A share such as 20% or 0.2, or None where a file is meant."""
    if written is None:
        return None
    try:
        share = as_number(written)
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
    given.files["held_out"] = wanted.file
    given.notes.append(
        f"The {len(given.held_out):,} held-out documents are cut from {wanted.file.name} itself: "
        "they are only unseen if the models were fitted without them; a file of its own is safer."
    )
