"""Seconds beside iterations, for a page of fits that were watched without a clock.

An iteration of a learner costs about the same whenever it comes, so the pace of the first ones says
what any number of them takes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import chatham as ch
from refinement_study.documents import Parts
from stopping_study.trajectories import watched

RECENT = 10
"""The first iterations that the pace isn't taken from: weights are dense there."""

Clock = Sequence[float]
"""Seconds from the beginning to the end of each iteration."""

NOTE = """\
Seconds are the processor's, of one thread, with the start: those of the first {most} iterations by
seed {seed}, and from there on at their pace. They were taken later than the rest, on a machine that
did other work too: compare them within a corpus."""


def clock_of(parts: Parts, learner: str, k: int, most: int, seed: int) -> list[float]:
    """Of the first iterations of a fit as `ch.fit` sets it up, without a tolerance."""
    return watched(parts, learner, k, most, seed)[1].seconds


def seconds_at(clock: Clock, iterations: int) -> float:
    """Seconds of so many iterations; those beyond the clock's at the pace of its last ones.

    >>> seconds_at([3.0, 4.0, 5.0], 2), seconds_at([3.0, 4.0, 5.0], 10)
    (4.0, 12.0)
    """
    if iterations <= len(clock):
        return clock[iterations - 1]
    since = min(RECENT, len(clock) // 2)
    pace = (clock[-1] - clock[since - 1]) / (len(clock) - since) if since else clock[-1]
    return clock[-1] + (iterations - len(clock)) * pace


def with_seconds(page: str, clocks: Mapping[tuple[str, str], Clock], note: str) -> str:
    """The page with a column of seconds after that of iterations; `clocks` by corpus and learner.

    >>> page = "## nmf\\n\\n| corpus | iterations |\\n|---|---|\\n| AP | 2 to 3 |\\n"
    >>> print(with_seconds(page, {("AP", "nmf"): [3.0, 4.0, 5.5]}, "Seconds."))
    Seconds.
    <BLANKLINE>
    ## nmf
    <BLANKLINE>
    | corpus | iterations | seconds |
    |---|---|---|
    | AP | 2 to 3 | 4.0 to 5.5 |
    <BLANKLINE>
    """
    if "| seconds |" in page:
        raise ch.InputError("The page has seconds already; give one without.")
    head, mark, tables = page.partition("## ")
    lines, learner, place = [], "", 0
    for line in (mark + tables).splitlines():
        cells = line.split("|")
        if line.startswith("## "):
            learner = line.removeprefix("## ")
        elif "iterations" in line:
            place = [cell.strip() for cell in cells].index("iterations")
            cells.insert(place + 1, " seconds ")
        elif line.startswith("|---"):
            cells.insert(place + 1, "---")
        elif line.startswith("|"):
            clock = clocks[cells[1].strip(), learner]
            cells.insert(place + 1, f" {_in_seconds(cells[place].strip(), clock)} ")
        lines.append("|".join(cells))
    return head + note + "\n\n" + "\n".join(lines) + "\n"


def _in_seconds(iterations: str, clock: Clock) -> str:
    """Iterations, or a range of them, in seconds; brackets are about fits that didn't stop."""
    stopped, _, _ = iterations.partition(" (")
    shown = re.sub(r"\d+", lambda number: f"{seconds_at(clock, int(number[0])):.1f}", stopped)
    least, _, most = shown.partition(" to ")
    return least if least == most else shown
