"""Markdown: numbers, lists and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

NOTHING = "–"


def bold(text: str, best: bool) -> str:
    """In bold, if it is the best."""
    return f"**{text}**" if best else text


def number(value: float | None) -> str:
    """Three digits, or a dash."""
    return NOTHING if value is None else f"{value:.3f}".replace("-", "−")


def signed(value: float) -> str:
    """Three digits with their sign."""
    return f"{value:+.3f}".replace("-", "−")


def listed(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {line}" for line in lines)


def markdown(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
