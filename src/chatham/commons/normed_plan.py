"""What the parties of a normed sum know beforehand: how many numbers there are, and how wide.

The field has 255 bits. The widest number in it is b·r² before the last of Newton's steps, under its
mask: 78 + g bits of b, twice 44 + g of r, 40 of the mask, g of adding M masks up and 2 to spare,
where g is the number of bits of M; that is 208 + 4g.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from secrets import randbits

PRECISION, HIDING = 36, 40
ENTRY = 60
"""Bits of an entry of the sum."""
OUTPUT = PRECISION + 8
"""Fraction bits of the result; those beyond the blur only keep it whole."""
_GOOD = (12, 12, 16, 28, 44)
"""Fraction bits of r before each step; its good ones are 3, 6, 12, 23 and 42."""


@dataclass(frozen=True)
class Cut:
    """A truncation to come: a number below 2^size loses its lowest `drop` bits."""

    size: int
    drop: int


@dataclass(frozen=True)
class Plan:
    """What all parties know beforehand: how many numbers, and how wide each one is."""

    parties: int
    length: int

    @cached_property
    def half(self) -> int:
        """K: ‖s‖ is below 2ᴷ."""
        return ENTRY + -(-(self.length - 1).bit_length() // 2)

    @property
    def guard(self) -> int:
        """Bits that M parties' roundings can spoil."""
        return self.parties.bit_length()

    @property
    def fine(self) -> int:
        """Fraction bits of b/4ᴷ, and of the last correction."""
        return PRECISION + HIDING + 2 + self.guard

    @cached_property
    def scales(self) -> list[int]:
        """Fraction bits of r before each step."""
        return [good + self.guard for good in _GOOD]

    @cached_property
    def corrections(self) -> list[int]:
        """Fraction bits of the correction that each step makes."""
        return [*self.scales[1:], self.fine]

    @cached_property
    def cuts(self) -> list[Cut]:
        """All truncations, in the order of their use."""
        wide = 2 * self.half
        cuts = [Cut(wide, wide - self.fine), Cut(wide + 12, wide + 10 - self.scales[0])]
        for before, finer in zip(self.scales, self.corrections, strict=True):
            square = self.fine + 2 * before
            cuts += [Cut(square + 2, square - finer), Cut(before + finer + 6, before + 1)]
        return cuts[:-1]

    @property
    def scale(self) -> int:
        """Fraction bits of x, the direction before it is rounded."""
        return self.scales[-1] + self.fine + 1 + self.half

    @property
    def blur(self) -> int:
        """Each party's blur is below 2^blur."""
        return self.scale - PRECISION

    @property
    def numbers(self) -> int:
        """How many numbers each party deals out."""
        return 2 * self.length + 2 * self.half + 1 + 2 * len(self.cuts)

    def randomness(self) -> list[int]:
        """A party's own random numbers, from the operating system."""
        blurs = [randbits(self.blur) for _ in range(self.length)]
        signs = [2 * randbits(1) - 1 for _ in range(2 * self.half)]
        numbers = [*blurs, *signs, randbits(HIDING)]
        for cut in self.cuts:
            numbers += [randbits(cut.size + HIDING - cut.drop), randbits(cut.drop)]
        return numbers
