"""The page on real documents: completion, and main topics beside labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

import chatham as ch
from inference_study.cases import Plan
from inference_study.markdown import bold, listed, markdown, number
from inference_study.real import HELD_OUT, REAL_WAYS
from inference_study.records import Record
from inference_study.tables import REFERENCE, completion_gaps, value_of
from inference_study.ways import SHOWN as WAYS_SHOWN


def real_page(plan: Plan, corpora: Mapping[str, ch.Corpus], records: Sequence[Record]) -> str:
    """Real documents, for which nobody knows the weights."""
    sizes = [f"{name} ({len(c):,} documents, {c.n_words:,} words)" for name, c in corpora.items()]
    parts = [
        "# Which inference for real documents?",
        "Written by `inference.py`; what we make of it is in [the README](../README.md). "
        "[Figure](inference_default.png).",
        listed(
            [
                f"{'; '.join(sizes)}. Topics by AnchorWords(min_anchor_df={plan.min_anchor_df:g}, "
                f"beta={plan.beta:g}) on {1 - HELD_OUT:.0%} of the documents, seed {plan.seed}. "
                "α is the model's own: fitted to A if not refined, else learned.",
                "Completion: the log-probability of a token of the hidden half of the other "
                "documents, topics mixed with 0.01 of uniform (`completion`); higher is better.",
                "NMI and ARI: a document's main topic against its label, over all documents.",
            ]
        ),
    ]
    for measure, title in (("completion", "Completion"), ("nmi", "NMI"), ("ari", "ARI")):
        table = _real_table(records, measure)
        parts += [f"## {title}", table] if table else []
    parts += ["## Completion lost against the posterior, mean", _lost(records)]
    return "\n\n".join(parts) + "\n"


def _real_table(records: Sequence[Record], measure: str) -> str | None:
    found: dict[tuple[Any, ...], dict[str, float]] = {}
    for record in records:
        value = value_of(record, measure)
        if value is not None:
            key = record["corpus"], record["k"], record["refine"]
            found.setdefault(key, {})[record["way"]] = value
    if not found:
        return None
    rows = [
        [*key, *(bold(number(of.get(way)), of.get(way) == max(of.values())) for way in REAL_WAYS)]
        for key, of in found.items()
    ]
    return markdown(["corpus", "K", "refine", *(WAYS_SHOWN[way] for way in REAL_WAYS)], rows)


def _lost(records: Sequence[Record]) -> str:
    rows = [
        [refine, *(number(_mean([of[way] for of in cells.values() if way in of]))
                   for way in REAL_WAYS if way != REFERENCE)]
        for refine, cells in completion_gaps(records).items()
    ]  # fmt: skip
    names = [WAYS_SHOWN[way] for way in REAL_WAYS if way != REFERENCE]
    return markdown(["refine", *names], rows)


def _mean(values: Sequence[float]) -> float | None:
    return mean(values) if values else None
