"""From whatever holds documents to a table of texts or a bag of counted words: look what it is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from chatham.corpus.readers.files import STANDARD_INPUT, File, ending, standard_input
from chatham.corpus.readers.folders import read_archive, read_folder, read_several
from chatham.corpus.readers.formats import READERS, ZIP, reader_of
from chatham.corpus.readers.sources import Bag, Reading, Table
from chatham.errors import InputError
from chatham.naming import listed, path_shown
from chatham.wording import Either, say

PATTERN = "*?["
"""What a name has that stands for several files."""


def opened(source: Any, reading: Reading | None = None) -> Table | Bag:
    """Read a source as far as what is in it; what was opened already stays as it is."""
    if isinstance(source, Table | Bag):
        return source
    if holds_paths(source):
        return _open_paths(source, reading or Reading())
    if reading is not None and reading != Reading():
        raise InputError(
            say(
                "{encoding}, {format}, {delimiter}, {header} and {skip_bad_rows} say how files are "
                "read, and a {kind} is none: leave them out.",
                kind=type(source).__name__,
            )
        )
    return _open_object(source)


def holds_paths(source: Any) -> bool:
    """Whether a source is a path, a pattern, or a list of `Path`; a list of strings is texts.

    >>> holds_paths("news.csv"), holds_paths([Path("a.csv"), Path("b.csv")]), holds_paths(["tea"])
    (True, True, False)
    """
    if isinstance(source, str | os.PathLike):
        return True
    several = isinstance(source, list | tuple) and len(source) > 0
    return several and all(isinstance(each, os.PathLike) for each in source)


def _open_object(source: Any) -> Table | Bag:
    if sp.issparse(source) or (isinstance(source, np.ndarray) and source.ndim == 2):
        return Bag(source)
    if isinstance(source, pd.DataFrame):
        return Table(source)
    if isinstance(source, pd.Series):
        return Table(source.rename("text").to_frame(), text="text")
    # A set is left out: rows need an order.
    if isinstance(source, Iterable) and not isinstance(source, bytes | dict | set | frozenset):
        texts = pd.Series(list(source), dtype=object)
        return Table(pd.DataFrame({"text": texts}), text="text")
    raise InputError(
        say(
            "A corpus can't be read from a {kind}: give a path, a list of strings, a pandas Series "
            "or DataFrame, or a matrix of counts with {vocabulary=}.",
            kind=type(source).__name__,
        )
    )


def _open_paths(source: Any, reading: Reading) -> Table | Bag:
    named = [source] if isinstance(source, str | os.PathLike) else list(source)
    paths = [path for each in named for path in _matching(Path(each))]
    read = [_open_path(path, reading) for path in paths]
    return read[0] if len(read) == 1 else read_several(read)


def _matching(path: Path) -> list[Path]:
    """The files that a pattern stands for, in the order of their names; anything else itself."""
    if _exists(path) or not any(mark in str(path) for mark in PATTERN):
        return [path]
    fixed = list(takewhile(lambda part: not any(mark in part for mark in PATTERN), path.parts))
    root = Path(*fixed)
    try:
        # Unlike the module glob, it doesn't go round in circles of links.
        found = set(root.glob(str(Path(*path.parts[len(fixed) :]))))
    except (OSError, ValueError, NotImplementedError):
        return [path]
    return sorted(each for each in found if not _is_hidden(each.relative_to(root))) or [path]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _open_path(path: Path, reading: Reading) -> Table | Bag:
    if not _exists(path):
        if str(path) == STANDARD_INPUT:
            return _open_standard_input(reading)
        # path_shown: someone may pass a text where a path is expected.
        raise InputError(
            say(
                "There is no file or folder {path}: check the name{otherwise}.",
                path=path_shown(path),
                otherwise=Either(", or pass texts as a list", ""),
            )
        )
    if path.is_dir():
        return read_folder(path, reading)
    if ending(path) == ZIP:
        return read_archive(File(path), reading)
    return reader_of(path, reading)(File(path), reading)


def _open_standard_input(reading: Reading) -> Table | Bag:
    if reading.format is None and reading.delimiter is None:
        raise InputError(
            say(
                "Standard input has no extension that says what it is: pass {format=}, one of "
                "{formats}.",
                formats=listed(READERS),
            )
        )
    file = standard_input()
    return reader_of(file.path, reading)(file, reading)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
