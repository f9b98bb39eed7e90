"""Where topics stand on the map, which of them occur together, and the tree that joins them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from chatham.looking.contingency import Contingency, learned_contingency
from chatham.looking.distances import jensen_shannon, word_distances
from chatham.looking.embeddings import FEW, embedded
from chatham.looking.relations import Relations
from chatham.looking.topics import Topics

Array = NDArray[np.float64]

LINKS = 3
"""The most lines that begin at a topic."""
FAR = 2.2
"""Standard deviations from the middle beyond which nothing stands: a few tiny topics, which are far
from everything, would press all others together."""
NEAR = {"documents": "by the documents they share", "words": "by the words they share"}
METHODS = {"pca": "", "tsne": ", t-SNE", "lle": ", locally linear"}


@dataclass(frozen=True, eq=False)
class Places:
    """Topics with what relates them; `together` is None where no document was counted."""

    topics: Topics
    together: Contingency | None

    @cached_property
    def alike(self) -> Array:
        """How far topics are from each other as distributions over words: Jensen–Shannon."""
        return jensen_shannon(self.topics.profiles)

    def layouts(self) -> list[dict[str, Any]]:
        """The layouts of the map, the best first; each has a point for every topic."""
        distances = {"words": word_distances(self.topics.profiles)}
        if self.together is not None:
            distances = {"documents": self.together.distances, **distances}
        methods = list(METHODS) if len(self.topics) >= FEW else ["pca"]
        return [
            self._layout(near, method, distances[near]) for method in methods for near in distances
        ]

    def _layout(self, near: str, method: str, distances: Array) -> dict[str, Any]:
        shares = self.topics.shares
        points = within_reach(embedded(distances, method, 0, shares), shares)
        return {
            "name": near if method == "pca" else f"{near}-{method}",
            "title": NEAR[near] + METHODS[method],
            "x": points[:, 0].tolist(),
            "y": points[:, 1].tolist(),
        }

    def links(self) -> dict[str, Any]:
        """Topics that occur together more often than by chance: as the model has learned it, or as
        documents have been counted."""
        learned = learned_contingency(self.topics)
        known = self.together if learned is None else learned
        if known is None:
            return {"source": "", "links": []}
        lifted = known.lifts
        found: dict[tuple[int, int], float] = {}
        for t, row in enumerate(lifted):
            for other in np.argsort(-row, kind="stable")[:LINKS].tolist():
                if row[other] > 1.0:
                    found[min(t, other), max(t, other)] = float(row[other])
        numbers = self.topics.numbers
        links = [[numbers[a], numbers[b], lift] for (a, b), lift in sorted(found.items())]
        return {"source": "documents" if learned is None else "correlations", "links": links}

    def tree(self) -> list[list[float]]:
        """Topics joined two by two, the nearest first (average linkage): left, right, distance.

        Nodes 0 … k−1 are the topics in their order, k is the first pair, and so on.
        """
        if len(self.alike) < 2:
            return []
        joined = linkage(squareform(self.alike, checks=False), "average")
        return [[int(left), int(right), float(distance)] for left, right, distance, _ in joined]

    def order(self) -> list[int]:
        """The topics' numbers in an order in which neighbours are alike, by bond energy."""
        return [self.topics.numbers[row] for row in Relations(self.topics, "words").order()]


def within_reach(points: Array, shares: Array) -> Array:
    """Points at most so far from the middle of all topics, between −1 and 1.

    >>> points = np.array([[0.0, 0], [1, 0], [90, 0]])
    >>> within_reach(points, np.array([0.5, 0.5, 0.0]))[:, 0].round(3).tolist()
    [0.0, 0.625, 1.0]
    """
    shares = np.maximum(shares, 1e-9) / np.maximum(shares, 1e-9).sum()
    middle = shares @ points
    spread = np.sqrt(shares @ (points - middle) ** 2)
    kept = np.clip(points, middle - FAR * spread, middle + FAR * spread)
    return np.asarray(kept / max(float(np.abs(kept).max()), np.finfo(float).tiny))
