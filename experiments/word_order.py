"""In which order should a topic's words stand, if they were weighted by idf while it was learned?

Dividing idf out makes the topic a distribution over plain words again, which is what unseen
documents are likely under; but it also puts words that are common everywhere first again. For the
learners that get tf-idf: NPMI of the ten first words of each topic in the order of the learner's
own weights and in that of plain probabilities, and the log-likelihood of a held-out document (for
its likeliest weights) with idf left in and divided out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import chatham as ch
from chatham.learners.words import words_of_topics
from inference_study.records import Records
from shared_options import add_places

CORPORA: dict[str, tuple[str, dict[str, Any]]] = {
    "20 Newsgroups": ("20newsgroups_clean.parquet", {"text": "text", "id": "id"}),
    "BBC": ("bbc_raw.parquet", {"text": "text", "id": "id"}),
    "ACL abstracts": ("acl_abstracts_2016on.parquet", {"text": "text", "id": "id"}),
    "NIPS": ("nips12_bow.npz", {}),
    "AP": ("ap.npz", {}),
}
LEARNERS = {
    "NMF": ("nmf", {}),
    "NMF on the simplex": ("nmf", {"constraint": "simplex"}),
    "k-means": ("kmeans", {}),
}
WORDS, HELD_OUT, MOST_WORDS = 10, 0.2, 8000
TIME = "With --data it takes about fifteen minutes on a core."


def read(folder: Path | None) -> dict[str, ch.Corpus]:
    """Corpora by name; the bundled sample if there is no folder."""
    if folder is None:
        return {"bundled sample": ch.sample_corpus()}
    return {
        name: ch.read_corpus(folder / file, max_features=MOST_WORDS, keep_texts=False, **options)
        for name, (file, options) in CORPORA.items()
    }


def scores(corpus: ch.Corpus, learner: str, k: int, seed: int) -> dict[str, float]:
    """One fit, with idf left in and divided out."""
    train, test = corpus.split(HELD_OUT, random_state=seed)
    name, parameters = LEARNERS[learner]
    model = ch.fit(name, train, n_components=k, random_state=seed, **parameters)
    vocabulary = list(model.vocabulary)
    plain = words_of_topics(model.topics, model.prevalence, vocabulary, WORDS)
    usual = model.top_word_lists(WORDS)
    changed = [len(set(a) - set(b)) for a, b in zip(usual, plain, strict=True)]
    return {
        "npmi, as weighted": _npmi(usual, train),
        "npmi, plain": _npmi(plain, train),
        "other words of ten": float(np.mean(changed)),
        "log-likelihood, idf left in": _likelihood(model.word_space.ordering, vocabulary, test),
        "log-likelihood, divided out": _likelihood(model.topics, vocabulary, test),
    }


def _npmi(words: Sequence[Sequence[str]], corpus: ch.Corpus) -> float:
    return float(ch.evaluate(words, corpus, measures=["npmi"])["value"][0])


def _likelihood(topics: Any, vocabulary: Sequence[str], held_out: ch.Corpus) -> float:
    table = ch.evaluate(
        topics, vocabulary=vocabulary, held_out=held_out, measures=["log_likelihood_held_out"]
    )
    return float(table["settings"][0]["per_document"])


def page(found: Sequence[dict[str, Any]]) -> str:
    """A row for each corpus, learner and number of topics: least and most over the seeds."""
    columns = [name for name in found[0] if name not in ("corpus", "learner", "k", "seed")]
    lines = ["# The order of a topic's words", "", __doc__.split("\n\n", 1)[1].strip(), ""]
    lines += ["| | k | " + " | ".join(columns) + " |", "|---|" + "---|" * (len(columns) + 1)]
    cells = list(dict.fromkeys((row["corpus"], row["learner"], row["k"]) for row in found))
    for cell in cells:
        own = [row for row in found if (row["corpus"], row["learner"], row["k"]) == cell]
        spread = [
            f"{min(row[column] for row in own):.3f} to {max(row[column] for row in own):.3f}"
            for column in columns
        ]
        lines.append(f"| {cell[0]}, {cell[1]} | {cell[2]} | " + " | ".join(spread) + " |")
    seeds = len({row["seed"] for row in found})
    fewer = sum(row["npmi, plain"] < row["npmi, as weighted"] for row in found)
    likelier = sum(
        row["log-likelihood, divided out"] > row["log-likelihood, idf left in"] for row in found
    )
    lines += ["", (
        f"Least and most of {seeds} seeds, each with a split and a start of its own. In {fewer} of "
        f"{len(found)} fits the words cohere less in the order of plain probabilities, and in "
        f"{likelier} held-out documents are likelier with idf divided out."
    )]  # fmt: skip
    return "\n".join(lines) + "\n"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--data", type=Path, metavar="FOLDER",
        help="where the corpora are; the bundled sample if not given")  # fmt: skip
    add("--topics", type=int, nargs="+", default=[20], metavar="K", help="(20)")
    add("--seeds", type=int, default=3, help="(3)")
    add_places(parser, "word_order.md; printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    parser = options()
    given = parser.parse_args(arguments)
    if min(*given.topics, given.seeds) < 1:
        parser.error("numbers of topics and of seeds must be at least 1")
    records, found = Records(given.keep), []
    try:
        for name, corpus in read(given.data).items():
            for learner in LEARNERS:
                for k in given.topics:
                    for seed in range(given.seeds):
                        asked = {"corpus": name, "learner": learner, "k": k, "seed": seed}
                        if not records.has(asked):
                            records.add(asked, scores(corpus, learner, k, seed))
                        found.append(records.get(asked))
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(found)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "word_order.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
