"""The kinds of fitted attributes besides topics and their shares.

A learner declares them (`learned` in `Settings`): what its algorithm returns and its models' files
are checked by them, and attributes that are per topic are put in the topics' order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError

SMALLEST, LARGEST = 1e-37, 1e30
"""Between these, numbers stay above zero and finite in single precision, which some kernels use."""
FITTED = ("components_", "prevalence_", "objective_", "n_iter_", "n_features_in_")
"""What every fit leaves behind."""
ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]*_")

Order = NDArray[np.intp]


@dataclass(frozen=True)
class Numbers:
    """An array of numbers, or a single one.

    `shape` has one letter per dimension, `k` topics or `d` words: "k", "kd", "kk"; "" is a
    single number. Several shapes are alternatives, and None allows any.
    """

    shape: str | tuple[str, ...] | None = None
    least: float = -LARGEST
    symmetric: bool = False

    @property
    def shapes(self) -> tuple[str, ...]:
        """The alternatives."""
        return (self.shape,) if isinstance(self.shape, str) else self.shape or ()

    def sizes(self, k: int, d: int) -> list[tuple[int, ...]]:
        """The alternatives for so many topics and words."""
        lengths = {"k": k, "d": d}
        return [tuple(lengths[letter] for letter in shape) for shape in self.shapes]

    def taken(self, value: Any, k: int, d: int) -> Any:
        """The value as float64; a ValueError or a TypeError where it isn't of this kind."""
        array = np.asarray(value, dtype=np.float64)
        if self.shape is not None and array.shape not in self.sizes(k, d):
            raise ValueError(array.shape)
        return array if array.ndim else float(array)

    def ordered(self, value: Any, order: Order) -> Any:
        """The value with its topics in this order.

        >>> Numbers("kd").ordered(np.array([[1, 2, 3], [4, 5, 6]]), np.array([1, 0])).tolist()
        [[4, 5, 6], [1, 2, 3]]
        """
        shape = next((each for each in self.shapes if len(each) == np.ndim(value)), "")
        for axis in (axis for axis, letter in enumerate(shape) if letter == "k"):
            value = np.take(value, order, axis)
        return value

    @property
    def possible(self) -> bool:
        """Whether there can be such, and a model's file can hold it."""
        letters = "kk|dd" if self.symmetric else "[kd]{0,3}"
        if self.shape is None:
            return not self.symmetric
        return isinstance(self.shape, str | tuple) and all(
            isinstance(shape, str) and re.fullmatch(letters, shape) for shape in self.shapes
        )


@dataclass(frozen=True)
class Series:
    """A sequence of numbers, whose length may differ from fit to fit."""

    def taken(self, value: Any, k: int, d: int) -> Any:
        """The value as float64; a ValueError or a TypeError where it isn't of this kind."""
        array = np.asarray(value, dtype=np.float64)
        if array.ndim != 1:
            raise ValueError(array.shape)
        return array

    def ordered(self, value: Any, order: Order) -> Any:
        """The value as it is: nothing in it belongs to a topic."""
        return value


@dataclass(frozen=True)
class Groups:
    """A list with the indices of some words for each topic, no index twice."""

    def taken(self, value: Any, k: int, d: int) -> Any:
        """The value as arrays; a ValueError or a TypeError where it isn't of this kind."""
        groups = [np.array([_below(d, place) for place in group], np.int64) for group in value]
        if len(groups) != k:
            raise ValueError(len(groups))
        return groups

    def ordered(self, value: Any, order: Order) -> Any:
        """The value with its topics in this order."""
        return [value[topic] for topic in order]


@dataclass(frozen=True)
class Events:
    """A list of (iteration, topic) pairs."""

    def taken(self, value: Any, k: int, d: int) -> Any:
        """The value as pairs; a ValueError or a TypeError where it isn't of this kind."""
        return [(index(iteration), _below(k, topic)) for iteration, topic in value]

    def ordered(self, value: Any, order: Order) -> Any:
        """The value with the numbers that topics have in this order."""
        number = np.argsort(order)
        return [(iteration, int(number[topic])) for iteration, topic in value]


Learned = Numbers | Series | Groups | Events


def check_learned(called: str, learned: Any) -> None:
    """Refuse what a learner of that name can't declare."""
    if not isinstance(learned, Mapping):
        raise InputError(f"What {called} has learned must be kinds by name: learned = {{...}}.")
    for name, kind in learned.items():
        if not isinstance(name, str) or not ATTRIBUTE.fullmatch(name) or name in FITTED:
            raise InputError(
                f"The learner {called} can't have learned {name!r}; such a name is in small "
                f"letters, ends in _, and is none of {', '.join(map(repr, FITTED))}."
            )
        if not isinstance(kind, Learned) or (isinstance(kind, Numbers) and not kind.possible):
            raise InputError(
                f"The learner {called} can't have learned {name!r} as {kind!r}; declare Numbers "
                "with up to three letters k and d (two alike if symmetric), Series(), Groups() or "
                "Events()."
            )


def _below(bound: int, place: Any) -> int:
    if not 0 <= index(place) < bound:
        raise ValueError(place)
    return index(place)
