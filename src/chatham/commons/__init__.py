"""The only interface to rows: steps go in, sums come out."""

from typing import Any

from chatham.commons.alone import Alone
from chatham.commons.interface import Commons
from chatham.commons.memory import Memory, keeps
from chatham.commons.recorded import Entry, Recorded
from chatham.commons.simulated import Simulated

__all__ = ["Alone", "Commons", "Entry", "Memory", "Recorded", "Simulated", "as_commons", "keeps"]


def as_commons(rows: Any) -> Commons:
    """A plain matrix as `Alone`; a commons as it is."""
    return rows if isinstance(rows, Commons) else Alone(rows)
