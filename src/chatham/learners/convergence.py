"""When a fit has converged, measured against what it gained; and a warning if it ended before.

Most of a text's squared error, and of its log-likelihood, is what no topics can explain. A change
that is tiny beside that may still be large beside what topics explain: so the objective's change is
held against how far it is from that of a model without topics. The pace alone doesn't tell how far
the end is either: EM may go on for hundreds of iterations, each gaining hardly less than the one
before. So it counts what as many iterations again would gain at the present pace. Experiments:
`experiments/results/stopping.md`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from chatham.learners.parameters import learner_called
from chatham.notes import ChathamWarning
from chatham.wording import Parameter, say

RECENT = 10
"""Iterations by which the pace is judged: a single one may be slow between two that aren't."""
ROUNDING = 1e-12
"""Changes below this share of the objective itself are rounding, also in fixed point."""


class UnconvergedWarning(ChathamWarning, ConvergenceWarning):
    """A fit took all its iterations, and its tolerance was not met."""


def has_converged(objective: Sequence[float], tol: float, nothing: float | None = None) -> bool:
    """Whether as many iterations again would gain at most `tol` of what was gained so far.

    At the pace of the last ten, that is. The gain is counted from `nothing`, the objective of a
    model that has learned nothing; if that isn't known, from the first iteration. All is computed
    from totals, so every party decides the same. With `tol=0` all iterations are run: once
    converged, the last bit alone would decide when to stop.

    >>> has_converged([90.0, 80.5, 80.0], 0.2, nothing=100.0)  # three times 5 again is too much
    False
    >>> has_converged([80.0, 79.6, 79.5], 0.2, nothing=100.0)
    True
    """
    if tol == 0 or len(objective) < 2:
        return False
    last, recent = objective[-1], min(RECENT, len(objective) - 1)
    change = abs(last - objective[-1 - recent])
    gained = abs(last - (objective[0] if nothing is None else nothing))
    allowed = tol * gained * recent / len(objective)
    return change <= max(allowed, ROUNDING * abs(last))


def warn_unconverged(learner: Any, n_iter: int, stacklevel: int = 2) -> None:
    """Warn that the iterations ran out before the tolerance was met."""
    warnings.warn(
        say(
            "{learner} took all its {n_iter} iterations and hadn't converged to {tol=:g}; allow "
            "more with {max_iter}, or accept this with a larger {rule} (at 0 it always takes all).",
            learner=learner_called(learner),
            n_iter=n_iter,
            tol=learner.tol,
            rule=Parameter("tol"),
        ),
        UnconvergedWarning,
        stacklevel=stacklevel + 1,
    )
