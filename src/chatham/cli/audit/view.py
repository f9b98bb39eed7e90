"""What `chatham audit` prints: for people, and for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from chatham.audit.auditing import Audit
from chatham.audit.decision import Decision
from chatham.audit.excluding import Exclusion
from chatham.audit.intervals import Estimate
from chatham.audit.rebuilt import Rebuilt
from chatham.audit.report import bundle, short
from chatham.audit.sampling import Cost
from chatham.audit.sizes import RARE, Sizes
from chatham.audit.verdict import EPSILON, Verdict, percent
from chatham.cli.output import console, plain, plain_table, print_json, print_rows, print_whole
from chatham.cli.progress import print_notes
from chatham.learners.words import printable
from chatham.naming import plural

if TYPE_CHECKING:
    from rich.console import Console

    from chatham.cli.audit.found import Found

MOST_FOUND = 10
"""More documents than these that were got back aren't printed."""


def cost_in_words(audits: Sequence[Audit], costs: Sequence[Cost], rest: float) -> str:
    """How much will be run, and how long that takes, together with the rest."""
    prepared = audits[0]
    several = f" in {len(audits)} audits" if len(audits) > 1 else ""
    fits = sum(each.databases for each in costs)
    seconds = sum(each.seconds_each * each.databases for each in costs) / fits
    return (
        f"{plural(len(prepared.ids), 'document')} in question, "
        f"{plural(prepared.databases_each, 'database')} for each group of them: "
        f"{plural(fits, 'fit')} of {seconds:.2g} s{several}, "
        f"about {duration(sum(each.seconds for each in costs))} in all; rebuilding and what there "
        f"is to gain take about {duration(rest)} more."
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


def print_as_json(found: Found, notes: Sequence[str], warnings: Sequence[str]) -> None:
    """The report, as one JSON document."""
    told = bundle(
        found.decided,
        found.exclusion,
        cost=asdict(found.cost),
        notes=list(notes),
        warnings=list(warnings),
        one_run=found.one_run_told,
    )
    print_json(plain(told))


def print_for_people(
    found: Found, notes: Sequence[str], quiet: bool, saved: Mapping[str, Sequence[Path | None]]
) -> None:
    """The documents by risk, and what the figures mean; only the tables if quiet."""
    screen = console()
    if not quiet:
        print_notes(notes)
    if isinstance(found.decided, Sizes):
        _print_sizes(screen, found.decided, quiet)
    else:
        _print_decision(screen, found.decided, found.exclusion, quiet)
    if quiet:
        return
    for kind, paths in saved.items():
        for path in filter(None, paths):
            screen.print(f"{kind} saved in {printable(str(path))}.", soft_wrap=True)


def _print_decision(
    screen: Console, decided: Decision, exclusion: Exclusion | None, quiet: bool
) -> None:
    verdict = decided.verdict
    if not quiet:
        rows = [
            ("Adversary", verdict.adversary),
            ("Question", f"{verdict.neighbours} Which of the two is it?"),
            ("Verdict", verdict.in_words),
            ("Rebuilding", decided.rebuilt.in_words),
            ("Gain", decided.gain_in_words),
        ]
        if exclusion is not None:
            rows.append(("Left out", exclusion.in_words))
        print_rows(rows)
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
    _print_rebuilt(screen, decided.rebuilt)
    if exclusion is not None:
        screen.print()
        _print_changes(screen, exclusion)
    if not quiet:
        screen.print()
        _print_meanings(verdict)


def _print_rebuilt(screen: Console, found: Rebuilt) -> None:
    """What was got back of the session as it is audited; nothing if nothing was."""
    most = max(found.sessions, key=lambda each: (len(each.whole), len(each.found)))
    if not most.found:
        return
    table = plain_table(
        ("document", "fold"), ("got back", "left"), ("words", "right"), ("certificate", "fold")
    )
    for each in most.found[:MOST_FOUND]:
        what = "whole" if each.whole else "words of it"
        table.add_row(printable(each.document), what, f"{each.words:,}", each.certificate)
    screen.print()
    print_whole(screen, table, 12)
    if len(most.found) > MOST_FOUND:
        screen.print(f"and {len(most.found) - MOST_FOUND:,} more; --json and reports have them.")


def _print_changes(screen: Console, exclusion: Exclusion) -> None:
    table = plain_table(
        ("document", "fold"), ("with the others", "left"), ("without", "left"),
        ("guesses right", "right"), ("without", "right"), ("difference", "right"),
    )  # fmt: skip
    for each in exclusion.changes:
        table.add_row(
            printable(each.document),
            each.before,
            each.after,
            percent(each.right_before),
            percent(each.right_after),
            signed(each.difference, 100, 0, " points"),
        )
    print_whole(screen, table, 12)


def _print_sizes(screen: Console, found: Sizes, quiet: bool) -> None:
    first = found.decisions[0].verdict
    if not quiet:
        print_rows(
            [
                ("Adversary", first.adversary),
                ("Question", f"{first.neighbours} Which of the two is it?"),
                ("Verdict", found.in_words),
                ("Gain", found.decisions[0].gain_in_words),
            ]
        )
        screen.print()
    gains = () if found.decisions[0].uplift is None else found.decisions[0].uplift.gains
    table = plain_table(
        ("documents", "right"), ("exposed", "right"), ("told apart (AUC)", "right"),
        ("recognised at 1 % false alarms", "right"), ("rebuilt whole", "right"),
        *((f"gain: {gain.measure}", "right") for gain in gains),
    )  # fmt: skip
    for each in found.decisions:
        pooled = each.verdict.pooled
        of_measure = {} if each.uplift is None else {g.measure: g for g in each.uplift.gains}
        table.add_row(
            f"{each.size:,} ({100 * each.party_size:g} %)",
            f"{len(each.verdict.exposed)} of {len(each.verdict.documents)}",
            percent(pooled.auc),
            percent(pooled.true_positives[RARE]),
            f"{max(len(one.whole) for one in each.rebuilt.sessions):,}",
            *(
                signed(of_measure[gain.measure].difference) if gain.measure in of_measure else "–"
                for gain in gains
            ),
        )
    print_whole(screen, table, 12)
    if not quiet:
        screen.print()
        _print_meanings(first)


def _print_meanings(verdict: Verdict) -> None:
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


def signed(found: Estimate, times: float = 1.0, digits: int = 2, unit: str = "") -> str:
    """A difference with its interval.

    >>> signed(Estimate(-0.12, -0.2, 0.01, 0.95), 100, 0, " points")
    '−12 (−20 to +1) points'
    """
    ends = (found.estimate, found.low, found.high)
    value, low, high = (f"{times * each:+.{digits}f}" for each in ends)
    return f"{value} ({low} to {high}){unit}".replace("-", "−")
