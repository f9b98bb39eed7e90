"""Drawing the topic of one token for sixteen particles at once, one in each lane of a vector.

The lanes run down the topics together, each adding up the products

    P(w | t) · (N_t + α_t),    N_t how many other tokens of the particle have topic t,

and a second pass finds the topic at which a lane's random share of its own sum falls. Nothing is
ever added up across lanes and no branch depends on what a lane holds, so results are the same with
vectors of any width.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from chatham.numerics.lanes import LANES

_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_FLOATS, _INTS = ir.VectorType(ir.FloatType(), LANES), ir.VectorType(_INT32, LANES)
_NOTHING, _FIRST = ir.Constant(_FLOATS, [0.0] * LANES), ir.Constant(_INTS, [0] * LANES)

_NAMES = (
    "relative", "row", "alpha", "k", "topics", "place", "weight", "counts", "sums", "state",
)  # fmt: skip


class _Lanes:
    """Code for sixteen particles at once, over the arrays and numbers given by name."""

    def __init__(self, context: Any, builder: Any, kinds: dict[str, Any], given: dict[str, Any]):
        self.context, self.builder, self.kinds, self.given = context, builder, kinds, given

    def at(self, name: str, offset: Any) -> Any:
        array = self.context.make_array(self.kinds[name])(
            self.context, self.builder, self.given[name]
        )
        return self.builder.gep(array.data, [offset])

    def load(self, name: str, offset: Any, kind: Any = _FLOATS) -> Any:
        place = self.builder.bitcast(self.at(name, offset), kind.as_pointer())
        return self.builder.load(place, align=4)

    def store(self, name: str, offset: Any, vector: Any) -> None:
        place = self.builder.bitcast(self.at(name, offset), vector.type.as_pointer())
        self.builder.store(vector, place, align=4)

    def spread(self, scalar: Any) -> Any:
        undefined = ir.Constant(ir.VectorType(scalar.type, LANES), ir.Undefined)
        one = self.builder.insert_element(undefined, scalar, _INT32(0))
        return self.builder.shuffle_vector(one, undefined, _FIRST)


def _same(number: int) -> Any:
    return ir.Constant(_INTS, [number] * LANES)


def _add_up(lanes: _Lanes, old: Any, amount: Any) -> Any:
    """Take the token out of the counts; leave the products' running sums, and return the last."""
    builder, given = lanes.builder, lanes.given
    topic = cgutils.alloca_once_value(builder, _FIRST)
    total = cgutils.alloca_once_value(builder, _NOTHING)
    with cgutils.for_range(builder, given["k"]) as loop:
        place = builder.mul(loop.index, _INT64(LANES))
        here = builder.icmp_signed("==", old, builder.load(topic))
        builder.store(builder.add(builder.load(topic), _same(1)), topic)
        mine = builder.select(here, amount, _NOTHING)
        count = builder.fsub(lanes.load("counts", place), mine)
        # Fractional weights round; what rounding leaves below nothing is nothing.
        count = builder.select(builder.fcmp_ordered(">", count, _NOTHING), count, _NOTHING)
        lanes.store("counts", place, count)
        prior = lanes.spread(builder.load(lanes.at("alpha", loop.index)))
        chance = builder.load(lanes.at("relative", builder.add(given["row"], loop.index)))
        product = builder.fmul(builder.fadd(count, prior), lanes.spread(chance))
        builder.store(builder.fadd(builder.load(total), product), total)
        lanes.store("sums", place, builder.load(total))
    return builder.load(total)


def _next_shares(lanes: _Lanes) -> Any:
    """The next random number in [0, 1) of every lane, by xoshiro128+ (Blackman and Vigna)."""
    builder = lanes.builder
    s = [lanes.load("state", _INT64(part * LANES), _INTS) for part in range(4)]
    bits = builder.lshr(builder.add(s[0], s[3]), _same(8))
    shifted = builder.shl(s[1], _same(9))
    for into, what in ((2, 0), (3, 1), (1, 2), (0, 3)):
        s[into] = builder.xor(s[into], s[what])
    s[2] = builder.xor(s[2], shifted)
    s[3] = builder.or_(builder.shl(s[3], _same(11)), builder.lshr(s[3], _same(21)))
    for part in range(4):
        lanes.store("state", _INT64(part * LANES), s[part])
    return builder.fmul(builder.sitofp(bits, _FLOATS), ir.Constant(_FLOATS, [2.0**-24] * LANES))


def _settle(lanes: _Lanes, sought: Any, amount: Any) -> Any:
    """Put the token at the first topic whose running sum is beyond what is sought: that topic."""
    builder = lanes.builder
    new = cgutils.alloca_once_value(builder, _FIRST)
    before = cgutils.alloca_once_value(builder, amount)
    with cgutils.for_range(builder, lanes.given["k"]) as loop:
        place = builder.mul(loop.index, _INT64(LANES))
        passed = builder.fcmp_ordered("<=", lanes.load("sums", place), sought)
        builder.store(builder.add(builder.load(new), builder.zext(passed, _INTS)), new)
        after = builder.select(passed, amount, _NOTHING)
        stays = builder.fsub(builder.load(before), after)
        lanes.store("counts", place, builder.fadd(lanes.load("counts", place), stays))
        builder.store(after, before)
    return builder.load(new)


@intrinsic
def draw(
    typing: Any, relative: Any, row: Any, alpha: Any, k: Any, topics: Any, place: Any, weight: Any,
    counts: Any, sums: Any, state: Any,
) -> Any:  # fmt: skip
    """Draw the topic of one token anew in every lane; a token with topic -1 had none before.

    `relative` from `row` on are the token's word's k chances, `topics` from `place` on the lanes'
    topics for it; `counts` and `sums` are k × 16, and `state` is four rows of random state.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = dict(zip(_NAMES, arguments, strict=True))
        lanes = _Lanes(context, builder, dict(zip(_NAMES, signature.args, strict=True)), given)
        amount = lanes.spread(given["weight"])
        total = _add_up(lanes, lanes.load("topics", given["place"], _INTS), amount)
        sought = builder.fmul(total, _next_shares(lanes))
        lanes.store("topics", given["place"], _settle(lanes, sought, amount))
        return context.get_dummy_value()

    whole, single = types.int64, types.float32
    kinds = (relative, whole, alpha, whole, topics, whole, single, counts, sums, state)
    return types.void(*kinds), generate
