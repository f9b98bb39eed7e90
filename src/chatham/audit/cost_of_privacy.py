"""What differential privacy costs in quality: the same session with it and without (thesis, 3.3).

Documents are dealt to as many parties as the session has. One of them compares three models on
documents that it holds out: its own, the common one with the totals of any session, and the common
one with as much noise as the session promises. If the last is no better than the first, there is
nothing to gain by taking part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chatham.audit.audited_corpus import AuditedCorpus
from chatham.audit.intervals import Estimate
from chatham.audit.sampling import Progress
from chatham.audit.uplift import Uplift, measure_uplift
from chatham.corpus import Corpus
from chatham.errors import InputError
from chatham.federation.session import Session
from chatham.model.fit import learner_for_text

DRAWS = 3


@dataclass(frozen=True)
class CostOfPrivacy:
    """What a party gains from a session without the promise, and with it."""

    usual: Uplift
    private: Uplift | None
    """None if nothing stands out from the noise."""
    nothing: str = ""
    """Why not."""

    @property
    def in_words(self) -> str:
        """Both sessions on the same documents, in sentences."""
        tried = self.usual
        said = (
            f"Tried on {tried.documents:,} documents dealt to {tried.parties} parties, "
            f"{tried.draws} times. "
        )
        if self.private is None:
            return f"{said}{self.nothing}"
        for usual, private in zip(tried.gains, self.private.gains, strict=True):
            said += (
                f"{usual.meaning[0].upper()}{usual.meaning[1:]}: {_shown(private.together)} with "
                f"it, {_shown(usual.together)} without it, {_shown(usual.alone)} if each party "
                "fits a model of its own. "
            )
        return (
            f"{said}The noise is the same for any number of documents: with more of them, less is "
            "lost."
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it in JSON's terms."""
        return {
            "summary": self.in_words,
            "usual": self.usual.to_dict(),
            "private": None if self.private is None else self.private.to_dict(),
        }


def cost_of_privacy(
    session: Session, corpus: Corpus, *, draws: int = DRAWS, progress: Progress | None = None
) -> CostOfPrivacy:
    """Fit what the session says to these documents, with and without its promise."""
    parameters = {"random_state": session.seed, **session.parameters}
    weighting = parameters.pop("weighting", "auto")
    learner = learner_for_text(session.algorithm, parameters, between_parties=True)
    documents = AuditedCorpus.read(corpus, learner, weighting)
    size = len(documents) // len(session.parties)
    how: dict[str, Any] = {"draws": draws, "seed": session.seed}

    def told(before: int) -> Progress | None:
        return None if progress is None else lambda done, total: progress(before + done, 2 * total)

    usual = measure_uplift(documents, learner, size, **how, progress=told(0))
    try:
        private = measure_uplift(
            documents, learner, size, **how, privacy=session.promised, progress=told(draws)
        )
    except InputError as error:
        return CostOfPrivacy(usual, None, f"With it nothing is found: {error}")
    return CostOfPrivacy(usual, private)


def _shown(found: Estimate) -> str:
    return f"{found.estimate:.3g} ({found.low:.3g} to {found.high:.3g})".replace("-", "−")
