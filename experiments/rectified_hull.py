"""How much of the words lies between the anchors, with rectification and without? Fig. 2.1 of Lee.

Words are points in the plane of the first two principal components of their co-occurrence, and
five anchors are marked (Lee 2018): those of the baseline among words as counted; those that were
chosen after rectification, among the same points; and the same among rectified ones. The source
sees that rectified anchors cover both spaces better. Here the polygon of the anchors is measured:
by its share of the area of all words' hull, and by how many words, and how much of the text, lie
in it. Rows are those of C̄ = p(other word | word), in which anchors are sought, and once more those
of the joint probabilities C, which is what the source's sentence says.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, Delaunay, QhullError

import chatham as ch
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.hull import principal_components
from chatham.plots.palette import ACCENT, BLUE, INK
from chatham.plots.panels import save_figure, style
from exploring_study.labels import label
from hulls_study.anchors import Joint
from inference_study.markdown import markdown
from inference_study.records import Record
from rectification_study.before_and_after import (
    AFTER,
    BEFORE,
    both,
    options,
    rectified,
    trials,
)
from rectification_study.factors import Counted

Array = NDArray[np.float64]

PANELS = {
    "baseline, as counted": (BEFORE, BEFORE),
    "rectified anchors, as counted": (AFTER, BEFORE),
    "rectified anchors, rectified": (AFTER, AFTER),
}
"""Whose anchors, and among the points of which words."""
ROWS = {"C̄": Conditional, "C": Joint}
TOPICS = (5, 10, 25)
DRAWN = "C̄"


def trial(counted: Counted, k: int) -> Record:
    """The words' places in both spaces, and where among them the anchors are."""
    anchors = {name: each.anchors for name, each in both(counted, k).items()}
    spaces = {BEFORE: counted.matrix, AFTER: rectified(counted, k)}
    words = np.flatnonzero(counted.matrix.any(axis=1))
    found: Record = {"anchors": {}, "covered": {}, "points": {}}
    names = counted.corpus.vocabulary
    for rows, kind in ROWS.items():
        points = {
            space: principal_components(kind(joint), words, 2) for space, joint in spaces.items()
        }
        for panel, (whose, where) in PANELS.items():
            places = np.searchsorted(words, anchors[whose])
            shares = counted.unigram[words]
            found["covered"][f"{rows}, {panel}"] = covered(points[where], places, shares)
            if rows == DRAWN:
                found["anchors"][panel] = [str(names[place]) for place in anchors[whose]]
                found["points"][panel] = {
                    "words": points[where].astype(np.float32).round(5).tolist(),
                    "anchors": points[where][places].tolist(),
                }
    return found


def covered(points: Array, anchors: NDArray[np.int64], shares: Array) -> dict[str, float]:
    """What the anchors' polygon holds of the area of all points' hull, of the words, of the text.

    >>> points = np.array([[0, 0], [4, 0], [0, 4], [2, 0], [0, 2], [0.5, 0.5], [1.5, 1.5]])
    >>> covered(points, np.array([0, 3, 4]), np.full(7, 1 / 7))
    {'area': 0.25, 'words': 0.25, 'text': 0.25}

    The anchors themselves, which lie in it anyhow, don't count among words and text.
    """
    corners, others = points[anchors], np.delete(np.arange(len(points)), anchors)
    try:
        area = ConvexHull(corners).volume / ConvexHull(points).volume
        inside = Delaunay(corners).find_simplex(points[others]) >= 0
    except QhullError:  # on a line
        return {"area": 0.0, "words": 0.0, "text": 0.0}
    text = float(shares[others][inside].sum() / shares[others].sum())
    return {"area": float(area), "words": float(inside.mean()), "text": text}


def page(found: Sequence[Record], corpora: Mapping[str, ch.Corpus]) -> str:
    """A row for each corpus, number of topics and kind of rows."""
    sizes = "; ".join(
        f"{name}: {len(each):,} documents, {each.n_words:,} words" for name, each in corpora.items()
    )
    rows = []
    for record in found:
        for kind in ROWS:
            of = [record["covered"][f"{kind}, {panel}"] for panel in PANELS]
            rows.append([
                record["corpus"], record["k"], kind,
                *(" / ".join(f"{each[what]:.1%}" for each in of)
                  for what in ("area", "words", "text")),
            ])  # fmt: skip
    first = found[0]
    anchors = [f"*{panel}*: {', '.join(words)}" for panel, words in first["anchors"].items()]
    lines = [
        "# Anchors in the plane", "", __doc__.split("\n\n", 1)[1].strip(), "",
        "Written by `rectified_hull.py`; what we make of it is in [the README](../README.md). "
        f"Figure: [rectified_hull.png](rectified_hull.png), of {first['corpus']} with {first['k']} "
        f"topics and rows of {DRAWN}. Nothing in it is random. {sizes}. Anchors there: "
        f"{'; '.join(anchors[:2])}.", "",
        f"Each cell has three shares: {'; '.join(PANELS)}.", "",
        markdown(["corpus", "K", "rows of", "area of the hull", "words inside", "text inside"],
                 rows),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def plot(record: Record) -> Any:
    """The source's three panels."""
    from matplotlib.figure import Figure

    with style():
        figure: Any = Figure(figsize=(9.6, 3.5), layout="constrained")
        for axes, panel in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
            places = record["points"][panel]
            axes.set_title(panel)
            _draw(figure, axes, np.array(places["words"]), np.array(places["anchors"]),
                  record["anchors"][panel])  # fmt: skip
        figure.supxlabel(
            f"words of {record['corpus']} by the first two principal components of p(other word | "
            "word); anchors, and the polygon between them, are orange; the thin outline is the "
            "hull of all words", fontsize=7, color="#666666",
        )  # fmt: skip
    return figure


def _draw(figure: Any, axes: Any, points: Array, anchors: Array, names: Sequence[str]) -> None:
    hull = points[ConvexHull(points).vertices]
    axes.fill(*hull.T, facecolor="none", edgecolor="#8AA5B5", linewidth=0.7)
    axes.plot(*points.T, ".", color=BLUE, markersize=1.5, alpha=0.5, rasterized=True)
    axes.fill(*_around(anchors).T, facecolor=ACCENT, edgecolor=ACCENT, alpha=0.15)
    axes.plot(*anchors.T, "o", color=ACCENT, markersize=5, markeredgecolor=INK)
    axes.margins(0.22)
    axes.axis("off")
    label(figure, axes, anchors, names, 3.0, fontsize=7.5, fontweight="bold")


def _around(corners: Array) -> Array:
    """The corners in their order around the hull."""
    try:
        return np.asarray(corners[ConvexHull(corners).vertices])
    except QhullError:
        return corners


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    parser = options(__doc__, "rectified_hull.md and .png; the page is printed", TOPICS)
    given = parser.parse_args(arguments)
    if min(given.topics) < 3:
        parser.error("--topics must be at least 3, for anchors to span a polygon")
    try:
        corpora, found = trials(given, trial)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(found, corpora)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "rectified_hull.md").write_text(written, encoding="utf-8")
        save_figure(plot(found[0]), given.output / "rectified_hull.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
