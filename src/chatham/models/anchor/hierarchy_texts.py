"""A hierarchy of topics written down: as a tree for people, as a graph for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from chatham.models.words import printable

if TYPE_CHECKING:
    from chatham.models.anchor.hierarchy import Hierarchy

Lists = Sequence[Sequence[Sequence[str]]]
"""Top words of each topic of each level, level 1 first."""


def as_tree(hierarchy: Hierarchy, words: Lists | None, least: float) -> str:
    """Lines from the top; a topic's own children stand under its main parent only."""
    top = len(hierarchy.sizes)
    prevalence = hierarchy.prevalence(top)
    lines: list[str] = []
    for topic in np.argsort(-prevalence, kind="stable"):
        lines.append(f"{prevalence[topic]:.2f} {_name(top, topic, words)}")
        lines.extend(_branch(hierarchy, top, int(topic), words, least, "  "))
    return "\n".join(lines)


def as_dot(hierarchy: Hierarchy, words: Lists | None, least: float) -> str:
    """A rank for each level, edges thicker by weight."""
    lines = ["digraph hierarchy {", "  node [shape=box, style=rounded];"]
    for level in range(len(hierarchy.sizes), 0, -1):
        nodes = (
            f"t{level}_{topic} [label={_quoted(_name(level, topic, words))}];"
            for topic in range(hierarchy.sizes[level - 1])
        )
        lines.append(f"  {{ rank=same; {' '.join(nodes)} }}")
    lines.extend(
        f"  t{edge.level}_{edge.parent} -> t{edge.level - 1}_{edge.child}"
        f' [penwidth={0.5 + 6.0 * edge.weight:.2f}, tooltip="{edge.weight:.3f}"];'
        for edge in hierarchy.edge_list(least)
    )
    return "\n".join([*lines, "}"]) + "\n"


def _branch(
    hierarchy: Hierarchy, level: int, parent: int, words: Lists | None, least: float, indent: str
) -> Iterator[str]:
    """The lines below a topic, heaviest child first."""
    if level == 1:
        return
    main = hierarchy.main_parents(level)
    for edge in hierarchy.edges_of(level, least):
        if edge.parent == parent:
            yield f"{indent}{edge.weight:.2f} {_name(level - 1, edge.child, words)}"
            if main[edge.child] == parent:
                yield from _branch(hierarchy, level - 1, edge.child, words, least, indent + "  ")


def _name(level: int, topic: int, words: Lists | None) -> str:
    name = f"topic {topic}" if level == 1 else f"level {level} topic {topic}"
    return f"{name}: {printable(' '.join(words[level - 1][topic]))}" if words else name


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
