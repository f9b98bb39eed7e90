"""Two models of one corpus, without rectification and with it, for figures of the two."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import chatham as ch
from chatham.numerics.threads import threads
from inference_study.records import Record, Records
from rectification_study.documents import FILES, FILMS, read_corpora
from rectification_study.factors import Counted, Factors, by_anchors
from rectification_study.plan import AP, BASELINE, Plan, job
from shared_options import add_places, at_least_one

BEFORE, AFTER = "as counted", "rectified"


def both(counted: Counted, k: int) -> dict[str, Factors]:
    """The baseline's factors, and those after alternating projection."""
    tokens = int(counted.corpus.n_tokens)
    settings = {
        name: job(Plan(), method, k, tokens).settings
        for name, method in ((BEFORE, BASELINE), (AFTER, AP))
    }
    return {name: by_anchors(counted, k, each) for name, each in settings.items()}


def rectified(counted: Counted, k: int) -> Any:
    """C′, as the second of them has it."""
    return counted.rectified(k, job(Plan(), AP, k, int(counted.corpus.n_tokens)).settings)


def options(about: str, written: str, topics: Sequence[int]) -> argparse.ArgumentParser:
    """What can be said on the command line of such a figure."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {', '.join((*FILES.values(), FILMS))} are; the bundled sample if not given",
    )  # fmt: skip
    parser.add_argument(
        "--words", type=at_least_one, default=5000, metavar="N",
        help="of each text corpus at most (5000)",
    )  # fmt: skip
    parser.add_argument("--topics", type=at_least_one, nargs="+", default=topics, metavar="K",
                        help=f"the first is drawn ({' '.join(map(str, topics))})")  # fmt: skip
    add_places(parser, written)
    return parser


def trials(
    given: argparse.Namespace, trial: Callable[[Counted, int], Mapping[str, Any]]
) -> tuple[dict[str, ch.Corpus], list[Record]]:
    """The corpora, and what a trial finds with every number of topics."""
    corpora = read_corpora(given.data, given.words)
    with threads(1):
        return corpora, list(_found(corpora, given, Records(given.keep), trial))


def _found(
    corpora: Mapping[str, ch.Corpus],
    given: argparse.Namespace,
    records: Records,
    trial: Callable[[Counted, int], Mapping[str, Any]],
) -> Iterator[Record]:
    for name, corpus in corpora.items():
        counted: Counted | None = None
        for k in given.topics:
            asked = {"corpus": name, "k": k, "words": corpus.n_words, "documents": len(corpus)}
            if not records.has(asked):
                counted = counted or Counted(corpus)
                records.add(asked, trial(counted, k))
            yield records.get(asked)
