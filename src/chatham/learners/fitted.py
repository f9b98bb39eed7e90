"""What a learner's own code hands back; it may be anybody's, so it is checked before it is kept.

A mistake is told where it was made, and not by a table, a measure or a file long after.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.parameters import learner_called
from chatham.learners.settings.base import Settings
from chatham.learners.settings.learned import Learned, Numbers, Series, check_learned

Array = NDArray[np.float64]


@dataclass
class Fitted:
    """What a learner's own algorithm hands back: topics, how big each is, and how it went."""

    topics: Array
    sizes: Array
    objective: list[float] | Array
    n_iter: int
    more: dict[str, Any] = field(default_factory=dict)
    """What else was learned, by name, all that `learned` declares; what is there for each topic is
    put in the topics' order."""
    revived: list[tuple[int, int]] | None = None
    """Which topics began anew and in which iteration, from learners that revive them."""
    converged: bool = True
    """Whether it ended by itself; if not, and there is a tolerance, a warning says so."""
    numbered: bool = False
    """Whether topics have their numbers already, and keep them whatever their sizes are."""


def checked(learner: Settings, fitted: Any) -> Fitted:
    """The same in arrays of float64, with `revived_` among `more`, if it is what it should be."""
    if not isinstance(fitted, Fitted):
        raise _refused(learner, f"a {type(fitted).__name__}", "return a Fitted")
    topics = _taken(Numbers("kd"), learner, "topics", fitted.topics)
    sizes = _taken(Numbers("k"), learner, "sizes", fitted.sizes)
    if not np.isfinite(topics).all() or (topics.min() < 0 and not learner.directions):
        least = "" if learner.directions else " of at least 0"
        raise _refused(learner, "topics with other numbers", f"return finite ones{least}")
    # All may be zero: a penalty may leave no weight, and between parties no topic may be large
    # enough to be added up.
    if not np.isfinite(sizes).all() or sizes.min() < 0:
        rule = "return finite numbers of at least 0"
        raise _refused(learner, f"sizes from {sizes.min():g} to {sizes.max():g}", rule)
    n_iter = fitted.n_iter
    if not isinstance(n_iter, Integral) or isinstance(n_iter, bool) or n_iter < 0:
        raise _refused(learner, f"n_iter={n_iter!r}", "return how many iterations there were")
    return replace(
        fitted,
        topics=topics,
        sizes=sizes,
        objective=_taken(Series(), learner, "objective", fitted.objective),
        n_iter=int(n_iter),
        more=_more(learner, fitted),
    )


def _more(learner: Settings, fitted: Fitted) -> dict[str, Any]:
    """All that is declared to be learned, and nothing else."""
    called, learned = learner_called(learner), learner.learned
    check_learned(called, learned)
    more = dict(fitted.more)
    if fitted.revived is not None:
        more["revived_"] = fitted.revived
    for name in learned:
        if name not in more:
            raise InputError(
                f"{called} says that a fit leaves {name!r} behind, and this one didn't; give it "
                "among what _fit returns, or take it out of learned."
            )
    for name in more:
        if name not in learned:
            what = f"{name!r}, which it doesn't declare"
            raise _refused(learner, what, "add it to learned, or leave it out")
    return {name: _taken(learned[name], learner, name, value) for name, value in more.items()}


def _taken(kind: Learned, learner: Settings, name: str, value: Any) -> Any:
    k, d = learner.n_components, learner.n_features_in_
    try:
        return kind.taken(value, k, d)
    except (TypeError, ValueError, OverflowError):
        rule = f"for {k:,} topics and {d:,} words return {kind}"
        raise _refused(learner, f"{name!r} as {_form(value)}", rule) from None


def checked_weights(learner: Settings, weights: Any, n: int) -> Array:
    """The weights of n documents as an array that may be written in."""
    k = len(learner.components_)
    try:
        array = np.require(weights, np.float64, "W")
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != (n, k) or not np.isfinite(array).all():
        raise InputError(
            f"{learner_called(learner)}._weights returned {_form(weights)} for {n:,} documents and "
            f"{k:,} topics; return finite numbers, documents × topics."
        )
    return array


def _refused(learner: Settings, what: str, rule: str) -> InputError:
    return InputError(f"{learner_called(learner)}._fit returned {what}; {rule}.")


def _form(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return f"a {type(value).__name__}" + (f" of shape {shape}" if shape is not None else "")
