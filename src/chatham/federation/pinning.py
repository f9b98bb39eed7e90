"""A hash that stands for a party's documents, so that they can't change within a session.

It covers everything that sums are made from: counts, words, texts and how they are tokenized, since
the words agreed on are counted in the texts; and the columns by which the session makes tables. Two
functions that split these texts in the same way
are the same here; one that splits a single text otherwise is another corpus.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from hashlib import sha256
from typing import Any

import numpy as np
import scipy.sparse as sp

from chatham.corpus.corpus import Corpus
from chatham.corpus.text.tokens import Tokenizer


def rows_hash(rows: Any, columns: Iterable[tuple[str, Iterable[str]]] = ()) -> bytes:
    """The hash of a matrix of counts, or of a corpus with its words and texts.

    `columns` are names, with a text for each document; without any, the hash is as it always was.

    >>> from chatham.corpus import read_corpus
    >>> tea, milk = ["green tea", "black tea"], ["green tea", "black tea, milk"]
    >>> both = [read_corpus(each, stop_words=None, vocabulary=["tea"]) for each in (tea, milk)]
    >>> both[0].counts.toarray().tolist() == both[1].counts.toarray().tolist()
    True
    >>> rows_hash(both[0]) == rows_hash(both[1])
    False
    """
    counts = sp.csr_array(rows.counts if isinstance(rows, Corpus) else rows)
    arrays = (np.asarray(counts.shape), counts.indptr, counts.indices, counts.data)
    parts = [np.ascontiguousarray(array).tobytes() for array in arrays]
    if isinstance(rows, Corpus):
        parts += [_hash_of(rows.vocabulary), _hash_of(rows.texts or ()), _tokenizing(rows)]
    parts += [_hash_of([name]) + _hash_of(values) for name, values in columns]
    return sha256(b"chatham rows" + b"".join(sha256(part).digest() for part in parts)).digest()


def _hash_of(texts: Iterable[Any]) -> bytes:
    """Each text is hashed by itself first: joined, two could read as one."""
    whole = sha256()
    for text in texts:
        whole.update(sha256(str(text).encode("utf-8", "surrogatepass")).digest())
    return whole.digest()


def _tokenizing(corpus: Corpus) -> bytes:
    """The tokenizer's settings. A user's function has no hash: what it makes of the texts has."""
    tokenizer = None if corpus.vectorizer is None else corpus.vectorizer.tokenizer
    if tokenizer is None:
        return b""
    plain = [(f.name, getattr(tokenizer, f.name)) for f in fields(Tokenizer) if f.name != "split"]
    settings = [(name, sorted(v) if isinstance(v, frozenset) else v) for name, v in plain]
    written = repr(settings).encode("utf-8", "surrogatepass")
    if tokenizer.split is None:
        return written
    return written + b"".join(_hash_of(tokenizer.words(text)) for text in corpus.texts or ())
