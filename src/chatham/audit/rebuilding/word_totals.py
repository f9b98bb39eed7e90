"""The totals by word of a fit's rounds: what most attacks read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chatham.audit.observing import Round

Array = NDArray[np.float64]


class Totals(NamedTuple):
    """Topics × words, or whatever × words, and the standard deviation of the noise in a cell."""

    total: Array
    noise: float


def totals_of(rounds: Sequence[Round], steps: Sequence[str]) -> list[Totals]:
    """The totals of documents by topic, with their noise, of rounds of these steps."""
    return [Totals(np.asarray(one.others[0]), one.noise[0]) for one in rounds if one.step in steps]


def totals_by_step(rounds: Sequence[Round], n_words: int) -> dict[str, list[Totals]]:
    """Arrays with a number for each word, words last, with their noise, by step.

    Where a step has several, the last one stands for it.
    """
    found: dict[tuple[str, int], list[Totals]] = {}
    for one in rounds:
        for array, noise in zip(map(np.asarray, one.others), one.noise, strict=True):
            if array.ndim == 2 and n_words in array.shape:
                rows = array if array.shape[1] == n_words else np.ascontiguousarray(array.T)
                totals = Totals(rows.astype(float), noise)
                found.setdefault((one.step, rows.shape[0]), []).append(totals)
    return {step: totals for (step, _), totals in found.items()}


def averaged(totals: Sequence[Any]) -> Totals:
    """The average over rounds: the documents that stayed in their topic, with less noise."""
    mean = np.mean([total for total, _ in totals], axis=0)
    return Totals(mean, float(np.sqrt(sum(noise**2 for _, noise in totals)) / len(totals)))


def are_products(one: Round, n_words: int) -> bool:
    """Whether a round's only total is a matrix of words × words times a block that all know."""
    if not one.shared or not isinstance(one.shared[0], np.ndarray) or len(one.others) != 1:
        return False
    block, product = one.shared[0], np.asarray(one.others[0])
    return block.ndim == 2 and block.shape == product.shape and len(block) == n_words


def are_whole(totals: Sequence[Totals]) -> bool:
    """Whether totals are whole numbers by nature: then it says nothing that they are."""
    return all((total == np.rint(total)).all() for total, _ in totals)
