"""Settings of measures in `chatham evaluate`: what a person wants to know of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from chatham.cli.evaluate_table import plain
from chatham.learners.words import printable
from chatham.plots.panels import shown

LONGEST_SETTING = 24
UNTOLD = ("documents", "epsilon", "measured_on")
"""Settings that are the same wherever one looks, or stand elsewhere in the table."""

TOLD = {"accuracy": ("bag_of_words", "commonest_class")}
"""Measures that have more to tell than anybody reads; the rest is in --json."""

SUMMED_UP = {"n_words": "top words", "window": "window", "smoothing": "smoothing"}
"""Settings that values depend on most, and how they are called under a comparison."""


def settings_told(measure: str, settings: Mapping[str, Any]) -> str:
    """Settings and notes that are short enough to be read in passing.

    >>> settings_told("npmi", {"n_words": 10, "window": "document", "windows": 1200})
    '10 words, window document, windows 1,200'
    """
    names = TOLD.get(measure, tuple(settings))
    told = {name: settings[name] for name in names if name not in UNTOLD and settings.get(name)}
    written = {name: _written(value) for name, value in told.items()}
    short = {name: text for name, text in written.items() if len(text) <= LONGEST_SETTING}
    return printable(", ".join(_phrase(name, text) for name, text in short.items()))


def _phrase(name: str, text: str) -> str:
    return f"{text} words" if name == "n_words" else f"{name.replace('_', ' ')} {text}"


def _written(value: Any) -> str:
    value = plain(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return shown(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def common_settings(tables: Iterable[pd.DataFrame]) -> dict[str, dict[str, Any]]:
    """Each measure's settings in which all models agree; what differs was met on the way."""
    found: dict[str, dict[str, Any]] = {}
    for table in tables:
        for measure, settings in zip(table["measure"], table["settings"], strict=True):
            here = plain(settings)
            before = found.get(measure, here)
            found[measure] = {k: v for k, v in before.items() if k in here and here[k] == v}
    return found


def summed_up(settings: Mapping[str, Mapping[str, Any]]) -> str:
    """The settings of several measures in a line: the commonest value, and who has another.

    >>> summed_up({"npmi": {"n_words": 10}, "umass": {"n_words": 10}, "overlap": {"n_words": 5}})
    'top words 10 (overlap 5)'
    """
    parts = []
    for name, called in SUMMED_UP.items():
        values = {m: _written(each[name]) for m, each in settings.items() if each.get(name)}
        if values:
            listed = list(values.values())
            commonest = max(dict.fromkeys(listed), key=listed.count)
            others = [f"{m} {value}" for m, value in values.items() if value != commonest]
            parts.append(f"{called} {commonest}" + (f" ({', '.join(others)})" if others else ""))
    return "; ".join(parts)
