"""The kinds of fitted attributes besides topics and their shares.

A learner declares them (`learned` in `Settings`): its models' files are written and checked by
them, and attributes that are per topic are put in the topics' order.
"""

from __future__ import annotations

from dataclasses import dataclass

SMALLEST, LARGEST = 1e-37, 1e30
"""Between these, numbers stay above zero and finite in single precision, which some kernels use."""


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


@dataclass(frozen=True)
class Series:
    """A sequence of numbers, whose length may differ from fit to fit."""


@dataclass(frozen=True)
class Groups:
    """A list with the indices of some words for each topic, no index twice."""


@dataclass(frozen=True)
class Events:
    """A list of (iteration, topic) pairs."""


Learned = Numbers | Series | Groups | Events
