"""Answers to the questions of an intrusion task: read from anywhere, checked row by row.

A file of answers may hold anything, so no error shows its content: errors name the row and the
rule. Question ids are shown only where they look like Chatham's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from chatham.corpus.readers.delimited import read_csv
from chatham.corpus.readers.files import File
from chatham.corpus.readers.sources import Reading
from chatham.errors import InputError

NUMBER = re.compile(r"(\d{1,4})(\.0*)?")
"""An option's number; a table that has gaps turns its numbers into 3.0."""

QUESTION_ID = re.compile(r"[wt]\d{1,6}-[0-9a-f]{6}")
"""How a question's id looks."""

RUNS = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet may run as a formula."""

GUARD = "'"


class AskedQuestion(Protocol):
    """What reading an answer needs of its question."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def options(self) -> tuple[str, ...]:
        """Its options as shown."""


@dataclass(frozen=True)
class Answer:
    """A rater's choice (from 0) in a question, by its index among the questions (from 0)."""

    rater: str
    question: int
    choice: int


@dataclass(frozen=True)
class Row:
    """One row of answers, and what errors call it."""

    name: str
    rater: str
    question: str
    answer: str


def choice_of(answer: str, options: Sequence[str]) -> int:
    """The option (from 0) that an answer means: a number counted from 1, or else the option itself.

    >>> choice_of("2", ["tea", "milk"]), choice_of("Tea", ["tea", "milk"])
    (1, 0)
    """
    number = NUMBER.fullmatch(answer)
    if number and 1 <= int(number[1]) <= len(options):
        return int(number[1]) - 1
    folded = answer.casefold()
    same = [index for index, option in enumerate(options) if option == answer] or [
        index for index, option in enumerate(options) if option.casefold() == folded
    ]
    if len(same) > 1:
        raise InputError("the answer fits several options; give the option's number.")
    if not same:
        raise InputError(
            f"the answer must be a number from 1 to {len(options)}, or one of the question's "
            "options as it is written."
        )
    return same[0]


def guarded(table: pd.DataFrame) -> pd.DataFrame:
    """A table for spreadsheets: what they would run begins with an apostrophe, and is text.

    >>> guarded(pd.DataFrame({"option_1": ["=1+1", "tea"]}))["option_1"].tolist()
    ["'=1+1", 'tea']
    """
    return table.map(
        lambda cell: GUARD + cell if isinstance(cell, str) and cell.startswith(RUNS) else cell
    )


def check_unanswered(path: str | Path) -> None:
    """Refuse to write over a file in which somebody has answered."""
    file = Path(path)
    if not file.is_file() or not file.read_bytes().strip():
        return
    frame = read_csv(File(file), Reading()).frame
    for number, name in enumerate(frame.columns):
        if str(name).strip().casefold() == "answer" and any(map(_text, frame.iloc[:, number])):
            raise InputError(
                f"'{file}' has answers in it, which would be lost; choose another name, or move "
                "that file away first."
            )


def answers_in(source: Any, questions: Sequence[AskedQuestion]) -> list[Answer]:
    """All answers, of all raters; empty ones are left out."""
    sources = source if isinstance(source, list | tuple) else [source]
    rows = [row for number, each in enumerate(sources, start=1) for row in _rows(each, number)]
    index_of = {question.id: index for index, question in enumerate(questions)}
    answered_in: dict[tuple[str, int], str] = {}
    answers = []
    for row in rows:
        if not row.answer:
            continue
        index = _question_index(row, index_of)
        _check_once(row, answered_in.get((row.rater, index)))
        answered_in[row.rater, index] = row.name
        answers.append(Answer(row.rater, index, _choice(row, questions[index].options)))
    return answers


def _check_once(row: Row, before: str | None) -> None:
    if before is not None:
        raise InputError(
            f"{row.name}: the same rater has answered this question already, in "
            f"{_lower(before)}; leave one answer, or tell raters apart in a column 'rater'."
        )


def _question_index(row: Row, index_of: Mapping[str, int]) -> int:
    if row.question in index_of:
        return index_of[row.question]
    shown_id = f" {row.question!r}" if QUESTION_ID.fullmatch(row.question) else " of that name"
    raise InputError(
        f"{row.name}: there is no question{shown_id} in this task; answers are scored with the "
        "same model, documents, settings and seed that the questions were made with."
    )


def _choice(row: Row, options: Sequence[str]) -> int:
    answer = row.answer
    if answer not in options and answer.startswith(tuple(GUARD + start for start in RUNS)):
        answer = answer.removeprefix(GUARD)
    try:
        return choice_of(answer, options)
    except InputError as error:
        raise InputError(f"{row.name}: {error}") from None


def _rows(source: Any, number: int) -> list[Row]:
    name, frame = _named_frame(source, number)
    names = [str(column).strip().casefold() for column in frame.columns]
    _check_columns(name, names, frame)
    columns = [names.index(column) for column in ("question", "answer")]
    raters = frame.iloc[:, names.index("rater")] if "rater" in names else [name] * len(frame)
    cells = zip(raters, *(frame.iloc[:, column_index] for column_index in columns), strict=True)
    return [
        Row(f"Row {row} of {_lower(name)}", *(_text(cell) for cell in three))
        for row, three in enumerate(cells, start=1)
    ]


def _check_columns(name: str, names: list[str], frame: pd.DataFrame) -> None:
    lacking = [column for column in ("question", "answer") if column not in names]
    if lacking:  # what it has instead may be a document, a word in each column
        raise InputError(
            f"{name} must have the columns 'question' and 'answer' (and may have 'rater'); it "
            f"lacks {' and '.join(map(repr, lacking))}."
        )
    for column in ("question", "answer", "rater"):
        if names.count(column) > 1:
            raise InputError(f"{name} has the column '{column}' twice; leave one of them.")
    if not len(frame):
        raise InputError(f"{name} has no rows; it needs one for each question that is answered.")


def _lower(name: str) -> str:
    return f"{name[:1].lower()}{name[1:]}"


def _named_frame(source: Any, number: int) -> tuple[str, pd.DataFrame]:
    if isinstance(source, pd.DataFrame):
        return f"Table {number} of answers", source
    if isinstance(source, Mapping):
        cells = {"question": list(source), "answer": list(source.values())}
        return f"Table {number} of answers", pd.DataFrame(cells)
    if isinstance(source, str | Path):
        return f"The file '{source}'", _file(Path(source))
    raise InputError(
        f"Answers can't be read from this {type(source).__name__}; give a CSV file, a table or a "
        "dict from questions to answers."
    )


def _file(path: Path) -> pd.DataFrame:
    if path.is_file() and not path.read_bytes().strip():
        raise InputError(
            f"The file '{path}' is empty; it must have the columns 'question' and 'answer'."
        )
    return read_csv(File(path), Reading()).frame


def _text(cell: Any) -> str:
    missing = pd.api.types.is_scalar(cell) and pd.isna(cell)
    return "" if missing else str(cell).strip()
