"""Non-negative matrix factorisation: Algorithm 2 of the thesis, its starts, its two halves."""

from chatham.learners.nmf.nmf import NMF

__all__ = ["NMF"]
