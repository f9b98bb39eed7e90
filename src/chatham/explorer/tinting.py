"""A document's words with the topic that each is most likely from, and its best passage.

Given the document's weights, a word is from topic t with probability P(t | word, document) ∝
weight_t · P(word | t).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WORD = re.compile(r"[^\W_]+")
PASSAGE = 40
"""Words of a passage, known or not."""
SURE = 0.1
"""A topic that a word is less likely from isn't named with it."""


@dataclass(frozen=True)
class Piece:
    """A part of a text; `column` is the word's in the vocabulary, −1 for what is no known word."""

    text: str
    column: int = -1


def pieces_of(text: str, vectorizer: Any, column_of: dict[str, int]) -> list[Piece]:
    """A text in pieces, which joined are the text again.

    >>> [piece.column for piece in pieces_of("Tea, <b>milk</b>", None, {"tea": 0, "milk": 1})]
    [0, -1, 1, -1]
    """
    tokenizer = getattr(vectorizer, "tokenizer", None)
    pieces: list[Piece] = []
    begin = 0
    for found in WORD.finditer(text):
        column = _column(found[0], tokenizer, column_of)
        if column < 0:
            continue
        if found.start() > begin:
            pieces.append(Piece(text[begin : found.start()]))
        pieces.append(Piece(found[0], column))
        begin = found.end()
    if begin < len(text):
        pieces.append(Piece(text[begin:]))
    return pieces


def _column(written: str, tokenizer: Any, column_of: dict[str, int]) -> int:
    if tokenizer is not None and tokenizer.stops(written.lower()):
        return -1
    lowered = written.lower() if tokenizer is None or tokenizer.lowercase else written
    return column_of.get(lowered, column_of.get(written, -1))


def word_topics(weights: Array, topics: Array, columns: Sequence[int]) -> Array:
    """P(t | word, document) for each word (words×k); zeros where no topic has it."""
    joint = topics[:, list(columns)].T * weights
    totals = joint.sum(axis=1, keepdims=True)
    return np.divide(joint, totals, out=np.zeros_like(joint), where=totals > 0)


def tinted(
    text: str, weights: Array, model: Any, column_of: dict[str, int], numbers: Sequence[int]
) -> list[list[Any]]:
    """The pieces of a text for the page: [text], or [text, [[topic, probability], …]] of a word."""
    pieces = pieces_of(text, model.vectorizer, column_of)
    known = [piece.column for piece in pieces if piece.column >= 0]
    rows = iter(word_topics(weights, model.topics, known))
    return [
        [piece.text] if piece.column < 0 else [piece.text, _likely(next(rows), numbers)]
        for piece in pieces
    ]


def _likely(row: Array, numbers: Sequence[int]) -> list[list[float]]:
    order = np.argsort(-row, kind="stable")[:3]
    return [[numbers[t], round(float(row[t]), 4)] for t in order if row[t] >= SURE]


def best_passage(
    text: str, topic: int, weights: Array, model: Any, column_of: dict[str, int]
) -> tuple[int, int]:
    """Where the words of a text begin and end that are most likely from a topic (a row)."""
    spans = list(WORD.finditer(text))
    if not spans:
        return 0, min(len(text), 240)
    tokenizer = getattr(model.vectorizer, "tokenizer", None)
    columns = [_column(found[0], tokenizer, column_of) for found in spans]
    known = [column for column in columns if column >= 0]
    likely = iter(word_topics(weights, model.topics, known)[:, topic])
    worth = np.array([next(likely) if column >= 0 else 0.0 for column in columns])
    sums = np.concatenate([[0.0], np.cumsum(worth)])
    length = min(PASSAGE, len(spans))
    first = int(np.argmax(np.round(sums[length:] - sums[:-length], 12)))
    return spans[first].start(), spans[first + length - 1].end()
