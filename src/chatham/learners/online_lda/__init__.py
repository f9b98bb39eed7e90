"""LDA of a stream: online EM with local Gibbs sampling (G-OEM)."""

from chatham.learners.online_lda.local_gibbs import expected_counts
from chatham.learners.online_lda.online_em import step_size, topics_of
from chatham.learners.online_lda.online_lda import OnlineLDA

__all__ = ["OnlineLDA", "expected_counts", "step_size", "topics_of"]
