"""Drawing one of k topics with vector instructions, sixteen topics at a time.

A draw needs the k products of eq. 1.14, their sum, and the topic at which a random share of the sum
falls. Topics are laid out in blocks of sixteen lanes, the blocks in two halves. Each lane keeps a
running sum over the blocks of a half, so no sum ever runs across lanes but one: first a lane is
drawn by the lanes' totals, then a block within the lane. There is no branch that depends on the
data, and no rounding that depends on the processor: LLVM's vectors become whatever vectors the
machine has, and sums are taken in a written order without fused or reordered arithmetic.

Changed entries are stored a whole block at a time: a processor hands a store on to the next load
only when the store covers the load, and waits many cycles otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

LANES = 16
_TWO_LINES = 128

_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_INDICES = ir.VectorType(_INT32, LANES)
_ZEROS = ir.Constant(_VECTOR, [0.0] * LANES)
_ONES = ir.Constant(_VECTOR, [1.0] * LANES)


def padded(width: int) -> int:
    """The width that `width` topics take: two halves of whole blocks.

    >>> padded(20), padded(33)
    (32, 64)
    """
    return -(-width // (2 * LANES)) * 2 * LANES


def aligned(*shape: int, dtype: Any = np.float32) -> NDArray[Any]:
    """Zeros whose blocks each lie in one cache line, in lines that they share with nothing else.

    Two threads that write to one line, or to neighbours fetched together, wait for each other.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    lines = -(-size // _TWO_LINES) * _TWO_LINES
    raw = np.zeros(lines + _TWO_LINES, np.uint8)
    start = -raw.ctypes.data % _TWO_LINES
    return raw[start : start + size].view(dtype).reshape(shape)


def scratch(width: int) -> NDArray[np.float32]:
    """Scratch space for the running sums of one draw among topics padded to `width`."""
    return aligned(width + LANES)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [offset])


def _load(builder: Any, pointer: Any) -> Any:
    return builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=4)


def _store(builder: Any, vector: Any, pointer: Any) -> None:
    builder.store(vector, builder.bitcast(pointer, _VECTOR.as_pointer()), align=4)


def _spread(builder: Any, scalar: Any) -> Any:
    undefined = ir.Constant(ir.VectorType(scalar.type, LANES), ir.Undefined)
    first = builder.insert_element(undefined, scalar, _INT32(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(_INDICES, [0] * LANES))


def _block_and_lane(builder: Any, topic: Any) -> tuple[Any, Any]:
    """Where the block of a topic starts, and a mask that is true in the topic's lane."""
    start = builder.and_(topic, _INT64(-LANES))
    lane = builder.trunc(builder.and_(topic, _INT64(LANES - 1)), _INT32)
    lanes = ir.Constant(_INDICES, list(range(LANES)))
    return start, builder.icmp_signed("==", lanes, _spread(builder, lane))


@intrinsic
def add_at(typing: Any, array: Any, start: Any, topic: Any, amount: Any) -> Any:
    """array[start + topic] += amount"""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, topic, amount = arguments
        block, in_lane = _block_and_lane(builder, topic)
        pointer = _pointer(context, builder, signature.args[0], array, builder.add(start, block))
        # A sum and not a choice between old and new: a choice would become a masked store.
        change = builder.select(in_lane, _spread(builder, amount), _ZEROS)
        _store(builder, builder.fadd(_load(builder, pointer), change), pointer)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, types.float32), generate


@intrinsic
def take_at(typing: Any, array: Any, start: Any, topic: Any, amount: Any) -> Any:
    """array[start + topic] = max(array[start + topic] - amount, 0)"""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, topic, amount = arguments
        block, in_lane = _block_and_lane(builder, topic)
        pointer = _pointer(context, builder, signature.args[0], array, builder.add(start, block))
        change = builder.select(in_lane, _spread(builder, amount), _ZEROS)
        left = builder.fsub(_load(builder, pointer), change)
        # Fractional weights round; what rounding leaves below zero is set to zero.
        left = builder.select(builder.fcmp_ordered(">", left, _ZEROS), left, _ZEROS)
        _store(builder, left, pointer)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64, types.float32), generate


@intrinsic
def put_at(typing: Any, array: Any, topic: Any, value: Any) -> Any:
    """array[topic] = value, for finite values."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, topic, value = arguments
        block, in_lane = _block_and_lane(builder, topic)
        pointer = _pointer(context, builder, signature.args[0], array, block)
        others = builder.fmul(_load(builder, pointer), builder.select(in_lane, _ZEROS, _ONES))
        new = builder.select(in_lane, _spread(builder, value), _ZEROS)
        _store(builder, builder.fadd(others, new), pointer)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.float32), generate


@intrinsic
def fetch_ahead(typing: Any, array: Any, start: Any, width: Any) -> Any:
    """Ask for array[start : start + width] to be brought near, without waiting for it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, width = arguments
        byte_pointer = ir.IntType(8).as_pointer()
        arguments_of = ir.FunctionType(ir.VoidType(), [byte_pointer, _INT32, _INT32, _INT32])
        prefetch = cgutils.get_or_insert_function(builder.module, arguments_of, "llvm.prefetch.p0")
        with cgutils.for_range(builder, builder.sdiv(width, _INT64(LANES))) as loop:
            offset = builder.add(start, builder.mul(loop.index, _INT64(LANES)))
            pointer = _pointer(context, builder, signature.args[0], array, offset)
            to_read, keep, data = _INT32(0), _INT32(3), _INT32(1)
            builder.call(prefetch, [builder.bitcast(pointer, byte_pointer), to_read, keep, data])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


@intrinsic
def _choose_lane(
    typing: Any, words: Any, row: Any, beta: Any, document: Any, alpha: Any, inverse: Any,
    sums: Any, half: Any, share: Any,
) -> Any:  # fmt: skip
    """The lane in which `share` of the sum of all products falls; leaves running sums in `sums`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, row, beta, document, alpha, inverse, sums, half, share = arguments
        kinds = dict(zip(("words", "row", "beta", "document", "alpha", "inverse", "sums"),
                         signature.args, strict=False))  # fmt: skip
        beta = _spread(builder, beta)
        totals = [cgutils.alloca_once_value(builder, _ZEROS) for _ in range(2)]

        def load(kind: str, array: Any, offset: Any) -> Any:
            return _load(builder, _pointer(context, builder, kinds[kind], array, offset))

        def keep(vector: Any, offset: Any) -> None:
            _store(builder, vector, _pointer(context, builder, kinds["sums"], sums, offset))

        # The halves' sums don't wait for each other, which halves the time they take.
        with cgutils.for_range(builder, builder.sdiv(half, _INT64(LANES))) as loop:
            first = builder.mul(loop.index, _INT64(LANES))
            for total, offset in zip(totals, (first, builder.add(first, half)), strict=True):
                of_word = builder.fadd(load("words", words, builder.add(row, offset)), beta)
                of_word = builder.fmul(of_word, load("inverse", inverse, offset))
                of_document = builder.fadd(
                    load("document", document, offset), load("alpha", alpha, offset)
                )
                product = builder.fmul(of_word, of_document)
                builder.store(builder.fadd(builder.load(total), product), total)
                keep(builder.load(total), offset)
        by_lane = builder.fadd(*(builder.load(total) for total in totals))
        keep(by_lane, builder.add(half, half))
        for step in (1, 2, 4, 8):
            shifted = [LANES] * step + list(range(LANES - step))
            by_lane = builder.fadd(
                by_lane, builder.shuffle_vector(by_lane, _ZEROS, ir.Constant(_INDICES, shifted))
            )
        everything = builder.shuffle_vector(
            by_lane, _ZEROS, ir.Constant(_INDICES, [LANES - 1] * LANES)
        )
        sought = builder.fmul(everything, _spread(builder, share))
        passed = builder.fcmp_ordered("<=", by_lane, sought)
        bits = builder.zext(builder.bitcast(passed, ir.IntType(LANES)), _INT64)
        return builder.ctpop(bits)

    scalar = types.float32
    signature = types.int64(
        words, types.int64, scalar, document, alpha, inverse, sums, types.int64, scalar
    )
    return signature, generate


@intrinsic
def _count_at_most(typing: Any, sums: Any, start: Any, blocks: Any, sought: Any) -> Any:
    """How many of the first `blocks` of sums[start], sums[start + 16], ... are at most `sought`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sums, start, blocks, sought = arguments
        count = cgutils.alloca_once_value(builder, _INT64(0))
        with cgutils.for_range(builder, blocks) as loop:
            offset = builder.add(start, builder.mul(loop.index, _INT64(LANES)))
            pointer = _pointer(context, builder, signature.args[0], sums, offset)
            # An atomic load is an ordinary one that LLVM doesn't turn into a slow gather.
            value = builder.load_atomic(pointer, "monotonic", 4)
            passed = builder.zext(builder.fcmp_ordered("<=", value, sought), _INT64)
            builder.store(builder.add(builder.load(count), passed), count)
        return builder.load(count)

    signature = types.int64(sums, types.int64, types.int64, types.float32)
    return signature, generate


@intrinsic
def _either(typing: Any, condition: Any, yes: Any, no: Any) -> Any:
    """`yes if condition else no`, without a branch."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    return yes(types.boolean, yes, yes), generate


@intrinsic
def _at(typing: Any, array: Any, index: Any) -> Any:
    """array[index] for an index that isn't negative."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index = arguments
        return builder.load(_pointer(context, builder, signature.args[0], array, index))

    return array.dtype(array, types.int64), generate


@intrinsic
def sum_lanes(typing: Any, array: Any, start: Any) -> Any:
    """The sum of array[start : start + 16], in a fixed order; after a draw with `choose`,
    `sum_lanes(sums, width)` is the sum of all products."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total = _load(builder, _pointer(context, builder, signature.args[0], *arguments))
        for step in (8, 4, 2, 1):
            turned = [(lane + step) % LANES for lane in range(LANES)]
            total = builder.fadd(
                total, builder.shuffle_vector(total, _ZEROS, ir.Constant(_INDICES, turned))
            )
        return builder.extract_element(total, _INT32(0))

    return types.float32(array, types.int64), generate


_STEP = np.float32(2.0**-24)
_NEARLY_ONE = np.float32(1 - 2.0**-24)


@njit(cache=True, nogil=True, inline="always")
def choose(words, row, beta, document, alpha, inverse, sums, bits):  # type: ignore[no-untyped-def]
    """Draw a topic t with probability proportional to
    (words[row + t] + beta) · inverse[t] · (document[t] + alpha[t]).

    `bits` are 64 random bits; padding topics have alpha, document and inverse zero.
    """
    width = np.int64(len(alpha))
    half = width // 2
    share = np.float32(np.int64(bits >> np.uint64(40))) * _STEP
    lane = min(_choose_lane(words, row, beta, document, alpha, inverse, sums, half, share), 15)
    # Where fewer than sixteen topics are given, rounding may end one lane too far.
    while lane > 0 and _at(sums, width + lane) == np.float32(0.0):
        lane -= 1
    sought = _at(sums, width + lane) * (np.float32(np.int64(bits & np.uint64(0xFFFFFF))) * _STEP)
    in_first = _at(sums, half - LANES + lane)
    # Strictly below the second half's sum, whatever was lost in the subtraction.
    in_second = min(sought - in_first, _at(sums, width - LANES + lane) * _NEARLY_ONE)
    is_second = sought >= in_first
    start = lane + _either(is_second, half, np.int64(0))
    sought = _either(is_second, in_second, sought)
    return start + LANES * _count_at_most(sums, start, half // LANES - 1, sought)
