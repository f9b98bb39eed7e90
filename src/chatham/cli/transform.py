"""`chatham transform`: the topics of new documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import Encoding, Id, Jobs, Json, Model, Quiet, Text, Vocabulary

if TYPE_CHECKING:
    import pandas as pd


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
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Find the topics of new documents.

    One row for each document: its id and its weights, topic_0, topic_1 and so on, which sum to one.
    A document without any word that the model knows gets the average weights.

    \b
    Example:
      chatham transform model/ new.csv -o weights.parquet
    """
    from chatham.cli.tables import check_ending, write_table

    check_ending(output)
    weights, empty = _weights(
        model, file, quiet or as_json, jobs,
        text=text, id=id_column, vocabulary=vocabulary, encoding=encoding,
    )  # fmt: skip
    if output is not None:
        write_table(weights, output)
    if as_json:
        _print_json(weights, empty, output)
    elif output is None:
        write_table(weights, None)
    elif not quiet:
        print(f"{len(weights):,} documents ({empty:,} empty), saved in {output}.")


def _weights(
    folder: Path, file: Path, quiet: bool, jobs: int, **reading: Any
) -> tuple[pd.DataFrame, int]:
    from chatham.cli.progress import progress
    from chatham.corpus import read_corpus
    from chatham.models.intake import take_in
    from chatham.models.model_file import load

    model = load(folder)
    model.estimator.set_params(n_jobs=jobs)
    with progress(quiet) as shown:
        shown.stage(f"Reading {file.name}")
        # No word is left out here: which ones count is the model's business.
        corpus = read_corpus(
            file, **reading, stop_words=None, min_df=1, max_df=1.0, progress=shown.count
        )
        shown.stage("Finding the weights")
        taken = take_in(corpus, model.vocabulary, model.vectorizer)
        empty = int((taken.counts.sum(axis=1) == 0).sum())
        return model.weights_table(taken), empty


def _print_json(weights: pd.DataFrame, empty: int, output: Path | None) -> None:
    from chatham.cli.output import print_json

    described: dict[str, Any] = {
        "documents": len(weights),
        "empty": empty,
        "topics": weights.shape[1] - 1,
        "saved": None if output is None else str(output),
    }
    if output is None:
        described["weights"] = weights.to_dict(orient="records")
    print_json(described)
