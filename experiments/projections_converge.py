"""How does alternating projection converge? Figure A.4 of Lee (2018).

Rectification projects the co-occurrence of words onto three sets in turn: matrices of rank K
without negative eigenvalues, matrices whose entries sum to one, matrices without negative entries.
The source shows that it converges locally linearly: by how much an iteration changes the matrix,
and how far the mean of an iteration's three projections is from the three sets, both in Frobenius
norm and logarithmic, are straight lines after a while. Here every matrix is formed in full, which
the library never does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.commons import Alone
from chatham.learners.cooccurrence import cooccurrence
from chatham.numerics.eigen import leading, orthonormal
from chatham.numerics.threads import threads
from chatham.plots.palette import BLUE, COLOURS, FAINT
from chatham.plots.panels import save_figure, style
from inference_study.markdown import listed, markdown
from inference_study.records import Record, Records
from rectification_study.documents import FILES, FILMS, read_corpora
from shared_options import add_places, at_least_one

Array = NDArray[np.float64]

CHANGE, DISTANCE = "change", "distance"
SPARE = 16
"""Eigenvectors beyond K that the search carries along."""
EXACT, DEPTH, MOST = 1e-12, 4, 60
"""How accurate eigenvectors are, so that 100 iterations don't end in their errors."""
SHOWN = (1, 2, 5, 15, 50, 100)
"""Iterations in the table; the library makes at most 15."""
FLOOR = 1e-14
"""Changes below this share of the matrix are rounding."""


class OfRank:
    """The nearest matrix of rank K without negative eigenvalues; each search starts from the last.

    There are two such sequences, of the iterates and of the means, each with its own.
    """

    def __init__(self, words: int, k: int) -> None:
        self._k = k
        width = min(words, k + SPARE)
        self._basis = orthonormal(np.random.default_rng(0).standard_normal((words, width)))

    def __call__(self, matrix: Array) -> Array:
        """Project."""
        self._basis, values = leading(
            lambda right: matrix @ right, self._basis, self._k, tol=EXACT, depth=DEPTH, most=MOST
        )
        vectors = self._basis[:, : self._k]
        return np.asarray((vectors * np.maximum(values[: self._k], 0.0)) @ vectors.T)


def of_sum_one(matrix: Array) -> Array:
    """The nearest matrix whose entries sum to one.

    >>> of_sum_one(np.array([[0.5, 0.1], [0.1, 0.1]])).round(9).tolist()
    [[0.55, 0.15], [0.15, 0.15]]
    """
    return np.asarray(matrix + (1.0 - matrix.sum()) / matrix.size)


def projected(joint: Array, k: int, iterations: int) -> Iterator[tuple[Array, float, float]]:
    """Each iteration's last projection, how much changed, and the mean's distance from the sets."""
    of_rank, of_mean = OfRank(len(joint), k), OfRank(len(joint), k)
    matrix = joint
    for _ in range(iterations):
        low = of_rank(matrix)
        whole = of_sum_one(low)
        positive = np.maximum(whole, 0.0)
        mean = (low + whole + positive) / 3
        nearest = (of_mean(mean), of_sum_one(mean), np.maximum(mean, 0.0))
        distance = float(np.mean([np.linalg.norm(mean - each) for each in nearest]))
        yield positive, float(np.linalg.norm(positive - matrix)), distance
        matrix = positive


def trial(joint: Array, k: int, iterations: int) -> Record:
    """All changes and distances, as shares of the norm of C."""
    scale = float(np.linalg.norm(joint))
    found = [(change, distance) for _, change, distance in projected(joint, k, iterations)]
    changes, distances = (np.array(each) / scale for each in zip(*found, strict=True))
    return {CHANGE: changes.tolist(), DISTANCE: distances.tolist()}


def joint_of(corpus: ch.Corpus) -> Array:
    """The words' joint probabilities, without words that never occur with another."""
    joint = np.asarray(cooccurrence(Alone(corpus)).matrix, dtype=np.float64)
    occurs = joint.any(axis=1)
    return joint[np.ix_(occurs, occurs)]


def line_through(values: Sequence[float], first: int, last: int) -> tuple[float, float] | None:
    """The factor by which values fall from one iteration to the next, and how straight that is.

    The factor is that of the straight line through the logarithms, and the second number by how
    much of a decade values lie off it at most. None where they end in rounding errors.

    >>> tuple(round(each, 9) for each in line_through([8.0, 4.0, 2.0, 1.0], 1, 4))
    (0.5, 0.0)
    """
    part = np.array(values[first - 1 : last])
    if len(part) < 2 or part.min() < FLOOR:
        return None
    logs, places = np.log10(part), np.arange(len(part))
    slope, start = np.polyfit(places, logs, 1)
    return float(10**slope), float(np.abs(logs - start - slope * places).max())


def page(found: Sequence[Record], sizes: Mapping[str, str], iterations: int) -> str:
    """What changed after how many iterations, and how straight the lines are."""
    shown = [number for number in SHOWN if number <= iterations]
    spans = [(max(1, iterations // 10), iterations // 2), (iterations // 2, iterations)]
    rows = []
    for record in found:
        for what in (CHANGE, DISTANCE):
            values = record[what]
            cells = [f"{values[number - 1]:.1e}" for number in shown]
            rows.append([record["corpus"], record["k"], what, *cells,
                         *(_straight(line_through(values, *span)) for span in spans)])  # fmt: skip
    heads = [f"{first} to {last}" for first, last in spans]
    lines = [
        "# Alternating projection converges", "", __doc__.split("\n\n", 1)[1].strip(), "",
        "Written by `projections_converge.py`; what we make of it is in [the README](../README.md)"
        ". Figure: [projections_converge.png](projections_converge.png). Nothing in it is random.",
        "", listed(f"{name}: {size}" for name, size in sizes.items()), "",
        f"*{CHANGE}*: ‖C′ − C‖ of an iteration; *{DISTANCE}*: the mean distance of the mean of its "
        "three projections from the three sets; both as shares of ‖C‖ as it was counted. The last "
        "columns: by which factor they fall from one iteration to the next, and in brackets how "
        "many decades they lie off the straight line at most.", "",
        markdown(["corpus", "K", "", *map(str, shown), *heads], rows),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _straight(line: tuple[float, float] | None) -> str:
    return "rounding" if line is None else f"{line[0]:.3f} ({line[1]:.2f})"


def plot(found: Sequence[Record]) -> Any:
    """A panel for each corpus: both lines for each number of topics."""
    from matplotlib.figure import Figure

    corpora = list(dict.fromkeys(record["corpus"] for record in found))
    with style():
        figure: Any = Figure(figsize=(3.0 * len(corpora) + 0.4, 2.9), layout="constrained")
        panels = figure.subplots(1, len(corpora), squeeze=False, sharey=True)[0]
        for axes, corpus in zip(panels, corpora, strict=True):
            mine = [record for record in found if record["corpus"] == corpus]
            for record, colour in zip(mine, (COLOURS[1], BLUE, COLOURS[2], *COLOURS), strict=False):
                numbers = range(1, len(record[CHANGE]) + 1)
                axes.plot(numbers, record[CHANGE], color=colour, linewidth=1.4,
                          label=f"{record['k']} topics: change")  # fmt: skip
                axes.plot(numbers, record[DISTANCE], "--", color=colour, linewidth=1.2,
                          label=f"{record['k']} topics: distance")  # fmt: skip
            axes.set_yscale("log")
            axes.set_title(corpus)
            axes.set_xlabel("iteration")
            axes.grid(axis="y", color=FAINT, linewidth=0.6)
        panels[0].set_ylabel("share of ‖C‖")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels) // 2,
                      frameon=False, fontsize=7)  # fmt: skip
    return figure


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {', '.join((*FILES.values(), FILMS))} are; the bundled sample if not given",
    )  # fmt: skip
    for name, usual in (("words", 2000), ("iterations", 100)):
        parser.add_argument(
            f"--{name}", type=at_least_one, default=usual, metavar="N", help=f"({usual})"
        )
    parser.add_argument("--topics", type=at_least_one, nargs="+", default=[5, 25], metavar="K")
    add_places(parser, "projections_converge.md and .png; the page is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    parser = options()
    given = parser.parse_args(arguments)
    if given.iterations < 4:
        parser.error("--iterations must be 4 or more, for two lines to be straight")
    records, found, sizes = Records(given.keep), [], {}
    try:
        corpora = read_corpora(given.data, given.words)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    with threads(1):
        for name, corpus in corpora.items():
            sizes[name] = f"{len(corpus):,} documents, {corpus.n_words:,} words"
            joint = None
            for k in given.topics:
                asked = {"corpus": name, "k": k, "words": corpus.n_words,
                         "iterations": given.iterations}  # fmt: skip
                if not records.has(asked):
                    joint = joint_of(corpus) if joint is None else joint
                    records.add(asked, trial(joint, k, given.iterations))
                found.append(records.get(asked))
    written = page(found, sizes, given.iterations)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "projections_converge.md").write_text(written, encoding="utf-8")
        save_figure(plot(found), given.output / "projections_converge.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
