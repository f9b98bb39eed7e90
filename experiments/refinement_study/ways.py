"""The models of the study, and which parts of it need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from refinement_study.starts import AUTO

SWEEPS = (5, 10, 20, 40)
USUAL_SWEEPS = 20
LEAST = (0.003, 0.01, 0.02, 0.05, AUTO)
BETAS = (0.01, 0.03, 0.1)
GIBBS = (20, 50, 100, 300, 1000)
USUAL_GIBBS = 300
FROM_START = (20, 50, 100)
PEER_SWEEPS = 500
CHAINS = (0, 1, 2)
CONTROL = (20, 40, 100)
LEARNING = ("learned", "plain", "fixed")
TRIED = (
    ("em", "learned"), ("em", "fixed"), ("vb", "learned"), ("vb", "fixed"), ("document", "plain"),
    ("document", "fixed"), ("cvb0", "learned"), ("cvb0", "fixed"),
)  # fmt: skip
"""Other updates, and other ways of learning α."""


@dataclass(frozen=True)
class Way:
    """How topics are made: "anchors", "random", "gibbs" or "tomotopy", with its settings.

    "random" are the sweeps of "anchors" from a random start, "averaged" is Gibbs with topics from
    several samples. `least` is None where the start is random. Gibbs may begin after `refined`
    sweeps.
    """

    model: str
    sweeps: int
    least: float | str | None = None
    beta: float | None = None
    update: str = "document"
    learning: str = "learned"
    refined: int = 0
    chain: int = 0
    """Another seed than the study's."""

    def settings(self) -> dict[str, Any]:
        """Those that a result depends on."""
        return asdict(self)


@dataclass(frozen=True)
class Usual:
    """The start and the β of whatever isn't about them, and the sweeps that are asked for."""

    least: float | str = AUTO
    beta: float = 0.03
    sweeps: Sequence[int] = SWEEPS
    gibbs: Sequence[int] = GIBBS
    from_start: Sequence[int] = FROM_START
    peer_sweeps: int = PEER_SWEEPS
    control: Sequence[int] = CONTROL

    @property
    def usual_gibbs(self) -> int:
        """How many sweeps a user would take: LDA's default."""
        return USUAL_GIBBS if USUAL_GIBBS in self.gibbs else self.gibbs[-1]

    @property
    def middle(self) -> int:
        """How many sweeps where their number isn't the question."""
        return USUAL_SWEEPS if USUAL_SWEEPS in self.sweeps else self.sweeps[-1]

    def anchors(self, sweeps: int, **changed: Any) -> Way:
        """The spectral start after so many sweeps."""
        beta = self.beta if sweeps else None
        return replace(Way("anchors", sweeps, self.least, beta), **changed)


def several_samples(sweeps: int) -> dict[str, int]:
    """Options for LDA: as many samples, ten sweeps apart, as fit into a third of the sweeps."""
    return {"n_samples": max(sweeps // 30, 1), "burn_in": min(50, sweeps // 2)}


def _sweeps(usual: Usual) -> list[Way]:
    return [usual.anchors(sweeps) for sweeps in (0, *usual.sweeps)]


def _least(usual: Usual) -> list[Way]:
    return [usual.anchors(n, least=least) for least in LEAST for n in (0, usual.middle)]


def _betas(usual: Usual) -> list[Way]:
    return [usual.anchors(usual.middle, beta=beta) for beta in BETAS]


def _gibbs(usual: Usual) -> list[Way]:
    return [Way("gibbs", sweeps) for sweeps in usual.gibbs]


def _control(usual: Usual) -> list[Way]:
    ways = [Way("random", sweeps, beta=usual.beta) for sweeps in usual.control]
    return [*ways, *(usual.anchors(sweeps) for sweeps in usual.control)]


def _chains(usual: Usual) -> list[Way]:
    return [Way("gibbs", usual.usual_gibbs, chain=chain) for chain in CHAINS]


def _averaged(usual: Usual) -> list[Way]:
    return [Way("averaged", usual.usual_gibbs)]


def _from_start(usual: Usual) -> list[Way]:
    starts = [(sweeps, 0) for sweeps in usual.from_start]
    starts.append((usual.from_start[-1], usual.middle))
    return [Way("gibbs", n, usual.least, usual.beta, refined=refined) for n, refined in starts]


def _alphas(usual: Usual) -> list[Way]:
    return [usual.anchors(usual.middle, learning=learning) for learning in LEARNING]


def _updates(usual: Usual) -> list[Way]:
    return [
        usual.anchors(sweeps, update=update, learning=learning)
        for update, learning in (("document", "learned"), *TRIED)
        for sweeps in (usual.middle, usual.sweeps[-1])
    ]


def _peer(usual: Usual) -> list[Way]:
    return [Way("tomotopy", usual.peer_sweeps)]


PARTS = {
    "least": _least,
    "sweeps": _sweeps,
    "gibbs": _gibbs,
    "averaged": _averaged,
    "from start": _from_start,
    "control": _control,
    "chains": _chains,
    "betas": _betas,
    "alphas": _alphas,
    "updates": _updates,
    "peer": _peer,
}
