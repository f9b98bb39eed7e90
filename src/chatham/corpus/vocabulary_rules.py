"""What parties decide beforehand about their vocabulary, as a session's file has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from chatham.corpus.word_table import OWN_DF
from chatham.errors import InputError


@dataclass(frozen=True)
class VocabularyRules:
    """When a word enters; or `words`, a public list, and then only `min_df` counts.

    >>> VocabularyRules.of({"min_df": 20}).min_parties
    2
    """

    min_parties: int = 2
    min_df: int = 5
    own_df: int = OWN_DF
    max_features: int | None = None
    words: tuple[str, ...] | None = None

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> VocabularyRules:
        """Read and check what a session's file has under `vocabulary`."""
        known = [field.name for field in fields(cls)]
        if set(plain) - set(known):
            raise InputError(f"A vocabulary's policy may have {', '.join(known)} and nothing else.")
        given = dict(plain)
        if given.get("words") is not None:
            given["words"] = _listed(given["words"])
        return cls(**given)

    def __post_init__(self) -> None:
        """Refuse rules that would let a party's own words out, or no word in."""
        for name, least in (("min_parties", 2), ("min_df", 1), ("own_df", 1), ("max_features", 1)):
            number = getattr(self, name)
            if name == "max_features" and number is None:
                continue
            if type(number) is not int or number < least:
                raise InputError(
                    f"{name} must be a whole number of at least {least}, not {number!r}."
                )


def _listed(words: Any) -> tuple[str, ...]:
    listed = tuple(words) if isinstance(words, list | tuple) else ()
    if not listed or not all(isinstance(word, str) and word for word in listed):
        raise InputError("A public word list must be a list of at least one word, none empty.")
    return tuple(sorted(set(listed)))
