"""Leaving documents out, and the audit again: how far does it help those that remain?

Both audits ask about the same documents, those in question that remain: with the others among the
party's, and without them. Leaving out the most exposed may expose others, those that are then the
least like the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

from chatham.audit.auditing import Audit, prepare
from chatham.audit.intervals import Estimate
from chatham.audit.sampling import Progress
from chatham.audit.verdict import EXPOSED, Verdict, as_json, percent
from chatham.errors import InputError
from chatham.naming import plural


@dataclass(frozen=True)
class Change:
    """What leaving others out does to one document."""

    document: str
    before: str
    """Its outcome with the others there."""
    after: str
    right_before: Estimate
    right_after: Estimate

    @property
    def difference(self) -> Estimate:
        """By how much more guesses about it are right afterwards."""
        return difference_of(self.right_after, self.right_before)


@dataclass(frozen=True)
class Exclusion:
    """Two audits of the same documents: with the documents that are left out, and without."""

    left_out: tuple[str, ...]
    before: Verdict
    after: Verdict

    @property
    def changes(self) -> tuple[Change, ...]:
        """Of each document that remains, those that became most exposed first."""
        earlier = {each.document: each for each in self.before.documents}
        found = [
            Change(
                each.document, earlier[each.document].outcome, each.outcome,
                earlier[each.document].right, each.right,
            )
            for each in self.after.documents
        ]  # fmt: skip
        return tuple(sorted(found, key=lambda each: (-each.difference.estimate, each.document)))

    @property
    def auc(self) -> Estimate:
        """By how much the area under the curve of all of them is more afterwards."""
        return difference_of(self.after.pooled.auc, self.before.pooled.auc)

    @property
    def newly_exposed(self) -> tuple[str, ...]:
        """The ids of documents that are exposed only without the others."""
        return tuple(
            each.document
            for each in self.changes
            if each.after == EXPOSED and each.before != EXPOSED
        )

    @property
    def no_longer_exposed(self) -> tuple[str, ...]:
        """The ids of documents that are exposed only with the others."""
        return tuple(
            each.document
            for each in self.changes
            if each.before == EXPOSED and each.after != EXPOSED
        )

    @property
    def more_exposed(self) -> tuple[str, ...]:
        """The ids of documents about which more guesses are right, beyond their intervals."""
        return tuple(each.document for each in self.changes if each.difference.low > 0)

    @property
    def in_words(self) -> str:
        """How far it helps."""
        n = len(self.changes)
        helps = (
            "It helps those that remain"
            if self.auc.high < 0
            else "It exposes those that remain more"
            if self.auc.low > 0
            else "It makes no clear difference to those that remain"
        )
        return (
            f"{plural(len(self.left_out), 'document')} left out. {helps}: of {n:,} that were asked "
            f"about, {len(self.before.exposed):,} are exposed with the others there and "
            f"{len(self.after.exposed):,} without ({len(self.no_longer_exposed):,} no longer, "
            f"{len(self.newly_exposed):,} newly; of {len(self.more_exposed):,} more guesses are "
            "right beyond their intervals, as of one in forty by chance). A database with a "
            "document is put before one without it in "
            f"{percent(self.before.pooled.auc)} and {percent(self.after.pooled.auc)} of cases, a "
            f"difference of {_points(self.auc)} points."
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it in JSON's terms."""
        return {
            "summary": self.in_words,
            "left_out": list(self.left_out),
            "auc_difference": as_json(self.auc),
            "newly_exposed": list(self.newly_exposed),
            "no_longer_exposed": list(self.no_longer_exposed),
            "more_exposed": list(self.more_exposed),
            "documents": [
                {
                    "document": each.document,
                    "before": each.before,
                    "after": each.after,
                    "right_before": as_json(each.right_before),
                    "right_after": as_json(each.right_after),
                    "difference": as_json(each.difference),
                }
                for each in self.changes
            ],
            "before": self.before.to_dict(),
        }


def difference_of(one: Estimate, other: Estimate) -> Estimate:
    """One less the other, if they are independent, with an interval made of both of theirs
    (Newcombe 1998, method 10: each end is as far off as the two ends on that side together).

    >>> difference_of(Estimate(0.7, 0.6, 0.8, 0.95), Estimate(0.5, 0.4, 0.6, 0.95))
    Estimate(estimate=0.19..., low=0.058..., high=0.341..., level=0.95, caveat='asymptotic')
    """
    between = one.estimate - other.estimate
    below = math.hypot(one.estimate - one.low, other.high - other.estimate)
    above = math.hypot(one.high - one.estimate, other.estimate - other.low)
    return Estimate(between, between - below, between + above, one.level, "asymptotic")


def prepare_without(
    prepared: Audit, corpus: Any, learner: Any, left_out: Sequence[str], **asked: Any
) -> Audit:
    """The same audit without these documents, about those in question that remain."""
    gone = set(left_out)
    remaining = [each for each in prepared.ids if each not in gone]
    if not remaining:
        raise InputError(
            f"All {plural(len(prepared.ids), 'document')} in question are left out, so nothing is "
            "left to ask about; ask about others too."
        )
    own = [prepared.corpus.ids[row] for row in prepared.own]
    coalition: Any = [each for each in own if each not in gone] or 0.0
    return prepare(
        corpus, learner,
        **{**asked, "documents": remaining, "colluding": coalition, "without": list(left_out)},
    )  # fmt: skip


def compare(
    before: Audit,
    after: Verdict,
    left_out: Sequence[str],
    folder: str | PathLike[str] | None = None,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Exclusion:
    """Run the audit with all documents, and compare it with the one without some."""
    asked = {each.document for each in after.documents}
    found = before.run(folder, n_jobs=n_jobs, progress=progress, only=asked)
    return Exclusion(tuple(left_out), found, after)


def folder_without(left_out: Sequence[str], folder: str | PathLike[str] | None) -> Path | None:
    """Where samples without these documents are kept: beside those with them."""
    if folder is None:
        return None
    name = sha256("\n".join(sorted(left_out)).encode()).hexdigest()[:12]
    return Path(folder) / f"without-{name}"


def _points(difference: Estimate) -> str:
    value, low, high = (
        100 * each for each in (difference.estimate, difference.low, difference.high)
    )
    return f"{value:+.1f} ({low:+.1f} to {high:+.1f})".replace("-", "−")
