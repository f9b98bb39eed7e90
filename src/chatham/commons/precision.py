"""The precision of a fixed-point sum: from what a learner knows to fraction bits; and its noise.

A learner knows how much one document adds to a cell at most (`most`) or how large a cell of the
total can become (`total`). A commons that adds up whole numbers knows the rest: the numbers of
documents and holders, and the maximum number of bits in the session. Sums whose bound follows from
neither have a fixed budget; these are all listed here, each with its reason.

Where holders add noise, digits far below it say nothing and aren't sent: each contribution is
rounded to steps of at most a sixteenth of the noise. So the low bits of a floating-point sum with
noise, which may give away what was added (Mironov, On significance of the least significant bits
for differential privacy, 2012), never leave. Noise for differential privacy is whole numbers of the
grid itself, and there the grid is so fine that rounding hardly adds to what a document changes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons.fixed_point import MOST_BITS, bits_for
from chatham.commons.privacy import FINEST
from chatham.errors import InputError
from chatham.wording import say


@dataclass(frozen=True)
class Budget:
    """A number of fraction bits fixed in advance, and the reason for it."""

    bits: int
    reason: str


Bound = float | Budget
Most = Bound | Sequence[Bound]
Total = float | None | Sequence[float | None]
Noise = float | Sequence[float]
Budgets = Budget | Sequence[Budget]

PAIRS = Budget(
    MOST_BITS, "two words co-occur far more rarely than there are documents: all bits there are"
)
PAIRS_BY_LENGTH = Budget(
    28, "pairs of words, those of a document adding up to its length: 2³² tokens"
)
PAIR_PRODUCTS = Budget(
    26, "products with mean co-occurrences, below one: as few as keep the anchors, since more tell"
)
NORM = Budget(22, "‖X‖² of a matrix used as it is, before its size is known: up to 2³⁸")
WORD_COUNTS = Budget(
    12, "counts of words up to 2⁴⁸: larger ones are refused with their own message"
)
EXPECTED_WORDS = Budget(
    28, "expected counts of words in a sweep of refinement: up to 2³² of one word"
)
MOMENTS = Budget(32, "products of two weights of a document, and weights: 2²⁸ documents")
PRIOR_TERMS = Budget(28, "a document's terms for α in a sweep of refinement, some tens each")
LOG_LIKELIHOOD = Budget(22, "the number of words and their log-likelihood in a sweep: up to 2³⁸")
DIRECTION = Budget(MOST_BITS, "an array that its learner has scaled: all bits there are")
BY_DOCUMENT = Budget(30, "a measure to which a document adds about one: 2³⁰ documents")
BY_LOGARITHM = Budget(26, "a measure to which a document adds logarithms, some tens")
BY_TOKEN = Budget(20, "a measure to which a token adds about one: 2⁴⁰ tokens")
HELD_OUT_SUMS = Budget(22, "log-likelihoods and lengths of held-out documents: up to 2³⁸")
HELD_OUT_SQUARES = Budget(8, "their squares, each as large as a document's length squared: to 2⁵²")


WIDEST = 20.0
"""No draw of noise is ever as large as so many of its standard deviations."""
STEPS = 16
"""How many steps of the grid there are, at least, to one standard deviation of noise."""


@dataclass(frozen=True)
class Precision:
    """What is known of the size of a sum's cells: one bound for all arrays, or one per array."""

    most: Most = 1.0
    """The most that one document adds to a cell, or a budget."""
    total: Total = None
    """The bound on a whole cell, where that is what is known; None where `most` is."""
    noise: Noise = 0.0
    """The standard deviation of the noise that every holder adds to a cell."""
    discrete: bool = False
    """Whether noise is whole numbers of the grid, for differential privacy."""

    def __post_init__(self) -> None:
        """Refuse what bounds nothing."""
        for deviation in _listed(self.noise):
            if not _is_bound(deviation) or not math.isfinite(deviation):
                raise InputError(
                    "The noise of a sum is a finite standard deviation of at least 0; got "
                    f"{deviation!r}."
                )
        for bound in (
            *_listed(self.most),
            *(each for each in _listed(self.total) if each is not None),
        ):
            if not isinstance(bound, Budget) and not _is_bound(bound):
                raise InputError(
                    f"How large a cell of a sum can be is a number of at least 0; got {bound!r}."
                )

    def bits(
        self, arrays: Sequence[NDArray[Any]], documents: int | None, holders: int, usual: int
    ) -> tuple[int, ...]:
        """The fraction bits of each array: none for whole numbers, never more than `usual`."""
        mosts, totals = _each(self.most, len(arrays)), _each(self.total, len(arrays))
        bits = []
        for array, most, total, noise in zip(
            arrays, mosts, totals, self.deviations(len(arrays)), strict=True
        ):
            if array.dtype.kind != "f":
                bits.append(0)
            elif self.discrete:
                room = _room_beside(noise, most, total, documents, holders)
                bits.append(_bits_of_grid(array.size, noise, min(room, usual)))
            else:
                room = min(_bits(most, total, documents, holders), usual)
                bits.append(min(room, _bits_beside(noise)))
        return tuple(bits)

    def deviations(self, arrays: int) -> Sequence[float]:
        """The standard deviation of each array's noise."""
        deviations: Sequence[float] = _each(self.noise, arrays)
        return deviations

    @property
    def noised(self) -> bool:
        """Whether any array has noise."""
        return any(deviation > 0 for deviation in _listed(self.noise))


def _listed(bound: Any) -> Sequence[Any]:
    return bound if isinstance(bound, list | tuple) else [bound]


def _is_bound(bound: Any) -> bool:
    whole = isinstance(bound, int | float | np.number) and not isinstance(bound, bool)
    return whole and bool(bound >= 0)  # not so for NaN


def _bits(
    most: Any, total: float | None, documents: int | None, holders: int, noise: float = 0.0
) -> int:
    """The fraction bits for which there is room; `noise` is the most that a holder may draw."""
    if total is not None:
        return bits_for(float(total) + noise, holders)
    if isinstance(most, Budget):
        return most.bits
    if documents is None:
        raise InputError(
            "How much a document adds to a sum says nothing before documents are counted; call "
            "commons.count() first, or give the bound of a whole cell as total=."
        )
    return bits_for(most * documents + noise, holders)


def _bits_beside(noise: float) -> int:
    """The fraction bits that are worth sending beside noise.

    >>> _bits_beside(0.2), _bits_beside(100.0), _bits_beside(0.0)
    (7, 0, 59)
    """
    if noise == 0:
        return MOST_BITS
    return min(max(math.ceil(math.log2(STEPS / noise)), 0), MOST_BITS)


def _room_beside(
    noise: float, most: Any, total: float | None, documents: int | None, holders: int
) -> int:
    """The fraction bits for which there is room beside discrete noise: as floats too, in which
    whole numbers of the grid are exact up to 2⁵³. That follows from what all know, never from the
    numbers themselves."""
    if noise == 0:
        raise InputError("A private fit would add up numbers without noise; give the sum some.")
    widest = WIDEST * noise
    room = _bits(most, total, documents, holders, widest)
    if total is None and not isinstance(most, Budget) and documents is not None:
        room = min(room, 53 - math.ceil(math.log2(most * documents + widest + 1)))
    return room


def _bits_of_grid(cells: int, noise: float, room: int) -> int:
    """The fraction bits of a grid so fine that rounding, which may move every cell by a step, moves
    an array by at most `FINEST` of the noise."""
    bits = math.ceil(math.log2(math.sqrt(cells) / (FINEST * noise)))
    if bits > room:
        raise InputError(
            say(
                "Noise of {noise:.3g} in each of {cells} cells needs {bits} fraction bits, and "
                "there is room for {room}; choose a smaller ε, or more {fraction_bits}.",
                noise=noise,
                cells=cells,
                bits=bits,
                room=room,
            )
        )
    return max(bits, 0)


def _each(bound: Any, arrays: int) -> Sequence[Any]:
    if not isinstance(bound, list | tuple):
        return [bound] * arrays
    if len(bound) != arrays:
        raise InputError(f"There are {len(bound)} bounds for {arrays} arrays.")
    return bound
