"""The computation itself, in one process: MPyC's runtime with one party, dealt many hands."""

import asyncio
from fractions import Fraction
from math import isqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("mpyc")

from chatham.federation.normed.protocol import ENTRY, HIDING, OUTPUT, PRECISION, Computation, Plan
from chatham.federation.normed.runtime import PRIME, Engine


class ManyHands:
    """The runtime, with the numbers that other parties would deal: no part, but all the noise."""

    def __init__(self, runtime, field, plan):
        self._runtime, self._field, self._plan = runtime, field, plan
        self._reshare = runtime._reshare
        self.opened = []

    async def input(self, numbers):
        hands = await self._runtime.input(numbers)
        for _ in range(self._plan.parties - 1):
            dealt = [0] * self._plan.length + self._plan.randomness()
            hands.append([self._field(number) for number in dealt])
        start = self._plan.length
        self.blurs = [
            sum(hand[start + i].value for hand in hands) for i in range(self._plan.length)
        ]
        return hands

    async def output(self, numbers):
        self.opened.append([number.value for number in numbers])
        return await self._runtime.output(numbers)


def run(vector, parties):
    """The direction, all that was opened on the way, and the blurs."""

    async def work():
        engine = Engine(0, 1)
        try:
            plan = Plan(parties, len(vector))
            computation = Computation(engine, plan)
            hands = ManyHands(engine.runtime, engine.field, plan)
            computation._runtime = hands
            return await computation.direction(vector), hands
        finally:
            engine.close()

    return asyncio.run(work())


def exact(hands, plan):
    """x without its blur, as a fraction of 1."""
    signed = [z if z < PRIME // 2 else z - PRIME for z in hands.opened[-1]]
    scale = 2**plan.scale
    return [Fraction(z - blur, scale) for z, blur in zip(signed, hands.blurs, strict=True)]


def inverse_length(vector):
    """1/‖s‖ to some 300 bits."""
    return Fraction(2**600, isqrt(sum(n * n for n in vector) << 1200))


most = 2**ENTRY - 1
vectors = st.one_of(
    st.lists(st.integers(-9, 9), min_size=1, max_size=5),
    st.lists(st.integers(-most, most), min_size=1, max_size=5),
    st.lists(st.sampled_from([0, 1, 2**30, most, -most]), min_size=1, max_size=20),
).filter(any)


@settings(max_examples=40, deadline=None)
@given(vectors, st.sampled_from([3, 4, 9, 200]))
def test_the_blur_hides_whatever_the_exact_number_would_show(vector, parties):
    """Sums of one direction open numbers that differ by less than 2^−HIDING of a blur."""
    _, hands = run(vector, parties)
    plan = Plan(parties, len(vector))
    inverse = inverse_length(vector)
    for entry, x in zip(vector, exact(hands, plan), strict=True):
        true = entry * inverse
        assert abs(x - true) <= abs(true) * Fraction(1, 2 ** (PRECISION + HIDING))


@settings(max_examples=20, deadline=None)
@given(vectors, st.sampled_from([3, 9, 200]))
def test_a_direction_is_off_by_no_more_than_was_said(vector, parties):
    found, _ = run(vector, parties)
    inverse = inverse_length(vector)
    bound = Fraction(parties, 2 ** (PRECISION + 1)) + Fraction(1, 2**OUTPUT)
    for entry, unit in zip(vector, found, strict=True):
        assert abs(Fraction(unit, 2**OUTPUT) - entry * inverse) <= bound


def test_a_sum_of_zeros_has_no_direction_and_breaks_nothing():
    found, _ = run([0] * 7, 3)
    assert max(map(abs, found)) <= 3 * 2 ** (OUTPUT - PRECISION - 1) + 1


def test_whatever_is_opened_before_the_end_is_masked():
    """Two runs of one sum open no number twice, and none that is small beside its mask."""
    first, second = run([3, -4, 12], 3)[1].opened, run([3, -4, 12], 3)[1].opened
    plan = Plan(3, 3)
    # Of the bits, of b and the first guess together, and of two numbers a step but the last.
    assert [len(numbers) for numbers in first] == [1, 2, *[1] * 9, 3]
    assert not {n for ns in first for n in ns} & {n for ns in second for n in ns}
    widths = [2 * plan.half, *(cut.size for cut in plan.cuts)]
    masked = [number for numbers in first[:-1] for number in numbers]
    assert all(n >> width > 2**20 for n, width in zip(masked, widths, strict=True))


def test_every_random_number_is_used_and_is_as_wide_as_planned():
    plan = Plan(5, 4)
    dealt = [plan.randomness() for _ in range(200)]
    assert {len(numbers) for numbers in dealt} == {plan.numbers - plan.length}
    assert all(abs(sign) == 1 for numbers in dealt for sign in numbers[4 : 4 + 2 * plan.half])
    widths = [plan.blur] * 4
    tail = [HIDING]
    for cut in plan.cuts:
        tail += [cut.size + HIDING - cut.drop, cut.drop]
    for numbers in zip(*dealt, strict=True):
        assert min(numbers) >= -1
    columns = list(zip(*dealt, strict=True))
    for column, width in zip(
        [*columns[:4], *columns[4 + 2 * plan.half :]], widths + tail, strict=True
    ):
        assert width - 8 <= max(column).bit_length() <= width


@pytest.mark.parametrize("parties", [3, 4, 5, 20, 200])
@pytest.mark.parametrize("length", [1, 2, 3, 1000, 2**20])
def test_nothing_is_wider_than_the_field(parties, length):
    plan = Plan(parties, length)
    assert length * (2**ENTRY - 1) ** 2 < 4**plan.half
    room = PRIME.bit_length() - 2
    assert 2 * plan.half + HIDING + plan.guard + 1 <= room
    for cut in plan.cuts:
        assert 0 < cut.drop < cut.size
        assert cut.size + HIDING + plan.guard + 1 <= room
    assert plan.scale + 2 <= room
