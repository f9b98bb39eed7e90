"""What people write after an option, as the values that the library takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import typer

KEYWORDS = (
    "text", "label", "id", "vocabulary", "encoding", "stop_words", "ngrams", "min_df", "max_df",
    "max_features", "weighting",
)  # fmt: skip
KEYWORD = re.compile(rf"\b({'|'.join(KEYWORDS)})=(?=(\S)?)")


def as_settings(given: Iterable[str]) -> dict[str, Any]:
    """`NAME=VALUE` pairs: numbers, true, false, none and lists as such, anything else as text.

    >>> as_settings(["l2_weights=0.1", "init=random", "missing=none", "alpha=[1, 2]"])
    {'l2_weights': 0.1, 'init': 'random', 'missing': None, 'alpha': [1, 2]}
    """
    settings: dict[str, Any] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(
                f"{pair!r} must be NAME=VALUE, such as l2_weights=0.1.", param_hint="--set"
            )
        settings[name.strip().replace("-", "_")] = as_value(value.strip())
    return settings


def as_value(written: str) -> Any:
    """A number, true, false, none or a list as such, anything else as text."""
    if written.lower() in ("none", "true", "false"):
        return {"none": None, "true": True, "false": False}[written.lower()]
    try:
        return json.loads(written)
    except ValueError:
        return written


def as_limit(written: str | None, option: str) -> int | float | None:
    """A number of documents (5) or a share of them (0.5, 50%)."""
    if written is None:
        return None
    try:
        if written.endswith("%"):
            return float(written[:-1]) / 100
        return int(written) if written.strip().isdigit() else float(written)
    except ValueError:
        raise typer.BadParameter(
            f"{written!r} must be a number of documents, such as 5, or a share of them, such as "
            "0.5 or 50%.",
            param_hint=option,
        ) from None


def as_ngrams(written: str) -> tuple[int, int]:
    """`2` for words and pairs, `2-3` for pairs and triples alone."""
    shortest, dash, longest = written.partition("-")
    try:
        return (int(shortest), int(longest)) if dash else (1, int(written))
    except ValueError:
        raise typer.BadParameter(
            f"{written!r} must be the longest length, such as 2, or shortest-longest, such as 2-3.",
            param_hint="--ngrams",
        ) from None


def as_options(sentence: str) -> str:
    """A sentence of the library in the words of the command line.

    >>> as_options("The text is a guess; pass text= to choose another (min_df=5).")
    'The text is a guess; pass --text to choose another (--min-df 5).'
    """
    return KEYWORD.sub(
        lambda found: f"--{found[1].replace('_', '-')}{' ' if found[2] else ''}", sentence
    )
