"""The page that the experiment writes: what was done, the tables, and where they agree."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from seventeen.documents import HELD_OUT, PRUNED, Parts
from seventeen.search import (
    SPREAD_OF_PRIORS,
    SPREAD_OF_TOPICS,
    SPREAD_OF_WEIGHTS,
    Plan,
    Record,
    settings_of,
)
from seventeen.tables import agreement, scores_on, table_4, table_5, table_6
from seventeen.thesis import ALGORITHMS, KMEANS, LDA, MEDIAN_DELTA, NMF, ROWS, SHOWN

NOTHING = "–"
SIZES = ("corpus", "training documents", "held out", "words")


def page(plan: Plan, corpora: Mapping[str, Parts], records: Sequence[Record]) -> str:
    """The whole page, in Markdown."""
    on = {name: scores_on(records, name) for name in corpora}
    fourth, first = table_4(on), next(iter(corpora))
    parts = [
        "# Seventeen measures, three algorithms",
        f"Written by `seventeen_measures.py --trials {plan.trials} "
        f"--most-topics {plan.most_topics} --iterations {plan.iterations} --loss {plan.loss} "
        f"--seed {plan.seed}`; "
        "what we make of it is in [the README](../README.md).",
        "## What was done",
        *_method(plan, corpora, records),
        "## Best and second best by measure (Table 1.4)",
        *_fourth(fourth),
        "## How often each is best (Table 1.5)",
        _fifth(fourth),
        f"## Best settings on {first} (Table 1.6)",
        *_sixth(records, first),
        "## Where it agrees with the thesis",
        *_agreement(fourth),
        *[text for name, table in on.items() for text in (f"## Scores on {name}", _scores(table))],
    ]
    return "\n\n".join(parts) + "\n"


def _method(plan: Plan, corpora: Mapping[str, Parts], records: Sequence[Record]) -> list[str]:
    sizes = [
        [
            name,
            f"{len(train):,}",
            f"{len(held_out):,}",
            f"{train.n_words:,}",
            _labels(train),
            _of_one_topic(train),
        ]
        for name, (train, held_out) in corpora.items()
    ]
    topics = sorted(settings_of(plan, LDA, trial)["n_components"] for trial in range(plan.trials))
    start = settings_of(plan, KMEANS, 0)["init"]
    hours = sum(record["seconds"] for record in records) / 3600
    return [
        _markdown([*SIZES, "labels", "VI of one topic"], sizes),
        _listed(
            [
                f"Words in fewer than {PRUNED['min_df']} documents or more than "
                f"{PRUNED['max_df']:.0%} of them are dropped, and stop words; words are not mapped "
                "to WordNet's morphs as in the thesis, so there are more of them. "
                f"{HELD_OUT:.0%} of the documents are held out.",
                f"{plan.trials} settings of each algorithm, the same for every corpus, drawn at "
                f"random in place of Hyperband (seed {plan.seed}): each of them once from each of "
                f"{plan.trials} equal parts of its distribution. Topics: uniform over 5, 10, …, "
                f"{plan.most_topics}, the same for all algorithms; drawn were {_numbers(topics)}.",
                "LDA: counts, α and β log-normal with median 1/k and standard deviation "
                f"{SPREAD_OF_PRIORS} of the logarithm, not learned, {plan.iterations} sweeps.",
                "NMF (on the simplex) and k-means: counts or tf-idf with equal chances, "
                f'loss="{plan.loss}", at most {plan.iterations} iterations, starts "nndsvd" and '
                f'"{start}". NMF\'s ℓ2: normal with mean 0 and standard deviation '
                f"{SPREAD_OF_TOPICS} for topics and {SPREAD_OF_WEIGHTS} for weights (0.5 in the "
                "thesis, which makes all weights alike at our scale).",
                "Every model is scored on plain frequencies, by its topics over plain words, also "
                "if it was fitted with tf-idf. For each measure the best of an algorithm's trials "
                "counts.",
                "A corpus without labels has neither ARI nor VI; their means are over the others.",
                f"{len(records)} models were fitted and scored in {hours:.1f} processor hours.",
            ]
        ),
    ]


def _labels(corpus: Any) -> str:
    return "none" if corpus.labels is None else str(len(_classes(corpus)))


def _of_one_topic(corpus: Any) -> str:
    """What a single topic for all documents has: the entropy of the labels."""
    if corpus.labels is None:
        return NOTHING
    sizes = _classes(corpus)
    shares = [size / sum(sizes.values()) for size in sizes.values()]
    return f"{-sum(share * math.log(share) for share in shares):.3f}"


def _classes(corpus: Any) -> dict[str, float]:
    """Documents by label; one of several counts in each of them in equal parts."""
    sizes: defaultdict[str, float] = defaultdict(float)
    for label in corpus.labels:
        names = [name for name in (label if isinstance(label, list) else [label]) if name]
        for name in names:
            sizes[name] += 1 / len(names)
    return sizes


def _fourth(fourth: pd.DataFrame) -> list[str]:
    rows = []
    for row, line in zip(ROWS, fourth.to_dict("records"), strict=True):
        ours = [line["best"], line["second"]]
        same = "both" if ours == [row.best, row.second] else "best" if ours[0] == row.best else "no"
        rows.append(
            [
                row.name, f"`{row.measure}`", _winner(line), SHOWN.get(ours[1], NOTHING),
                _number(line["delta"]), f"{line['first_on']} of {line['corpora']}",
                SHOWN[row.best], SHOWN[row.second], _number(row.delta), same,
            ]
        )  # fmt: skip
    head = ["in the thesis", "measure", "best", "2nd", "mean ∆ %", "first on"]
    return [
        "Best is who has the lowest mean rank over the corpora (of equal ones, who leads by more "
        "where it is first); ∆ (eq. 1.35) is the mean over the corpora of the best's lead over the "
        "second, negative on a corpus where the second is ahead.",
        _markdown([*head, "thesis: best", "2nd", "∆ %", "agrees"], rows),
        f"The median ∆ is {_number(statistics.median(fourth['delta'].dropna()))} % (the thesis: "
        f"nearly {MEDIAN_DELTA} %).",
    ]


def _winner(line: Mapping[str, Any]) -> str:
    return SHOWN.get(line["best"], "a tie" if line["corpora"] else NOTHING)


def _fifth(fourth: pd.DataFrame) -> str:
    rows = [
        [SHOWN[name], times, _number(delta), thesis_times, f"{thesis_delta:.2f}"]
        for name, times, delta, thesis_times, thesis_delta in table_5(fourth).values.tolist()
    ]
    head = ["algorithm", "times best", "mean ∆ % when best", "thesis: times best", "mean ∆ %"]
    return _markdown(head, rows)


def _sixth(records: Sequence[Record], corpus: str) -> list[str]:
    rows = []
    for row, line in zip(ROWS, table_6(records, corpus).to_dict("records"), strict=True):
        cells = [
            f"{_shown(name, line[name])} ({theirs})"
            for name, theirs in zip(ALGORITHMS, row.topics, strict=True)
        ]
        rows.append([row.name, *cells])
    return [
        "k, then what else was drawn; in brackets the thesis's k on 20 Newsgroups.",
        _markdown(["measure", *(SHOWN[name] for name in ALGORITHMS)], rows),
    ]


def _shown(algorithm: str, settings: Mapping[str, Any] | None) -> str:
    if settings is None:
        return NOTHING
    k = settings["n_components"]
    if algorithm == LDA:
        return f"{k}, α {settings['alpha']:.3f}, β {settings['beta']:.3f}"
    if algorithm == NMF:
        penalties = f"ℓ2ᵗ {settings['l2_topics']:.2f}, ℓ2ʷ {settings['l2_weights']:.3f}"
        return f"{k}, {penalties}, {settings['weighting']}"
    return f"{k}, {settings['weighting']}"


def _agreement(fourth: pd.DataFrame) -> list[str]:
    found = agreement(fourth)
    total = sum(map(len, found.values()))
    lines = dict(zip((row.name for row in ROWS), fourth.to_dict("records"), strict=True))
    best = {row.name: SHOWN[row.best] for row in ROWS}
    others = [f"{name} ({_winner(lines[name])} for {best[name]})" for name in found["neither"]]
    return [
        f"Of {total} measures the same algorithm is best for {total - len(others)}, and the second "
        f"is the same too for {len(found['both'])}.",
        _listed(
            [
                f"Best and second as in the thesis: {_joined(found['both'])}.",
                f"The same best, another second: {_joined(found['best'])}.",
                f"Another best, ours for the thesis's: {_joined(others)}.",
            ]
        ),
    ]


def _scores(table: pd.DataFrame) -> str:
    names = {row.measure: row.name for row in ROWS}
    rows = [
        [
            names[line["measure"]], "higher" if line["higher_is_better"] else "lower",
            *(f"{line[name]:.5g}" for name in ALGORITHMS),
            SHOWN.get(line["best"], "a tie"), _number(100 * line["delta"]),
        ]
        for line in table.to_dict("records")
    ]  # fmt: skip
    shown = [SHOWN[name] for name in ALGORITHMS]
    return _markdown(["measure", "better is", *shown, "best", "∆ %"], rows)


def _number(value: float | None) -> str:
    return NOTHING if value is None or pd.isna(value) else f"{value:.2f}".replace("inf", "∞")


def _numbers(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _markdown(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
