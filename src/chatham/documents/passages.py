"""The passage of a text that has most of a topic: the most expected words of it in so much space.

Each word counts with its probability of being from the topic. Of all windows of at most so many
characters, cut between words, the one with the most expected words is sought; one that begins with
a sentence is preferred if it has nearly as many.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.documents.tinting import DIGITS
from chatham.model.tinted import Tinted

Array = NDArray[np.float64]

LONGEST = 240
"""Characters of a passage."""
NEARLY = 0.9
"""What share of the best passage's words is enough for one that begins with a sentence."""
LONGEST_RUN = 40
"""Where there are no blanks, as in Chinese, text may be cut after so many characters."""
SENTENCE_END = re.compile(r"[.!?…。！？]['\"’”»)\]]*$")
PARAGRAPH = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class Passage:
    """A passage with one blank where there were several, and where the topic's words are in it."""

    text: str
    marks: tuple[tuple[int, int], ...]


class Unit(NamedTuple):
    """What isn't cut: a run of characters between blanks."""

    begin: int
    end: int
    starts: bool
    """Whether a sentence begins with it."""
    ends: bool


def best_passage(document: Tinted, row: int, longest: int = LONGEST) -> Passage:
    """The passage of the document that has most of the topic in this row.

    >>> from chatham.documents.tinting import tinted
    >>> topics, words = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]), ["tea", "milk", "rain"]
    >>> document = tinted(topics, "All was rain. We drank tea with milk. Then rain again.", words)
    >>> best_passage(document, 0, longest=25)
    Passage(text='… We drank tea with milk. …', marks=((11, 14), (20, 24)))
    """
    units = _units(document.text)
    if not units:
        return Passage("", ())
    return _cut(document, row, units, *_foremost(document, row, units, longest))


def passage_place(document: Tinted, row: int, longest: int = LONGEST) -> tuple[int, int]:
    """Where in the text that passage begins and ends."""
    units = _units(document.text)
    if not units:
        return 0, 0
    first, last = _foremost(document, row, units, longest)
    return units[first].begin, units[last].end


def _foremost(document: Tinted, row: int, units: list[Unit], longest: int) -> tuple[int, int]:
    """The first and the last unit of the passage; all of them if they fit."""
    if units[-1].end - units[0].begin <= longest:
        return 0, len(units) - 1
    gains = document.probabilities[:, row]
    return _window(units, _gains_of(document, gains, units), longest)


def _units(text: str) -> list[Unit]:
    """The runs of a text between blanks, long ones in pieces."""
    units: list[Unit] = []
    behind, starts = 0, True
    for run in re.finditer(r"\S+", text):
        begin, end = run.span()
        starts = starts or PARAGRAPH.search(text, behind, begin) is not None
        for cut in range(begin, end, LONGEST_RUN):
            until = min(cut + LONGEST_RUN, end)
            ends = until == end and SENTENCE_END.search(text, begin, end) is not None
            units.append(Unit(cut, until, starts, ends))
            starts = ends
        behind = end
    return units


def _gains_of(document: Tinted, gains: Array, units: list[Unit]) -> Array:
    """How many words of the topic are expected to begin in each unit."""
    begins = np.array([unit.begin for unit in units])
    places = np.array([span.begin for span in document.spans], dtype=np.int64)
    of_units = np.searchsorted(begins, places, side="right") - 1
    return np.bincount(of_units, weights=gains, minlength=len(units)).astype(np.float64)


def _window(units: list[Unit], gains: Array, longest: int) -> tuple[int, int]:
    """The first and the last unit of the passage."""
    begins, ends = (np.array([getattr(unit, end) for unit in units]) for end in ("begin", "end"))
    # The last unit that still fits; at least the first itself.
    lasts = np.searchsorted(ends, begins + longest, side="right") - 1
    lasts = np.maximum(lasts, np.arange(len(units)))
    so_far = np.concatenate([[0.0], np.cumsum(gains)])
    totals = np.round(so_far[lasts + 1] - so_far[:-1], DIGITS)
    starts = np.array([unit.starts for unit in units])
    good = starts & (totals >= NEARLY * totals.max())
    first = int(np.where(good, totals, -1.0).argmax() if good.any() else totals.argmax())
    full = [
        number
        for number in range(first, lasts[first] + 1)
        if units[number].ends and so_far[number + 1] - so_far[first] >= NEARLY * totals[first]
    ]
    return first, full[-1] if full else int(lasts[first])


def _cut(document: Tinted, row: int, units: list[Unit], first: int, last: int) -> Passage:
    """These units as a passage, with ellipses where the text goes on."""
    begin, end = units[first].begin, units[last].end
    written, marks = "" if first == 0 else "… ", []
    number = int(document.numbers[row])
    place = 0
    for piece, span in document.pieces():
        lower, upper = max(begin - place, 0), min(end - place, len(piece))
        place += len(piece)
        if lower >= upper:
            continue
        shown = re.sub(r"\s+", " ", piece[lower:upper])
        if span is not None and span.topic == number:
            marks.append((len(written), len(written) + len(shown)))
        written += shown
    return Passage(written + ("" if last == len(units) - 1 else " …"), tuple(marks))
