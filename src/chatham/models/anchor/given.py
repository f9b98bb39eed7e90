"""Anchors that a user names: words, their places, or several of either for one topic."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.models.anchor.conditional import Group

EXAMPLE = '["nasa", ["god", "faith"]]'


def is_given(anchors: Any) -> bool:
    """Whether anchors are named, rather than the way to find them."""
    return not isinstance(anchors, str)


def places_of(anchors: Any, vocabulary: Sequence[str] | NDArray[Any]) -> list[list[Any]]:
    """The same anchors with places in the vocabulary for words; the rest stays as it is.

    >>> places_of(["tea", ["milk", "sugar"], 0], ["milk", "sugar", "tea"])
    [[2], [0, 1], [0]]
    """
    place = {str(word): number for number, word in enumerate(vocabulary)}
    return [[_place(word, place) for word in _members(group)] for group in listed(anchors)]


def as_groups(anchors: Any, n_features: int, names: Any = None) -> list[Group]:
    """Given anchors as groups of places; `names` are those of the columns, if they have any."""
    if any(isinstance(word, str) for group in listed(anchors) for word in _members(group)):
        if names is None:
            raise InputError(
                "The 'anchors' parameter of AnchorWords has words, and the columns have no names; "
                "give their places instead, or fit through ch.fit, which knows the vocabulary."
            )
        anchors = places_of(anchors, names)
    groups = [[_checked(word, n_features) for word in _members(group)] for group in anchors]
    _refuse_repeats([word for group in groups for word in group])
    return [np.array(group, dtype=np.int64) for group in groups]


def listed(anchors: Any) -> list[Any]:
    """Given anchors as a list; anything else is refused."""
    if not _is_list(anchors) or len(anchors) == 0:
        raise InputError(
            "The 'anchors' parameter of AnchorWords must be 'qr', 'fast', 'tsne', 'pca', or a list "
            f"with an anchor or several for each topic, such as {EXAMPLE}. Got {anchors!r} instead."
        )
    return list(anchors)


def _members(group: Any) -> list[Any]:
    members = list(group) if _is_list(group) else [group]
    if not members:
        raise InputError("An anchor in 'anchors' has no word; give each at least one.")
    return members


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _place(word: Any, place: dict[str, int]) -> Any:
    if not isinstance(word, str):
        return word
    if word not in place:
        raise InputError(
            f"The anchor {str(word)!r} is not in the vocabulary; give a word that is, in the form "
            "in which words were counted."
        )
    return place[word]


def _checked(word: Any, n_features: int) -> int:
    if not isinstance(word, Integral) or isinstance(word, bool) or not 0 <= int(word) < n_features:
        raise InputError(
            f"An anchor must be a word or its place from 0 to {n_features - 1}. Got {word!r}."
        )
    return int(word)


def _refuse_repeats(words: list[int]) -> None:
    if len(set(words)) < len(words):
        again = next(word for word in words if words.count(word) > 1)
        raise InputError(f"The word at place {again} is in 'anchors' twice; give each word once.")
