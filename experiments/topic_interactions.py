"""Which of three ways to read topics' interactions gives joint probabilities? Figure 2.4 of Lee.

A, the joint probability of two topics (Lee 2018, section 2.3): by least squares ‖C − BABᵀ‖ from
co-occurrence as it was counted, as Arora et al. (2013) have it; from the anchors' own
co-occurrence, A = D⁻¹ C_SS D⁻¹, as counted too; and the same after rectification. The source says
that the first has negative entries, that the second has none, but nothing off its diagonal and a
sum other than one, and that only the third is a valid matrix.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.plots.palette import INK
from chatham.plots.panels import safe, save_figure, style
from inference_study.markdown import markdown
from inference_study.records import Record
from rectification_study.before_and_after import AFTER, BEFORE, both, options, trials
from rectification_study.factors import Counted

Array = NDArray[np.float64]

SQUARES, ANCHORS, RECTIFIED = "least squares", "anchors", "anchors, rectified"
WAYS = (SQUARES, ANCHORS, RECTIFIED)
TOPICS = (5, 10, 25, 50)
SHADES = "PuOr"
"""Orange below zero, white at it; purple above: people who don't see red or green can tell them."""


def by_least_squares(joint: NDArray[Any], topics: Array) -> Array:
    """The A for which ‖C − BABᵀ‖ is least, whatever its entries are.

    >>> topics = np.array([[0.5, 0.0, 0.5], [0.0, 0.25, 0.75]])
    >>> A = np.array([[0.6, -0.1], [-0.1, 0.6]])
    >>> by_least_squares(topics.T @ A @ topics, topics).round(9).tolist()
    [[0.6, -0.1], [-0.1, 0.6]]
    """
    inverse = np.linalg.pinv(topics)
    return np.asarray(inverse.T @ (joint @ inverse), dtype=np.float64)


def trial(counted: Counted, k: int) -> Record:
    """The three matrices, and the anchors of each."""
    found = both(counted, k)
    words = counted.corpus.vocabulary
    matrices = {
        SQUARES: by_least_squares(counted.matrix, found[BEFORE].topics),
        ANCHORS: found[BEFORE].correlations,
        RECTIFIED: found[AFTER].correlations,
    }
    anchors = {
        name: [str(words[place]) for place in each.anchors or []] for name, each in found.items()
    }
    return {
        "matrices": {name: each.tolist() for name, each in matrices.items()},
        "anchors": {name: anchors[AFTER if name == RECTIFIED else BEFORE] for name in matrices},
    }


def qualities(matrix: Array) -> dict[str, float]:
    """What must be one, what mustn't be negative, and how much of it is on the diagonal.

    >>> qualities(np.array([[0.3, 0.2], [0.2, 0.3]]))["diagonal"]
    0.6
    """
    size = float(np.abs(matrix).sum())
    return {
        "sum": float(matrix.sum()),
        "negative": float((matrix < 0).mean()),
        "mass": float(np.abs(matrix[matrix < 0]).sum() / size) if size else 0.0,
        "diagonal": float(np.abs(np.diag(matrix)).sum() / size) if size else 0.0,
        "zero": float((matrix[~np.eye(len(matrix), dtype=bool)] == 0).mean()),
        "eigenvalue": float(np.linalg.eigvalsh((matrix + matrix.T) / 2)[0]),
    }


def page(found: Sequence[Record], corpora: Mapping[str, ch.Corpus]) -> str:
    """A row for each matrix."""
    sizes = "; ".join(
        f"{name}: {len(each):,} documents, {each.n_words:,} words" for name, each in corpora.items()
    )
    rows = []
    for record in found:
        for way in WAYS:
            of = qualities(np.array(record["matrices"][way]))
            rows.append([
                record["corpus"], record["k"], way, f"{of['sum']:.3g}", f"{of['negative']:.0%}",
                f"{of['mass']:.0%}", f"{of['diagonal']:.0%}", f"{of['zero']:.0%}",
                f"{of['eigenvalue']:.1e}",
            ])  # fmt: skip
    head = ["corpus", "K", "A by", "sum", "negative entries", "their share", "on the diagonal",
            "zeros off it", "least eigenvalue"]  # fmt: skip
    lines = [
        "# Topic interactions", "", __doc__.split("\n\n", 1)[1].strip(), "",
        "Written by `topic_interactions.py`; what we make of it is in [the README](../README.md). "
        f"Figure: [topic_interactions.png](topic_interactions.png), of {found[0]['corpus']} with "
        f"{found[0]['k']} topics. Nothing in it is random. {sizes}.", "",
        "*Their share* and that *on the diagonal* are of the sum of all entries' sizes; *zeros off "
        "it* are the share of pairs of different topics that have no probability at all.", "",
        markdown(head, rows),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def plot(record: Record) -> Any:
    """The source's three panels, with the entries as numbers."""
    from matplotlib.figure import Figure

    with style():
        figure: Any = Figure(figsize=(10.2, 4.1), layout="constrained")
        panels = figure.subplots(1, len(WAYS))
        titles = ("least squares, as counted", "anchors, as counted", "anchors, rectified")
        for axes, way, title in zip(panels, WAYS, titles, strict=True):
            _draw(axes, np.array(record["matrices"][way]), record["anchors"][way])
            axes.set_title(title)
        figure.supxlabel(
            f"joint probability of two topics, named by their anchors ({record['corpus']}): purple "
            "is positive, orange negative, each panel by its own scale", fontsize=7.5,
            color="#666666",
        )  # fmt: skip
    return figure


def _draw(axes: Any, matrix: Array, names: Sequence[str]) -> None:
    most = float(np.abs(matrix).max()) or 1.0
    axes.imshow(matrix, cmap=SHADES, vmin=-most, vmax=most)
    ticks = range(len(names))
    axes.set_xticks(ticks, [safe(name) for name in names], rotation=45, ha="right")
    axes.set_yticks(ticks, [safe(name) for name in names])
    axes.tick_params(length=0)
    for (row, column), value in np.ndenumerate(matrix):
        text = "0" if value == 0 else f"{value:.2g}".replace("-", "−")
        colour = "white" if abs(value) > 0.65 * most else INK
        axes.text(column, row, text, ha="center", va="center", fontsize=6.5, color=colour)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    parser = options(__doc__, "topic_interactions.md and .png; the page is printed", TOPICS)
    given = parser.parse_args(arguments)
    if min(given.topics) < 2:
        parser.error("--topics must be at least 2")
    try:
        corpora, found = trials(given, trial)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(found, corpora)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "topic_interactions.md").write_text(written, encoding="utf-8")
        save_figure(plot(found[0]), given.output / "topic_interactions.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
