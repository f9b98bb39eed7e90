"""`chatham fit`: from a file to topics."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.baskets import Basket, Item, Least, Names, Rating, Scale, Title, as_baskets
from chatham.cli.documents import as_reading, called, source_of
from chatham.cli.options import (
    Anchors,
    Delimiter,
    Encoding,
    Files,
    Folder,
    Format,
    Id,
    Jobs,
    Json,
    Label,
    Learner,
    MaxDf,
    MaxFeatures,
    MaxFeaturesBy,
    MaxIter,
    MinDf,
    Ngrams,
    NoHeader,
    Quiet,
    Seed,
    Settings,
    SkipBadRows,
    StopWords,
    Text,
    Topics,
    Vocabulary,
    Weighting,
    Words,
)
from chatham.cli.parse import (
    as_anchors,
    as_choice,
    as_limit,
    as_ngrams,
    as_settings,
    as_stop_words,
    check_anchors,
)
from chatham.corpus.scale import SCALE

if TYPE_CHECKING:
    from chatham.cli.fit.view import Outcome
    from chatham.cli.progress import Silent
    from chatham.corpus import Corpus
    from chatham.learners.base import TopicLearner


def fit(
    files: Files,
    topics: Topics = 20,
    model: Learner = "lda",
    output: Folder = None,
    text: Text = None,
    label: Label = None,
    id_column: Id = None,
    seed: Seed = 0,
    max_iter: MaxIter = None,
    jobs: Jobs = -1,
    anchors: Anchors = None,
    settings: Settings = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    format: Format = None,
    delimiter: Delimiter = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    stop_words: StopWords = "auto",
    min_df: MinDf = None,
    max_df: MaxDf = None,
    max_features: MaxFeatures = None,
    max_features_by: MaxFeaturesBy = "count",
    ngrams: Ngrams = "1",
    weighting: Weighting = "auto",
    basket: Basket = None,
    item: Item = None,
    rating: Rating = None,
    names: Names = None,
    title: Title = None,
    scale: Scale = SCALE,
    least: Least = 0,
    words: Words = 10,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit a topic model to documents.

    Its topics are printed: number, share of the documents, top words; with --model anchor also
    each topic's anchor word. With -o the model is saved too, in a folder that the other commands
    read.

    \b
    Examples:
      chatham fit news.csv -k 20 -o model/
      chatham fit news.parquet --text body --label desk --seed 1
      chatham fit 'news/*.csv.gz' reviews.xlsx --text body --skip-bad-rows
      zcat news.jsonl.gz | chatham fit - --format jsonl
      chatham fit docword.kos.txt --model nmf --set l2_weights=0.1
      chatham fit news.csv --model anchor --anchors "nasa orbit, god" --set refine=0
      chatham fit stars.csv --basket user --item film --rating stars --names films.csv
    """
    began = time.perf_counter()
    parameters = _parameters(topics, seed, jobs, max_iter, settings)
    check_anchors(anchors, model, "anchors" in parameters)
    of_documents = _OfDocuments(text, label, id_column, vocabulary, stop_words, ngrams)
    limits = {
        **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
        "min_df": as_limit(min_df, "--min-df"),
        "max_df": as_limit(max_df, "--max-df"),
        "max_features": max_features,
        "max_features_by": as_choice(max_features_by, ("count", "tfidf"), "--max-features-by"),
    }
    baskets = as_baskets(
        basket, item, rating, names, title, scale, least=least, refused=of_documents.by_option()
    )
    as_choice(weighting, ("auto", "counts", "tfidf"), "--weighting")
    learner = _learner(model, parameters)
    _check_output(output)
    reading = {**limits, **(baskets or of_documents.for_reading())}
    outcome = _fitted(files, reading, learner, weighting, anchors, quiet or as_json)
    if output is not None:
        outcome.model.save(output)
    outcome.seconds, outcome.output = time.perf_counter() - began, output
    _show(outcome, words, quiet, as_json)


def _parameters(
    topics: int, seed: int, jobs: int, max_iter: int | None, settings: list[str] | None
) -> dict[str, Any]:
    """The learner's parameters; --set takes precedence."""
    parameters: dict[str, Any] = {"n_components": topics, "random_state": seed, "n_jobs": jobs}
    if max_iter is not None:
        parameters["max_iter"] = max_iter
    return parameters | as_settings(settings or [])


@dataclass
class _OfDocuments:
    """Options for documents of words, which make no sense for baskets."""

    text: list[str] | None
    label: str | None
    id_column: str | None
    vocabulary: Path | None
    stop_words: str
    ngrams: str

    def for_reading(self) -> dict[str, Any]:
        """As arguments of the reader."""
        return {
            "text": self.text,
            "label": self.label,
            "id": self.id_column,
            "vocabulary": self.vocabulary,
            "stop_words": as_stop_words(self.stop_words),
            "ngrams": as_ngrams(self.ngrams),
        }

    def by_option(self) -> dict[str, Any]:
        """By the option's name; false if it wasn't used."""
        return {
            "--text": self.text,
            "--label": self.label,
            "--id": self.id_column,
            "--vocabulary": self.vocabulary,
            "--stop-words": self.stop_words != "auto",
            "--ngrams": self.ngrams != "1",
        }


def _learner(model: str, parameters: dict[str, Any]) -> TopicLearner:
    """The learner; wrong parameters are refused before an hour is spent on reading."""
    from chatham.cli.wording import as_options
    from chatham.errors import InputError
    from chatham.model.fit import learner_for_text

    try:
        return learner_for_text(model, parameters)
    except InputError as error:
        raise typer.BadParameter(as_options(error)) from None


def _check_output(output: Path | None) -> None:
    from chatham.cli.paths import check_folder
    from chatham.model.folder import check_writable

    if output is not None:
        check_writable(output)
        check_folder(output)


def _fitted(
    files: list[Path],
    reading: dict[str, Any],
    learner: TopicLearner,
    weighting: str,
    anchors: list[str] | None,
    quiet: bool,
) -> Outcome:
    from chatham.cli.fit.view import Outcome
    from chatham.cli.progress import progress
    from chatham.cli.wording import as_options
    from chatham.model.fit import fit_learner

    with progress(quiet) as reporter:
        reporter.stage(f"Reading {called(files)}")
        corpus = _read(files, reading, reporter)
        reporter.notes = tuple(as_options(note) for note in corpus.notes)
        _warn_of_many(corpus, learner.n_components)
        if anchors:
            learner.set_params(anchors=as_anchors(anchors, corpus.vocabulary))
            learner._check_parameters()  # anchors are only known once the documents are read
        reporter.stage(f"Fitting {type(learner).__name__}")
        fitted = fit_learner(learner, corpus, weighting=weighting)
    return Outcome(corpus, fitted, reporter.notes, reporter.warnings)


def _read(files: list[Path], reading: dict[str, Any], reporter: Silent) -> Corpus:
    from chatham.corpus import read_baskets, read_corpus

    if "basket" in reading:
        return read_baskets(source_of(files), **reading)
    return read_corpus(source_of(files), **reading, keep_texts=False, progress=reporter.count)


def _warn_of_many(corpus: Corpus, k: int) -> None:
    from chatham.naming import plural
    from chatham.notes import ChathamWarning

    filled = corpus.n_documents - int(corpus.empty.sum())
    if k > filled:
        warnings.warn(
            f"{plural(k, 'topic')} were requested for {plural(filled, 'document')} with words: "
            "some topics will be duplicates or stand for single documents; choose fewer with -k.",
            ChathamWarning,
            stacklevel=2,
        )


def _show(outcome: Outcome, words: int, quiet: bool, as_json: bool) -> None:
    from chatham.cli.fit.view import print_as_json, print_for_people

    if as_json:
        print_as_json(outcome, words)
    else:
        print_for_people(outcome, words, quiet)
