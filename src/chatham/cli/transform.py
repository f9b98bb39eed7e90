"""`chatham transform`: the topics of new documents, by the model's own way or by `--inference`."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.baskets import Basket, Item, Names, Rating, Scale, Title, as_baskets
from chatham.cli.options import (
    Encoding,
    Id,
    Jobs,
    Json,
    KnownLearners,
    Model,
    Quiet,
    Text,
    Vocabulary,
)
from chatham.cli.parse import as_choice
from chatham.corpus.scale import SCALE

if TYPE_CHECKING:
    import pandas as pd

    from chatham.corpus import Corpus
    from chatham.model.intake import Intake
    from chatham.model.topic_model import TopicModel

POSTERIOR = "posterior"
CHOICES = ("padd", "spi", "tli", "least-squares", POSTERIOR)


def transform(
    model: Model,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The documents, in any form that 'chatham fit' reads.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Where to write the weights: .parquet, .csv, .tsv or .jsonl; CSV on standard "
            "output if not given.",
        ),
    ] = None,
    text: Text = None,
    id_column: Id = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    inference: Annotated[
        str | None,
        typer.Option(
            "--inference",
            metavar="NAME",
            help="How weights are found: padd, spi, tli or least-squares, for any model; posterior "
            "for anchor models. The model's own way if not given.",
        ),
    ] = None,
    basket: Basket = None,
    item: Item = None,
    rating: Rating = None,
    names: Names = None,
    title: Title = None,
    scale: Scale = SCALE,
    learner: KnownLearners = None,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Find the topics of new documents.

    One row for each document: its id and its weights, topic_0, topic_1 and so on, which sum to one.
    A document without any word that the model knows gets the average weights.

    \b
    Examples:
      chatham transform model/ new.csv -o weights.parquet
      chatham transform model/ new.csv --inference spi
      chatham transform films/ stars.csv --basket user --item film --rating stars
    """
    from chatham.cli.tables import check_table, write_table

    check_table(output)
    check_inference(inference)
    reading = {"text": text, "id": id_column, "vocabulary": vocabulary}
    refused = {f"--{name}": given for name, given in reading.items()}
    baskets = as_baskets(basket, item, rating, names, title, scale, refused=refused)
    how = {**(baskets or reading), "encoding": encoding}
    found = _weights(model, file, quiet or as_json, jobs, inference, how)
    if output is not None:
        write_table(found.weights, output)
    if as_json:
        _print_json(found, output)
    elif output is None:
        write_table(found.weights, None)
    elif not quiet:
        print(f"{_counted(len(found.weights))} ({found.empty:,} empty), saved in {output}.")


@dataclass
class Found:
    """The weights, and what there is to say about them."""

    weights: pd.DataFrame
    inference: str | None
    empty: int
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def _weights(
    folder: Path,
    file: Path,
    quiet: bool,
    jobs: int,
    inference: str | None,
    reading: dict[str, Any],
) -> Found:
    from chatham.cli.progress import print_notes, progress
    from chatham.cli.wording import news
    from chatham.model.file import load
    from chatham.model.intake import take_in
    from chatham.model.tables import weight_table

    with progress(quiet) as shown:
        model = load(folder)
        model.estimator.set_params(n_jobs=jobs)
        shown.stage(f"Reading {file.name}")
        corpus = _read(file, model, reading, shown.count)
        shown.notes = tuple(news(corpus.notes))
        shown.stage("Finding the weights")
        taken = take_in(corpus, model.vocabulary, model.vectorizer)
        empty = int((taken.counts.sum(axis=1) == 0).sum())
        _warn_of_empty(empty, len(corpus))
        weights = inferred(model, taken, inference, jobs)
        found = Found(weight_table(weights, taken.ids), inference, empty, shown.notes)
    if not quiet:
        print_notes(shown.notes)
    found.warnings = shown.warnings
    return found


def _read(file: Path, model: TopicModel, reading: dict[str, Any], progress: Any) -> Corpus:
    """Counts keep their own words; in texts the model's words are counted, as in its training."""
    from chatham.corpus import read_baskets, read_corpus
    from chatham.corpus.readers.bags import holds_counts
    from chatham.model.intake import tokenizing

    if "basket" in reading:
        return read_baskets(file, **reading, vocabulary=list(model.vocabulary))
    reading = {**reading, "stop_words": None, "keep_texts": False, "progress": progress}
    if not holds_counts(file):
        reading |= {"vocabulary": list(model.vocabulary), **tokenizing(model.vectorizer)}
    return read_corpus(file, **reading)


def _warn_of_empty(empty: int, documents: int) -> None:
    from chatham.notes import UnknownWordsWarning

    if empty:
        warnings.warn(
            f"{empty:,} of {documents:,} documents have no word of the model's vocabulary; they "
            "get the weights of an empty document.",
            UnknownWordsWarning,
            stacklevel=2,
        )


def _counted(documents: int) -> str:
    return "1 document" if documents == 1 else f"{documents:,} documents"


def _print_json(found: Found, output: Path | None) -> None:
    from chatham.cli.output import print_json

    described: dict[str, Any] = {
        "documents": len(found.weights),
        "empty": found.empty,
        "topics": found.weights.shape[1] - 1,
        "inference": found.inference,
        "saved": None if output is None else str(output),
        "notes": list(found.notes),
        "warnings": list(found.warnings),
    }
    if output is None:
        described["weights"] = found.weights.to_dict(orient="records")
    print_json(described)


def check_inference(written: str | None) -> None:
    """Refuse a name that no inference has."""
    if written is not None:
        as_choice(written, CHOICES, "--inference")


def inferred(model: TopicModel, documents: Intake, inference: str | None, jobs: int) -> Any:
    """The weights of documents, by the model's own inference if no other is named."""
    from chatham.model.infer import infer

    own = getattr(model.estimator, "inference", None)
    if inference is None or inference == own:
        return model.estimator.transform(documents.counts)
    if inference == POSTERIOR:
        if own is None:
            raise typer.BadParameter(
                f"posterior is for models fitted with --model anchor, and the model is "
                f"{model.algorithm}; leave it out for the model's own.",
                param_hint="--inference",
            )
        return model.estimator.set_params(inference=POSTERIOR).transform(documents.counts)
    return infer(model, documents, inference, n_jobs=jobs)
