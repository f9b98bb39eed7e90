"""The one interface: run a step where the rows are, and return only the sum.

Every learner is *local statistics plus a sum*. A `Commons` knows where the rows live; a learner
doesn't. It hands over a step, the step runs at every holder of rows, and the element-wise sum of
what came back is all that the learner ever sees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.commons.counting import Counted, count_documents
from chatham.commons.memory import Memory, check_kept
from chatham.commons.precision import DIRECTION, Most, Noise, Precision, Total
from chatham.commons.privacy import Privacy
from chatham.errors import ChathamError, HolderError, InputError
from chatham.naming import holds_texts
from chatham.wording import clause, say

Statistic = NDArray[Any]
Step = Callable[..., "Statistic | tuple[Statistic, ...]"]


class Commons(ABC):
    """Rows somewhere, and sums over them."""

    holders: int
    """The number of holders of rows."""

    index: int | None
    """Which of them is mine, or None where all of them are, as in a simulation."""

    n_features: int
    """The number of columns of every holder's rows."""

    private: bool = False
    """Whether holders mustn't see each other's rows: then nothing may cross that equals a row."""

    exact_totals: bool = True
    """Whether totals may cross that give documents away because they are exact. Between parties
    that is so only if all of them know; elsewhere nobody is kept from seeing the rows."""

    privacy: Privacy | None = None
    """What a fit must promise, where parties agreed on differential privacy: then noise is drawn as
    its theorems need it."""

    @property
    def here(self) -> Sequence[Any]:
        """The rows that are in this process, one matrix per holder."""
        return ()

    counted: Counted | None = None
    """The number of documents, once they are counted."""

    def count(self) -> Counted:
        """Count the documents of all holders, in one round."""
        self.counted = Counted(*map(int, self.sum(count_documents)))
        return self.counted

    def sum(
        self,
        step: Step,
        *shared: Any,
        most: Most = 1.0,
        total: Total = None,
        noise: Noise = 0.0,
    ) -> Any:
        """Run `step(rows, memory, *shared)` at every holder; return the sum of what came back.

        The step returns one array or a tuple of arrays, whose shapes don't depend on the number
        of rows; the total has the same form. One call is one round, however many arrays. `most` is
        the most that one document adds to a cell, and `total` the bound of a whole cell where that
        is what is known: one number, or one for each array. From them a fixed-point sum derives
        how many fraction bits fit. Whole numbers need neither, nor do sums in floating point.
        `noise` is the standard deviation of the noise that every holder adds to each cell before it
        leaves, where totals may not be exact: nowhere else is there any.
        """
        precision = self._precision(most, total, noise)
        totals, is_tuple = as_statistics(self._total(step, shared, precision))
        return totals if is_tuple else totals[0]

    def _precision(self, most: Most, total: Total, noise: Noise) -> Precision:
        """What is known of a sum's cells, and the noise that they get here."""
        noise = 0.0 if self.exact_totals else noise
        return Precision(most, total, noise, discrete=self.privacy is not None)

    def telling(self, measurements: int) -> None:  # noqa: B027 - nothing, unless parties are real
        """A fit will tell so many linear measurements of each document: real parties keep count."""

    def normed_sum(self, step: Step, *shared: Any, noise: float = 0.0) -> Statistic:
        """The direction of a sum: s/‖s‖₂ for the one array that the step returns; 0 for s = 0.

        Here the sum itself is returned and divided, so its norm isn't hidden from anyone who sees
        totals. Parties that hide it have a commons whose `normed_sum` returns nothing but s/‖s‖.
        `noise` is that of `sum`.
        """
        total = np.asarray(self.sum(step, *shared, most=DIRECTION, noise=noise), dtype=np.float64)
        norm = float(np.linalg.norm(total))
        return total / norm if norm > 0 else np.zeros_like(total)

    def agreed(self, *shared: Any) -> tuple[Any, ...]:
        """What was computed everywhere from the same totals, the same to the last bit.

        Identical machines compute the same bits; where machines differ, parties take the first
        one's floats.
        """
        return shared

    @abstractmethod
    def _total(
        self, step: Step, shared: tuple[Any, ...], precision: Precision
    ) -> Statistic | tuple[Statistic, ...]:
        """The sum itself: where the kinds of commons differ."""

    @abstractmethod
    def _forget(self) -> None:
        """Start with fresh private memory at every holder."""

    @contextmanager
    def fitting(self) -> Iterator[None]:
        """Fresh private memory for the duration of one fit: a second fit equals the first."""
        self.counted = None
        self._forget()
        try:
            yield
        finally:
            self.counted = None
            self._forget()


def as_rows(rows: Any) -> Any:
    """A matrix as it is; nested lists as an array."""
    if holds_texts(rows):
        raise InputError(
            "Rows must be a matrix of numbers; got texts. Count their words first, as read_corpus "
            "does, and give its counts."
        )
    rows = rows if hasattr(rows, "shape") else _array(rows)
    if len(rows.shape) != 2:
        raise InputError(
            f"Rows must be a matrix with two dimensions; got {len(rows.shape)}. Give one row per "
            "document and one column per word."
        )
    return rows


def _array(rows: Any) -> Any:
    with suppress(ValueError):
        return np.asarray(rows)
    raise InputError(
        "Rows must be a matrix with two dimensions; got rows of different lengths. Give one row "
        "per document and one column per word."
    )


def as_statistics(returned: Any) -> tuple[tuple[Statistic, ...], bool]:
    """What a step returned, as a tuple of arrays, and whether it was a tuple to begin with."""
    is_tuple = isinstance(returned, tuple)
    return tuple(np.asarray(part) for part in (returned if is_tuple else (returned,))), is_tuple


def name_of(step: Step) -> str:
    """The qualified name under which a ledger shows a step."""
    return f"{step.__module__}.{step.__qualname__}"


def meaning_of(step: Step) -> str:
    """The first line of a step's docstring: what crosses, in words."""
    lines = (step.__doc__ or "").strip().splitlines()
    return lines[0] if lines else ""


def check_step(step: Step) -> None:
    """Refuse what could carry rows along (a lambda, a closure, a method) or has no meaning."""
    captured = getattr(step, "__self__", None), getattr(step, "__closure__", None)
    if "<" in getattr(step, "__qualname__", "<?>") or any(part is not None for part in captured):
        raise InputError(
            f"The step {step!r} must be a module-level function, so that it can run where "
            "the rows are; move it to the top of a module and pass what it needs as shared arrays."
        )
    if not meaning_of(step):
        raise InputError(
            f"The step {name_of(step)} has no docstring; its first line must say what crosses."
        )


def run_at(
    holder: str, step: Step, rows: Any, memory: Memory, shared: tuple[Any, ...]
) -> Statistic | tuple[Statistic, ...]:
    """Run a step at one holder; a failure names the holder and the statistic, never the rows.

    Our own errors have sentences without document text; of others only the kind is passed on. What
    was computed is said in words, as a ledger says it; the step's name is for programmers.
    """
    before = dict(memory)
    memory.steps += 1
    try:
        returned = step(rows, memory, *shared)
    except ChathamError as error:
        raise _failure(holder, step, error, kind=error.kind) from error
    except Exception as error:
        raise _failure(holder, step, f"{type(error).__name__}.") from error
    check_kept(step, before, memory, name_of(step))
    return returned


def _failure(holder: str, step: Step, why: ChathamError | str, kind: str = "") -> HolderError:
    failure = HolderError(
        say(
            "{holder} could not compute what a sum needs ({what}): {why}",
            holder=holder,
            what=clause(meaning_of(step)),
            why=why,
        ),
        step=name_of(step),
        kind=kind,
    )
    failure.add_note(f"The step was {name_of(step)}.")  # in tracebacks
    return failure
