"""Topics of topics: the correlations A factorised again and again (Lee 2018, section 3.4).

A is to topics what C is to words, a joint distribution of two of them, so the same four steps find
supertopics: rectify, choose anchors (topics that belong to one supertopic only), recover topics,
recover correlations. Level 0 are the words, level 1 the topics, level 2 their supertopics, and so
on. A topic may belong to several supertopics, so the levels form a weighted graph, not a tree; it
is shown as a tree to people, and as a graph by Graphviz.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Array, Conditional
from chatham.learners.anchor.correlations import anchor_correlations
from chatham.learners.anchor.recover import recover
from chatham.learners.anchor.rectify import alternate
from chatham.learners.anchor.select import pivoted_qr
from chatham.learners.words import printable, words_of_topics
from chatham.naming import plural, value_shown
from chatham.numerics.joint import normalised
from chatham.numerics.threads import threads

LEAST_WEIGHT = 0.05
"""The smallest p(subtopic|supertopic) that is shown, unless it is the subtopic's main one."""
Lists = Sequence[Sequence[Sequence[str]]]
"""Top words of each topic of each level, level 1 first."""


class Edge(NamedTuple):
    """How a topic of one level belongs to one of the level above."""

    level: int
    """The parent's."""
    parent: int
    child: int
    weight: float
    """p(child|parent)."""
    share: float
    """p(parent|child)."""


@dataclass(frozen=True)
class Level:
    """The supertopics of one level, over the topics of the level below."""

    topics: Array
    """K_t×K_{t−1}: p(subtopic|supertopic), rows sum to one."""
    coefficients: Array
    """K_{t−1}×K_t: p(supertopic|subtopic)."""
    correlations: Array
    """K_t×K_t, as it comes out: its sum is only about one."""
    anchors: NDArray[np.int64]
    """For each supertopic the subtopic that belongs to it alone."""

    @property
    def prevalence(self) -> Array:
        """p(supertopic)."""
        return normalised(self.correlations).sum(axis=1)


@dataclass(frozen=True, repr=False)
class Hierarchy:
    """Supertopics over topics, level by level."""

    correlations: Array
    """The topics' own (level 1)."""
    levels: list[Level]
    """Level 2 first."""
    topics: Array | None = None
    """p(word|topic) of level 1 (k×d), if they are available."""

    def __repr__(self) -> str:
        return f"Hierarchy({' → '.join(map(str, self.sizes))} topics)"

    @property
    def sizes(self) -> list[int]:
        """The number of topics on each level, level 1 first."""
        return [len(self.correlations), *(len(level.topics) for level in self.levels)]

    def prevalence(self, level: int) -> Array:
        """p(topic) at a level."""
        if self._checked(level) == 1:
            return normalised(self.correlations).sum(axis=1)
        return self.levels[level - 2].prevalence

    def topics_over_words(self, level: int, topics: Array | None = None) -> Array:
        """p(word|topic) at a level: the levels' products down to the `topics` of level 1."""
        over_words = self.topics if topics is None else topics
        if over_words is None:
            raise InputError("This hierarchy was built without topics over words; give `topics`.")
        if np.ndim(over_words) != 2 or len(over_words) != self.sizes[0]:
            raise InputError(
                f"The topics over words have shape {np.shape(over_words)}; level 1 needs a row for "
                f"each of its {plural(self.sizes[0], 'topic')}."
            )
        for step in self.levels[: self._checked(level) - 1]:
            over_words = step.topics @ over_words
        return over_words

    def words(
        self,
        level: int,
        n: int,
        vocabulary: Sequence[str],
        topics: Array | None = None,
        by: str = "prevalence",
    ) -> list[list[str]]:
        """The `n` best words of each topic of a level, ordered as a model's top words are."""
        over_words = self.topics_over_words(level, topics)
        if len(vocabulary) != over_words.shape[1]:
            raise InputError(
                f"The vocabulary has {plural(len(vocabulary), 'word')} and the topics are over "
                f"{over_words.shape[1]:,}; give the vocabulary that they were learned with."
            )
        return words_of_topics(over_words, self.prevalence(level), vocabulary, n, by)

    def all_words(
        self, n: int, vocabulary: Sequence[str], topics: Array | None = None, by: str = "prevalence"
    ) -> list[list[list[str]]]:
        """`words` of every level, level 1 first: what `show`, `to_dot` and pictures take."""
        levels = range(1, len(self.sizes) + 1)
        return [self.words(level, n, vocabulary, topics, by) for level in levels]

    def edges(self, least: float = LEAST_WEIGHT) -> pd.DataFrame:
        """Which topics belong to which: one row per relevant pair of topics of adjacent levels.

        `level` is the parent's, `weight` p(child|parent), `share` p(parent|child). A pair is
        relevant if its weight is at least `least`, or if no other parent has a larger share of the
        child: thus no child is lost, however many there are. Heaviest first for each parent.
        """
        return pd.DataFrame(self.edge_list(least), columns=list(Edge._fields))

    def edge_list(self, least: float = LEAST_WEIGHT) -> list[Edge]:
        """`edges` as a plain list."""
        levels = range(2, len(self.sizes) + 1)
        return [edge for level in levels for edge in self.edges_of(level, least)]

    def edges_of(self, level: int, least: float = LEAST_WEIGHT) -> Iterator[Edge]:
        """Edges from one level down."""
        upper, main = self.levels[self._checked(level, 2) - 2], self.main_parents(level)
        for parent, row in enumerate(upper.topics):
            for child in np.argsort(-np.round(row, 9), kind="stable"):
                weight, share = float(row[child]), float(upper.coefficients[child, parent])
                if weight > 0 and (weight >= least or main[child] == parent):
                    yield Edge(level, parent, int(child), weight, share)

    def show(self, words: Lists | None = None, least: float = LEAST_WEIGHT) -> str:
        """A text tree from the top; a topic's own children stand under its main parent only."""
        return as_tree(self, words, least)

    def to_dot(self, words: Lists | None = None, least: float = LEAST_WEIGHT) -> str:
        """The graph in Graphviz's language: a rank for each level, edges thicker by weight."""
        return as_dot(self, words, least)

    def main_parents(self, level: int) -> NDArray[np.intp]:
        """For each topic below a level, the one of the level with the largest share of it."""
        return np.asarray(self.levels[self._checked(level, 2) - 2].coefficients.argmax(axis=1))

    def _checked(self, level: int, lowest: int = 1) -> int:
        if not lowest <= level <= len(self.sizes):
            highest = len(self.sizes)
            raise InputError(f"There is no level {level}; levels go from {lowest} to {highest}.")
        return level


def build_hierarchy(
    correlations: Array, levels: Sequence[int], topics: Array | None = None
) -> Hierarchy:
    """Factorise A into `levels[0]` supertopics, their correlations into `levels[1]`, and so on.

    A is normalised before it is rectified: otherwise the rectification would add what is missing
    equally to all entries, and topics would seem to co-occur by chance. Matrices are so small here
    that the thesis's 150 projections cost nothing: all of them are made.

    >>> planted = np.kron(np.array([[0.4, 0.1], [0.1, 0.4]]), np.full((2, 2), 0.25))
    >>> build_hierarchy(planted, [2])
    Hierarchy(4 → 2 topics)
    """
    _check_levels(len(correlations), levels)
    hierarchy = Hierarchy(np.asarray(correlations, dtype=np.float64), [], topics)
    below = hierarchy.correlations
    with threads(None):
        for k in levels:
            hierarchy.levels.append(_factorised(below, k))
            below = hierarchy.levels[-1].correlations
    return hierarchy


def _factorised(correlations: Array, k: int) -> Level:
    """The four steps, on topics instead of words."""
    joint = alternate(normalised(correlations), k, max_iter=150, tol=0.0).matrix
    conditional = Conditional(joint)
    try:
        anchors, _ = pivoted_qr(conditional, k, conditional.occurs)
    except InputError:
        raise InputError(
            f"The correlations of {plural(len(joint), 'topic')} have no {plural(k, 'supertopic')} "
            "that can be distinguished; choose a smaller number for this level."
        ) from None
    recovered = recover(conditional, anchors, "admm", max_iter=5000, tol=1e-12)
    assert recovered.coefficients is not None  # the inversion alone has none
    upper = anchor_correlations(joint, recovered.topics, anchors)
    # Numbered by size as topics are; rounded, so that the last bit doesn't order them.
    order = np.argsort(-np.round(normalised(upper).sum(axis=1), 9), kind="stable")
    return Level(
        recovered.topics[order], recovered.coefficients[:, order], upper[np.ix_(order, order)],
        np.concatenate(anchors)[order],
    )  # fmt: skip


def _check_levels(topics: int, levels: Sequence[int]) -> None:
    sizes = list(levels) if isinstance(levels, Iterable) else []
    whole = bool(sizes) and all(
        isinstance(size, Integral) and not isinstance(size, bool) for size in sizes
    )
    if not whole or min(sizes) < 1 or any(low <= high for low, high in pairwise([topics, *sizes])):
        raise InputError(
            f"The levels {value_shown(levels)} over {plural(topics, 'topic')} must decrease: a "
            "list of at least one whole number, each smaller than the one before (the first "
            "smaller than the number of topics) and none below 1."
        )


def as_tree(hierarchy: Hierarchy, words: Lists | None, least: float) -> str:
    """Lines from the top; a topic's own children stand under its main parent only."""
    top = len(hierarchy.sizes)
    prevalence = hierarchy.prevalence(top)
    lines: list[str] = []
    for topic in np.argsort(-np.round(prevalence, 9), kind="stable"):
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
