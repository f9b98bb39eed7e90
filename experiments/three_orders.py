"""Does it matter by which order a topic's words are shown? Table 1.2 of the thesis.

LDA with ten topics, each as its five first words by prevalence, by discriminability (eq. 1.31,
times prevalence, as it belongs to no topic by itself) and by uplift (eq. 1.32) with λ = 0.05 and
0.6. The source looks at four topics of one model of Reuters, and says: topics with clear words look
alike in every order; discriminability changes little, and drops common words; uplift makes some
topics unintelligible.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import spearmanr

import chatham as ch
from exploring_study.models import NEWS, REUTERS, failed, options, sizes_of, trials
from inference_study.markdown import markdown, number
from inference_study.records import Record
from triangle import spread

ORDERS: dict[str, dict[str, Any]] = {
    "prevalence": {"by": "prevalence"},
    "discriminability": {"by": "discriminability"},
    "uplift λ = 0.05": {"by": "uplift", "lam": 0.05},
    "uplift λ = 0.6": {"by": "uplift", "lam": 0.6},
}
FIRST = "prevalence"
WORDS = 5
CORPORA = (REUTERS, NEWS)


def trial(corpus: ch.Corpus, model: ch.TopicModel) -> Record:
    """The lists, their words' documents, their NPMI, and how much of a topic its words are."""
    places = {str(word): place for place, word in enumerate(corpus.vocabulary)}
    documents = np.asarray((corpus.counts > 0).sum(axis=0)).ravel() / len(corpus)
    lists = {name: model.top_word_lists(WORDS, **order) for name, order in ORDERS.items()}
    return {
        "lists": lists,
        "frequencies": {
            name: [[float(documents[places[word]]) for word in words] for words in each]
            for name, each in lists.items()
        },
        "npmi": {name: npmi(each, corpus) for name, each in lists.items()},
        "clear": [
            float(sum(topic[places[word]] for word in words))
            for topic, words in zip(model.topics, lists[FIRST], strict=True)
        ],
    }


def npmi(words: Sequence[Sequence[str]], corpus: ch.Corpus) -> list[float]:
    """Of each topic; 0 for one of a single word, which has no pairs."""
    per_topic = ch.evaluate(words, corpus, measures=["npmi"])["per_topic"][0]
    return [0.0 if value is None or np.isnan(value) else float(value) for value in per_topic]


def shared(words: Sequence[str], others: Sequence[str]) -> int:
    """How many words two lists have in common."""
    return len(set(words) & set(others))


def in_common(record: Record, order: str) -> list[int]:
    """For each topic, how many of its first words it has by prevalence too."""
    pairs = zip(record["lists"][FIRST], record["lists"][order], strict=True)
    return [shared(*pair) for pair in pairs]


def exchanged(record: Record, order: str) -> tuple[float, float] | None:
    """In what share of the documents the words are that an order drops, and those it takes in."""
    gone, new = [], []
    for topic, (before, after) in enumerate(
        zip(record["lists"][FIRST], record["lists"][order], strict=True)
    ):
        shares = record["frequencies"]
        gone += [shares[FIRST][topic][n] for n, word in enumerate(before) if word not in after]
        new += [shares[order][topic][n] for n, word in enumerate(after) if word not in before]
    return (fmean(gone), fmean(new)) if gone else None


def page(found: Sequence[Record]) -> str:
    """What each order changes, over topics and seeds; then the lists of the first."""
    seeds = sorted({record["seed"] for record in found})
    rows = []
    for corpus in dict.fromkeys(record["corpus"] for record in found):
        mine = [record for record in found if record["corpus"] == corpus]
        rows += [[corpus, *_row(mine, order)] for order in ORDERS]
    parts = [
        "# Three orders of words", __doc__.split("\n\n", 1)[1].strip(),
        "Written by `three_orders.py`; what we make of it is in [the README](../README.md). "
        f"{sizes_of(found)}; {found[0]['k']} topics, {found[0]['sweeps']} sweeps, seeds "
        f"{', '.join(map(str, seeds))}: the mean, with the least and the most in brackets.",
        "## What the orders change",
        "Words that a topic has by prevalence too, of five; topics that have all of them; in what "
        "share of the documents a word is that is dropped, and one that is taken in; NPMI of the "
        "five words, its least of any topic, and in how many topics it is lower than that by "
        "prevalence; and how clearer topics (the probability of the five words together) go with "
        "more common words, over all topics (Spearman's ρ).",
        markdown(
            ["corpus", "order", "words in common", "all five", "dropped", "taken in", "NPMI",
             "least NPMI", "lower", "clear and alike"], rows,
        ),
        *_lists(found, seeds[0]),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _row(mine: Sequence[Record], order: str) -> list[str]:
    npmis = [record["npmi"][order] for record in mine]
    cells = [spread([fmean(each) for each in npmis]), number(min(map(min, npmis)))]
    if order == FIRST:
        return [order, "", "", "", "", *cells, "", ""]
    common = [in_common(record, order) for record in mine]
    exchanges = [each for each in (exchanged(record, order) for record in mine) if each]
    dropped = [f"{fmean(each[n] for each in exchanges):.1%}" if exchanges else "–" for n in (0, 1)]
    topics = sum(map(len, common))
    lower = sum(
        own < usual
        for record in mine
        for own, usual in zip(record["npmi"][order], record["npmi"][FIRST], strict=True)
    )
    clear = [value for record in mine for value in record["clear"]]
    alike = [value for each in common for value in each]
    rho = spearmanr(clear, alike).statistic if len(set(alike)) > 1 else None
    return [
        order, spread([fmean(each) for each in common]),
        f"{sum(value == WORDS for value in alike)} of {topics}", *dropped, *cells,
        f"{lower} of {topics}", number(rho),
    ]  # fmt: skip


def _lists(found: Sequence[Record], seed: int) -> list[str]:
    parts = []
    for record in found:
        if record["seed"] == seed:
            rows = [
                [topic if order == FIRST else "", order, " ".join(record["lists"][order][topic])]
                for topic in range(record["k"])
                for order in ORDERS
            ]
            parts += [f"## {record['corpus']}, seed {seed}", markdown(["topic", "", "words"], rows)]
    return parts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    given = options(__doc__, CORPORA, 10, "three_orders.md").parse_args(arguments)
    try:
        found = trials(given, CORPORA, trial)
    except ch.ChathamError as error:
        return failed(error)
    written = page(found)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "three_orders.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
