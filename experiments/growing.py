"""Does a model that grows keep its numbers, and is it as good as one of all documents?

The bundled sample in five periods. Topics of each period are fitted freely, and as an update does,
starting from those of the period before: how many of the topics that were there go on? Then, of the
model of all five: how far the history's shares are from the weights of the documents, and the
log-likelihood of a token of all documents, beside a fit of all of them at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import chatham as ch
from chatham.ensembles.continuing import continued
from chatham.plots import plot_history, save_figure
from shared_options import add_seeds, seeds_of
from shared_spread import over_seeds

KINDS = ("nmf", "plsa", "lda")
PERIODS = ((2016, 2018), (2019, 2020), (2021, 2022), (2023, 2024), (2025, 2026))
NAME, FIGURE = "growing.md", "growing.png"
SMOOTH = 1e-3
"""Of each word's probability, the part that is the same for all words."""


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--topics", type=int, default=8, metavar="K", help="(8)")
    parser.add_argument("--words", type=int, metavar="D", help="at most so many (all)")
    parser.add_argument("--periods", type=int, default=5, metavar="N", help="the first so many (5)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="(all)")
    add_seeds(parser)
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help=f"for {NAME}; printed if not given"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Let models grow, and write the page and the figure."""
    given = options().parse_args(arguments)
    periods = slices(ch.sample_corpus(max_features=given.words), given.periods)
    pages = {}
    for number, seed in enumerate(seeds_of(given)):
        rows = []
        for kind in given.kinds:
            model, row = grown(periods, kind, given.topics, seed)
            rows.append([kind, *row])
            print(seed, *rows[-1], file=sys.stderr, flush=True)
            if number == 0 and kind == "plsa" and given.output is not None:
                figure = plot_history(model.history, model.top_word_lists(5), "The sample, by PLSA")
                save_figure(figure, given.output / FIGURE)
        pages[seed] = page(rows, given.topics, seed)
    written = over_seeds(pages)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / NAME).write_text(written, encoding="utf-8")
    return 0


def slices(corpus: ch.Corpus, number: int) -> dict[str, ch.Corpus]:
    """The documents of each period."""
    years = np.array([int(year) for year in corpus.column("year")])
    return {
        f"{first}–{last}": corpus.rows((first <= years) & (years <= last))
        for first, last in PERIODS[:number]
    }


def grown(
    periods: dict[str, ch.Corpus], kind: str, k: int, seed: int
) -> tuple[ch.TopicModel, list[str]]:
    """The model of all periods, and its row of the table."""
    (first, corpus), *later = periods.items()
    model = ch.fit(kind, corpus, n_components=k, random_state=seed)
    model = ch.keep_summary(model, slice=named(first), random_state=seed)
    free, kept, apart = [], [], []
    for name, corpus in later:
        living = model._history.living
        free.append(
            goes_on(ch.fit(kind, corpus, n_components=len(living), random_state=seed), model)
        )
        model = ch.update(model, corpus, slice=named(name), random_state=seed)
        newest = model._history.slices[-1]
        kept.append(len(set(newest.has) & set(living)) / len(living))
        apart.append(np.abs(newest.shares - model.transform(corpus).mean(axis=0)).max())
    everything = np.vstack([each.counts.toarray() for each in periods.values()])
    words = corpus.vocabulary
    pooled = ch.fit(
        kind, ch.Corpus(everything, words), n_components=model.n_topics, random_state=seed
    )
    likely = [log_likelihood(each, everything, words) for each in (model, pooled)]
    numbers = [f"{np.mean(free):.2f}", f"{np.mean(kept):.2f}", str(model.n_topics)]
    return model, [*numbers, f"{np.max(apart):.3f}", *(f"{value:.3f}" for value in likely)]


def named(period: str) -> str:
    """As a slice can be called."""
    return period.replace("–", "-")


def goes_on(free: ch.TopicModel, model: ch.TopicModel) -> float:
    """The share of the living topics that topics of a free fit go on with."""
    living = model._history.living
    found = continued(free.topics, free.prevalence, model.topics, living)
    return len(set(found.numbers[found.large].tolist()) & set(living)) / len(living)


def log_likelihood(model: ch.TopicModel, counts: np.ndarray, words: np.ndarray) -> float:
    """Of a token, with the model's own weights."""
    weights = model.transform(ch.Corpus(counts, words))
    order = np.argsort(model.vocabulary.astype(str), kind="stable")
    topics = np.zeros((model.n_topics, len(words)))
    topics[:, np.argsort(words, kind="stable")] = model.topics[:, order]
    mixed = (1 - SMOOTH) * weights @ topics + SMOOTH / len(words)
    return float((counts * np.log(mixed)).sum() / counts.sum())


def page(rows: Sequence[Sequence[str]], k: int, seed: int) -> str:
    """The page, in Markdown."""
    lines = [
        "# Models that grow",
        "",
        f"Written by `growing.py`. The bundled sample in periods, {k} topics to begin with, seed "
        f"{seed}. Of the topics that the period before had, the share that goes on, where topics "
        "of the next are fitted freely and where they start from these (means over updates); "
        "topics in the end; the largest difference between a share in the history and the mean "
        "weight of the slice's documents; the log-likelihood of a token of all documents, after "
        "the updates and by as many topics fitted to all at once.",
        "",
        "| | go on, free | go on, started | topics | shares apart | updated | at once |",
        "|---|---|---|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
