"""Co-occurrence of topics with an anchor each, exact and noisy."""

import numpy as np

MIXING = ["admm", "l2", "kl"]


def separable(d=40, k=4, seed=0, least=0.0):
    """Topics with an anchor each (word z of topic z), their correlations, and C = BABᵀ.

    Every other word has at least the share `least` of each topic.
    """
    rng = np.random.default_rng(seed)
    shares = (1 - k * least) * rng.dirichlet(np.full(k, 0.4), d) + least
    shares[:k] = np.eye(k)
    topics = (shares * rng.uniform(0.2, 1, (d, 1))).T
    topics /= topics.sum(axis=1, keepdims=True)
    weights = rng.dirichlet(np.full(k, 0.3), 400)
    correlations = weights.T @ weights / 400
    return topics, correlations, topics.T @ correlations @ topics


def noisy(joint, seed=0, size=0.3):
    """Each pair's chance times a random factor: symmetric, of full rank."""
    factors = np.random.default_rng(seed).gamma(1 / size, size, joint.shape)
    joint = joint * (factors + factors.T)
    return joint / joint.sum()


def singles(k):
    return [np.array([word]) for word in range(k)]
