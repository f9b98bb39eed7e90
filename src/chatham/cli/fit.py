"""`chatham fit`: from a file to topics."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import (
    LARGEST_SEED,
    Encoding,
    Id,
    Jobs,
    Json,
    Quiet,
    Text,
    Vocabulary,
    Words,
)
from chatham.cli.parse import as_choice, as_limit, as_ngrams, as_settings, as_stop_words

if TYPE_CHECKING:
    from chatham.cli.fit_view import Outcome
    from chatham.corpus import Corpus


def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV, JSONL, Parquet, .txt (one document a line), a folder of .txt files, "
            "or counts: UCI docword, .mtx, .npz.",
            show_default=False,
        ),
    ],
    topics: Annotated[
        int, typer.Option("-k", "--topics", min=1, metavar="K", help="How many topics.")
    ] = 20,
    model: Annotated[
        str,
        typer.Option(
            "--model", "-m", metavar="NAME", help="The learner: lda, nmf, plsa or kmeans."
        ),
    ] = "lda",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="The folder to save the model in; only printed if not given.",
        ),
    ] = None,
    text: Text = None,
    label: Annotated[
        str | None, typer.Option("--label", metavar="COLUMN", help="The column with the labels.")
    ] = None,
    id_column: Id = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            min=0,
            max=LARGEST_SEED,
            metavar="N",
            help="The same seed gives the same model.",
        ),
    ] = 0,
    max_iter: Annotated[
        int | None, typer.Option("--max-iter", min=1, metavar="N", help="The most iterations.")
    ] = None,
    jobs: Jobs = -1,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A parameter of the learner, such as l2_weights=0.1; may be given again.",
        ),
    ] = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    stop_words: Annotated[
        str,
        typer.Option(
            "--stop-words",
            metavar="WHICH",
            help="auto, none, a language (en, German), or a file of words.",
        ),
    ] = "auto",
    min_df: Annotated[
        str | None,
        typer.Option(
            "--min-df",
            metavar="LIMIT",
            help="Drop words in fewer documents: a number, or a share (1%).",
        ),
    ] = None,
    max_df: Annotated[
        str | None,
        typer.Option(
            "--max-df",
            metavar="LIMIT",
            help="Drop words in more documents: a number, or a share (50%).",
        ),
    ] = None,
    max_features: Annotated[
        int | None,
        typer.Option("--max-features", min=1, metavar="N", help="Keep this many words at most."),
    ] = None,
    max_features_by: Annotated[
        str,
        typer.Option(
            "--max-features-by",
            metavar="HOW",
            help="Which words --max-features keeps: the largest by count or by tfidf.",
        ),
    ] = "count",
    ngrams: Annotated[
        str,
        typer.Option(
            "--ngrams", metavar="N", help="Count phrases too: 2 for words and pairs of words."
        ),
    ] = "1",
    weighting: Annotated[
        str,
        typer.Option(
            "--weighting",
            metavar="NAME",
            help="counts, tfidf, or auto: tfidf for nmf and kmeans, counts otherwise.",
        ),
    ] = "auto",
    words: Words = 10,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit a topic model to a file of documents.

    Its topics are printed: number, share of the documents, top words. With -o it is saved too, in a
    folder that the other commands take.

    \b
    Examples:
      chatham fit news.csv -k 20 -o model/
      chatham fit news.parquet --text body --label desk --seed 1
      chatham fit docword.kos.txt --model nmf --set l2_weights=0.1
    """
    began = time.perf_counter()
    parameters: dict[str, Any] = {"n_components": topics, "random_state": seed, "n_jobs": jobs}
    parameters |= {} if max_iter is None else {"max_iter": max_iter}
    parameters |= as_settings(settings or [])
    reading = {
        "text": text,
        "label": label,
        "id": id_column,
        "vocabulary": vocabulary,
        "encoding": encoding,
        "stop_words": as_stop_words(stop_words),
        "min_df": as_limit(min_df, "--min-df"),
        "max_df": as_limit(max_df, "--max-df"),
        "max_features": max_features,
        "max_features_by": as_choice(max_features_by, ("count", "tfidf"), "--max-features-by"),
        "ngrams": as_ngrams(ngrams),
    }
    as_choice(weighting, ("auto", "counts", "tfidf"), "--weighting")
    _check(model, parameters, output)
    parameters["weighting"] = weighting
    outcome = _fitted(file, reading, model, parameters, quiet or as_json)
    if output is not None:
        outcome.model.save(output)
    outcome.seconds, outcome.output = time.perf_counter() - began, output
    _show(outcome, words, quiet, as_json)


def _check(model: str, parameters: dict[str, Any], output: Path | None) -> None:
    """Find out what can't work before an hour is spent on it."""
    from chatham.cli.places import check_folder
    from chatham.errors import InputError
    from chatham.models.learners import make_estimator
    from chatham.models.model_folder import check_writable

    try:
        make_estimator(model, parameters)
    except InputError as error:
        raise typer.BadParameter(str(error)) from None
    if output is not None:
        check_writable(output)
        check_folder(output)


def _fitted(
    file: Path, reading: dict[str, Any], model: str, parameters: dict[str, Any], quiet: bool
) -> Outcome:
    from chatham.cli.fit_view import Outcome
    from chatham.cli.progress import progress
    from chatham.cli.wording import as_options
    from chatham.corpus import read_corpus
    from chatham.models.fit import fit as fit_model

    with progress(quiet) as shown:
        shown.stage(f"Reading {file.name}")
        corpus = read_corpus(file, **reading, keep_texts=False, progress=shown.count)
        shown.notes = tuple(as_options(note) for note in corpus.notes)
        _warn_of_many(corpus, parameters["n_components"])
        shown.stage(f"Fitting {model.upper()}")
        fitted = fit_model(model, corpus, **parameters)
    return Outcome(corpus, fitted, shown.notes, shown.warnings)


def _warn_of_many(corpus: Corpus, k: int) -> None:
    from chatham.corpus.naming import plural

    filled = corpus.n_documents - int(corpus.empty.sum())
    if k > filled:
        warnings.warn(
            f"{plural(k, 'topic')} were asked of {plural(filled, 'document')} with words: some "
            "topics will be alike or stand for single documents; ask for fewer with -k.",
            stacklevel=2,
        )


def _show(outcome: Outcome, words: int, quiet: bool, as_json: bool) -> None:
    from chatham.cli.fit_view import print_as_json, print_for_people

    if as_json:
        print_as_json(outcome, words)
    else:
        print_for_people(outcome, words, quiet)
