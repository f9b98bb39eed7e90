"""The page: what was done, and a table for each question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, stdev
from typing import Any

from chatham.learners.anchor.select import USUAL_SHARE, WORDS_PER_TOPIC
from inference_study.records import Record
from refinement_study import tables
from refinement_study.documents import HELD_OUT, SHORTEST
from refinement_study.scores import SAME_SUM, SMOOTHING
from refinement_study.starts import AUTO
from refinement_study.tables import SPECTRAL, Table, refined
from refinement_study.ways import Usual, several_samples

NOTHING = "–"
MEASURES = {
    "completion": "Completion, own α",
    "completion_same": f"Completion, everyone's α scaled to sum {SAME_SUM:g}",
    "npmi": "NPMI",
    "diversity": "Topic diversity",
    "alpha": "Σα",
    "cpu": "Seconds of work",
}
JUDGED = ("completion", "completion_same", "npmi", "diversity")
ALPHAS = """\
Learned as AnchorWords does; with ψ taken at expected counts ("plain"); or fixed: 5 in all, by the
topics' shares."""
DIGITS = {"npmi": 3, "diversity": 2, "cpu": 1, "alpha": 1}


def page(usual: Usual, records: Sequence[Record], planted: Sequence[Record]) -> str:
    """All of it."""
    main = tables.main_table(records)
    parts = [
        "# Refinement from the spectral start",
        "Written by `refinement.py`; what we make of it is in "
        "[docs/refinement.md](../../docs/refinement.md).",
        "## What was done",
        _listed(_method(usual, records)),
    ]
    if main:
        parts += ["## Sweeps", "![Completion against the number of sums, and NPMI](refinement.png)"]
        parts += _all_measures(main, (*JUDGED, "cpu"))
        parts += ["### Differences", *_differences(usual, main)]
    control = tables.control_table(records)
    if control:
        parts += ["## The same sweeps from a random start"]
        parts += _all_measures(control, ("completion", "npmi"))
    chains = tables.chain_table(records)
    if chains:
        parts += [f"## Gibbs from other random starts, {usual.usual_gibbs:,} sweeps"]
        parts += _all_measures(chains, ("completion", "npmi"))
    least = tables.least_table(records)
    if least:
        parts += ["## In how many documents must an anchor be?", _limits(records)]
        parts += _all_measures(least, ("completion", "npmi"), tables.least_columns(usual))
        parts += ["### Against 1 %", _against_one(usual, least)]
    betas = tables.beta_table(records)
    if betas:
        parts += [f"## β, after {usual.middle} sweeps"]
        parts += _all_measures(betas, ("completion", "npmi"), tables.beta_columns())
    alphas = tables.alpha_table(records)
    if alphas:
        parts += [f"## α, after {usual.middle} sweeps", ALPHAS]
        parts += _all_measures(alphas, ("completion", "completion_same", "npmi", "alpha"))
    updates = tables.update_table(records)
    if updates:
        parts += ["## Other updates from the same start", *_updates(usual, updates)]
    if planted:
        parts += ["## Planted topics", *_planted(planted)]
    return "\n\n".join(parts) + "\n"


def _method(usual: Usual, records: Sequence[Record]) -> list[str]:
    sizes = {record["corpus"]: record["size"] for record in records}
    corpora = [
        f"{name} ({train + unseen:,} documents of {tokens / train:,.0f} tokens, {words:,} words)"
        for name, (train, unseen, words, tokens) in sizes.items()
    ]
    return [
        f"{'; '.join(corpora)}. Documents of at least {SHORTEST} tokens; {HELD_OUT:.0%} held out.",
        f"Anchors: AnchorWords, 15 projections, QR, ADMM; refined with β = {usual.beta:g} unless "
        "said otherwise. An anchor is in "
        + (
            f"{USUAL_SHARE:.0%} of the documents, or in so many that {WORDS_PER_TOPIC} words a "
            f"topic are candidates, whichever is fewer ({AUTO})."
            if usual.least == AUTO
            else f"{usual.least:.1%} of the documents."
        ),
        "Gibbs: LDA with its defaults (Σα = 5, β = 0.01, both learned), two shards on two threads, "
        "topics from the last sample; averaged: from "
        f"{several_samples(usual.usual_gibbs)['n_samples']}. From anchors: tokens are drawn from "
        "the spectral topics, Σα = 5 by their shares, the same β; from refined: after the sweeps, "
        "with their α.",
        "Completion: the log-probability of a token of the hidden half of an unseen document. "
        "Weights by 20 + 30 sweeps of Gibbs with the topics fixed, for everyone; topics with "
        f"{SMOOTHING:g} of uniform. NPMI and diversity: as in `ch.evaluate`, on the training "
        "documents.",
        "Seconds are those of all threads together, on a machine that did other things too: take "
        "them as rough. A refined model's have the spectral start in them.",
    ]


def _all_measures(
    table: Table, measures: Iterable[str], columns: Sequence[str] | None = None
) -> list[str]:
    lines = []
    for measure in measures:
        title = MEASURES[measure] + (", higher is better" if measure in JUDGED else "")
        lines += [f"### {title}", _shown(table, measure, columns)]
    return lines


def _shown(table: Table, measure: str, columns: Sequence[str] | None) -> str:
    columns, rows = tables.columns_of(table, columns), []
    for (corpus, k), row in table.items():
        values = [row[column][measure] if column in row else None for column in columns]
        known = [value for value in values if value is not None]
        best = max(known)
        shown = [_number(value, DIGITS.get(measure, 3)) for value in values]
        bold = [f"**{text}**" if text == _number(best, DIGITS.get(measure, 3)) else text
                for text in shown]  # fmt: skip
        rows.append([corpus, k, *(bold if measure in JUDGED else shown)])
    return _markdown(["corpus", "K", *columns], rows)


def _differences(usual: Usual, main: Table) -> list[str]:
    longest = f"{tables.GIBBS} {usual.gibbs[-1]:,}"
    usually = f"{tables.GIBBS} {usual.usual_gibbs:,}"
    last = f"{tables.FROM_START} {usual.from_start[-1]:,}"
    pairs = [(refined(n), SPECTRAL) for n in usual.sweeps]
    pairs += [(refined(n), usually) for n in usual.sweeps]
    averaged = f"{tables.AVERAGED} {usual.usual_gibbs:,}"
    pairs += [(averaged, usually), (refined(usual.middle), averaged),
              (refined(usual.middle), longest), (last, usually), (last, refined(usual.middle)),
              (longest, usually)]  # fmt: skip
    rows = [
        [f"{column} − {other}",
         *(tables.shown_gap(tables.gaps(main, column, other, name)) for name in JUDGED)]
        for column, other in pairs
    ]  # fmt: skip
    return [
        "Mean over the rows above (worst to best; in how many it is more).",
        _markdown(["difference", *(MEASURES[name] for name in JUDGED)], rows),
    ]


def _against_one(usual: Usual, least: Table) -> str:
    rows = []
    for sweeps in (0, usual.middle):
        one = tables.least_column(0.01, sweeps)
        for column in tables.least_columns(usual):
            if column.endswith("refined") == bool(sweeps) and column != one:
                found = [tables.gaps(least, column, one, name) for name in ("completion", "npmi")]
                rows.append([f"{column} − {one}", *map(tables.shown_gap, found)])
    return _markdown(["difference", "completion", "NPMI"], rows)


def _limits(records: Sequence[Record]) -> str:
    limits: dict[tuple[str, int], dict[str, int]] = {}
    for record in records:
        if record["part"] == "least":
            name = tables.least_column(record["share"], 0)
            limits.setdefault((record["corpus"], record["k"]), {})[name] = record["least"]
    head = list(dict.fromkeys(name for found in limits.values() for name in found))
    rows = [[*row, *(found.get(name, NOTHING) for name in head)] for row, found in limits.items()]
    told = f"Documents that an anchor must be in; {NOTHING} where fewer words than topics are:"
    return told + "\n\n" + _markdown(["corpus", "K", *head], rows)


def _updates(usual: Usual, updates: Table) -> list[str]:
    lines = [
        "An update, how α is learned, and the sweeps; `updates.py` has the formulas. What "
        "AnchorWords does is `document, learned`."
    ]
    measures = ("completion", "completion_same", "npmi", "alpha", "cpu")
    for (corpus, k), row in updates.items():
        found = [[column, *(_number(row[column][name], DIGITS.get(name, 3)) for name in measures)]
                 for column in tables.columns_of(updates, tables.update_columns(usual))
                 if column in row]  # fmt: skip
        titles = ["update", "completion", f"with Σα = {SAME_SUM:g}", "NPMI", "Σα", "seconds"]
        lines += [f"### {corpus}, K = {k}", _markdown(titles, found)]
    return lines


def _planted(planted: Sequence[Record]) -> list[str]:
    first = planted[0]
    errors: dict[tuple[str, int], list[Record]] = {}
    for record in planted:
        errors.setdefault((record["planted"], record["sweeps"]), []).append(record)
    rows = [
        [f"{name}, {sweeps:,} sweeps", _spread([of["l1"] for of in found]),
         _number(mean(of["cpu"] for of in found), 1)]
        for (name, sweeps), found in errors.items()
    ]  # fmt: skip
    return [
        f"{first['documents']:,} documents of about {first['length']} tokens, {first['d']:,} "
        f"words, {first['k']} topics with an anchor each, α = {first['prior']:g}; "
        f"{len({record['seed'] for record in planted})} corpora.",
        _markdown(["model", "mean ℓ1 distance of matched topics", "seconds"], rows),
    ]


def _spread(values: Sequence[float]) -> str:
    if len(values) < 2:
        return _number(values[0], 3)
    return f"{_number(mean(values), 3)} ± {_number(stdev(values), 3)}"


def _number(value: float | None, digits: int) -> str:
    return NOTHING if value is None else f"{value:.{digits}f}".replace("-", "−")


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
