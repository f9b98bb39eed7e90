"""Particles that read a document from left to right: the inner loops of `left_to_right`.

A particle is a topic for every token read so far; sixteen of them are moved at once. Draws are made
in single precision, and the probabilities that are reported are in double precision.

Numba's cache of compiled code watches this file alone: after a change to `particle_draws` or
`keyed` in a working copy, touch this file too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from chatham.measures.held_out.particle_draws import draw
from chatham.numerics.keyed import GOLDEN, mix
from chatham.numerics.lanes import LANES, aligned

LOG, VARIANCE, SIZE, SHORTENED, IMPOSSIBLE = range(5)
"""What is found for a document: log p, the estimate's variance over runs, how many tokens were
read, and (0 or 1) whether it was cut short, and whether some word of it can't be uttered."""


WORDS_AT_A_TIME = 2**10


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

    It takes half as much again as the topics do, and no more: some words are written at a time.
    """
    d, k = topics.shape[1], len(order)
    chances, relative = np.empty((d, k)), np.empty((d, k), np.float32)
    for first in range(0, d, WORDS_AT_A_TIME):
        some = slice(first, first + WORDS_AT_A_TIME)
        part = (1 - smoothing) * topics[order, some].T + smoothing / d
        highest = part.max(axis=1, keepdims=True)
        chances[some] = part
        # A draw needs proportions alone, and tiny numbers have few digits in single precision.
        relative[some] = part / np.where(highest > 0, highest, 1.0)
    own = alpha[order]
    return Urns(chances, relative.reshape(-1), own, own.astype(np.float32))


class Room(NamedTuple):
    """Scratch for one thread."""

    words: NDArray[np.int32]
    weights: NDArray[np.float64]
    topics: NDArray[np.int32]
    chances: NDArray[np.float64]
    counts: NDArray[np.float32]
    sums: NDArray[np.float32]
    state: NDArray[np.uint32]


def room_for(tokens: int, read: int, k: int, particles: int) -> Room:
    """Room for a document of so many tokens, of which so many are read."""
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
    """Fill in a document's tokens in an order drawn by its key: how many are read, and there are.

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
    for place in range(read):
        state += GOLDEN
        share = (mix(state) >> np.uint64(32)) * np.uint64(n - place)
        other = place + np.int64(share >> np.uint64(32))
        words[place], words[other] = words[other], words[place]
        weights[place], weights[other] = weights[other], weights[place]
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
        for place in range(0 if resample else n, n):
            draw(
                urns.relative, np.int64(room.words[place]) * k, urns.single_alpha, k, room.topics,
                place * LANES, np.float32(room.weights[place]), room.counts, room.sums, room.state,
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
    pull: NDArray[np.float64], found: NDArray[np.float64],
) -> None:  # fmt: skip
    """log p as the sum of the logs of the particles' mean; its variance by each particle's pull.

    To first order the sum of logs is a mean over particles of Σ_n p_n / mean p_n.
    """
    particles = len(pull)
    pull[:] = 0
    found[:] = 0
    for n in range(read):
        mean = chances[n].mean()
        found[SIZE] += weights[n]
        if mean <= 0:
            found[IMPOSSIBLE] = 1
            continue
        found[LOG] += weights[n] * math.log(mean)
        for particle in range(particles):
            pull[particle] += weights[n] * (chances[n, particle] / mean - 1)
    if particles > 1:
        found[VARIANCE] = (pull**2).sum() / (particles * (particles - 1))


@njit(cache=True, nogil=True)
def estimate(
    bags: Bags, first: int, last: int, urns: Urns, resample: bool, longest: int, room: Room,
    found: NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill in what is found (n×5) for documents first : last."""
    particles = room.chances.shape[1]
    pull = np.zeros(particles)
    for i in range(first, last):
        read, tokens = put_in_order(bags, i, longest, room.words, room.weights)
        for group in range(0, particles, LANES):
            _start(room, bags.keys[i], read, group)
            _read(urns, read, resample, room, group, particles)
        _sum_up(room.chances, room.weights, read, pull, found[i])
        found[i, SHORTENED] = read < tokens
