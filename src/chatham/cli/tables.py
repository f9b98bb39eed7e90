"""Tables as files: Parquet, CSV, TSV or JSON lines, as the ending says."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.places import check_file, unwritable

if TYPE_CHECKING:
    import pandas as pd

WRITERS: dict[str, Callable[[Any, Any], None]] = {
    ".parquet": lambda table, place: table.to_parquet(place, index=False),
    ".csv": lambda table, place: table.to_csv(place, index=False, lineterminator="\n"),
    ".tsv": lambda table, place: table.to_csv(place, index=False, sep="\t", lineterminator="\n"),
    ".jsonl": lambda table, place: table.to_json(place, orient="records", lines=True,
                                                 double_precision=15, force_ascii=False),
}  # fmt: skip


def check_table(path: Path | None) -> None:
    """Refuse a name that says no format or can't be written, before any work is done."""
    if path is not None and path.suffix.lower() not in WRITERS:
        raise typer.BadParameter(
            f"'{path}' must end in {', '.join(WRITERS)}, which says what to write.",
            param_hint="-o",
        )
    check_file(path)


def write_table(table: pd.DataFrame, path: Path | None) -> None:
    """Write a table, all or nothing; as CSV to standard output without a path."""
    if path is None:
        WRITERS[".csv"](table, sys.stdout)
        return
    temporary = path.with_name(f".{uuid.uuid4().hex}{path.suffix}")
    try:
        WRITERS[path.suffix.lower()](table, temporary)
        os.replace(temporary, path)
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)
