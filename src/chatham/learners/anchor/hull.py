"""Anchors as the exact vertices of a convex hull of approximate points (Lee 2018, chapter 1).

Words are embedded in two to four dimensions, by t-SNE or by principal components of their rows of
C̄; those at the corners of the convex hull are anchors, the farthest from the centre first. How
many there are depends on the dimensions, so a hull can have fewer corners than we want topics.

t-SNE starts from the principal components, slightly perturbed by the seed, and runs in one thread:
its own threads would change the last bits, which it tends to amplify.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError
from threadpoolctl import threadpool_limits

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Array, Conditional, Group
from chatham.learners.anchor.select import AS_FAR, ROUNDING, as_groups, free_words
from chatham.learners.settings.anchor_words import DIMENSIONS
from chatham.numerics.eigen import Times, leading, orthonormal

METHODS = ("tsne", "pca")

NARROWED = 50
"""Principal components that t-SNE measures distances in."""
PERPLEXITY = 30.0
STEP = 48.0
"""t-SNE's learning rate is the number of words divided by this, scikit-learn's own choice for many
words; its choice for few (50) scatters them."""
FEW = 300
"""Up to this many words, t-SNE without approximation is as fast."""
SPREAD, NOISE = 1e-4, 1e-2
"""How wide t-SNE's start is, and the random share of it."""
FLAT = 1e-10
"""Points whose extent in some direction is below this share of their largest lie in a plane."""
SPARE, DEPTH, MOST, SETTLED = 8, 4, 120, {4: 1e-5, 8: 1e-9}
"""For the principal components: extra vectors, products before a restart and in total, and accuracy
by the number of bytes of a float."""


def hull_anchors(
    conditional: Conditional,
    k: int,
    candidates: NDArray[np.bool_],
    *,
    method: str = "tsne",
    dimensions: int = 3,
    seed: int = 0,
) -> tuple[list[Group], Array]:
    """The k corners of the candidates' hull that are farthest from its centre, and how far."""
    words = np.flatnonzero(free_words(conditional, k, candidates, ()))
    points = embed(conditional, words, dimensions, method, seed)
    corners = hull_vertices(points)
    if len(corners) < k:
        more = "use more dimensions or " if dimensions < DIMENSIONS[-1] else ""
        raise InputError(
            f"The hull of {len(words)} words in {dimensions} dimensions has {len(corners)} "
            f"corners, and {k} topics need {k} of them; {more}choose at most {len(corners)} topics."
        )
    distances = np.linalg.norm(points[corners] - points.mean(axis=0), axis=1)
    # Rounded, so that the last bit doesn't order corners at equal distances.
    order = np.argsort(-np.round(distances / distances.max(), 9), kind="stable")[:k]
    return as_groups((), [int(word) for word in words[corners[order]]]), distances[order]


def hull_vertices(points: Array) -> NDArray[np.int64]:
    """The indices of the corners of the convex hull, ascending; of equal points, the first.

    >>> hull_vertices(np.array([[0, 0], [1, 1], [2, 0], [0, 2], [2, 2], [2, 0.0]])).tolist()
    [0, 2, 3, 4]
    """
    n, dimensions = points.shape
    if n <= dimensions:
        raise InputError(
            f"A hull in {dimensions} dimensions needs at least {dimensions + 1} points, and there "
            f"are {n}; use fewer dimensions, or let more words be candidates."
        )
    distinct, first = np.unique(points, axis=0, return_index=True)
    extents = np.linalg.svd(distinct - distinct.mean(axis=0), compute_uv=False)
    try:
        if len(extents) < dimensions or extents[-1] <= FLAT * extents[0]:
            raise QhullError
        corners = ConvexHull(distinct).vertices
    except QhullError:
        raise InputError(
            f"The {n} points fill fewer than their {dimensions} dimensions (they lie in a plane, "
            "on a line or at one point), so they have no hull there; use fewer dimensions, or let "
            "more words be candidates."
        ) from None
    return np.sort(first[corners]).astype(np.int64)


def embed(
    conditional: Conditional, words: NDArray[np.int64], dimensions: int, method: str, seed: int
) -> Array:
    """These words as points in two to four dimensions, by "tsne" or "pca".

    t-SNE has no fast method for four dimensions: its time is then quadratic in the number of words,
    and thousands of them take many minutes.
    """
    if method not in METHODS:
        raise InputError(f"The embedding must be one of {METHODS}; it is {method!r}.")
    if dimensions not in DIMENSIONS:
        raise InputError(f"An embedding must have 2, 3 or 4 dimensions; it has {dimensions!r}.")
    if len(words) <= dimensions:
        raise InputError(
            f"An embedding in {dimensions} dimensions needs at least {dimensions + 1} words, and "
            f"there are {len(words)}; use fewer dimensions, or let more words be candidates."
        )
    if method == "pca":
        return principal_components(conditional, words, dimensions)
    narrowed = principal_components(conditional, words, max(NARROWED, dimensions))
    return _tsne(narrowed, dimensions, seed)


def principal_components(
    conditional: Conditional, words: NDArray[np.int64], dimensions: int
) -> Array:
    """The rows of these words, centred, along the directions in which they vary most.

    Rows are never gathered: the products that are needed are products with C, which is symmetric.
    Each direction points towards the farthest word. Beyond the rank of C, and where rows differ
    only by rounding, all coordinates are 0.
    """
    d, n = len(conditional), len(words)
    chosen = np.zeros((d, 1))
    chosen[words] = 1.0 / np.sqrt(n)
    inverse = np.divide(1.0, conditional.totals, where=conditional.occurs, out=np.zeros(d))
    centre = conditional.totals * conditional.times(inverse[:, None] * chosen)[:, 0] / np.sqrt(n)

    def covariance(right: Array) -> Array:
        product = conditional.times(right) * chosen**2
        back = conditional.totals[:, None] * conditional.times(inverse[:, None] * product)
        return np.asarray(back - np.outer(centre, centre @ right))

    axes = leading_vectors(
        covariance, d, min(dimensions, d), SETTLED[conditional.joint.dtype.itemsize]
    )
    points = conditional.times(axes)[words] - centre @ axes
    rounding = ROUNDING * np.finfo(conditional.joint.dtype).eps * np.linalg.norm(centre)
    points[:, np.abs(points).max(axis=0) <= rounding] = 0.0
    return _signed(np.pad(points, ((0, 0), (0, dimensions - points.shape[1]))))


def leading_vectors(times: Times, d: int, count: int, tol: float) -> Array:
    """The `count` first eigenvectors (d×count) of a symmetric matrix without negative ones."""
    width = min(d, count + SPARE)
    start = orthonormal(np.random.default_rng(0).standard_normal((d, width)))
    return leading(times, start, count, tol=tol, depth=DEPTH, most=MOST)[0][:, :count]


def _signed(points: Array) -> Array:
    """Orient each axis so that its farthest point, the first of ties, is positive."""
    sizes = np.abs(points)
    farthest = np.argmax(sizes >= sizes.max(axis=0) * (1.0 - AS_FAR), axis=0)
    signs = np.where(points[farthest, np.arange(points.shape[1])] < 0, -1.0, 1.0)
    return np.asarray(points * signs)


def _tsne(points: Array, dimensions: int, seed: int) -> Array:
    from sklearn.manifold import TSNE

    n = len(points)
    # Rounded, so that a sum in another order of holders leads to the same embedding.
    points = np.round(points / max(np.abs(points).max(), np.finfo(float).tiny), 6)
    noise = NOISE * np.random.default_rng(seed).standard_normal((n, dimensions))
    embedding = TSNE(
        dimensions,
        perplexity=min(PERPLEXITY, max((n - 1) / 3, 1.0)),
        learning_rate=n / STEP,
        init=(SPREAD * (points[:, :dimensions] + noise)).astype(np.float32),
        method="exact" if dimensions > 3 or n <= FEW else "barnes_hut",
        random_state=0,
    )
    with threadpool_limits(1):
        return np.asarray(embedding.fit_transform(points), dtype=np.float64)
