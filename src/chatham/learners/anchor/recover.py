"""Topics from anchors: each word as a mixture of the anchors, and Bayes' rule.

A word's row of C̄ is a mixture of the anchors' rows, and its coefficients are p(z|x); with p(x)
they give p(x|z) (Lee 2018, step 3 of chapter 2; Arora et al. 2013, section 3). The nearest mixture
is found by ADMM (Lee's Algorithm 3) or by exponentiated gradient, for the squared distance
(RecoverL2) or the Kullback–Leibler divergence (RecoverKL). The original Recover, which inverts the
anchors' co-occurrence instead (Arora's Algorithm 2), is here for comparison: it uses k rows of C
only, and noise in them is magnified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Array, Conditional, Group, check_groups
from chatham.learners.anchor.exponentiated import nearest_by_divergence, nearest_by_squares
from chatham.numerics.douglas_rachford import least_on_simplices
from chatham.wording import say

Indices = NDArray[np.int64]

GAP = 1e-5
"""The largest duality gap of any word at which topics count as converged."""
LIMITS = {"admm": (500, 1e-8), "l2": (1000, GAP), "kl": (500, GAP), "inverse": (0, 0.0)}
"""The methods, each with its default maximum number of iterations and tolerance."""


@dataclass(frozen=True)
class Recovered:
    """Topics and how they were reached."""

    topics: Array
    """p(x|z), k×d; rows sum to one."""
    coefficients: Array | None
    """p(z|x), d×k; zeros for a word that never occurs. None for the inversion, which has none."""
    n_iter: int
    gap: float | None
    """The largest ⟨∇f, y⟩ − min ∇f left of any word: its loss is at most this far above the
    minimum. In units of the mean ‖anchor‖² for squared distance, in nats for KL; None for the
    inversion."""
    shares: Array | None = None
    """p(z) = Σ_x p(z|x) p(x); None for the inversion."""
    settled: bool = True
    """Whether the gap is small enough; False if the iterations ran out first."""
    correlations: Array | None = None
    """Arora's R, which only the inversion gives; its entries may be negative."""


def recover(
    conditional: Conditional,
    anchors: Sequence[Group],
    method: str = "admm",
    *,
    smoothing: float = 0.0,
    max_iter: int | None = None,
    tol: float | None = None,
) -> Recovered:
    """Topics by "admm", "l2", "kl" or "inverse".

    `smoothing` (1e-5 is usual) is added to the entries of the anchors' rows before these are
    normalised again. `tol` is the change at which "admm" stops (see `least_on_simplices`), and the
    duality gap at which "l2" and "kl" stop (see `exponentiated`).

    A word that is an anchor by itself has its own topic and no other (line 2 of Algorithm 3); words
    that are an anchor together are mixtures like any other word. A topic that no word has a share
    of, which can happen to an anchor of several words, consists of those words in proportion to
    p(x).

    >>> topics = np.array([[0.5, 0.0, 0.5], [0.0, 0.25, 0.75]])
    >>> joint = topics.T @ np.array([[0.4, 0.1], [0.1, 0.4]]) @ topics
    >>> recover(Conditional(joint), [np.array([0]), np.array([1])]).topics.round(6)
    array([[0.5 , 0.  , 0.5 ],
           [0.  , 0.25, 0.75]])
    """
    _check(conditional, anchors, method, smoothing)
    if method == "inverse":
        return _inverted(conditional, anchors)
    basis = conditional.rows_of(anchors) + smoothing
    basis /= basis.sum(axis=1, keepdims=True)
    pure = _pure_words(anchors)
    mixed = np.flatnonzero(conditional.occurs & ~np.isin(np.arange(len(conditional)), list(pure)))
    coefficients = np.zeros((len(conditional), len(anchors)))
    coefficients[list(pure), list(pure.values())] = 1.0
    usual_iter, usual_tol = LIMITS[method]
    most, tol = usual_iter if max_iter is None else max_iter, usual_tol if tol is None else tol
    coefficients[mixed], n_iter, gap = _mixtures(conditional, mixed, basis, method, most, tol)
    topics = _by_bayes(coefficients, conditional.totals, anchors)
    settled = gap <= (GAP if method == "admm" else tol)  # ADMM's own tolerance is of steps
    shares = conditional.totals @ coefficients
    return Recovered(topics, coefficients, n_iter, gap, shares, settled)


def _mixtures(
    conditional: Conditional, words: Indices, basis: Array, method: str, max_iter: int, tol: float
) -> tuple[Array, int, float]:
    """Each word's nearest mixture of the anchors, the iterations, the largest gap."""
    if method == "kl":
        return nearest_by_divergence(conditional, words, basis, max_iter=max_iter, tol=tol)
    gram, linear = basis @ basis.T, conditional.times(basis.T)[words]
    if method == "l2":
        return nearest_by_squares(gram, linear, max_iter=max_iter, tol=tol)
    mixtures, n_iter = least_on_simplices(gram, linear, max_iter=max_iter, tol=tol)
    return mixtures, n_iter, _largest_gap(gram, linear, mixtures)


def _largest_gap(gram: Array, linear: Array, weights: Array) -> float:
    slopes = weights @ gram - linear
    gaps = np.einsum("ij,ij->i", slopes, weights) - slopes.min(axis=1)
    return max(float(gaps.max(initial=0.0)) / (float(np.trace(gram)) / len(gram)), 0.0)


def _by_bayes(coefficients: Array, totals: Array, anchors: Sequence[Group]) -> Array:
    """p(x|z) ∝ p(z|x) p(x) (line 16 of Algorithm 3)."""
    return _distributions(np.ascontiguousarray((coefficients * totals[:, None]).T), totals, anchors)


def _distributions(topics: Array, totals: Array, anchors: Sequence[Group]) -> Array:
    """Rows that sum to one; a row of zeros becomes p(x) of the topic's anchors."""
    for topic, group in zip(topics, anchors, strict=True):
        if not topic.any():
            topic[group] = totals[group]
    return topics / topics.sum(axis=1, keepdims=True)


def _inverted(conditional: Conditional, anchors: Sequence[Group]) -> Recovered:
    """The original Recover (Arora's Algorithm 2): Bᵀ = (C_SS diag z)⁻¹ C_S with C_SS z = C_S 1.

    The paper prints C_Sᵀ for the last factor, whose shape doesn't fit. Rows and columns are divided
    by the anchors' p(x) first, so that rare anchors aren't lost to rounding; with L for the C_SS so
    divided and u = L⁻¹1, Bᵀ = diag(u)⁻¹ L⁻¹ C̄_S and R = diag(u) L diag(u), the same as printed.
    For a singular L the pseudo-inverse is used. Negative entries are set to zero and rows
    normalised to sum to one again.
    """
    rows = conditional.rows_of(anchors)
    totals = np.array([conditional.totals[group].sum() for group in anchors])
    lift = np.stack([rows[:, group].sum(axis=1) for group in anchors], axis=1) / totals
    lift = (lift + lift.T) / 2.0
    inverse = np.linalg.pinv(lift, rcond=1e-12, hermitian=True)
    shares = inverse.sum(axis=1)
    signs = np.where(shares < 0, -1.0, 1.0)  # the scale is the rows' own sum
    topics = np.maximum(signs[:, None] * (inverse @ rows), 0.0)
    correlations = shares[:, None] * lift * shares
    return Recovered(
        _distributions(topics, conditional.totals, anchors),
        None,
        0,
        None,
        correlations=correlations,
    )


def _pure_words(anchors: Sequence[Group]) -> dict[int, int]:
    """The topic of each word that is an anchor by itself."""
    return {int(group[0]): topic for topic, group in enumerate(anchors) if len(group) == 1}


def _check(
    conditional: Conditional, anchors: Sequence[Group], method: str, smoothing: float
) -> None:
    if method not in LIMITS:
        raise InputError(f"Topics can't be recovered by {method!r}; choose one of {list(LIMITS)}.")
    if not 0 <= smoothing < np.inf or (smoothing and method == "inverse"):
        raise InputError(
            say(
                "{smoothing=} with {method!r}: give zero or more, and zero with 'inverse', "
                "which mixes no rows.",
                smoothing=smoothing,
                method=method,
            )
        )
    if not len(anchors):
        raise InputError("There are no anchors; give one for each topic.")
    check_groups(conditional, anchors)
    if len(_pure_words(anchors)) < sum(len(group) == 1 for group in anchors):
        raise InputError("A word is the anchor of two topics; choose another for one of them.")
