"""The page: what was done, the first anchors, the measures, and where the thesis is right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hulls_study.anchors import (
    DIMENSIONS,
    EMBEDDINGS,
    GREEDY,
    METHODS,
    OF_C,
    PCA,
    PROJECTED,
    TSNE,
)
from hulls_study.documents import FEWEST_TOKENS, HELD_OUT, Parts
from hulls_study.scores import LEAST, ROWS, SMOOTHING, TOP, Row
from hulls_study.study import Found, Plan

FIRST = 12
"""Anchors in Table 1.2."""
HULLS = {"Rows of C̄": (TSNE, PCA), "Rows of C": OF_C}


def page(plan: Plan, corpora: Mapping[str, Parts], found: Mapping[str, Found]) -> str:
    """The whole page, in Markdown."""
    parts = [
        "# Corners of a hull, or greedy anchors",
        "Written by `hulls.py`; what we make of it is in [the README](../README.md). "
        "Figure: [hulls.png](hulls.png).",
        "## What was done",
        _markdown(
            ["corpus", "documents", "held out", "words", "average length", "like the thesis's"],
            [_sizes(name, each) for name, each in corpora.items()],
        ),
        _listed(_method(plan, found)),
        "## Against the thesis",
        *_verdicts(found),
        "## Top words of topics (the 17 obamas)",
        *_tops(found),
    ]
    for name, each in found.items():
        words = [str(word) for word in corpora[name].train.vocabulary]
        parts += [f"## {name}", *_of_corpus(each, words)]
    return "\n\n".join(parts) + "\n"


def _sizes(name: str, parts: Parts) -> list[str]:
    train, held_out = parts.train, parts.held_out
    average = train.n_tokens / len(train)
    return [
        name, f"{len(train):,}", f"{len(held_out):,}", f"{train.n_words:,}", f"{average:.0f}",
        parts.like,
    ]  # fmt: skip


def _method(plan: Plan, found: Mapping[str, Found]) -> list[str]:
    corners = "; ".join(
        f"{name} " + ", ".join(str(len(each.orders[hull])) for hull in EMBEDDINGS)
        for name, each in found.items()
    )
    cleaned = "; ".join(f"{name} {each.cleaned}" for name, each in found.items())
    starts = f" t-SNE from {plan.starts} starts, models from the first." if plan.starts > 1 else ""
    return [
        "The last column has the thesis's corpus and its documents, words and average length. The "
        "vocabulary is the most frequent words (the thesis cuts by frequency too), stop words left "
        f"out; documents of fewer than {FEWEST_TOKENS} tokens are dropped; {HELD_OUT:.0%} are held "
        "out.",
        "Co-occurrence as counted, nothing rectified. Anchors are words in more than three "
        "documents.",
        f"Hulls: corners in {DIMENSIONS} dimensions, the farthest from the centroid first. "
        '"t-SNE" and "PCA" embed the rows of C̄, p(other word | word); "of C" those of the joint '
        "probabilities, which is what the thesis's words say. Corners there are, by "
        f"{', '.join(EMBEDDINGS)}: {corners}. In the thesis t-SNE has 69, 77, 107, PCA 49, 32, 47.",
        f"Greedy: FastAnchorWords on a sparse random projection to {PROJECTED:,} dimensions (none "
        "where there are fewer words), in the order in which words are chosen and without the "
        "clean-up pass, so that the first K are those of K topics. Of "
        f"{max(plan.topics)} the pass would replace: {cleaned}.",
        "Topics by RecoverL2 (exponentiated gradient) from C̄, whatever the anchors.",
        f"Coherence is eq. 1.10 with {TOP} words and ε = {SMOOTHING}. The likelihood is from left "
        f"to right (10 particles, α = 0.1); {LEAST:g} for anchors in topics that can't utter them.",
        f"Seed {plan.seed}.{starts}",
    ]


def _verdicts(found: Mapping[str, Found]) -> list[str]:
    parts = [
        "At how many of the numbers of topics the hull's anchors are better than greedy's, and in "
        "brackets by how much the mean over these numbers differs, as a share of greedy's.",
    ]
    for title, hulls in HULLS.items():
        head = ["measure", "figure", "thesis: hulls are"]
        head += [f"{name}: {hull}" for name in found for hull in hulls]
        rows = [
            [row.name, row.figure or "text", row.verdict]
            + [_wins(each, hull, row) for each in found.values() for hull in hulls]
            for row in ROWS
        ]
        parts += [f"{title}:", _markdown(head, rows)]
    return parts


def _wins(found: Found, hull: str, row: Row) -> str:
    ks = [m["k"] for m in found.models if m["method"] == hull]
    pairs = [(found.model(hull, k)[row.key], found.model(GREEDY, k)[row.key]) for k in ks]
    sign = 1 if row.higher else -1
    times = sum(sign * (own - other) > 0 for own, other in pairs)
    own, other = (sum(values) for values in zip(*pairs, strict=True))
    return f"{times}/{len(pairs)} ({(own - other) / abs(other):+.0%})"


def _tops(found: Mapping[str, Found]) -> list[str]:
    head = ["corpus", "K", "method", "different top words", "topics with one of their own",
            "most frequent top words"]  # fmt: skip
    rows = []
    for name, each in found.items():
        for k in dict.fromkeys((each.common, _largest(each))):
            rows += [
                [name, k, method, *_top_row(each, method, k)]
                for method in METHODS
                if each.has(method, k)
            ]
    return [
        "The thesis: of 100 greedy topics of Blog 66 % have a unique top word and 17 have "
        "*obama*; of t-SNE's 86 %, *mccain* five times. First at the largest K that all "
        "methods have, then at the largest that t-SNE has.",
        _markdown(head, rows),
    ]


def _top_row(found: Found, method: str, k: int) -> list[str]:
    model = found.model(method, k)
    words: list[str] = model["top_words"]
    often = Counter(words).most_common(3)
    shown = ", ".join(f"{word} {times}" for word, times in often if times > 1)
    return [f"{model['distinct']:.0%}", f"{model['own']:.0%}", shown or "–"]


def _largest(found: Found) -> int:
    return max(m["k"] for m in found.models if m["method"] == TSNE)


def _of_corpus(found: Found, words: Sequence[str]) -> list[str]:
    parts = [
        f"The first {FIRST} anchors (Table 1.2).",
        _markdown(
            ["#", *METHODS],
            [
                [number + 1, *(_word(found.orders[m], number, words) for m in METHODS)]
                for number in range(FIRST)
            ],
        ),
    ]
    if len(found.starts) > 1:
        parts.append(_steadiness(found.starts))
    parts.append(
        _markdown(
            ["K", "method", *(row.name for row in ROWS)],
            [
                [m["k"], m["method"], *(f"{m[row.key]:.4g}" for row in ROWS)]
                for m in found.models
            ],
        )
    )  # fmt: skip
    return parts


def _word(order: Sequence[int], number: int, words: Sequence[str]) -> str:
    return words[order[number]] if number < len(order) else "–"


def _steadiness(starts: Sequence[list[int]]) -> str:
    times = Counter(word for order in starts for word in order)
    most, least = max(map(len, starts)), min(map(len, starts))
    often = max(len(starts) - 1, 2)
    steady = sum(number >= often for number in times.values())
    return (
        f"t-SNE from {len(starts)} starts: {least} to {most} corners; {steady} words are corners "
        f"from at least {often} of them."
    )


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _markdown(head: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
