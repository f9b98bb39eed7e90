"""Dates as people write them, and the spans of time that they fall into.

A date needs its year: `March 5` belongs to no span, and a program that adds this year's would tell
something else tomorrow. Where day and month can be told apart in one date of a column, all others
are read in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

Days = NDArray[np.datetime64]
"""One day each, or not-a-time where a document has no date."""

EVERY = ("day", "week", "month", "quarter", "year", "decade")
"""How long a span of time may be."""

MOST_SPANS = 30
"""More can't be told apart in a figure."""
MOST_ROWS = 4 * MOST_SPANS
"""With those before and after, in which there is hardly any document."""
ENOUGH = 20
"""Documents in a span, on average, for its shares to say anything."""

FIRST_YEAR, LAST_YEAR = 1000, 2999
SECONDS = (10**8, 10**10)
"""Whole numbers that are taken for seconds since 1970; a thousand times as much is milliseconds."""
NOTHING = np.datetime64("NaT", "D")
ISO = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?=$|[T\s])")
COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?=$|[\s,])")
NAMED = (
    re.compile(
        r"(?P<d>\d{1,2})(?:st|nd|rd|th)?[-\s.]+(?P<m>[A-Za-z]{3,9})\.?[-\s,]+(?P<y>\d{4})\b"
    ),
    re.compile(r"(?P<m>[A-Za-z]{3,9})\.?\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y>\d{4})\b"),
    re.compile(r"(?P<m>[A-Za-z]{3,9})\.?[-\s,]+(?P<y>\d{4})\b"),
)
WEEKDAY = re.compile(r"^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[,.]?\s+", re.IGNORECASE)
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
SHORTEST_MONTH = 3


@dataclass(frozen=True)
class Dates:
    """The days of a column's values, and how exactly they are known."""

    days: Days
    finest: str
    """The shortest span that they can be told apart by: "day", "month" or "year"."""
    guessed: bool = False
    """Whether day and month could be either way round in all of them; then the month is first."""


def read_dates(values: Iterable[Any]) -> Dates:
    """What dates these values are; none where they aren't any.

    >>> read_dates(["2017/2/7", "2017-12-31T23:59:00Z", None, "soon"]).days.astype(str).tolist()
    ['2017-02-07', '2017-12-31', 'NaT', 'NaT']
    >>> read_dates(["03/04/2017", "25/12/2017"]).days.astype(str).tolist()
    ['2017-04-03', '2017-12-25']
    >>> read_dates([2016, 2018.0]).finest
    'year'
    """
    listed = list(values)
    day_first, guessed = _order([value for value in listed if isinstance(value, str)])
    read = [_day_of(value, day_first) for value in listed]
    known = {finest for day, finest in read if not np.isnat(day)}
    finest = next((each for each in ("day", "month") if each in known), "year")
    days = np.array([day for day, _ in read], dtype="datetime64[D]")
    return Dates(days, finest, guessed)


def span_starts(days: Days, every: str) -> Days:
    """The first day of the span that each day falls into; weeks begin on Mondays.

    >>> span_starts(np.array(["2017-02-07"], dtype="datetime64[D]"), "week").astype(str).tolist()
    ['2017-02-06']
    """
    if every == "day":
        return days
    if every == "week":
        numbers = days.astype(np.int64)  # 1 January 1970 was a Thursday
        monday = (numbers - (numbers + 3) % 7).astype("datetime64[D]")
        return np.where(np.isnat(days), NOTHING, monday)
    months = days.astype("datetime64[M]")
    length = {"month": 1, "quarter": 3, "year": 12, "decade": 120}[every]
    numbers = months.astype(np.int64) + 12 * 1970  # from the year 0, so that decades are round
    first = (numbers - numbers % length - 12 * 1970).astype("datetime64[M]").astype("datetime64[D]")
    return np.where(np.isnat(days), NOTHING, first)


def all_spans(days: Days, every: str) -> Days:
    """The first days of all spans from the first date to the last, also of those without any.

    >>> days = np.array(["2017-02-07", "2017-04-30"], dtype="datetime64[D]")
    >>> all_spans(days, "month").astype(str).tolist()
    ['2017-02-01', '2017-03-01', '2017-04-01']
    """
    starts = span_starts(days[~np.isnat(days)], every)
    if not starts.size:
        return np.array([], dtype="datetime64[D]")
    first, last = starts.min(), starts.max()
    steps = {"day": 1, "week": 7}
    if every in steps:
        return np.arange(first, last + np.timedelta64(1, "D"), np.timedelta64(steps[every], "D"))
    length = {"month": 1, "quarter": 3, "year": 12, "decade": 120}[every]
    end = last.astype("datetime64[M]") + np.timedelta64(1, "M")
    months = np.arange(first.astype("datetime64[M]"), end, np.timedelta64(length, "M"))
    return months.astype("datetime64[D]")


def count_spans(first: np.datetime64, last: np.datetime64, every: str) -> int:
    """How many spans there are from the one of the first day to that of the last."""
    ends = span_starts(np.array([first, last], dtype="datetime64[D]"), every)
    if every in ("day", "week"):
        return int((ends[1] - ends[0]).astype(np.int64)) // {"day": 1, "week": 7}[every] + 1
    months = ends.astype("datetime64[M]").astype(np.int64)
    length = {"month": 1, "quarter": 3, "year": 12, "decade": 120}[every]
    return int(months[1] - months[0]) // length + 1


def sensible(days: Days, finest: str = "day") -> str:
    """The shortest span with enough documents on average of which a figure can show all.

    Where there is none, the longest that tells any two dates apart. A few stray dates don't decide:
    those of the middle 98 % must fit, and all of them in `MOST_ROWS`.

    >>> days = np.arange("2017-01", "2018-01", dtype="datetime64[D]")
    >>> sensible(days), sensible(days[:40]), sensible(np.repeat(days[:3], 20))
    ('month', 'month', 'day')
    """
    known = np.sort(days[~np.isnat(days)])
    allowed = EVERY[EVERY.index(finest) :]
    if not known.size:
        return allowed[0]
    stray = len(known) // 100
    usual = known[stray : len(known) - stray]
    several = [every for every in allowed if count_spans(known[0], known[-1], every) > 1]
    for every in several:
        filled = len(np.unique(span_starts(usual, every)))
        if (
            count_spans(usual[0], usual[-1], every) <= MOST_SPANS
            and count_spans(known[0], known[-1], every) <= MOST_ROWS
            and len(usual) >= ENOUGH * filled
        ):
            return every
    return several[-1] if several else allowed[0]


def named(starts: Days, every: str) -> list[str]:
    """What people call these spans.

    >>> days = np.array(["2017-04-01"], dtype="datetime64[D]")
    >>> [named(days, every)[0] for every in EVERY]
    ['2017-04-01', 'week of 2017-04-01', '2017-04', '2017 Q2', '2017', '2017s']
    """
    names = []
    for start in starts.astype(object):
        names.append(
            {
                "day": f"{start:%Y-%m-%d}",
                "week": f"week of {start:%Y-%m-%d}",
                "month": f"{start:%Y-%m}",
                "quarter": f"{start:%Y} Q{(start.month + 2) // 3}",
                "year": f"{start:%Y}",
                "decade": f"{start:%Y}s",
            }[every]
        )
    return names


def _order(texts: Sequence[str]) -> tuple[bool, bool]:
    """Whether the day comes first where the year comes last, and whether nothing decides it."""
    found = [match for text in texts if (match := YEAR_LAST.match(text.strip()))]
    beyond = [(int(m[1]) > len(MONTHS), int(m[2]) > len(MONTHS)) for m in found]
    day_first, month_first = (sum(part) for part in zip(*beyond, strict=True)) if found else (0, 0)
    dotted = any("." in match[0] for match in found)  # 7.2.2017 is written with the day first
    undecided = bool(found) and not day_first and not month_first and not dotted
    return day_first > month_first or (dotted and not month_first), undecided


def _day_of(value: Any, day_first: bool) -> tuple[np.datetime64, str]:
    if isinstance(value, datetime | date):
        return _made(value.year, value.month, value.day)
    if isinstance(value, np.datetime64):
        return value.astype("datetime64[D]"), "day"
    if isinstance(value, bool) or value is None:
        return NOTHING, "year"
    if isinstance(value, Real):
        return _of_number(float(value), whole=isinstance(value, Integral))
    return _of_text(str(value).strip(), day_first)


def _of_number(number: float, whole: bool) -> tuple[np.datetime64, str]:
    if not whole and not (np.isfinite(number) and number == int(number)):
        return NOTHING, "year"
    if FIRST_YEAR <= number <= LAST_YEAR:
        return _made(int(number))
    if COMPACT.fullmatch(str(int(number))):
        return _of_text(str(int(number)), day_first=False)
    for parts in (1, 1000):
        if SECONDS[0] * parts <= number < SECONDS[1] * parts:
            return np.datetime64(int(number / parts), "s").astype("datetime64[D]"), "day"
    return NOTHING, "year"


def _of_text(text: str, day_first: bool) -> tuple[np.datetime64, str]:
    text = WEEKDAY.sub("", text)
    if match := COMPACT.fullmatch(text):
        return _made(*map(int, match.groups()))
    if match := ISO.match(text):
        return _made(*(int(part) for part in match.groups() if part is not None))
    if match := YEAR_LAST.match(text):
        day, month = (match[1], match[2]) if day_first else (match[2], match[1])
        return _made(int(match[3]), int(month), int(day))
    for pattern in NAMED:
        if match := pattern.match(text):
            parts = match.groupdict()
            month_name = parts["m"].lower()
            months = [n for n, name in enumerate(MONTHS, 1) if name.startswith(month_name)]
            if len(months) == 1 or month_name == "sept":
                known = [int(parts["y"]), months[0] if months else 9]
                return _made(*known, *([int(parts["d"])] if "d" in parts else []))
    return NOTHING, "year"


def _made(year: int, month: int | None = None, day: int | None = None) -> tuple[Any, str]:
    """The day, and how exactly it was given; what no calendar has is none."""
    finest = "year" if month is None else "month" if day is None else "day"
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return NOTHING, finest
    try:
        return np.datetime64(date(year, month or 1, day or 1), "D"), finest
    except ValueError:
        return NOTHING, finest
