"""One process at a time in a party's folder: two of one party would keep ending epochs.

The lock is the operating system's and ends with the process. Where there is none, only the relay's
epochs keep processes apart. Within a process, who joins again in a folder takes it over, since in a
notebook the party of a cell that failed is still there; sums of the older one are refused.
"""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from types import TracebackType
from typing import Self

from chatham.errors import InputError

LOCK = "in-use"
_mine: weakref.WeakValueDictionary[str, FolderLock] = weakref.WeakValueDictionary()
"""The folders that parties in this process have joined in."""


class FolderLock:
    """A folder that is this process's alone until the lock is closed, or nobody has it any more."""

    def __init__(self, folder: Path, *, take_over: bool = False) -> None:
        self.was_taken_over = False
        place = os.path.realpath(folder)
        if take_over and place in _mine:
            _mine[place]._hand_over()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InputError(f"'{folder}' can't be written: {reason}.") from None
        self._end = weakref.finalize(self, os.close, descriptor)
        if not lock_file(descriptor):
            self.close()
            raise InputError(
                f"Another process takes part in a session in '{folder}'; wait for it, or stop it "
                "first."
            )
        if take_over:
            _mine[place] = self

    def close(self) -> None:
        """Let others in."""
        self._end()

    def check(self) -> None:
        """Refuse to go on if somebody joined again in this folder."""
        if self.was_taken_over:
            raise InputError("This party was joined again in the same folder; use the newer one.")

    def _hand_over(self) -> None:
        self.was_taken_over = True
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()


def lock_file(descriptor: int, *, wait: bool = False) -> bool:
    """Lock an open file; whether it is ours now. Where the system has no locks, it is."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
