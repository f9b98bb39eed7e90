"""Which weighting of words and which loss suit text? The table of docs/decisions/0003.

NMF on the simplex and k-means with counts and tf-idf, the absolute and the relative loss, and two
starts of each: NPMI of the ten words that are shown. Besides, what other libraries usually do,
general NMF of tf-idf rows, each error by its row's norm.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import chatham as ch
from inference_study.records import Record, Records
from nmf_default_study.corpora import read
from shared_options import add_places, add_seeds, seeds_of

CORPORA = ("20 Newsgroups", "Reuters")
SIMPLEX = {"constraint": "simplex"}
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "NMF, nndsvd": ("nmf", {**SIMPLEX, "init": "nndsvd"}),
    "NMF, random": ("nmf", {**SIMPLEX, "init": "random"}),
    "k-means++": ("kmeans", {"init": "k-means++"}),
    "k-means, random": ("kmeans", {"init": "random"}),
}
GENERAL = "general NMF"
WEIGHTINGS, LOSSES = ("counts", "tfidf"), ("absolute", "relative")


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER",
                        help="where the corpora are; the bundled sample if not given")  # fmt: skip
    parser.add_argument("--topics", type=int, default=20, metavar="K", help="(20)")
    add_seeds(parser)
    add_places(parser, "weighting_and_loss.md; printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit what isn't kept yet, and write the page."""
    given = options().parse_args(arguments)
    records, found = Records(given.keep), []
    for name, corpus in read(given.data, CORPORA):
        for cell in cells(name, given.topics, seeds_of(given)):
            if not records.has(cell):
                records.add(cell, {"npmi": coherence(corpus, **cell)})
            found.append(records.get(cell))
    written = page(found)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "weighting_and_loss.md").write_text(written, encoding="utf-8")
    return 0


def cells(corpus: str, k: int, seeds: Sequence[int]) -> Iterator[Record]:
    """All fits of one corpus."""
    for seed in seeds:
        common = {"corpus": corpus, "k": k, "seed": seed}
        for weighting in WEIGHTINGS:
            for loss in LOSSES:
                for way in WAYS:
                    yield {**common, "weighting": weighting, "loss": loss, "way": way}
        yield {**common, "weighting": "tfidf", "loss": "relative", "way": GENERAL}


def coherence(
    documents: ch.Corpus, *, k: int, seed: int, weighting: str, loss: str, way: str, corpus: str
) -> float:
    """NPMI of one fit's words."""
    learner, parameters = WAYS.get(way, ("nmf", {"constraint": "none"}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a fit didn't settle, or restarted topics
        model = ch.fit(
            learner, documents, n_components=k, random_state=seed, weighting=weighting, loss=loss,
            **parameters,
        )  # fmt: skip
        return float(ch.evaluate(model, documents, measures=["npmi"])["value"][0])


def page(found: Sequence[Record]) -> str:
    """A table for each corpus, in Markdown."""
    lines = ["# Weighting and loss", ""]
    seeds, topics = ({row[name] for row in found} for name in ("seed", "k"))
    lines += [
        f"Written by `weighting_and_loss.py`. NPMI of the ten words of each of {min(topics)} "
        f"topics, on the documents learned from; mean of {len(seeds)} seeds, with the least and "
        "the most."
    ]
    for corpus in dict.fromkeys(row["corpus"] for row in found):
        own = [row for row in found if row["corpus"] == corpus]
        lines += [
            "", f"## {corpus}", "",
            f"| words | loss | {' | '.join((*WAYS, GENERAL))} |", "|---" * (3 + len(WAYS)) + "|",
        ]  # fmt: skip
        for weighting in WEIGHTINGS:
            for loss in LOSSES:
                shown = [
                    spread([
                        row["npmi"] for row in own
                        if (row["weighting"], row["loss"], row["way"]) == (weighting, loss, way)
                    ])
                    for way in (*WAYS, GENERAL)
                ]  # fmt: skip
                lines.append(f"| {weighting} | {loss} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def spread(values: Sequence[float]) -> str:
    """The mean, and in brackets the least and the most.

    >>> spread([0.1, 0.2, 0.3]), spread([])
    ('0.20 (0.10 to 0.30)', '')
    """
    if not values:
        return ""
    return f"{sum(values) / len(values):.2f} ({min(values):.2f} to {max(values):.2f})"


if __name__ == "__main__":
    sys.exit(main())
