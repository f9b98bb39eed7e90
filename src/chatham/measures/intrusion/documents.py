"""Documents for topic intrusion: which are asked about, and a question of one's topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from chatham.measures.evidence import corpus_in, plain_counts
from chatham.measures.intrusion.draft import Draft, digest, turns
from chatham.measures.intrusion.score import Key
from chatham.measures.subject import Subject, smoothed
from chatham.model.intake import is_texts
from chatham.numerics.keyed import row_keys

Array = NDArray[np.float64]

OWN = 0.01
"""The least weight of a topic that a document has: far less may be a learner's rounding."""

DOCUMENT_WORDS = 10
SNIPPET = 300
"""Characters of a text."""

BLOCK = 256
"""Documents that are weighed at a time, until there are enough questions."""


@dataclass(frozen=True, eq=False)
class Shelf:
    """Documents with words, each once, in the order in which they are looked at."""

    counts: sp.csr_array
    keys: NDArray[np.uint64]
    texts: list[str] | None
    vocabulary: NDArray[np.object_]
    empty: int


def shelf_of(documents: Any, subject: Subject, seed: int) -> Shelf:
    """Documents of any form; a random order that follows from the seed and what they say."""
    counts, _ = plain_counts(documents, subject)
    filled = np.flatnonzero(np.diff(counts.indptr))
    keys = row_keys(counts.indptr, counts.indices, counts.data, seed)[filled]
    keys, first = np.unique(keys, return_index=True)
    texts, rows = _texts(documents), filled[first]
    return Shelf(
        sp.csr_array(counts[rows]), keys, None if texts is None else [texts[row] for row in rows],
        subject.vocabulary, counts.shape[0] - len(filled),
    )  # fmt: skip


def _texts(documents: Any) -> list[str] | None:
    corpus = corpus_in(documents)
    if corpus is not None:
        return corpus.texts
    return [str(text) for text in documents] if is_texts(documents) else None


def weighed(shelf: Shelf, subject: Subject) -> Iterator[tuple[int, Array]]:
    """Documents with their weights; no more are weighed than are needed."""
    for start in range(0, len(shelf.keys), BLOCK):
        weights = subject.weights(shelf.counts[start : start + BLOCK])
        yield from enumerate(weights, start=start)


def topic_draft(
    shelf: Shelf, place: int, weights: Array, words: list[str], n_topics: int, smoothing: float
) -> Draft | str:
    """A question about a document, or why there is none."""
    named = [topic for topic, shown in enumerate(words) if shown]
    # Rounded, as weights that are alike may differ in their last digits.
    ranked = sorted(named, key=lambda topic: (-round(float(weights[topic]), 9), words[topic]))
    own, most = ranked[:n_topics], float(np.median(weights[named]))
    least = float(weights[own[-1]])
    if least < OWN:
        return "too_few_topics"
    told = {words[topic] for topic in own}
    strangers = [
        topic for topic in ranked[n_topics:]
        if weights[topic] <= min(least / 2, most) and words[topic] not in told
    ]  # fmt: skip
    if not strangers:
        return "no_intruder"
    key = int(shelf.keys[place])
    strangers.sort(key=words.__getitem__)
    stranger = strangers[digest("intruder", key) % len(strangers)]
    order = turns(key)
    options = sorted([*own, stranger], key=lambda topic: order(words[topic]))
    logs = np.log(smoothed(weights[None, :], smoothing)[0])
    odds = tuple(float(logs[stranger] - logs[topic]) for topic in options)
    answer = Key(options.index(stranger), stranger, odds)
    shown = tuple(words[topic] for topic in options)
    return Draft(key, shown, answer, _frequent(shelf, place), _snippet(shelf, place))


def _frequent(shelf: Shelf, place: int) -> str:
    """The document's most frequent words, alike ones by spelling."""
    cells = slice(*shelf.counts.indptr[place : place + 2])
    words = shelf.vocabulary[shelf.counts.indices[cells]]
    ranked = sorted(zip(-shelf.counts.data[cells], map(str, words), strict=True))
    return " ".join(word for _, word in ranked[:DOCUMENT_WORDS])


def _snippet(shelf: Shelf, place: int) -> str | None:
    if shelf.texts is None:
        return None
    text = " ".join(shelf.texts[place].split())
    return text if len(text) <= SNIPPET else f"{text[:SNIPPET].rsplit(' ', 1)[0]} …"
