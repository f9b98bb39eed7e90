"""Readers of plain text: one document per line, or a folder with one document per file."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from chatham.corpus.readers.bags import DOCWORD, read_docword
from chatham.corpus.readers.files import decode, ending, read_bytes, read_lines
from chatham.corpus.readers.sources import Bag, Table
from chatham.errors import InputError
from chatham.naming import plural


def read_txt(path: Path, encoding: str | None = None) -> Table | Bag:
    """Read one document per line, blank lines as empty ones; UCI's files have their own reader."""
    if path.name.startswith(DOCWORD):
        return read_docword(path, encoding)
    lines = read_lines(path, encoding)
    notes = [f"Each line of {path.name} is one document."]
    return Table(pd.DataFrame({"text": lines}), notes, text="text")


def read_folder(folder: Path, encoding: str | None = None) -> Table:
    """Read every .txt file below a folder, in the order of their names.

    The id is the path below the folder; where there are sub-folders, the first of them is the
    label.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file() and ending(path) == ".txt")
    if not files:
        raise InputError(f"The folder {folder} holds no .txt file: give one that does.")
    names = [path.relative_to(folder) for path in files]
    frame = pd.DataFrame({
        "id": [name.as_posix() for name in names],
        "text": [_read_document(path, encoding) for path in files],
    })  # fmt: skip
    notes = [f"Read {plural(len(files), '.txt file')}, one document each."]
    if any(len(name.parts) > 1 for name in names):
        frame["label"] = [name.parts[0] if len(name.parts) > 1 else None for name in names]
    return Table(frame, notes, text="text")


def _read_document(path: Path, encoding: str | None) -> str:
    # Inside a folder, an empty file is an empty document.
    return decode(read_bytes(path, may_be_empty=True), str(path), encoding)
