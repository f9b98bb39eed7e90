"""Options that the audit's experiments have in common, and where their results go."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from audit_study.runs import Runner
from chatham.plots.panels import save_figure

KEPT = Path(__file__).parents[1] / "kept"
LEAST_DATABASES = 64
"""With fewer, coins may leave a document in, or out of, too few databases."""


def add_options(parser: ArgumentParser, files: str, written: str, usual: Any) -> None:
    """Where documents are, where samples are kept, where what is `written` goes, and how much is
    done: a plan has the `usual` numbers of documents and databases."""
    add = parser.add_argument
    add("--data", type=Path, metavar="FOLDER",
        help=f"where {files} are; the bundled sample if not given")  # fmt: skip
    add("--kept", type=Path, default=KEPT, metavar="FOLDER",
        help="for samples; an interrupted run goes on from there (experiments/kept)")  # fmt: skip
    add("--observables", action="store_true",
        help="keep all that statistics could ask for, not only the values of today's")  # fmt: skip
    add("--finished", action="store_true",
        help="run nothing: write the page of what is finished")  # fmt: skip
    add("--n-jobs", type=int, default=1, help="processes (1)")
    add("--documents", type=int, default=usual.documents, help=f"in question ({usual.documents})")
    add("--databases", type=int, default=usual.databases,
        help=f"for a group of documents ({usual.databases})")  # fmt: skip
    add("--output", type=Path, metavar="FOLDER", help=f"for {written}; printed if not given")


def runner_of(given: Namespace) -> Runner:
    """What runs cells as these options say."""
    return Runner(given.kept, given.n_jobs, given.observables, given.finished)


def check_options(parser: ArgumentParser, given: Namespace) -> None:
    """Refuse numbers that can't be."""
    if given.documents < 1:
        parser.error(f"--documents must be at least 1; got {given.documents}")
    if given.databases < LEAST_DATABASES:
        parser.error(f"--databases must be at least {LEAST_DATABASES}; got {given.databases}")


def write(
    output: Path | None, pages: Mapping[str, str], figures: Mapping[str, Callable[[], Any]]
) -> int:
    """Write pages and figures, or print the pages."""
    if output is None:
        print("\n".join(pages.values()), end="")
        return 0
    output.mkdir(parents=True, exist_ok=True)
    for name, content in pages.items():
        (output / name).write_text(content, encoding="utf-8")
    for name, figure in figures.items():
        save_figure(figure(), output / name)
    return 0
