"""When contributions leave: at once, or a fixed pace after the total before.

The relay sees when each message comes, and a party with more documents takes longer to have its
statistics ready: round after round that ranks the parties by size. With a pace (milliseconds, in
the session) a contribution that is ready earlier waits, by my own clock, since the relay's isn't to
be trusted. One that isn't ready in time leaves when twice, four times, ... the pace has passed, and
says so inside the sum, in a number of its own: how many were late. Then all double their pace.

That number is under the masks and the total's tag like the others, but isn't part of the record:
clocks give another answer each time, and a round that is repeated must have the same total. So it
is noted in a file instead. A party that lost it keeps a shorter pace than the others for a while,
which tells the relay that it lost its folder and nothing about its documents.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from chatham.commons.fixed_point import Words
from chatham.errors import CheckpointError
from chatham.federation.files import write_whole
from chatham.federation.session import LONGEST_PACE

NAME = "pace"
DOUBLINGS = LONGEST_PACE.bit_length()
"""More than these no pace needs."""


@dataclass
class Pace:
    """One party's pace in one session; 0 milliseconds mean that there is none."""

    milliseconds: int
    folder: Path
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _began: float | None = field(default=None, init=False)
    """When what is being computed now could begin; None if the relay can't know."""
    _marked_late: bool = field(default=False, init=False)
    """Whether my open contribution is marked as late."""
    _late_unmarked: bool = field(default=False, init=False)
    """Whether my last one was late without the mark: masking took it beyond its time."""

    def __post_init__(self) -> None:
        self._doublings, self._noted = self._read() if self.milliseconds else (0, 0)

    @property
    def seconds(self) -> float:
        """The time from a total to the next contribution."""
        return min(self.milliseconds * 2**self._doublings, LONGEST_PACE) / 1000

    def begin(self) -> None:
        """A total has come, or an epoch has begun: from now on the relay can take the time."""
        self._began = self.clock()

    def marked(self, words: Words) -> Words:
        """My words, and whether they are late: 0 or 1."""
        if not self.milliseconds:
            return words
        is_late = self._began is not None and self.clock() > self._began + self.seconds
        self._marked_late, self._late_unmarked = is_late or self._late_unmarked, False
        return np.concatenate([words, np.array([self._marked_late], np.uint64)])

    def wait(self) -> None:
        """Until a contribution may leave: when the pace, or twice, four times, … has passed."""
        if not self.milliseconds or self._began is None:
            return
        due = self.seconds
        while self._began + due < self.clock():
            due *= 2
            self._late_unmarked = not self._marked_late
        while (left := self._began + due - self.clock()) > 0:
            self.sleep(left)

    def unmarked(self, total: Words, round_: int) -> Words:
        """The total's words; if any party was late in this round, the pace is twice as long."""
        if not self.milliseconds:
            return total
        if total[-1] and round_ > self._noted:
            self._doublings, self._noted = min(self._doublings + 1, DOUBLINGS), round_
            self._write()
        return total[:-1]

    def in_words(self, step: str) -> str:
        """A step, and the pace at which it is made."""
        return f"{step} every {self.seconds:g} s" if self.milliseconds else step

    @property
    def _path(self) -> Path:
        return self.folder / NAME

    def _read(self) -> tuple[int, int]:
        """How often the pace was doubled, and in which round last; from the start if unreadable."""
        with suppress(OSError, ValueError):
            doublings, round_ = map(int, self._path.read_text("ascii").split())
            return min(max(doublings, 0), DOUBLINGS), round_
        return 0, 0

    def _write(self) -> None:
        try:
            write_whole(self._path, f"{self._doublings} {self._noted}\n".encode())
        except OSError as error:
            raise CheckpointError(
                f"{NAME} can't be written ({error.strerror}); make room and join again: the "
                "session resumes where it stopped."
            ) from None
