"""A sampler over documents, begun as a fit begins it."""

from chatham.learners.lda.gibbs import draw_start, tokens_of
from chatham.learners.lda.sampler import Sampler
from chatham.learners.lda.steps import document_keys


def sampler_of(documents, k, shards, seed, holder):
    """Every token has a topic at random."""
    tokens = tokens_of(documents, document_keys(documents, seed, holder))
    draw_start(tokens, k)
    return Sampler(tokens, documents.blocks, documents.d, k, shards)
