"""Files that are there in full or not at all: written under another name, then renamed.

A process may be killed at any moment; when it restarts, it finds what it had written in full, or
nothing. Nothing is synced to the disk: if a machine goes down before a file is on its disk, the
other parties have what was in it (see `docs/decisions/0008-federation.md`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path


def write_whole(
    path: Path, *parts: bytes | memoryview, opener: Callable[[str, int], int] | None = None
) -> None:
    """Write a file from its parts; if that fails, the file stays as it was."""
    write_all(path, parts, opener)


def write_all(
    path: Path,
    parts: Iterable[bytes | memoryview],
    opener: Callable[[str, int], int] | None = None,
) -> None:
    """The same for parts that are made one after the other."""
    temporary = path.with_name(path.name + ".tmp")
    try:
        with open(temporary, "wb", opener=opener) as file:
            for part in parts:
                file.write(part)
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
