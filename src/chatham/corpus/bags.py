"""Readers of counted words: UCI docword, Matrix Market and SciPy's .npz, with what lies beside."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from chatham.corpus.files import check_unpacked_size, ending, read_bytes, read_lines, stem
from chatham.corpus.sources import Bag
from chatham.corpus.tables import read_parquet
from chatham.corpus.triples import (
    MalformedError,
    check_shape,
    parse_docword,
    parse_matrix_market,
)
from chatham.errors import InputError

DOCWORD = "docword."
SAVED_LAYOUTS = ("csr", "csc", "coo")


def holds_counts(path: Path) -> bool:
    """Whether a file's name says that it has counted words, and not texts."""
    counts = ending(path) in (".npz", ".mtx") or path.name.startswith(DOCWORD)
    return counts and not path.is_dir()


def read_npz(path: Path, encoding: str | None = None) -> Bag:
    """Read a sparse matrix saved by SciPy; nothing in the file is ever run."""
    content = read_bytes(path)
    try:
        check_unpacked_size(path, _announced_size(content))
        counts = _load_sparse(content)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"The file {path} is damaged or holds no sparse matrix ({type(error).__name__}): "
            "write it with scipy.sparse.save_npz, in CSR form."
        ) from None
    return _with_neighbours(counts, path, encoding)


def _announced_size(content: bytes) -> int:
    # A member is never unpacked beyond the size it announces, so the announced sizes are enough.
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return sum(member.file_size for member in archive.infolist())


def _load_sparse(content: bytes) -> sp.csr_array:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        layout = arrays["format"].item()
        layout = layout.decode("ascii") if isinstance(layout, bytes) else layout
        if layout not in SAVED_LAYOUTS:
            raise MalformedError(layout)
        n_documents, n_words = (int(size) for size in arrays["shape"])
        check_shape(n_documents, n_words, int(arrays["data"].size))
    matrix = sp.load_npz(io.BytesIO(content))
    if layout != "coo":
        # Without the full check, a wrong index makes compiled code read outside its memory.
        matrix.check_format(full_check=True)
    return sp.csr_array(matrix)


def read_mtx(path: Path, encoding: str | None = None) -> Bag:
    """Read a Matrix Market file, documents by words."""
    try:
        counts = parse_matrix_market(read_bytes(path))
    except MalformedError as error:
        raise InputError(f"The file {path} isn't a Matrix Market file: {error}.") from None
    return _with_neighbours(counts, path, encoding)


def read_docword(path: Path, encoding: str | None = None) -> Bag:
    """Read UCI's bag of words."""
    try:
        counts = parse_docword(read_bytes(path))
    except MalformedError as error:
        raise InputError(f"The file {path} isn't a UCI docword file: {error}.") from None
    return _with_neighbours(counts, path, encoding)


def _with_neighbours(counts: object, path: Path, encoding: str | None) -> Bag:
    name = stem(path)
    short = name.removeprefix(DOCWORD)
    names = dict.fromkeys([f"{name}.vocab.txt", f"vocab.{short}.txt", f"{short}.vocab.txt"])
    candidates = [path.with_name(candidate) for candidate in names]
    found = next((candidate for candidate in candidates if candidate.is_file()), None)
    rows = path.with_name(f"{short}.meta.parquet")
    return Bag(
        counts,
        words=None if found is None else read_lines(found, encoding),
        rows=read_parquet(rows).frame if rows.is_file() else None,
        looked_for=[candidate.name for candidate in candidates],
        notes=[] if found is None else [f"The words are those of {found.name}."],
    )
