"""Points in the plane that are as far from each other as topics are (thesis 1.3.6.2, Fig. 1.20).

All start from a matrix of distances. "pca" are its principal coordinates: those of principal
component analysis where distances are Euclidean, in which each point counts by its mass, a topic's
share, so that a few odd topics of next to no documents don't decide where all others lie. "tsne"
keeps neighbours together, by a perplexity of 8, the entropy of 3 bits of the thesis. "lle", locally
linear embedding, keeps each topic where it is between its neighbours. Signs are fixed, and there is
one thread, so that the same distances give the same points.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.naming import value_shown
from chatham.numerics.threads import threads
from chatham.wording import say

Array = NDArray[np.float64]

FEW = 4
"""Fewer points have no neighbourhoods, and are put at their principal coordinates."""
PERPLEXITY = 8.0
NEIGHBOURS = 16
"""How many neighbours a point is between, as in the thesis."""
RIDGE = 1e-3
"""The share of a neighbourhood's extent that is added so that its weights are unique."""
START = 1e-2
"""How wide t-SNE's start is."""
LEAST_MASS = 1e-6
"""The mass of a topic of no documents, which has a place too."""
DIGITS = 9


def embedded(
    distances: Array, method: str = "pca", seed: int = 0, masses: Array | None = None
) -> Array:
    """The points (k×2), centred, in a square from −1 to 1; `masses` count for "pca" alone."""
    if method not in METHODS:
        raise InputError(
            say(
                "{method} must be one of {names}. Got {it} instead.",
                names=", ".join(map(repr, METHODS)), it=value_shown(method),
            )
        )  # fmt: skip
    few = len(distances) < FEW
    with threads(None):
        if few or method == "pca":
            points = principal(distances, masses)
        else:
            points = METHODS[method](distances, seed)
    points = points - points.mean(axis=0)
    return turned(points / max(float(np.abs(points).max()), np.finfo(float).tiny))


def principal(distances: Array, masses: Array | None = None) -> Array:
    """Classical scaling: from the first eigenvectors of the inner products, weighted by mass.

    With masses m that sum to one, the inner products from the weighted mean are B = −½ J D² Jᵀ,
    J = I − 1mᵀ, and points are M^(−½) v √λ for eigenvectors v of M^½ B M^½.

    >>> line = np.abs(np.subtract.outer([0.0, 1, 3], [0.0, 1, 3]))
    >>> np.abs(principal(line)[:, 0]).round(3).tolist()
    [1.333, 0.333, 1.667]
    """
    masses = np.ones(len(distances)) if masses is None else np.maximum(masses, LEAST_MASS)
    masses = masses / masses.sum()
    roots = np.sqrt(masses)
    inner = centred(distances, masses) * np.outer(roots, roots)
    values, vectors = np.linalg.eigh(inner)
    keep = np.argsort(-values, kind="stable")[:2]
    points = np.zeros((len(distances), 2))
    lengths = np.sqrt(np.maximum(values[keep], 0.0))
    points[:, : len(keep)] = vectors[:, keep] * lengths / roots[:, None]
    return points


def centred(distances: Array, masses: Array) -> Array:
    """−½ J D² Jᵀ: the inner products of points with these distances, from their weighted mean."""
    squared = distances**2
    means = squared @ masses
    return np.asarray(-(squared - means[:, None] - means[None, :] + masses @ means) / 2)


def neighbouring(distances: Array, seed: int = 0) -> Array:
    """t-SNE, exact, from the principal coordinates."""
    from sklearn.manifold import TSNE

    start = principal(distances)
    spread = max(float(start.std(axis=0).max()), np.finfo(float).tiny)
    rng = np.random.default_rng(seed)
    start = START * (start / spread + 1e-3 * rng.standard_normal(start.shape))
    embedding = TSNE(
        n_components=2, perplexity=min(PERPLEXITY, (len(distances) - 1) / 3), metric="precomputed",
        init=start.astype(np.float32), method="exact", random_state=seed, n_jobs=1,
    )  # fmt: skip
    # A copy: distances would be squared where they are.
    return np.asarray(embedding.fit_transform(distances.copy()), dtype=np.float64)


def locally_linear(distances: Array, seed: int = 0, neighbours: int = NEIGHBOURS) -> Array:
    """Each point is a mean of its neighbours, with weights that fit their distances best.

    The inner products of neighbours, seen from the point, follow from distances alone:
    G_ab = ½ (d_ia² + d_ib² − d_ab²).
    """
    k = len(distances)
    neighbours = min(neighbours, k - 1)
    squared = distances**2
    weights = np.zeros((k, k))
    for point in range(k):
        order = np.argsort(squared[point].round(DIGITS), kind="stable")
        near = order[order != point][:neighbours]
        to = squared[point, near]
        inner = (to[:, None] + to[None, :] - squared[np.ix_(near, near)]) / 2
        ridge = RIDGE * float(np.trace(inner)) or 1.0  # all at one place: equal weights
        solved = np.linalg.solve(inner + ridge * np.eye(len(near)), np.ones(len(near)))
        weights[point, near] = solved / solved.sum()
    left = np.eye(k) - weights
    _, vectors = np.linalg.eigh(left.T @ left)
    return np.asarray(vectors[:, 1:3])


def turned(points: Array) -> Array:
    """The points mirrored so that in each dimension the one farthest out is on the positive side.

    >>> turned(np.array([[1.0, 2.0], [-3.0, -1.0], [2.0, -1.0]])).tolist()
    [[-1.0, 2.0], [3.0, -1.0], [-2.0, -1.0]]
    """
    farthest = np.abs(points.round(DIGITS)).argmax(axis=0)
    signs = np.where(points[farthest, np.arange(points.shape[1])] < 0, -1.0, 1.0)
    return points * signs


METHODS: dict[str, Callable[..., Array]] = {
    "pca": principal,
    "tsne": neighbouring,
    "lle": locally_linear,
}
