"""What do six learners give away, by the final model and by all that crosses?

Two of nine newsrooms, or of six mailboxes, are honest, and all others collude: they take their own
parts off every total. Of the two honest parties' documents half are drawn again and again; an
adversary who has a document guesses whether it is among them. NMF, LDA, PLSA, k-means, anchor words
and the SVD, with a session's totals and with exact ones.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import chatham as ch
from audit_study.documents import LEAST_TOKENS, Audited, Rows, read_documents
from audit_study.options import add_options, check_options, runner_of, write
from audit_study.runs import Cell, Ran, Runner, unfinished
from audit_study.tested import attacked, median_right, tested
from audit_study.words import minutes, percent
from chatham.audit.intervals import Estimate
from chatham.audit.mechanisms import FitMechanism
from chatham.audit.neighbours import AT_A_TIME
from chatham.audit.samples import Samples
from chatham.audit.statistics import STATISTICS
from chatham.errors import HolderError
from chatham.plots.palette import BLUE, COLOURS, INK
from chatham.plots.panels import style
from inference_study.markdown import listed, markdown
from uplift_study.documents import ENRON, NEWSROOMS, SAMPLE

EXACT, NOISED = "exact totals", "a session's totals"
MODEL, TRANSCRIPT = "final model", "all rounds"
HONEST = 2
"""The fewest parties outside a coalition that a session protects."""
TIME = "With --data it takes about half an hour on a core. What is kept is used again."


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    topics: int = 10
    documents: int = 12
    databases: int = 64
    seeds: int = 3
    min_df: int = 50
    size: int = 300
    """The most documents of a database, which has half of the honest parties' at most."""
    own_each: int = 40
    """The most documents of each party that colludes."""
    iterations: int = 30
    """Of PLSA and of LDA, which would otherwise take most of the time."""


def learners(plan: Plan) -> dict[str, Any]:
    """The six, as a session has them; parties agree on the start."""
    k = plan.topics
    return {
        "NMF": ch.NMF(k, loss="relative", random_state=0),
        "k-means": ch.KMeans(k, loss="relative", init="random", random_state=0),
        "PLSA": ch.PLSA(k, max_iter=plan.iterations, random_state=0),
        "LDA": ch.LDA(k, max_iter=plan.iterations, random_state=0),
        "anchor words": ch.AnchorWords(k, random_state=0),
        "SVD": ch.SVD(k, random_state=0, tol=1e-4),
    }


@dataclass(frozen=True)
class Parties:
    """Who is honest in a corpus, and what the others have."""

    honest: tuple[str, ...]
    pool: Rows
    """The honest parties' documents."""
    own: tuple[Rows, ...]
    """Those of each party that colludes."""


def parties_of(corpus: Audited, plan: Plan, seed: int) -> Parties:
    """The two with the fewest documents are honest: they have most to fear."""
    owners = np.array(corpus.owners)
    names, sizes = np.unique(owners, return_counts=True)
    by_size = [str(names[each]) for each in np.argsort(sizes, kind="stable")]
    honest = tuple(sorted(by_size[:HONEST]))
    draws = np.random.default_rng([seed, 1])
    own = []
    for name in by_size[HONEST:]:
        rows = np.flatnonzero(owners == name)
        own.append(np.sort(draws.choice(rows, min(plan.own_each, len(rows)), replace=False)))
    return Parties(honest, np.flatnonzero(np.isin(owners, honest)), tuple(own))


def cells(plan: Plan, corpora: Sequence[Audited]) -> list[Cell]:
    """All learners on all corpora with one seed, then with the next."""
    return [
        _cell(plan, corpus, name, learner, totals, seed)
        for seed in range(plan.seeds)
        for corpus in corpora
        for totals in (NOISED, EXACT)
        for name, learner in learners(plan).items()
    ]


def _cell(plan: Plan, corpus: Audited, name: str, learner: Any, totals: str, seed: int) -> Cell:
    parties = parties_of(corpus, plan, seed)
    counts, n = corpus.counts[parties.pool], len(parties.pool)
    size = min(plan.size, n // 2)
    own = tuple(corpus.counts[rows] for rows in parties.own)
    mechanism = FitMechanism(
        learner, own=own, others=HONEST, sees="transcript", exact_totals=totals == EXACT
    )
    # One group, so that every database tells of every document.
    most = max(int(AT_A_TIME * size), 1)
    targets = Audited("", counts, ()).targets(min(plan.documents, most), seed)
    asked = {
        "what": "learners", "corpus": corpus.name, "learner": name, "totals": totals, "seed": seed,
        "databases": plan.databases,
    }  # fmt: skip
    return Cell(asked, mechanism, counts, targets, size, plan.databases, seed=seed)


class OfModel(Samples):
    """The same samples for an adversary that sees the final model alone."""

    @cached_property
    def statistics(self) -> list[str]:
        """Those that need no totals."""
        every = Samples(self.plan, self.contents).statistics
        return [name for name in every if "totals" not in STATISTICS[name].needs]


# The page.


@dataclass(frozen=True)
class Found:
    """What an adversary achieves who sees this much of a cell."""

    ran: Ran
    sees: str
    auc: Estimate
    right: Estimate
    """Guesses right about the median document."""
    recognised: Estimate
    """True positives at 1 % false positives."""
    exposed: Estimate

    def asks(self, **asked: Any) -> bool:
        """Whether it is the cell with these settings."""
        return all(self.ran.cell.asked[name] == value for name, value in asked.items())


def found_of(ran: Ran) -> list[Found]:
    """The attack with the final model, and with all rounds."""
    found = []
    narrow = OfModel(ran.samples.plan, ran.samples.contents)
    for sees, samples in ((MODEL, narrow), (TRANSCRIPT, ran.samples)):
        risk, right = attacked(samples)
        found.append(
            Found(
                ran, sees, risk.auc, median_right(right), risk.true_positives[0.01],
                tested(samples).exposed,
            )
        )  # fmt: skip
    return found


def spanned(estimates: Sequence[Estimate]) -> Estimate:
    """The mean over seeds; the interval has those of all seeds in it.

    >>> spanned([Estimate(0.5, 0.4, 0.6, 0.95), Estimate(0.7, 0.6, 0.8, 0.95)])
    Estimate(estimate=0.6, low=0.4, high=0.8, level=0.95, caveat='')
    """
    mean = float(np.mean([each.estimate for each in estimates]))
    low, high = min(each.low for each in estimates), max(each.high for each in estimates)
    return Estimate(mean, low, high, estimates[0].level, estimates[0].caveat)


def page(plan: Plan, corpora: Sequence[Audited], found: Sequence[Found]) -> str:
    """The whole page, in Markdown."""
    runs = [each.ran for each in found if each.sees == MODEL]
    seconds, processes = sum(r.seconds for r in runs), max(r.processes for r in runs)
    parts = [
        "# What six learners give away",
        "Written by `audit_learners.py`; what we make of it is in [the README](../README.md). "
        "Figure: [audit_learners.png](audit_learners.png).",
        "## What was done",
        listed(method(plan, corpora)),
        f"The fits took {minutes(seconds)} with {processes} process{'es' * (processes > 1)}.",
        "Means over seeds; intervals (95 % each) from the lowest end of any seed to the highest.",
    ]
    for corpus in corpora:
        own = [each for each in found if each.asks(corpus=corpus.name)]
        if own:
            parts += [f"## {corpus.name}", _table(own)]
    return "\n\n".join(parts) + "\n"


def method(plan: Plan, corpora: Sequence[Audited]) -> list[str]:
    """What was done, in sentences."""
    honest = "; ".join(
        f"{each.described}, honest: {' and '.join(parties.honest)}, a database "
        f"has {min(plan.size, len(parties.pool) // 2):,} of their {len(parties.pool):,}"
        for each in corpora
        for parties in [parties_of(each, plan, 0)]
    )
    return [
        f"{honest}. Words of at least {plan.min_df} documents; documents with {LEAST_TOKENS} of "
        "these at least; counts, not tf-idf.",
        f"All other parties collude, with {plan.own_each} documents each at most, the same in "
        "every run, and see the sum over the two honest ones.",
        f"{plan.topics} topics, {plan.databases} databases, {plan.documents} documents, each in a "
        "database or not by a coin of its own. Seeds differ in documents, databases and the "
        f"coalition's documents. PLSA and LDA have {plan.iterations} iterations.",
        f"*{MODEL.capitalize()}*: with its last round's denominators. *{TRANSCRIPT.capitalize()}*: "
        "every total besides. In both cases an attack chooses a document's statistic on one half "
        "of the databases and guesses in the other. *Exposed*: documents with p ≤ 0.05 after "
        "Holm's correction.",
    ]


def _table(found: Sequence[Found]) -> str:
    rows = []
    for key in dict.fromkeys(_key(each) for each in found):
        own = [each for each in found if _key(each) == key]
        rows.append([
            *key, len(own),
            *(percent(spanned([getattr(each, name) for each in own]))
              for name in ("auc", "right", "recognised", "exposed")),
        ])  # fmt: skip
    head = ["learner", "totals", "seen", "seeds", "area under the curve",
            "guesses right, median document", "found at 1 % false alarms", "exposed"]  # fmt: skip
    return markdown(head, sorted(rows, key=lambda row: _order(row[0])))


def _key(each: Found) -> tuple[str, str, str]:
    return each.ran.cell.asked["learner"], each.ran.cell.asked["totals"], each.sees


def _order(learner: str) -> int:
    return list(learners(Plan())).index(learner)


# The figure.


def picture(found: Sequence[Found]) -> Any:
    """The area under the curve of each learner, as it is seen."""
    from matplotlib.figure import Figure

    corpora = list(dict.fromkeys(each.ran.cell.asked["corpus"] for each in found))
    names = list(learners(Plan()))
    with style():
        figure: Any = Figure(figsize=(3.8 * len(corpora) + 0.6, 3.8), layout="constrained")
        for axes, corpus in zip(
            figure.subplots(1, len(corpora), squeeze=False)[0], corpora, strict=True
        ):
            ways = [(t, s) for t in (EXACT, NOISED) for s in (TRANSCRIPT, MODEL)]
            for number, (totals, sees) in enumerate(ways):
                for row, name in enumerate(names):
                    own = [
                        each.auc for each in found if each.sees == sees
                        and each.asks(corpus=corpus, totals=totals, learner=name)
                    ]  # fmt: skip
                    if own:
                        auc, at = spanned(own), row + 0.16 * (number - 1.5)
                        look = {
                            "color": COLOURS[1] if totals == EXACT else BLUE,
                            "marker": "D" if sees == TRANSCRIPT else "o",
                        }
                        axes.hlines(at, auc.low, auc.high, color=look["color"], linewidth=1.1)
                        axes.plot([auc.estimate], [at], linestyle="", markersize=4,
                                  label=f"{totals}, {sees}", **look)  # fmt: skip
            axes.axvline(0.5, color=INK, linestyle="--", linewidth=0.8)
            axes.set_yticks(range(len(names)), names)
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.set_xlim(0.4, 1.01)
            axes.set_title(corpus)
            axes.set_xlabel("area under the curve (interval); dashed: chance", fontsize=7)
        handles, labels = figure.axes[0].get_legend_handles_labels()
        once = dict(zip(labels, handles, strict=True))
        figure.legend(once.values(), once.keys(), loc="outside lower center", ncols=2,
                      frameon=False, fontsize=7)  # fmt: skip
    return figure


# The command.


def run_willing(cells: Sequence[Cell], runner: Runner) -> tuple[list[Ran], list[tuple[Cell, str]]]:
    """Run cells; those that a party takes no part in are kept apart, with its reason."""
    runs, refused = [], []
    for cell in cells:
        try:
            runs += runner.run_all([cell])
        except (ch.InputError, HolderError) as refusal:
            refused.append((cell, str(refusal)))
    return runs, refused


def said(refused: Sequence[tuple[Cell, str]]) -> str:
    """A paragraph that tells which fits were refused, and why; nothing if none was."""
    if not refused:
        return ""
    lines = [
        f"{', '.join(map(str, list(cell.asked.values())[1:5]))}: {reason}"
        for cell, reason in refused
    ]
    return f"\n## Refused\n\n{listed(lines)}\n"


def run(plan: Plan, data: Path | None, runner: Runner, output: Path | None) -> int:
    """Everything that is planned."""
    sources = [SAMPLE] if data is None else [NEWSROOMS, ENRON]
    corpora = [read_documents(data, name, plan.min_df) for name in sources]
    planned = cells(plan, corpora)
    runs, refused = run_willing(planned, runner)
    found = [each for ran in runs for each in found_of(ran)]
    left = [cell for cell in planned if cell.folder not in {each.folder for each, _ in refused}]
    pages = {
        "audit_learners.md": page(plan, corpora, found) + said(refused) + unfinished(left, runs)
    }
    return write(output, pages, {"audit_learners.png": lambda: picture(found)})


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    usual = Plan()
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    files = "newsarticles.parquet and enron_ham.parquet"
    add_options(parser, files, "audit_learners.md and .png", usual)
    parser.add_argument("--seeds", type=int, default=usual.seeds, help=f"({usual.seeds})")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    parser = options()
    given = parser.parse_args(arguments)
    check_options(parser, given)
    if given.seeds < 1:
        parser.error(f"--seeds must be at least 1; got {given.seeds}")
    plan = Plan(documents=given.documents, databases=given.databases, seeds=given.seeds)
    try:
        return run(plan, given.data, runner_of(given), given.output)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
