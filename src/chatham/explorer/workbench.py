"""A model on the bench: what the page shows of it, and what people change while they look.

Names and edits go into the model's own folder, and nowhere else; what people think of a topic goes
into `judgements.sqlite`. One thing happens at a time.
"""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np

from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.explorer.cells import cells_of, offered_columns
from chatham.explorer.comparing import compared
from chatham.explorer.judgements import FILE, Judgements
from chatham.explorer.numbering import names_of, numbers_of
from chatham.explorer.prepare import Titles, as_json, name_topics, prepare
from chatham.explorer.scoring import scores_of
from chatham.explorer.shelf import Shelf
from chatham.model.folder import DESCRIPTION
from chatham.model.topic_model import TopicModel
from chatham.naming import path_shown

Json = dict[str, Any]


class Workbench:
    """A model, its documents if there are any, and the judgements about it."""

    def __init__(
        self,
        model: TopicModel,
        corpus: Corpus | None = None,
        folder: Path | None = None,
        judgements: Path | None = None,
        titles: Titles | None = None,
        other: TopicModel | None = None,
        other_title: str = "",
        more: Json | None = None,
    ) -> None:
        """`more` goes into the page's data: the `ledger` of a party, the `risks` of an audit."""
        self.model = model
        self.folder = folder
        self.titles = titles or Titles()
        self._lock = threading.RLock()
        self.shelf = None if corpus is None else Shelf.of(model, corpus)
        beside = judgements if judgements is not None or folder is None else folder / FILE
        self.judgements = Judgements(beside, arrays_hash(model))
        self._other, self._other_title = other, other_title
        self._more = more or {}
        self._known = self._in_folder()
        self._prepared: Json | None = None
        self._cells: dict[tuple[str, str], Json] = {}
        self._scores: Json | None = None

    def close(self) -> None:
        """Let go of the files."""
        self.judgements.close()

    @property
    def data(self) -> str:
        """What the page shows, as JSON."""
        with self._lock:
            if self._prepared is None:
                prepared = prepare(self.model, self.shelf, self.titles)
                prepared["compares"] = self._other is not None
                self._prepared = {**prepared, **self._more}
            return as_json(self._prepared)

    @property
    def said(self) -> Json:
        """What people said, and whether it is kept."""
        with self._lock:
            return {
                "topics": self.judgements.topics(),
                "answers": self.judgements.answers(),
                "kept": self.judgements.kept,
            }

    @property
    def table(self) -> str:
        """All judgements as CSV."""
        with self._lock:
            names = names_of(self.model)
            return self.judgements.as_csv(names)

    def documents(self, topic: int | None, start: int, n: int, query: str, word: str) -> Json:
        """A page of documents."""
        if topic is not None:
            self._check(topic)
        return self._documents().page(topic, start, n, query, word)

    def document(self, row: int, topic: int | None) -> Json:
        """One document."""
        shelf = self._documents()
        if not 0 <= row < len(shelf):
            raise InputError(f"There is no document {row:,}; there are {len(shelf):,}, from 0.")
        if topic is not None:
            self._check(topic)
        return shelf.document(row, topic)

    def cells(self, column: str, kind: str) -> Json:
        """Topics over time or by group, by one of the columns that are offered."""
        shelf = self._documents()
        if {"column": column, "kind": kind} not in offered_columns(shelf.corpus):
            raise InputError("Topics aren't shown by this column; choose one that is offered.")
        with self._lock:
            if (column, kind) not in self._cells:
                self._cells[column, kind] = cells_of(self.model, shelf.corpus, column, kind)
            return self._cells[column, kind]

    def scores(self) -> Json:
        """All measures that can be computed here."""
        with self._lock:
            if self._scores is None:
                corpus = None if self.shelf is None else self.shelf.corpus
                self._scores = scores_of(self.model, corpus)
            return self._scores

    def compared(self) -> Json:
        """This model beside the other."""
        if self._other is None:
            raise InputError("There is no other model: give one with --against.")
        with self._lock:
            return compared(self.model, self._other, self.titles.model, self._other_title)

    def name(self, topic: int, name: str | None) -> Json:
        """Give a topic a name, or take it back."""
        with self._lock:
            self._check(topic)
            self._check_alone()
            if name is None:
                if topic in self.model.names.given:
                    del self.model.names[topic]
            else:
                self.model.names[topic] = name
            if self._prepared is not None:  # nothing else of it follows from names
                name_topics(self._prepared["topics"], self.model)
            return self._saved()

    def edit(self, edit: str, topics: list[int]) -> Json:
        """Merge, drop or split topics, or undo the last of these."""
        with self._lock:
            for topic in topics:
                self._check(topic)
            self._check_alone()
            self._use(self._edited(edit, topics))
            return self._saved()

    def _edited(self, edit: str, topics: list[int]) -> TopicModel:
        if edit == "undo":
            return self.model.undo()
        if edit == "merge" and len(topics) > 1:
            return self.model.merge([topics])
        if edit == "drop" and topics:
            return self.model.drop(topics)
        if edit == "split" and len(topics) == 1:
            return self.model.split(topics[0], self._documents().corpus)
        raise InputError("An edit merges topics, drops some, splits one, or undoes the last.")

    def _use(self, model: TopicModel) -> None:
        shelf = self.shelf
        self.model = model
        self.shelf = None if shelf is None else Shelf.of(model, shelf.corpus)
        self._prepared, self._cells, self._scores = None, {}, None

    def _saved(self) -> Json:
        """Save the model, and say whether that could be done."""
        if self.folder is None:
            return {"kept": False}
        try:
            self.model.save(self.folder)
        except InputError:  # a folder that can't be written
            return {"kept": False}
        self._known = self._in_folder()
        return {"kept": True}

    def _in_folder(self) -> bytes | None:
        """What the folder's model says of itself, names and edits too."""
        try:
            return None if self.folder is None else (self.folder / DESCRIPTION).read_bytes()
        except OSError:
            return None

    def _check_alone(self) -> None:
        """Refuse to save over what somebody else has saved in the meantime."""
        if self._in_folder() != self._known:
            raise InputError(
                f"The model in {path_shown(self.folder)} was changed elsewhere since it was read, "
                "so nothing was saved over it; start the explorer again to see it as it is now."
            )

    def judge(self, topic: int, said: Json) -> Json:
        """Say something of a topic: its `rating`, `junk` or `note`; what isn't said stays, whoever
        said it."""
        with self._lock:
            self._check(topic)
            before = {each["topic"]: each for each in self.judgements.topics()}.get(topic, {})
            known = {"rating": None, "junk": False, "note": "", **before, **said}
            self.judgements.judge(topic, known["rating"], known["junk"], known["note"])
            return {"kept": self.judgements.kept}

    def answer(self, question: str, answer: str) -> Json:
        """Answer a question of word intrusion; the first answer counts."""
        with self._lock:
            asked = {each["id"]: each for each in json.loads(self.data)["intrusion"]}
            each = asked.get(question)
            if each is None or answer not in each["options"]:
                raise InputError("There is no such question, or no such answer to it.")
            self.judgements.answer(question, each["topic"], answer, each["intruder"])
            return {"kept": self.judgements.kept}

    def _documents(self) -> Shelf:
        if self.shelf is None:
            raise InputError("There are no documents: give them after the model.")
        return self.shelf

    def _check(self, topic: int) -> None:
        if topic not in numbers_of(self.model):
            raise InputError(f"There is no topic {topic} in this model.")


def arrays_hash(model: TopicModel) -> str:
    """What judgements are bound to: the hash of what was fitted, which no name or edit changes.

    Topics that edits made have numbers that no other topic had, so they share the file.
    """
    fitted = model._fitted
    parts = np.ascontiguousarray(fitted.components_), np.ascontiguousarray(fitted.prevalence_)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()
