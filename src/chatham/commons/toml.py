"""Values as TOML writes them, for session files: Python itself only reads them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from chatham.errors import SessionError

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WHOLE = 2**63


def toml_of(value: Any) -> str:
    """A value as TOML writes it; its texts and numbers are JSON's, but for the sign DEL."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_of(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(toml_pairs(value)) + "}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_pairs(table: Mapping[str, Any]) -> list[str]:
    """Names and values; a name that isn't a plain word is quoted."""
    return [
        f"{name if _BARE.fullmatch(name) else toml_of(name)} = {toml_of(value)}"
        for name, value in table.items()
    ]


def check_value(name: str, value: Any, depth: int = 0) -> None:
    """What every party's file can hold and would read back as the same."""
    if isinstance(value, dict | list | tuple) and depth < 8:
        keys, parts = (value, value.values()) if isinstance(value, dict) else ((), value)
        for part in (*keys, *parts):
            check_value(name, part, depth + 1)
        if all(isinstance(key, str) for key in keys):
            return
    if isinstance(value, str) and is_text(value):
        return
    if type(value) is bool or (type(value) is float and math.isfinite(value)):
        return
    if type(value) is int and -_WHOLE <= value < _WHOLE:
        return
    raise SessionError(
        f"{name} may hold texts, finite numbers of 64 bits, true or false, and lists and tables of "
        f"these; a {type(value).__name__} in it is none."
    )


def is_text(value: str) -> bool:
    """Whether it can be written down: half of a surrogate pair can't."""
    return not any("\ud800" <= sign <= "\udfff" for sign in value)
