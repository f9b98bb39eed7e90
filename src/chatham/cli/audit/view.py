"""What `chatham audit` prints: for people, and for machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from chatham.audit.auditing import Audit
from chatham.audit.one_run import OneRun
from chatham.audit.report import bundle, short
from chatham.audit.sampling import Cost
from chatham.audit.verdict import EPSILON, Verdict, percent
from chatham.cli.output import console, plain, plain_table, print_json, print_rows, print_whole
from chatham.cli.progress import print_notes
from chatham.learners.words import printable
from chatham.naming import plural


def cost_in_words(prepared: Audit, cost: Cost) -> str:
    """How much will be run, and how long that takes."""
    return (
        f"{plural(len(prepared.ids), 'document')} in question, "
        f"{plural(prepared.databases_each, 'database')} for each group of them: "
        f"{plural(cost.databases, 'fit')} of {cost.seconds_each:.2g} s, "
        f"about {duration(cost.seconds)} in all."
    )


def look_in_words(found: Verdict, look: Audit, prepared: Audit) -> str:
    """What a first look found, and how little it is."""
    about = (
        "all documents in question"
        if len(look.ids) == len(prepared.ids)
        else f"{len(look.ids)} of {len(prepared.ids)} documents in question"
    )
    exposed = len(found.exposed)
    return (
        f"A first look with {look.databases_each} databases in place of {prepared.databases_each} "
        f"finds {exposed} exposed among {about}; so few databases show strong leaks only, "
        "and the rest is computed now."
    )


def duration(seconds: float) -> str:
    """A duration as people say it.

    >>> duration(7), duration(100), duration(5000)
    ('7 seconds', '2 minutes', '1.4 hours')
    """
    if seconds < 60:
        return plural(max(round(seconds), 1), "second")
    if seconds < 3600:
        return plural(round(seconds / 60), "minute")
    return f"{seconds / 3600:.1f} hours"


def print_as_json(
    verdict: Verdict,
    in_one_fit: OneRun | None,
    cost: Cost,
    notes: Sequence[str],
    warnings: Sequence[str],
) -> None:
    """The report, as one JSON document."""
    told = bundle(
        verdict,
        cost=asdict(cost),
        notes=list(notes),
        warnings=list(warnings),
        one_run=None if in_one_fit is None else in_one_fit.to_dict(),
    )
    print_json(plain(told))


def print_for_people(
    verdict: Verdict, notes: Sequence[str], quiet: bool, output: Sequence[Path], plot: Path | None
) -> None:
    """The documents by risk, and what the figures mean; only the documents if quiet."""
    screen = console()
    if not quiet:
        print_notes(notes)
        print_rows(
            [
                ("Adversary", verdict.adversary),
                ("Question", f"{verdict.neighbours} Which of the two is it?"),
                ("Verdict", verdict.in_words),
            ]
        )
        screen.print()
    table = plain_table(
        ("document", "fold"), ("verdict", "left"), ("guesses right", "right"), ("p", "right"),
        ("p (Holm)", "right"), ("ε at least", "right"), ("told by", "left"),
    )  # fmt: skip
    for each in verdict.documents:
        table.add_row(
            printable(each.document),
            each.outcome,
            percent(each.right),
            short(each.p),
            short(each.p_holm),
            f"{each.epsilon.low:.2f}",
            each.findings[0].statistic.replace("_", " "),
        )
    print_whole(screen, table, 12)
    if quiet:
        return
    screen.print()
    print_rows(
        [
            ("Guesses", "Half are right by chance. Intervals are at "
             f"{100 * verdict.level:g} %, for each document by itself."),
            ("Exposed", "Found after correcting for all documents and statistics (Holm). Doubtful: "
             "only after correcting for the document's own statistics. That nothing was found "
             "proves nothing; more databases find more."),
            ("ε", EPSILON),
        ]
    )  # fmt: skip
    for kind, paths in (("Figure", [] if plot is None else [plot]), ("Report", output)):
        for path in paths:
            screen.print(f"{kind} saved in {printable(str(path))}.", soft_wrap=True)
