"""What Ctrl-C does to a command, from its first line to its last.

Python raises KeyboardInterrupt between any two instructions. Where work is under way that is right:
it unwinds. While a command is still being found and its options are read nothing is at stake, and
raised within one of the import system's own callbacks the exception would be lost and printed;
there, the process ends where it stands. And a server is never cut short: it is asked to stop, once,
and whoever asks again while it does is already obeyed.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

INTERRUPTED = 130
FAREWELL = "Interrupted; nothing was saved."
STOPPING = (signal.SIGINT, signal.SIGTERM)


def end_at_once() -> None:
    """From here on Ctrl-C ends this process, which is a command's own, where it stands."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def unwind() -> None:
    """From here on Ctrl-C raises KeyboardInterrupt, as Python has it: work is under way."""
    if _is_own_process():
        signal.signal(signal.SIGINT, signal.default_int_handler)


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


def _end(*_: Any) -> None:
    os.write(2, f"{FAREWELL}{os.linesep}".encode())
    os._exit(INTERRUPTED)
