"""The packages that only the explorer's server needs: the extra 'explore'."""

from __future__ import annotations

from importlib.util import find_spec

from chatham.errors import InputError
from chatham.extras import how_to_install

PACKAGES = ("starlette", "uvicorn")


def need_explorer() -> None:
    """Refuse in one sentence if packages are missing, before anything is read."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise InputError(
            f"The explorer's server needs packages that can't be found ({', '.join(missing)}; a "
            f"report in a file needs none): {how_to_install('explore')}"
        )
