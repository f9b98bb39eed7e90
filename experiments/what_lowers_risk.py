"""Which settings lower the risk of being recognised, and by how much?

The bundled sample's abstracts are audited under one setting after another, each with the same
documents in question: more documents, fewer topics, fewer rounds, rarer words left out, exact
totals, products of blocks in place of the pairs of words (anchor words), differential privacy.
`docs/audit.md` has the table. A setting is whatever `prepare` of the audit takes, so one that is
new there is a new line in `SETTINGS`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

import chatham as ch
from chatham.audit.auditing import prepare
from chatham.audit.intervals import Estimate
from chatham.audit.neighbours import random_targets
from chatham.audit.verdict import Verdict, percent
from chatham.commons.privacy import Privacy

RARE = 0.01
"""False alarms at which true ones are told."""


@dataclass(frozen=True)
class Setting:
    """One row of the table: what is said of it, and what differs from the usual."""

    name: str
    changed: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of the audit or of the learner."""
    learner: str = "nmf"
    reading: Mapping[str, Any] = field(default_factory=dict)
    """How the sample is read."""
    share_of_databases: float = 1.0
    """For learners that take long."""

    @property
    def folder(self) -> str:
        """A name for its samples."""
        return "".join(each if each.isalnum() else "-" for each in self.name.lower())


USUAL: dict[str, Any] = {"n_components": 10, "party_size": 0.2}
ANCHORS: dict[str, Any] = {"n_components": 3, "party_size": 0.5}
"""Anchor words refuse to tell more about so few documents."""
DELTA = 1e-5
SETTINGS = (
    Setting("NMF, 10 topics, 20 % of the corpus"),
    Setting("more documents: 50 %", {"party_size": 0.5}),
    Setting("fewer documents: 5 %", {"party_size": 0.05}),
    Setting("fewer topics: 3", {"n_components": 3}),
    Setting("more topics: 30", {"n_components": 30}),
    Setting("fewer rounds: 3 in place of 10", {"max_iter": 3}),
    Setting("words of at least 20 documents in place of 5", reading={"min_df": 20}),
    Setting("words of at least 100 documents", reading={"min_df": 100}),
    Setting("all totals are seen", {"sees": "transcript"}),
    Setting("differential privacy, ε = 100 (δ = 10⁻⁵)", {"privacy": Privacy(100.0, DELTA)}),
    Setting("differential privacy, ε = 10 (δ = 10⁻⁵)", {"privacy": Privacy(10.0, DELTA)}),
    Setting("differential privacy, ε = 1 (δ = 10⁻⁵)", {"privacy": Privacy(1.0, DELTA)}),
    Setting("exact totals", {"exact_totals": True}),
    Setting("exact totals, 50 %", {"exact_totals": True, "party_size": 0.5}),
    Setting(
        "anchor words, 3 topics, 50 %, products, all totals seen",
        {**ANCHORS, "sees": "transcript"}, "anchor", share_of_databases=0.5,
    ),
    Setting(
        "anchor words, the same with exact pairs of words",
        {**ANCHORS, "sees": "transcript", "exact_totals": True}, "anchor", share_of_databases=0.5,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """How much is computed."""

    documents: int = 21
    """In question, in each seed's audit; another seed asks about others."""
    databases: int = 400
    seeds: int = 3
    settings: tuple[Setting, ...] = SETTINGS
    usual: Mapping[str, Any] = field(default_factory=lambda: USUAL)


def audited(plan: Plan, setting: Setting, seed: int, keep: Path | None, jobs: int) -> Verdict:
    """One audit; what was observed is kept and used again."""
    corpus = ch.sample_corpus(**setting.reading)
    chosen = random_targets(plan.documents, len(corpus), seed)
    asked = {
        **plan.usual,
        "documents": [str(corpus.ids[row]) for row in chosen],
        "databases": max(round(plan.databases * setting.share_of_databases), 64),
        "seed": seed,
        **setting.changed,
    }
    folder = None if keep is None else keep / f"{setting.folder}-{seed}"
    return prepare(corpus, setting.learner, **asked).run(folder, n_jobs=jobs)


def together(estimates: Sequence[Estimate]) -> Estimate:
    """The mean over seeds, from the lowest lower end to the highest upper one."""
    return Estimate(
        mean(each.estimate for each in estimates),
        min(each.low for each in estimates),
        max(each.high for each in estimates),
        estimates[0].level,
    )


def row_of(setting: Setting, verdicts: Sequence[Verdict]) -> list[str]:
    """What the audits of one setting found."""
    documents = sorted(
        (each.right for verdict in verdicts for each in verdict.documents),
        key=lambda right: right.estimate,
    )
    exposed = sum(len(verdict.exposed) for verdict in verdicts)
    middle = documents[len(documents) // 2]
    return [
        setting.name,
        f"{exposed} of {len(documents)}",
        ", ".join(percent(each) for each in (documents[0], middle, documents[-1])),
        percent(together([verdict.pooled.auc for verdict in verdicts])),
        percent(together([verdict.pooled.true_positives[RARE] for verdict in verdicts])),
    ]


COLUMNS = (
    "setting",
    "exposed",
    "guesses right: least, median, most exposed",
    "AUC",
    "recognised at 1 % false alarms",
)
INTRODUCTION = """\
# What lowers the risk

Each row is {seeds} audits of the bundled sample (2,887 abstracts) with {documents} documents in
question, others in each; the same in every row. Databases: {databases} for a group of documents,
half as many for anchor words. The first row is the usual; the others differ from it as they say.
By default totals have the noise of a session, and the adversary sees the final model. *Guesses
right* is about one document, with its own interval (95 %); half are right by chance. *AUC* (how
often a database with a document is put before one without it) and *recognised* are over all
documents: the mean over audits, and in brackets from the lowest lower end of their 95 % intervals
to the highest upper end.
"""


def page(plan: Plan, rows: Sequence[Sequence[str]]) -> str:
    """The page of results."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
    told = INTRODUCTION.format(seeds=plan.seeds, documents=plan.documents, databases=plan.databases)
    return f"{told}\n{table}\n"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="It takes about half an hour on a core.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    usual = Plan()
    add = parser.add_argument
    for name in ("documents", "databases", "seeds"):
        add(f"--{name}", type=int, default=getattr(usual, name), help=f"({getattr(usual, name)})")
    add("--n-jobs", type=int, default=1, help="processes (1)")
    add(
        "--keep", type=Path, metavar="FOLDER",
        help="for what was observed; a run that was interrupted goes on from there",
    )  # fmt: skip
    add("--output", type=Path, metavar="FILE", help="for the page, which is printed if not given")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    given = options().parse_args(arguments)
    plan = Plan(given.documents, given.databases, given.seeds)
    rows = []
    try:
        for setting in plan.settings:
            verdicts = [
                audited(plan, setting, seed, given.keep, given.n_jobs) for seed in range(plan.seeds)
            ]
            rows.append(row_of(setting, verdicts))
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(plan, rows)
    if given.output is None:
        print(written, end="")
    else:
        given.output.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
