"""`ch.fit`'s defaults beside scikit-learn's NMF and LDA, tomotopy's LDA and gensim's LDA.

    python -m benchmarks.defaults --data FOLDER --keep FILE -o benchmarks/defaults.md
    python -m benchmarks.defaults --data FOLDER --keep FILE --only 'chatham*' --again 'chatham*'
    python -m benchmarks.defaults                              a try on the bundled sample

Every contender gets the same words and the same training documents, and is judged by the same
measures. The page has all cells that FILE has; those are not repeated, unless documents, a peer's
settings or the code that fits ours have changed, so an interrupted run goes on where it was.
Several processes may keep their cells in one file.
"""

from __future__ import annotations

import sys
import warnings
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.defaults.cells import Kitchen, cells_of, current, run
from benchmarks.defaults.contenders import CONTENDERS, taking_part
from benchmarks.defaults.documents import SOURCES, read_parts
from benchmarks.defaults.page import page_of
from chatham.cli.paths import check_file, unwritable
from chatham.errors import ChathamError, InputError


def main(words: Sequence[str] | None = None) -> int:
    """Read the command line, fit and judge, write the page; 1 where that can't be done."""
    options = _parser().parse_args(words)
    try:
        check_file(options.output)
        check_file(options.keep)
        corpora = read_parts(options.data, options.corpora)
        contenders = _named(options.only, taking_part())
        topics, seeds = options.topics or [20, 50], range(options.seeds)
        cells = list(cells_of(contenders, list(corpora), topics, seeds))
        kitchen, again = Kitchen(options.keep), _named(options.again, contenders)
        with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
            run(cells, corpora, kitchen, again, options.judge_again, _say)
        page = page_of(current(kitchen, corpora, topics, seeds), corpora)
        if options.output is None:
            print(page, end="")
        else:
            _write(options.output, page)
    except ChathamError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        "python -m benchmarks.defaults",
        description=__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--data", type=Path, metavar="FOLDER",
        help=f"the folder with {', '.join(file for file, _ in SOURCES.values())}; the bundled "
        "sample if not given",
    )  # fmt: skip
    add(
        "--corpora", type=_corpora, metavar="NAMES", default=list(SOURCES),
        help=f"which corpora, all if not given: {','.join(SOURCES)}",
    )  # fmt: skip
    add(
        "-k", "--topics", type=_at_least_one, metavar="K", action="append",
        help="numbers of topics (20 and 50); may be repeated",
    )  # fmt: skip
    add("--seeds", type=_at_least_one, metavar="N", default=3, help="seeds 0 to N-1 (3)")
    add(
        "--only", metavar="NAMES", default="*",
        help="which contenders to fit, * for any letters and '' for none, where only the page is "
        f"to be written: {','.join(CONTENDERS)}",
    )  # fmt: skip
    add("--again", metavar="NAMES", default="", help="contenders that are fitted again")
    add(
        "--judge-again", action="store_true",
        help="take the measures again, from what the fits that are kept have left",
    )  # fmt: skip
    add("--keep", type=Path, metavar="FILE", help="a line of JSON for each cell; and FILE.arrays/")
    add("-o", "--output", type=Path, metavar="FILE", help="the page; printed if not given")
    return parser


def _corpora(written: str) -> list[str]:
    names = [name.strip() for name in written.split(",") if name.strip()]
    if not names or not set(names) <= set(SOURCES):
        raise ArgumentTypeError(f"{written!r} must name some of {', '.join(SOURCES)}")
    return names


def _named(written: str, names: Sequence[str]) -> list[str]:
    """Those of the contenders that any of the patterns, with commas between them, matches."""
    patterns = [pattern.strip() for pattern in written.split(",") if pattern.strip()]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in CONTENDERS):
            raise InputError(
                f"No contender is called {pattern!r}; choose from {', '.join(CONTENDERS)}."
            )
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


def _at_least_one(written: str) -> int:
    number = int(written)
    if number < 1:
        raise ArgumentTypeError(f"{written} must be 1 or more")
    return number


def _say(stage: str) -> None:
    print(stage, file=sys.stderr, flush=True)


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from None


if __name__ == "__main__":
    sys.exit(main())
