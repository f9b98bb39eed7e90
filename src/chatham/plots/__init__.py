"""Figures of models and of measures, for notebooks and files; they need the extra `plot`.

Names are imported on first use, so that checking a file's extension doesn't import Matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chatham.plots.anchors import plot_anchor_words, plot_anchors_of
    from chatham.plots.groups import plot_by_group, plot_over_time
    from chatham.plots.hierarchy import plot_hierarchy, plot_hierarchy_of
    from chatham.plots.history import plot_history
    from chatham.plots.merged import plot_merged
    from chatham.plots.one_bit_sum import plot_one_bit_sum
    from chatham.plots.panels import save_figure
    from chatham.plots.scores import (
        plot_comparison,
        plot_curves,
        plot_evaluation,
        plot_models,
        plot_per_topic,
    )
    from chatham.plots.tinted import document

_HOMES = {
    "document": "tinted",
    "plot_anchor_words": "anchors",
    "plot_anchors_of": "anchors",
    "plot_hierarchy": "hierarchy",
    "plot_hierarchy_of": "hierarchy",
    "plot_history": "history",
    "plot_merged": "merged",
    "plot_one_bit_sum": "one_bit_sum",
    "save_figure": "panels",
    "plot_by_group": "groups",
    "plot_comparison": "scores",
    "plot_curves": "scores",
    "plot_evaluation": "scores",
    "plot_models": "scores",
    "plot_over_time": "groups",
    "plot_per_topic": "scores",
}

__all__ = [
    "document",
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
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'chatham.plots' has no attribute {name!r}")
    return getattr(import_module(f"chatham.plots.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
