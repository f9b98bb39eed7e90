"""Differential privacy between parties: how much noise a fit needs, and how it is shared out.

A fit is (ε, δ)-private if whatever others see of it is nearly as likely with another document in
the place of any one: P(A) ≤ eᵉQ(A) + δ for every event A. Neighbours thus have the same number of
documents, which all know. Each release of a fit, an array of sums to which one document adds at
most so much in Euclidean norm, costs Δ²/2σ² of zero-concentrated differential privacy (ρ) if it
carries Gaussian noise of deviation σ; costs add up over releases, however each depends on those
before (Bun & Steinke 2016); and what ρ in all amounts to as (ε, δ) is worked out by the package
dp-accounting. Noise that is exactly Gaussian would need less of it (σ = 3.7306 where ρ asks for
4.045, at ε = 1, δ = 10⁻⁵ and Δ = 1); of discrete Gaussians in many dimensions only ρ is proven.

Nobody is trusted to add all of it. Each party adds a variance of σ²/h, where at least h parties are
assumed not to collude: a coalition of the others takes off what it added itself, and σ² is left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from chatham.errors import InputError
from chatham.extras import how_to_install
from chatham.wording import say

HONEST = 2
FINEST = 2.0**-20
"""Rounding moves a contribution by at most this share of a holder's own noise (see `precision`)."""
LEAST_RHO, MOST_RHO = 1e-12, 1e12
LEAST_DELTA = 1e-20
"""Below it what a cipher promises, and how finely noise is drawn, would have to be in the sum."""


@dataclass(frozen=True)
class Privacy:
    """What a fit promises: (ε, δ), if at least `honest` parties keep their own noise to themselves.

    >>> Privacy(1.0, 1e-5).honest
    2
    """

    epsilon: float
    delta: float
    honest: int = HONEST

    def __post_init__(self) -> None:
        """Refuse what promises nothing."""
        if not _is_number(self.epsilon) or not 0 < self.epsilon < math.inf:
            raise InputError(
                say("{epsilon} must be a number above 0; got {it!r}.", it=self.epsilon)
            )
        if not _is_number(self.delta) or not LEAST_DELTA <= self.delta < 1:
            raise InputError(
                say(
                    "{delta} must lie between 1e-20 and 1, well below one over the number of "
                    "documents; got {it!r}.",
                    it=self.delta,
                )
            )
        if type(self.honest) is not int or self.honest < 1:
            raise InputError(
                say(
                    "{honest} must be a whole number of at least 1, the parties that are assumed "
                    "not to collude; got {it!r}.",
                    it=self.honest,
                )
            )

    def as_plain(self) -> dict[str, Any]:
        """As a session's file holds it."""
        return {"epsilon": float(self.epsilon), "delta": float(self.delta), "honest": self.honest}

    @cached_property
    def rho(self) -> float:
        """The most zero-concentrated differential privacy that a fit may cost in all."""
        low, high = LEAST_RHO, MOST_RHO
        if epsilon_of(low, self.delta) > self.epsilon:
            raise _too_small(self.epsilon)
        for _ in range(200):
            middle = math.sqrt(low * high)
            if epsilon_of(middle, self.delta) <= self.epsilon:
                low = middle
            else:
                high = middle
            if high / low < 1 + 1e-9:
                break
        return low


def check_privacy(privacy: Privacy | None, others: int, exact_totals: bool) -> None:
    """Refuse to promise what can't be kept; `others` are those who don't look on.

    Whoever sees a total takes off its own noise: of M parties, M − 1 are others to each of them.
    """
    if privacy is None:
        return
    if exact_totals:
        raise InputError(
            say("Totals can't be exact and have noise for {privacy}; choose one of the two.")
        )
    if privacy.honest > others:
        raise InputError(
            say(
                "{honest=} parties' noise can't be left where whoever sees a total takes off its "
                "own, and {others} others take part; assume fewer.",
                honest=privacy.honest,
                others=others,
            )
        )


def epsilon_of(rho: float, delta: float) -> float:
    """ε at δ of a mechanism that costs ρ, by Rényi divergences of all orders."""
    try:
        from dp_accounting import ZCDpEvent
        from dp_accounting.rdp import RdpAccountant
    except ImportError:
        raise InputError(
            f"Differential privacy needs a package that can't be found: {how_to_install('dp')}"
        ) from None
    accountant = RdpAccountant()
    accountant.compose(ZCDpEvent(rho))
    # The package tries orders up to a limit, beyond which the simplest conversion is the better.
    return min(float(accountant.get_epsilon(delta)), rho + 2 * math.sqrt(-rho * math.log(delta)))


def _too_small(epsilon: float) -> InputError:
    return InputError(
        say(
            "{epsilon=} is too small for any total to tell something; choose a larger one.",
            epsilon=epsilon,
        )
    )


@dataclass(frozen=True)
class Release:
    """One array of sums that crosses with noise: what it is, and what it costs."""

    name: str
    sensitivity: float
    """The most by which another document in one's place moves it, in Euclidean norm."""
    deviation: float
    """The standard deviation of the noise of all honest parties together, in each cell."""
    times: int
    """In how many rounds it is released."""

    @property
    def rho(self) -> float:
        """What all its rounds cost."""
        return self.times * self.sensitivity**2 / (2 * self.deviation**2)


@dataclass
class Spending:
    """How a fit spends its privacy: each release gets a share of it, and no more is there."""

    privacy: Privacy
    releases: list[Release] = field(default_factory=list)

    def noise(
        self, name: str, share: float, sensitivity: float, times: int = 1, arrays: int = 1
    ) -> float:
        """The standard deviation of what each holder adds to a cell of a release that may cost
        this share of all, over so many rounds.

        Contributions are rounded before they get noise, which may move them a little further apart
        than a document does: at most by `FINEST` of a holder's noise in each of the `arrays` that
        the sensitivity is of.
        """
        spent = sum(each.rho for each in self.releases)
        rho = share * self.privacy.rho
        if spent + rho > self.privacy.rho * (1 + 1e-9):
            raise InputError(
                f"The releases of this fit would cost {(spent + rho) / self.privacy.rho:.3g} times "
                "the privacy that there is; give each a smaller share."
            )
        honest = self.privacy.honest
        per_round = math.sqrt(2 * rho / times * honest)
        rounding = FINEST * math.sqrt(arrays)
        if per_round < 2 * rounding:
            raise _too_small(self.privacy.epsilon)
        each = sensitivity / (per_round - rounding)
        moved = sensitivity + rounding * each
        self.releases.append(Release(name, moved, each * math.sqrt(honest), times))
        return each


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
