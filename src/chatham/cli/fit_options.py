"""The options of `chatham fit` that no other command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chatham.cli.options import LARGEST_SEED

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSONL, Parquet, .txt (one document a line), a folder of .txt files, "
        "or counts: UCI docword, .mtx, .npz.",
        show_default=False,
    ),
]
Topics = Annotated[int, typer.Option("-k", "--topics", min=1, metavar="K", help="How many topics.")]
Learner = Annotated[
    str,
    typer.Option(
        "--model", "-m", metavar="NAME", help="The learner: lda, nmf, plsa, anchor, kmeans or svd."
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FOLDER",
        help="The folder to save the model in; only printed if not given.",
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
        help="The most iterations; with --model anchor, the most projections of the "
        "rectification (--set refine=N says how many sweeps over the documents follow).",
    ),
]
Anchors = Annotated[
    list[str] | None,
    typer.Option(
        "--anchors",
        metavar="WORDS",
        help="Words to find topics by, with --model anchor: 'nasa orbit, god' for two topics, the "
        "first by two words. Other topics get anchors of their own. May be given again.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the learner, such as l2_weights=0.1; may be given again.",
    ),
]
StopWords = Annotated[
    str,
    typer.Option(
        "--stop-words",
        metavar="WHICH",
        help="auto, none, a language (en, German), or a file of words.",
    ),
]
MinDf = Annotated[
    str | None,
    typer.Option(
        "--min-df",
        metavar="LIMIT",
        help="Drop words in fewer documents: a number, or a share (1%).",
    ),
]
MaxDf = Annotated[
    str | None,
    typer.Option(
        "--max-df",
        metavar="LIMIT",
        help="Drop words in more documents: a number, or a share (50%).",
    ),
]
MaxFeatures = Annotated[
    int | None,
    typer.Option("--max-features", min=1, metavar="N", help="Keep this many words at most."),
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
        "--ngrams", metavar="N", help="Count phrases too: 2 for words and pairs of words."
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
