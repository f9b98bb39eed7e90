"""The page: what was done, and the errors of every case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sample_size_study.cases import CASES, CONCENTRATION, DRAWS, GROUPS, Case
from sample_size_study.study import INFINITE, Found, Plan
from sample_size_study.truth import BURN_IN as FIT_BURN_IN
from sample_size_study.truth import NEARLY_ALL
from sample_size_study.truth import SWEEPS as FIT_SWEEPS
from sample_size_study.ways import (
    BETA,
    BURN_IN,
    CANDIDATES,
    GIBBS_SWEEPS,
    PROJECTIONS,
    SAMPLES,
    SWEEPS,
    WAYS,
)

NOTHING = "–"


def page(plan: Plan, found: Found) -> str:
    """The whole page, in Markdown."""
    parts = [
        "# Topics' error against the number of documents",
        "Written by `sample_size.py`; what we make of it is in [the README](../README.md). "
        "Figure: [sample_size.png](sample_size.png).",
        "## What was done",
        _listed(_method(plan, found)),
        "## Who is best",
        _best(plan, found),
    ]
    for case in CASES:
        figure = f" (Arora's Fig. {case.figure})" if case.figure != NOTHING else ""
        parts += [f"## {case.name.capitalize()}{figure}", *_of_case(plan, found, case)]
    return "\n\n".join(parts) + "\n"


def _method(plan: Plan, found: Found) -> list[str]:
    documents, words, tokens = found.about["sizes"]
    return [
        f"The true topics: {plan.topics}, fitted by Gibbs sampling ({FIT_SWEEPS} sweeps, samples "
        f"after {FIT_BURN_IN}) to {found.about['source']}: {documents:,} documents, {words:,} "
        f"words, {tokens:,} tokens. {found.anchored:.0%} of them have a word that is theirs to "
        f"{NEARLY_ALL:.0%} (the source: about 80 % had anchors, which it doesn't define).",
        f"Compositions: symmetric Dirichlet, {CONCENTRATION}; or logistic normal with mean 0, "
        f"variance 1 (the source doesn't say which), and ρ within each of {GROUPS} groups. Anchors "
        "added: a word as probable as the topic's top word, then normalised, as in the source.",
        "∞: the exact co-occurrence, every word a candidate; of a logistic normal with the moments "
        f"of {DRAWS:,} draws. Otherwise an anchor must be as frequent as "
        f'min_anchor_df="{CANDIDATES}" says, in every way.',
        "Recover, RecoverL2, RecoverKL: co-occurrence as counted, FastAnchorWords (1,000 "
        "dimensions, clean-up). AP + ADMM: rectified by at most "
        f"{PROJECTIONS} projections, anchors by pivoted QR. Refined: {SWEEPS} sweeps from there, "
        f"β = {BETA}.",
        f"Gibbs: {GIBBS_SWEEPS} sweeps, the mean of {SAMPLES} samples after {BURN_IN}, priors "
        "learned (the source: 1,000 sweeps, then ten samples 100 apart); only corpora of at most "
        f"{plan.gibbs_tokens:,} tokens. RecoverKL only with {_numbers(plan.kl_sizes)} documents "
        "and ∞: both for time alone.",
        f"The error is the mean over topics, matched bipartitely, ± its standard deviation over "
        f"topics; a larger corpus begins with the documents of a smaller. Seed {plan.seed}.",
    ]  # fmt: skip


def _best(plan: Plan, found: Found) -> str:
    sizes = [*plan.sizes, INFINITE]
    rows = [[case.name, *(_winner(found, case, size) for size in sizes)] for case in CASES]
    return _markdown(["case", *map(_size, sizes)], rows)


def _winner(found: Found, case: Case, size: int) -> str:
    known = {way: each["mean"] for way in WAYS if (each := found.error(case, size, way))}
    best = min(known, key=known.__getitem__)
    return f"{best} {known[best]:.2f}"


def _of_case(plan: Plan, found: Found, case: Case) -> list[str]:
    sizes = [*plan.sizes, INFINITE]
    rows = [[way, *(_cell(found, case, size, way) for size in sizes)] for way in WAYS]
    line = f"Uniform topics: {found.uniform[case.kind]:.2f}."
    return [_markdown(["way", *map(_size, sizes)], rows), line]


def _cell(found: Found, case: Case, size: int, way: str) -> str:
    each = found.error(case, size, way)
    return NOTHING if each is None else f"{each['mean']:.3f} ± {each['deviation']:.2f}"


def _size(size: int) -> str:
    return "∞" if size == INFINITE else f"{size:,}"


def _numbers(values: Iterable[int]) -> str:
    return " and ".join(f"{value:,}" for value in values)


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _markdown(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
