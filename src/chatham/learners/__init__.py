"""Learners, each written once against the sum: every one reads like its algorithm.

What a learner of one's own stands on is imported when it is first used: whoever only checks a model
needs neither scikit-learn nor numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatham.learners.base import Fitted, TopicLearner

__all__ = ["Fitted", "TopicLearner"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'chatham.learners' has no attribute {name!r}")
    return getattr(import_module("chatham.learners.base"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
