"""Which reader reads a file: by its extension, or by the format that was named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from chatham.corpus.readers.bags import DOCWORD, read_docword, read_mtx, read_npz
from chatham.corpus.readers.delimited import read_csv, read_tsv
from chatham.corpus.readers.files import File, ending
from chatham.corpus.readers.json_rows import read_json, read_jsonl
from chatham.corpus.readers.parquet import read_parquet
from chatham.corpus.readers.plain_text import read_txt
from chatham.corpus.readers.sources import Bag, Reading, Table
from chatham.corpus.readers.spreadsheets import read_xlsx
from chatham.errors import InputError
from chatham.naming import listed, nearest, path_shown
from chatham.wording import say

Reader = Callable[[File, Reading], Table | Bag]

TXT, ZIP = "txt", ".zip"
READERS: dict[str, Reader] = {
    "csv": read_csv,
    "tsv": read_tsv,
    "jsonl": read_jsonl,
    "json": read_json,
    "parquet": read_parquet,
    "xlsx": read_xlsx,
    TXT: read_txt,
    "npz": read_npz,
    "mtx": read_mtx,
    "docword": read_docword,
}
"""By the format's name."""

ENDINGS = {f".{name}": name for name in READERS if name != "docword"} | {
    ".tab": "tsv",
    ".ndjson": "jsonl",
}
"""The format of a file by its extension."""

TABLES = ("csv", "tsv", "jsonl", "json", "parquet", "xlsx")
DELIMITED = ("csv", "tsv")
WITHOUT_HEADER = (*DELIMITED, "xlsx")


def reader_of(path: Path, reading: Reading) -> Reader:
    """The reader of a file; a delimiter says that it is delimited, whatever its extension."""
    name = reading.format or _by_ending(path, reading)
    check_reading(name, reading)
    return READERS[name]


def _by_ending(path: Path, reading: Reading) -> str:
    name = "docword" if path.name.startswith(DOCWORD) else ENDINGS.get(ending(path))
    if reading.delimiter is not None and name in (None, TXT):
        return "csv"
    if name is None:
        raise InputError(
            say(
                "The extension of {path} isn't known; known are {listed}, {zip} and folders: pass "
                "{format=} if it is one of them{nearest}",
                path=path_shown(path),
                listed=listed(ENDINGS),
                zip=repr(ZIP),
                nearest=nearest(ending(path), ENDINGS) or ".",
            )
        )
    return name


def check_reading(name: str, reading: Reading) -> None:
    """Refuse a format that doesn't exist, and what it has no use for."""
    if name not in READERS:
        raise InputError(
            say(
                "{format=!r} is not a format; choose one of {listed}{nearest}",
                format=name,
                listed=listed(READERS),
                nearest=nearest(name, READERS) or ".",
            )
        )
    if reading.delimiter is not None and name not in DELIMITED:
        raise InputError(
            say(
                "{delimiter=!r} is for csv and tsv, and this is {name}: leave it out.",
                delimiter=reading.delimiter,
                name=name,
            )
        )
    if not reading.header and name not in WITHOUT_HEADER:
        raise InputError(
            say(
                "{header=False} is for csv, tsv and xlsx, and this is {name}: leave it out.",
                name=name,
            )
        )
