"""What is learned from documents, and how wrong it is about others."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import chatham as ch
from uplift_study.parties import Member
from uplift_study.words import Meet, frequencies, squared_norms

Array = NDArray[np.float64]
Score = dict[str, Any]

TOPICS, RELATIVE, SVD = "topics", "topics, relative", "low rank"
LOSSES = {TOPICS: "absolute", RELATIVE: "relative"}
ITERATIONS, TOL = 100, 1e-5
"""Of NMF, at most; and the change of its objective that ends it."""
PASSES, LEADS_OFF = 60, 1e-4
"""Of the SVD. Its directions need not be exact for an error of three digits."""


def learner(way: str, k: int, seed: int) -> Any:
    """As the library has it."""
    if way == SVD:
        return ch.SVD(k, max_iter=PASSES, tol=LEADS_OFF, random_state=seed)
    return ch.NMF(k, loss=LOSSES[way], max_iter=ITERATIONS, tol=TOL, random_state=seed)


def compare(
    way: str, k: int, seed: int, rows: sp.csr_array, members: Sequence[Member], meet: Meet
) -> list[Score]:
    """Every party's error on what it holds out, with a model of its own and with the common one."""
    together = fitted(way, k, seed, meet([rows[member.train] for member in members]))
    found = []
    for member in members:
        alone, held_out = fitted(way, k, seed, rows[member.train]), rows[member.test]
        found.append(
            {
                "party": member.name, "share": member.share,
                "train": len(member.train), "test": len(member.test),
                "alone": error(way, alone, held_out), "together": error(way, together, held_out),
            }
        )  # fmt: skip
    return found


def fitted(way: str, k: int, seed: int, rows: Any) -> Any:
    """A model of a party's rows, or of a commons."""
    with warnings.catch_warnings():
        # A party with fewer documents than topics is told so; here that is what is studied.
        warnings.simplefilter("ignore", UserWarning)
        return learner(way, k, seed).fit(rows)


def error(way: str, model: Any, rows: sp.csr_array) -> float:
    """‖X − WT‖ / ‖X‖ with the best weights W; "relative": the same with rows of length one."""
    shown = rows if way == SVD else frequencies(rows)
    left = squared_errors(shown, model.transform(rows), model.components_)
    sizes = squared_norms(shown)
    if way == RELATIVE:
        left, sizes = left / sizes, np.ones(len(sizes))
    return float(np.sqrt(left.sum() / sizes.sum()))


def squared_errors(rows: sp.csr_array, weights: Array, components: Array) -> Array:
    """What weights × components leave of each row, without ever forming it."""
    inner = (weights * (rows @ components.T)).sum(axis=1)
    rebuilt = ((weights @ (components @ components.T)) * weights).sum(axis=1)
    return np.maximum(squared_norms(rows) - 2.0 * inner + rebuilt, 0.0)
