"""Can somebody tell from NMF's topics whether a document was there? By party size (Fig. 3.9).

Section 3.4.1 of the thesis: p-values of π-KSDP (Algorithm 11) for topics of Enron and for factors
of MovieLens-1M, by the party's share of all documents and the number of topics; by the thesis's
statistic, a·w², and by all of ours. Beside it, one cell each: Algorithm 11's own design, a start
that differs from run to run, rarer words, and the noise that totals have in a session.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import chatham as ch
from audit_study.documents import (
    LEAST_RATINGS,
    LEAST_TOKENS,
    Audited,
    read_documents,
    read_films,
)
from audit_study.options import add_options, check_options, runner_of, write
from audit_study.runs import COINS, ONE_BY_ONE, Cell, Ran, Runner, size_of, unfinished
from audit_study.tested import Tested, attacked, mean_of, median_right, tested
from audit_study.words import minutes, percent, probability, with_interval
from chatham.audit.mechanisms import FitMechanism
from chatham.plots.palette import BLUE, COLOURS, FAINT
from chatham.plots.panels import MARKERS, style
from inference_study.markdown import listed, markdown
from uplift_study.documents import ENRON

THESIS = "topic_weights"
EXACT, NOISED = "exact totals", "a session's totals"
TEXT, RATINGS = "topics", "ratings"
TIME = "With --data it takes about half an hour on a core. What is kept is used again."


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    shares: tuple[float, ...] = (0.005, 0.01, 0.02, 0.05, 0.1)
    topics: tuple[int, ...] = (7, 14)
    noised: tuple[float, ...] = (0.01, 0.05, 0.1)
    """Shares at which totals are those of a session too, with the first number of topics."""
    own_start: tuple[float, ...] = (0.05,)
    """Shares at which every run has a start of its own too."""
    one_by_one: float = 0.01
    """The share at which Algorithm 11's design is run too."""
    rarer: float = 0.05
    """The share at which rarer words are there too."""
    documents: int = 50
    users: int = 10
    one_by_one_documents: int = 10
    databases: int = 200
    min_df: int = 50
    rarer_min_df: int = 10
    iterations: int = 50
    rating_iterations: int = 10
    penalty: float = 4.0
    """Of factors of ratings, without which few users are fitted to the last star."""


def text_learner(plan: Plan, k: int, seed: int | None = 0) -> ch.NMF:
    """NMF of frequencies on the simplex."""
    return ch.NMF(k, init="random", max_iter=plan.iterations, random_state=seed)


def rating_learner(plan: Plan, k: int) -> ch.NMF:
    """NMF of the cells that are known."""
    return ch.NMF(
        k, constraint="none", missing="unobserved", init="random", max_iter=plan.rating_iterations,
        l2_weights=plan.penalty, l2_topics=plan.penalty, random_state=0,
    )  # fmt: skip


def text_cells(plan: Plan, corpus: Audited, rarer: Audited) -> list[Cell]:
    """Every size and number of topics, and the cells that stand beside them."""
    cells = [
        _cell(corpus, TEXT, text_learner(plan, k), share, plan.documents, plan, k=k)
        for k in plan.topics
        for share in plan.shares
    ]
    k = plan.topics[0]
    cells += [
        _cell(corpus, TEXT, text_learner(plan, k), share, plan.documents, plan, NOISED, k=k)
        for share in plan.noised
    ]
    cells += [
        _cell(corpus, TEXT, text_learner(plan, k, None), share, plan.documents, plan, k=k,
              way="own start")
        for share in plan.own_start
    ]  # fmt: skip
    cells.append(
        _cell(rarer, TEXT, text_learner(plan, k), plan.rarer, plan.documents, plan, k=k,
              way="rarer words")
    )  # fmt: skip
    few = plan.one_by_one_documents
    cells += [
        _cell(corpus, TEXT, text_learner(plan, k), plan.one_by_one, few, plan, k=k,
              way="one of two designs", design=design)
        for design in (COINS, ONE_BY_ONE)
    ]  # fmt: skip
    return cells


def rating_cells(plan: Plan, films: Audited) -> list[Cell]:
    """Every size and number of factors; totals are exact, as nothing else is possible."""
    return [
        _cell(films, RATINGS, rating_learner(plan, k), share, plan.users, plan, k=k)
        for k in plan.topics
        for share in plan.shares
    ]


def _cell(
    corpus: Audited, kind: str, learner: Any, share: float, documents: int, plan: Plan,
    totals: str = EXACT, *, k: int, way: str = "", design: str = COINS,
) -> Cell:  # fmt: skip
    targets = corpus.targets(documents)
    mechanism = FitMechanism(
        learner, others=1 if totals == EXACT else 2, exact_totals=totals == EXACT
    )
    asked = {
        "what": f"nmf {kind}", "corpus": corpus.name, "k": k, "share": share, "totals": totals,
        "way": way, "design": design,
    }  # fmt: skip
    size = size_of(share, corpus.size, targets)
    return Cell(asked, mechanism, corpus.counts, targets, size, plan.databases, design)


# The page.


@dataclass(frozen=True)
class Found:
    """A cell that was run, and its tests."""

    ran: Ran
    tested: Tested

    def asks(self, **asked: Any) -> bool:
        """Whether it is the cell with these settings."""
        return all(self.ran.cell.asked[name] == value for name, value in asked.items())


def page(plan: Plan, corpora: Sequence[Audited], found: Sequence[Found]) -> str:
    """The whole page, in Markdown."""
    seconds = sum(each.ran.seconds for each in found)
    processes = max(each.ran.processes for each in found)
    parts = [
        "# What NMF gives away, by party size (Fig. 3.9)",
        "Written by `ksdp_nmf.py`; what we make of it is in [the README](../README.md). Figure: "
        "[ksdp_nmf.png](ksdp_nmf.png).",
        "## What was done",
        listed(method(plan, corpora)),
        f"The fits took {minutes(seconds)} with {processes} process{'es' * (processes > 1)}.",
    ]
    for corpus in dict.fromkeys(each.ran.cell.asked["corpus"] for each in found):
        usual = [each for each in found if each.asks(corpus=corpus, way="", totals=EXACT)]
        if usual:
            parts += [
                f"## {corpus}, exact totals",
                "Means over documents, with their intervals (95 %, asymptotic):",
                _means(usual),
                "Over documents: least, quartiles and greatest p. *Least of all statistics* is π "
                "of Algorithm 11, not corrected; *exposed* is the share of documents with p ≤ 0.05 "
                "after Holm's correction for all documents, and all statistics named.",
                _distributions(usual),
                "What an attack achieves that chooses a document's statistic on one half of the "
                "databases and guesses in the other:",
                _attacks(usual),
            ]
    beside = [each for each in found if not each.asks(way="", totals=EXACT)]
    parts += ["## Beside it", _beside([*_plain(found, beside), *beside]), *_agreement(found)]
    return "\n\n".join(parts) + "\n"


def method(plan: Plan, corpora: Sequence[Audited]) -> list[str]:
    """What was done, in sentences."""
    return [
        "; ".join(each.described for each in corpora) + ". Texts are those with "
        f"{LEAST_TOKENS} words at least of those that {plan.min_df} documents have (*rarer words*: "
        f"{plan.rarer_min_df}); texts that recur count once. Films have {LEAST_RATINGS} ratings at "
        "least.",
        "One party's sums are seen as they are, as in the thesis: by all others together, or by "
        "one of two. The adversary sees the final topics and the last round's denominators, w². "
        "Where cells are unknown every film has denominators of its own; there w² is each factor's "
        "sum of weighted ratings.",
        f"{plan.documents} documents ({plan.users} users), chosen at random, the same at every "
        f"size. {plan.databases} databases for each group of documents that are in a database by "
        "coins of their own, at most 5 % of it: so about half of the databases have a document. "
        "*One by one* is Algorithm 11, with fresh databases of equal size: "
        f"{plan.databases // 2} with and {plan.databases // 2} without, for each document alone.",
        f'Topics: `NMF(k, init="random", max_iter={plan.iterations})` on frequencies; the start '
        "is the same in every run, as parties agree on it, but for *own start*. Ratings: "
        '`constraint="none", missing="unobserved"`, both ℓ2 penalties '
        f"{plan.penalty:g}, {plan.rating_iterations} iterations. Between parties this learner is "
        "refused unless all know of exact totals, so there is no row with a session's for it.",
        f"*{NOISED.capitalize()}*: two parties share the database, each adds its noise, leaves out "
        "its rare words, and there are ten rounds.",
    ]


def _head(each: Found) -> list[str]:
    asked = each.ran.cell.asked
    return [f"{100 * asked['share']:g} %", f"{each.ran.cell.size:,}", str(asked["k"])]


def _means(found: Sequence[Found]) -> str:
    names = found[0].tested.statistics
    rows = [
        [
            *_head(each),
            *(with_interval(mean_of(each.tested.only([name]).least)) for name in names),
            with_interval(mean_of(each.tested.least)),
        ]
        for each in found
    ]
    shown = [name.replace("_", " ") + " (thesis)" * (name == THESIS) for name in names]
    return markdown(["party", "documents", "k", *shown, "least of all statistics"], rows)


def _distributions(found: Sequence[Found]) -> str:
    rows = []
    for each in found:
        thesis, every = each.tested.only([THESIS]), each.tested
        rows.append([
            *_head(each), _five(thesis.least), percent(thesis.exposed), _five(every.least),
            probability(float(every.corrected.min())), percent(every.exposed),
        ])  # fmt: skip
    head = ["party", "documents", "k", "a·w²", "exposed by a·w²", "least of all statistics",
            "least, Holm", "exposed by any"]  # fmt: skip
    return markdown(head, rows)


def _five(values: Any) -> str:
    return ", ".join(
        probability(float(each)) for each in np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
    )


def _attacks(found: Sequence[Found]) -> str:
    return markdown(["party", "documents", "k", *ATTACK], [[*_head(e), *_attack(e)] for e in found])


ATTACK = ["area under the curve", "guesses right, median document", "found at 1 % false alarms"]


def _attack(each: Found) -> list[str]:
    risk, right = attacked(each.ran.samples)
    return [percent(risk.auc), percent(median_right(right)), percent(risk.true_positives[0.01])]


def _beside(found: Sequence[Found]) -> str:
    rows = []
    for each in found:
        asked = each.ran.cell.asked
        thesis, every = each.tested.only([THESIS]), each.tested
        rows.append([
            asked["corpus"], *_head(each), f"{len(each.ran.cell.targets)}",
            ", ".join(filter(None, [asked["totals"], asked["way"], asked["design"]])),
            with_interval(mean_of(thesis.least)), with_interval(mean_of(every.least)),
            percent(every.exposed), *_attack(each)[:1],
        ])  # fmt: skip
    head = ["corpus", "party", "documents", "k", "asked about", "what", "mean p, a·w²",
            "mean least p", "exposed by any", ATTACK[0]]  # fmt: skip
    return markdown(head, rows)


def _plain(found: Sequence[Found], beside: Sequence[Found]) -> list[Found]:
    """The cells that those beside are to be compared with."""
    compared = {(e.ran.cell.asked["share"], e.ran.cell.asked["k"]) for e in beside}
    return [
        each for each in found
        if each.asks(way="", totals=EXACT, what=f"nmf {TEXT}")
        and (each.ran.cell.asked["share"], each.ran.cell.asked["k"]) in compared
    ]  # fmt: skip


def _agreement(found: Sequence[Found]) -> list[str]:
    """Whether coin flips and Algorithm 11 say the same of the same documents."""
    both = [each for each in found if each.asks(way="one of two designs")]
    if len(both) < 2:
        return []
    logs = [np.log10(np.maximum(each.tested.p, 1e-300)).ravel() for each in both]
    correlation = float(np.corrcoef(*logs)[0, 1])
    ends = np.tanh(
        np.arctanh(min(correlation, 1 - 1e-12))
        + np.array([-1.96, 1.96]) / np.sqrt(logs[0].size - 3)
    )
    return [
        "Coin flips and Algorithm 11 on the same documents, all statistics: log p correlates by "
        f"{correlation:.2f} ({ends[0]:.2f}–{ends[1]:.2f}, asymptotic); medians of p are "
        + " and ".join(probability(10 ** float(np.median(each))) for each in logs)
        + "."
    ]


# The figure.


def picture(found: Sequence[Found]) -> Any:
    """Mean p against party size, and how p is spread over documents."""
    from matplotlib.figure import Figure

    usual = [each for each in found if each.asks(way="", totals=EXACT)]
    corpora = list(dict.fromkeys(each.ran.cell.asked["corpus"] for each in usual))
    with style():
        figure: Any = Figure(figsize=(3.6 * len(corpora) + 0.4, 5.6), layout="constrained")
        panels = figure.subplots(2, len(corpora), squeeze=False)
        for column, corpus in enumerate(corpora):
            own = [each for each in usual if each.asks(corpus=corpus)]
            _draw(panels[0, column], own, corpus, means=True)
            _draw(panels[1, column], own, corpus, means=False)
        handles = {
            h.get_label(): h for axes in panels.ravel() for h in axes.get_legend_handles_labels()[0]
        }
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=2,
                      frameon=False, fontsize=7)  # fmt: skip
    return figure


def _draw(axes: Any, found: Sequence[Found], corpus: str, means: bool) -> None:
    for number, k in enumerate(dict.fromkeys(each.ran.cell.asked["k"] for each in found)):
        own = [each for each in found if each.asks(k=k)]
        shares = np.array([100 * each.ran.cell.asked["share"] for each in own]) * 1.03**number
        for colour, what in ((BLUE, "a·w²"), (COLOURS[1], "least of all statistics")):
            p = [
                (each.tested.only([THESIS]) if what == "a·w²" else each.tested).least
                for each in own
            ]
            middle, low, high = _middles(p, means)
            axes.errorbar(
                shares, middle, [middle - low, high - middle], color=colour, marker=MARKERS[number],
                linestyle=("-", "--")[number % 2], linewidth=1.2, markersize=4, capsize=2,
                label=f"{what}, k = {k}",
            )  # fmt: skip
    axes.set_xscale("log")
    ticks = sorted({100 * each.ran.cell.asked["share"] for each in found})
    axes.set_xticks(ticks, [f"{tick:g} %" for tick in ticks])
    axes.minorticks_off()
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_title(f"{corpus}: " + ("mean p, interval" if means else "median p, quartiles"))
    axes.set_xlabel("party's share of all documents", fontsize=7)
    if means:
        axes.set_ylim(-0.02, 1.0)
    else:
        axes.set_yscale("log")
        axes.set_ylim(top=10)


def _middles(p: Sequence[Any], means: bool) -> tuple[Any, Any, Any]:
    if means:
        each = [mean_of(values) for values in p]
        return tuple(
            np.array([getattr(e, end) for e in each]) for end in ("estimate", "low", "high")
        )  # type: ignore[return-value]
    quartiles = np.array([np.quantile(values, [0.5, 0.25, 0.75]) for values in p]).T
    return tuple(quartiles)  # type: ignore[return-value]


# The command.


def run(plan: Plan, data: Path | None, runner: Runner, output: Path | None) -> int:
    """Everything that is planned."""
    corpus = read_documents(data, ENRON, plan.min_df)
    rarer = read_documents(data, ENRON, plan.rarer_min_df)
    corpora, cells = [corpus], text_cells(plan, corpus, rarer)
    if data is not None:
        films = read_films(data)
        corpora.append(films)
        cells += rating_cells(plan, films)
    runs = runner.run_all(cells)
    found = [Found(ran, tested(ran.samples)) for ran in runs]
    return write(
        output,
        {"ksdp_nmf.md": page(plan, corpora, found) + unfinished(cells, runs)},
        {"ksdp_nmf.png": lambda: picture(found)},
    )


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    usual = Plan()
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    files = "enron_ham.parquet and movielens1m_ratings.parquet"
    add_options(parser, files, "ksdp_nmf.md and .png", usual)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    parser = options()
    given = parser.parse_args(arguments)
    check_options(parser, given)
    plan = Plan(documents=given.documents, databases=given.databases)
    try:
        return run(plan, given.data, runner_of(given), given.output)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
