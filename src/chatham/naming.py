"""Names in error messages: suggest the nearest, and never show what may be a document.

A file without a header has a document where a column name should be, so a name is shown only if
it can pass for one.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

LONGEST_NAME_SHOWN = 40
MOST_NAMES_SHOWN = 20
MOST_LABELS_SHOWN = 5
FEWEST_WORDS_OF_A_TEXT = 3


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


def looks_like_text(name: object) -> bool:
    """Say whether a name may be a document: three words or more, or very long.

    >>> looks_like_text("publication year"), looks_like_text("I have cancer")
    (False, True)
    """
    text = str(name)
    return len(text) > LONGEST_NAME_SHOWN or len(text.split()) >= FEWEST_WORDS_OF_A_TEXT


def column_shown(name: object, names: Iterable[object]) -> str:
    """Name a column, by its position if its name may be a document.

    >>> column_shown("year", ["id", "year"]), column_shown("I have cancer", ["I have cancer"])
    ("the column 'year'", 'column 1')
    """
    label = _column_label(name, names)
    return label if looks_like_text(name) else f"the column {label}"


def _column_label(name: object, names: Iterable[object]) -> str:
    if not looks_like_text(name):
        return shown(name)
    return f"column {[str(other) for other in names].index(str(name)) + 1}"


def columns_listed(names: Iterable[object], kinds: Mapping[Any, str] | None = None) -> str:
    """Write column names one after the other, without any that may be a document.

    `kinds` say what some of them hold.

    >>> columns_listed(["id", "I have cancer"])
    "'id', column 2"
    >>> columns_listed(["id", "url"], {"url": "addresses"})
    "'id', 'url' (addresses)"
    """
    names = list(names)
    held = {name: f" ({kind})" for name, kind in (kinds or {}).items()}
    return _first_names([f"{_column_label(name, names)}{held.get(name, '')}" for name in names])


def listed(names: Iterable[object]) -> str:
    """Write names one after the other, the first twenty of them.

    >>> listed(["id", "text"])
    "'id', 'text'"
    """
    return _first_names([shown(name) for name in names])


def _first_names(names: list[str]) -> str:
    more = [f"and {len(names) - MOST_NAMES_SHOWN} more"] if len(names) > MOST_NAMES_SHOWN else []
    return ", ".join(names[:MOST_NAMES_SHOWN] + more) if names else "none"


def labels_shown(labels: Iterable[object]) -> str:
    """Count the different labels, and name a few unless they may be documents.

    >>> labels_shown(["a", "b", None]), labels_shown(["I have cancer", "He is well now"])
    ('2 (a, b)', '2')
    """
    present = [str(label) for label in labels if label is not None]
    names = sorted(set(present))
    if _may_be_texts(names, len(present)):
        return f"{len(names):,}"
    more = ", ..." if len(names) > MOST_LABELS_SHOWN else ""
    return f"{len(names):,} ({', '.join(names[:MOST_LABELS_SHOWN])}{more})"


def _may_be_texts(labels: list[str], n_labelled: int) -> bool:
    if not labels or any(len(label) > LONGEST_NAME_SHOWN for label in labels):
        return True
    mostly_different = 2 * len(labels) > n_labelled
    many = len(labels) > MOST_LABELS_SHOWN
    return mostly_different and (many or any(map(looks_like_text, labels)))


def nearest(name: str, options: Iterable[object]) -> str:
    """Say which of the options was probably meant, or nothing.

    >>> nearest("txet", ["id", "text"])
    "; did you mean 'text'?"
    >>> nearest("zebra", ["id", "text"])
    ''
    """
    names = (option for option in options if not looks_like_text(option))
    by_folded = {str(option).casefold(): option for option in names}
    close = difflib.get_close_matches(str(name).casefold(), list(by_folded), n=1, cutoff=0.6)
    return f"; did you mean {shown(by_folded[close[0]])}?" if close else ""


def plural(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it should be.

    >>> plural(1, "document"), plural(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
