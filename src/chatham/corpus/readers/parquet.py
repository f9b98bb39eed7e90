"""Reader of Parquet files."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from chatham.corpus.readers.files import File, check_unpacked_size, read_bytes
from chatham.corpus.readers.sources import Reading, Table, check_cells
from chatham.errors import InputError

BATCH = 4096
"""Rows that are unpacked before it is looked whether there is room for more."""


def read_parquet(file: File, reading: Reading) -> Table:
    """Read a Parquet file; its strings are UTF-8 by definition, so an encoding changes nothing."""
    if file.is_plain:
        next(file.blocks(), b"")  # says what is wrong with the path, if anything is
    is_filled = file.is_plain and file.path.stat().st_size
    source = str(file.path) if is_filled else io.BytesIO(read_bytes(file))
    try:
        return Table(_frame(file, source))
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"The file {file} is damaged or isn't Parquet ({type(error).__name__}): "
            "write or fetch it again."
        ) from None


def _frame(file: File, source: str | io.BytesIO) -> pd.DataFrame:
    """Batch by batch, as a value that is stored once can be that of a billion rows."""
    with pq.ParquetFile(source) as parquet:
        check_cells(file, parquet.metadata.num_rows, parquet.metadata.num_columns)
        batches, n_bytes = [], 0
        for batch in parquet.iter_batches(batch_size=BATCH):
            n_bytes += batch.nbytes
            check_unpacked_size(file.path, n_bytes)
            batches.append(batch)
        frame: pd.DataFrame = pa.Table.from_batches(batches, parquet.schema_arrow).to_pandas()
    return frame


def rows_beside(path: Path) -> pd.DataFrame | None:
    """The table that describes the rows of a file of counts, if there is one.

    >>> rows_beside(Path("nowhere.meta.parquet")) is None
    True
    """
    return read_parquet(File(path), Reading()).frame if path.is_file() else None
