"""Text formats of sparse counts: UCI docword and Matrix Market.

Matrix Market is parsed here and not by SciPy, whose reader crashes the whole process on some
damaged files. Nothing is allocated on the word of a header alone.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.naming import plural

LARGEST_SIDE = 2**31 - 1
ROWS_PER_COUNT = 1000


class MalformedError(ValueError):
    """A file that breaks its format; the message is the reason, to be put into a sentence."""


def check_shape(n_documents: int, n_words: int, n_counts: int) -> None:
    """Refuse sizes that can't be, or that would fill the memory with rows without words.

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
        places = _numbers(body, 2, np.int64)
        ones = np.ones((len(places), 1), dtype=np.int64)
        return _assemble(np.hstack([places, ones]), *sizes)
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
    rows, columns = _positions(triples[:, 0], n_documents), _positions(triples[:, 1], n_words)
    return sp.coo_array((triples[:, 2], (rows, columns)), shape=(n_documents, n_words))


def _positions(numbers: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Turn numbers from 1 into positions from 0, refusing those outside."""
    inside = (numbers >= 1) & (numbers <= size) & (numbers == np.floor(numbers))
    if not inside.all():
        raise MalformedError("a document or word number is outside what the header announces")
    return numbers.astype(np.int64) - 1
