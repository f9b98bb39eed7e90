"""Topic correlations: the joint probability A of two topics, and the Dirichlet prior it suggests.

A comes from the anchors' own co-occurrence (Lee 2018, eq. 2.5 and RECOVER-A of Algorithm 4), which
has no negative entry where C has none. It is returned as computed, without being made to sum to
one, so that `legality` can measure how near it is; `normalised` makes it sum to one. Or it is the
least-squares solution from all of C (Arora et al. 2013, section 3).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Array, Conditional, Group, Joint
from chatham.learners.settings.anchor_words import LEAST_CONCENTRATION, MOST_CONCENTRATION
from chatham.learners.settings.given_anchors import topics_need
from chatham.naming import plural
from chatham.numerics.joint import LEAST_SHARE, normalised
from chatham.numerics.simplex import project


def anchor_correlations(joint: Joint, topics: Array, anchors: Sequence[Group]) -> Array:
    """A = D⁻¹ C_SS D⁻¹ (eq. 2.5), D the probabilities that topics give their own anchors.

    A group of words counts as one word: its rows and columns of C are added up, and so are the
    probabilities that its topic gives its words. D stands for the k×k matrix of what each topic
    gives each anchor, which is diagonal only if all anchors' words are pure. An anchor that other
    topics have too, as a group given by a person may well be, makes A too large by their share.

    A topic that gives its own anchor no probability is refused: it can't be divided by.

    >>> topics = np.array([[0.5, 0.0, 0.5], [0.0, 0.25, 0.75]])
    >>> A = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> anchor_correlations(topics.T @ A @ topics, topics, [np.array([0]), np.array([1])]).round(9)
    array([[0.4, 0.1],
           [0.1, 0.4]])
    """
    _check_anchors(topics, anchors)
    diagonal = np.array([row[group].sum() for row, group in zip(topics, anchors, strict=True)])
    if not (diagonal > 0).all():
        raise InputError(
            f"Topic {int(np.argmin(diagonal > 0))} gives its own anchor no probability, so "
            "correlations can't be read off the anchors; choose another anchor."
        )
    correlations = _anchors_together(joint, anchors) / np.multiply.outer(diagonal, diagonal)
    return np.asarray((correlations + correlations.T) / 2.0)


def least_squares_correlations(words: Conditional, topics: Array) -> Array:
    """The A for which BABᵀ is nearest C: B†CB†ᵀ, brought to the simplex of k×k probabilities.

    All of C decides, not only the few entries of anchors with anchors: noise in these matters less,
    and topics' errors more. What the pseudo-inverses give may have negative entries, and needn't
    sum to one; the nearest joint distribution does.

    >>> topics = np.array([[0.5, 0.0, 0.5], [0.0, 0.25, 0.75]])
    >>> A = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> least_squares_correlations(Conditional(topics.T @ A @ topics), topics).round(9)
    array([[0.4, 0.1],
           [0.1, 0.4]])
    """
    inverse: Array = np.asarray(np.linalg.pinv(topics), dtype=np.float64)
    solution = inverse.T @ (words.totals[:, None] * words.times(inverse))
    nearest = project(((solution + solution.T) / 2.0).ravel()).reshape(solution.shape)
    return np.asarray((nearest + nearest.T) / 2.0)


def correlations_of(words: Conditional, topics: Array, anchors: Sequence[Group]) -> Array:
    """A; diagonal where no two anchors ever co-occur, not even one with itself."""
    correlations = anchor_correlations(words.joint, topics, anchors)
    if correlations.any():
        return correlations
    pairs = zip(topics, anchors, strict=True)
    return np.diag([words.totals[group].sum() / topic[group].sum() for topic, group in pairs])


def smallest_eigenvalue(correlations: Array) -> float:
    """The smallest eigenvalue of A: not below zero for topics' true second moments.

    >>> round(smallest_eigenvalue(np.array([[0.1, 0.4], [0.4, 0.1]])), 9)
    -0.3
    """
    return float(np.linalg.eigvalsh((correlations + correlations.T) / 2.0)[0])


def dirichlet_prior(correlations: Array) -> Array:
    """α (k) of the Dirichlet whose second moments (3.2) are nearest A (RECOVER-ALPHA, Algorithm 4).

    With a = A1 the moments' rows, made to sum to one, are (1−t)·aᵀ + t·eₖᵀ for t = 1/(α₀+1). Their
    squared distance from the rows Ā of A is a parabola in t, least at

        t = (tr Ā − 1 − 1ᵀĀa + K‖a‖²) / (K − 2 + K‖a‖²),

    so no iteration is needed. The slope in lines 8–9 is right but for the positive factor
    2/(α₀+1)³, which only changes the step, and it is zero at this very t; it holds for Σa = 1
    alone, so A is normalised first (the text's a_j is a_l). The printed descent has no answer where
    no t in (0, 1) is best: if t ≤ 0 it diverges, if t ≥ 1 it ends at α = 0, which is no prior. And
    line 5, from which it starts, may divide by zero.

    Where t ≤ 0, when topics co-occur with themselves no more often than by chance, α₀ is
    `MOST_CONCENTRATION`; where t ≥ 1, when no two topics co-occur, it is `LEAST_CONCENTRATION`; a
    single topic, for which any α is as good, has α = 1. A topic that A never draws (whose row
    doesn't sum to more than zero) is left out of the fit and has a share of `LEAST_SHARE`.

    >>> dirichlet_prior(np.array([[0.375, 0.125], [0.125, 0.375]])).round(9)
    array([0.5, 0.5])
    """
    drawn = _drawn(correlations)
    moments = normalised(correlations[np.ix_(drawn, drawn)])
    shares = moments.sum(axis=1)
    alpha = np.full(len(correlations), LEAST_SHARE)
    alpha[drawn] = np.maximum(shares, LEAST_SHARE)
    return alpha * _concentration(moments / shares[:, None], shares)


def _concentration(conditional: Array, shares: Array) -> float:
    """α₀ from the lowest point of the parabola, within its bounds."""
    k, squares = len(shares), len(shares) * float(shares @ shares)
    if k == 1:
        return 1.0
    chance = float((conditional @ shares).sum())
    t = (float(np.trace(conditional)) - 1.0 - chance + squares) / (k - 2.0 + squares)
    highest, lowest = 1.0 / (LEAST_CONCENTRATION + 1.0), 1.0 / (MOST_CONCENTRATION + 1.0)
    return 1.0 / min(max(t, lowest), highest) - 1.0


def _drawn(correlations: Array) -> NDArray[np.intp]:
    """The topics with any probability, counting only pairs among them."""
    drawn = np.arange(len(correlations))
    while len(drawn):
        positive = correlations[np.ix_(drawn, drawn)].sum(axis=1) > 0
        if positive.all():
            return drawn
        drawn = drawn[positive]
    raise InputError(
        "No topic has any probability in the correlations, so they have no prior; use correlations "
        "read off the anchors of a rectified co-occurrence matrix."
    )


def _anchors_together(joint: Joint, anchors: Sequence[Group]) -> Array:
    """C_SS: each group's rows and columns added up."""
    words = np.concatenate(anchors)
    starts = np.cumsum([0, *(len(group) for group in anchors[:-1])])
    among = np.asarray(joint[words][:, words], dtype=np.float64)
    return np.asarray(np.add.reduceat(np.add.reduceat(among, starts, axis=0), starts, axis=1))


def _check_anchors(topics: Array, anchors: Sequence[Group]) -> None:
    if len(anchors) != len(topics) or not all(len(group) for group in anchors):
        raise InputError(
            f"{topics_need(len(topics))} as many anchors of at least one word each. Got "
            f"{plural(len(anchors), 'anchor')} of {[len(group) for group in anchors]} words."
        )
