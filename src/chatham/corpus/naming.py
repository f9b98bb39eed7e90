"""Names in error messages: suggest the nearest, and never show what may be a document.

A file without a header has a document where a column name should be, so names are shown only as
far as they can pass for names.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST_NAME_SHOWN = 40
MOST_NAMES_SHOWN = 20


def shown(name: object) -> str:
    """Quote a name, unless it is so long that it may be a document.

    >>> shown("title")
    "'title'"
    >>> shown("a sentence of somebody's private letter, for instance")
    '(a name of 53 characters)'
    """
    text = str(name)
    if len(text) > LONGEST_NAME_SHOWN or "\n" in text:
        return f"(a name of {len(text)} characters)"
    return f"'{text}'"


def listed(names: Iterable[object]) -> str:
    """Write names one after the other, the first twenty of them.

    >>> listed(["id", "text"])
    "'id', 'text'"
    """
    names = list(names)
    parts = [shown(name) for name in names[:MOST_NAMES_SHOWN]]
    if len(names) > MOST_NAMES_SHOWN:
        parts.append(f"and {len(names) - MOST_NAMES_SHOWN} more")
    return ", ".join(parts) if parts else "none"


def nearest(name: str, options: Iterable[object]) -> str:
    """Say which of the options was probably meant, or nothing.

    >>> nearest("txet", ["id", "text"])
    "; did you mean 'text'?"
    >>> nearest("zebra", ["id", "text"])
    ''
    """
    by_folded = {str(option).casefold(): option for option in options}
    close = difflib.get_close_matches(str(name).casefold(), list(by_folded), n=1, cutoff=0.6)
    return f"; did you mean {shown(by_folded[close[0]])}?" if close else ""


def plural(number: int, thing: str) -> str:
    """Count things in words that fit the number.

    >>> plural(1, "document"), plural(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
