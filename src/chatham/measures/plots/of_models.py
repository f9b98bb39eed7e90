"""Pictures of what an anchor model has found, from the model alone: no document is needed.

The co-occurrence that a model stands for is BABᵀ, its topics and their correlations multiplied. A
word's row of it depends on p(topic|word) alone, so words of one topic lie in its corner and words
of several between theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chatham.errors import InputError
from chatham.measures.plots.anchors import plot_anchor_words
from chatham.measures.plots.hierarchy import plot_hierarchy
from chatham.model.supertopics import hierarchy_of, hierarchy_words
from chatham.model.topic_model import TopicModel
from chatham.numerics.threads import threads

MOST_WORDS = 2000
"""So many of the most probable words are drawn, and looked at for where to draw them."""


def plot_anchors_of(model: TopicModel, *, method: str = "pca", title: str | None = None) -> Any:
    """A model's anchors among its words, with the words' convex hull; save it with `save_figure`.

    `method` is how words are put in the plane: "pca" or "tsne".
    """
    groups = getattr(model.estimator, "anchor_groups_", None)
    if groups is None:
        raise InputError(
            f"The topics of {type(model.estimator).__name__} have no anchors to draw; fit a model "
            "whose topics have, with ch.fit('anchor', ...)."
        )
    probability = model.prevalence @ model.topics
    probable = np.argsort(-probability, kind="stable")[:MOST_WORDS]
    words = np.union1d(probable[probability[probable] > 0], np.concatenate(groups))
    topics = np.ascontiguousarray(model.topics[:, words])
    with threads(None):
        joint = topics.T @ model.estimator.correlations_ @ topics
    anchors = [np.searchsorted(words, group) for group in groups]
    names = [str(word) for word in model.vocabulary[words]]
    return plot_anchor_words(joint, anchors, names, method=method, title=title)


def plot_hierarchy_of(
    model: TopicModel, levels: Sequence[int], *, n: int = 5, title: str | None = None
) -> Any:
    """A model's topics below their supertopics, with `n` words each."""
    tree = hierarchy_of(model, levels)
    return plot_hierarchy(tree, hierarchy_words(model, tree, n), title)
