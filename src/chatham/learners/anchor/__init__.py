"""Rectified anchor words, a step of the algorithm a file."""

from chatham.learners.anchor.anchor_words import AnchorWords

__all__ = ["AnchorWords"]
