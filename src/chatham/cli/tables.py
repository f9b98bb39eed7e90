"""Tables as files: Parquet, CSV, TSV or JSON lines, as the ending says."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

WRITERS: dict[str, Callable[[Any, Any], None]] = {
    ".parquet": lambda table, place: table.to_parquet(place, index=False),
    ".csv": lambda table, place: table.to_csv(place, index=False, lineterminator="\n"),
    ".tsv": lambda table, place: table.to_csv(place, index=False, sep="\t", lineterminator="\n"),
    ".jsonl": lambda table, place: table.to_json(place, orient="records", lines=True,
                                                 double_precision=15, force_ascii=False),
}  # fmt: skip


def check_ending(path: Path | None) -> None:
    """Refuse a name that says no format, before any work is done."""
    if path is not None and path.suffix.lower() not in WRITERS:
        raise typer.BadParameter(
            f"'{path}' must end in {', '.join(WRITERS)}, which says what to write.",
            param_hint="-o",
        )
    if path is not None and not path.parent.is_dir():
        raise InputError(f"There is no folder '{path.parent}' to write '{path.name}' in; make it.")


def write_table(table: pd.DataFrame, path: Path | None) -> None:
    """Write a table, all or nothing; as CSV to standard output without a path."""
    if path is None:
        WRITERS[".csv"](table, sys.stdout)
        return
    temporary = path.with_name(f".{uuid.uuid4().hex}{path.suffix}")
    try:
        WRITERS[path.suffix.lower()](table, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
