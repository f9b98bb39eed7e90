"""From drafts of questions to a task; chance that follows from what a question shows.

Nothing is drawn from a stream of random numbers: a hash of the seed and the content decides.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chatham.errors import InputError
from chatham.measures.intrusion.score import IntrusionTask, Key, Question, left_out
from chatham.measures.subject import Subject


@dataclass(frozen=True)
class Draft:
    """A question without its number, and its key; questions are asked in the order of `turn`."""

    turn: int
    options: tuple[str, ...]
    key: Key
    document: str = ""
    snippet: str | None = None


def task_of(
    kind: str, drafts: list[Draft], subject: Subject, skipped: Counter[str], setting: str
) -> IntrusionTask:
    """Put questions in their order and number them; `setting` says what each shows."""
    if not drafts:
        why = "; ".join(f"left out were {reason}" for reason in left_out(skipped))
        raise InputError(
            f"No question of {kind} intrusion that shows {setting} can be made: "
            f"{why or 'there are no documents'}; try a smaller number, or another model."
        )
    drafts = sorted(drafts, key=lambda draft: draft.turn)
    questions = tuple(
        Question(_id(kind, number, draft), draft.options, draft.document, draft.snippet)
        for number, draft in enumerate(drafts, start=1)
    )
    key = tuple(draft.key for draft in drafts)
    return IntrusionTask(kind, questions, key, subject.n_topics, dict(skipped))


def _id(kind: str, number: int, draft: Draft) -> str:
    """A number, and a mark of what is shown: answers to another task are noticed by it."""
    mark = digest(kind, draft.document, draft.options) & 0xFFFFFF
    return f"{kind[0]}{number}-{mark:06x}"


def turns(*about: Any) -> Callable[[str], int]:
    """A random order of strings that follows from what it is about."""
    return lambda item: digest("turn", *about, item)


def digest(*about: Any) -> int:
    """A number of 64 bits that follows from what it is about; text and numbers only."""
    written = json.dumps(about).encode("ascii")
    return int.from_bytes(hashlib.blake2b(written, digest_size=8).digest(), "big")
