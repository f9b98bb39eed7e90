"""Particles that read a document from left to right: the inner loops of `left_to_right`.

A particle is a topic for every token read so far; sixteen of them are moved at once, one in each
lane of a vector. Draws are made in single precision, and the probabilities that are reported are in
double precision. The lanes run down the topics together, each adding up the products

    P(w | t) · (N_t + α_t),    N_t how many other tokens of the particle have topic t,

and a second pass finds the topic at which a lane's random share of its own sum falls. Nothing is
ever added up across lanes and no branch depends on what a lane holds, so results are the same with
vectors of any width.

Numba's cache of compiled code watches this file alone: after a change to `keyed` in a working copy,
touch this file too.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from chatham.numerics.keyed import GOLDEN, mix
from chatham.numerics.lanes import LANES, aligned

LOG, VARIANCE, SIZE, SHORTENED, IMPOSSIBLE = range(5)
"""What is estimated of a document: log p, the estimate's variance over runs, how many tokens were
read, and (0 or 1) whether it was cut short, and whether some word of it has probability zero."""


WORDS_AT_A_TIME = 2**10
_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_FLOATS, _INTS = ir.VectorType(ir.FloatType(), LANES), ir.VectorType(_INT32, LANES)
_NOTHING, _FIRST = ir.Constant(_FLOATS, [0.0] * LANES), ir.Constant(_INTS, [0] * LANES)
_NAMES = (
    "relative", "row", "alpha", "k", "topics", "start", "weight", "counts", "sums", "state",
)  # fmt: skip


class Bags(NamedTuple):
    """Documents as bags of words, and each one's key for its own randomness."""

    indptr: NDArray[np.int64]
    words: NDArray[np.int32]
    counts: NDArray[np.float64]
    keys: NDArray[np.uint64]


class Urns(NamedTuple):
    """Each word's probability in every topic, the same as a share of its highest, and alpha."""

    chances: NDArray[np.float64]
    relative: NDArray[np.float32]
    alpha: NDArray[np.float64]
    single_alpha: NDArray[np.float32]


def urns_of(
    topics: NDArray[np.float64], alpha: NDArray[np.float64], order: list[int], smoothing: float
) -> Urns:
    """Topics in the form that the kernels read: by word, in this order, smoothed.

    It takes one and a half times the topics' memory, and no more: words are written in blocks.
    """
    d, k = topics.shape[1], len(order)
    chances, relative = np.empty((d, k)), np.empty((d, k), np.float32)
    for first in range(0, d, WORDS_AT_A_TIME):
        block = slice(first, first + WORDS_AT_A_TIME)
        part = (1 - smoothing) * topics[order, block].T + smoothing / d
        highest = part.max(axis=1, keepdims=True)
        chances[block] = part
        # A draw needs proportions alone, and tiny numbers have few digits in single precision.
        relative[block] = part / np.where(highest > 0, highest, 1.0)
    ordered_alpha = alpha[order]
    return Urns(chances, relative.reshape(-1), ordered_alpha, ordered_alpha.astype(np.float32))


class Room(NamedTuple):
    """Scratch space for one thread."""

    words: NDArray[np.int32]
    weights: NDArray[np.float64]
    topics: NDArray[np.int32]
    chances: NDArray[np.float64]
    counts: NDArray[np.float32]
    sums: NDArray[np.float32]
    state: NDArray[np.uint32]


def room_for(tokens: int, read: int, k: int, particles: int) -> Room:
    """Space for a document with this many tokens, of which `read` are read."""
    return Room(
        np.empty(tokens, np.int32),
        np.empty(tokens),
        aligned(read * LANES, dtype=np.int32),
        np.empty((read, particles)),
        aligned(k * LANES),
        aligned(k * LANES),
        aligned(4 * LANES, dtype=np.uint32),
    )


@njit(cache=True, nogil=True)
def put_in_order(
    bags: Bags, i: int, longest: int, words: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[int, int]:
    """Fill in a document's tokens in an order drawn by its key; return how many are read, and all.

    A cell of 2.7 is two tokens of weight 1 and one of weight 0.7.
    """
    n = 0
    for cell in range(bags.indptr[i], bags.indptr[i + 1]):
        left = bags.counts[cell]
        while left > 0:
            words[n], weights[n] = bags.words[cell], min(left, 1.0)
            left, n = left - 1.0, n + 1
    state = mix(~bags.keys[i])
    read = min(n, longest)
    for token in range(read):
        state += GOLDEN
        share = (mix(state) >> np.uint64(32)) * np.uint64(n - token)
        other = token + np.int64(share >> np.uint64(32))
        words[token], words[other] = words[other], words[token]
        weights[token], weights[other] = weights[other], weights[token]
    return read, n


@njit(cache=True, nogil=True)
def _start(room: Room, key: np.uint64, read: int, first: int) -> None:
    """No token has a topic; each particle's random numbers follow from the document's key."""
    room.topics[: read * LANES] = -1
    room.counts[:] = 0
    for lane in range(LANES):
        for half in range(2):
            bits = mix(key + GOLDEN * np.uint64(2 * (first + lane) + half + 1))
            room.state[2 * half * LANES + lane] = np.uint32(bits >> np.uint64(32))
            room.state[(2 * half + 1) * LANES + lane] = np.uint32(bits & np.uint64(0xFFFFFFFF))


@njit(cache=True, nogil=True)
def _read(urns: Urns, read: int, resample: bool, room: Room, first: int, particles: int) -> None:
    """Read a document with up to sixteen particles; fills their columns of `room.chances`."""
    k, size, prior = len(urns.alpha), 0.0, urns.alpha.sum()
    for n in range(read):
        for token in range(0 if resample else n, n):
            draw(
                urns.relative, np.int64(room.words[token]) * k, urns.single_alpha, k, room.topics,
                token * LANES, np.float32(room.weights[token]), room.counts, room.sums, room.state,
            )  # fmt: skip
        word = room.words[n]
        for lane in range(min(particles - first, LANES)):
            chance = 0.0
            for t in range(k):
                chance += urns.chances[word, t] * (room.counts[t * LANES + lane] + urns.alpha[t])
            room.chances[n, first + lane] = chance / (size + prior)
        draw(
            urns.relative, np.int64(word) * k, urns.single_alpha, k, room.topics, n * LANES,
            np.float32(room.weights[n]), room.counts, room.sums, room.state,
        )  # fmt: skip
        size += room.weights[n]


@njit(cache=True, nogil=True)
def _sum_up(
    chances: NDArray[np.float64], weights: NDArray[np.float64], read: int,
    influence: NDArray[np.float64], estimates: NDArray[np.float64],
) -> None:  # fmt: skip
    """log p as the sum of the logs of the particles' mean; its variance by each one's influence.

    To first order the sum of logs is a mean over particles of Σ_n p_n / mean p_n.
    """
    particles = len(influence)
    influence[:] = 0
    estimates[:] = 0
    for n in range(read):
        mean = chances[n].mean()
        estimates[SIZE] += weights[n]
        if mean <= 0:
            estimates[IMPOSSIBLE] = 1
            continue
        estimates[LOG] += weights[n] * math.log(mean)
        for particle in range(particles):
            influence[particle] += weights[n] * (chances[n, particle] / mean - 1)
    if particles > 1:
        estimates[VARIANCE] = (influence**2).sum() / (particles * (particles - 1))


@njit(cache=True, nogil=True)
def estimate(
    bags: Bags, first: int, last: int, urns: Urns, resample: bool, longest: int, room: Room,
    estimates: NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill in the estimates (n×5) for documents first : last."""
    particles = room.chances.shape[1]
    influence = np.zeros(particles)
    for i in range(first, last):
        read, tokens = put_in_order(bags, i, longest, room.words, room.weights)
        for group in range(0, particles, LANES):
            _start(room, bags.keys[i], read, group)
            _read(urns, read, resample, room, group, particles)
        _sum_up(room.chances, room.weights, read, influence, estimates[i])
        estimates[i, SHORTENED] = read < tokens


class _Lanes:
    """Code for sixteen particles at once, over arrays and numbers by name."""

    def __init__(self, context: Any, builder: Any, kinds: dict[str, Any], values: dict[str, Any]):
        self.context, self.builder, self.kinds, self.values = context, builder, kinds, values

    def at(self, name: str, offset: Any) -> Any:
        array = self.context.make_array(self.kinds[name])(
            self.context, self.builder, self.values[name]
        )
        return self.builder.gep(array.data, [offset])

    def load(self, name: str, offset: Any, kind: Any = _FLOATS) -> Any:
        pointer = self.builder.bitcast(self.at(name, offset), kind.as_pointer())
        return self.builder.load(pointer, align=4)

    def store(self, name: str, offset: Any, vector: Any) -> None:
        pointer = self.builder.bitcast(self.at(name, offset), vector.type.as_pointer())
        self.builder.store(vector, pointer, align=4)

    def spread(self, scalar: Any) -> Any:
        undefined = ir.Constant(ir.VectorType(scalar.type, LANES), ir.Undefined)
        single = self.builder.insert_element(undefined, scalar, _INT32(0))
        return self.builder.shuffle_vector(single, undefined, _FIRST)


def _same(number: int) -> Any:
    return ir.Constant(_INTS, [number] * LANES)


def _add_up(lanes: _Lanes, old: Any, amount: Any) -> Any:
    """Take the token out of the counts; leave the products' running sums, and return the last."""
    builder, values = lanes.builder, lanes.values
    topic = cgutils.alloca_once_value(builder, _FIRST)
    total = cgutils.alloca_once_value(builder, _NOTHING)
    with cgutils.for_range(builder, values["k"]) as loop:
        offset = builder.mul(loop.index, _INT64(LANES))
        is_old = builder.icmp_signed("==", old, builder.load(topic))
        builder.store(builder.add(builder.load(topic), _same(1)), topic)
        removed = builder.select(is_old, amount, _NOTHING)
        count = builder.fsub(lanes.load("counts", offset), removed)
        # Fractional weights round; what rounding leaves below zero is zero.
        count = builder.select(builder.fcmp_ordered(">", count, _NOTHING), count, _NOTHING)
        lanes.store("counts", offset, count)
        prior = lanes.spread(builder.load(lanes.at("alpha", loop.index)))
        chance = builder.load(lanes.at("relative", builder.add(values["row"], loop.index)))
        product = builder.fmul(builder.fadd(count, prior), lanes.spread(chance))
        builder.store(builder.fadd(builder.load(total), product), total)
        lanes.store("sums", offset, builder.load(total))
    return builder.load(total)


def _next_shares(lanes: _Lanes) -> Any:
    """The next random number in [0, 1) of every lane, by xoshiro128+ (Blackman and Vigna)."""
    builder = lanes.builder
    s = [lanes.load("state", _INT64(part * LANES), _INTS) for part in range(4)]
    bits = builder.lshr(builder.add(s[0], s[3]), _same(8))
    shifted = builder.shl(s[1], _same(9))
    for target, source in ((2, 0), (3, 1), (1, 2), (0, 3)):
        s[target] = builder.xor(s[target], s[source])
    s[2] = builder.xor(s[2], shifted)
    s[3] = builder.or_(builder.shl(s[3], _same(11)), builder.lshr(s[3], _same(21)))
    for part in range(4):
        lanes.store("state", _INT64(part * LANES), s[part])
    return builder.fmul(builder.sitofp(bits, _FLOATS), ir.Constant(_FLOATS, [2.0**-24] * LANES))


def _settle(lanes: _Lanes, sought: Any, amount: Any) -> Any:
    """Put the token at the first topic whose running sum exceeds the one sought, and return it."""
    builder = lanes.builder
    new = cgutils.alloca_once_value(builder, _FIRST)
    before = cgutils.alloca_once_value(builder, amount)
    with cgutils.for_range(builder, lanes.values["k"]) as loop:
        offset = builder.mul(loop.index, _INT64(LANES))
        passed = builder.fcmp_ordered("<=", lanes.load("sums", offset), sought)
        builder.store(builder.add(builder.load(new), builder.zext(passed, _INTS)), new)
        after = builder.select(passed, amount, _NOTHING)
        stays = builder.fsub(builder.load(before), after)
        lanes.store("counts", offset, builder.fadd(lanes.load("counts", offset), stays))
        builder.store(after, before)
    return builder.load(new)


@intrinsic
def draw(
    typing: Any, relative: Any, row: Any, alpha: Any, k: Any, topics: Any, start: Any, weight: Any,
    counts: Any, sums: Any, state: Any,
) -> Any:  # fmt: skip
    """Resample the topic of one token in every lane; a token with topic -1 had none before.

    `relative` from `row` on are the token's word's k chances, `topics` from `start` on the lanes'
    topics for it; `counts` and `sums` are k × 16, and `state` is four rows of random state.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = dict(zip(_NAMES, arguments, strict=True))
        lanes = _Lanes(context, builder, dict(zip(_NAMES, signature.args, strict=True)), values)
        amount = lanes.spread(values["weight"])
        total = _add_up(lanes, lanes.load("topics", values["start"], _INTS), amount)
        sought = builder.fmul(total, _next_shares(lanes))
        lanes.store("topics", values["start"], _settle(lanes, sought, amount))
        return context.get_dummy_value()

    whole, single = types.int64, types.float32
    kinds = (relative, whole, alpha, whole, topics, whole, single, counts, sums, state)
    return types.void(*kinds), generate
