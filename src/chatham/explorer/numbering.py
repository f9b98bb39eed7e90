"""The numbers, names and edits of a model's topics, wherever the page needs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def numbers_of(model: Any) -> list[int]:
    """The topics' numbers, in the order of rows."""
    return [int(number) for number in getattr(model, "numbers", range(model.n_topics))]


def names_of(model: Any) -> dict[int, str]:
    """The name of each topic."""
    if hasattr(model, "names"):
        return {number: str(model.names[number]) for number in numbers_of(model)}
    return {t: " ".join(w)[:60] for t, w in enumerate(model.top_word_lists(3, "relevance"))}


def given_names(model: Any) -> Mapping[int, str]:
    """The names that people gave."""
    given: Mapping[int, str] = model.names.given if hasattr(model, "names") else {}
    return given


def edit_count(model: Any) -> int:
    """How many edits there were."""
    return len(model.edits) if hasattr(model, "edits") else 0
