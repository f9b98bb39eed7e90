"""A word's leaning towards each topic, four topics at a time, summed in a written order.

Floating-point sums depend on their order, so a compiler takes a plain loop one number at a time.
Allowed to change the order (`fastmath`), it makes two loops, one of vectors and one of single
numbers; where the loop also stores, it chooses between them as the program runs, by whether the
arrays lie far enough apart in memory. The last bit then depends on where an allocator put small
arrays, and every thread has them elsewhere. Here the vectors are written out: the order depends on
the number of topics and on nothing else, not even on the processor. Nor is there anything left to
choose while the program runs, which is faster, most of all with few topics.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numpy.typing import NDArray

Array = NDArray[np.float64]

LANES = 4
"""Topics at a time: eight are no faster with many topics, and slower with few."""

_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_VECTOR, _INDICES = ir.VectorType(ir.DoubleType(), LANES), ir.VectorType(_INT32, LANES)
_ZEROS, _FIRST = ir.Constant(_VECTOR, [0.0] * LANES), ir.Constant(_INDICES, [0] * LANES)


def _check_rows(*rows: Any) -> None:
    """Vectors are read from memory as it is: anything but doubles side by side is refused."""
    if any((row.dtype, row.layout) != (types.float64, "C") for row in rows):
        raise TypingError(f"Rows of topics must be contiguous and of doubles, not {rows}.")


class _Lanes:
    """Code for four topics at once, over the arrays and numbers that a kernel takes."""

    def __init__(self, context: Any, builder: Any, kinds: Any, arguments: Any) -> None:
        self.context, self.builder, self.kinds, self.arguments = context, builder, kinds, arguments

    def spread(self, number: int) -> Any:
        first = self.builder.insert_element(_ZEROS, self.arguments[number], _INT32(0))
        return self.builder.shuffle_vector(first, _ZEROS, _FIRST)

    def load(self, number: int, topic: Any) -> Any:
        return self.builder.load(self._pointer(number, topic), align=8)

    def store(self, vector: Any, number: int, topic: Any) -> None:
        self.builder.store(vector, self._pointer(number, topic), align=8)

    def _pointer(self, number: int, topic: Any) -> Any:
        make = self.context.make_array(self.kinds[number])
        data = make(self.context, self.builder, self.arguments[number]).data
        return self.builder.bitcast(self.builder.gep(data, [topic]), _VECTOR.as_pointer())


@intrinsic
def _lean_in_lanes(
    typing: Any, leaning: Any, own: Any, word: Any, share: Any, chances: Any, whole: Any
) -> Any:
    """`lean` for the first `whole` topics, a multiple of four."""
    _check_rows(leaning, own, word, chances)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _Lanes(context, builder, signature.args, arguments)
        share, total = lanes.spread(3), cgutils.alloca_once_value(builder, _ZEROS)
        with cgutils.for_range(builder, builder.sdiv(arguments[5], _INT64(LANES))) as loop:
            topic = builder.mul(loop.index, _INT64(LANES))
            others = builder.fsub(lanes.load(0, topic), builder.fmul(share, lanes.load(1, topic)))
            chance = builder.fmul(others, lanes.load(2, topic))
            lanes.store(chance, 4, topic)
            builder.store(builder.fadd(builder.load(total), chance), total)
        sums = builder.load(total)
        a, b, c, d = (builder.extract_element(sums, _INT32(lane)) for lane in range(LANES))
        return builder.fadd(builder.fadd(a, c), builder.fadd(b, d))

    number = types.float64
    return number(leaning, own, word, number, chances, types.int64), generate


@intrinsic
def _take_in_lanes(
    typing: Any, chances: Any, scale: Any, count: Any, own: Any, counts: Any, whole: Any
) -> Any:
    """`take` for the first `whole` topics, a multiple of four."""
    _check_rows(chances, own, counts)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _Lanes(context, builder, signature.args, arguments)
        scale, count = lanes.spread(1), lanes.spread(2)
        with cgutils.for_range(builder, builder.sdiv(arguments[5], _INT64(LANES))) as loop:
            topic = builder.mul(loop.index, _INT64(LANES))
            chance = builder.fmul(lanes.load(0, topic), scale)
            lanes.store(chance, 3, topic)
            added = builder.fadd(lanes.load(4, topic), builder.fmul(count, chance))
            lanes.store(added, 4, topic)
        return context.get_dummy_value()

    number = types.float64
    return types.void(chances, number, number, own, counts, types.int64), generate


@njit(cache=True, nogil=True)
def lean(leaning: Array, own: Array, word: Array, share: float, chances: Array) -> float:
    """(leaning − share·own)·word into `chances`, and their sum; arrays are contiguous.

    With c for the chances, the sum is

        ((c₀ + c₄ + …) + (c₂ + c₆ + …)) + ((c₁ + c₅ + …) + (c₃ + c₇ + …))

    over whole fours of topics, to which up to three more are added one by one.
    """
    k = len(leaning)
    whole = k - k % LANES
    total = _lean_in_lanes(leaning, own, word, share, chances, whole)
    for topic in range(whole, k):
        chances[topic] = (leaning[topic] - share * own[topic]) * word[topic]
        total += chances[topic]
    return total


@njit(cache=True, nogil=True)
def take(chances: Array, scale: float, count: float, own: Array, counts: Array) -> None:
    """The word's own probabilities, chances·scale, and count times them added to `counts`."""
    k = len(chances)
    whole = k - k % LANES
    _take_in_lanes(chances, scale, count, own, counts, whole)
    for topic in range(whole, k):
        own[topic] = chances[topic] * scale
        counts[topic] += count * own[topic]
