"""A hash of each document's content, the same whatever a session counts as a word.

It is of the text where there is one, with blanks folded, or where there was one when the documents
were read. Where words are counted already it is of the counts with their words; of a bare matrix,
of the counts with their columns.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from hashlib import sha256
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from chatham.corpus import Corpus

SHORT = 16
"""Bytes of a word's hash; what decides is the hash over all of a document's."""


def text_digests(texts: Iterable[str]) -> list[bytes]:
    """A hash of each text; nothing for one that is blank.

    >>> one, other, blank = text_digests(["Tea, please.", "Tea,  please.\\n", " "])
    >>> one == other, blank
    (True, b'')
    """
    folded = (" ".join(unicodedata.normalize("NFC", text).split()) for text in texts)
    return [
        _hash(b"text", text.encode("utf-8", "surrogatepass")) if text else b"" for text in folded
    ]


def document_digests(rows: Any) -> list[bytes]:
    """A hash of each document of a corpus, or of each row of a matrix; nothing for empty ones."""
    if not isinstance(rows, Corpus):
        counts = sp.csr_array(rows)
        columns = np.arange(counts.shape[1], dtype="<i8").view(np.uint8).reshape(-1, 8)
        return _of_counts(counts, b"columns", columns)
    if rows.texts is not None:
        return text_digests(rows.texts)
    if rows.digests is not None:
        return list(rows.digests)
    order = np.argsort(rows.vocabulary, kind="stable")
    words = [
        _hash(b"word", str(rows.vocabulary[i]).encode("utf-8", "surrogatepass")) for i in order
    ]
    short = np.frombuffer(b"".join(word[:SHORT] for word in words), np.uint8).reshape(-1, SHORT)
    return _of_counts(sp.csr_array(rows.counts)[:, order], b"words", short)


def _of_counts(counts: sp.csr_array, kind: bytes, names: Any) -> list[bytes]:
    """A row as its nonzero counts with the names of their columns, in the columns' order."""
    counts = counts.copy()
    counts.sum_duplicates()
    counts.eliminate_zeros()
    numbers, ends = counts.data.astype("<f8"), counts.indptr
    return [
        _hash(kind, names[counts.indices[a:b]].tobytes(), numbers[a:b].tobytes()) if a < b else b""
        for a, b in pairwise(ends)
    ]


def _hash(*parts: bytes) -> bytes:
    return sha256(b"".join(sha256(part).digest() for part in parts)).digest()
