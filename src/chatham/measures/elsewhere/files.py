"""Topics from files: model folders, lists of words, MALLET's two files, OCTIS's JSON, arrays.

Every byte is treated as hostile: sizes and shapes are checked before they are trusted, nothing in a
file can run, and anything wrong is an `InputError` that names the file and the rule.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.corpus.readers.files import ending, read_bytes, stem
from chatham.errors import FileError, InputError
from chatham.measures.elsewhere.topics import (
    shares_of,
    subject_of_lists,
    subject_of_octis,
    subject_of_sequence,
    subject_of_topics,
)
from chatham.measures.subject import Subject, subject_of_model
from chatham.naming import path_shown
from chatham.wording import say

Array = NDArray[np.float64]

MOST_BYTES = 1 << 31
MOST_TEXT = 1 << 28
"""Text and JSON take many times their bytes once they are read; arrays take no more."""
ARRAYS = (".npy", ".npz")
DOCUMENTS = (".parquet", ".jsonl", ".ndjson", ".mtx")
"""Extensions of files that hold documents, never topics."""
MOST_CELLS = 1 << 28
"""Topics times words: as an array, two gigabytes."""


def read_topics(
    path: str | os.PathLike[str], *, vocabulary: Any = None, name: str | None = None
) -> Subject:
    """Read topics from a file, or a model from its folder.

    - a folder that `model.save` or `chatham fit -o` wrote;
    - `.json`: lists of words, or OCTIS's dictionary;
    - `.csv`, `.tsv`: a table with words as its header and a row for each topic;
    - `.npz` with arrays `topics` (K×V) and `vocabulary`; `.npy` with `vocabulary`, or the words in
      `NAME.vocab.txt` beside it, one per line;
    - any other: MALLET's `--topic-word-weights-file` or `--output-topic-keys`, or one topic per
      line, its words separated by commas, or by blanks where there is no comma; empty lines are
      left out.

    A name that ends in `.gz` is unpacked. Text is UTF-8.
    """
    file = Path(path)
    subject_name = name or stem(file) or file.name
    if os.path.isdir(file):
        from chatham.model.file import load

        return subject_of_model(load(file), name or file.resolve().name)
    _check_size(file)
    try:
        return READERS.get(ending(file), _read_text)(file, vocabulary, subject_name)
    except BadTopicsError as error:
        raise InputError(
            f"The topics of '{file}' can't be read: {error}; if it holds documents, give the model "
            "before them."
        ) from None
    except InputError as error:
        if isinstance(error, FileError) and error.path == file:
            raise
        message = say("The topics of '{file}' can't be read: {error}", file=file, error=error)
        raise InputError(message) from None
    except MemoryError:
        raise InputError(f"The file '{file}' needs more memory than there is.") from None


def _check_size(path: Path) -> None:
    if not os.path.isfile(path):
        problem = "isn't a file" if os.path.exists(path) else "doesn't exist"
        raise InputError(
            f"{path_shown(path)} {problem}; give a model folder, or a file with topics."
        )
    if ending(path) in DOCUMENTS:
        raise InputError(
            f"'{path}' has the extension of a documents file; give a model folder, or topics."
        )
    most = MOST_BYTES if ending(path) in ARRAYS else MOST_TEXT
    if path.stat().st_size > most:
        advice = "" if ending(path) in ARRAYS else "; save the topics as an array (.npz)"
        raise InputError(f"The file '{path}' is larger than {most:,} bytes, the limit{advice}.")


def _text(path: Path) -> str:
    content = read_bytes(path, may_be_empty=True)
    if len(content) > MOST_TEXT:
        raise BadTopicsError(f"it unpacks to more than {MOST_TEXT:,} bytes, the limit")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise BadTopicsError(f"it isn't UTF-8 at byte {error.start:,}; save it as UTF-8") from None


def _read_json(path: Path, vocabulary: Any, name: str) -> Subject:
    try:
        value = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        where = f" at line {error.lineno:,}" if isinstance(error, json.JSONDecodeError) else ""
        raise BadTopicsError(f"it isn't JSON{where}") from None
    if not isinstance(value, list | dict):
        raise BadTopicsError("its JSON is neither lists of words nor OCTIS's dictionary")
    if isinstance(value, dict):
        return subject_of_octis(value, vocabulary, name)
    return subject_of_sequence(value, vocabulary, name)


def _read_table(path: Path, vocabulary: Any, name: str) -> Subject:
    separator = "\t" if ending(path) == ".tsv" else ","
    try:
        rows = [row for row in csv.reader(io.StringIO(_text(path)), delimiter=separator) if row]
    except csv.Error as error:
        raise BadTopicsError(f"it isn't a table ({error})") from None
    if len(rows) < 2:
        raise BadTopicsError("it needs a header of words and a row of numbers for each topic")
    numbered = rows[0][0] in ("", "Unnamed: 0")  # pandas writes its row numbers so
    head = rows[0][numbered:]
    check_cells(len(rows) - 1, len(head))
    topics = np.array([_numbers(line, row[numbered:], len(head)) for line, row in _lines(rows)])
    return subject_of_topics(topics, head if vocabulary is None else vocabulary, name)


def _lines(rows: list[list[str]]) -> list[tuple[int, list[str]]]:
    return list(enumerate(rows))[1:]


def _numbers(number: int, row: list[str], width: int) -> Array:
    if len(row) != width:
        raise BadTopicsError(
            f"row {number:,} has {len(row):,} numbers, and the header {width:,} words"
        )
    try:
        return np.array(row, dtype=np.float64)
    except ValueError:
        raise BadTopicsError(f"row {number:,} holds something that isn't a number") from None


def _read_npy(path: Path, vocabulary: Any, name: str) -> Subject:
    words = vocabulary
    vocabulary_path = path.with_name(f"{stem(path)}.vocab.txt")
    if words is None and vocabulary_path.is_file():
        words = _text(vocabulary_path).removesuffix("\n").split("\n")
    if words is None:
        raise BadTopicsError(
            f"its words are needed, one per line in '{vocabulary_path.name}' beside it"
        )
    return subject_of_topics(_array(read_bytes(path)), words, name)


def _read_npz(path: Path, vocabulary: Any, name: str) -> Subject:
    try:
        with zipfile.ZipFile(path) as archive:
            members = {each.filename: each.file_size for each in archive.infolist()}
            if sum(members.values()) > MOST_BYTES:
                raise BadTopicsError(f"it unpacks to more than {MOST_BYTES:,} bytes, the limit")
            names = ("topics",) if vocabulary is not None else ("topics", "vocabulary")
            if missing := [each for each in names if f"{each}.npy" not in members]:
                raise BadTopicsError(f"it has no array called '{missing[0]}'")
            arrays = [_array(archive.read(f"{each}.npy")) for each in names]
    except (BadTopicsError, MemoryError):
        raise
    except Exception:  # archives are damaged in as many ways as there are compressions
        raise BadTopicsError("it is damaged, or isn't NumPy's .npz") from None
    words = vocabulary if vocabulary is not None else _spelled(arrays[1])
    return subject_of_topics(arrays[0], words, name)


def _array(content: bytes) -> NDArray[Any]:
    """One array of numbers or strings, no larger than its own bytes."""
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
            version, np.lib.format.read_array_header_2_0
        )
        shape, _, kind = read(file)
        if kind.hasobject or math.prod(shape) * max(kind.itemsize, 1) > len(content):
            raise BadTopicsError(
                "its header announces more than it holds, or objects that could run"
            )
        file.seek(0)
        return np.asarray(np.load(file, allow_pickle=False))
    except BadTopicsError:
        raise
    except Exception:  # NumPy parses the header as Python's literals, which fail in many ways
        raise BadTopicsError("it is damaged, or isn't NumPy's") from None


def _spelled(words: NDArray[Any]) -> list[str]:
    if words.ndim != 1 or words.dtype.kind != "U":
        raise BadTopicsError(
            "its array 'vocabulary' must hold strings, one for each column of 'topics'"
        )
    return [str(word) for word in words]


def _read_text(path: Path, vocabulary: Any, name: str) -> Subject:
    return subject_of_text(_text(path), name)


READERS: dict[str, Callable[[Path, Any, str], Subject]] = {
    ".json": _read_json,
    ".csv": _read_table,
    ".tsv": _read_table,
    ".npy": _read_npy,
    ".npz": _read_npz,
}


class BadTopicsError(Exception):
    """What is wrong with a file, without its name."""


def subject_of_text(text: str, name: str) -> Subject:
    """MALLET's weights or keys if the first line is like theirs, else a line of words per topic."""
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
    """A number above or equal to zero; Java writes it with the decimal comma of its locale."""
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
    word_codes, words = pd.factorize(table["word"], sort=True)
    check_cells(k, len(words))
    cells = table["topic"].to_numpy() * len(words) + word_codes
    if len(np.unique(cells)) < len(cells):
        raise BadTopicsError("it has the same word twice in one topic")
    topics = np.zeros(k * len(words))
    topics[cells] = table["weight"]
    return subject_of_topics(topics.reshape(k, -1), list(words), name)


def _numbered(topics: NDArray[np.int64]) -> int:
    """How many topics there are, numbered from 0 without a gap."""
    numbers = np.unique(topics)
    if numbers[0] != 0 or numbers[-1] != len(numbers) - 1:
        raise BadTopicsError("its topics aren't numbered 0, 1, 2 and so on")
    return len(numbers)


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
    order = sorted(range(len(rows)), key=lambda index: int(rows[index][0]))
    shares = shares_of(np.array(sizes, dtype=np.float64)[order])
    return subject_of_lists([rows[index][2].split() for index in order], name, shares)


def check_cells(k: int, d: int) -> None:
    """Refuse an array that is too large to allocate."""
    if k * d > MOST_CELLS:
        raise BadTopicsError(
            f"it has {k:,} topics over {d:,} words; at most {MOST_CELLS:,} numbers fit"
        )
