"""One process at a time in a folder: two of one party would keep ending epochs, and two relays
would each lose what the other was told.

The lock is the operating system's and ends with the process. Where there is none, only the relay's
epochs keep processes apart. Within a process, who joins again in a folder takes it over, since in a
notebook the party of a cell that failed is still there; sums of the older one are refused.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from chatham.errors import InputError

LOCK = "in-use"
_mine: weakref.WeakValueDictionary[str, FolderLock] = weakref.WeakValueDictionary()
"""The folders that parties in this process have joined in."""
PARTY = "Another process takes part in a session in '{folder}'; wait for it, or stop it first."


class FolderLock:
    """A folder that is this process's alone until the lock is closed, or nobody has it any more."""

    def __init__(self, folder: Path, *, take_over: bool = False, refusal: str = PARTY) -> None:
        self.was_taken_over = False
        self._made: list[Path] = []
        """What wasn't there before, in the order in which it can be removed."""
        place = os.path.realpath(folder)
        if take_over and place in _mine:
            _mine[place]._hand_over()
        try:
            is_mine = self._take(folder)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise InputError(f"'{folder}' can't be written: {reason}.") from None
        if not is_mine:
            raise InputError(refusal.format(folder=folder))
        if take_over:
            _mine[place] = self

    def _take(self, folder: Path) -> bool:
        """Lock the folder's file; whether it is mine now.

        Another process may withdraw and remove the file after I opened it: then I take a new one.
        """
        file = folder / LOCK
        while True:
            self._made = [*([] if file.exists() else [file]), *_missing(folder)]
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
            self._end = weakref.finalize(self, os.close, descriptor)
            if not lock_file(descriptor):
                self.close()
                return False
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), file.stat()):
                    return True
            self.close()

    def close(self) -> None:
        """Let others in."""
        self._end()

    def withdraw(self) -> None:
        """Leave the folder as it was found: the lock's file, and folders made for it, are removed,
        unless there is something else in them by now."""
        for path in self._made:
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        self.close()

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


def _missing(folder: Path) -> list[Path]:
    """The folder and its parents, as far as they aren't there."""
    return [path for path in (folder, *folder.parents) if not path.exists()]


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
