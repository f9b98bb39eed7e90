"""Which contests there are, and the order they are held in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chatham.bench.coherences import coherence_results
from chatham.bench.contest import Result
from chatham.bench.factorisations import nmf_results, plsa_results
from chatham.bench.held_out import left_to_right_results
from chatham.bench.samplers import fit_results, lda_results
from chatham.bench.spectral import anchor_results, inference_results, planted_results
from chatham.errors import InputError

Contest = Callable[[str, Any, int, int, int], list[Result]]

CONTESTS: dict[str, tuple[Contest, tuple[int, ...], tuple[int, ...]]] = {
    "nmf": (nmf_results, (20, 100), (2,)),
    "plsa": (plsa_results, (20, 100), (2,)),
    "lda": (lda_results, (20, 200), (1, 2)),
    "fits": (fit_results, (20,), (2,)),
    "coherence": (coherence_results, (100,), (1,)),
    "left-to-right": (left_to_right_results, (20,), (1, 2)),
    "anchors": (anchor_results, (20, 100), (2,)),
    "inference": (inference_results, (100,), (2,)),
    "planted": (planted_results, (20,), (2,)),
}
"""By name: the contest, for how many topics, on how many threads."""

ONCE = ("planted",)
"""Contests that draw their own corpus, and so are held once."""


def run(
    found: Mapping[str, Any],
    names: Sequence[str],
    tries: int,
    topics: Sequence[int] | None = None,
    stage: Callable[[str], None] = lambda _: None,
) -> list[Result]:
    """Hold the contests of these names on corpora by name."""
    unknown = sorted(set(names) - set(CONTESTS))
    if unknown:
        raise InputError(
            f"There is no contest called {unknown[0]!r}; choose from {', '.join(CONTESTS)}."
        )
    results: list[Result] = []
    for name in names:
        contest, sizes, threads = CONTESTS[name]
        for corpus, counts in list(found.items())[: 1 if name in ONCE else None]:
            for k in topics or sizes:
                for n in threads:
                    stage(f"{name}, {corpus}, {k} topics, {n} threads")
                    results += contest(corpus, counts, k, n, tries)
    return results
