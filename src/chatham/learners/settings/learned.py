"""What a fit leaves behind besides topics and their shares, by kind.

A learner declares it (`learned` in `Settings`): its models' files are written and checked by that,
and what is there for each topic is put in the topics' order.
"""

from __future__ import annotations

from dataclasses import dataclass

SMALLEST, LARGEST = 1e-37, 1e30
"""Between these, numbers stay above zero and finite in single precision, which some kernels use."""


@dataclass(frozen=True)
class Numbers:
    """An array of numbers, or a single one.

    `shape` has a letter for each dimension, `k` topics or `d` words: "k", "kd", "kk"; "" is a
    single number. Several shapes are alternatives, and None is any.
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
    """A row of numbers, of which there are some for each fit, one after the other."""


@dataclass(frozen=True)
class Groups:
    """A list with some places of words for each topic, no place twice."""


@dataclass(frozen=True)
class Events:
    """A list of (iteration, topic) pairs."""


Learned = Numbers | Series | Groups | Events
