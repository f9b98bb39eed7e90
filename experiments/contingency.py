"""How heavy are topics, and which of them share documents? Figure 1.19 of the thesis.

LDA with ten topics of Reuters: the weights of topics (sums of columns of W), and their contingency
C = WᵀW, which expects in how many documents a word of each of two topics is seen. The source sees
that most topics weigh about the same and one (finance) about twice as much, and that this one is
correlated with all others, while the others are much more independent.

A topic that weighs more has more of C with every other in any case. So pairs are also measured by
lift, Cᵢⱼ / (wᵢ·wⱼ) as a multiple of what that is over all pairs: how many times as often as by
chance they share a document.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.numerics.joint import lifts
from chatham.plots.palette import BLUE, GREY, INK
from chatham.plots.panels import safe, save_figure, style
from exploring_study.models import NEWS, REUTERS, failed, options, sizes_of, trials
from inference_study.markdown import markdown, number
from inference_study.records import Record

Array = NDArray[np.float64]

CORPORA = (REUTERS, NEWS)
WORDS = 6


def trial(corpus: ch.Corpus, model: ch.TopicModel) -> Record:
    """Weights, contingency and a few words of each topic."""
    weights = model.transform(corpus)
    return {
        "weights": weights.sum(axis=0).tolist(),
        "contingency": (weights.T @ weights).tolist(),
        "lists": model.top_word_lists(WORDS),
    }


def others(matrix: Array) -> Array:
    """Each topic's mean with the others.

    >>> others(np.array([[9.0, 1.0, 3.0], [1.0, 9.0, 5.0], [3.0, 5.0, 9.0]])).tolist()
    [2.0, 3.0, 4.0]
    """
    k = len(matrix)
    return np.asarray((matrix.sum(axis=1) - np.diag(matrix)) / max(k - 1, 1))


def facts(record: Record) -> dict[str, Any]:
    """The heaviest topic against the rest."""
    weights, contingency = (np.array(record[name]) for name in ("weights", "contingency"))
    heaviest = int(weights.argmax())
    rest = np.delete(np.arange(len(weights)), heaviest)
    by_count, by_lift = others(contingency), others(lifts(contingency))
    return {
        "words": " ".join(record["lists"][heaviest]),
        "times the mean": weights[heaviest] / weights.mean(),
        "rest": weights[rest] / weights.mean(),
        "count": (by_count[heaviest], by_count[rest].mean(), _place(by_count, heaviest)),
        "lift": (by_lift[heaviest], by_lift[rest].mean(), _place(by_lift, heaviest)),
        "own": float(np.diag(contingency).sum() / contingency.sum()),
    }


def _place(values: Array, topic: int) -> int:
    """Which place it has among all, from the highest on."""
    return int((values > values[topic]).sum()) + 1


def page(found: Sequence[Record]) -> str:
    """The heaviest topic by every seed, and the numbers of the first."""
    rows = []
    for record in found:
        of = facts(record)
        rest = of["rest"]
        rows.append([
            record["corpus"], record["seed"], of["words"], f"{of['times the mean']:.2f}",
            f"{rest.min():.2f} to {rest.max():.2f}",
            *(f"{own:{form}} / {other:{form}}, {place}."
              for form, (own, other, place) in ((".0f", of["count"]), (".2f", of["lift"]))),
            f"{of['own']:.0%}",
        ])  # fmt: skip
    parts = [
        "# Weights and contingency of topics", __doc__.split("\n\n", 1)[1].strip(),
        "Written by `contingency.py`; what we make of it is in [the README](../README.md). Figure: "
        f"[contingency.png](contingency.png), of {found[0]['corpus']}, seed {found[0]['seed']}. "
        f"{sizes_of(found)}; {found[0]['k']} topics, {found[0]['sweeps']} sweeps.",
        "## The heaviest topic",
        "Its words; its weight, and those of the others, as multiples of the mean; the mean of its "
        "contingency with the others, that of the others with theirs, and which place it has; the "
        "same for lifts; and how much of C is on the diagonal.",
        markdown(
            ["corpus", "seed", "words", "weight", "others'", "contingency", "lift", "diagonal"],
            rows,
        ),
        *_numbers(found[0]),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _numbers(record: Record) -> list[str]:
    weights, contingency = (np.array(record[name]) for name in ("weights", "contingency"))
    by_lift = others(lifts(contingency))
    rows = [
        [topic, " ".join(record["lists"][topic]), f"{weights[topic]:.0f}",
         *(f"{value:.0f}" for value in contingency[topic]), number(by_lift[topic])]
        for topic in range(len(weights))
    ]  # fmt: skip
    head = ["topic", "words", "weight", *map(str, range(len(weights))), "mean lift"]
    return [f"## {record['corpus']}, seed {record['seed']}", markdown(head, rows)]


def plot(record: Record) -> Any:
    """The thesis's figure: weights as bars, the contingency as a matrix beside it."""
    from matplotlib.figure import Figure

    weights, contingency = (np.array(record[name]) for name in ("weights", "contingency"))
    k = len(weights)
    heaviest = int(weights.argmax())
    names = [f"{topic}  {' '.join(words[:3])}" for topic, words in enumerate(record["lists"])]
    with style():
        figure: Any = Figure(figsize=(8.6, 0.3 * k + 1.3), layout="constrained")
        bars, cells = figure.subplots(1, 2, width_ratios=(1, 1.25))
        bars.barh(range(k), weights, height=0.7,
                  color=[BLUE if topic == heaviest else GREY for topic in range(k)])  # fmt: skip
        bars.axvline(weights.mean(), color=INK, linewidth=0.7, linestyle=":")
        bars.set_yticks(range(k), [safe(name) for name in names])
        bars.set_ylim(k - 0.5, -0.5)
        bars.set_xlabel("documents of a topic (dotted: the mean)")
        bars.set_title("weights")
        _cells(cells, contingency)
        cells.set_title("documents that two topics share")
    return figure


def _cells(axes: Any, contingency: Array) -> None:
    k = len(contingency)
    apart = contingency[~np.eye(k, dtype=bool)]
    most = float(apart.max(initial=0.0)) * 1.6 or 1.0
    axes.imshow(contingency, cmap="Blues", vmin=0, vmax=most, aspect="auto")
    for (row, column), value in np.ndenumerate(contingency):
        axes.text(column, row, f"{value:.0f}", ha="center", va="center", fontsize=6,
                  color="white" if value > 0.6 * most else INK)  # fmt: skip
    axes.set_xticks(range(k))
    axes.set_yticks(range(k))
    axes.tick_params(length=0)
    axes.set_xlabel("topic (shades end a little above the largest pair)")
    axes.spines[:].set_visible(False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    parser = options(__doc__, CORPORA, 10, "contingency.md and contingency.png")
    given = parser.parse_args(arguments)
    if given.topics < 2:
        parser.error("--topics must be at least 2, for topics to share documents")
    try:
        found = trials(given, CORPORA, trial)
    except ch.ChathamError as error:
        return failed(error)
    written = page(found)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "contingency.md").write_text(written, encoding="utf-8")
        save_figure(plot(found[0]), given.output / "contingency.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
