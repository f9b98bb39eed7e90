"""LDA of the thesis's two collections of news, and the options of what looks at it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import chatham as ch
from inference_study.records import Record, Records
from seventeen.documents import FILES, READERS
from shared_options import add_places, add_seeds, at_least_one, seeds_of

REUTERS, NEWS = "Reuters", "20 Newsgroups"
SAMPLE = "bundled sample"

Trial = Callable[[ch.Corpus, ch.TopicModel], Mapping[str, Any]]


def read(folder: Path | None, names: Sequence[str]) -> dict[str, ch.Corpus]:
    """These corpora; the bundled sample where no folder is given."""
    if folder is None:
        return {SAMPLE: ch.sample_corpus(min_df=5, max_df=0.1)}
    lacking = [FILES[name] for name in names if not (folder / FILES[name]).exists()]
    if lacking:
        raise ch.InputError(f"The folder {folder} lacks {', '.join(lacking)}.")
    return {name: READERS[name](folder / FILES[name]) for name in names}


def options(
    about: str, names: Sequence[str], k: int, written: str, seeds: int = 3
) -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    files = ", ".join(FILES[name] for name in names)
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {files} are; the bundled sample alone if not given",
    )  # fmt: skip
    parser.add_argument("--topics", type=at_least_one, default=k, metavar="K", help=f"({k})")
    parser.add_argument("--sweeps", type=at_least_one, default=300, help="of Gibbs (300)")
    add_seeds(parser, seeds)
    add_places(parser, f"{written}; the page is printed")
    return parser


def trials(given: argparse.Namespace, names: Sequence[str], trial: Trial) -> list[Record]:
    """What a trial makes of each corpus's LDA, by every seed; what is kept isn't done again."""
    records, found = Records(given.keep), []
    for name, corpus in read(given.data, names).items():
        for seed in seeds_of(given):
            asked = {
                "corpus": name, "seed": seed, "k": given.topics, "sweeps": given.sweeps,
                "documents": len(corpus), "words": corpus.n_words,
            }  # fmt: skip
            if not records.has(asked):
                model = ch.fit(
                    "lda", corpus, n_components=given.topics, max_iter=given.sweeps,
                    random_state=seed,
                )  # fmt: skip
                records.add(asked, trial(corpus, model))
            found.append(records.get(asked))
    return found


def sizes_of(found: Sequence[Record]) -> str:
    """The corpora's sizes, in words."""
    sizes = {each["corpus"]: (each["documents"], each["words"]) for each in found}
    return "; ".join(f"{name}: {n:,} documents, {d:,} words" for name, (n, d) in sizes.items())


def failed(error: ch.ChathamError) -> int:
    """Say why, and that it didn't work."""
    print(error, file=sys.stderr)
    return 1
