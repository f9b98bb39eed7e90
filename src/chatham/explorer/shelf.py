"""The documents behind the topics: their weights, and a page of them at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.corpus import Corpus
from chatham.documents.passages import best_passage, passage_place
from chatham.documents.tinting import tint, topics_of_words
from chatham.explorer.numbering import numbers_of
from chatham.explorer.tinting import likely, pieces_of
from chatham.measures.elsewhere.anything import as_subject
from chatham.measures.subject import Subject
from chatham.model.intake import (
    Where,
    as_matrix,
    is_read,
    is_texts,
    read_like_training,
)
from chatham.model.tinted import Tinted
from chatham.model.topic_model import TopicModel

Array = NDArray[np.float64]

MOST_AT_ONCE = 200
"""Documents that the page may ask for at a time."""
LISTED_WORDS = 12
LONGEST_TEXT = 200_000
"""Characters of a text that the page is given; a browser would choke on a whole archive."""
AROUND = 120
"""Characters on each side of what was searched for."""
LEAST_WEIGHT = 0.005
"""A topic with less of a document isn't among its mixture."""


def as_corpus(documents: Any, model: TopicModel) -> Corpus:
    """Documents of any form as a corpus that keeps its texts."""
    if isinstance(documents, Corpus):
        return documents
    if is_texts(documents) or is_read(documents, Where()):
        return read_like_training(documents, model.vocabulary, model.vectorizer, Where())
    words = np.array(list(map(str, model.vocabulary)))
    return Corpus(as_matrix(documents), words)


@dataclass(frozen=True, eq=False)
class Shelf:
    """A corpus seen through a model; its rows are the documents, the empty ones too."""

    model: TopicModel
    corpus: Corpus
    counts: Any
    """Over the model's words."""
    weights: Array
    longest: int = LONGEST_TEXT
    """Characters of a text that are shown."""

    @classmethod
    def of(cls, model: TopicModel, documents: Any) -> Shelf:
        """Take documents of any form in, and find their weights."""
        corpus = as_corpus(documents, model)
        counts = model._take_in(corpus).counts
        return cls(model, corpus, counts, model._weights_of(counts))

    def __len__(self) -> int:
        """Count the documents."""
        return len(self.corpus)

    @cached_property
    def column_of(self) -> dict[str, int]:
        """The column of each word of the model."""
        return {str(word): column for column, word in enumerate(self.model.vocabulary)}

    @cached_property
    def numbers(self) -> list[int]:
        """The topics' numbers."""
        return numbers_of(self.model)

    @cached_property
    def empty(self) -> NDArray[np.bool_]:
        """Which documents have no word of the model, and so no topic more than others."""
        return np.asarray(self.counts.sum(axis=1)).ravel() == 0

    @cached_property
    def _columns(self) -> Any:
        return self.counts.tocsc()

    @property
    def has_texts(self) -> bool:
        """Whether there is anything to read."""
        return self.corpus.texts is not None

    def text(self, row: int) -> str:
        """A document's text; of one that was given as words, its words."""
        texts = self.corpus.texts
        return "" if texts is None else str(texts[row])

    def tint(self, row: int) -> Tinted:
        """The beginning of a document's text, with the topics of its words."""
        text: Any = [] if self.corpus.texts is None else self.corpus.texts[row]
        kept = text[: self.longest] if len(text) > self.longest else text
        return tint(self._subject, kept, self.weights[row])

    @cached_property
    def _subject(self) -> Subject:
        return as_subject(self.model)

    def find(self, topic: int | None, query: str, word: str) -> NDArray[np.int64]:
        """The rows of documents that say `query` and have `word`, those with most of a topic first.

        Without a topic they are in their own order. `topic` is a number.
        """
        rows = np.arange(len(self))
        if word:
            column = self.column_of.get(word, -1)
            rows = self._with(column) if column >= 0 else rows[:0]
        if query:
            rows = np.array([row for row in rows if self._says(int(row), query)], dtype=np.int64)
        if topic is None:
            return rows.astype(np.int64)
        own = self.weights[rows, self.numbers.index(topic)]
        own = np.where(self.empty[rows], -1.0, own)
        return rows[np.argsort(-own, kind="stable")].astype(np.int64)

    def _with(self, column: int) -> NDArray[np.int64]:
        begin, end = self._columns.indptr[column : column + 2]
        return np.sort(self._columns.indices[begin:end]).astype(np.int64)

    def _says(self, row: int, query: str) -> bool:
        wanted = query.casefold()
        return wanted in self.text(row).casefold() or wanted == str(self.corpus.ids[row]).casefold()

    def page(
        self, topic: int | None, start: int, n: int, query: str = "", word: str = ""
    ) -> dict[str, Any]:
        """Some of the documents that were found, and how many there are in all."""
        rows = self.find(topic, query.strip(), word)
        shown = rows[max(start, 0) : max(start, 0) + min(max(n, 1), MOST_AT_ONCE)]
        listed = [self._line(int(row), topic, query.strip() or word) for row in shown]
        return {"total": len(rows), "start": start, "documents": listed}

    def _line(self, row: int, topic: int | None, said: str) -> dict[str, Any]:
        """A document in a list."""
        weights = self.weights[row]
        shown = int(weights.argmax()) if topic is None else self.numbers.index(topic)
        return {
            **self._about(row),
            "topic": self.numbers[shown],
            "weight": float(weights[shown]),
            "passage": self._passage(row, shown, said),
        }

    def _about(self, row: int) -> dict[str, Any]:
        labels = self.corpus.labels
        label = None if labels is None or labels[row] is None else _written(labels[row])
        return {
            "row": row,
            "id": str(self.corpus.ids[row]),
            "label": label,
            "empty": bool(self.empty[row]),
        }

    def _passage(self, row: int, topic: int, said: str) -> str:
        text = self.text(row)
        if not self.has_texts:
            return " ".join(self._frequent(row))
        place = text.casefold().find(said.casefold()) if said else -1
        if place < 0:
            return best_passage(self.tint(row), topic).text
        begin, end = max(place - AROUND, 0), min(place + len(said) + AROUND, len(text))
        cut = " ".join(text[begin:end].split())
        return f"{'… ' if begin > 0 else ''}{cut}{' …' if end < len(text) else ''}"

    def _frequent(self, row: int) -> list[str]:
        """The most frequent words of a document that has no text; ties by spelling."""
        counts = self.counts[[row]].tocoo()
        words = [str(self.model.vocabulary[column]) for column in counts.coords[1]]
        ranked = sorted(zip((-counts.data).tolist(), words, strict=True))
        return [word for _, word in ranked[:LISTED_WORDS]]

    def document(self, row: int, topic: int | None) -> dict[str, Any]:
        """One document to read: its mixture, its words with their topics, and its best passage."""
        weights = self.weights[row]
        shown = int(weights.argmax()) if topic is None else self.numbers.index(topic)
        return {
            **self._about(row),
            "topic": self.numbers[shown],
            "columns": self._columns_of(row),
            "mixture": self.mixture(row),
            **(self._reading(row, shown) if self.has_texts else self._counted(row)),
        }

    def _reading(self, row: int, topic: int) -> dict[str, Any]:
        document = self.tint(row)
        begin, end = passage_place(document, topic)
        return {
            "pieces": pieces_of(document),
            "passage": _units(document.text[:begin]),
            "passage_end": _units(document.text[:end]),
            "cut": len(document.text) < len(self.text(row)),
        }

    def _counted(self, row: int) -> dict[str, Any]:
        """What there is to read of a document without a text: its most frequent words."""
        words = self._frequent(row)
        columns = np.array([self.column_of[word] for word in words], dtype=np.int64)
        rows = topics_of_words(self.model.topics, self.weights[row], columns)
        pieces: list[list[Any]] = []
        for word, topics in zip(words, likely(rows, self.numbers), strict=True):
            pieces += [[" "]] if pieces else []
            pieces.append([word, topics])
        return {"pieces": pieces, "passage": -1, "passage_end": -1, "cut": False}

    def mixture(self, row: int) -> list[list[float]]:
        """The topics of a document, the largest first: number and weight."""
        weights = self.weights[row]
        order = np.argsort(-weights, kind="stable")
        return [[self.numbers[t], float(weights[t])] for t in order if weights[t] >= LEAST_WEIGHT]

    def _columns_of(self, row: int) -> list[list[str]]:
        values = self.corpus.metadata.iloc[row]
        return [
            [str(name), str(value)[:500]]
            for name, value in values.items()
            if not (pd.api.types.is_scalar(value) and pd.isna(value))
        ]


def _written(label: Any) -> str:
    return ", ".join(map(str, label)) if isinstance(label, list | tuple | set) else str(label)


def _units(text: str) -> int:
    """The length of a text as a browser counts it: in units of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
