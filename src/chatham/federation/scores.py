"""What a session says about scores: which measures, and which documents are held out for them.

It is the session's `score`. Every party holds out the same share of its own documents, by the
session's seed, before anything is counted: neither the vocabulary nor the model sees them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chatham.corpus import Corpus
from chatham.errors import SessionError

LARGEST_SHARE = 0.5


@dataclass(frozen=True)
class ScoreRules:
    """A session's `score`, checked except for the measures' names (see `program.check_score`).

    >>> ScoreRules.of({"measures": ["perplexity"], "held_out": 0.2}).number_of(40)
    8
    """

    measures: tuple[str, ...] = ()
    held_out: float = 0.0

    @classmethod
    def of(cls, score: Mapping[str, Any]) -> ScoreRules:
        """Read and check what a session's file has under `score`."""
        if not score:
            return cls()
        names, share = score.get("measures", ()), score.get("held_out", 0.0)
        if set(score) - {"measures", "held_out"} or not _is_list_of_texts(names):
            raise SessionError(
                "The session's score must have measures, a list of names, and may have held_out, a "
                "share of the documents; nothing else."
            )
        if type(share) not in (int, float) or not 0 <= share <= LARGEST_SHARE:
            raise SessionError(
                f"The session's score has a held_out that isn't a share from 0 to {LARGEST_SHARE}."
            )
        return cls(tuple(names), float(share))

    def number_of(self, documents: int) -> int:
        """How many of this many documents are held out: never all of them."""
        return max(min(round(self.held_out * documents), documents - 1), 0)

    def split(self, corpus: Corpus, seed: int) -> tuple[Corpus, Corpus]:
        """A party's documents to fit, and those held out; the same every time."""
        number = self.number_of(len(corpus))
        if number == 0:
            return corpus, corpus.rows(slice(0))
        return corpus.split(number, random_state=seed)


def _is_list_of_texts(names: Any) -> bool:
    listed = isinstance(names, list | tuple) and bool(names)
    return listed and all(isinstance(name, str) for name in names)
