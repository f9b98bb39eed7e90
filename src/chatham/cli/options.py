"""Options that several commands share, so that they look and read the same."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

LARGEST_SEED = 2**32 - 1
MOST_WORDS = 1000
"""The most words of a topic that are of any use; counting pairs of many more takes all memory."""
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print only the result: no progress, no notes.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines on standard output.")]
Model = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="A model folder that 'chatham fit -o' wrote.", show_default=False
    ),
]
Words = Annotated[
    int, typer.Option("-n", "--words", min=1, metavar="N", help="Words to show for each topic.")
]
Text = Annotated[
    list[str] | None,
    typer.Option(
        "--text",
        metavar="COLUMN",
        help="The column with the text; may be repeated, and the columns are then joined; guessed "
        "(and reported) if not given.",
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        "--id", metavar="COLUMN", help="The column with the ids; row numbers if not given."
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="The file's encoding, if it isn't UTF-8."),
]
Vocabulary = Annotated[
    Path | None,
    typer.Option(
        "--vocabulary",
        metavar="FILE",
        help="A file with one word per line: the words of a file of counts, in column order, or "
        "the words to count in texts.",
    ),
]
Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="CSV, TSV, JSON, JSONL, Parquet, .xlsx, .txt (one document per line), also as .gz or "
        ".xz; a folder or a .zip of texts or tables; - for standard input; or counts: UCI docword, "
        ".mtx, .npz. Several files, or a pattern such as 'news/*.csv', are read as one.",
        show_default=False,
    ),
]
OptionalFiles = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILE...",
        help="The documents, in any form that 'chatham fit' reads.",
        show_default=False,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="What FILE is, if its extension doesn't say it: csv, tsv, jsonl, json, parquet, xlsx, "
        "txt, npz, mtx or docword. In a folder or a .zip, which files are read.",
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHARACTER",
        help="What separates columns, such as '|' or tab; if not given, what the first lines show.",
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line is a document: columns are called 1, 2 and so on.",
    ),
]
SkipBadRows = Annotated[
    bool,
    typer.Option(
        "--skip-bad-rows", help="Leave out rows that can't be parsed, and say how many there are."
    ),
]
Topics = Annotated[int, typer.Option("-k", "--topics", min=1, metavar="K", help="How many topics.")]
SizesOfModels = Annotated[
    str,
    typer.Option(
        "-k",
        "--topics",
        metavar="K[,K…]",
        help="How many topics; several numbers, such as 10,20,40, fit a model of each and compare "
        "them.",
    ),
]
Learner = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        metavar="NAME",
        help="The learner: lda, online-lda, nmf, plsa, anchor, kmeans or svd, or one that an "
        "installed package offers.",
    ),
]


def make_known(names: list[str] | None) -> list[str] | None:
    """Import learners for the names that the user typed, before a file mentions them."""
    for name in names or ():
        _make_known(name)
    return names


def _make_known(name: str) -> None:
    from chatham.errors import InputError
    from chatham.model.registry import learner_typed

    try:
        learner_typed(name)
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


KnownLearners = Annotated[
    list[str] | None,
    typer.Option(
        "--learner",
        metavar="NAME",
        callback=make_known,
        help="A learner that an installed package offers, where a model or a session is of one; "
        "may be given again.",
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FOLDER",
        help="The folder to save the model in; if not given, the model is only printed.",
    ),
]
Label = Annotated[
    str | None, typer.Option("--label", metavar="COLUMN", help="The column with the labels.")
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        min=0,
        max=LARGEST_SEED,
        metavar="N",
        help="The same seed gives the same model.",
    ),
]
MaxIter = Annotated[
    int | None,
    typer.Option(
        "--max-iter",
        min=1,
        metavar="N",
        help="Maximum number of iterations; with --model anchor, of projections in the "
        "rectification (--set refine=N says how many sweeps over the documents follow).",
    ),
]
Anchors = Annotated[
    list[str] | None,
    typer.Option(
        "--anchors",
        metavar="WORDS",
        help="Anchor words of topics, with --model anchor: 'nasa orbit, god' for two topics, the "
        "first with two anchors. Anchors for the other topics are found automatically. May be "
        "repeated.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the learner, such as l2_weights=0.1; may be repeated.",
    ),
]
StopWords = Annotated[
    str,
    typer.Option(
        "--stop-words",
        metavar="WHICH",
        help="auto, none, a language (en, German), or a file of words; or several with commas "
        "between them, such as auto,mine.txt.",
    ),
]
MinDf = Annotated[
    str | None,
    typer.Option(
        "--min-df",
        metavar="LIMIT",
        help="Minimum document frequency of a word: a number of documents, or a share (1%).",
    ),
]
MaxDf = Annotated[
    str | None,
    typer.Option(
        "--max-df",
        metavar="LIMIT",
        help="Maximum document frequency of a word: a number of documents, or a share (50%).",
    ),
]
MaxFeatures = Annotated[
    int | None,
    typer.Option("--max-features", min=1, metavar="N", help="Keep at most this many words."),
]
MaxFeaturesBy = Annotated[
    str,
    typer.Option(
        "--max-features-by",
        metavar="HOW",
        help="Which words --max-features keeps: the largest by count or by tfidf.",
    ),
]
Ngrams = Annotated[
    str,
    typer.Option(
        "--ngrams", metavar="N", help="Also count n-grams: 2 for words and pairs of words."
    ),
]
Weighting = Annotated[
    str,
    typer.Option(
        "--weighting",
        metavar="NAME",
        help="counts, tfidf, or auto: tfidf for nmf and kmeans, counts otherwise.",
    ),
]


def not_zero(jobs: int) -> int:
    """Refuse zero threads."""
    if jobs == 0:
        raise typer.BadParameter("0 threads can't work; give 1 or more, or -1 for all cores.")
    return jobs


def seed_option(help_text: str) -> Any:
    """`--seed`, with what it decides."""
    return typer.Option("--seed", min=0, max=LARGEST_SEED, metavar="N", help=help_text)


def words_option(help_text: str) -> Any:
    """`-n`, with what the words are for."""
    return typer.Option("-n", "--words", min=1, max=MOST_WORDS, metavar="N", help=help_text)


def output_option(help_text: str) -> Any:
    """`-o`, with what is written."""
    return typer.Option("-o", "--output", metavar="FILE", help=help_text)


def jobs_option(help_text: str) -> Any:
    """`--jobs`, with what it does."""
    return typer.Option("--jobs", metavar="N", callback=not_zero, help=help_text)


THREADS = "Threads to use; -1 is one per core. The result is the same."
Jobs = Annotated[int, jobs_option(THREADS)]
FitJobs = Annotated[
    int, jobs_option(f"{THREADS} LDA has work for one, or with --set shards=N for N.")
]
