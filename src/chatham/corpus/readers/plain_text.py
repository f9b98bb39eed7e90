"""Readers of plain text: one document per line, or one per file."""

from __future__ import annotations

import pandas as pd

from chatham.corpus.readers.bags import DOCWORD, read_docword
from chatham.corpus.readers.files import NO_CHARACTER, File, decode, lines_of, read_bytes
from chatham.corpus.readers.sources import Bag, Reading, Table, left_out


def read_txt(file: File, reading: Reading) -> Table | Bag:
    """Read one document per line, blank lines as empty ones; UCI's files have their own reader."""
    if file.path.name.startswith(DOCWORD):
        return read_docword(file, reading)
    lines = [
        line.rstrip("\n").removesuffix("\r")
        for line in lines_of(file, reading.encoding, reading.skip_bad_rows)
    ]
    notes = [f"Each line of {file.name} is one document."]
    if reading.skip_bad_rows:
        bad = [number for number, line in enumerate(lines, start=1) if NO_CHARACTER in line]
        notes += left_out(len(bad), f"line {bad[0]:,}" if bad else "", file)
        lines = [line for line in lines if NO_CHARACTER not in line]
    return Table(pd.DataFrame({"text": lines}), notes, text="text")


def read_document(file: File, reading: Reading) -> str:
    """A whole file as one document; an empty one is an empty document."""
    return decode(read_bytes(file, may_be_empty=True), str(file), reading.encoding)
