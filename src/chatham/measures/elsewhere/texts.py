"""Topics as text: MALLET's two files, and words alone, one topic a line."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.measures.elsewhere.anything import shares_of, subject_of_lists, subject_of_topics
from chatham.measures.subject import Subject

MOST_CELLS = 1 << 28
"""Topics times words: as an array, two gigabytes."""


class BadTopicsError(Exception):
    """What is wrong with a file, without its name."""


def subject_of_text(text: str, name: str) -> Subject:
    """MALLET's weights or keys if the first line is like theirs, else a topic's words a line."""
    first = next((line for line in text.split("\n") if line.strip()), None)
    if first is None:
        raise BadTopicsError("it is empty")
    if "\0" in text:
        raise BadTopicsError("it holds bytes that no text has")
    fields = first.split("\t")
    if len(fields) == 3 and fields[0].isdecimal() and _number(fields[2]) is not None:
        return _of_weights(text, name)
    if len(fields) == 3 and fields[0].isdecimal() and _number(fields[1]) is not None:
        return _of_keys(text, name)
    lines = [line for line in text.split("\n") if line.strip()]
    return subject_of_lists([_split(line) for line in lines], name)


def _split(line: str) -> list[str]:
    if "," in line:
        return [word.strip() for word in line.split(",") if word.strip()]
    return line.split()


def _number(text: str) -> float | None:
    """A number above or equal to zero; Java writes it with the comma of its country."""
    try:
        value = float(text.strip().replace(",", ".") if "." not in text else text)
    except ValueError:
        return None
    return value if 0 <= value < math.inf else None


def _of_weights(text: str, name: str) -> Subject:
    """MALLET's topic, word and weight, a line for each pair; weights include the prior beta."""
    try:
        table = pd.read_csv(
            io.StringIO(text), sep="\t", header=None, names=["topic", "word", "weight"],
            quoting=csv.QUOTE_NONE, keep_default_na=False, index_col=False,
            dtype={"topic": np.int64, "word": str, "weight": np.float64},
        )  # fmt: skip
    except (ValueError, OverflowError, pd.errors.ParserError):
        raise BadTopicsError("a line isn't topic, word and weight, separated by tabs") from None
    k = _numbered(table["topic"].to_numpy())
    places, words = pd.factorize(table["word"], sort=True)
    check_cells(k, len(words))
    cells = table["topic"].to_numpy() * len(words) + places
    if len(np.unique(cells)) < len(cells):
        raise BadTopicsError("it has the same word twice in one topic")
    topics = np.zeros(k * len(words))
    topics[cells] = table["weight"]
    return subject_of_topics(topics.reshape(k, -1), list(words), name)


def _numbered(topics: NDArray[np.int64]) -> int:
    """How many topics there are, numbered from 0 without a gap."""
    found = np.unique(topics)
    if found[0] != 0 or found[-1] != len(found) - 1:
        raise BadTopicsError("its topics aren't numbered 0, 1, 2 and so on")
    return len(found)


def _of_keys(text: str, name: str) -> Subject:
    """MALLET's topic, alpha and best words, a line for each topic; alpha gives its share."""
    rows = [line.split("\t") for line in text.split("\n") if line.strip()]
    if not all(len(row) == 3 and row[0].isdecimal() and len(row[0]) < 10 for row in rows):
        raise BadTopicsError("a line isn't topic, alpha and words, separated by tabs")
    sizes = [_number(row[1]) for row in rows]
    if None in sizes:
        raise BadTopicsError("an alpha isn't a number of at least 0")
    _numbered(np.array([int(row[0]) for row in rows]))
    if len({int(row[0]) for row in rows}) < len(rows):
        raise BadTopicsError("it has the same topic twice")
    order = sorted(range(len(rows)), key=lambda place: int(rows[place][0]))
    shares = shares_of(np.array(sizes, dtype=np.float64)[order])
    return subject_of_lists([rows[place][2].split() for place in order], name, shares)


def check_cells(k: int, d: int) -> None:
    """Refuse an array that no memory should be asked for."""
    if k * d > MOST_CELLS:
        raise BadTopicsError(
            f"it has {k:,} topics over {d:,} words; at most {MOST_CELLS:,} numbers fit"
        )
