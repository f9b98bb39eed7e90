"""What Chatham reports: notes on what was decided on the way, and warnings, each of a kind.

A note is a sentence, and compares and prints as one. Programs look at its kind, never at its
wording.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Self

from chatham.wording import Sentence, sentence_of

STOP_WORDS = "stop words"
"""Which stop words were left out."""
NO_STOP_WORDS = "no stop words"
"""That none were, and perhaps why."""
VOCABULARY = "vocabulary"
"""That only the words of a vocabulary are counted."""
PRUNED = "pruned"
"""How many words are neither too rare nor too common."""
EMPTY = "empty"
"""How many documents have no word of the vocabulary."""

BASKETS = "baskets"
"""That items in baskets were read, since nothing looked like text."""


class Note(Sentence):
    """A sentence about what was done, with a kind for programs."""

    kind: str

    def __new__(cls, sentence: Any, kind: str = "") -> Self:
        """The note of a sentence, or of any text."""
        parts = sentence.parts if isinstance(sentence, Sentence) else (str(sentence),)
        note = super().__new__(cls, *parts)
        note.kind = kind
        return note


def without(notes: Collection[str], *kinds: str) -> list[str]:
    """The notes that are of none of these kinds.

    >>> without([Note("Kept 2 words.", PRUNED), "The ids are row numbers."], PRUNED, EMPTY)
    ['The ids are row numbers.']
    """
    return [note for note in notes if getattr(note, "kind", "") not in kinds]


class ChathamWarning(UserWarning):
    """What a person should know although the work continues; each kind of warning is a subclass."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that it mentions."""
        return getattr(sentence_of(self), "parameters", ())


class UnknownWordsWarning(ChathamWarning):
    """Words that a model doesn't know, or documents without any other, are left out."""


class IgnoredParametersWarning(ChathamWarning):
    """Parameters were given that have no effect where this fit is run."""


class FewDocumentsWarning(ChathamWarning):
    """A sum between parties is over so few documents that it reveals much about each."""
