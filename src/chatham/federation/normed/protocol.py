"""The direction of a sum, computed on shares: NormedSecureSum of the thesis (Figure 2.3).

Every number is split among the M parties (Shamir; fewer than half of them learn nothing from their
shares). With s the sum of the parties' whole numbers, on shares throughout:

1. N = Σ sᵢ², and its bits, from N plus a random number whose bits are shared;
2. v = 2ᵉ, so that b = N·v² lies between a quarter of 4ᴷ and 4ᴷ, where 2ᴷ > ‖s‖;
3. r ≈ 2ᴷ/√b by Newton's steps r ← r·(3 − b·r²/4ᴷ)/2, each with twice as many good bits;
4. xᵢ = sᵢ·r·v = 2ᴷ·sᵢ/‖s‖ up to a relative error of 2^−(PRECISION + HIDING).

What is opened is x plus a blur: each party adds to each entry its own random number, uniform on a
window of 2^−PRECISION. So an entry is off by at most M·2^−(PRECISION + 1), and a blur that hides
the size of the steps hides what else the exact x would reveal about ‖s‖: two sums of the same
direction give views at a statistical distance of about √d·2^−HIDING. All else that is opened is a
number under a mask 2^HIDING times as wide.

How many numbers there are, and how wide each is, follows from M and d (`Plan`). The field has 255
bits. The widest number in it is b·r² before the last of Newton's steps, under its mask: 78 + g bits
of b, twice 44 + g of r, 40 of the mask, g for adding up M masks and 2 to spare, where g is the
number of bits of M; that is 208 + 4g.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from secrets import randbits
from typing import Any

from chatham.federation.normed.runtime import PRIME, Engine

PRECISION, HIDING = 36, 40
ENTRY = 60
"""Bits of an entry of the sum."""
OUTPUT = PRECISION + 8
"""Fraction bits of the result; those beyond the blur only keep it unrounded."""
_GOOD = (12, 12, 16, 28, 44)
"""Fraction bits of r before each step; of these 3, 6, 12, 23 and 42 are correct."""
_START = (7, 4, 312, 256)
"""Newton starts from c·(7/4 − b/4ᴷ), c = 312/256, off by 9 % at most between 1/4 and 1."""

Shares = list[int]


@dataclass(frozen=True)
class Cut:
    """A planned truncation: a number below 2^size loses its lowest `drop` bits."""

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
        """Bits that the roundings of M parties can affect."""
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
        """All truncations, in order of use."""
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
        """A party's random numbers, from the operating system."""
        blurs = [randbits(self.blur) for _ in range(self.length)]
        signs = [2 * randbits(1) - 1 for _ in range(2 * self.half)]
        numbers = [*blurs, *signs, randbits(HIDING)]
        for cut in self.cuts:
            numbers += [randbits(cut.size + HIDING - cut.drop), randbits(cut.drop)]
        return numbers


class Computation:
    """One normed sum at one party: a round of messages for each `await`."""

    def __init__(self, engine: Engine, plan: Plan) -> None:
        self._runtime, self._field, self._plan = engine.runtime, engine.field, plan
        self._threshold = engine.threshold
        self._cuts = iter(plan.cuts)

    async def direction(self, mine: Sequence[int]) -> list[int]:
        """s/‖s‖ in units of 2^−OUTPUT; close to 0 everywhere if s is 0."""
        vector, blurs = await self._deal(mine)
        square = await self._reshare([sum(entry * entry for entry in vector)])
        bits = await self._bits(square[0])
        scale, scale_squared = await self._normaliser(bits)
        (b,) = await self._multiply(square, [scale_squared])
        root = await self._inverse_root(b)
        (factor,) = await self._multiply([root], [scale])
        blurred = await self._reshare(
            [entry * factor + blur for entry, blur in zip(vector, blurs, strict=True)]
        )
        return self._rounded(await self._open(blurred))

    async def _deal(self, mine: Sequence[int]) -> tuple[Shares, Shares]:
        """Share my numbers; add up everybody's, but multiply signs."""
        plan, field = self._plan, self._field
        dealt = await self._runtime.input([field(n) for n in (*mine, *plan.randomness())])
        signs = slice(2 * plan.length, 2 * plan.length + 2 * plan.half)
        # One honest party among these makes a sign random.
        factors = [[n.value for n in hand[signs]] for hand in dealt[: self._threshold + 1]]
        total = [sum(n.value for n in position) % PRIME for position in zip(*dealt, strict=True)]
        self._signs = await self._product(factors)
        self._masks = iter(total[signs.stop :])
        return total[: plan.length], total[plan.length : 2 * plan.length]

    async def _product(self, factors: list[Shares]) -> Shares:
        while len(factors) > 1:
            half = len(factors) // 2
            rest = factors[2 * half :]
            left, right = [*chain(*factors[:half])], [*chain(*factors[half : 2 * half])]
            flat, width = await self._multiply(left, right), len(factors[0])
            factors = [flat[i : i + width] for i in range(0, len(flat), width)] + rest
        return factors[0]

    async def _bits(self, number: int) -> Shares:
        """The bits of N, lowest first: open N − R modulo 2ⁿ, then add R's bits to it."""
        half = (PRIME + 1) // 2  # the inverse of 2
        random = [(sign + 1) * half % PRIME for sign in self._signs]
        width = len(random)
        low = sum(bit << position for position, bit in enumerate(random))
        (opened,) = await self._open([number - low + ((next(self._masks) + 1) << width)])
        public = [opened >> position & 1 for position in range(width)]
        differ = [bit + k - 2 * k * bit for bit, k in zip(random, public, strict=True)]
        both = [bit * k for bit, k in zip(random, public, strict=True)]
        carries = [0, *(await self._carries(both, differ))[:-1]]
        crossed = await self._multiply(differ, carries)
        return [d + c - 2 * x for d, c, x in zip(differ, carries, crossed, strict=True)]

    async def _carries(self, generated: Shares, propagated: Shares) -> Shares:
        """Which positions of an addition carry, from which generate or propagate a carry."""

        async def join(left: list[Any], right: list[Any]) -> list[Any]:
            n = len(left)
            products = await self._multiply(
                [p for _, p in right] * 2, [g for g, _ in left] + [p for _, p in left]
            )
            return [(right[i][0] + products[i], products[n + i]) for i in range(n)]

        return [g for g, _ in await _scan(list(zip(generated, propagated, strict=True)), join)]

    async def _normaliser(self, bits: Shares) -> tuple[int, int]:
        """v and v², for the largest v = 2ᵉ with N·v² < 4ᴷ; 0 if N is 0."""
        low, high = bits[::2], bits[1::2]

        async def either(left: Shares, right: Shares) -> Shares:
            products = await self._multiply(left, right)
            return [a + b - c for a, b, c in zip(left, right, products, strict=True)]

        pairs = await either(low, high)
        reached = await _scan(pairs[::-1], either)
        first = [now - before for now, before in zip(reached, [0, *reached], strict=False)]
        power = sum(bit << e for e, bit in enumerate(first))
        return power % PRIME, sum(bit << 2 * e for e, bit in enumerate(first)) % PRIME

    async def _inverse_root(self, b: int) -> int:
        """2ᴷ/√b, by Newton's steps."""
        plan = self._plan
        constant, slope, factor, scale = _START
        unit = 1 << 2 * plan.half
        start = factor * (constant * unit - slope * b)
        assert slope * scale == 1 << 10
        fraction, root = await self._cut([b, start])
        for before, finer in zip(plan.scales, plan.corrections, strict=True):
            (squared,) = await self._multiply([root], [root])
            (near_one,) = await self._multiply([fraction], [squared])
            (error,) = await self._cut([(1 << plan.fine + 2 * before) - near_one])
            (change,) = await self._multiply([root], [error])
            root = (root << finer + 1) + change
            if finer != plan.fine:
                (root,) = await self._cut([root])
        return root

    async def _cut(self, numbers: Shares) -> Shares:
        """Numbers without their lowest bits, each off by less than M units in the last place."""
        cuts = [next(self._cuts) for _ in numbers]
        masks = [(next(self._masks), next(self._masks)) for _ in numbers]
        opened = await self._open(
            [
                number + (1 << cut.size) + (high << cut.drop) + low
                for number, cut, (high, low) in zip(numbers, cuts, masks, strict=True)
            ]
        )
        return [
            ((number >> cut.drop) - (1 << cut.size - cut.drop) - high) % PRIME
            for number, cut, (high, _) in zip(opened, cuts, masks, strict=True)
        ]

    def _rounded(self, blurred: list[int]) -> list[int]:
        """Without the blur's mean, in units of 2^−OUTPUT."""
        drop = self._plan.scale - OUTPUT
        shift = (1 << drop - 1) - (self._plan.parties << self._plan.blur - 1)
        signed = (entry if entry < PRIME // 2 else entry - PRIME for entry in blurred)
        return [entry + shift >> drop for entry in signed]

    async def _multiply(self, left: Shares, right: Shares) -> Shares:
        return await self._reshare([a * b for a, b in zip(left, right, strict=True)])

    async def _reshare(self, products: Shares) -> Shares:
        """Fresh shares of products: one round."""
        dealt = await self._runtime._reshare([self._field(number) for number in products])
        return [number.value for number in dealt]

    async def _open(self, numbers: Shares) -> list[int]:
        """The numbers themselves, revealed to everybody: one round."""
        opened = await self._runtime.output([self._field(number) for number in numbers])
        return [number.value for number in opened]


async def _scan(
    items: list[Any], join: Callable[[list[Any], list[Any]], Awaitable[list[Any]]]
) -> list[Any]:
    """All prefixes items[0] ∘ … ∘ items[i], in ⌈log₂ n⌉ rounds."""
    items, span = items[:], 1
    while span < len(items):
        indices = [i for i in range(len(items)) if i & span]
        left, right = [items[i // span * span - 1] for i in indices], [items[i] for i in indices]
        for i, joined in zip(indices, await join(left, right), strict=True):
            items[i] = joined
        span *= 2
    return items
