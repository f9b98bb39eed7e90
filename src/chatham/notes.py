"""What Chatham tells: notes on what was decided on the way, and warnings, each of a kind.

A note is a sentence, and compares and prints as one. Programs ask for its kind, never how it
begins.
"""

from __future__ import annotations

from typing import Any, Self

from chatham.wording import Sentence, sentence_of


class Note(Sentence):
    """A sentence about what was done, of a kind that programs can tell."""

    kind: str

    def __new__(cls, sentence: Any, kind: str = "") -> Self:
        """The note of a sentence, or of any text."""
        parts = sentence.parts if isinstance(sentence, Sentence) else (str(sentence),)
        note = super().__new__(cls, *parts)
        note.kind = kind
        return note


class ChathamWarning(UserWarning):
    """What a person should know although the work goes on; a kind of warning is a class of it."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that it speaks of."""
        return getattr(sentence_of(self), "parameters", ())
