"""What do coarse summaries cost? The table of docs/decisions/0020.

Published sums are rounded, since exact ones lead to documents. Here the same models of the sample's
three communities are merged twice, from exact sums and from those that are published: NPMI of the
merged topics over all documents, how alike the topics are, and for NMF and PLSA the bound.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import chatham as ch
from chatham.measures.stability import stability
from shared_options import add_seeds, seeds_of
from shared_spread import over_seeds

KINDS = ("nmf", "plsa")
NAME = "coarse_summaries.md"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--topics", type=int, default=20, metavar="K", help="(20)")
    parser.add_argument("--words", type=int, metavar="D", help="at most so many (all)")
    add_seeds(parser)
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help=f"for {NAME}; printed if not given"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Merge, and write the page."""
    given = options().parse_args(arguments)
    corpus = ch.sample_corpus(max_features=given.words)
    pages = {}
    for seed in seeds_of(given):
        rows = [[kind, *compared(corpus, kind, given.topics, seed)] for kind in KINDS]
        for row in rows:
            print(seed, *row, file=sys.stderr, flush=True)
        pages[seed] = page(rows, given.topics, seed)
    written = over_seeds(pages)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / NAME).write_text(written, encoding="utf-8")
    return 0


def compared(corpus: ch.Corpus, kind: str, k: int, seed: int) -> list[str]:
    """NPMI of both, similarity, and both bounds."""
    models = {
        name: ch.fit(kind, part, n_components=k, random_state=seed)
        for name, part in corpus.parties(by="community").items()
    }
    with exactly():
        exact = merged(models, k, seed)
    coarse = merged(models, k, seed)
    scores = [
        ch.evaluate(each, corpus, measures=["npmi"])["value"].item() for each in (exact, coarse)
    ]
    alike = stability([exact, coarse], by="cosine").value
    bounds = [each.bounds["bound"].sum() for each in (exact, coarse)]
    return [*(f"{value:.3f}" for value in (*scores, alike)), *(f"{sum_:,.0f}" for sum_ in bounds)]


def merged(models: dict[str, ch.TopicModel], k: int, seed: int) -> Any:
    """What these parties publish, merged."""
    return ch.merge(
        [ch.publish(model, name=name) for name, model in models.items()],
        n_components=k,
        random_state=seed,
    )


@contextmanager
def exactly() -> Iterator[None]:
    """Sums are published as they are."""
    publishing = "chatham.ensembles.publish"
    with (
        patch(f"{publishing}.to_bits", lambda array, up=False: array),
        patch("chatham.ensembles.coarse.STEP", 1e-13),
        patch(f"{publishing}.whole_tokens", lambda expected: expected),
    ):
        yield


def page(rows: Sequence[Sequence[str]], k: int, seed: int) -> str:
    """The page, in Markdown."""
    lines = [
        "# What coarse summaries cost",
        "",
        "Written by `coarse_summaries.py`. The bundled sample, its three communities as parties, "
        f"{k} topics, seed {seed}. Bounds are summed over parties: of NMF the largest squared "
        "error, of PLSA the least log-likelihood.",
        "",
        "| | NPMI, exact | NPMI, coarse | mean cosine of topics | bound, exact | bound, coarse |",
        "|---|---|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
