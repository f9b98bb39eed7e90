"""Which Chatham this is."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of


@cache
def version() -> str:
    """The installed version, or `0+unknown` for a source tree on the path; looked up once."""
    try:
        return version_of("chatham")
    except PackageNotFoundError:
        return "0+unknown"
