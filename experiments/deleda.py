"""Do agents that can only talk to their neighbours reach the topics of everybody's documents?

Figure 1 of Colin and Dupuy (2016): 50 agents with 20 short documents each, on the complete graph
and on a small world. Held-out log-perplexity relative to that of the true topics, and the distance
from these, beside online EM that can reach all documents.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.gossip import GibbsAgents, Graph, Simulation, complete, uniform_edges, watts_strogatz
from chatham.learners.documents import Documents
from chatham.learners.online_lda import expected_counts, step_size, topics_of
from chatham.measures.held_out.left_to_right import read_documents
from chatham.measures.held_out.particles import LOG
from chatham.measures.subject import Subject
from chatham.measures.truth.topics import DistanceToTruth
from chatham.plots.palette import COLOURS
from chatham.plots.panels import grid, name_panel, save_figure, style
from inference_study.markdown import listed, markdown
from inference_study.records import Record, Records
from shared_options import add_places, add_seeds, seeds_of

Array = NDArray[np.float64]

PERPLEXITY, DISTANCE = "relative error of log-perplexity", "distance from the true topics"
EXCESS, RATIO = 0.005, 1.25
"""What an agent may have more than the centre: a difference of the one, a ratio of the other."""


@dataclass(frozen=True)
class Plan:
    """The experiment's sizes: the source's, and below them what it doesn't say."""

    agents: int = 50
    documents: int = 20
    words: int = 100
    topics: int = 5
    length: float = 10.0
    edges: int = 100
    rewired: float = 0.3
    batch: int = 20

    alpha: float = 0.1
    concentration: float = 0.1
    held_out: int = 500
    particles: int = 16
    sweeps: int = 20
    burn_in: int = 10
    kappa: float = 0.6
    smoothing: float = 0.01
    asynchronous: tuple[int, ...] = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
    synchronous: tuple[int, ...] = (100, 200, 500, 1000, 2000, 5000)
    """After how many iterations agents are scored."""

    def step(self, t: float) -> float:
        """ρ_t."""
        return step_size(t, kappa=self.kappa)


SMALL = Plan(
    agents=6, documents=5, words=20, topics=2, edges=6, batch=5, held_out=20, particles=2,
    sweeps=4, burn_in=2, asynchronous=(10, 60), synchronous=(10,),
)  # fmt: skip


@dataclass(frozen=True)
class World:
    """What is drawn once for a seed, and how topics are scored in it."""

    plan: Plan
    topics: Array
    train: Any
    held_out: Documents
    best: float
    """LP*, the mean log-perplexity of a held-out document under the true topics."""

    def scores(self, topics: Array) -> tuple[float, float]:
        """LP/LP* − 1, and D(β, β*)."""
        words = np.arange(self.plan.words).astype(str).astype(object)
        subject = Subject(words, topics=topics, true_topics=self.topics)
        distance = DistanceToTruth().value(None, subject).value
        return log_perplexity(self.plan, self.held_out, topics) / self.best - 1, float(distance)


def log_perplexity(plan: Plan, documents: Documents, topics: Array) -> float:
    """LP: the mean over documents of −log p(document), read from left to right."""
    alpha = np.full(plan.topics, plan.alpha)
    return -float(read_documents(documents, topics, alpha, plan.particles)[:, LOG].mean())


def world(plan: Plan, seed: int) -> World:
    """True topics from a Dirichlet distribution, and documents from these."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(plan.words, plan.concentration), plan.topics)

    def drawn(n: int) -> Any:
        return ch.synthetic_corpus(
            topics, n, lengths=plan.length, poisson=True, prior=plan.alpha,
            random_state=int(rng.integers(2**31)),
        ).corpus.counts  # fmt: skip

    train, held_out = drawn(plan.agents * plan.documents), Documents(drawn(plan.held_out))
    return World(plan, topics, train, held_out, log_perplexity(plan, held_out, topics))


def agents_of(there: World, seed: int) -> GibbsAgents:
    """Each agent with documents of its own."""
    plan, size = there.plan, there.plan.documents
    return GibbsAgents(
        [there.train[first : first + size] for first in range(0, plan.agents * size, size)],
        np.full(plan.topics, plan.alpha), smoothing=plan.smoothing, sweeps=plan.sweeps,
        burn_in=plan.burn_in, random_state=seed,
    )  # fmt: skip


def gossiped(there: World, graph: Graph, seed: int, synchronous: bool) -> Iterator[Record]:
    """DELEDA's scores along the way: of every agent, and of the average of all."""
    agents, plan = agents_of(there, seed), there.plan
    simulation = Simulation(
        uniform_edges(graph), agents.start(seed), agents, plan.step,
        synchronous=synchronous, random_state=seed,
    )  # fmt: skip
    for after in plan.synchronous if synchronous else plan.asynchronous:
        simulation.run(after - simulation.exchanges)
        yield {
            "after": after,
            "agents": [there.scores(agents.topics(each)) for each in simulation.statistics],
        }


def centralised(there: World, seed: int) -> Iterator[Record]:
    """G-OEM's scores along the way, from the start that agents have too."""
    plan, rng = there.plan, np.random.default_rng([seed, 1])
    statistics, alpha = agents_of(there, seed).start(seed)[0], np.full(plan.topics, plan.alpha)
    for t in range(1, plan.asynchronous[-1] + 1):
        rows = np.sort(rng.choice(there.train.shape[0], plan.batch, replace=False))
        expected = expected_counts(
            there.train[rows], topics_of(statistics, plan.smoothing), alpha,
            sweeps=plan.sweeps, burn_in=plan.burn_in, seed=(seed << 32) + t,
        )  # fmt: skip
        statistics = statistics + plan.step(t) * (expected - statistics)
        if t in plan.asynchronous:
            yield {"after": t, "agents": [there.scores(topics_of(statistics, plan.smoothing))]}


Way = Callable[[World, int], Iterator[Record]]


def ways_of(plan: Plan) -> dict[str, Way]:
    """All that is compared, by name."""
    small = "small world"
    graphs: dict[str, Callable[[int], Graph]] = {
        "complete": lambda seed: complete(plan.agents),
        small: lambda seed: watts_strogatz(
            plan.agents, plan.edges, plan.rewired, random_state=seed
        ),
    }
    ways: dict[str, Way] = {"centralised": centralised}
    for kind in ("asynchronous", "synchronous"):
        for name, graph in graphs.items():
            ways[f"{kind}, {name}"] = lambda there, seed, graph=graph, kind=kind: gossiped(
                there, graph(seed), seed, kind == "synchronous"
            )
    return ways


def runs(plan: Plan, kappas: Sequence[float], seeds: Sequence[int], kept: Records) -> list[Record]:
    """Every way with every seed; what was found before isn't computed again."""
    found = []
    for kappa, seed in product(kappas, seeds):
        own, there = replace(plan, kappa=kappa), None
        for name, way in ways_of(own).items():
            if kappa != kappas[0] and name.startswith("synchronous"):
                continue
            asked = {"seed": seed, "way": name, **asdict(own)}
            if not kept.has(asked):
                there = there or world(own, seed)
                kept.add(asked, {"points": list(way(there, seed))})
            found.append({**{key: asked[key] for key in ("seed", "way", "kappa")},
                          "points": kept.get(asked)["points"]})  # fmt: skip
    return found


def page(plan: Plan, found: Sequence[Record], seeds: Sequence[int]) -> str:
    """The page."""
    schedules = [
        str(uniform_edges(graph))
        for graph in (complete(plan.agents), *(
            watts_strogatz(plan.agents, plan.edges, plan.rewired, random_state=seed)
            for seed in seeds
        ))
    ]  # fmt: skip
    said = [
        f"{plan.agents} agents with {plan.documents} documents each, of Poisson({plan.length:g}) "
        f"words; {plan.words} words, {plan.topics} topics. Graphs: complete, and Watts–Strogatz "
        f"with {plan.edges} edges and p = {plan.rewired}. An iteration is a batch of {plan.batch} "
        "documents for centralised G-OEM, drawn from all; one pairing for agents, after which two "
        "of them update (asynchronous) or all (synchronous), each with all its documents.",
        f"Seeds {', '.join(map(str, seeds))}, each with topics, documents, a small world and "
        "pairings of its own.",
    ]
    unsaid = [
        f"α* = {plan.alpha} for each topic; true topics from a Dirichlet distribution of "
        f"{plan.concentration}; {plan.held_out} held-out documents, of which LP is the mean.",
        f"{plan.sweeps} sweeps of local Gibbs sampling, {plan.burn_in} of them discarded; "
        "ρ_t = t^−κ, where t of an agent is c·p̄/p_k after c updates of its own; topics smoothed by "
        f"{plan.smoothing} tokens. The same for the centre.",
        "All begin from the same topics, drawn from a uniform Dirichlet distribution. "
        "Pairings are edges drawn evenly, as in its Algorithm 1; asynchronous steps have the "
        "correction that its Remark 1 asks for, ρ·p̄/p_k, at most 1.",
        f"Left to right with {plan.particles} particles. D by least squares: the closed form "
        "printed lacks a last factor β.",
    ]
    parts = [
        "# Topics without any centre",
        "Written by `deleda.py`; what we make of it is in [the README](../README.md). Figure: "
        "[deleda.png](deleda.png), the mean over agents and seeds, and from the least to the most.",
        "## What was done", listed(said),
        "What the source doesn't say, and was chosen here:", listed(unsaid),
        "Mixing, without updates:", listed(dict.fromkeys(schedules)),
        "## At the end", table(plan, found),
        "## On the way", "Mean over agents and seeds (the worst agent of any seed).",
        f"The {PERPLEXITY}, in thousandths:", course(plan, found, 0, 1e3, 1),
        f"The {DISTANCE}:", course(plan, found, 1, 1.0, 3),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def table(plan: Plan, found: Sequence[Record]) -> str:
    """The last scores of each run, and whether every agent is near enough to the centre."""
    rows = []
    centre = {(r["seed"], r["kappa"]): dict(curve(r)) for r in found if r["way"] == "centralised"}
    for record in found:
        after, scores = curve(record)[-1]
        perplexity, distance = scores.T
        own = centre[record["seed"], record["kappa"]][plan.asynchronous[-1]][0]
        near = perplexity.max() - own[0] <= EXCESS and distance.max() <= RATIO * own[1]
        rows.append([
            record["kappa"], record["seed"], record["way"], f"{after:,}",
            *(spread(each) for each in (1e3 * perplexity, distance)),
            f"{1e3 * (perplexity.max() - own[0]):+.1f}".replace("-", "−"),
            f"{distance.max() / own[1]:.2f}", "yes" if near else "no",
        ])  # fmt: skip
    head = [
        "κ", "seed", "way", "iterations", "1000 (LP/LP* − 1)", "D",
        "the worst agent's less the centre's", "the worst agent's D / the centre's",
        f"at most {1e3 * EXCESS:g} and {RATIO}",
    ]  # fmt: skip
    return markdown(head, rows)


def spread(values: Array) -> str:
    """The mean, and from the least to the most."""
    if len(values) == 1:
        return f"{values[0]:.3f}"
    return f"{values.mean():.3f} ({values.min():.3f} to {values.max():.3f})"


def curve(record: Record) -> list[tuple[int, Array]]:
    """The scores (agents × 2) after so many iterations."""
    return [(point["after"], np.array(point["agents"])) for point in record["points"]]


def together(found: Sequence[Record]) -> dict[tuple[float, str], list[tuple[int, Array]]]:
    """The same over all seeds, by κ and way."""
    curves: dict[tuple[float, str], list[list[tuple[int, Array]]]] = {}
    for record in found:
        curves.setdefault((record["kappa"], record["way"]), []).append(curve(record))
    return {
        key: [
            (points[0][0], np.concatenate([scores for _, scores in points]))
            for points in zip(*each, strict=True)
        ]
        for key, each in curves.items()
    }


def course(plan: Plan, found: Sequence[Record], score: int, scale: float, digits: int) -> str:
    """A row for each way, a column for each number of iterations."""
    rows = []
    for (kappa, way), course_ in together(found).items():
        points = {after: scale * scores[:, score] for after, scores in course_}
        cells = [
            f"{points[at].mean():.{digits}f} ({points[at].max():.{digits}f})" if at in points
            else "–"
            for at in plan.asynchronous
        ]  # fmt: skip
        rows.append([kappa, way, *cells])
    return markdown(["κ", "way", *(f"{at:,}" for at in plan.asynchronous)], rows)


def plot(found: Sequence[Record]) -> Any:
    """The source's Figure 1: a panel for each score, a line for each way with the first κ."""
    first = found[0]["kappa"]
    lines = {way: each for (kappa, way), each in together(found).items() if kappa == first}
    with style():
        title = f"Agents and the centre, by iterations (κ = {first:g})"
        figure, panels = grid(2, 2.6, title, width=4.2)
        for score, (axes, name) in enumerate(zip(panels, (PERPLEXITY, DISTANCE), strict=True)):
            for colour, (way, points) in zip(COLOURS, lines.items(), strict=False):
                after = [at for at, _ in points]
                values = [scores[:, score] for _, scores in points]
                dashes = "--" if way.startswith("synchronous") else "-"
                axes.plot(after, [each.mean() for each in values], label=way, linewidth=1.3,
                          linestyle=dashes, color=colour)  # fmt: skip
                axes.fill_between(
                    after, [each.min() for each in values], [each.max() for each in values],
                    alpha=0.15, linewidth=0, color=colour,
                )  # fmt: skip
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel("iterations")
            name_panel(axes, name, False)
        panels[0].legend(frameon=False, fontsize=6.5)
    return figure


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="A seed takes some minutes on a core, most for the synchronous runs.",
    )  # fmt: skip
    add_seeds(parser)
    parser.add_argument(
        "--kappas", type=float, nargs="+", default=[Plan.kappa, 0.7], metavar="KAPPA",
        help="steps are t^−kappa (0.6 0.7); with others than the first, agents are asynchronous",
    )  # fmt: skip
    parser.add_argument("--small", action="store_true", help="a few agents, for a look")
    add_places(parser, "deleda.md and deleda.png; the page is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    given = options().parse_args(arguments)
    plan = replace(SMALL if given.small else Plan(), kappa=given.kappas[0])
    try:
        found = runs(plan, given.kappas, seeds_of(given), Records(given.keep))
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(plan, found, seeds_of(given))
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "deleda.md").write_text(written, encoding="utf-8")
        save_figure(plot(found), given.output / "deleda.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
