"""`chatham fit`: from a file to topics."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.baskets import Basket, Item, Least, Names, Rating, Scale, Title, as_baskets
from chatham.cli.options import (
    Anchors,
    Delimiter,
    Encoding,
    Files,
    FitJobs,
    Folder,
    Format,
    Id,
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
    SizesOfModels,
    SkipBadRows,
    StopWords,
    Text,
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
    as_sizes,
    as_stop_words,
    check_anchors,
)
from chatham.cli.sources import as_reading, called, source_of
from chatham.corpus.scale import SCALE
from chatham.interrupts import SAVED, say_instead

if TYPE_CHECKING:
    from chatham.cli.fit.view import Outcome
    from chatham.cli.progress import Silent
    from chatham.corpus import Corpus
    from chatham.learners.base import TopicLearner


SliceName = Annotated[
    str | None,
    typer.Option(
        "--slice",
        metavar="NAME",
        help="Keep a summary of these documents in the model's folder, under this name, so that "
        "'chatham update' can add others. For nmf, plsa and lda. A summary is exact: such a "
        "folder isn't for others.",
    ),
]


def fit(
    files: Files,
    topics: SizesOfModels = "20",
    model: Learner = "lda",
    output: Folder = None,
    text: Text = None,
    label: Label = None,
    id_column: Id = None,
    seed: Seed = 0,
    max_iter: MaxIter = None,
    jobs: FitJobs = -1,
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
    slice: SliceName = None,
    words: Words = 10,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Fit a topic model to documents.

    Its topics are printed: number, share of the documents, top words; with --model anchor also
    each topic's anchor word. With -o the model is saved too, in a folder that the other commands
    read. With --slice it can grow: 'chatham update' adds later documents to it.

    Several numbers of topics fit a model of each, saved in model/k10 and so on, and end with a
    comparison on documents that are held out beforehand. Ctrl-C keeps the models that are finished.

    \b
    Examples:
      chatham fit news.csv -k 20 -o model/
      chatham fit news.csv -k 10,20,40 -o models/
      chatham fit news.parquet --text body --label desk --seed 1
      chatham fit 'news/*.csv.gz' reviews.xlsx --text body --skip-bad-rows
      zcat news.jsonl.gz | chatham fit - --format jsonl
      chatham fit docword.kos.txt --model nmf --set l2_weights=0.1
      chatham fit news.csv --model anchor --anchors "nasa orbit, god" --set refine=0
      chatham fit stars.csv --basket user --item film --rating stars --names films.csv
      chatham fit january.csv -k 10 --slice January -o model/
    """
    began = time.perf_counter()
    sizes = as_sizes(topics)
    parameters = _parameters(sizes, seed, jobs, max_iter, settings)
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
    learners = [_learner(model, {"n_components": k, **parameters}) for k in sizes]
    reading = {**limits, **(baskets or of_documents.for_reading())}
    if len(sizes) > 1:
        if slice is not None:
            raise typer.BadParameter(
                "One model grows; give one number with -k.", param_hint="--slice"
            )
        given = {**parameters, **({"anchors": partial(as_anchors, anchors)} if anchors else {})}
        _several(files, reading, model, sizes, given, weighting, output, words, quiet, as_json)
        return
    learner = learners[0]
    _check_output(output)
    _check_slice(slice, learner, output)
    outcome = _fitted(files, reading, learner, weighting, anchors, slice, quiet or as_json)
    if output is not None:
        outcome.model.save(output)
        say_instead(SAVED.format(f"'{output}'"))
    outcome.seconds, outcome.output = time.perf_counter() - began, output
    _show(outcome, words, quiet, as_json)


def _parameters(
    sizes: list[int], seed: int, jobs: int, max_iter: int | None, settings: list[str] | None
) -> dict[str, Any]:
    """The learner's parameters but for the number of topics, each given once."""
    parameters: dict[str, Any] = {"random_state": seed, "n_jobs": jobs}
    if max_iter is not None:
        parameters["max_iter"] = max_iter
    return parameters | as_settings(settings or [], {"n_components": sizes, **parameters})


def _several(
    files: list[Path],
    reading: dict[str, Any],
    model: str,
    sizes: list[int],
    parameters: dict[str, Any],
    weighting: str,
    output: Path | None,
    words: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """A model of each number of topics, and a comparison."""
    from chatham.cli.fit.several import (
        check_outputs,
        fit_and_compare,
        print_several,
        print_several_as_json,
    )

    def read(reporter: Silent) -> Corpus:
        reporter.stage(f"Reading {called(files)}")
        return _read(files, reading, reporter)

    check_outputs(output, sizes)
    silent = quiet or as_json
    fitted = fit_and_compare(read, model, sizes, parameters, weighting, output, silent)
    if as_json:
        print_several_as_json(fitted, words)
    else:
        print_several(fitted, words, quiet)


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


def _check_slice(name: str | None, learner: TopicLearner, output: Path | None) -> None:
    """Refuse a slice of a model that couldn't grow, before it is fitted."""
    from chatham.cli.wording import as_options
    from chatham.ensembles.publish import check_kind
    from chatham.ensembles.update import check_name
    from chatham.errors import InputError
    from chatham.model.registry import algorithm_of

    if name is None:
        return
    try:
        check_name(name, [])
        check_kind(algorithm_of(learner))
    except InputError as error:
        raise typer.BadParameter(as_options(error), param_hint="--slice") from None
    if output is None:
        raise typer.BadParameter(
            "A model that is to grow must be saved; give -o FOLDER too.", param_hint="--slice"
        )


def _fitted(
    files: list[Path],
    reading: dict[str, Any],
    learner: TopicLearner,
    weighting: str,
    anchors: list[str] | None,
    slice: str | None,
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
        if anchors:
            learner.set_params(anchors=as_anchors(anchors, corpus.vocabulary))
            learner._check_parameters()  # anchors are only known once the documents are read
        reporter.stage(f"Fitting {type(learner).__name__}")
        fitted = fit_learner(learner, corpus, weighting=weighting)
        if slice is not None:
            from chatham.ensembles.update import keep_summary

            reporter.stage("Adding up what an update needs")
            seed, jobs = learner.random_state, learner.n_jobs
            fitted = keep_summary(fitted, slice=slice, random_state=seed, n_jobs=jobs)
    return Outcome(corpus, fitted, reporter.notes, reporter.warnings)


def _read(files: list[Path], reading: dict[str, Any], reporter: Silent) -> Corpus:
    from chatham.corpus import read_baskets, read_corpus

    if "basket" in reading:
        return read_baskets(source_of(files), **reading)
    return read_corpus(source_of(files), **reading, keep_texts=False, progress=reporter.count)


def _show(outcome: Outcome, words: int, quiet: bool, as_json: bool) -> None:
    from chatham.cli.fit.view import print_as_json, print_for_people

    if as_json:
        print_as_json(outcome, words)
    else:
        print_for_people(outcome, words, quiet)
