"""Where topics stand on the map, which of them occur together, and the tree that joins them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from chatham.numerics.joint import lifts

Array = NDArray[np.float64]

FAR = 2.2
"""Standard deviations from the middle beyond which nothing stands."""
LINKS = 3
"""The most lines that begin at a topic."""
TINY = 1e-300


def topic_distances(topics: Array) -> Array:
    """Jensen–Shannon distances of topics as distributions over words: between 0 and 1."""
    k = len(topics)
    distances = np.zeros((k, k))
    logs = _entropies(topics)
    for t in range(k - 1):
        middle = (topics[t] + topics[t + 1 :]) / 2
        divergence = _entropies(middle) - (logs[t] + logs[t + 1 :]) / 2
        distances[t, t + 1 :] = np.sqrt(np.clip(divergence / np.log(2.0), 0.0, 1.0))
    return distances + distances.T


def _entropies(rows: Array) -> Array:
    return np.asarray(-(rows * np.log(np.maximum(rows, TINY))).sum(axis=1))


def contingency(weights: Array) -> Array:
    """C = WᵀW: in how many documents two topics are expected to meet (section 1.3.6.2)."""
    return np.asarray(weights.T @ weights)


def conditional_distances(together: Array) -> Array:
    """Distances from co-occurrence: C_ij / Σ_j C_ij as P(j|i), by eqs. 1.33–1.34 with one σ.

    Up to a scale and a shift, D_ij = −log P(j|i); made symmetric, with the nearest pair close.
    """
    given = together / np.maximum(together.sum(axis=1, keepdims=True), TINY)
    distances = -np.log(np.maximum((given + given.T) / 2, 1e-12))
    np.fill_diagonal(distances, np.nan)
    if len(distances) > 1:
        distances = distances - np.nanmin(distances) + 0.25 * np.nanstd(distances)
    np.fill_diagonal(distances, 0.0)
    return np.sqrt(distances)


def plane(distances: Array, shares: Array) -> Array:
    """Classical scaling of distances to two coordinates between −1 and 1; each axis has one sign.

    Topics count by their shares, so that a few tiny ones, which are far from everything, don't
    press all others together.
    """
    k = len(distances)
    if k < 2:
        return np.zeros((k, 2))
    counts = np.maximum(shares, 1e-9) / np.maximum(shares, 1e-9).sum()
    centring = np.eye(k) - counts
    root = np.sqrt(counts)
    inner = -centring @ (distances**2) @ centring.T / 2
    values, vectors = np.linalg.eigh(root[:, None] * inner * root)
    order = np.argsort(-values, kind="stable")[:2]
    points = vectors[:, order] * np.sqrt(np.maximum(values[order], 0.0)) / root[:, None]
    spread = np.sqrt((counts[:, None] * points**2).sum(axis=0))
    points = np.clip(points, -FAR * spread, FAR * spread)
    if points.shape[1] < 2:
        points = np.hstack([points, np.zeros((k, 1))])
    signs = np.sign(points[np.abs(points).argmax(axis=0), [0, 1]])
    points = points * np.where(signs == 0, 1.0, signs)
    return np.asarray(points / max(float(np.abs(points).max()), 1e-12))


def places_of(distances: Array, shares: Array, together: Array | None) -> list[dict[str, Any]]:
    """The layouts of the map, the best first; each has a point for every topic.

    `distances` are those of words, `together` the contingency of topics if there are documents.
    """
    layouts = []
    if together is not None:
        points = plane(conditional_distances(together), shares)
        layouts.append(_layout("together", "by the documents they share", points))
    layouts.append(_layout("words", "by the words they share", plane(distances, shares)))
    return layouts


def _layout(name: str, title: str, points: Array) -> dict[str, Any]:
    return {"name": name, "title": title, "x": points[:, 0].tolist(), "y": points[:, 1].tolist()}


def links_of(model: Any, together: Array | None, numbers: list[int]) -> dict[str, Any]:
    """Topics that occur together more often than by chance: by learned correlations if there are
    any, else by the documents."""
    if getattr(model._fitted, "correlations_", None) is not None:
        source, together = "correlations", model._correlations
    elif together is not None:
        source = "documents"
    else:
        return {"source": "", "links": []}
    lifted = lifts(together) if together.sum() > 0 else np.zeros_like(together)
    found: dict[tuple[int, int], float] = {}
    for t, row in enumerate(lifted):
        for other in np.argsort(-row, kind="stable")[:LINKS].tolist():
            if row[other] > 1.0:
                found[min(t, other), max(t, other)] = float(row[other])
    links = [[numbers[a], numbers[b], lift] for (a, b), lift in sorted(found.items())]
    return {"source": source, "links": links}


def tree_of(distances: Array) -> list[list[float]]:
    """Topics joined two by two, the nearest first (average linkage): left, right, distance.

    Nodes 0 … k−1 are the topics in their order, k is the first pair, and so on.
    """
    if len(distances) < 2:
        return []
    joined = linkage(squareform(distances, checks=False), "average")
    return [[int(left), int(right), float(distance)] for left, right, distance, _ in joined]


def leaves(k: int, tree: list[list[float]]) -> list[int]:
    """The topics in the order of the tree's leaves, where alike ones are neighbours.

    >>> leaves(3, [[0, 2, 0.1], [3, 1, 0.5]])
    [0, 2, 1]
    """
    below: dict[int, list[int]] = {topic: [topic] for topic in range(k)}
    for number, (left, right, _) in enumerate(tree):
        below[k + number] = below[int(left)] + below[int(right)]
    return below[k + len(tree) - 1] if tree else list(range(k))
