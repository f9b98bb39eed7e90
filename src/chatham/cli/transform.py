"""`chatham transform`: the topics of new documents, by the model's or by another inference."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.baskets import Basket, Item, Names, Rating, Scale, Title, as_baskets
from chatham.cli.options import (
    Delimiter,
    Encoding,
    Format,
    Id,
    Jobs,
    Json,
    KnownLearners,
    Model,
    NoHeader,
    Quiet,
    SkipBadRows,
    Text,
    Vocabulary,
)
from chatham.cli.parse import as_choice
from chatham.cli.sources import as_reading, called
from chatham.corpus.scale import SCALE

if TYPE_CHECKING:
    import pandas as pd

    from chatham.model.intake import Intake
    from chatham.model.topic_model import TopicModel

POSTERIOR, RECOMMENDATION = "posterior", "recommendation"
CHOICES = ("padd", "spi", "tli", "least-squares", POSTERIOR)


def transform(
    model: Model,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
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
    format: Format = None,
    delimiter: Delimiter = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    inference: Annotated[
        str | None,
        typer.Option(
            "--inference",
            metavar="NAME",
            help="How weights are inferred: padd, spi, tli or least-squares, for any model; "
            "posterior for anchor models. The model's own inference if not given.",
        ),
    ] = None,
    recommend: Annotated[
        int | None,
        typer.Option(
            "--recommend",
            metavar="N",
            min=1,
            help="In place of weights, the N items that each basket hasn't and that the model "
            "predicts the highest ratings of; for models fitted with --set missing=unobserved.",
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

    One row per document: its id and its weights, topic_0, topic_1 and so on: the shares of its
    words that come from each topic, which sum to one whatever the learner. A document
    without any word that the model knows gets the average weights. A model of svd has directions
    and no topics: direction_0 and so on are coordinates, of either sign and any sum, and all zero
    for such a document.

    \b
    Examples:
      chatham transform model/ new.csv -o weights.parquet
      chatham transform model/ new.csv --inference spi
      chatham transform films/ stars.csv --basket user --item film --rating stars --recommend 5
    """
    from chatham.cli.tables import check_table, write_table

    check_table(output)
    check_inference(inference)
    if recommend is not None and inference is not None:
        raise typer.BadParameter(
            "Recommendations follow from the model's own inference; leave --inference out.",
            param_hint="--recommend",
        )
    reading = {"text": text, "id": id_column, "vocabulary": vocabulary}
    refused = {f"--{name}": value for name, value in reading.items()}
    baskets = as_baskets(basket, item, rating, names, title, scale, refused=refused)
    how = {
        **(baskets or reading),
        **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
    }
    outcome = _found(model, files, quiet or as_json, jobs, inference, recommend, how)
    if output is not None:
        write_table(outcome.table, output)
    if as_json:
        _print_json(outcome, output)
    elif output is None:
        write_table(outcome.table, None)
    elif not quiet:
        print(f"{_counted(outcome.documents)} ({outcome.empty:,} empty), saved in {output}.")


@dataclass
class Outcome:
    """The weights or recommendations, and what there is to say about them."""

    table: pd.DataFrame
    documents: int
    kind: str
    """What the model has, or that these are recommendations."""
    inference: str | None
    empty: int
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """How many topics, directions or recommendations there are."""
        return len(self.table) if self.kind == RECOMMENDATION else self.table.shape[1] - 1


def _found(
    folder: Path,
    files: list[Path],
    quiet: bool,
    jobs: int,
    inference: str | None,
    recommend: int | None,
    reading: dict[str, Any],
) -> Outcome:
    from chatham.cli.progress import print_notes, progress
    from chatham.cli.sources import read_for_model
    from chatham.cli.wording import news
    from chatham.model.file import load
    from chatham.model.intake import take_in
    from chatham.model.tables import weight_table

    with progress(quiet) as reporter:
        model = load(folder)
        model.estimator.set_params(n_jobs=jobs)
        reporter.stage(f"Reading {called(files)}")
        corpus = read_for_model(files, model, reading, reporter.count)
        reporter.notes = tuple(news(corpus.notes))
        reporter.stage("Inferring the weights" if recommend is None else "Predicting ratings")
        documents = take_in(corpus, model.vocabulary, model.vectorizer)
        empty = int((documents.counts.sum(axis=1) == 0).sum())
        _warn_of_empty(empty, len(corpus))
        if recommend is None:
            weights = inferred(model, corpus, documents, inference, jobs)
            table = weight_table(weights, documents.ids, model.numbers, model.kind)
            kind = model.kind
        else:
            table, kind = model.recommend(documents, recommend), RECOMMENDATION
            if reading.get("rating"):  # by which ratings were multiplied on reading
                table["predicted"] /= reading["scale"]
        outcome = Outcome(table, len(documents.ids), kind, inference, empty, reporter.notes)
    if not quiet:
        print_notes(reporter.notes)
    outcome.warnings = reporter.warnings
    return outcome


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


def _print_json(outcome: Outcome, output: Path | None) -> None:
    from chatham.cli.output import print_json

    described: dict[str, Any] = {
        "documents": outcome.documents,
        "empty": outcome.empty,
        f"{outcome.kind}s": outcome.number,
        "inference": outcome.inference,
        "saved": None if output is None else str(output),
        "notes": list(outcome.notes),
        "warnings": list(outcome.warnings),
    }
    if output is None:
        name = "recommended" if outcome.kind == RECOMMENDATION else "weights"
        described[name] = outcome.table.to_dict(orient="records")
    print_json(described)


def check_inference(written: str | None) -> None:
    """Refuse the name of an unknown inference."""
    if written is not None:
        as_choice(written, CHOICES, "--inference")


def inferred(
    model: TopicModel, corpus: Any, documents: Intake, inference: str | None, jobs: int
) -> Any:
    """The weights of documents, by the model's own inference if no other is named.

    `documents` are as the model takes them in; the named inferences read the `corpus` itself.
    """
    from chatham.model.infer import infer

    own = getattr(model.estimator, "inference", None)
    if inference is None or inference == own:
        return model.transform(documents)
    if inference == POSTERIOR:
        if own is None:
            raise typer.BadParameter(
                f"posterior is for models fitted with --model anchor, but the model is "
                f"{model.algorithm}; leave it out for the model's own inference.",
                param_hint="--inference",
            )
        model.estimator.set_params(inference=POSTERIOR)
        return model.transform(documents)
    return infer(model, corpus, inference, n_jobs=jobs)
