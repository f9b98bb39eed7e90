"""Which columns of a table are the text, the label and the id; guesses are reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from chatham.corpus.checks import id_strings
from chatham.corpus.given_words import is_list
from chatham.errors import InputError
from chatham.naming import (
    column_shown,
    columns_listed,
    looks_like_text,
    nearest,
    shown,
    value_shown,
)
from chatham.wording import Otherwise, Parameter, say

LIKELY_TEXT_NAMES = (
    "text", "body", "content", "document", "abstract", "message", "article", "comment", "review",
    "tweet", "post", "description", "transcript", "speech",
)  # fmt: skip


@dataclass
class Columns:
    """A table taken apart: each part is aligned with its rows."""

    texts: list[Any] | None
    ids: list[Any] | None
    labels: list[Any] | None
    label_name: str
    metadata: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def take_apart(frame: pd.DataFrame, text: Any, label: Any, id: Any, needs_text: bool) -> Columns:
    """Find text, labels and ids in a table; everything else is metadata.

    >>> parts = take_apart(pd.DataFrame({"body": ["tea"], "year": [1999]}), None, None, None, True)
    >>> parts.texts, list(parts.metadata), parts.notes
    (['tea'], ['year'], ["The text is the column 'body', a guess; pass text= to choose another."])
    """
    frame = frame.rename(columns=str)
    _refuse_repeated(list(frame.columns))
    notes: list[str] = []
    id_column, ids = _ids(frame, id, notes)
    label_column, labels = _labels(frame, label, notes)
    text_columns = _text_columns(frame, text, {id_column, label_column}, needs_text, notes)
    used_columns = {id_column, label_column, *text_columns} - {None}
    metadata = frame.drop(columns=[name for name in frame.columns if name in used_columns])
    return Columns(
        texts=_joined(frame, text_columns) if text_columns else None,
        ids=ids,
        labels=labels,
        label_name=label_column or "label",
        metadata=metadata.reset_index(drop=True),
        notes=notes,
    )


def header_notes(names: Iterable[str]) -> list[str]:
    """Say that the first line was taken as the header, if it may be a document.

    >>> header_notes(["id", "text"]), len(header_notes(["1", "I have cancer"]))
    ([], 1)
    """
    if not any(map(looks_like_text, names)):
        return []
    return [
        say(
            "The first line was taken as the header; if it is a document, {otherwise}.",
            otherwise=Otherwise(say("pass {header=False}"), "give the file a header line"),
        )
    ]


def _refuse_repeated(names: list[str]) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise InputError(
                f"Columns {names.index(name) + 1} and {position + 1} of the table have the same "
                "name: rename one of them."
            )


def _column(frame: pd.DataFrame, name: str, parameter: str) -> pd.Series:
    if name not in frame.columns:
        raise InputError(
            say(
                "{setting} is not a column of the table; its columns are {columns}{nearest}",
                setting=Parameter(parameter, value_shown(name)),
                columns=columns_listed(frame.columns),
                nearest=nearest(name, frame.columns) or ".",
            )
        )
    return frame[name]


def _ids(frame: pd.DataFrame, id: Any, notes: list[str]) -> tuple[str | None, list[Any] | None]:
    if isinstance(id, str):
        return id, list(_column(frame, id, "id"))
    if id is not None:
        return None, list(id)
    if "id" in frame.columns:
        return _ids_of_unnamed_column(frame, notes)
    if isinstance(frame.index, pd.RangeIndex):
        return None, None
    if frame.index.is_unique:
        notes.append("The ids are the table's index.")
        return None, list(frame.index)
    notes.append("The table's index has repeated values, so the ids are row numbers.")
    return None, None


def _ids_of_unnamed_column(
    frame: pd.DataFrame, notes: list[str]
) -> tuple[str | None, list[Any] | None]:
    values = id_strings(frame["id"])
    if len(set(values)) == len(values) and "" not in values:
        notes.append("The ids are the column 'id'.")
        return "id", values
    notes.append("The column 'id' has repeated or missing values, so the ids are row numbers.")
    return None, None


def _labels(
    frame: pd.DataFrame, label: Any, notes: list[str]
) -> tuple[str | None, list[Any] | None]:
    if isinstance(label, str):
        return label, list(_column(frame, label, "label"))
    if label is not None:
        return None, list(label)
    if "label" in frame.columns:
        notes.append("The labels are the column 'label'.")
        return "label", list(frame["label"])
    return None, None


def _text_columns(
    frame: pd.DataFrame, text: Any, used_columns: set[str | None], needed: bool, notes: list[str]
) -> list[str]:
    if text is not None:
        return _named_text_columns(frame, text)
    if not needed:
        return []
    guess = _guess(frame, [name for name in frame.columns if name not in used_columns])
    guess = guess or _of_words(frame, used_columns)
    if guess is None:
        raise InputError(
            say(
                "No column holds text; the columns are {columns}: pass {text=} with the name of "
                "the one that does.",
                columns=columns_listed(frame.columns),
            )
        )
    chosen = column_shown(guess, frame.columns)
    notes.append(
        say("The text is {chosen}, a guess; pass {text=} to choose another.", chosen=chosen)
    )
    return [guess]


def _named_text_columns(frame: pd.DataFrame, text: str | Sequence[str]) -> list[str]:
    if isinstance(text, str):
        text = [text] if text in frame.columns else [name.strip() for name in text.split(",")]
    names = list(text)
    for name in names:
        column = _column(frame, name, "text")
        if not _is_text(column) and not _holds_words(column):
            raise InputError(
                say(
                    "The column {name} doesn't hold text: its values must be strings, or lists of "
                    "words, or missing; choose another with {text=}.",
                    name=shown(name),
                )
            )
    return names


def _is_text(column: pd.Series) -> bool:
    values = column[column.notna()]
    return all(isinstance(value, str) for value in values)


def _holds_words(column: pd.Series) -> bool:
    """Whether all values are lists of words, or missing."""
    values = column[column.notna()]
    return len(values) > 0 and all(map(is_list, values))


def _of_words(frame: pd.DataFrame, used_columns: set[str | None]) -> str | None:
    """The first column of lists of words, which may also be labels, so that texts come first."""
    names = (name for name in frame.columns if name not in used_columns)
    return next((name for name in names if _holds_words(frame[name])), None)


def _guess(frame: pd.DataFrame, names: list[str]) -> str | None:
    text_names = [name for name in names if frame[name].notna().any() and _is_text(frame[name])]
    for likely in LIKELY_TEXT_NAMES:
        for name in text_names:
            if name.casefold() == likely:
                return name
    lengths = {name: frame[name].str.len().mean() for name in text_names}
    return max(lengths, key=lambda name: lengths[name]) if lengths else None


def _joined(frame: pd.DataFrame, names: list[str]) -> list[Any]:
    if len(names) == 1:
        return list(frame[names[0]])
    filled = frame[names].astype(object).where(frame[names].notna(), "")
    if any(not isinstance(value, str) for row in filled.itertuples(index=False) for value in row):
        return [_joined_words(row) for row in filled.itertuples(index=False)]
    return ["\n".join(part for part in row if part) for row in filled.itertuples(index=False)]


def _joined_words(row: Iterable[Any]) -> list[str]:
    parts = [part for part in row if len(part)]
    if any(isinstance(part, str) for part in parts):
        raise InputError(
            "Lists of words and texts can't be joined: name columns that hold the same."
        )
    return [word for part in parts for word in part]
