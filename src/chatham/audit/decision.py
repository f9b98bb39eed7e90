"""All that a decision to take part rests on: what is risked, what is got back, what is gained.

The risk is the verdict: can somebody who has a document tell that it is there? Rebuilding asks what
somebody gets who has none; uplift, what the party gains; and the record of one session, what
crosses and which counts are small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from chatham.audit.auditing import Audit, prepare
from chatham.audit.crossing import Crossing, record_session
from chatham.audit.rebuilt import SESSIONS, Rebuilt, attack_sessions, drawn_with
from chatham.audit.sampling import Cost, Progress
from chatham.audit.uplift import DRAWS, Uplift, measure_uplift
from chatham.audit.verdict import Verdict
from chatham.errors import ChathamError

Stage = Callable[[str], None]
"""Told what is done next."""


@dataclass(frozen=True)
class Decision:
    """What taking part would give away and bring, of one party size."""

    party_size: float
    """The share of the corpus that a database has."""
    verdict: Verdict
    rebuilt: Rebuilt
    crossing: Crossing
    uplift: Uplift | None
    """None if it wasn't asked for, or can't be measured."""
    no_uplift: str = ""
    """Why it can't be measured."""

    @property
    def size(self) -> int:
        """How many documents a database has."""
        return int(self.verdict.parameters["design"]["size"])

    @property
    def gain_in_words(self) -> str:
        """What the party would gain, or why that isn't known."""
        if self.uplift is not None:
            return self.uplift.in_words
        return self.no_uplift or "It wasn't measured."

    def to_dict(self) -> dict[str, Any]:
        """All of it in JSON's terms."""
        return {
            "party_size": self.party_size,
            "uplift": None if self.uplift is None else self.uplift.to_dict(),
            "no_uplift": self.no_uplift,
            "rebuilding": self.rebuilt.to_dict(),
            **self.crossing.to_dict(),
            "audit": self.verdict.to_dict(),
        }


def decide(
    corpus: Any,
    learner: Any,
    *,
    folder: str | PathLike[str] | None = None,
    uplift: bool = True,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> Decision:
    """`ch.audit` and all else that a decision rests on; parameters are those of `ch.audit`."""
    prepared = prepare(corpus, learner, keeps=folder is not None, **more)
    return carry_out(prepared, folder, uplift=uplift, n_jobs=n_jobs, progress=progress)


def carry_out(
    prepared: Audit,
    folder: str | PathLike[str] | None = None,
    *,
    uplift: bool = True,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    stage: Stage | None = None,
) -> Decision:
    """Run an audit that was prepared, and the rest."""
    begin = _silent if stage is None else stage
    begin("Fitting databases")
    verdict = prepared.run(folder, n_jobs=n_jobs, progress=progress)
    begin("Trying to rebuild documents")
    rebuilt, crossing = attacked(prepared, progress)
    gained: Uplift | None = None
    why_not = ""
    if uplift:
        begin("Measuring what there is to gain")
        try:
            gained = measure_uplift(
                prepared.corpus,
                prepared.mechanism.learner,
                prepared.size,
                exact_totals=prepared.mechanism.exact_totals,
                privacy=prepared.mechanism.privacy,
                seed=prepared.plan.seed,
                n_jobs=n_jobs,
                progress=progress,
            )
        except ChathamError as error:  # such as a fit that tells too much about so few documents
            why_not = f"It couldn't be measured: {error}"
    return Decision(prepared.party_size, verdict, rebuilt, crossing, gained, why_not)


def attacked(prepared: Audit, progress: Progress | None = None) -> tuple[Rebuilt, Crossing]:
    """What a curious party gets back, and what crosses in one of the sessions."""
    rest, seed = prepared.rest, prepared.plan.seed
    targets = rest[np.asarray(prepared.plan.design.targets)]
    rebuilt = attack_sessions(
        prepared.corpus, prepared.mechanism, rest, targets, prepared.size,
        seed=seed, progress=progress,
    )  # fmt: skip
    rows = drawn_with(rest, targets, prepared.size, seed, 0)
    return rebuilt, record_session(prepared.mechanism, prepared.corpus.rows[rows], seed)


def seconds_of_the_rest(prepared: Audit, cost: Cost, *, uplift: bool) -> float:
    """About how long all but the audit itself takes, if a fit takes as long as it has documents.

    Attacks on totals of a session take about as long as a few fits, or up to a minute where totals
    are exact.
    """
    sessions = (2 * SESSIONS + 3) * cost.seconds_each
    if not uplift:
        return sessions
    return sessions + DRAWS * cost.seconds_each * (len(prepared.corpus) / prepared.size + 1)


def _silent(stage: str) -> None:
    """Nobody listens."""
