"""Do ensembles find the bars as well as a model of all documents? Figure 5 of Shen et al. (2010).

Words are the 9 pixels of a square, topics its rows and columns. 600 documents of 100 words are
drawn by LDA's own story, and dealt to three parties; each fits LDA, publishes a summary, and these
are merged, with rescaled counts and without.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.measures.truth.topics import l1_distances, match_topics
from chatham.plots.panels import save_figure, style
from inference_study.markdown import markdown, number
from inference_study.records import Record, Records
from shared_options import add_places, add_seeds, at_least_one, seeds_of

Array = NDArray[np.float64]

SIDE = 3
PARTIES = 3
POOLED, OWN, MERGED, RESCALED = "all documents", "a party's own", "LDA-E", "LDA-E, rescaled"
DRAWN = "as drawn"
PRIORS = {DRAWN: (1.0, 1.0), "usual": (50 / (2 * SIDE), 0.01)}
"""α and β: those by which the source draws documents, and those of its other experiments."""
SHOWN = 6
"""Documents in the figure."""


@dataclass(frozen=True)
class Plan:
    """How much is drawn."""

    documents: int = 600
    length: int = 100
    sweeps: int = 100


def bars() -> Array:
    """The topics: each row and each column of the square, every pixel of it alike."""
    square = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    lines = [*square, *square.T]
    topics = np.zeros((len(lines), square.size))
    for topic, pixels in zip(topics, lines, strict=True):
        topic[pixels] = 1.0 / SIDE
    return topics


def documents(plan: Plan, seed: int) -> NDArray[np.int64]:
    """Counts drawn from the bars with α = 1."""
    rng, topics = np.random.default_rng(seed), bars()
    weights = rng.dirichlet(np.ones(len(topics)), plan.documents)
    return np.array([rng.multinomial(plan.length, row) for row in weights @ topics])


def fitted(counts: Array, prior: str, seed: int, plan: Plan) -> ch.TopicModel:
    """LDA of these documents."""
    alpha, beta = PRIORS[prior]
    return ch.fit(
        "lda", counts, vocabulary=[f"pixel {place}" for place in range(counts.shape[1])],
        n_components=2 * SIDE, alpha=alpha, beta=beta, learn_priors=False, max_iter=plan.sweeps,
        random_state=seed,
    )  # fmt: skip


def trial(prior: str, seed: int, plan: Plan) -> Record:
    """Topics of all documents, of each party's, and of both merges."""
    counts = documents(plan, seed)
    parts = [counts[party::PARTIES] for party in range(PARTIES)]
    own = [fitted(part, prior, seed, plan) for part in parts]
    published = [
        ch.publish(model, part, name=f"Party {party}")
        for party, (model, part) in enumerate(zip(own, parts, strict=True), 1)
    ]
    alpha, beta = PRIORS[prior]
    merge = partial(
        ch.merge, published, 2 * SIDE, random_state=seed, alpha=alpha, beta=beta,
        learn_priors=False, max_iter=plan.sweeps,
    )  # fmt: skip
    found = {
        POOLED: [fitted(counts, prior, seed, plan).topics],
        OWN: [model.topics for model in own],
        MERGED: [merge().topics],
        RESCALED: [merge(rescale=True).topics],
    }
    return {name: [in_order(each).tolist() for each in topics] for name, topics in found.items()}


def in_order(topics: Array) -> Array:
    """Topics in the order of the bars that they match."""
    return np.asarray(topics[np.argsort(match_topics(topics, bars()))])


def distance(topics: Any) -> float:
    """The mean ℓ1 distance of topics from their bars."""
    return float(np.diag(l1_distances(np.array(topics), bars())).mean())


def page(found: Sequence[Record], plan: Plan) -> str:
    """A table of distances, a row for each prior and way."""
    seeds = sorted({record["seed"] for record in found})
    rows = []
    for prior, (alpha, beta) in PRIORS.items():
        mine = [record for record in found if record["prior"] == prior]
        pooled = np.array([distance(record[POOLED][0]) for record in mine])
        for way in (POOLED, OWN, MERGED, RESCALED):
            values = np.array(
                [np.mean([distance(each) for each in record[way]]) for record in mine]
            )
            spread = f"{number(values.mean())} ({number(values.min())} to {number(values.max())})"
            nearer = f"{(values < pooled).sum()} of {len(values)}" if way != POOLED else ""
            rows.append([f"{prior}: {alpha:.3g}, {beta:g}", way, spread, nearer])
    lines = [
        "# Bars", "", __doc__.split("\n\n", 1)[1].strip(), "",
        "Written by `bars.py`; what we make of it is in [the README](../README.md). Figure: "
        f"[bars.png](bars.png), of seed {seeds[0]}. {plan.documents} documents of {plan.length} "
        f"words, {PARTIES} parties, {plan.sweeps} sweeps, seeds {seeds[0]} to {seeds[-1]}: the "
        "mean, with the least and the most in brackets, of topics' mean ℓ1 distance from the bars "
        "(at most 2). For the parties it is the mean over them.",
        "",
        markdown(["prior: α, β", "topics of", "distance", "nearer than all documents'"], rows),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def plot(found: Sequence[Record], plan: Plan) -> Any:
    """The topics of one seed as squares, the darker the more probable the pixel."""
    from matplotlib.figure import Figure

    record = next(record for record in found if record["prior"] == DRAWN)
    rows: Mapping[str, Any] = {
        "the bars": bars(),
        f"{SHOWN} documents": documents(plan, record["seed"])[:SHOWN],
        POOLED: record[POOLED][0],
        **{f"party {party}": each for party, each in enumerate(record[OWN], 1)},
        MERGED: record[MERGED][0],
        RESCALED: record[RESCALED][0],
    }
    with style():
        figure: Any = Figure(figsize=(4.6, 0.62 * len(rows)), layout="constrained")
        panels = figure.subplots(len(rows), 2 * SIDE, squeeze=False)
        for axes, (name, images) in zip(panels, rows.items(), strict=True):
            for place, image in zip(axes, np.asarray(images, dtype=float), strict=True):
                place.imshow(image.reshape(SIDE, SIDE), cmap="Greys", vmin=0)
                place.set(xticks=[], yticks=[])
                place.spines[:].set_visible(True)
            axes[0].set_ylabel(name, rotation=0, ha="right", va="center", fontsize=7)
    return figure


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, usual in (("documents", 600), ("sweeps", 100)):
        parser.add_argument(
            f"--{name}", type=at_least_one, default=usual, metavar="N", help=f"({usual})"
        )
    add_seeds(parser, 10)
    add_places(parser, "bars.md and bars.png; the page is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    given = options().parse_args(arguments)
    plan, records = Plan(documents=given.documents, sweeps=given.sweeps), Records(given.keep)
    found = []
    for seed in seeds_of(given):
        for prior in PRIORS:
            asked = {"seed": seed, "prior": prior, **vars(plan)}
            if not records.has(asked):
                records.add(asked, trial(prior, seed, plan))
            found.append(records.get(asked))
    written = page(found, plan)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "bars.md").write_text(written, encoding="utf-8")
        save_figure(plot(found, plan), given.output / "bars.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
