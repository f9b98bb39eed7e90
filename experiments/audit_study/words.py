"""Figures in words: an estimate is never without its interval."""

from __future__ import annotations

from chatham.audit.intervals import Estimate


def probability(value: float) -> str:
    """A p-value in two digits.

    >>> probability(0.0312), probability(3.2e-8), probability(1.0), probability(0.999)
    ('0.031', '3e-08', '1.00', '1.00')
    """
    if value < 0.001:
        return f"{value:.0e}"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def with_interval(each: Estimate) -> str:
    """A p-value, or a mean of them, with its interval."""
    return f"{probability(each.estimate)} ({probability(each.low)}–{probability(each.high)})"


def percent(each: Estimate) -> str:
    """A share in percent, with its interval.

    >>> percent(Estimate(0.5, 0.412, 0.6, 0.95))
    '50 % (41–60 %)'
    """
    return f"{100 * each.estimate:.0f} % ({100 * each.low:.0f}–{100 * each.high:.0f} %)"


def minutes(seconds: float) -> str:
    """A time that was taken.

    >>> minutes(31.2), minutes(600)
    ('31 s', '10 min')
    """
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
