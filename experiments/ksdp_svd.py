"""Does it help to hide the singular values? PD-SVD against an SVD that reveals them (Fig. 3.10).

Section 3.4.2 of the thesis: the mean over documents of the least p-value (Algorithm 11) by party
size, on Enron. PD-SVD (`sums="normed"`) tells directions alone, and the adversary guesses the
singular values from those of its own documents; the other SVD (`sums="secure"`) tells them. Beside
it: other numbers of directions, other numbers of bits, and the noise of a session.
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
from audit_study.documents import Audited, read_documents
from audit_study.options import add_options, check_options, runner_of, write
from audit_study.runs import Cell, Ran, Runner, size_of, unfinished, without
from audit_study.tested import Tested, attacked, mean_of, tested
from audit_study.words import minutes, percent, probability, with_interval
from chatham.audit.intervals import Estimate
from chatham.audit.mechanisms import FitMechanism
from chatham.commons.fixed_point import MOST_BITS
from chatham.plots.palette import BLUE, COLOURS, FAINT
from chatham.plots.panels import MARKERS, style
from inference_study.markdown import listed, markdown
from uplift_study.documents import ENRON

HIDDEN, REVEALED = "Σ hidden", "Σ revealed"
SUMS = {HIDDEN: "normed", REVEALED: "secure"}
PRODUCTS = ("product_max", "product_sum", "product_squares")
DIFFERENCES = ("difference_max", "difference_sum", "difference_squares")
FAMILIES = {
    "Ŝ∘xxᵀ": PRODUCTS,
    "D": DIFFERENCES,
    "both families": (*PRODUCTS, *DIFFERENCES),
}
BOTH = "both families"
EXACT, NOISED = "exact totals", "a session's totals"
TIME = "With --data it takes about a quarter of an hour on a core. What is kept is used again."


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    shares: tuple[float, ...] = (0.02, 0.05, 0.1, 1 / 3)
    k: int = 7
    others_k: tuple[int, ...] = (14, 21, 42)
    bits: int = 31
    others_bits: tuple[int, ...] = (10, 20, MOST_BITS)
    beside: float = 0.1
    """The share at which other k, other bits and a session's totals are tried."""
    documents: int = 200
    databases: int = 100
    min_df: int = 100
    passes: int = 10
    """Of normed sums; the thesis doesn't say how many."""


def cells(plan: Plan, corpus: Audited) -> list[Cell]:
    """Every size, and the cells that stand beside them; both kinds of SVD in each."""
    settings = [(share, plan.k, plan.bits, EXACT) for share in plan.shares[1:]]
    settings += [(plan.beside, k, plan.bits, EXACT) for k in plan.others_k]
    settings += [(plan.beside, plan.k, bits, EXACT) for bits in plan.others_bits]
    settings.append((plan.beside, plan.k, plan.bits, NOISED))
    # The smallest party has the most groups of documents, and takes as long as all the rest.
    settings.append((plan.shares[0], plan.k, plan.bits, EXACT))
    return [_cell(plan, corpus, kind, *each) for each in settings for kind in SUMS]


def _cell(
    plan: Plan, corpus: Audited, kind: str, share: float, k: int, bits: int, totals: str
) -> Cell:
    targets = corpus.targets(plan.documents)
    size = size_of(share, corpus.size, targets)
    own = coalition(corpus, targets, size)
    counts, among = without(corpus.counts, own, targets)
    exact = totals == EXACT
    passes = {"max_iter": plan.passes} if kind == HIDDEN and exact else {}
    mechanism = FitMechanism(
        ch.SVD(k, sums=SUMS[kind], random_state=0, tol=1e-4, **passes),
        own=(corpus.counts[own],),
        others=1 if exact else 2,
        exact_totals=exact,
        fraction_bits=bits,
    )
    asked = {
        "what": "svd", "corpus": corpus.name, "kind": kind, "k": k, "share": round(share, 4),
        "bits": bits, "totals": totals,
    }  # fmt: skip
    return Cell(asked, mechanism, counts, among, size, plan.databases)


def coalition(corpus: Audited, targets: Any, size: int) -> Any:
    """The adversary's own documents, as many as the party has, or what the party leaves of them."""
    pool = np.delete(np.arange(corpus.size), targets)
    draws = np.random.default_rng([0, size])
    return np.sort(draws.choice(pool, min(size, len(pool) - size), replace=False))


# The page.


@dataclass(frozen=True)
class Found:
    """A cell that was run, and its tests."""

    ran: Ran
    tested: Tested

    def asks(self, **asked: Any) -> bool:
        """Whether it is a cell with these settings."""
        return all(self.ran.cell.asked[name] == value for name, value in asked.items())

    def mean(self, family: str) -> Estimate:
        """The mean over documents of the least p of a family."""
        return mean_of(self.tested.only(FAMILIES[family]).least)


def page(plan: Plan, corpus: Audited, found: Sequence[Found]) -> str:
    """The whole page, in Markdown."""
    seconds = sum(each.ran.seconds for each in found)
    processes = max(each.ran.processes for each in found)
    usual, beside = apart(plan, found)
    parts = [
        "# PD-SVD and an SVD that reveals Σ, by party size (Fig. 3.10)",
        "Written by `ksdp_svd.py`; what we make of it is in [the README](../README.md). Figure: "
        "[ksdp_svd.png](ksdp_svd.png).",
        "## What was done",
        listed(method(plan, corpus)),
        f"The fits took {minutes(seconds)} with {processes} process{'es' * (processes > 1)}.",
        "## By party size",
        "The mean over documents of the least p of each family of statistics, with its interval "
        "(95 %, asymptotic). *Exposed* is the share of documents with p ≤ 0.05 after Holm's "
        "correction for all documents and the six statistics.",
        _table(usual),
        f"## Other directions and bits, and noise: a party of {100 * plan.beside:g} %",
        _table([each for each in found if each in beside or each.asks(share=plan.beside)]),
        "## Every statistic by itself",
        "Mean p over documents, with its interval:",
        _by_statistic(usual),
    ]
    return "\n\n".join(parts) + "\n"


def apart(plan: Plan, found: Sequence[Found]) -> tuple[list[Found], list[Found]]:
    """The cells of the figure, and the others."""
    usual = [each for each in found if each.asks(k=plan.k, bits=plan.bits, totals=EXACT)]
    usual.sort(key=lambda each: float(each.ran.cell.asked["share"]))
    return usual, [each for each in found if each not in usual]


def method(plan: Plan, corpus: Audited) -> list[str]:
    """What was done, in sentences."""
    return [
        f"{corpus.described}, scaled to length one; words of at least {plan.min_df} documents; "
        "texts that recur count once.",
        f"{plan.documents} documents, the same at every size; {plan.databases} databases for each "
        "group of documents that are in a database by coins of their own, at most 5 % of it: about "
        f"{plan.databases // 2} with each document and {plan.databases // 2} without.",
        "The adversary's own documents are as many as the party's (or what is left of all), the "
        "same in every run and none of those that databases are drawn from. It sees the final "
        f"directions. *{REVEALED}*: and singular values. *{HIDDEN}*: it guesses them from its own "
        "documents, Σ̂² = (nᵥ + nₐ)/nₐ · Σ_A². The normed sum is simulated: what the protocol "
        "would return, and no more, is seen.",
        f"k = {plan.k} and {plan.bits} fraction bits unless the table says otherwise; "
        f"{plan.passes} passes of normed sums, blocks until vectors are right to 1e-4. The "
        f"thesis's 60 bits are {MOST_BITS} here, the most that the ring has room for.",
        f"*{NOISED.capitalize()}*: two parties share the database, and each adds its noise.",
    ]


def _table(found: Sequence[Found]) -> str:
    rows = []
    for each in found:
        asked, six = each.ran.cell.asked, each.tested.only(FAMILIES[BOTH])
        risk, _ = attacked(each.ran.samples)
        rows.append([
            f"{100 * asked['share']:.3g} %", f"{each.ran.cell.size:,}", asked["k"], asked["bits"],
            asked["totals"], asked["kind"], *(with_interval(each.mean(name)) for name in FAMILIES),
            probability(float(six.least.min())), probability(float(six.corrected.min())),
            percent(six.exposed), with_interval(mean_of(each.tested.least)), percent(risk.auc),
        ])  # fmt: skip
    head = ["party", "documents", "k", "bits", "totals", "SVD", *FAMILIES, "least p", "least, Holm",
            "exposed", "least of all our statistics", "area under the curve, all ours"]  # fmt: skip
    return markdown(head, rows)


def _by_statistic(found: Sequence[Found]) -> str:
    names = found[0].tested.statistics
    rows = [
        [
            f"{100 * each.ran.cell.asked['share']:.3g} %", each.ran.cell.asked["kind"],
            *(with_interval(mean_of(each.tested.only([name]).least)) for name in names),
        ]
        for each in found
    ]  # fmt: skip
    return markdown(["party", "SVD", *(name.replace("_", " ") for name in names)], rows)


# The figure.


def picture(plan: Plan, found: Sequence[Found]) -> Any:
    """Mean least p against party size, for both kinds of SVD."""
    from matplotlib.figure import Figure

    usual, _ = apart(plan, found)
    ticks = sorted({100 * each.ran.cell.asked["share"] for each in usual})
    with style():
        figure: Any = Figure(figsize=(8.4, 3.0), layout="constrained")
        panels = figure.subplots(1, len(FAMILIES), sharey=True)
        for axes, family in zip(panels, FAMILIES, strict=True):
            for number, (kind, colour) in enumerate(zip(SUMS, (BLUE, COLOURS[1]), strict=True)):
                own = [each for each in usual if each.asks(kind=kind)]
                means = [each.mean(family) for each in own]
                middle = np.array([each.estimate for each in means])
                ends = [middle - [e.low for e in means], [e.high for e in means] - middle]
                shares = np.array([100 * each.ran.cell.asked["share"] for each in own])
                axes.errorbar(
                    shares * 1.03**number, middle, ends, color=colour, marker=MARKERS[number],
                    linewidth=1.2, markersize=4, capsize=2, label=kind,
                )  # fmt: skip
            axes.set_xscale("log")
            axes.set_xticks(ticks, [f"{tick:.3g} %" for tick in ticks])
            axes.minorticks_off()
            axes.grid(axis="y", color=FAINT, linewidth=0.6)
            axes.set_title(f"{family}: mean least p")
            axes.set_xlabel("party's share of all documents", fontsize=7)
        panels[0].set_ylim(bottom=0)
        panels[0].legend(frameon=False, fontsize=7)
    return figure


# The command.


def run(plan: Plan, data: Path | None, runner: Runner, output: Path | None) -> int:
    """Everything that is planned."""
    corpus = read_documents(data, ENRON, plan.min_df).of_unit_length()
    planned = cells(plan, corpus)
    runs = runner.run_all(planned)
    found = [Found(ran, tested(ran.samples)) for ran in runs]
    pages = {"ksdp_svd.md": page(plan, corpus, found) + unfinished(planned, runs)}
    return write(output, pages, {"ksdp_svd.png": lambda: picture(plan, found)})


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    usual = Plan()
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser, "enron_ham.parquet", "ksdp_svd.md and .png", usual)
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
