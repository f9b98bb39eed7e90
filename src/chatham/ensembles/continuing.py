"""Which topic of a new slice goes on with which number, and which gets a new one.

A slice has topics of its own, fitted to its documents; the model has topics with numbers. How alike
two topics are is Bhattacharyya's coefficient of their words. The rules, in their order:

1. a topic of the slice that has less than `SMALL` of an equal share of it is no topic by itself: it
   goes with whatever it is most like;
2. of the others, each goes on with at most one number and each number in at most one of them, so
   that together they are as alike as possible, and each pair at least `ALIKE`;
3. one that is left over, and isn't `ALIKE` to any number, is *born*: it gets a new number;
4. one that is left over and is like a number that another goes on with has *split off* if the two
   aren't alike, and gets a new number; if they are, both are that number;
5. a number of the slice before that nobody goes on with has *merged* into the number of the topic
   that is most like it, if one is `ALIKE`; else it *died*.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

Array = NDArray[np.float64]

ALIKE = 0.5
"""From this similarity on, a topic of a slice can be one that the model has."""
SMALL = 0.2
"""A topic with a smaller part than this of an equal share of its slice is none by itself."""


@dataclass(frozen=True, eq=False)
class Continued:
    """Where the topics of a slice went."""

    numbers: NDArray[np.int64]
    """The number of each topic of the slice; new ones follow those that the model has."""
    large: NDArray[np.bool_]
    """Which of them are topics by themselves."""
    new: list[int]
    """The topics of the slice that got a new number, in the order of these numbers."""
    split: dict[int, int] = field(default_factory=dict)
    """New numbers, and those that they split off from."""
    merged: dict[int, int] = field(default_factory=dict)
    """Numbers that ended, and those that they merged into."""


def similarities(first: Array, second: Array) -> Array:
    """Bhattacharyya's coefficient of each two topics, in nine digits: no decision hangs on more.

    >>> similarities(np.array([[0.5, 0.5, 0.0]]), np.array([[0.5, 0.5, 0], [0, 0.5, 0.5]])).tolist()
    [[1.0, 0.5]]
    """
    return np.asarray(np.round(np.sqrt(first) @ np.sqrt(second).T, 9))


def continued(own: Array, sizes: Array, topics: Array, living: list[int]) -> Continued:
    """Match a slice's own topics with those that have numbers, both over the same plain words.

    `sizes` are those of the slice's topics, and `living` are the numbers of the slice before.

    >>> topics = np.kron(np.eye(3), [[0.5, 0.5]])
    >>> found = continued(topics[[2, 1]], np.array([5.0, 5.0]), topics[:2], [0, 1])
    >>> found.numbers.tolist(), found.new, found.split, found.merged
    ([2, 1], [0], {}, {})
    """
    alike, within = similarities(own, topics), similarities(own, own)
    large = sizes >= SMALL * sizes.sum() / len(sizes)
    numbers = _assigned(np.where(large[:, None], alike, 0.0))
    goes_on = {int(number): z for z, number in enumerate(numbers) if number >= 0}
    new: list[int] = []
    split: dict[int, int] = {}
    left = [z for z in np.argsort(-sizes, kind="stable") if large[z] and numbers[z] < 0]
    for z in map(int, left):
        twin = max(new, key=lambda other: (within[z, other], -other), default=None)
        near = int(alike[z].argmax())
        parent = near if alike[z, near] >= ALIKE else None
        if twin is not None and within[z, twin] >= ALIKE:
            numbers[z] = numbers[twin]
        elif parent is not None and within[z, goes_on[parent]] >= ALIKE:
            numbers[z] = parent
        else:
            numbers[z] = len(topics) + len(new)
            new.append(z)
            if parent is not None:
                split[int(numbers[z])] = parent
    for z in np.flatnonzero(~large).tolist():
        numbers[z] = np.concatenate([alike[z], within[z, new]]).argmax()
    return Continued(numbers, large, new, split, _merged(alike, large, numbers, living))


def _assigned(alike: Array) -> NDArray[np.int64]:
    """The number that each goes on with, one to one; -1 for none."""
    pairs = np.where(alike >= ALIKE, alike, 0.0)
    numbers = np.full(len(alike), -1, dtype=np.int64)
    for z, number in zip(*linear_sum_assignment(pairs, maximize=True), strict=True):
        if pairs[z, number] > 0:
            numbers[z] = number
    return numbers


def _merged(
    alike: Array, large: NDArray[np.bool_], numbers: NDArray[np.int64], living: list[int]
) -> dict[int, int]:
    ended = [number for number in living if number not in set(numbers[large].tolist())]
    merged = {}
    for number in ended:
        near = int(np.where(large, alike[:, number], 0.0).argmax())
        if alike[near, number] >= ALIKE and large[near]:
            merged[number] = int(numbers[near])
    return merged
