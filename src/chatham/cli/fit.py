"""`chatham fit`: from a file to topics."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import Encoding, Id, Jobs, Json, Quiet, Text, Vocabulary, Words
from chatham.cli.parse import as_limit, as_ngrams, as_options, as_settings

if TYPE_CHECKING:
    from chatham.corpus import Corpus
    from chatham.models.topic_model import TopicModel


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
            "--model", "-m", metavar="NAME", help="The learner: nmf, lda, plsa or kmeans."
        ),
    ] = "nmf",
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
        int, typer.Option("--seed", min=0, metavar="N", help="The same seed gives the same model.")
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
      chatham fit news.parquet --text body --label desk --model lda --seed 1
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
        "stop_words": None if stop_words.lower() == "none" else stop_words,
        "min_df": as_limit(min_df, "--min-df"),
        "max_df": as_limit(max_df, "--max-df"),
        "max_features": max_features,
        "ngrams": as_ngrams(ngrams),
    }
    _check(model, parameters, output)
    parameters["weighting"] = weighting
    corpus, fitted = _fitted(file, reading, model, parameters, quiet or as_json)
    if output is not None:
        fitted.save(output)
    seconds = time.perf_counter() - began
    if as_json:
        _print_json(corpus, fitted, words, seconds, output)
    else:
        _print(corpus, fitted, words, seconds, output, quiet)


def _check(model: str, parameters: dict[str, Any], output: Path | None) -> None:
    """Find out what can't work before an hour is spent on it."""
    from chatham.errors import InputError
    from chatham.models.learners import make_estimator
    from chatham.models.model_folder import check_writable

    try:
        make_estimator(model, parameters)
    except InputError as error:
        raise typer.BadParameter(str(error)) from None
    if output is not None:
        check_writable(output)


def _fitted(
    file: Path, reading: dict[str, Any], model: str, parameters: dict[str, Any], quiet: bool
) -> tuple[Corpus, TopicModel]:
    from chatham.cli.progress import progress
    from chatham.corpus import read_corpus
    from chatham.models.fit import fit as fit_model

    with progress(quiet) as shown:
        shown.stage(f"Reading {file.name}")
        corpus = read_corpus(file, **reading, keep_texts=False, progress=shown.count)
        shown.stage(f"Fitting {model.upper()}")
        return corpus, fit_model(model, corpus, **parameters)


def _print_json(
    corpus: Corpus, model: TopicModel, words: int, seconds: float, output: Path | None
) -> None:
    from chatham.cli.output import print_json, topics_as_json

    print_json(
        {
            "corpus": {
                "documents": corpus.n_documents,
                "empty": int(corpus.empty.sum()),
                "words": corpus.n_words,
                "tokens": corpus.n_tokens,
                "notes": [as_options(note) for note in corpus.notes],
            },
            "algorithm": model.algorithm,
            "parameters": model.parameters,
            "seed": model.seed,
            "iterations": int(model.estimator.n_iter_),
            "seconds": round(seconds, 3),
            "saved": None if output is None else str(output),
            "topics": topics_as_json(model, model.top_word_lists(words)),
        }
    )


def _print(
    corpus: Corpus,
    model: TopicModel,
    words: int,
    seconds: float,
    output: Path | None,
    quiet: bool,
) -> None:
    from chatham.cli.output import console, topic_table
    from chatham.models.words import printable

    screen = console()
    if not quiet:
        screen.print(_printable_lines(as_options(corpus.summary())), soft_wrap=True)
        screen.print()
    screen.print(topic_table(model, model.top_word_lists(words)))
    if not quiet:
        learner, rounds = type(model.estimator).__name__, model.estimator.n_iter_
        weighing = " on words weighted by tf-idf" if _is_weighted(model) else ""
        screen.print(f"\n{learner}{weighing}: {rounds} iterations, {seconds:.1f} s in all.")
        if output is None:
            screen.print("Not saved; give -o FOLDER to keep the model.")
        else:
            screen.print(f"Saved in {printable(str(output))}; see it with: chatham topics {output}")


def _is_weighted(model: TopicModel) -> bool:
    return model.vectorizer is not None and model.vectorizer.weighting == "tfidf"


def _printable_lines(text: str) -> str:
    """Several lines, each of them made printable."""
    from chatham.models.words import printable

    return "\n".join(printable(line) for line in text.split("\n"))
