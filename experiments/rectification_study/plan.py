"""What is fitted: the methods, their settings, and the list of all models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rectification_study.documents import MOVIES

BASELINE, DC, AP, AP_EG, AP_EARLY, GIBBS = "baseline", "dc", "ap", "ap_eg", "ap_early", "gibbs"
AP_SHORT, AP_FULL, RECURSIVE = "ap_short", "ap_full", "recursive"

CURVES = (BASELINE, DC, AP_EG, AP_EARLY, AP, GIBBS)
"""Those that are followed over K; neighbours share their rectified matrix."""
SHOWN = {
    BASELINE: "Baseline",
    DC: "DC",
    AP_EG: "AP + EG",
    AP_EARLY: "AP + EG, unfinished",
    AP: "AP + ADMM",
    GIBBS: "Gibbs",
    AP_SHORT: "AP, 15 iterations",
    AP_FULL: "AP, 150 iterations",
    RECURSIVE: "AP, 25 topics, then 5",
}

FEW, FILM_TOPICS, FINE = 5, 15, 25
"""Topics in the lists of words and of films, and below the supertopics."""
UNFINISHED = 20
"""Steps of exponentiated gradient that end long before its minimum."""
CUTS = (0.01, 0.03, 0.1)
"""Shares of the documents that an anchor must be in, for comparison."""


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    topics: tuple[int, ...] = (5, 10, 15, 20, 25, 50, 75, 100)
    gibbs_topics: tuple[int, ...] = (5, 15, 50, 100)
    projections: int = 150
    tol: float = 1e-4
    runs: int = 10
    sweeps: int = 300
    most_draws: float = 1e9
    """Sweeps × tokens; of a larger corpus there are fewer sweeps."""
    anchor_df: int = 4
    seed: int = 0
    n_jobs: int = 1

    @property
    def said(self) -> str:
        """As it is said on the command line, but for the threads, which change nothing."""
        return " ".join(
            f"--{name.replace('_', '-')} {_said(value)}"
            for name, value in vars(self).items()
            if name != "n_jobs"
        )


def _said(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else f"{value:g}"


@dataclass(frozen=True)
class Job:
    """A model that is to be fitted."""

    method: str
    k: int
    settings: dict[str, Any]


def jobs(plan: Plan, corpus: str, tokens: int, first: bool) -> Iterator[Job]:
    """All models of one corpus; those for the lists of words are of the first corpus alone."""
    for k in sorted({*plan.topics, *((FILM_TOPICS,) if corpus == MOVIES else ())}):
        for method in CURVES:
            if method != GIBBS or k in plan.gibbs_topics or (corpus == MOVIES and k == FILM_TOPICS):
                yield job(plan, method, k, tokens)
    if first:
        yield from jobs_for_words(plan, tokens)


def jobs_for_words(plan: Plan, tokens: int) -> Iterator[Job]:
    """Five topics in several ways, and with other anchors to choose from."""
    for method in (BASELINE, AP, AP_SHORT, AP_FULL, RECURSIVE, GIBBS):
        yield job(plan, method, FEW, tokens)
    for cut in CUTS:
        for method in (BASELINE, AP):
            yield job(plan, method, FEW, tokens, cut)


def job(plan: Plan, method: str, k: int, tokens: int, cut: float | None = None) -> Job:
    """One model with its settings, which say all that its result depends on."""
    if method == GIBBS:
        sweeps = max(1, min(plan.sweeps, int(plan.most_draws // max(tokens, 1))))
        return Job(method, k, {"sweeps": sweeps, "seed": plan.seed})
    settings: dict[str, Any] = {"anchor_df": plan.anchor_df if cut is None else cut}
    if method == BASELINE:
        return Job(method, k, {**settings, "rectify": "none", "recover": "l2"})
    if method == DC:
        own = {"rectify": "diagonal", "runs": plan.runs, "seed": plan.seed, "recover": "l2"}
        return Job(method, k, {**settings, **own})
    own = {"rectify": "alternating", "projections": plan.projections, "tol": plan.tol}
    if method in (AP_SHORT, AP_FULL, RECURSIVE):
        own |= {"tol": 0.0, "projections": 15 if method == AP_SHORT else plan.projections}
    own["recover"] = "l2" if method in (AP_EG, AP_EARLY) else "admm"
    if method == AP_EARLY:
        own["steps"] = UNFINISHED
    if method == RECURSIVE:
        own["fine"] = FINE
    return Job(method, k, {**settings, **own})
