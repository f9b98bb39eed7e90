"""Learners, each written once against the sum: every one reads like its algorithm.

What your own learner builds on is imported when it is first used: a program that only checks a
model needs neither scikit-learn nor numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatham.learners.base import TopicLearner
    from chatham.learners.convergence import UnconvergedWarning, has_converged
    from chatham.learners.documents import counts_of, frequencies_of
    from chatham.learners.fitted import Fitted
    from chatham.learners.settings.learned import Events, Groups, Numbers, Series

_MODULES = {
    "Events": "settings.learned",
    "Fitted": "fitted",
    "Groups": "settings.learned",
    "Numbers": "settings.learned",
    "Series": "settings.learned",
    "TopicLearner": "base",
    "UnconvergedWarning": "convergence",
    "counts_of": "documents",
    "frequencies_of": "documents",
    "has_converged": "convergence",
}

__all__ = [
    "Events",
    "Fitted",
    "Groups",
    "Numbers",
    "Series",
    "TopicLearner",
    "UnconvergedWarning",
    "counts_of",
    "frequencies_of",
    "has_converged",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'chatham.learners' has no attribute {name!r}")
    return getattr(import_module(f"chatham.learners.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
