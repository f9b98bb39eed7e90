"""Readers of counted words: UCI docword, Matrix Market and SciPy's .npz, and files beside them.

Matrix Market is parsed here and not by SciPy, whose reader crashes the whole process on some
damaged files. Nothing is allocated on the word of a header alone.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.corpus.readers.files import File, check_unpacked_size, read_bytes, read_lines, stem
from chatham.corpus.readers.parquet import rows_beside
from chatham.corpus.readers.sources import Bag, Reading
from chatham.errors import InputError
from chatham.naming import plural

DOCWORD = "docword."
SAVED_LAYOUTS = ("csr", "csc", "coo")
LARGEST_SIDE = 2**31 - 1
ROWS_PER_COUNT = 1000


def read_npz(file: File, reading: Reading) -> Bag:
    """Read a sparse matrix saved by SciPy; nothing in the file is ever run."""
    content = read_bytes(file)
    try:
        check_unpacked_size(file.path, _announced_size(content))
        counts = _load_sparse(content)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"The file {file} is damaged or holds no sparse matrix ({type(error).__name__}): "
            "write it with scipy.sparse.save_npz, in CSR form."
        ) from None
    return _with_neighbours(counts, file.path, reading.encoding)


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


def read_mtx(file: File, reading: Reading) -> Bag:
    """Read a Matrix Market file, documents by words."""
    try:
        counts = parse_matrix_market(read_bytes(file))
    except MalformedError as error:
        raise InputError(f"The file {file} isn't a Matrix Market file: {error}.") from None
    return _with_neighbours(counts, file.path, reading.encoding)


def read_docword(file: File, reading: Reading) -> Bag:
    """Read UCI's bag of words."""
    try:
        counts = parse_docword(read_bytes(file))
    except MalformedError as error:
        raise InputError(f"The file {file} isn't a UCI docword file: {error}.") from None
    return _with_neighbours(counts, file.path, reading.encoding)


def _with_neighbours(counts: object, path: Path, encoding: str | None) -> Bag:
    name = stem(path)
    short = name.removeprefix(DOCWORD)
    names = dict.fromkeys([f"{name}.vocab.txt", f"vocab.{short}.txt", f"{short}.vocab.txt"])
    candidates = [path.with_name(candidate) for candidate in names]
    vocabulary_path = next((candidate for candidate in candidates if candidate.is_file()), None)
    rows = path.with_name(f"{short}.meta.parquet")
    return Bag(
        counts,
        words=None if vocabulary_path is None else read_lines(vocabulary_path, encoding),
        rows=rows_beside(rows),
        looked_for=[candidate.name for candidate in candidates],
        notes=[]
        if vocabulary_path is None
        else [f"The words are those of {vocabulary_path.name}."],
    )


class MalformedError(ValueError):
    """A file that breaks its format; the message is the reason, to be put into a sentence."""


def check_shape(n_documents: int, n_words: int, n_counts: int) -> None:
    """Refuse sizes that are impossible, or that would fill the memory with rows without words.

    >>> check_shape(3, 2, 4)
    """
    if not (0 <= n_documents <= LARGEST_SIDE and 0 <= n_words <= LARGEST_SIDE and n_counts >= 0):
        raise MalformedError("it announces an impossible number of documents or words")
    if n_documents > ROWS_PER_COUNT * (n_counts + ROWS_PER_COUNT):
        raise MalformedError(
            f"it announces {plural(n_documents, 'document')} and only "
            f"{plural(n_counts, 'count')} for them"
        )


def parse_docword(content: bytes) -> sp.coo_array:
    r"""Parse three lines D, W and NNZ, then lines ``document word count``.

    >>> parse_docword(b"2\n3\n2\n1 3 5\n2 1 1\n").toarray().tolist()
    [[0, 0, 5], [1, 0, 0]]
    """
    *sizes, body = [*content.split(b"\n", 3), b"", b"", b"", b""][:4]
    try:
        n_documents, n_words, n_counts = (int(size) for size in sizes)
    except ValueError:
        raise MalformedError("its first three lines must be the numbers D, W and NNZ") from None
    return _assemble(_numbers(body, 3, np.int64), n_documents, n_words, n_counts)


def parse_matrix_market(content: bytes) -> Any:
    r"""Parse a general Matrix Market file, coordinates or a full array.

    >>> head = b"%%MatrixMarket matrix coordinate integer general\n% a comment\n"
    >>> parse_matrix_market(head + b"2 3 2\n1 3 5\n2 1 1\n").toarray().tolist()
    [[0, 0, 5], [1, 0, 0]]
    """
    banner, _, rest = content.partition(b"\n")
    words = banner.decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise MalformedError("its first line must begin with %%MatrixMarket matrix")
    layout, field, symmetry = words[2:]
    if symmetry != "general" or field not in ("integer", "real", "double", "pattern"):
        raise MalformedError(f"counts must be general and integer or real, not {field} {symmetry}")
    sizes, body = _sizes_and_body(rest)
    if layout == "array" and len(sizes) == 2:
        return _full(body, *sizes)
    if layout != "coordinate" or len(sizes) != 3:
        raise MalformedError("its size line doesn't fit its layout")
    if field == "pattern":
        coordinates = _numbers(body, 2, np.int64)
        ones = np.ones((len(coordinates), 1), dtype=np.int64)
        return _assemble(np.hstack([coordinates, ones]), *sizes)
    return _assemble(_numbers(body, 3, np.int64 if field == "integer" else np.float64), *sizes)


def _sizes_and_body(rest: bytes) -> tuple[list[int], bytes]:
    line, _, rest = rest.partition(b"\n")
    while rest and (line.startswith(b"%") or not line.strip()):
        line, _, rest = rest.partition(b"\n")
    try:
        return [int(size) for size in line.split()], rest
    except ValueError:
        raise MalformedError("its size line must hold whole numbers") from None


def _full(body: bytes, n_documents: int, n_words: int) -> NDArray[np.float64]:
    values = _numbers(body, 1, np.float64)
    if len(values) != n_documents * n_words or n_documents < 0:
        raise MalformedError("it doesn't hold as many numbers as it announces")
    return values.reshape((n_documents, n_words), order="F")


def _numbers(body: bytes, n_columns: int, kind: type) -> NDArray[Any]:
    if not body.strip():
        return np.empty((0, n_columns), dtype=kind)
    try:
        frame = pd.read_csv(io.BytesIO(body), sep=r"\s+", header=None, dtype=kind)
    except Exception:
        frame = pd.DataFrame()
    if frame.shape[1] != n_columns:
        raise MalformedError(f"every line must hold {n_columns} numbers, and one doesn't")
    return frame.to_numpy()


def _assemble(triples: NDArray[Any], n_documents: int, n_words: int, n_counts: int) -> sp.coo_array:
    if len(triples) != n_counts:
        raise MalformedError(f"it announces {plural(n_counts, 'count')} and holds {len(triples):,}")
    check_shape(n_documents, n_words, n_counts)
    rows, columns = _indices(triples[:, 0], n_documents), _indices(triples[:, 1], n_words)
    return sp.coo_array((triples[:, 2], (rows, columns)), shape=(n_documents, n_words))


def _indices(numbers: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Turn numbers from 1 into indices from 0, refusing those outside."""
    inside = (numbers >= 1) & (numbers <= size) & (numbers == np.floor(numbers))
    if not inside.all():
        raise MalformedError("a document or word number is outside what the header announces")
    return numbers.astype(np.int64) - 1
