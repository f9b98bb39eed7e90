"""The question before the first sum: could these totals be subtracted from earlier ones?

Parties that were in a session of other parties with any of the same documents add a random number
that isn't 0, all others 0. If the total isn't 0 all stop, and only a session that says that its
parties know of it (`roster_changed_know`) goes on; there the number is 0 for all, since the answer
wouldn't change anything.

What crosses: that at least one party says so, but not which. (From the size of the total one may
see that it isn't one alone.) It holds as long as one honest party of both sessions has its book:
not against parties with new keys, with a book that was restored from an old copy, or with documents
that were edited in between. A party that says yes without reason delays the others, no more.

In the same round parties count those among them that have few documents. Such a party hides the
others badly: with three, a total less one's own part is nearly that of the third.
"""

from __future__ import annotations

import hmac
import warnings
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from chatham.commons import Commons, Memory
from chatham.commons.fixed_point import LARGEST
from chatham.errors import SessionError
from chatham.learners.small_parties import FEW_DOCUMENTS
from chatham.notes import FewDocumentsWarning

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Past:
    """What a holder's book says of its documents: the rows of a commons, for one question."""

    is_elsewhere: bool
    """Whether any of them was, or may have been, in a session of other parties."""
    documents: int

    @property
    def shape(self) -> tuple[int, int]:
        """One row per document, of which nothing else is said."""
        return self.documents, 1


def ask(commons: Commons, roster_changed_know: bool) -> None:
    """Ask all parties in one round; all stop, or all are warned, or nobody is."""
    (number,), (small,) = commons.sum(tell_of_past, roster_changed_know)
    if number:
        raise SessionError(
            "Documents of at least one party were in a session of other parties, or its book can't "
            "rule that out; totals of the two could be subtracted, so all stop. Nothing else was "
            "sent. There are three ways on: other documents; the same parties as in that session; "
            "or, if all accept it, a new session made with 'chatham session "
            "--roster-changed-know'.",
            kind="roster",
        )
    if small:
        warnings.warn(_of_few(int(small), commons.holders), FewDocumentsWarning, stacklevel=3)


def tell_of_past(past: Past, memory: Memory, known: bool) -> tuple[Numbers, Numbers]:
    """Whether documents were with other parties (a random number, or 0); whether they are few."""
    yes = past.is_elsewhere and not known
    number = _random(memory) if yes else 0
    return np.array([number]), np.array([int(past.documents < FEW_DOCUMENTS)])


def _random(memory: Memory) -> int:
    """Not 0, of either sign, the same if the round is repeated after a crash; nobody else knows it.

    Two such numbers cancel out with a chance of 2⁻⁵³ even in the largest roster.
    """
    key = memory.secret or sha256(b"chatham holder %d" % memory.index).digest()
    drawn = hmac.digest(key, b"chatham past", "sha256")
    size = 1 + int.from_bytes(drawn[:16], "big") % (LARGEST // memory.holders)
    return size if drawn[16] % 2 else -size


def _of_few(small: int, parties: int) -> str:
    have = "has" if small == 1 else "have"
    return (
        f"{small} of the {parties} parties {have} fewer than {FEW_DOCUMENTS} documents (the sum "
        "doesn't say which), and so few hide nobody: a total less one's own part is then nearly "
        "that of the others alone, with three parties that of a single one. If that is too much, "
        "stop now; so far only this has left."
    )
