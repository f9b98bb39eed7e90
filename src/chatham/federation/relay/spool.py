"""Bytes that may be many: in memory while they are few, in a file of the relay's folder otherwise.

A message's body is hashed as it comes and written down, so that what a party sends takes no more
memory than a part of it. A file that was stored is shown as it lies on the disk.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, cast

from chatham.commons.secure.frames import Frame
from chatham.errors import ProtocolError
from chatham.federation.wire import SMALL

PART = 2**20
"""Bytes that are read at a time; a number of whole words."""


def scratch(folder: Path) -> IO[bytes]:
    """A file without a name, gone when it is closed or its process ends."""
    return cast(IO[bytes], SpooledTemporaryFile(SMALL, dir=str(folder)))


def parts_of(file: IO[bytes]) -> Iterator[bytes]:
    """What is in a file, from its beginning."""
    file.seek(0)
    while part := file.read(PART):
        yield part


class Spool:
    """The body of a message, as it comes in."""

    def __init__(self, frame: Frame, folder: Path) -> None:
        self._frame, self._file = frame, scratch(folder)
        self._hash, self.size = sha256(), 0

    def write(self, part: bytes | bytearray | memoryview) -> None:
        """The next part; refused if there are more bytes than were announced."""
        self.size += len(part)
        if self.size > self._frame.size:
            raise ProtocolError("A message is longer than its header says.")
        self._hash.update(part)
        self._file.write(part)

    def check(self) -> None:
        """Check that it is all there, and what was signed for."""
        self._frame.check_hash(self.size, self._hash.hexdigest())

    def parts(self) -> Iterator[bytes]:
        """Its bytes, part by part."""
        return parts_of(self._file)

    def read(self) -> bytes:
        """All of its bytes at once, where they are known to be few."""
        return b"".join(self.parts())

    def close(self) -> None:
        """Let go of it."""
        self._file.close()


def stored(path: Path) -> memoryview:
    """The bytes of a file that isn't empty, read from the disk as they are needed."""
    with open(path, "rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
