"""The extras of this package, and how to install what one needs.

Chatham is installed from its sources, which may lie anywhere, so an error can't name it to pip; it
can name what an extra needs.

>>> how_to_install("excel")
"pip install 'openpyxl>=3.1'"
"""

from __future__ import annotations

import re
import shlex
from importlib.metadata import PackageNotFoundError, requires

IN_SOURCES = "in Chatham's sources run: pip install -e '.[{}]'"


def how_to_install(extra: str) -> str:
    """The command that installs what this extra needs."""
    try:
        listed = requires("chatham") or []
    except PackageNotFoundError:  # sources on the path, which were never installed
        listed = []
    marked = re.compile(rf"\s*;\s*extra\s*==\s*['\"]{re.escape(extra)}['\"]\s*$")
    needed = [marked.sub("", each) for each in listed if marked.search(each)]
    if not needed:
        return IN_SOURCES.format(extra)
    return f"pip install {' '.join(shlex.quote(each) for each in needed)}"
