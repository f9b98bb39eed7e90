"""Are anchors at the corners of a hull words that people would see first? Table 1.3 of Lee (2018).

Topics from anchors at the corners of a hull by t-SNE, as many as there are; for some of them, drawn
at random, the closest topic (ℓ1) from a hull by principal components, and from greedy anchors. For
each its place in the order of anchors (#), the rank of the anchor among its words (HR), and eight
words. Anchors and corpora are those of `hulls.py`, also the two kinds of rows that are embedded.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.learners.anchor.recover import recover
from chatham.learners.words import best_words
from chatham.measures.truth.topics import l1_distances
from chatham.numerics.threads import threads
from hulls_study.anchors import (
    GREEDY,
    METHODS,
    PCA,
    PCA_OF_C,
    TSNE,
    TSNE_OF_C,
    Words,
    greedy_order,
    hull_order,
    words_of,
)
from hulls_study.documents import SOURCES, read_parts
from inference_study.markdown import bold, markdown
from inference_study.records import Record, Records
from shared_options import add_places, add_seeds, at_least_one, seeds_of

FAMILIES = {"C̄": (TSNE, PCA, GREEDY), "C": (TSNE_OF_C, PCA_OF_C, GREEDY)}
"""Which rows are embedded; greedy anchors are the same for both."""
SHOWN, DRAWN = 8, 5
"""Words of a topic, and topics of each corpus in the lists."""
TIME = "With --data a seed takes about ten minutes on a core, most for t-SNE."

FIGURES: dict[str, Callable[[Record, tuple[str, str, str]], float]] = {
    "t-SNE: HR 0": lambda found, of: share(rank == 0 for rank in ranks(found, of[0])),
    "PCA: HR 0": lambda found, of: share(rank == 0 for rank in closest_ranks(found, of, 1)),
    "greedy: HR 0": lambda found, of: share(rank == 0 for rank in closest_ranks(found, of, 2)),
    "greedy: median HR": lambda found, of: float(median(closest_ranks(found, of, 2))),
    "greedy: anchor shown": lambda found, of: share(
        rank < SHOWN for rank in closest_ranks(found, of, 2)
    ),
    "greedy: later (#)": lambda found, of: share(
        other > own for own, other in enumerate(found["closest"][f"{of[0]}: {of[2]}"])
    ),
    "same anchor in PCA's": lambda found, of: same_anchors(found, of),
}
"""What the source says of its lists, over all topics of t-SNE instead of five."""


def topics_of(words: Words, anchors: Sequence[int]) -> NDArray[np.float64]:
    """Topics recovered by least squares, whatever the anchors."""
    groups = [np.array([word], dtype=np.int64) for word in anchors]
    return recover(words.conditional, groups, "l2").topics


def hard_ranks(topics: NDArray[np.float64], anchors: Sequence[int]) -> list[int]:
    """How many words are more probable in each topic than its anchor.

    >>> hard_ranks(np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]), [1, 2])
    [1, 0]
    """
    own = topics[np.arange(len(topics)), list(anchors)]
    return [int(number) for number in (topics > own[:, None]).sum(axis=1)]


def trial(train: ch.Corpus, most: int, seed: int) -> Record:
    """Each method's topics as words, and which topic of another is closest to those of t-SNE."""
    words = words_of(train)
    vocabulary = [str(word) for word in train.vocabulary]
    orders = {
        method: greedy_order(words, most, seed)
        if method == GREEDY
        else hull_order(words, method, seed)[:most]
        for method in METHODS
    }
    topics = {method: topics_of(words, order) for method, order in orders.items()}
    closest = {
        f"{of[0]}: {other}": l1_distances(topics[of[0]], topics[other]).argmin(axis=1).tolist()
        for of in FAMILIES.values()
        for other in of[1:]
    }
    return {
        "closest": closest,
        "topics": {
            method: {
                "anchors": [vocabulary[word] for word in orders[method]],
                "ranks": hard_ranks(each, orders[method]),
                "words": [
                    [vocabulary[place] for place in best]
                    for best in best_words(each, each, vocabulary, SHOWN)
                ],
            }
            for method, each in topics.items()
        },
    }


def ranks(found: Record, method: str) -> list[int]:
    """The ranks of a method's anchors."""
    return list(found["topics"][method]["ranks"])


def closest_ranks(found: Record, of: tuple[str, str, str], which: int) -> list[int]:
    """The ranks of anchors in the topics that are closest to those of t-SNE."""
    known = ranks(found, of[which])
    return [known[place] for place in found["closest"][f"{of[0]}: {of[which]}"]]


def same_anchors(found: Record, of: tuple[str, str, str]) -> float:
    """How many topics of t-SNE have the anchor of the closest topic of principal components."""
    own, other = (found["topics"][method]["anchors"] for method in of[:2])
    places = found["closest"][f"{of[0]}: {of[1]}"]
    return share(word == other[place] for word, place in zip(own, places, strict=True))


def share(facts: Any) -> float:
    """The share of facts that are so."""
    return fmean(map(float, facts))


def page(found: Sequence[Record], sizes: Mapping[str, str], most: int) -> str:
    """Shares over all topics and seeds, then the lists of the first seed."""
    seeds = sorted({record["seed"] for record in found})
    corpora = list(dict.fromkeys(record["corpus"] for record in found))
    rows = []
    for corpus in corpora:
        mine = [record for record in found if record["corpus"] == corpus]
        for rows_of, of in FAMILIES.items():
            cells = [_spread([figure(each, of) for each in mine], name)
                     for name, figure in FIGURES.items()]  # fmt: skip
            counts = [len(ranks(each, of[0])) for each in mine]
            rows.append([corpus, rows_of, _range(counts), *cells])
    parts = [
        "# Salient topics", __doc__.split("\n\n", 1)[1].strip(),
        "Written by `salient_topics.py`; what we make of it is in [the README](../README.md).",
        "; ".join(f"{name}: {size}" for name, size in sizes.items()) + f". At most {most} anchors "
        "of each kind, as many greedy ones. # and HR begin with 0.",
        "## Over all topics",
        "Of all topics by t-SNE, and of the closest topics of the others: how many have their "
        "anchor as first word (HR 0), the median HR of greedy anchors, how many of these are among "
        f"the {SHOWN} words, how many of the closest greedy topics come later in their order than "
        "t-SNE's in its own, and how many topics of t-SNE and principal components have the same "
        f"anchor. Seeds {', '.join(map(str, seeds))}: the mean, with the least and the most in "
        "brackets.",
        markdown(["corpus", "rows of", "topics by t-SNE", *FIGURES], rows),
    ]  # fmt: skip
    for rows_of, of in FAMILIES.items():
        parts.append(f"## Lists: hulls of rows of {rows_of}, seed {seeds[0]}")
        for corpus in corpora:
            first = next(each for each in found if each["corpus"] == corpus)
            parts.append(_lists(first, corpus, of))
    return "\n\n".join(parts) + "\n"


def _lists(found: Record, corpus: str, of: tuple[str, str, str]) -> str:
    count = len(ranks(found, of[0]))
    drawn = np.random.default_rng(found["seed"]).permutation(count)[:DRAWN]
    rows = []
    for topic in map(int, drawn):
        places = [topic, *(found["closest"][f"{of[0]}: {other}"][topic] for other in of[1:])]
        for name, method, place in zip(("t-SNE", "PCA", "Greedy"), of, places, strict=True):
            model = found["topics"][method]
            anchor = model["anchors"][place]
            shown = " ".join(bold(word, word == anchor) for word in model["words"][place])
            rows.append([name, place, model["ranks"][place], shown])
    return markdown(["type", "#", "HR", f"top words ({corpus})"], rows)


def _spread(values: Sequence[float], name: str) -> str:
    form = "{:.1f}" if "median" in name else "{:.0%}"
    mean, low, high = (form.format(each) for each in (fmean(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low} to {high})"


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    files = ", ".join(source.file for source in SOURCES.values())
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {files} are; the bundled sample alone if not given",
    )  # fmt: skip
    parser.add_argument("--most", type=at_least_one, default=100, metavar="K",
                        help="anchors of each kind, at most (100)")  # fmt: skip
    add_seeds(parser)
    parser.add_argument("--n-jobs", type=int, default=1, help="threads (1)")
    add_places(parser, "salient_topics.md; the page is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    given = options().parse_args(arguments)
    records, found, sizes = Records(given.keep), [], {}
    try:
        for seed in seeds_of(given):
            for name, parts in read_parts(given.data, seed).items():
                size = f"{len(parts.train):,} documents, {parts.train.n_words:,} words"
                sizes.setdefault(name, size)
                asked = {"corpus": name, "seed": seed, "most": given.most, "sizes": parts.sizes}
                if not records.has(asked):
                    with threads(given.n_jobs):
                        records.add(asked, trial(parts.train, given.most, seed))
                found.append(records.get(asked))
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(found, sizes, given.most)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "salient_topics.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
