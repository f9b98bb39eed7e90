"""A folder for compiled kernels if neither the package nor the user's home can be written to.

numba keeps kernels next to their source, or in the user's cache; without either it refuses to
compile them at all.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"


def find_cache() -> None:
    """Choose a private temporary folder if the usual folders can't be written to."""
    if os.environ.get(VARIABLE) or any(map(_can_write, _usual_folders())):
        return
    os.environ[VARIABLE] = _private_folder()


def _usual_folders() -> list[Path]:
    home = Path(os.path.expanduser("~"))
    caches = {
        "win32": Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local"),
        "darwin": home / "Library" / "Caches",
    }
    elsewhere = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return [Path(__file__).resolve().parents[1], caches.get(sys.platform, elsewhere) / "numba"]


def _can_write(folder: Path) -> bool:
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _private_folder() -> str:
    """The same folder each time, unless it isn't ours: code that is cached there is run."""
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    folder = os.path.join(tempfile.gettempdir(), f"chatham-kernels-{owner}")
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not _is_ours(folder):
            return tempfile.mkdtemp(prefix="chatham-kernels-")
    return folder


def _is_ours(folder: str) -> bool:
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode):
        return False
    is_private = not status.st_mode & 0o077
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and is_private)
