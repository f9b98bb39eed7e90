"""LDA of a stream: online EM with local Gibbs sampling (G-OEM)."""

from chatham.learners.online_lda.local_gibbs import expected_counts as expected_counts
from chatham.learners.online_lda.online_em import step_size as step_size
from chatham.learners.online_lda.online_em import topics_of as topics_of
