"""Names, paths and values in messages: suggest the nearest, never show what may be a document.

A file without a header has a document where a column name should be, and a text may stand where
a path or a parameter was expected. So a name is shown only if it can pass for one, a path only if
it is built like one, and of a list only how long it is.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping, Sized
from numbers import Number
from pathlib import Path
from typing import Any

LONGEST_NAME_SHOWN = 40
MOST_NAMES_SHOWN = 20
MOST_LABELS_SHOWN = 5
FEWEST_WORDS_OF_A_TEXT = 3
LONGEST_VALUE_SHOWN = 60
MOST_NUMBERS_SHOWN = 20
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
"""Letters of scripts that put no blanks between words: a whole sentence of them is one word."""
MOST_UNSPACED = 8
ROOT = re.compile(r"(~[\w-]*|\.{0,2})/|[A-Za-z]:[\\/]|\\\\")
"""How a path begins that says where: at the root, here, above, at home, on a drive."""
ENDINGS = (
    ".csv", ".docx", ".gz", ".htm", ".html", ".json", ".jsonl", ".key", ".md", ".mtx", ".ndjson",
    ".npz", ".parquet", ".party", ".pdf", ".summary", ".toml", ".tsv", ".txt", ".xlsx", ".xml",
    ".xz", ".zip",
)  # fmt: skip
"""How files end that somebody may take for documents, models, summaries or sessions."""
NAME = re.compile(r"[\w .,&'’-]{1,60}")
"""What people may call a party's summary, or a slice of a corpus, as in a session's roster."""


def shown(name: object) -> str:
    """Quote a name, unless it may be a document.

    >>> shown("title")
    "'title'"
    >>> shown("a sentence of somebody's private letter, for instance")
    '(a name of 53 characters)'
    """
    text = str(name)
    return _unnamed(text) if looks_like_text(text) else f"'{text}'"


def _unnamed(text: str) -> str:
    return f"(a name of {len(text):,} characters)"


def path_shown(path: object) -> str:
    """Quote a path in full, however long, unless it may be a document that was taken for one.

    >>> path_shown("/a/folder/with/a/very/long/name/in/which/nothing/is/as/it/was/yesterday")
    "'/a/folder/with/a/very/long/name/in/which/nothing/is/as/it/was/yesterday'"
    >>> path_shown("I have cancer")
    '(a name of 13 characters)'
    """
    text = os.fsdecode(path) if isinstance(path, os.PathLike | bytes) else str(path)
    return f"'{text}'" if looks_like_path(text) else _unnamed(text)


def looks_like_path(text: str) -> bool:
    """Say whether this can hardly be a document: it can pass for a name, or is built as paths are.

    That is: it ends as files do, it says where it begins and has no blanks, or it begins with a
    folder that is there. A path has no line breaks.

    >>> looks_like_path("survey answers of all the years.csv"), looks_like_path("/r/news says so")
    (True, False)
    """
    if not looks_like_text(text):
        return True
    if not text.isprintable():
        return False
    if text.lower().endswith(ENDINGS):
        return True
    begins = ROOT.match(text)
    rooted = begins is not None and " " not in text
    return rooted or _begins_with_a_folder(text)


def _begins_with_a_folder(text: str) -> bool:
    root = ROOT.match(text)
    begin = root.end() if root else 0
    first, separator, _ = text[begin:].partition("/")
    try:
        return bool(separator) and Path(text[:begin] + first).expanduser().is_dir()
    except (OSError, RuntimeError, ValueError):  # no home of that name, too long a name
        return False


def value_shown(value: Any) -> str:
    """A value as it was given, if it is a number or may be a name; else what it is and how long.

    >>> value_shown(0.5), value_shown("nmf"), value_shown([1, -1])
    ('0.5', "'nmf'", '[1, -1]')
    >>> value_shown("I have cancer"), value_shown(["I", "have", "cancer"])
    ('(a text of 13 characters)', 'a list of 3')
    """
    if isinstance(value, str):
        hidden = looks_like_text(value) and not looks_like_path(value)
        return f"(a text of {len(value):,} characters)" if hidden else repr(value)
    if isinstance(value, os.PathLike):
        return path_shown(value)
    if isinstance(value, type):
        return repr(value)
    if _is_of_numbers(value):
        written = repr(value)
        if len(written) <= LONGEST_VALUE_SHOWN:
            return written
    return _described(value)


def _is_of_numbers(value: Any) -> bool:
    """Whether there are only numbers in it, and few."""
    if isinstance(value, list | tuple | set | frozenset):
        return len(value) <= MOST_NUMBERS_SHOWN and all(map(_is_of_numbers, value))
    return value is None or isinstance(value, Number)


def holds_texts(value: Any) -> bool:
    """Say whether a text is in it anywhere: a string, or lists, an array or a table of some.

    >>> holds_texts([["wheat", "rose"], ["corn"]]), holds_texts([[1, 0], [2]])
    (True, False)
    """
    if isinstance(value, str | bytes):
        return True
    if hasattr(value, "dtypes") and hasattr(value, "items"):  # a table
        return any(holds_texts(column) for _, column in value.items())
    if hasattr(value, "dtype"):
        kind = getattr(value.dtype, "kind", "O")
        return kind in "US" or (kind == "O" and any(map(holds_texts, value.tolist())))
    return isinstance(value, list | tuple) and any(map(holds_texts, value))


def _described(value: Any) -> str:
    kind = type(value).__name__.removeprefix("nd")
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    try:
        size = f" of {len(value):,}" if isinstance(value, Sized) else ""
    except TypeError:  # a sparse matrix, or an array without dimensions, has no length
        size = ""
    return f"{article} {kind}{size}"


def looks_like_text(name: object) -> bool:
    """Say whether a name may be a document: three words or more, very long, or of several lines.

    >>> looks_like_text("publication year"), looks_like_text("I have cancer")
    (False, True)
    """
    text = str(name)
    if len(text) > LONGEST_NAME_SHOWN or len(text.split()) >= FEWEST_WORDS_OF_A_TEXT:
        return True
    return not text.isprintable() or len(UNSPACED.findall(text)) > MOST_UNSPACED


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


def is_name(text: object) -> bool:
    """Whether a summary's owner, or a slice, can be called this.

    >>> is_name("North & South, 2nd"), is_name(" North"), is_name("a/b")
    (True, False, False)
    """
    return isinstance(text, str) and NAME.fullmatch(text) is not None and text.strip() == text
