"""A map of topics: points in the plane, near each other where topics are alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.looking.embeddings import embedded
from chatham.looking.relations import Relations, relations_of
from chatham.numerics.threads import threads

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TopicMap:
    """Where each topic lies, between −1 and 1."""

    relations: Relations
    points: Array
    method: str

    def table(self) -> pd.DataFrame:
        """One row per topic: its number, name, share, and where it lies."""
        topics = self.relations.topics
        return pd.DataFrame(
            {
                topics.kind: topics.numbers,
                "name": np.array(topics.names, dtype=object),
                "share": self.relations.shares,
                "x": self.points[:, 0],
                "y": self.points[:, 1],
            }
        )


def map_of(
    model: Any,
    documents: Any = None,
    *,
    by: str | None = None,
    method: str = "pca",
    distance: str = "hellinger",
    random_state: int = 0,
    vocabulary: Any = None,
    n_jobs: int | None = None,
) -> TopicMap:
    """A map of the topics of a model, or of anything else that `as_subject` takes.

    `by` is what makes topics alike: the "documents" that they are in, the "correlations" that the
    model has learned, or their "words" (`distance`: "hellinger", "jensen-shannon", "euclidean").
    `method` is how distances are put on a plane: "pca", "tsne" or "lle".
    """
    relations = relations_of(model, documents, by=by, vocabulary=vocabulary, n_jobs=n_jobs)
    with threads(None):
        points = embedded(relations.distances(distance), method, random_state, relations.shares)
    return TopicMap(relations, points, method)
