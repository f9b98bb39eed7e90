"""Where do topic models put two topics among documents of three words? The thesis's Figure 1.8.

A document of three words is a point of a triangle, and so is a topic; what a model makes of a
document lies on the line between its two topics. k-means, NMF, PLSA and LDA are fitted to points of
three Gaussian clouds, and to documents that LDA's own story draws from three topics (α = 0.5,
β = 0.1); each has a topic less than there are clouds or topics.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.measures.truth.topics import l1_distances, match_topics
from chatham.plots.palette import COLOURS, INK
from chatham.plots.panels import save_figure, style
from inference_study.markdown import bold, markdown
from inference_study.records import Record, Records
from shared_options import add_places, add_seeds, at_least_one, seeds_of
from triangle import in_plane, spread

Array = NDArray[np.float64]

CLOUDS, STORY = "three clouds", "LDA's story"
KMEANS, NMF, PLSA, LDA = "k-means", "NMF", "PLSA", "LDA"
LEARNERS = (KMEANS, NMF, PLSA, LDA)
TOPICS, SOURCES = 2, 3
ALPHA, BETA = 0.5, 0.1
WIDTH_OF_CLOUD = 0.05
LONG, SHORT = 500, 100
"""Words of a document: of a point of a cloud so many that it is where it was drawn, nearly."""
NEAR = 1e-4
"""A reconstruction that is farther from its document than the nearest point by no more than this
is that point."""

LABEL = {"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.8}


@dataclass(frozen=True)
class Plan:
    """How much is drawn."""

    documents: int = 150
    sweeps: int = 300


def clouds(plan: Plan, seed: int) -> NDArray[np.int64]:
    """Points around three places of the triangle; what falls outside of it is drawn again."""
    rng = np.random.default_rng(seed)
    centres = rng.dirichlet(np.full(3, 2.0), SOURCES)
    points: list[Array] = []
    while len(points) < plan.documents:
        aside = rng.normal(0.0, WIDTH_OF_CLOUD, 3)
        point = centres[len(points) % SOURCES] + aside - aside.mean()
        if point.min() >= 0:
            points.append(point)
    return np.rint(LONG * np.array(points)).astype(np.int64)


def story(plan: Plan, seed: int) -> NDArray[np.int64]:
    """Documents of three topics, which are drawn too."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(3, BETA), SOURCES)
    weights = rng.dirichlet(np.full(SOURCES, ALPHA), plan.documents)
    shares = weights @ topics
    return np.array([rng.multinomial(SHORT, row / row.sum()) for row in shares])


DRAWN = {CLOUDS: clouds, STORY: story}


def learners(plan: Plan, seed: int) -> dict[str, Any]:
    """The four, run until nothing changes any more."""
    return {
        KMEANS: ch.KMeans(TOPICS, n_init=10, random_state=seed),
        NMF: ch.NMF(TOPICS, tol=1e-9, max_iter=5000, random_state=seed),
        PLSA: ch.PLSA(TOPICS, tol=1e-6, max_iter=5000, random_state=seed),
        LDA: ch.LDA(
            TOPICS, alpha=ALPHA, beta=BETA, learn_priors=False, max_iter=plan.sweeps,
            random_state=seed,
        ),
    }  # fmt: skip


def trial(data: str, seed: int, plan: Plan) -> Record:
    """Topics and weights of every learner."""
    counts = DRAWN[data](plan, seed)
    found: Record = {}
    for name, learner in learners(plan, seed).items():
        learner.fit(counts)
        topics = np.asarray(learner.components_)
        found[name] = {"topics": topics.tolist(), "weights": learner.transform(counts).tolist()}
    return found


def nearest(points: Array, ends: Array) -> Array:
    """The point between two ends that is nearest to each point.

    >>> nearest(np.array([[1.0, 2.0], [-1.0, 0.0]]), np.array([[0.0, 0.0], [3.0, 0.0]])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    along = ends[1] - ends[0]
    length = float(along @ along)
    places = np.clip((points - ends[0]) @ along / length, 0, 1) if length else np.zeros(len(points))
    return np.asarray(ends[0] + places[:, None] * along)


def geometry(points: Array, topics: Array, weights: Array) -> dict[str, float]:
    """Distances of documents from what a model makes of them, and from the nearest it could."""
    made, best = weights @ topics, nearest(points, topics)
    distances = np.linalg.norm(points - made, axis=1)
    least = np.linalg.norm(points - best, axis=1)
    return {
        "distance": float(distances.mean()),
        "least distance": float(least.mean()),
        "nearest": float((distances - least <= NEAR).mean()),
        "at a topic": float((weights.max(axis=1) >= 1 - NEAR).mean()),
        "aslant": aslant(points, made, topics),
    }


def aslant(points: Array, made: Array, topics: Array) -> float:
    """How far from perpendicular to the line are documents' ways to it, in degrees, on average.

    Those that end at a topic don't count.

    >>> topics = np.array([[0.0, 0.0], [2.0, 0.0]])
    >>> round(aslant(np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]] * 2), topics), 9)
    22.5
    """
    along = topics[1] - topics[0]
    ways = made - points
    lengths = np.linalg.norm(ways, axis=1) * np.linalg.norm(along)
    ends = np.linalg.norm(made[:, None] - topics[None], axis=2).min(axis=1)
    inside = (ends > NEAR) & (lengths > NEAR * np.linalg.norm(along))
    if not inside.any():
        return 0.0
    sines = np.abs(ways[inside] @ along) / lengths[inside]
    return float(np.degrees(np.arcsin(np.clip(sines, 0, 1))).mean())


def apart(topics: Any, others: Any) -> float:
    """The mean ℓ1 distance between topics that match."""
    first, second = np.array(topics), np.array(others)
    return float(
        np.diag(l1_distances(first[np.argsort(match_topics(first, second))], second)).mean()
    )


def points_of(record: Record, plan: Plan) -> Array:
    """The documents' shares of the three words."""
    counts = DRAWN[record["data"]](plan, record["seed"])
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def page(found: Sequence[Record], plan: Plan) -> str:
    """How the four models lie among the documents, and to each other."""
    seeds = sorted({record["seed"] for record in found})
    lines = [
        "# Models in a triangle", "", __doc__.split("\n\n", 1)[1].strip(), "",
        "Written by `in_a_triangle.py`; what we make of it is in [the README](../README.md). "
        f"Figure: [in_a_triangle.png](in_a_triangle.png), of seed {seeds[0]}. {plan.documents} "
        f"documents, of {LONG} words in clouds (standard deviation {WIDTH_OF_CLOUD}, places drawn "
        f"from Dir(2)) and of {SHORT} in LDA's story; the thesis doesn't say. Seeds {seeds[0]} to "
        f"{seeds[-1]}: the mean, with the least and the most in brackets.", "",
        "## Documents and what becomes of them", "",
        "*Distance* of documents from their reconstructions (Euclidean), that from the nearest "
        "point between the topics, in what share of the documents the two are the same, what share "
        "are at a topic, and by how many degrees the ways of the others aren't perpendicular to "
        "the line.", "",
        markdown(
            ["documents", "model", "distance", "least", "nearest", "at a topic", "degrees aslant"],
            _geometry_rows(found, plan),
        ), "",
        "## Topics of one model and of another", "",
        "The mean ℓ1 distance of topics that match (at most 2), and by how many seeds a pair of "
        "models is the nearest of all.", "",
        markdown(["documents", "models", "distance", "nearest pair"], _pair_rows(found)),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _geometry_rows(found: Sequence[Record], plan: Plan) -> list[list[str]]:
    rows = []
    for data in DRAWN:
        mine = [record for record in found if record["data"] == data]
        for name in LEARNERS:
            measured = [
                geometry(
                    points_of(record, plan),
                    *(np.array(record[name][part]) for part in ("topics", "weights")),
                )
                for record in mine
            ]
            cells = [spread([each[key] for each in measured]) for key in measured[0]]
            rows.append([data, name, *cells])
    return rows


def _pair_rows(found: Sequence[Record]) -> list[list[str]]:
    rows = []
    pairs = list(combinations(LEARNERS, 2))
    for data in DRAWN:
        mine = [record for record in found if record["data"] == data]
        distances = np.array(
            [[apart(*(record[name]["topics"] for name in pair)) for pair in pairs]
             for record in mine]
        )  # fmt: skip
        times = np.bincount(distances.argmin(axis=1), minlength=len(pairs))
        for place, pair in enumerate(pairs):
            often = f"{times[place]} of {len(mine)}"
            best = bool(times[place] == times.max())
            rows.append([data, " and ".join(pair), spread(list(distances[:, place])),
                         bold(often, best)])  # fmt: skip
    return rows


def plot(found: Sequence[Record], plan: Plan) -> Any:
    """The thesis's figure: a row for each kind of documents, a triangle for each model."""
    from matplotlib.figure import Figure

    shown = {data: next(r for r in found if r["data"] == data) for data in DRAWN}
    with style():
        figure: Any = Figure(figsize=(10.4, 5.0), layout="constrained")
        panels = figure.subplots(len(DRAWN), len(LEARNERS), squeeze=False)
        for row, (data, record) in zip(panels, shown.items(), strict=True):
            points = points_of(record, plan)
            for axes, name in zip(row, LEARNERS, strict=True):
                _draw(axes, points, record[name])
                axes.set_title(f"{name}, {data}")
        figure.supxlabel(
            "diamonds: topics, with how many documents each has; colours: weights of documents; "
            "lines: from documents to their reconstructions", fontsize=7.5, color="#666666",
        )  # fmt: skip
    return figure


def _draw(axes: Any, points: Array, model: Mapping[str, Any]) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    topics, weights = np.array(model["topics"]), np.array(model["weights"])
    order = np.argsort(topics[:, 0], kind="stable")  # the same topic is blue in every panel
    topics, weights = topics[order], weights[:, order]
    corners = in_plane(np.vstack([np.eye(3), np.eye(3)[:1]]))
    axes.plot(*corners.T, color=INK, linewidth=0.6)
    shades = LinearSegmentedColormap.from_list("weights", [COLOURS[1], "#DDDDDD", COLOURS[0]])
    places, made = in_plane(points), in_plane(weights @ topics)
    axes.plot(*np.stack([places, made], axis=1).T, color="#BBBBBB", linewidth=0.5, zorder=1)
    axes.plot(*in_plane(topics).T, color=INK, linewidth=1.0, zorder=2)
    axes.scatter(*places.T, c=weights[:, 1], cmap=shades, vmin=0, vmax=1, s=7, zorder=3,
                 edgecolors="#666666", linewidths=0.2)  # fmt: skip
    for topic, colour, size in zip(
        topics, (COLOURS[1], COLOURS[0]), weights.sum(axis=0), strict=True
    ):
        x, y = in_plane(topic)
        axes.plot([x], [y], "D", color=colour, markeredgecolor=INK, markersize=6, zorder=4)
        axes.annotate(f"{size:.0f}", (x, y), (0, 6), textcoords="offset points", ha="center",
                      fontsize=7, color=INK, zorder=5, bbox=LABEL)  # fmt: skip
    axes.set_aspect("equal")
    axes.set_xlim(-0.08, 1.08)
    axes.set_ylim(-0.08, 0.98)
    axes.axis("off")


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, usual in vars(Plan()).items():
        parser.add_argument(
            f"--{name}", type=at_least_one, default=usual, metavar="N", help=f"({usual})"
        )
    add_seeds(parser, 20)
    add_places(parser, "in_a_triangle.md and in_a_triangle.png; the page is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    given = options().parse_args(arguments)
    plan, records = Plan(given.documents, given.sweeps), Records(given.keep)
    found = []
    for data in DRAWN:
        for seed in seeds_of(given):
            asked = {"data": data, "seed": seed, **vars(plan)}
            if not records.has(asked):
                records.add(asked, trial(data, seed, plan))
            found.append(records.get(asked))
    written = page(found, plan)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "in_a_triangle.md").write_text(written, encoding="utf-8")
        save_figure(plot(found, plan), given.output / "in_a_triangle.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
