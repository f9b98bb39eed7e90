"""Should the words that people see first be ordered by relevance?

A topic's words stand in its learner's own order: by probability, and where words were weighted by
idf by what the learner made of them so (`word_order.py` says why). The relevance of Sievert and
Shirley (2014), λ·log P(j|t) + (1 − λ)·log(P(j|t) / P(j)), puts words that are common everywhere
behind; they advise λ = 0.6. For LDA and NMF with 20 topics, each learned from three fifths of a
corpus:

- NPMI of the ten first words of each topic, counted in the held-out two fifths and in all;
- found intruders: five first words of a topic are shown with an intruder, one of the five first
  words of another topic (in the learner's own order, the same for all orders) that is at most as
  probable here as the median word; the word with the least mean NPMI to the others is taken for it.
  The figure is the share of intruders that are found so, the mean over all of them and over topics.
  It stands for people, who were asked so by Chang et al. (2009);
- distinct words: how many of the 20 · 10 words are different ones, as a share.

The rule, written down before the first run: relevance with λ = 0.6 becomes the order of a learner's
words if by the mean over seeds NPMI and found intruders are higher than in its own order in all six
corpora, in held-out and in all documents. Where they disagree, the order stays. λ = 0.3 and 0.8 say
which way it goes; they aren't candidates.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

import chatham as ch
from chatham.measures.coherence.base import EPSILON, WindowCounts
from inference_study.records import Record, Records
from shared_options import add_places, add_seeds, seeds_of

Array = NDArray[np.float64]

CORPORA: dict[str, tuple[str, dict[str, Any]]] = {
    "20 Newsgroups": ("20newsgroups_clean.parquet", {"text": "text", "id": "id"}),
    "BBC": ("bbc_raw.parquet", {"text": "text", "id": "id"}),
    "ACL abstracts": ("acl_abstracts_2016on.parquet", {"text": "text", "id": "id"}),
    "NIPS": ("nips12_bow.npz", {}),
    "AP": ("ap.npz", {}),
    "KOS": ("kos.npz", {}),
}
LEARNERS = {"LDA": "lda", "NMF": "nmf"}
ORDERS: dict[str, dict[str, Any]] = {
    "own": {},
    "λ = 0.8": {"by": "relevance", "lam": 0.8},
    "λ = 0.6": {"by": "relevance", "lam": 0.6},
    "λ = 0.3": {"by": "relevance", "lam": 0.3},
}
CANDIDATE = "λ = 0.6"
DECIDING = (
    "NPMI, held out", "NPMI, all documents",
    "found intruders, held out", "found intruders, all documents",
)  # fmt: skip
FIGURES = (*DECIDING, "distinct words")
WORDS, SHOWN = 10, 5
HELD_OUT, MOST_WORDS, DOCUMENTS, TOKENS = 0.4, 8000, 6000, 1_000_000
TIME = "With --data it takes about two minutes on a core."


def read(folder: Path | None) -> dict[str, ch.Corpus]:
    """Corpora by name, each cut to size; the bundled sample if there is no folder."""
    if folder is None:
        return {"bundled sample": ch.sample_corpus(max_features=2000)}
    return {
        name: cut(
            ch.read_corpus(folder / file, max_features=MOST_WORDS, keep_texts=False, **options)
        )
        for name, (file, options) in CORPORA.items()
    }


def cut(corpus: ch.Corpus, documents: int = DOCUMENTS, tokens: int = TOKENS) -> ch.Corpus:
    """Documents at random, at most so many, and of so many tokens."""
    order = np.random.default_rng(0).permutation(len(corpus))
    lengths = np.asarray(corpus.counts.sum(axis=1)).ravel()[order]
    within = (np.cumsum(lengths) <= tokens) & (np.arange(len(order)) < documents)
    return corpus.rows(np.sort(order[within]))


def scores(corpus: ch.Corpus, learner: str, k: int, seed: int) -> Record:
    """One fit, and what each order makes of it: figures by their names, orders by theirs."""
    train, held_out = corpus.split(HELD_OUT, random_state=seed)
    model = ch.fit(LEARNERS[learner], train, n_components=k, random_state=seed)
    references = {"held out": held_out, "all documents": corpus}
    strangers = strangers_of(model)
    found: Record = {}
    for name, order in ORDERS.items():
        words = model.top_word_lists(WORDS, **order)
        own = {
            f"NPMI, {where}": float(ch.evaluate(words, docs, measures=["npmi"])["value"][0])
            for where, docs in references.items()
        }
        own |= {
            f"found intruders, {where}": found_intruders(words, strangers, docs)
            for where, docs in references.items()
        }
        distinct = {word for listed in words for word in listed}
        found[name] = {**own, "distinct words": len(distinct) / sum(map(len, words))}
    return found


def strangers_of(model: ch.TopicModel) -> list[list[str]]:
    """For each topic, those first words of the others that are improbable in it."""
    tops = model.top_word_lists(SHOWN)
    column_of = {str(word): column for column, word in enumerate(model.vocabulary)}
    medians = np.median(model.word_space.ordering, axis=1)
    pool = sorted({word for listed in tops for word in listed})
    return [
        [word for word in pool if row[column_of[word]] <= median]
        for row, median in zip(model.word_space.ordering, medians, strict=True)
    ]


def found_intruders(
    words: Sequence[Sequence[str]], strangers: Sequence[Sequence[str]], reference: ch.Corpus
) -> float:
    """The share of intruders that fit the other words least, the mean over topics."""
    npmi = _Npmi(reference, {*(w for each in (*words, *strangers) for w in each)})
    shares = []
    for listed, others in zip(words, strangers, strict=True):
        shown = list(listed[:SHOWN])
        intruders = [word for word in others if word not in shown]
        if len(shown) == SHOWN and intruders:
            shares.append(fmean(npmi.is_found(shown, intruder) for intruder in intruders))
    return fmean(shares)


class _Npmi:
    """NPMI of pairs of words, counted in whole documents; 0 where a word isn't in any."""

    def __init__(self, reference: ch.Corpus, words: set[str]) -> None:
        columns = {str(word): column for column, word in enumerate(reference.vocabulary)}
        known = sorted(words & columns.keys())
        present = (reference.counts[:, [columns[word] for word in known]] > 0).astype(np.float64)
        together = np.asarray((present.T @ present).todense())
        full = int((np.asarray(reference.counts.sum(axis=1)).ravel() > 0).sum())
        self._values = WindowCounts(full, full, together[None]).npmi(EPSILON)[0]
        self._number = {word: number for number, word in enumerate(known)}

    def is_found(self, shown: Sequence[str], intruder: str) -> float:
        """1 if the intruder has the least mean to the others; a share of it where several have."""
        numbers = [self._number[word] for word in (*shown, intruder)]
        pairs = self._values[np.ix_(numbers, numbers)]
        means = (pairs.sum(axis=1) - np.diag(pairs)) / (len(numbers) - 1)
        least = np.isclose(means, means.min(), rtol=0.0, atol=1e-12)
        return float(least[-1] / least.sum())


def verdicts(found: Sequence[Record]) -> dict[str, list[str]]:
    """For each learner, what speaks against the candidate: nothing if the rule is met."""
    against: dict[str, list[str]] = {}
    for learner in dict.fromkeys(row["learner"] for row in found):
        against[learner] = [
            f"{corpus} ({figure})"
            for corpus in dict.fromkeys(row["corpus"] for row in found)
            for figure in DECIDING
            if _mean(found, corpus, learner, CANDIDATE, figure)
            <= _mean(found, corpus, learner, "own", figure)
        ]
    return against


def page(found: Sequence[Record], k: int) -> str:
    """A table for each learner and figure: a row for each corpus, a column for each order."""
    lines = ["# Words by relevance", "", (__doc__ or "").split("\n\n", 1)[1].strip(), ""]
    corpora = list(dict.fromkeys(row["corpus"] for row in found))
    for learner in dict.fromkeys(row["learner"] for row in found):
        for figure in FIGURES:
            lines += [f"## {learner}: {figure}", ""]
            lines += ["| | " + " | ".join(ORDERS) + " |", "|---|" + "---:|" * len(ORDERS)]
            for corpus in corpora:
                cells = [_cell(found, corpus, learner, order, figure) for order in ORDERS]
                lines.append(f"| {corpus} | " + " | ".join(cells) + " |")
            lines.append("")
    seeds = sorted({row["seed"] for row in found})
    lines += [
        f"k = {k}. Each figure is the mean over seeds {', '.join(map(str, seeds))}, each with a "
        "split and a start of its own, with the least and the most. Corpora have at most "
        f"{DOCUMENTS:,} documents, {TOKENS:,} tokens and {MOST_WORDS:,} words.",
        "",
    ]
    lines += [_sentence(learner, against) for learner, against in verdicts(found).items()]
    return "\n".join(lines) + "\n"


def _sentence(learner: str, against: Sequence[str]) -> str:
    if not against:
        return f"- {learner}: the rule is met."
    return f"- {learner}: the rule isn't met; not higher by {', '.join(against)}."


def _values(
    found: Sequence[Record], corpus: str, learner: str, order: str, figure: str
) -> list[float]:
    return [
        row[order][figure] for row in found if (row["corpus"], row["learner"]) == (corpus, learner)
    ]


def _mean(found: Sequence[Record], *which: str) -> float:
    return fmean(_values(found, *which))


def _cell(found: Sequence[Record], *which: str) -> str:
    values = _values(found, *which)
    return f"{fmean(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--data", type=Path, metavar="FOLDER",
        help="where the corpora are; the bundled sample if not given")  # fmt: skip
    add("--topics", type=int, default=20, metavar="K", help="(20)")
    add_seeds(parser)
    add_places(parser, "relevance.md; printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    parser = options()
    given = parser.parse_args(arguments)
    if given.topics < 2:
        parser.error("an intruder is a word of another topic, so there must be at least 2")
    records, found = Records(given.keep), []
    try:
        for name, corpus in read(given.data).items():
            for learner in LEARNERS:
                for seed in seeds_of(given):
                    asked = {"corpus": name, "learner": learner, "k": given.topics, "seed": seed}
                    if not records.has(asked):
                        records.add(asked, scores(corpus, learner, given.topics, seed))
                    found.append(records.get(asked))
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(found, given.topics)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "relevance.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
