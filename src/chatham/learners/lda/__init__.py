"""Latent Dirichlet allocation by collapsed Gibbs sampling: Algorithm 4 of the thesis."""

from chatham.learners.lda.lda import LDA

__all__ = ["LDA"]
