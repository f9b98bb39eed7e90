"""The page about sizes: what was done, and what parties of each size gain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inference_study.markdown import listed, markdown
from inference_study.records import Record
from uplift_study.documents import LEAST_TOKENS, POLICY
from uplift_study.parties import HELD_OUT
from uplift_study.plan import OF_SIZES, Plan
from uplift_study.rating_report import rating_parts
from uplift_study.rating_study import Rated
from uplift_study.tables import Uplift, grouped, having, uplifts, values
from uplift_study.ways import ITERATIONS, RELATIVE, SVD, TOPICS

TITLES = {
    TOPICS: "NMF topics (Fig. 3.7a)",
    RELATIVE: "NMF topics, relative loss",
    SVD: "Low-rank approximation by SVD (Fig. 3.8)",
}


def page(plan: Plan, records: Sequence[Record], rated: Rated | None) -> str:
    """The whole page, in Markdown."""
    sized = having(records, split=OF_SIZES)
    parts = [
        "# What parties gain from learning together, by their size",
        "Written by `uplift.py`; what we make of it is in [the README](../README.md). Figure: "
        "[uplift.png](uplift.png). Parties as they are: [uplift_parties.md](uplift_parties.md).",
        "## What was done",
        listed(method(plan, sized)),
        *_of_way(sized, TOPICS),
        *_of_way(sized, RELATIVE),
        *([] if rated is None else rating_parts(plan, rated)),
        *_of_way(sized, SVD),
    ]
    return "\n\n".join(parts) + "\n"


def method(plan: Plan, sized: Sequence[Record]) -> list[str]:
    """What was done, in sentences."""
    parties = sum(times for _, times in plan.mix)
    mix = ", ".join(f"{times} with {shown(share)}" for share, times in plan.mix)
    words = ", ".join(f"{name} {_words(sized, name)}" for name in values(sized, "corpus"))
    return [
        f"All documents are dealt at random to {parties} parties: {mix}. Each holds "
        f"{shown(HELD_OUT)} of its documents out, learns from the others alone, and together with "
        f"all parties through `ch.Simulated`. {_seeds(plan, sized)}; each with other parties, "
        "other documents held out and another start.",
        "Words are agreed on as between parties, from what they learn from alone: in "
        f"{POLICY['own_df']} of a party's documents and at {POLICY['min_parties']} parties at "
        f"least, in {POLICY['min_df']} documents in all, no English stop words ({words}). Both "
        f"models are over these words. Texts that recur count once; documents with fewer than "
        f"{LEAST_TOKENS} of the words are left out.",
        "**Uplift**: by how many percent the party's error on what it holds out is less with the "
        "common model than with its own. Tables have its mean ± standard deviation over parties "
        "and seeds, and in brackets how many of these gain anything.",
        "Topics: `ch.NMF` on the simplex, with its default start, at most "
        f"{ITERATIONS} iterations; the error is ‖X − WT‖ / ‖X‖ for the frequencies X of held-out "
        "documents, with the best weights for them (relative loss: the same with rows of length "
        "one). Low rank: `ch.SVD` on rows of tf-idf of length one, ‖X − XVVᵀ‖ / ‖X‖.",
    ]


def _seeds(plan: Plan, sized: Sequence[Record]) -> str:
    return f"Seeds: {plan.seeds} of {' and '.join(values(sized, 'corpus'))}"


def _words(records: Sequence[Record], corpus: str) -> str:
    numbers = [record["words"] for record in having(records, corpus=corpus)]
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _of_way(sized: Sequence[Record], way: str) -> list[str]:
    parts = [f"## {TITLES[way]}"]
    for corpus in values(sized, "corpus"):
        found = having(sized, way=way, corpus=corpus)
        parts += [
            f"{corpus}: uplift in percent, and under it the errors alone → together.",
            table(found, "share", gain),
            table(found, "share", errors),
        ]
    return parts


def table(found: Sequence[Record], by: str, cell: Callable[[Uplift], str]) -> str:
    """A row for each size or party, a column for each number of topics."""
    sizes = values(found, "k")
    columns = {k: uplifts(found, by, k=k) for k in sizes}
    rows = [
        [name_of(key), f"{documents(parties):,.0f}", *(cell(columns[k][key]) for k in sizes)]
        for key, parties in grouped(found, by).items()
    ]
    head = {"share": "share of all", "party": "party"}[by]
    return markdown([head, "learns from", *(f"k = {k}" for k in sizes)], rows)


def documents(parties: Sequence[dict[str, Any]]) -> float:
    """How many a party learns from, in the mean."""
    return float(sum(party["train"] for party in parties) / len(parties))


def gain(found: Uplift) -> str:
    """Mean, deviation, and how many gain."""
    return f"{signed(found.mean)} ± {found.deviation:.1f} ({100 * found.gaining:.0f} %)"


def errors(found: Uplift) -> str:
    """Alone and together."""
    return f"{found.alone:.3f} → {found.together:.3f}"


def signed(value: float) -> str:
    """One digit after the point, with its sign."""
    return f"{value:+.1f}".replace("-", "−")


def name_of(key: Any) -> str:
    """A party's name, or its share in percent."""
    return shown(key) if isinstance(key, float) else str(key)


def shown(share: float) -> str:
    """A share in percent.

    >>> shown(0.005), shown(0.3)
    ('0.5 %', '30 %')
    """
    return f"{100 * share:g} %"
