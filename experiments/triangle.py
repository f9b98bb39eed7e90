"""Are merged topics those of all documents? Figure 3 of Shen et al. (2010).

With three words, documents and topics are points of a triangle, and two topics a line through it.
120 documents are dealt to three parties; PLSA is fitted to all of them, and to each party's. The
parties' six topics are published and merged to two, which should be near those of all documents.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.measures.truth.topics import l1_distances, match_topics
from chatham.plots.palette import COLOURS, INK
from chatham.plots.panels import save_figure, style
from ensembles_study.ways import MOST, TOL, as_in_the_source
from inference_study.markdown import markdown, number
from inference_study.records import Record, Records
from shared_options import add_places, add_seeds, at_least_one, seeds_of

Array = NDArray[np.float64]

ENDS = np.array([[0.75, 0.15, 0.10], [0.10, 0.25, 0.65]])
"""The topics that documents are drawn from."""
PARTIES = 3
POOLED, OWN, MERGED, RANDOM = "all documents", "a party's own", "merged", "a second start"


@dataclass(frozen=True)
class Plan:
    """How much is drawn."""

    documents: int = 120
    length: int = 60


def documents(plan: Plan, seed: int) -> NDArray[np.int64]:
    """Counts of three words, with weights that are spread evenly."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(len(ENDS)), plan.documents)
    return np.array([rng.multinomial(plan.length, row) for row in weights @ ENDS])


def fitted(counts: Array, seed: int) -> ch.TopicModel:
    """PLSA of these documents, as the source stops it."""
    return ch.fit(
        "plsa", counts, vocabulary=["a", "b", "c"], n_components=len(ENDS), tol=TOL,
        max_iter=MOST, random_state=seed,
    )  # fmt: skip


def trial(seed: int, plan: Plan) -> Record:
    """Topics of all documents, twice; of each party's; and merged."""
    counts = documents(plan, seed)
    parts = [counts[party::PARTIES] for party in range(PARTIES)]
    with as_in_the_source():
        own = [fitted(part, seed) for part in parts]
        published = [
            ch.publish(model, part, name=f"Party {party}")
            for party, (model, part) in enumerate(zip(own, parts, strict=True), 1)
        ]
        merged = ch.merge(published, len(ENDS), random_state=seed, tol=TOL, max_iter=MOST)
        models = {
            POOLED: [fitted(counts, seed)], RANDOM: [fitted(counts, seed + 1000)], OWN: own,
            MERGED: [merged],
        }  # fmt: skip
    return {
        "topics": {
            name: [in_order(model.topics).tolist() for model in each]
            for name, each in models.items()
        },
        "likelihood": {
            name: float(np.mean([likelihood(model.topics, counts) for model in each]))
            for name, each in models.items()
        },
    }


def in_order(topics: Array) -> Array:
    """Topics in the order of the ends that they match."""
    return np.asarray(topics[np.argsort(match_topics(topics, ENDS))])


def likelihood(topics: Array, counts: Array) -> float:
    """The log-likelihood of a word, with the best weights for these topics."""
    learner = ch.PLSA(len(topics))
    learner.components_ = topics
    learner.n_features_in_ = topics.shape[1]
    weights = learner._weights(learner._documents(np.asarray(counts, dtype=np.float64)))
    return float((counts * np.log(weights @ topics)).sum() / counts.sum())


def apart(topics: Any, others: Any) -> float:
    """The mean ℓ1 distance between topics that match."""
    return float(np.diag(l1_distances(np.array(topics), np.array(others))).mean())


def page(found: Sequence[Record], plan: Plan) -> str:
    """How far topics are from those of all documents and from the truth; and the likelihood."""
    seeds = sorted({record["seed"] for record in found})
    rows = []
    for way in (POOLED, RANDOM, OWN, MERGED):
        cells = []
        for other in (POOLED, None):
            values = [
                float(np.mean([
                    apart(each, record["topics"][other][0] if other else ENDS)
                    for each in record["topics"][way]
                ]))
                for record in found
            ]  # fmt: skip
            cells.append("" if way == other else spread(values))
        lost = [
            1000 * (record["likelihood"][POOLED] - record["likelihood"][way]) for record in found
        ]
        cells.append("" if way == POOLED else spread(lost))
        rows.append([way, *cells])
    lines = [
        "# Triangle", "", __doc__.split("\n\n", 1)[1].strip(), "",
        "Written by `triangle.py`; what we make of it is in [the README](../README.md). Figure: "
        f"[triangle.png](triangle.png), of seed {seeds[0]}. {plan.documents} documents of "
        f"{plan.length} words, {PARTIES} parties, seeds {seeds[0]} to {seeds[-1]}: the mean, with "
        "the least and the most in brackets, of topics' mean ℓ1 distance (at most 2), and of what "
        "a word of all documents loses in log-likelihood against the topics of all documents, in "
        f"thousandths of a nat. *{RANDOM}* is PLSA of all documents from other random topics.",
        "",
        markdown(["topics of", "from all documents'", "from the true ones", "lost"], rows),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def spread(values: Sequence[float]) -> str:
    """The mean, the least and the most."""
    return f"{number(float(np.mean(values)))} ({number(min(values))} to {number(max(values))})"


def plot(found: Sequence[Record], plan: Plan) -> Any:
    """The source's three panels: all documents; the parties; the merge of their topics."""
    from matplotlib.figure import Figure

    record = found[0]
    shares = documents(plan, record["seed"]) / plan.length
    topics = record["topics"]
    with style():
        figure: Any = Figure(figsize=(8.4, 2.6), layout="constrained")
        panels = figure.subplots(1, 3)
        titles = ("all documents", "three parties", "merged from the six ends")
        for axes, title in zip(panels, titles, strict=True):
            corners = in_plane(np.vstack([np.eye(3), np.eye(3)[:1]]))
            axes.plot(*corners.T, color=INK, linewidth=0.8)
            axes.set_title(title)
            axes.set_aspect("equal")
            axes.axis("off")
        panels[0].plot(*in_plane(shares).T, "o", markersize=2, color=COLOURS[5], alpha=0.6)
        line(panels[0], topics[POOLED][0], INK, "o")
        for party, each in enumerate(topics[OWN]):
            colour, mark = COLOURS[party], "os^"[party]
            mine = in_plane(shares[party::PARTIES])
            panels[1].plot(*mine.T, mark, markersize=2, color=colour, alpha=0.5)
            for axes in panels[1:]:
                line(axes, each, colour, mark, width=0.8 if axes is panels[1] else 0.0)
        line(panels[2], topics[POOLED][0], INK, "o", label="all documents")
        line(panels[2], topics[MERGED][0], COLOURS[3], "D", label="merged")
        panels[2].legend(frameon=False, fontsize=7, loc="upper right")
    return figure


def line(
    axes: Any, ends: Any, colour: str, mark: str, width: float = 1.3, label: str | None = None
) -> None:
    """Two topics, and the line between them."""
    points = in_plane(np.array(ends))
    axes.plot(*points.T, mark, linestyle="-" if width else "none", linewidth=width, color=colour,
              markersize=4, label=label)  # fmt: skip


def in_plane(points: Array) -> Array:
    """Points of the simplex as points of a triangle with sides of one."""
    return points @ np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, usual in (("documents", 120), ("length", 60)):
        parser.add_argument(
            f"--{name}", type=at_least_one, default=usual, metavar="N", help=f"({usual})"
        )
    add_seeds(parser, 20)
    add_places(parser, "triangle.md and triangle.png; the page is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    given = options().parse_args(arguments)
    plan, records = Plan(given.documents, given.length), Records(given.keep)
    found = []
    for seed in seeds_of(given):
        asked = {"seed": seed, **vars(plan)}
        if not records.has(asked):
            records.add(asked, trial(seed, plan))
        found.append(records.get(asked))
    written = page(found, plan)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "triangle.md").write_text(written, encoding="utf-8")
        save_figure(plot(found, plan), given.output / "triangle.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
