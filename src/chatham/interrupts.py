"""What Ctrl-C does to a command, from its first line to its last.

Python raises KeyboardInterrupt between any two instructions. Where work is under way that is right:
it unwinds. Raised within a destructor or a callback of Python's own it is lost, so it is kept in
mind and raised again where the work goes on (`check`). While a command is still being found and its
options are read nothing is at stake, and the process ends where it stands. And a server is never
cut short: it is asked to stop, once, and whoever asks again while it does is already obeyed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

INTERRUPTED = 130
FAREWELL = "Interrupted; nothing was saved."
STOPPING = (signal.SIGINT, signal.SIGTERM)
SAVED = "Interrupted; {} was saved."
CUT_SHORT = "Interrupted; standard output may be cut short."
_farewell: list[str] = []
"""What to say instead, once something was saved or printed."""
_pressed: list[bool] = []
"""Whether Ctrl-C was pressed since work began."""


def end_at_once() -> None:
    """From here on Ctrl-C ends this process, which is a command's own, where it stands."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def say_instead(sentence: str) -> None:
    """From here on it isn't true that nothing was saved; what was saved first is said first."""
    _farewell.append(sentence)


def farewell() -> str:
    """What to say to whoever pressed Ctrl-C: what there is, and that it may not be all."""
    return _farewell[0] if _farewell else FAREWELL


def unwind() -> None:
    """From here on Ctrl-C raises KeyboardInterrupt, as Python has it: work is under way."""
    _farewell.clear()
    if _is_own_process():
        signal.signal(signal.SIGINT, _raise)
        sys.unraisablehook = _print_unless_raised_again


def check() -> None:
    """Raise a KeyboardInterrupt again that was raised, and lost, where no exception can go on."""
    if _pressed:
        raise KeyboardInterrupt


@contextmanager
def asking(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and SIGTERM ask a server to stop; in a command's own process they do no more after.

    Ignored outright, they can't disturb Python's own end either.
    """
    is_own = _is_own_process()
    before = {each: signal.signal(each, lambda *_: stop()) for each in STOPPING}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, signal.SIG_IGN if is_own else handler)


def _is_own_process() -> bool:
    return signal.getsignal(signal.SIGINT) is _end


def _print_unless_raised_again(unraisable: Any) -> None:
    if unraisable.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(unraisable)


def _raise(*_: Any) -> None:
    _pressed.append(True)
    raise KeyboardInterrupt


def _end(*_: Any) -> None:
    os.write(2, f"{FAREWELL}{os.linesep}".encode())
    os._exit(INTERRUPTED)
