"""Progress on standard error for whatever takes more than a second; nothing with `--quiet`.

Importing what measures need takes seconds on a cold disk, so that is reported too.
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
from chatham.notes import FewDocumentsWarning

if TYPE_CHECKING:
    from chatham.federation.party.voice import Progress

PATIENCE = 1.0
"""Seconds before anything is shown."""

BETWEEN_LINES = 5.0
"""Seconds between two lines if standard error is a file."""
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
"""Imported one by one, since a log is only written to between them."""


class Silent:
    """Takes reports and shows none of them."""

    warnings: tuple[str, ...] = ()
    """Warnings that aren't among the notes; complete once the work is done."""
    notes: tuple[str, ...] = ()
    """Notes that the command prints itself."""
    part: str = ""
    """Which of several fits this is, such as ' with 20 topics (2 of 3)'."""

    def stage(self, name: str) -> None:
        """Something begins whose length isn't known."""

    def count(self, done: int, total: int) -> None:
        """This much of the stage is done."""

    def iteration(self, learner: str, done: int, most: int, objective: float | None) -> None:
        """A learner has finished an iteration."""

    def waiting(self, round_: Progress) -> None:
        """A round between parties: what is being done, and for whom it waits."""

    def warn(self, sentence: str) -> None:
        """A warning that can't wait until the work is done."""

    def close(self) -> None:
        """Nothing more will come."""


class Lines(Silent):
    """A plain line now and then, for logs."""

    def __init__(self) -> None:
        self._last_line = time.monotonic() + PATIENCE - BETWEEN_LINES
        self._name = self._mistake = ""

    def stage(self, name: str) -> None:
        """Say what begins, if the last line is old enough."""
        self._name = name
        self._say(name)

    def count(self, done: int, total: int) -> None:
        """Say how much is done, if the last line is old enough."""
        self._say(f"{self._name}: {done:,} of {total:,}")

    def _say(self, line: str) -> None:
        if time.monotonic() - self._last_line >= BETWEEN_LINES:
            self._last_line = time.monotonic()
            print(line, file=sys.stderr, flush=True)

    def iteration(self, learner: str, done: int, most: int, objective: float | None) -> None:
        """The same for iterations."""
        self._name = f"{learner}{self.part}: iteration {done:,} of at most {most:,}"
        self._say(self._name)

    def waiting(self, round_: Progress) -> None:
        """The same for rounds; the learner's last report comes first. A mistake is reported at
        once: somebody must do something."""
        from chatham.federation.party.voice import MISTAKEN

        line = f"{self._name}; {in_words(round_)}"
        if round_.kind == MISTAKEN and line != self._mistake:
            self._mistake, self._last_line = line, float("-inf")
        self._say(line)

    def warn(self, sentence: str) -> None:
        """Say it now."""
        print_notes([sentence])


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
        """Restart the bar under another name."""
        self._show(name, 0, None, "")

    def count(self, done: int, total: int) -> None:
        """Move the bar."""
        self._bar.update(self._task, completed=done, total=total, detail=f"{done:,} of {total:,}")

    def iteration(self, learner: str, done: int, most: int, objective: float | None) -> None:
        """Move the bar; a learner may stop before the maximum number of iterations."""
        self._detail = f"iteration {done:,} of at most {most:,}"
        self._show(f"Fitting {learner}{self.part}", done, most, self._detail)

    def waiting(self, round_: Progress) -> None:
        """Show it beside the bar."""
        detail = "; ".join(filter(None, [self._detail, in_words(round_)]))
        self._bar.update(self._task, detail=detail)

    def warn(self, sentence: str) -> None:
        """Print it above the bar."""
        from chatham.learners.words import printable

        text = f"Note: {printable(sentence)}"
        self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """Remove the bar."""
        self._timer.cancel()
        self._timer.join()
        self._bar.stop()

    def _show(self, name: str, done: int, total: int | None, detail: str) -> None:
        self._bar.update(self._task, description=name, completed=done, total=total, detail=detail)


def in_words(round_: Progress) -> str:
    """A round, what is being done in it, and for whom it waits.

    >>> from chatham.federation.party.voice import Progress
    >>> in_words(Progress(7, "adding up", ["South", "West"]))
    'round 7, adding up, waiting for South and West'
    """
    from chatham.federation.party.voice import AWAY, JOINING, MISTAKEN

    names = list(round_.waiting)
    if round_.kind == AWAY:
        return f"round {round_.round:,}, the relay can't be reached just now"
    parties = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if round_.kind == JOINING:
        return f"waiting for {parties} to join" if parties else round_.step
    if round_.kind == MISTAKEN:
        return f"waiting for {parties or 'somebody'}: {round_.step}"
    waiting = f", waiting for {parties}" if parties else ""
    return f"round {round_.round:,}, {round_.step}{waiting}"


@contextmanager
def progress(quiet: bool) -> Iterator[Silent]:
    """Show reports, including those of learners, and warnings as notes.

    That somebody has few documents is shown at once: whoever hears of it may want to stop.
    """
    from chatham.learners.progress import listening

    reporter = Silent() if quiet else Bar() if sys.stderr.isatty() else Lines()
    caught: list[Any] = []
    at_once: list[str] = []

    def warned(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        caught.append(message)
        if issubclass(category, FewDocumentsWarning):
            at_once.append(as_options(message))
            reporter.warn(at_once[-1])

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = warned
        try:
            with listening(partial(_heard, reporter)):
                yield reporter
            check()
        except Exception as error:
            if not hasattr(error, "exit_code"):  # such as one that says that it was stopped
                check()  # a library that loses a Ctrl-C stumbles over what it left half done
            raise
        finally:
            reporter.close()
            sentences = dict.fromkeys(map(as_options, caught))
            reporter.warnings = tuple(each for each in sentences if each not in reporter.notes)
    if not quiet:
        print_notes(each for each in reporter.warnings if each not in at_once)


def _heard(shown: Silent, *iteration: Any) -> None:
    """An iteration is done: the place to end if a Ctrl-C was lost on the way."""
    check()
    shown.iteration(*iteration)


def print_notes(sentences: Iterable[str]) -> None:
    """Notes on standard error, one per line."""
    from chatham.learners.words import printable

    for sentence in sentences:
        print(f"Note: {printable(sentence)}", file=sys.stderr)


def load_measures(reporter: Silent) -> None:
    """Import what measures need, and report it before and after each module."""
    for name in HEAVY:
        reporter.stage("Loading")
        import_module(name)
    reporter.stage("Loading")
