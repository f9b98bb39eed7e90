"""Importing what measures need: it takes seconds on a cold disk, so somebody waiting is told."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chatham.cli.progress import Silent

HEAVY = (
    "numpy",
    "scipy.sparse",
    "pandas",
    "scipy.stats",
    "sklearn.base",
    "numba",
    "chatham.corpus",
    "chatham.measures.evaluate",
)
"""In pieces, since a log is only written to between them."""


def load(shown: Silent) -> None:
    """Import it all, and say so again and again."""
    for name in HEAVY:
        shown.stage("Loading")
        import_module(name)
    shown.stage("Loading")
