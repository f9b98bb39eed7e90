"""Figures of models and of measures, for notebooks and files; they need the extra `plot`.

Names are imported on first use, so that checking a file's extension doesn't import Matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatham.plots.anchors import plot_anchor_words, plot_anchors_of
    from chatham.plots.groups import draw_by_group as by_group
    from chatham.plots.groups import draw_over_time as over_time
    from chatham.plots.groups import plot_by_group, plot_over_time
    from chatham.plots.history import plot_history
    from chatham.plots.merged import plot_merged
    from chatham.plots.one_bit_sum import plot_one_bit_sum
    from chatham.plots.panels import save_figure
    from chatham.plots.picture import Picture
    from chatham.plots.scores import (
        plot_comparison,
        plot_curves,
        plot_evaluation,
        plot_models,
        plot_per_topic,
    )
    from chatham.plots.tinted import document
    from chatham.plots.topic_map import draw_map as map
    from chatham.plots.topic_matrix import draw_matrix as matrix
    from chatham.plots.topic_similarity import draw_similarity as similarity
    from chatham.plots.topic_words import draw_words as words
    from chatham.plots.tree import draw_hierarchy as hierarchy
    from chatham.plots.tree import plot_hierarchy, plot_hierarchy_of

# No file here may have the name of a function: importing it would hide the function.
_HOMES = {
    "by_group": "groups.draw_by_group",
    "document": "tinted.document",
    "hierarchy": "tree.draw_hierarchy",
    "map": "topic_map.draw_map",
    "matrix": "topic_matrix.draw_matrix",
    "over_time": "groups.draw_over_time",
    "Picture": "picture.Picture",
    "plot_anchor_words": "anchors.plot_anchor_words",
    "plot_anchors_of": "anchors.plot_anchors_of",
    "plot_by_group": "groups.plot_by_group",
    "plot_comparison": "scores.plot_comparison",
    "plot_curves": "scores.plot_curves",
    "plot_evaluation": "scores.plot_evaluation",
    "plot_hierarchy": "tree.plot_hierarchy",
    "plot_hierarchy_of": "tree.plot_hierarchy_of",
    "plot_history": "history.plot_history",
    "plot_merged": "merged.plot_merged",
    "plot_models": "scores.plot_models",
    "plot_one_bit_sum": "one_bit_sum.plot_one_bit_sum",
    "plot_over_time": "groups.plot_over_time",
    "plot_per_topic": "scores.plot_per_topic",
    "save_figure": "panels.save_figure",
    "similarity": "topic_similarity.draw_similarity",
    "words": "topic_words.draw_words",
}

__all__ = [
    "Picture",
    "by_group",
    "document",
    "hierarchy",
    "map",
    "matrix",
    "over_time",
    "plot_anchor_words",
    "plot_anchors_of",
    "plot_by_group",
    "plot_comparison",
    "plot_curves",
    "plot_evaluation",
    "plot_hierarchy",
    "plot_hierarchy_of",
    "plot_history",
    "plot_merged",
    "plot_models",
    "plot_one_bit_sum",
    "plot_over_time",
    "plot_per_topic",
    "save_figure",
    "similarity",
    "words",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chatham.plots' has no attribute {name!r}")
    file, function = _HOMES[name].split(".")
    return getattr(import_module(f"chatham.plots.{file}"), function)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
