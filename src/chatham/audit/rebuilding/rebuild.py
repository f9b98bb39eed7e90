"""All attacks that apply to what a coalition saw of a fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chatham.audit.observing import Round
from chatham.audit.rebuilding.differences import by_difference
from chatham.audit.rebuilding.expected_counts import by_expected_counts
from chatham.audit.rebuilding.finding import Finding
from chatham.audit.rebuilding.known import Effort, Known
from chatham.audit.rebuilding.lone_rows import by_lone_rows
from chatham.audit.rebuilding.pair_lengths import by_pair_lengths
from chatham.audit.rebuilding.rows_from_products import by_products
from chatham.audit.rebuilding.same_weights import by_same_weights
from chatham.audit.rebuilding.shared_values import by_shared_values


def rebuild(rounds: Sequence[Round], known: Known, effort: Effort | None = None) -> list[Finding]:
    """What a coalition that saw these rounds is sure of: documents first, each once.

    Attacks that don't apply to what the rounds hold, by the names and shapes of their totals, find
    nothing: differences of totals by topic and values that words share in one of them; pairs of
    words; products with blocks; the transcripts of PLSA, NMF and LDA.
    """
    effort = Effort() if effort is None else effort
    found = [
        *by_difference(rounds, known, effort),
        *by_lone_rows(rounds, known, effort.documents),
        *by_expected_counts(rounds, known, effort.documents),
        *by_products(rounds, known, effort.rows),
        *by_pair_lengths(rounds, known),
        *by_shared_values(rounds, known),
        *by_same_weights(rounds, known),
    ]
    once: dict[Any, Finding] = {}
    for each in found:
        once.setdefault((each.kind, each.words, each.counts), each)
    kinds = ("document", "group", "row")
    return sorted(once.values(), key=lambda each: kinds.index(each.kind))
