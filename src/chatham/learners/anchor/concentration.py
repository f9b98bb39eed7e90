"""How concentrated documents are on their topics: α₀ by the likelihood of documents (Arora 2013).

The shares of topics give the Dirichlet's α up to a factor. It could be read off the correlations
(`dirichlet_prior`), but the source found it better "to choose it using a grid search to maximize
the likelihood of the training data" (Arora et al. 2013, section 3). So here is one sum over the
documents, of their log-likelihoods under every factor of the grid.

The likelihood of a document under a Dirichlet has no closed form; it is replaced by its variational
lower bound (Blei et al. 2003), at the weights Dir(g) with g = N + α that `settle` ends with:

    ln Γ(α₀) − Σ ln Γ(α_k) − ln Γ(g₀) + Σ ln Γ(g_k)
        + Σ (α_k − g_k) λ_k + Σ_w n_w ln Σ_k φ_kw exp λ_k

for λ_k = E ln w_k = ψ(g_k) − ψ(g₀), which holds for any g.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, psi

from chatham.commons import Commons, Memory
from chatham.commons.precision import LOG_LIKELIHOOD
from chatham.learners.anchor.refine import likelihood_of, settle, started
from chatham.learners.documents import Documents, counts_of

Array = NDArray[np.float64]

GRID = 10.0 ** (np.arange(-8, 9) / 4.0)
"""α₀ from 0.01 to 100, each 1.8 times the one before."""
STEPS = 20
"""For each document and α₀; as many as for a new document leave its counts nearly settled."""


def prior_by_likelihood(commons: Commons, topics: Array, shares: Array, unigram: Array) -> Array:
    """α: the shares times the α₀ of the grid under which documents are likeliest."""
    mixed, alpha = started(topics, shares, unigram)
    shares = alpha / alpha.sum()
    likelihoods = commons.sum(likelihoods_of_priors, mixed, shares, most=LOG_LIKELIHOOD)
    return np.asarray(GRID[int(np.argmax(likelihoods))] * shares)


def likelihoods_of_priors(rows: Any, memory: Memory, topics: Array, shares: Array) -> Array:
    """The log-likelihood of all documents, or a bound of it, under each of seventeen priors."""
    documents = counts_of(rows, memory)
    return np.array([bound(documents, topics, total * shares) for total in GRID])


def bound(documents: Documents, topics: Array, alpha: Array) -> float:
    """The lower bound of the documents' log-likelihood."""
    counts = documents.sizes[:, None] * (alpha / alpha.sum())
    settle(documents, topics, alpha, counts, STEPS)
    known = counts + alpha
    numbers = known.sum(axis=1)
    logs = psi(known) - psi(numbers)[:, None]
    of_prior = gammaln(alpha.sum()) - gammaln(alpha).sum()
    of_weights = gammaln(known).sum(axis=1) - gammaln(numbers) - (counts * logs).sum(axis=1)
    of_words = likelihood_of(documents, topics, np.exp(logs))
    return float(len(counts) * of_prior + of_weights.sum()) + of_words
