"""What `chatham evaluate` reads: models, documents, held-out ones, vectors, true topics."""

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
from chatham.cli.sources import called
from chatham.cli.wording import news
from chatham.corpus import Corpus, read_baskets
from chatham.corpus.readers.files import stem
from chatham.corpus.readers.sources import Table
from chatham.errors import InputError
from chatham.measures.compare import FIXED
from chatham.measures.elsewhere.files import read_topics
from chatham.measures.reading import all_words, read_documents
from chatham.measures.subject import Subject
from chatham.model.folder import is_model
from chatham.model.intake import columns_where, opened_where, where_in
from chatham.naming import value_shown
from chatham.notes import PRUNED, UnknownWordsWarning
from chatham.plots.panels import without_number

RESERVED = {*FIXED, "settings"}
"""Columns of the table of a comparison, which can't be names of models."""


@dataclass(frozen=True)
class Request:
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
class Inputs:
    """What was read; `files` says where each kind of documents came from."""

    subjects: dict[str, Subject]
    lines: dict[str, str]
    files: dict[str, Path] = field(default_factory=dict)
    corpus: Corpus | None = None
    held_out: Corpus | None = None
    reference: Corpus | None = None
    true_topics: Subject | None = None
    vectors: dict[str, Any] | None = None
    notes: list[str] = field(default_factory=list)


def models_and_file(arguments: Sequence[Path]) -> tuple[list[Path], Path | None]:
    """The models, and the documents: the last one, unless it is alone or a model folder."""
    if not arguments:
        raise typer.BadParameter(
            "Give a model, and the documents after it; or --list.", param_hint="MODEL"
        )
    *models, last = arguments
    if not models or (last.is_dir() and is_model(last)):
        return list(arguments), None
    return models, last


def read_input(request: Request, reporter: Silent) -> Inputs:
    """Read everything; the models' words are counted in documents as each model's own were."""
    # Some words may be in only one of the models; a note tells of documents without any.
    warnings.simplefilter("ignore", UnknownWordsWarning)  # progress() restores the filters
    share = _as_share(request.held_out)
    inputs = _models(request.models)
    subjects = list(inputs.subjects.values())
    if request.true_topics is not None:
        inputs.true_topics = _truth(request.true_topics)
    if request.vectors is not None:
        from chatham.measures.coherence.embeddings import read_vectors

        reporter.stage(f"Reading {request.vectors.name}")
        inputs.vectors = read_vectors(request.vectors, all_words(subjects))
    for kind, path in (
        ("corpus", request.file),
        ("held_out", None if share or request.held_out is None else Path(request.held_out)),
        ("reference", request.reference),
    ):
        if path is not None:
            reporter.stage(f"Reading {called(path)}")
            label = None if kind == "reference" else request.label
            corpus = _documents(path, subjects, {**request.reading, "label": label}, reporter.count)
            setattr(inputs, kind, corpus)
            inputs.files[kind] = path
            _note(inputs, corpus, path)
    if share:
        _hold_out(inputs, share, request)
    return inputs


def _truth(path: Path) -> Subject:
    truth = read_topics(path)
    if truth.topics is None:
        raise InputError(
            f"'{path}' has lists of words, but true topics need probabilities; give a model "
            "folder, or a table with a number for each topic and word."
        )
    return truth


def _models(paths: Sequence[Path]) -> Inputs:
    named = dict(zip(_names(paths), paths, strict=True))
    subjects = {name: read_topics(path, name=name) for name, path in named.items()}
    return Inputs(subjects, _lines(named, subjects))


def _names(paths: Sequence[Path]) -> list[str]:
    """Short names where they differ, else the paths as they were given."""
    short = [path.resolve().name if path.is_dir() else path.name for path in paths]
    if len(set(short)) == len(short) and not set(short) & RESERVED:
        return short
    written = [f"./{path}" if str(path) in RESERVED else str(path) for path in paths]
    if len(set(written)) < len(written):
        raise typer.BadParameter("The same model is given twice.", param_hint="MODEL")
    return written


def _lines(named: Mapping[str, Path], subjects: Mapping[str, Subject]) -> dict[str, str]:
    """The curve of each model: its learner's or, for topics from elsewhere, one by its name.

    If a learner has two models of one size, something else distinguishes them, and their curves go
    by their names too.
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
    """A model's name without its number of topics; a file's also without its extension."""
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
        columns = {name: value for name, value in reading.items() if name != "label"}
        return read_baskets(path, **columns, min_df=1)
    where, options = where_in(reading)
    contents = opened_where(path, where)
    columns = columns_where(where)
    if isinstance(contents, Table) and contents.text is not None:
        columns["text"] = None  # there are no columns, and another file may have them
    return read_documents(contents, subjects, **columns, **options, progress=progress)


def _note(inputs: Inputs, corpus: Corpus, path: Path) -> None:
    notes = news(corpus.notes, PRUNED)
    empty = int(corpus.empty.sum())
    if empty:
        notes.append(
            f"{empty:,} of {len(corpus):,} documents of {path.name} have no words and are left out."
        )
    inputs.notes += [note for note in notes if note not in inputs.notes]


def _as_share(written: str | None) -> float | None:
    """A share such as 20% or 0.2, or None if it is a file."""
    if written is None:
        return None
    try:
        share = as_number(written)
    except ValueError:
        return None
    if not 0 < share < 1:
        raise typer.BadParameter(
            f"{value_shown(written)} must be a file, or a share between 0 and 100%, such as 20%.",
            param_hint="--held-out",
        )
    return share


def _hold_out(inputs: Inputs, share: float, request: Request) -> None:
    if inputs.corpus is None or request.file is None:
        raise typer.BadParameter(
            f"A share ({request.held_out}) is taken from FILE; give documents after the models.",
            param_hint="--held-out",
        )
    inputs.corpus, inputs.held_out = inputs.corpus.split(test=share, random_state=request.seed)
    inputs.files["held_out"] = request.file
    inputs.notes.append(
        f"The {len(inputs.held_out):,} held-out documents are taken from {request.file.name} "
        "itself: they are only unseen if the models were fitted without them; a separate file is "
        "safer."
    )
