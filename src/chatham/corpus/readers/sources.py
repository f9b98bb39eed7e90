"""What a reader returns: a table with texts in it, or a bag of words already counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd


@dataclass
class Table:
    """Rows of columns, one or more of which hold the text."""

    frame: pd.DataFrame
    notes: list[str] = field(default_factory=list)
    text: str | None = None
    """The text column, where the source leaves no doubt about it."""
    all_strings: bool = False
    """Numbers are still strings, as CSV has no types."""


@dataclass
class Bag:
    """A matrix of counts, the words of its columns if found, and metadata of its rows."""

    counts: Any
    words: list[str] | None = None
    rows: pd.DataFrame | None = None
    looked_for: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
