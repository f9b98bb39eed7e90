"""A learner from outside: a mixture of von Mises–Fisher distributions by EM (Banerjee et al. 2005).

A document is a direction x of length one, which topic t finds as probable as πₜ·exp(κ·x·μₜ).
"""

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.preprocessing import normalize

import chatham as ch
from chatham.learners import Fitted, Numbers, frequencies_of, has_converged


class Cones(ch.TopicLearner):
    """Documents lie in cones around topics; `cohesion_` is the mean cosine within each."""

    learned = {"cohesion_": Numbers("k", least=0.0)}  # noqa: RUF012

    def __init__(self, n_components=10, *, concentration=60.0, max_iter=60, tol=1e-8,
                 random_state=None, n_jobs=None, verbose=0):  # fmt: skip
        super().__init__(n_components, max_iter=max_iter, tol=tol, random_state=random_state,
                         n_jobs=n_jobs, verbose=verbose)  # fmt: skip
        self.concentration = concentration

    def _fit(self, commons, seed):
        k, d = self.n_components, commons.n_features
        topics = np.random.default_rng(seed).dirichlet(np.full(d, 0.1), k)
        shares, distances = np.full(k, 1 / k), []
        while len(distances) < self.max_iter and not has_converged(distances, self.tol):
            totals, sizes = commons.sum(add_by_topic, normalize(topics), shares, self.concentration)
            cosines = np.linalg.norm(totals, axis=1)
            topics, shares = np.maximum(totals, 1e-9), sizes / sizes.sum()
            distances.append(float(sizes.sum() - cosines.sum()))
        more = {"cohesion_": cosines / np.maximum(sizes, 1e-9)}
        return Fitted(normalize(topics, "l1"), sizes, distances, len(distances), more)

    def _weights(self, documents):
        topics = normalize(self.components_)
        return posterior(directions(documents), topics, self.prevalence_, self.concentration)


def add_by_topic(rows, memory, topics, shares, concentration):
    """Documents of length one, added up by topic, and how many each topic has."""
    documents = frequencies_of(rows, memory)
    weights = posterior(directions(documents), topics, shares, concentration)
    weights[documents.empty] = 0.0
    return (directions(documents).T @ weights).T, weights.sum(axis=0)


def posterior(documents, topics, shares, concentration):
    return softmax(concentration * (documents @ topics.T) + np.log(shares + 1e-12), axis=1)


def directions(documents):
    cells = documents.data, documents.indices, documents.indptr
    return normalize(sp.csr_array(cells, (documents.n, documents.d)))
