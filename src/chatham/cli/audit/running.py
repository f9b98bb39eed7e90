"""What `chatham audit` runs: one audit, one for each party size, or one with and one without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from chatham.audit.auditing import Audit, prepare
from chatham.audit.decision import carry_out, seconds_of_the_rest
from chatham.audit.excluding import compare, folder_without, prepare_without
from chatham.audit.sampling import Cost
from chatham.audit.sizes import carry_out_sizes, prepare_sizes
from chatham.cli.audit.found import Found
from chatham.cli.audit.view import cost_in_words, look_in_words
from chatham.cli.progress import Silent
from chatham.corpus import Corpus
from chatham.interrupts import INTERRUPTED
from chatham.learners.progress import listening
from chatham.naming import plural


@dataclass(frozen=True)
class Asked:
    """What somebody wants to know."""

    corpus: Corpus
    learner: Any
    party_sizes: Sequence[float]
    left_out: Sequence[str]
    more: dict[str, Any]
    """Further parameters of the audit."""
    uplift: bool


def run(asked: Asked, folder: Path | None, jobs: int, reporter: Silent) -> Found:
    """Say what it will cost, take a first look if that is long, and run it all."""
    reporter.stage("Preparing")
    audits = _prepared(asked)
    if audits[0].needed is not None:
        reporter.warn(audits[0].needed.in_words)
    with listening(None):  # one fit of hundreds is no news
        reporter.stage("A look in one fit")
        in_one_fit = audits[0].one_run()
        if in_one_fit is not None:
            reporter.warn(in_one_fit.in_words)
        reporter.stage("Timing a few fits")
        costs = [each.cost(n_jobs=jobs) for each in audits]
    rest = sum(
        seconds_of_the_rest(audit, cost, uplift=asked.uplift)
        for audit, cost in zip(audits, costs, strict=True)
    )
    reporter.warn(cost_in_words(audits, costs, rest))
    cost = _together(costs)
    with listening(None):
        try:
            if not _begun(folder):
                _first_look(audits, costs, jobs, reporter)
            found = _carried_out(asked, audits, cost, folder, jobs, reporter)
            return replace(found, one_run=in_one_fit)
        except KeyboardInterrupt:
            if folder is None:
                raise
            typer.echo(f"Interrupted; '{folder}' has what was done: say the same again.", err=True)
            raise typer.Exit(INTERRUPTED) from None


def _prepared(asked: Asked) -> list[Audit]:
    """The audits: by size, or with and without."""
    corpus, learner = asked.corpus, asked.learner
    if len(asked.party_sizes) > 1:
        return prepare_sizes(corpus, learner, asked.party_sizes, **asked.more)
    more = {**asked.more, "party_size": asked.party_sizes[0]}
    first = prepare(corpus, learner, **more)
    if not asked.left_out:
        return [first]
    return [first, prepare_without(first, corpus, learner, asked.left_out, **more)]


def _together(costs: Sequence[Cost]) -> Cost:
    """What several audits take."""
    databases, seconds = sum(each.databases for each in costs), sum(each.seconds for each in costs)
    each = sum(one.seconds_each * one.databases for one in costs) / databases
    return Cost(databases, each, seconds, sum(one.bytes for one in costs))


def _begun(folder: Path | None) -> bool:
    return folder is not None and any(folder.rglob("batch-*.npz"))


def _first_look(
    audits: Sequence[Audit], costs: Sequence[Cost], jobs: int, reporter: Silent
) -> None:
    """A few databases of the first audit, if all of it takes long."""
    prepared, cost = audits[0], _together(costs)
    whole = Cost(cost.databases, costs[0].seconds_each, cost.seconds, cost.bytes)
    look = prepared.first_look(whole, n_jobs=jobs)
    if look is None:
        return
    reporter.stage("A first look")
    found = look.run(n_jobs=jobs, progress=reporter.count)
    reporter.warn(look_in_words(found, look, prepared))


def _carried_out(
    asked: Asked,
    audits: Sequence[Audit],
    cost: Cost,
    folder: Path | None,
    jobs: int,
    reporter: Silent,
) -> Found:
    how: dict[str, Any] = {"n_jobs": jobs, "progress": reporter.count}
    both: dict[str, Any] = {**how, "uplift": asked.uplift, "stage": reporter.stage}
    if len(asked.party_sizes) > 1:
        return Found(carry_out_sizes(audits, folder, **both), cost)
    if not asked.left_out:
        return Found(carry_out(audits[0], folder, **both), cost)
    before, after = audits
    reporter.notes += (
        f"{plural(len(asked.left_out), 'document')} left out: the documents below are those in "
        "question that remain.",
    )
    decided = carry_out(after, folder_without(asked.left_out, folder), **both)
    reporter.stage("Fitting databases with the documents that are left out")
    compared = compare(before, decided.verdict, asked.left_out, folder, **how)
    return Found(decided, cost, compared)
