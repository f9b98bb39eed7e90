"""Progress on standard error for whatever takes more than a second; nothing with `--quiet`.

Importing what measures need takes seconds on a cold disk, so somebody waiting is told of that too.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from threading import Timer
from typing import TYPE_CHECKING, Any

from chatham.cli.wording import as_options
from chatham.interrupts import check

if TYPE_CHECKING:
    from chatham.federation.party.voice import Told

PATIENCE = 1.0
"""Seconds before anything is shown."""

BETWEEN_LINES = 5.0
"""Seconds between two lines where standard error is a file."""
HEAVY = (
    "numpy",
    "scipy.sparse",
    "pandas",
    "scipy.stats",
    "sklearn.base",
    "numba",
    "chatham.corpus",
    "chatham.measures.evaluate",
)
"""In pieces, since a log is only written to between them."""


class Silent:
    """Takes reports and shows none of them."""

    warnings: tuple[str, ...] = ()
    """What was warned of and isn't among the notes; complete once the work is done."""
    notes: tuple[str, ...] = ()
    """What the command says itself."""

    def stage(self, name: str) -> None:
        """Something begins whose length isn't known."""

    def count(self, done: int, total: int) -> None:
        """So much of the stage is done."""

    def iteration(self, learner: str, done: int, most: int, objective: float | None) -> None:
        """A learner has finished an iteration."""

    def waiting(self, told: Told) -> None:
        """A round between parties: what is being done, and for whom it waits."""

    def close(self) -> None:
        """Nothing more will come."""


class Lines(Silent):
    """A plain line now and then, for logs."""

    def __init__(self) -> None:
        self._said = time.monotonic() + PATIENCE - BETWEEN_LINES
        self._name = ""

    def stage(self, name: str) -> None:
        """Say what begins, if the last line is old enough."""
        self._name = name
        self._say(name)

    def count(self, done: int, total: int) -> None:
        """Say how much is done, if the last line is old enough."""
        self._say(f"{self._name}: {done:,} of {total:,}")

    def _say(self, line: str) -> None:
        if time.monotonic() - self._said >= BETWEEN_LINES:
            self._said = time.monotonic()
            print(line, file=sys.stderr, flush=True)

    def iteration(self, learner: str, done: int, most: int, objective: float | None) -> None:
        """The same, of iterations."""
        self._name = f"{learner}: iteration {done:,} of at most {most:,}"
        self._say(self._name)

    def waiting(self, told: Told) -> None:
        """The same, of rounds; what the learner said last comes first."""
        self._say(f"{self._name}; {in_words(told)}")


class Bar(Silent):
    """A bar that appears after a second and vanishes at the end."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[detail]}", markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=None, detail="")
        self._detail = ""
        self._timer = Timer(PATIENCE, self._bar.start)
        self._timer.daemon = True
        self._timer.start()

    def stage(self, name: str) -> None:
        """Begin the bar anew under another name."""
        self._show(name, 0, None, "")

    def count(self, done: int, total: int) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=done, total=total, detail=f"{done:,} of {total:,}")

    def iteration(self, learner: str, done: int, most: int, objective: float | None) -> None:
        """Move the bar; a learner may stop before the most iterations there can be."""
        self._detail = f"iteration {done:,} of at most {most:,}"
        self._show(f"Fitting {learner}", done, most, self._detail)

    def waiting(self, told: Told) -> None:
        """Say it beside the bar."""
        detail = "; ".join(filter(None, [self._detail, in_words(told)]))
        self._bar.update(self._task, detail=detail)

    def close(self) -> None:
        """Take the bar away."""
        self._timer.cancel()
        self._timer.join()
        self._bar.stop()

    def _show(self, name: str, done: int, total: int | None, detail: str) -> None:
        self._bar.update(self._task, description=name, completed=done, total=total, detail=detail)


def in_words(told: Told) -> str:
    """A round, what is being done in it, and for whom it waits.

    >>> from chatham.federation.party.voice import Told
    >>> in_words(Told(7, "adding up", ["South", "West"]))
    'round 7, adding up, waiting for South and West'
    """
    from chatham.federation.party.voice import AWAY, JOINING

    who = list(told.waiting)
    if told.kind == AWAY:
        return f"round {told.round:,}, the relay can't be reached just now"
    named = " and ".join([", ".join(who[:-1]), who[-1]] if len(who) > 1 else who)
    if told.kind == JOINING:
        return f"waiting for {named} to join" if named else told.step
    return f"round {told.round:,}, {told.step}" + (f", waiting for {named}" if named else "")


@contextmanager
def progress(quiet: bool) -> Iterator[Silent]:
    """Show what reports come in, those of learners included, and warnings as notes."""
    from chatham.learners.progress import listening

    shown = Silent() if quiet else Bar() if sys.stderr.isatty() else Lines()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            with listening(partial(_heard, shown)):
                yield shown
            check()
        finally:
            shown.close()
            warned = dict.fromkeys(as_options(warning.message) for warning in caught)
            shown.warnings = tuple(said for said in warned if said not in shown.notes)
    if not quiet:
        print_notes(shown.warnings)


def _heard(shown: Silent, *iteration: Any) -> None:
    """An iteration is done: the place to end if a Ctrl-C was lost on the way."""
    check()
    shown.iteration(*iteration)


def print_notes(sentences: Iterable[str]) -> None:
    """Notes on standard error, each on a line of its own."""
    from chatham.learners.words import printable

    for sentence in sentences:
        print(f"Note: {printable(sentence)}", file=sys.stderr)


def load_measures(shown: Silent) -> None:
    """Import it all, and say so again and again."""
    for name in HEAVY:
        shown.stage("Loading")
        import_module(name)
    shown.stage("Loading")
