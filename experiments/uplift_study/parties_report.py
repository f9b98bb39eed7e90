"""The page about parties as they are: newsrooms and mailboxes."""

from __future__ import annotations

from collections.abc import Sequence

from inference_study.markdown import NOTHING, listed, markdown
from inference_study.records import Record
from uplift_study.plan import NATURAL, SHUFFLED, WAYS, Plan
from uplift_study.report import documents, errors, name_of, signed, table
from uplift_study.small import small_parts
from uplift_study.tables import Uplift, crossed, grouped, having, uplift, values
from uplift_study.ways import RELATIVE, SVD, TOPICS

TITLES = {TOPICS: "NMF topics", RELATIVE: "NMF topics, relative loss", SVD: "low rank by SVD"}


def parties_page(plan: Plan, records: Sequence[Record], small: Sequence[Record]) -> str:
    """The whole page, in Markdown."""
    own = having(records, split=NATURAL)
    parts = [
        "# What natural parties gain from learning together",
        "Written by `uplift.py`; what we make of it is in [the README](../README.md). Figure: "
        "[uplift_parties.png](uplift_parties.png). By size alone: [uplift.md](uplift.md).",
        "## What was done",
        listed(method(plan)),
        "## All parties of a corpus",
        _overview(records),
        *small_parts(small),
    ]
    for corpus in values(own, "corpus"):
        for way in WAYS:
            found = having(records, corpus=corpus, way=way)
            parts += [f"## {corpus}, {TITLES[way]}", *_of(found)]
    return "\n\n".join(parts) + "\n"


def method(plan: Plan) -> list[str]:
    """What was done, in sentences."""
    return [
        "Each owner of documents is a party. Words, errors and uplifts are as on the other page; "
        f"{plan.seeds} seeds, which differ in what is held out and in the start. Sums are masked "
        "and in fixed point, `ch.Simulated(..., secure=True)`, as between real parties.",
        "*Shuffled*: parties of the same sizes, but all documents are dealt at random among them. "
        "The difference is what it means that parties write about different things.",
    ]


def _overview(records: Sequence[Record]) -> str:
    """Mean uplifts over parties, natural and shuffled."""
    found = [r for r in records if r["split"] in (NATURAL, SHUFFLED)]
    sizes = values(found, "k")
    rows = [
        [corpus, TITLES[way], split, *(_overall(found, k, corpus, way, split) for k in sizes)]
        for corpus in values(found, "corpus")
        for way in WAYS
        for split in (NATURAL, SHUFFLED)
    ]
    return markdown(["corpus", "way", "documents are", *(f"k = {k}" for k in sizes)], rows)


def _overall(records: Sequence[Record], k: int, corpus: str, way: str, split: str) -> str:
    found = having(records, corpus=corpus, way=way, split=split, k=k)
    parties = [party for record in found for party in record["parties"]]
    return _short(uplift(parties)) if parties else NOTHING


def _short(found: Uplift) -> str:
    return f"{signed(found.mean)} ({100 * found.gaining:.0f} % gain)"


def _of(found: Sequence[Record]) -> list[str]:
    natural, dealt = (having(found, split=split) for split in (NATURAL, SHUFFLED))
    parts = [
        "Uplift in percent; in brackets, with documents shuffled:",
        _beside(natural, dealt),
        "Errors, alone → together:",
        table(natural, "party", errors),
    ]
    if len(values(natural, "k")) == 1:
        return parts
    said = "Mean uplift over parties with another number of topics together than alone:"
    return [*parts, said, _crossed(natural)]


def _crossed(natural: Sequence[Record]) -> str:
    sizes = values(natural, "k")
    rows = [[f"alone {own}", *(_short(crossed(natural, own, k)) for k in sizes)] for own in sizes]
    return markdown(["", *(f"together {k}" for k in sizes)], rows)


def _beside(natural: Sequence[Record], dealt: Sequence[Record]) -> str:
    sizes = values(natural, "k")
    rows = []
    for name, parties in grouped(natural, "party").items():
        cells = [_cell(natural, dealt, k, name) for k in sizes]
        rows.append([name_of(name), f"{documents(parties):,.0f}", *cells])
    return markdown(["party", "learns from", *(f"k = {k}" for k in sizes)], rows)


def _cell(natural: Sequence[Record], dealt: Sequence[Record], k: int, name: str) -> str:
    own, other = (uplift(grouped(having(r, k=k), "party")[name]) for r in (natural, dealt))
    return f"{signed(own.mean)} ± {own.deviation:.1f} ({signed(other.mean)})"
