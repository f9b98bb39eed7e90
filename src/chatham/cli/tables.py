"""Tables as files: Parquet, CSV, TSV or JSON lines, by the file's extension."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.paths import check_file, unwritable
from chatham.interrupts import CUT_SHORT, SAVED, say_instead

if TYPE_CHECKING:
    import pandas as pd

WRITERS: dict[str, Callable[[Any, Any], None]] = {
    ".parquet": lambda table, path: table.to_parquet(path, index=False),
    ".csv": lambda table, path: table.to_csv(path, index=False, lineterminator="\n"),
    ".tsv": lambda table, path: table.to_csv(path, index=False, sep="\t", lineterminator="\n"),
    ".jsonl": lambda table, path: table.to_json(path, orient="records", lines=True,
                                                double_precision=15, force_ascii=False),
}  # fmt: skip


def check_table(path: Path | None) -> None:
    """Refuse a path without a known extension or that can't be written, before any work is done."""
    if path is not None and path.suffix.lower() not in WRITERS:
        raise typer.BadParameter(
            f"'{path}' must end in one of {', '.join(WRITERS)}, the formats of tables.",
            param_hint="-o",
        )
    check_file(path)


def write_table(table: pd.DataFrame, path: Path | None) -> None:
    """Write a table, in full or not at all; without a path, as CSV to standard output."""
    if path is None:
        say_instead(CUT_SHORT)
        WRITERS[".csv"](table, sys.stdout)
        return
    temporary = path.with_name(f".{uuid.uuid4().hex}{path.suffix}")
    try:
        WRITERS[path.suffix.lower()](table, temporary)
        os.replace(temporary, path)
        say_instead(SAVED.format(f"'{path}'"))
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)
