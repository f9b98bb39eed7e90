"""What came of an audit that was asked for on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chatham.audit.decision import Decision
from chatham.audit.excluding import Exclusion
from chatham.audit.one_run import OneRun
from chatham.audit.sampling import Cost
from chatham.audit.sizes import Sizes


@dataclass(frozen=True)
class Found:
    """What came of it."""

    decided: Decision | Sizes
    cost: Cost
    exclusion: Exclusion | None = None
    one_run: OneRun | None = None
    """What a single fit said before."""

    @property
    def one_run_told(self) -> dict[str, Any] | None:
        """The same in JSON's terms."""
        return None if self.one_run is None else self.one_run.to_dict()

    @property
    def exposed(self) -> tuple[str, ...]:
        """The ids of exposed documents, the most exposed first."""
        if isinstance(self.decided, Sizes):
            return self.decided.exposed
        return tuple(each.document for each in self.decided.verdict.exposed)

    def figure(self) -> Any:
        """Documents by risk, or risk and gain by party size."""
        if isinstance(self.decided, Sizes):
            from chatham.plots.party_sizes import plot_party_sizes

            return plot_party_sizes(self.decided.table())
        from chatham.plots.risks import plot_risks

        return plot_risks(self.decided.verdict.table())
