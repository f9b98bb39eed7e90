"""Several party sizes: what is risked, and gained, by parties that are smaller or larger.

The same documents are in question at every size. With more documents beside it each is hidden
better, and a party that has more has less to gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from chatham.audit.auditing import Audit, prepare
from chatham.audit.decision import Decision, Stage, carry_out
from chatham.audit.sampling import Progress
from chatham.audit.verdict import percent
from chatham.errors import InputError
from chatham.wording import say

RARE = 0.01
"""False alarms at which true ones are told."""


@dataclass(frozen=True)
class Sizes:
    """A decision for each party size, the smallest first."""

    decisions: tuple[Decision, ...]

    @property
    def exposed(self) -> tuple[str, ...]:
        """The ids of documents that are exposed at any size, those of the smallest first."""
        ids = (each.document for one in self.decisions for each in one.verdict.exposed)
        return tuple(dict.fromkeys(ids))

    @property
    def in_words(self) -> str:
        """How many are exposed from the smallest to the largest."""
        said = ", ".join(
            f"{len(each.verdict.exposed)} of {len(each.verdict.documents)} with {each.size:,} "
            f"documents (AUC {percent(each.verdict.pooled.auc)})"
            for each in self.decisions
        )
        return f"Exposed: {said}."

    def table(self) -> pd.DataFrame:
        """A row for each size: what is risked, with intervals, and what is gained."""
        return pd.DataFrame([_row(each) for each in self.decisions])

    def to_dict(self) -> dict[str, Any]:
        """All of it in JSON's terms."""
        return {"summary": self.in_words, "sizes": [each.to_dict() for each in self.decisions]}


def prepare_sizes(
    corpus: Any, learner: Any, party_sizes: Sequence[float], **more: Any
) -> list[Audit]:
    """An audit for each size, the smallest first; of the same documents."""
    sizes = sorted(set(party_sizes))
    if not sizes:
        raise InputError(say("{party_size} has no number; give at least one share of documents."))
    first = prepare(corpus, learner, party_size=sizes[0], **more)
    rest = {**more, "documents": list(first.ids)}
    return [first, *(prepare(corpus, learner, party_size=each, **rest) for each in sizes[1:])]


def carry_out_sizes(
    audits: Sequence[Audit],
    folder: str | PathLike[str] | None = None,
    *,
    uplift: bool = True,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    stage: Stage | None = None,
) -> Sizes:
    """Run them one after another; each has a folder of its own in the folder."""
    found = []
    for prepared in audits:
        found.append(
            carry_out(
                prepared, folder_of(prepared, folder), uplift=uplift, n_jobs=n_jobs,
                progress=progress,
                stage=None if stage is None else _named(stage, prepared),
            )
        )  # fmt: skip
    return Sizes(tuple(found))


def folder_of(prepared: Audit, folder: str | PathLike[str] | None) -> Path | None:
    """Where samples of one of several sizes are kept."""
    return None if folder is None else Path(folder) / f"size-{prepared.party_size:g}"


def _named(stage: Stage, prepared: Audit) -> Stage:
    return lambda said: stage(f"{prepared.size:,} documents: {said[0].lower()}{said[1:]}")


def _row(each: Decision) -> dict[str, Any]:
    auc, rare = each.verdict.pooled.auc, each.verdict.pooled.true_positives[RARE]
    right = sorted(document.right.estimate for document in each.verdict.documents)
    row = {
        "party_size": each.party_size,
        "documents": each.size,
        "exposed": len(each.verdict.exposed),
        "asked": len(each.verdict.documents),
        **_columns("auc", auc),
        **_columns("recognised", rare),
        "right_median": right[len(right) // 2],
        "rebuilt_whole": max(len(one.whole) for one in each.rebuilt.sessions),
        "rebuilt_parts": max(len(one.parts) for one in each.rebuilt.sessions),
    }
    for gain in () if each.uplift is None else each.uplift.gains:
        row |= _columns(f"gain_{gain.measure}", gain.difference)
    return row


def _columns(name: str, estimate: Any) -> dict[str, float]:
    return {name: estimate.estimate, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
