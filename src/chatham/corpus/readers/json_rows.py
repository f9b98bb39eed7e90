"""Readers of JSON: one object a line, or an array of objects, of texts or of lists of words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from chatham.corpus.readers.files import NO_CHARACTER, OR_SKIP, File, lines_of, read_text
from chatham.corpus.readers.sources import Reading, Table, check_cells, left_out
from chatham.errors import InputError
from chatham.naming import plural
from chatham.wording import Sentence, say

BLANKS = " \t\r\n"
ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
"""Half a character, perhaps without its other half."""
HALF = re.compile("[\ud800-\udfff]")


def read_jsonl(file: File, reading: Reading) -> Table:
    """Read one JSON object per line; blank lines are skipped and reported."""
    rows: list[dict[str, Any]] = []
    n_blank = n_bad = first_bad = 0
    for number, line in enumerate(lines_of(file, reading.encoding, reading.skip_bad_rows), start=1):
        if not line.strip():
            n_blank += 1
            continue
        row = _value(line)
        if isinstance(row, dict):
            rows.append(row)
        elif reading.skip_bad_rows:
            n_bad, first_bad = n_bad + 1, first_bad or number
        else:
            raise InputError(_no_object(file, number))
    notes = left_out(n_bad, f"line {first_bad:,}", file)
    if n_blank:
        notes.append(f"Skipped {plural(n_blank, 'blank line')} of {file.name}.")
    return _table(rows, file, notes)


def read_json(file: File, reading: Reading) -> Table:
    """Read an array of objects, of texts or of lists of words; or objects, one a line."""
    text = read_text(file, reading.encoding)
    if text.lstrip(BLANKS)[:1] != "[":
        return read_jsonl(file, reading)
    items: list[Any] = []
    n_bad = first_bad = 0
    kind: type | None = None
    for number, item in enumerate(_items(text), start=1):
        kind = kind or (type(item) if isinstance(item, dict | str | list) else None)
        if kind is not None and isinstance(item, kind):
            items.append(item)
        elif reading.skip_bad_rows:
            n_bad, first_bad = n_bad + 1, first_bad or number
        else:
            raise InputError(_no_item(file, number))
    notes = left_out(n_bad, f"item {first_bad:,}", file)
    if kind is dict:
        return _table(items, file, notes)
    return Table(pd.DataFrame({"text": pd.Series(items, dtype=object)}), notes, text="text")


def _items(text: str) -> Iterator[Any]:
    """The items of an array; where it can't be read on, a last one that is none."""
    decoder, has_escapes = json.JSONDecoder(), ESCAPED.search(text) is not None
    position = _behind_blanks(text, _behind_blanks(text, 0) + 1)
    if text[position : position + 1] == "]":
        position = _behind_blanks(text, position + 1)
    else:
        while True:
            try:
                item, position = decoder.raw_decode(text, position)
            except (ValueError, RecursionError):
                yield None
                return
            yield _clean(item) if has_escapes else item
            position = _behind_blanks(text, position)
            mark = text[position : position + 1]
            position = _behind_blanks(text, position + 1)
            if mark == "]":
                break
            if mark != ",":
                yield None
                return
    if position < len(text):
        yield None


def _behind_blanks(text: str, position: int) -> int:
    while text[position : position + 1] and text[position] in BLANKS:
        position += 1
    return position


def _value(line: str) -> Any:
    """What a line holds, or None where it is no JSON."""
    if NO_CHARACTER in line:
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return _clean(value) if ESCAPED.search(line) else value


def _clean(value: Any) -> Any:
    """The value with a replacement for each half of a character, which can't be written again."""
    try:
        return _without_halves(value)
    except RecursionError:
        return None


def _without_halves(value: Any) -> Any:
    if isinstance(value, str):
        return HALF.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_halves(each) for each in value]
    if isinstance(value, dict):
        return {_without_halves(name): _without_halves(each) for name, each in value.items()}
    return value


def _table(rows: list[dict[str, Any]], file: File, notes: list[str]) -> Table:
    # Key by key, as building a frame from a million dictionaries is slow and guesses types.
    names = list(dict.fromkeys(name for row in rows for name in row))
    check_cells(file, len(rows), len(names))
    return Table(pd.DataFrame({name: [row.get(name) for row in rows] for name in names}), notes)


def _no_object(file: File, number: int) -> Sentence:
    return say(
        "Line {number:,} of {file} isn't a JSON object: each line must be one, such as {example}, "
        "or the file one array of them; mend it, or {skip}.",
        number=number,
        file=file,
        example='{"id": "1", "text": "..."}',
        skip=OR_SKIP,
    )


def _no_item(file: File, number: int) -> Sentence:
    return say(
        "Item {number:,} of the array in {file} isn't like the ones before it, or isn't JSON: all "
        "must be objects, or all texts, or all lists of words; mend it, or {skip}.",
        number=number,
        file=file,
        skip=OR_SKIP,
    )
