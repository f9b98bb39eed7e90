"""The pages that the experiment writes: words, measures, films."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rectification_study.documents import LEAST_TOKENS, MAX_DF, MOVIES
from rectification_study.plan import (
    AP,
    AP_FULL,
    AP_SHORT,
    BASELINE,
    CURVES,
    CUTS,
    FEW,
    GIBBS,
    RECURSIVE,
    SHOWN,
    UNFINISHED,
    Plan,
)
from rectification_study.scores import N_LISTED, N_WORDS, ROWS, SMOOTHING, unique_words
from rectification_study.study import Record
from rectification_study.tables import (
    CLAIMS,
    EITHER_EG,
    OVER_EG,
    Claim,
    Curve,
    aligned,
    curve,
    largest_difference,
)

NOTHING = "–"


def written(plan: Plan) -> str:
    """What wrote the page."""
    return (
        f"Written by `rectification.py {plan.said}`; what we make of it is in "
        "[the README](../README.md)."
    )


def words_page(plan: Plan, records: Sequence[Record], listed: Sequence[Record], corpus: str) -> str:
    """Five topics of the first corpus in several ways (Tables 2.2 and 3.1); lists are `listed`."""
    of = _few(records, corpus)
    usual, lists = (_usual(plan, each) for each in (of, _few(listed, corpus)))
    order = (BASELINE, AP_FULL, AP_SHORT, GIBBS)
    return _joined(
        f"# {FEW} topics of {corpus}",
        written(plan),
        _sizes(records, corpus),
        f"Anchors are words in at least {plan.anchor_df} documents. Topics are in the order in "
        "which they share most top words with those of Gibbs; in brackets their anchors. Lists are "
        "of the first seed.",
        f"## With and without rectification (Table 2.2): {N_LISTED} top words",
        *_lists(lists, order),
        markdown(
            ["", f"different words of {FEW * N_LISTED}", *(row.name for row in ROWS)],
            [[SHOWN[name], *_numbers(usual[name])] for name in (*order, RECURSIVE)],
        ),
        "## Supertopics (Table 3.1)",
        *_lists(lists, (RECURSIVE, AP_FULL, GIBBS)),
        "## Which words may be anchors",
        markdown(
            ["an anchor is in at least", "", f"different words of {FEW * N_LISTED}",
             *(row.name for row in ROWS)],
            [
                [_cut(plan, cut), SHOWN[method], *_numbers(of[method, cut or plan.anchor_df])]
                for cut in (0, *CUTS)
                for method in (BASELINE, AP)
            ],
        ),
    )  # fmt: skip


def _few(records: Sequence[Record], corpus: str) -> dict[tuple[str, Any], Record]:
    """Models of few topics, by method and by what may be an anchor."""
    return {
        (each["method"], each["settings"].get("anchor_df")): each
        for each in records
        if (each["corpus"], each["k"]) == (corpus, FEW)
    }


def _usual(plan: Plan, of: Mapping[tuple[str, Any], Record]) -> dict[str, Record]:
    """Those whose anchors are chosen as everywhere."""
    return {method: each for (method, df), each in of.items() if df in (None, plan.anchor_df)}


def _cut(plan: Plan, cut: float) -> str:
    return f"{cut:.0%} of the documents" if cut else f"{plan.anchor_df} documents"


def _lists(usual: Mapping[str, Record], order: Sequence[str]) -> list[str]:
    """Top words of each method, its topics as Gibbs has them."""
    reference, parts = usual[GIBBS]["tops"], []
    for name in order:
        record = usual[name]
        lines = [
            " ".join(record["tops"][topic][:N_LISTED])
            + (f" ({record['anchors'][topic]})" if record["anchors"] else "")
            for topic in aligned(record["tops"], reference)
        ]
        parts += [f"**{SHOWN[name]}**", "\n".join(f"- {line}" for line in lines)]
    return parts


def _numbers(record: Record) -> list[str]:
    return [
        str(unique_words(record["tops"])),
        *(number(record["scores"][row.name]) for row in ROWS),
    ]


def measures_page(plan: Plan, records: Sequence[Record]) -> str:
    """Measures against K on every corpus (Figures 2.5, 3.2 and A.1), and which claims hold."""
    corpora = list(dict.fromkeys(record["corpus"] for record in records))
    curves = {
        (corpus, row.name): {
            name: curve(records, corpus, name, row.name, plan.anchor_df) for name in CURVES
        }
        for corpus in corpora
        for row in ROWS
    }
    return _joined(
        "# Rectification: measures against the number of topics",
        written(plan),
        *(_sizes(records, corpus) for corpus in corpora),
        _method(plan, records),
        "## What the source says, and at how many K it is so here",
        markdown(["", *corpora], [_claimed(claim, corpora, curves) for claim in CLAIMS]),
        "## ADMM and exponentiated gradient (section 3.5.1)",
        "At how many K it is so; the largest relative difference over all K; and the largest from "
        f"exponentiated gradient that is stopped after {UNFINISHED} steps.",
        markdown(
            ["", *corpora],
            [_claimed(claim, corpora, curves, differences=True) for claim in OVER_EG],
        ),
        *[
            part
            for corpus in corpora
            for part in (
                f"## {corpus}",
                f"![{corpus}](rectification_{slug(corpus)}.png)",
                _table(corpus, curves),
            )
        ],
    )


def _method(plan: Plan, records: Sequence[Record]) -> str:
    sweeps = {r["corpus"]: r["settings"]["sweeps"] for r in records if r["method"] == GIBBS}
    minutes = sum(record["seconds"] for record in records) / 60
    return "\n".join(
        [
            f"- Text: stop words, words in fewer than 4 documents or more than {MAX_DF:.0%} of "
            "them are dropped, then those with the largest tf-idf are kept; documents with fewer "
            f"than {LEAST_TOKENS} tokens are dropped. Films: 2 × stars.",
            f"- Anchors by pivoted QR among words in at least {plan.anchor_df} documents, for all.",
            "- Baseline: no rectification, exponentiated gradient (squared distance). DC: diagonal "
            f"completion, the median of {plan.runs} runs. AP: alternating projection, at most "
            f"{plan.projections} iterations, until a relative change of {plan.tol:g}. "
            "Exponentiated gradient ends at its duality gap; "
            f"unfinished, after {UNFINISHED} steps.",
            "- Gibbs: Σα = 5, β = 0.01, sweeps: "
            + ", ".join(f"{name} {number}" for name, number in sweeps.items())
            + ". Its A is the mean of wwᵀ over documents, its p(z|x) follows by Bayes' rule; "
            "without anchors it has no recovery error.",
            "- All measures are against the original C, of rows that sum to one for recovery; "
            f"{N_WORDS} top words; coherence over all ordered pairs with ε = {SMOOTHING}.",
            f"- Fitting the {len(records)} models took {minutes:.0f} minutes of processor time.",
        ]
    )


def _claimed(
    claim: Claim,
    corpora: Sequence[str],
    curves: Mapping[tuple[str, str], Mapping[str, Curve]],
    differences: bool = False,
) -> list[str]:
    than = {"less": "lower", "more": "higher", "nearer": "nearer"}[claim.how]
    aim = SHOWN[claim.to] if isinstance(claim.to, str) else claim.to
    text = f"{claim.measure}: {SHOWN[claim.method]} {than}"
    text += f" to {aim:g}" if isinstance(aim, float) else f" to {aim}" if aim else ""
    cells = []
    for corpus in corpora:
        lines = curves[corpus, claim.measure]
        held = claim.holds(lines)
        cell = f"{sum(held)} of {len(held)}"
        if differences:
            shares = [largest_difference(lines, claim.method, other) for other in EITHER_EG]
            cell += ", " + "; ".join(NOTHING if s is None else f"{s:.2%}" for s in shares)
        cells.append(cell)
    return [f"{text} than {SHOWN[claim.than]}", *cells]


def _table(corpus: str, curves: Mapping[tuple[str, str], Mapping[str, Curve]]) -> str:
    of = {row.name: curves[corpus, row.name] for row in ROWS}
    sizes = sorted({k for lines in of.values() for line in lines.values() for k in line})
    rows = [
        [f"{row.name} ({row.better})" if place == 0 else "", SHOWN[name],
         *(number(of[row.name][name].get(k)) for k in sizes)]
        for row in ROWS
        for place, name in enumerate(name for name in CURVES if of[row.name][name])
    ]  # fmt: skip
    return markdown(["measure (better)", "", *map(str, sizes)], rows)


def _sizes(records: Sequence[Record], corpus: str) -> str:
    documents, words, tokens = next(r["sizes"] for r in records if r["corpus"] == corpus)
    what = ("users", "films") if corpus == MOVIES else ("documents", "words")
    return (
        f"{corpus}: {documents:,} {what[0]}, {words:,} {what[1]}, {tokens / documents:,.0f} "
        "tokens each on average."
    )


def number(value: float | None) -> str:
    """A number in four digits.

    >>> number(0.012345), number(-1234.5), number(None)
    ('0.01235', '-1234', '–')
    """
    if value is None:
        return NOTHING
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def slug(corpus: str) -> str:
    """A corpus's name as part of a file's."""
    return corpus.lower().replace(" ", "_")


def markdown(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _joined(*parts: str) -> str:
    return "\n\n".join(parts) + "\n"
