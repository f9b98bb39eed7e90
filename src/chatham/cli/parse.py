"""What people write after an option, as the values that the library takes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

LONGEST_NGRAM = 5


def as_settings(given: Iterable[str]) -> dict[str, Any]:
    """`NAME=VALUE` pairs: numbers, true, false, None and lists as such, anything else as text.

    >>> as_settings(["l2_weights=0.1", "constraint=none", "missing=None", "alpha=[1, 2]"])
    {'l2_weights': 0.1, 'constraint': 'none', 'missing': None, 'alpha': [1, 2]}
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
    """A number, true, false, None or a list as such, anything else as text; nothing is None.

    'none' in small letters stays a text, since learners have choices of that name.
    """
    if written in ("", "None"):
        return None
    if written.lower() in ("true", "false"):
        return written.lower() == "true"
    try:
        return json.loads(written)
    except ValueError:
        return written


def as_limit(written: str | None, option: str) -> int | float | None:
    """A number of documents (5) or a share of them (0.5, 50%)."""
    if written is None:
        return None
    try:
        limit = _number(written.strip())
    except ValueError:
        limit = -1
    if limit < 0 or (isinstance(limit, float) and not limit <= 1):
        raise typer.BadParameter(
            f"{written!r} must be a number of documents, such as 5, or a share of them, such as "
            "0.5 or 50%.",
            param_hint=option,
        )
    return limit


def _number(written: str) -> int | float:
    if written.endswith("%"):
        return float(written[:-1]) / 100
    return int(written) if written.isdecimal() else float(written)


def as_ngrams(written: str) -> tuple[int, int]:
    """`2` for words and pairs, `2-3` for pairs and triples alone."""
    shortest, dash, longest = written.partition("-")
    try:
        lengths = (int(shortest), int(longest)) if dash else (1, int(written))
    except ValueError:
        lengths = (0, 0)
    if not 1 <= lengths[0] <= lengths[1] <= LONGEST_NGRAM:
        raise typer.BadParameter(
            f"{written!r} must be the longest length, such as 2, or shortest-longest, such as 2-3; "
            f"the longest can be {LONGEST_NGRAM}.",
            param_hint="--ngrams",
        )
    return lengths


def as_choice(written: str, choices: Iterable[str], option: str) -> str:
    """One of the choices, and nothing else."""
    listed = list(choices)
    if written not in listed:
        raise typer.BadParameter(
            f"{written!r} must be one of {', '.join(listed)}.", param_hint=option
        )
    return written


def as_choices(written: str, choices: Iterable[str], option: str) -> list[str]:
    """One or more of the choices, with commas between them."""
    listed = list(choices)
    names = [name.strip() for name in written.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter(f"Name at least one of {', '.join(listed)}.", param_hint=option)
    return [as_choice(name, listed, option) for name in names]


def as_stop_words(written: str) -> str | None:
    """`auto`, a language or a file that exists; None for `none`."""
    from chatham.corpus.stop_words import language_code, stop_word_languages

    if written.lower() in ("none", "auto"):
        return None if written.lower() == "none" else "auto"
    if language_code(written) is None and not Path(written).is_file():
        raise typer.BadParameter(
            f"{written!r} is neither a file nor a language with stop words; give auto, none, a "
            f"file of words, or one of {', '.join(stop_word_languages())}.",
            param_hint="--stop-words",
        )
    return written
