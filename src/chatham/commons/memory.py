"""What a holder keeps between two steps, and what it can always compute again.

A step keeps *arrays*, under names that it declares; they are all that a checkpoint or another
worker needs to resume. Whatever can be computed again from the rows and these arrays (rows in the
form that kernels read, say) is *derived*: computed once, kept while there is space, and dropped
without loss.

>>> @keeps(seen="how often each row was visited")
... def visit(rows, memory):
...     "How many visits there were."
...     memory["seen"] = memory.get("seen", np.zeros(len(rows))) + 1
...     return memory["seen"].sum()
>>> memory = Memory()
>>> float(visit([[1], [2]], memory)), list(memory)
(2.0, ['seen'])
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError

Derived = TypeVar("Derived")
AnyStep = TypeVar("AnyStep", bound=Callable[..., Any])


PLAIN = (bool, int, float, str, bytes, tuple)


class Memory(dict[str, NDArray[Any]]):
    """A holder's private arrays between steps: document weights, topic assignments. Never leaves.

    `index` is this holder's position in the roster and `holders` the length of the roster. `secret`
    is a key that only this holder has, for what is random about its rows; a real party has one.
    `told` is how many linear measurements of these rows earlier sessions have told: what measuring
    a row reveals adds up. `steps` is how many steps have been run on them since memory was fresh.
    """

    def __init__(
        self, index: int = 0, holders: int = 1, secret: bytes = b"", told: int = 0
    ) -> None:
        super().__init__()
        self.index = index
        self.holders = holders
        self.secret = secret
        self.told = told
        self.steps = 0
        self._derived: dict[Any, tuple[tuple[Any, ...], Any]] = {}

    @property
    def key(self) -> bytes:
        """The secret; of a holder in a simulation that has none, one of its own all the same."""
        return self.secret or sha256(b"chatham holder %d" % self.index).digest()

    def derived(self, name: Any, make: Callable[..., Derived], *arguments: Any) -> Derived:
        """The result of `make(*arguments)`, computed once for these arguments.

        It may depend on the rows and these arrays alone: then it can be computed again at any time.
        """
        before, value = self._derived.get(name, ((), None))
        if name not in self._derived or not _same(before, arguments):
            value = make(*arguments)
            self._derived[name] = arguments, value
        return cast("Derived", value)


def _same(before: tuple[Any, ...], arguments: tuple[Any, ...]) -> bool:
    """The same objects, or plain values that are equal."""
    return len(before) == len(arguments) and all(
        old is new or (isinstance(old, PLAIN) and type(old) is type(new) and old == new)
        for old, new in zip(before, arguments, strict=True)
    )


def keeps(**arrays: str) -> Callable[[AnyStep], AnyStep]:
    """Declare the arrays that a step keeps in its memory, and what each of them is."""

    def declared(step: AnyStep) -> AnyStep:
        step.keeps = arrays  # type: ignore[attr-defined]
        return step

    return declared


def check_kept(
    step: Callable[..., Any], before: dict[str, NDArray[Any]], memory: Memory, name: str
) -> None:
    """Refuse what a step kept, replaced or removed without declaring it, or what isn't an array."""
    changed = {key for key in before | memory if before.get(key) is not memory.get(key)}
    for key in sorted(changed - getattr(step, "keeps", {}).keys()):
        raise InputError(
            f"The step {name} keeps {key!r} without declaring it; put @keeps({key}=...) above it, "
            "or have it derived."
        )
    for key, value in memory.items():
        if not isinstance(value, np.ndarray) or value.dtype.hasobject:
            raise InputError(
                f"The step {name} keeps {key!r}, which isn't an array of numbers; have it derived."
            )
