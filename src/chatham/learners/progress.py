"""How a long fit reports progress: to a listener, or on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int, float | None], None]
"""Called with the learner's name, the iteration, the maximum number of them, and the objective."""

_listener: ContextVar[Listener | None] = ContextVar("chatham_progress", default=None)


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Call `listener` at every iteration of the fits inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(
    learner: str, iteration: int, most: int, objective: float | None, verbose: int | bool
) -> None:
    """Report that one iteration is done."""
    listener = _listener.get()
    if listener is not None:
        listener(learner, iteration, most, objective)
    if verbose:
        value = "" if objective is None else f", objective {objective:.8g}"
        print(f"{learner}: iteration {iteration} of at most {most}{value}", file=sys.stderr)
