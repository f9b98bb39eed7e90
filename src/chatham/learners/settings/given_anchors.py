"""Anchors that a user gives: words, their column indices, or several of either for one topic.

They are checked here alone, for the estimator, for `ch.fit` and for the algorithms that take groups
of indices.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.naming import plural, shown, value_shown
from chatham.wording import say

EXAMPLE = '["nasa", ["god", "faith"]]'


def is_given(anchors: Any) -> bool:
    """Whether anchors are given, rather than the method to find them."""
    return not isinstance(anchors, str)


def indices_of(anchors: Any, vocabulary: Sequence[str] | NDArray[Any]) -> list[list[Any]]:
    """The same anchors with words replaced by their indices in the vocabulary.

    >>> indices_of(["tea", ["milk", "sugar"], 3], ["milk", "sugar", "tea", "rain"])
    [[2], [0, 1], [3]]
    """
    index_of = {str(word): number for number, word in enumerate(vocabulary)}
    groups = [[_index(word, index_of) for word in group] for group in _grouped(anchors)]
    _refuse_repeats(groups, vocabulary)
    return groups


def as_groups(anchors: Any, n_features: int, names: Any = None) -> list[NDArray[np.int64]]:
    """Given anchors as groups of indices; `names` are those of the columns, if they have any."""
    groups = _grouped(anchors)
    if any(isinstance(word, str) for group in groups for word in group):
        if names is None:
            raise InputError(
                say(
                    "The {anchors!r} parameter of AnchorWords has words, and the columns have "
                    "no names; give their indices instead, or fit through ch.fit, which knows "
                    "the vocabulary."
                )
            )
        groups = indices_of(anchors, names)
    check_indices(groups, n_features)
    _refuse_repeats(groups)
    return [np.array(group, dtype=np.int64) for group in groups]


def check_anchors(anchors: Any, k: int, n_features: int | None = None) -> None:
    """Given anchors are a list of words and indices of words, with at most one anchor per topic."""
    groups = _grouped(anchors)
    check_number(len(groups), k)
    check_indices(groups, n_features)


def check_number(number: int, k: int) -> None:
    """There is at most one anchor per topic."""
    if number > k:
        raise InputError(
            f"{number} anchors were given for {plural(k, 'topic')}; give at most one per "
            "topic, of one or several words, or ask for more topics."
        )


def topics_need(k: int) -> str:
    """How an error about too few anchors begins.

    >>> topics_need(1), topics_need(7)
    ('1 topic needs', '7 topics need')
    """
    return f"{plural(k, 'topic')} {'needs' if k == 1 else 'need'}"


def check_indices(groups: Sequence[Sequence[Any]], n_features: int | None = None) -> None:
    """Whatever isn't a word is the index of one; the largest index may not be known yet."""
    most = "on" if n_features is None else f"to {n_features - 1}"
    for word in (word for group in groups for word in group):
        whole = isinstance(word, Integral) and not isinstance(word, bool) and int(word) >= 0
        if not isinstance(word, str) and not (
            whole and (n_features is None or int(word) < n_features)
        ):
            raise InputError(
                f"An anchor must be a word or its index from 0 {most}. Got {value_shown(word)}."
            )


def _grouped(anchors: Any) -> list[list[Any]]:
    """Given anchors as lists of at least one word or index; anything else is refused."""
    if not _is_list(anchors) or len(anchors) == 0:
        raise InputError(
            say(
                "The {anchors!r} parameter of AnchorWords must be 'qr', 'fast', 'tsne', "
                "'pca', or a list with an anchor or several for each topic, such as "
                "{example}. Got {it!r} instead.",
                example=EXAMPLE,
                it=anchors,
            )
        )
    groups = [list(group) if _is_list(group) else [group] for group in anchors]
    if not all(groups):
        raise InputError(say("An anchor in {anchors!r} has no word; give each at least one."))
    return groups


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _index(word: Any, index_of: dict[str, int]) -> Any:
    if not isinstance(word, str):
        return word
    if word not in index_of:
        raise InputError(
            f"The anchor {shown(word)} is not among the {plural(len(index_of), 'word')} of the "
            "vocabulary, from which rare words and stop words may be missing; "
            f"{_advice(word, list(index_of))}"
        )
    return index_of[word]


def _advice(word: str, vocabulary: list[str]) -> str:
    by_folded = {entry.casefold(): entry for entry in vocabulary}
    near = difflib.get_close_matches(word.casefold(), list(by_folded))
    suggestions = " or ".join(repr(by_folded[folded]) for folded in near)
    return f"did you mean {suggestions}?" if near else "choose one that is in it."


def _refuse_repeats(groups: list[list[Any]], names: Any = None) -> None:
    """No word is given twice; members that aren't indices are checked elsewhere."""
    indices: set[int] = set()
    for index in (int(word) for group in groups for word in group if isinstance(word, Integral)):
        if index in indices:
            has_name = names is not None and 0 <= index < len(names)
            name = repr(str(names[index])) if has_name else f"at index {index}"
            raise InputError(f"The anchor {name} is given twice; give each word once.")
        indices.add(index)
