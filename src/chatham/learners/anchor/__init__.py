"""Rectified anchor words, one step of the algorithm per file."""

from chatham.learners.anchor.anchor_words import AnchorWords
from chatham.learners.anchor.correlations import smallest_eigenvalue

__all__ = ["AnchorWords", "smallest_eigenvalue"]
