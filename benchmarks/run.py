"""Which contests there are, on what corpora, in which order: `make bench`.

    python -m benchmarks                                    all contests on the bundled sample
    python -m benchmarks --data FOLDER -o benchmarks/results.md
    python -m benchmarks --only nmf,plsa --tries 1 -k 50

scikit-learn is always there; tomotopy and gensim come with the extra 'bench', and anchor-topic
takes part where it is installed. Contenders take turns in one run, the best try of each counts,
and quality is shown beside every time.
"""

from __future__ import annotations

import json
import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.coherences import coherence_results
from benchmarks.contest import Result, as_markdown, machine
from benchmarks.factorisations import nmf_results, plsa_results
from benchmarks.held_out import left_to_right_results
from benchmarks.samplers import fit_results, lda_results
from benchmarks.spectral import (
    anchor_results,
    inference_results,
    planted_results,
    recovery_results,
)
from chatham.cli.paths import check_file, unwritable
from chatham.corpus import Corpus, read_corpus, sample_corpus
from chatham.errors import ChathamError, InputError

Contest = Callable[[str, Any, int, int, int], list[Result]]

CONTESTS: dict[str, tuple[Contest, tuple[int, ...], tuple[int, ...]]] = {
    "nmf": (nmf_results, (20, 100), (2,)),
    "plsa": (plsa_results, (20, 100), (2,)),
    "lda": (lda_results, (20, 200), (1, 2)),
    "fits": (fit_results, (20,), (2,)),
    "coherence": (coherence_results, (100,), (1,)),
    "left-to-right": (left_to_right_results, (20,), (1, 2)),
    "anchors": (anchor_results, (20, 100), (2,)),
    "inference": (inference_results, (100,), (2,)),
    "planted": (planted_results, (20,), (2,)),
    "recovery": (recovery_results, (20,), (1,)),
}
"""By name: the contest, for how many topics, on how many threads."""

ONCE = ("planted", "recovery")
"""Contests that draw their own corpora, and so are held once."""

NEWS = ("20newsgroups_clean.parquet", 8000)
NIPS = ("nips12_bow.npz", 5000)
"""A file, and how many of its words are kept."""


class Counts(sp.csr_array):  # type: ignore[misc]
    """Counts that remember the corpus they are of, for contests that need its texts."""

    corpus: Corpus | None = None


def main(words: Sequence[str] | None = None) -> int:
    """Read the command line, hold the contests, print the page; 1 where that can't be done."""
    options = _parser().parse_args(words)
    try:
        check_file(options.output)
        with ExitStack() as stack:
            if options.quiet or options.json:
                stack.enter_context(warnings.catch_warnings(action="ignore"))
            stage = _silent if options.quiet or options.json else _say
            stage("Reading the corpora")
            found = corpora(options.data)
            results = run(found, options.only, options.tries, options.topics, stage)
        page = as_markdown(results, options.tries)
        if options.output is not None:
            _write(options.output, as_markdown(results, options.tries, _read(options.output)))
    except ChathamError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    if options.json:
        described = {"machine": machine(), "results": [asdict(result) for result in results]}
        page = json.dumps(described, indent=2, allow_nan=False) + "\n"
    print(page, end="")
    return 0


def corpora(folder: Path | None) -> dict[str, Counts]:
    """Counts by name; documents without words are left out, since some peers can't take them."""
    if folder is None:
        return {"bundled sample": _full_rows(sample_corpus(min_df=2))}
    found = {}
    for name, (file, words) in {"20 Newsgroups": NEWS, "NIPS": NIPS}.items():
        if (folder / file).exists():
            found[name] = _full_rows(read_corpus(folder / file, max_features=words))
    if not found:
        raise InputError(
            f"The folder '{folder}' has neither {NEWS[0]} nor {NIPS[0]}; name another with --data, "
            "or leave it out to measure on the bundled sample."
        )
    return found


def run(
    found: Mapping[str, Any],
    names: Sequence[str],
    tries: int,
    topics: Sequence[int] | None = None,
    stage: Callable[[str], None] = lambda _: None,
) -> list[Result]:
    """Hold the contests of these names on corpora by name."""
    unknown = sorted(set(names) - set(CONTESTS))
    if unknown:
        raise InputError(
            f"There is no contest called {unknown[0]!r}; choose from {', '.join(CONTESTS)}."
        )
    results: list[Result] = []
    for name in names:
        contest, sizes, threads = CONTESTS[name]
        for corpus, counts in list(found.items())[: 1 if name in ONCE else None]:
            for k in topics or sizes:
                for n in threads:
                    stage(f"{name}, {corpus}, {k} topics, {n} threads")
                    results += contest(corpus, counts, k, n, tries)
    return results


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        "python -m benchmarks", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--only", type=_names, metavar="NAMES", default=list(CONTESTS),
        help=f"which contests, all if not given: {','.join(CONTESTS)}",
    )  # fmt: skip
    add(
        "--data", type=Path, metavar="FOLDER",
        help=f"the folder with {NEWS[0]} and {NIPS[0]}; the bundled sample if not given",
    )  # fmt: skip
    add("--tries", type=_at_least_one, metavar="N", default=3, help="the best of this many counts")
    add(
        "-k", "--topics", type=_at_least_one, metavar="K", action="append",
        help="other numbers of topics; may be repeated",
    )  # fmt: skip
    add(
        "-o", "--output", type=Path, metavar="FILE",
        help="write the page to this file too; of a page that is there already, the sections of "
        "contests that aren't held are kept",
    )  # fmt: skip
    add("-q", "--quiet", action="store_true", help="print the result alone: no progress, no notes")
    add("--json", action="store_true", help="print JSON for machines on standard output")
    return parser


def _names(written: str) -> list[str]:
    """One or more contests, with commas between them."""
    names = [name.strip() for name in written.split(",") if name.strip()]
    if not names or not set(names) <= set(CONTESTS):
        raise ArgumentTypeError(f"{written!r} must name some of {', '.join(CONTESTS)}")
    return names


def _at_least_one(written: str) -> int:
    number = int(written)
    if number < 1:
        raise ArgumentTypeError(f"{written} must be 1 or more")
    return number


def _full_rows(corpus: Corpus) -> Counts:
    kept = corpus.rows(~corpus.empty)
    counts = Counts(kept.counts, dtype=np.float64)
    counts.corpus = kept
    return counts


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from None


def _say(stage: str) -> None:
    print(stage, file=sys.stderr)


def _silent(stage: str) -> None:
    pass
