"""WR-NMF: one set of topics of which every party's own are mixtures (thesis, Algorithm 6).

A party's topics stand for its documents: topic t of party m is a row of the matrix to factorise,
and counts by v²ₘₜ, what a squared error in it costs among the party's documents. So this is NMF of
all parties' base topics one below the other, with weights of rows and of cells:

    min over T and all Ŵ⁽ᵐ⁾ of ½ Σₘ Σₜ (v²ₘₜ + ℓ2ᵗ) Σⱼ ψₘₜⱼ (T⁽ᵐ⁾ₜⱼ − (Ŵ⁽ᵐ⁾T)ₜⱼ)² + penalties.

A word outside a party's vocabulary is unobserved there, which is not the same as never used.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.nmf.nmf import NMF, weights_for
from chatham.learners.nmf.problem import Problem, documents_for, on_simplex
from chatham.learners.weighted import Weighted
from chatham.notes import ChathamWarning
from chatham.numerics.threads import threads
from chatham.numerics.topics import as_topics
from chatham.wording import say

Array = NDArray[np.float64]

NEARLY = 1e-6
"""How far from one the sum of a distribution may be."""


@dataclass(frozen=True, eq=False)
class Base:
    """One party's base topics over the words of all parties."""

    topics: Array
    """Topics × words, zeros where the party doesn't have the word."""
    observed: NDArray[np.bool_]
    """Which words it has."""
    weights: Array
    """v²: what a squared error in each topic costs its documents, ‖W:ₜ‖² or (G1)ₜ."""
    cells: Array | None = None
    """By which factor that is more or less for a word, topics × words, if it isn't 1 for all."""


@dataclass(frozen=True, eq=False)
class Merged:
    """Topics of which all base topics are mixtures."""

    topics: Array
    """Topics × words."""
    weights: list[Array]
    """Ŵ of each party: its base topics × merged topics."""
    objective: Array
    """The objective after each iteration."""
    n_iter: int


def merge_topics(
    bases: Sequence[Base],
    n_components: int,
    *,
    constraint: str = "simplex",
    l1_topics: float = 0.0,
    l2_topics: float = 0.0,
    l1_weights: float = 0.0,
    l2_weights: float = 0.0,
    init: Any = "nndsvd",
    random_state: Any = None,
    max_iter: int = 1000,
    tol: float = 1e-6,
    n_jobs: int | None = None,
) -> Merged:
    """Merge the parties' base topics into `n_components`.

    With `constraint="simplex"` topics and mixtures are distributions, and base topics must be; with
    "none" they are only not negative. Where a party lacks words, its topics are distributions over
    those that it has, and so larger than mixtures of ours there: mixtures then have any size, and
    the merged topics alone are divided by their sums.

    `l2_topics` is the penalty on topics with which the parties fitted: it adds to what errors in
    them cost (Theorem 1 with Corollary 3), and isn't counted once more on the result. The other
    penalties are those of NMF, a base topic's weights counting by its v². `init` is one of NMF's
    starts or an array of topics, whose numbers the result then keeps: each base topic begins as the
    topic that is nearest to it.

    >>> ours = Base(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]), np.ones(3, bool), np.ones(2))
    >>> theirs = Base(np.array([[0.4, 0.6, 0.0]]), np.array([True, True, False]), np.ones(1))
    >>> merged = merge_topics([ours, theirs], 2, random_state=0)
    >>> merged.topics.round(2)
    array([[0.45, 0.55, 0.  ],
           [0.  , 0.  , 1.  ]])
    >>> [mixture.round(2).tolist() for mixture in merged.weights]
    [[[0.99, 0.0], [0.0, 1.0]], [[1.01, 0.0]]]
    """
    _check_bases(bases, constraint)
    if not np.isfinite(l2_topics) or l2_topics < 0:
        raise InputError(
            f"A merge got l2_topics={l2_topics!r}, by which an error in a topic would cost less "
            "than nothing; use the penalty of the parties' fits if it is at least 0, or 0."
        )
    rows, simplex = _stacked(bases, l2_topics), constraint == "simplex"
    if simplex and not all(base.observed.all() for base in bases):
        constraint = "none"
    given = None if isinstance(init, str) else as_topics(init, say("{init}"))
    learner = NMF(
        n_components, constraint=constraint, init=init, l1_topics=l1_topics, l1_weights=l1_weights,
        l2_weights=l2_weights, max_iter=max_iter, tol=tol, random_state=random_state, n_jobs=n_jobs,
    )  # fmt: skip
    if given is not None and given.shape == (n_components, rows.shape[1]):
        rows.start = _nearest(rows, given, constraint)
    with warnings.catch_warnings():
        # They speak of documents; whether a merge converged is seen by `n_iter`.
        warnings.simplefilter("ignore", ChathamWarning)
        learner.fit(rows)
    topics = learner.components_
    if not isinstance(init, str):
        topics = topics[np.argsort(learner._order)]
    if simplex:
        topics = on_simplex(topics)
    with threads(n_jobs):
        start = _nearest(rows, topics, constraint)
        rule = "simplex" if constraint == "simplex" else "nonnegative"
        problem = Problem(rule, l1_weights, l2_weights, unobserved=False, relative=False)
        mixtures = weights_for(documents_for(rows, problem), topics, problem, start)
    ends = np.cumsum([len(base.topics) for base in bases])[:-1]
    return Merged(topics, np.split(mixtures, ends), learner.objective_, learner.n_iter_)


def _stacked(bases: Sequence[Base], l2_topics: float) -> Weighted:
    """All base topics as rows, with what each row and each cell counts."""
    cells = None
    if any(base.cells is not None or not base.observed.all() for base in bases):
        cells = np.vstack([_cells(base) for base in bases])
    return Weighted(
        np.vstack([base.topics for base in bases]),
        sample_weight=np.concatenate([base.weights for base in bases]) + l2_topics,
        cell_weight=cells,
    )


def _cells(base: Base) -> Array:
    cells = np.ones(base.topics.shape) if base.cells is None else base.cells
    return np.where(base.observed, cells, 0.0)


def _nearest(rows: Weighted, topics: Array, constraint: str) -> Array:
    """All weight of each row on the topic that is nearest to it, over the cells that count."""
    own = rows.counts
    cells = np.ones(own.shape) if rows.cell_weight is None else rows.cell_weight.toarray()
    counted = cells * own
    squares, products = cells @ (topics**2).T, counted @ topics.T
    size = np.ones_like(squares)
    if constraint == "none":
        np.divide(products, squares, out=size, where=squares > 0)
    distances = size * (size * squares - 2.0 * products)
    best = distances.argmin(axis=1)
    start = np.zeros((len(own), len(topics)))
    each = np.arange(len(own))
    start[each, best] = size[each, best]
    return start


def _check_bases(bases: Sequence[Base], constraint: str) -> None:
    if not bases:
        raise InputError("A merge got no base topics; give those of at least one party.")
    d = bases[0].topics.shape[-1]
    for number, base in enumerate(bases, 1):
        shape = len(base.weights), d
        cells = base.topics if base.cells is None else base.cells
        if {base.topics.shape, cells.shape} != {shape} or base.observed.shape != (d,):
            raise InputError(
                f"Party {number} of a merge has topics of shape {base.topics.shape} with "
                f"{len(base.weights)} weights, cells of shape {cells.shape} and "
                f"{base.observed.size} observed words, where the first party has {d} words; give "
                "all of them over the same words."
            )
        numbers = np.concatenate([np.ravel(part) for part in (base.topics, base.weights, cells)])
        if not np.isfinite(numbers).all() or numbers.min(initial=0.0) < 0:
            raise InputError(
                f"Party {number} of a merge has topics or weights that are negative or not finite; "
                "merge others without it, or have it publish again."
            )
        if base.topics[:, ~base.observed].any():
            raise InputError(
                f"Party {number} of a merge has words in its topics that it doesn't observe; "
                "topics are zero there."
            )
        if constraint == "simplex" and (np.abs(base.topics.sum(axis=1) - 1) > NEARLY).any():
            raise InputError(
                f"Party {number} of a merge has topics that aren't distributions; merge them with "
                "constraint='none'."
            )
