"""What an attack returns: words that are in one document, and why the attacker may be sure of it.

A certificate needs no truth. It says what an attacker sees (numbers that are whole, or that agree),
and how probable it is that any of what this attack finds looks so by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Kind = Literal["document", "group", "row"]

SURE = 1e-3
"""How probable it may be that any finding of an attack is there by chance."""
FEWEST = 50.0
"""Zeros of a probability that are told: models of chance aren't right to more."""
LEAST = 4
"""Words that make a group."""


@dataclass(frozen=True)
class Certificate:
    """Why it isn't chance: what was seen, and how probable that is if there is nothing."""

    seen: str
    log10_chance: float
    """The decimal logarithm of that probability; it may be too small for a float."""

    def __str__(self) -> str:
        exponent = -self.log10_chance
        if exponent < 2.0:
            return f"{self.seen}; by chance in {min(10.0**-exponent, 1.0):.0%} of cases"
        most = "less than " if exponent > FEWEST else ""
        return f"{self.seen}; by chance in {most}one case of 10^{min(exponent, FEWEST):.0f}"


@dataclass(frozen=True)
class Finding:
    """What an attack is sure of.

    A "document" has all words of one document, and their counts up to a common factor; a "group"
    words that are in one document together; a "row" all the words that occur in any document
    together with its first one.
    """

    kind: Kind
    words: tuple[int, ...]
    counts: tuple[int, ...] | None
    """How often each word occurs, up to a common factor; None if unknown."""
    length: int | None
    """How many words the document has, if that is known."""
    step: str
    """The step whose totals tell it."""
    certificate: Certificate


def whole_document(
    words: Any,
    counts: Any,
    step: str,
    certificate: Certificate,
    length: int | None = None,
) -> Finding:
    """A document, its words in ascending order."""
    order = np.argsort(np.asarray(words), kind="stable")
    numbers = tuple(int(count) for count in np.asarray(counts)[order])
    return Finding(
        "document", tuple(int(words[i]) for i in order), numbers, length, step, certificate
    )


def group_of(words: Any, step: str, certificate: Certificate, length: int | None = None) -> Finding:
    """Words of one document."""
    return Finding("group", tuple(sorted(map(int, words))), None, length, step, certificate)
