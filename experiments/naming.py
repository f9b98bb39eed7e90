"""What should a topic be called, if nobody has named it?

Five ways to make a name, from LDA and NMF with 20 topics, learned from four fifths of a corpus:

- own order: the three first words in the learner's own order;
- λ = 0.6, λ = 0.3: the three first by the relevance of Sievert and Shirley (2014);
- first-order relevance (Mei, Shen and Zhai, 2007): the three words l with the highest
  Σ_w p(w|t)·PMI(w, l), with the co-occurrence that the model itself implies,
  p(w, l) = Σ_t p(t)·p(w|t)·p(l|t). That depends on p(t|l) alone, and all words that only one topic
  has are alike by it, so the candidates are the topic's 20 most probable words;
- phrase: the pair of neighbouring words with the highest Σ_w p(w|t)·PMI(w, l), counted in the
  documents of the fit. Candidates are the 1,000 pairs that stand together most clearly more often
  than by chance (t-test), each in ten documents or more. It needs the texts.

A name is for readers, who want to know which documents it stands for. In the held-out fifth, for
each topic that is at least a fifth of ten documents or more:

- found: the probability that of two documents, one that is at least a fifth from the topic and one
  that isn't, the first has more of the name's words (the area under the curve; ties count half);
- covered: the share of the first kind that have any of its words;
- NPMI of its words;
- distinct: the share of its words that no other topic's name has.

The rule, written down before the first run. Names are made by relevance with λ = 0.6, and another
way takes its place if, by means over seeds, it finds documents better in at least three quarters of
all corpora and learners, and if in the mean of these neither covered, NPMI nor distinct is lower by
more than 0.02; of several the one with the highest mean of found. A way that needs texts must also
find better by 0.02 in the mean, since only a name that is made from the model alone is the
same for all who have it, parties of a session among them, and needs no saving.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

import chatham as ch
from inference_study.records import Record, Records
from relevance import cut
from shared_options import add_places, add_seeds, seeds_of

Array = NDArray[np.float64]

CORPORA: dict[str, tuple[str, dict[str, Any]]] = {
    "20 Newsgroups": ("20newsgroups_clean.parquet", {"text": "text", "id": "id"}),
    "BBC": ("bbc_raw.parquet", {"text": "text", "id": "id"}),
    "Reuters": ("reuters21578.parquet", {"text": ["title", "text"], "id": "id"}),
    "ACL abstracts": ("acl_abstracts_2016on.parquet", {"text": "text", "id": "id"}),
}
LEARNERS = {"LDA": "lda", "NMF": "nmf"}
PRESENT, PHRASE = "λ = 0.6", "phrase"
WAYS = ("own order", PRESENT, "λ = 0.3", "first-order relevance", PHRASE)
FIGURES = ("found", "covered", "NPMI", "distinct")
WORDS, CANDIDATES, PHRASES, LEAST = 3, 20, 1000, 10
HELD_OUT, MOST_WORDS, SHARE = 0.2, 8000, 0.2
ENOUGH, TOLERANCE = 0.75, 0.02
TIME = "With --data it takes about ten minutes on a core."


def read(folder: Path | None) -> dict[str, ch.Corpus]:
    """Corpora by name, each cut to size; the bundled sample if there is no folder."""
    if folder is None:
        return {"bundled sample": ch.sample_corpus(max_features=2000)}
    return {
        name: cut(ch.read_corpus(folder / file, max_features=MOST_WORDS, **options))
        for name, (file, options) in CORPORA.items()
    }


def scores(corpus: ch.Corpus, learner: str, k: int, seed: int) -> Record:
    """One fit, and what each way makes of it: figures by their names, ways by theirs."""
    train, held_out = corpus.split(HELD_OUT, random_state=seed)
    model = ch.fit(LEARNERS[learner], train, n_components=k, random_state=seed)
    weights = model.transform(held_out)
    found: Record = {}
    for way, names in names_by(model, train).items():
        found[way] = judged(names, held_out, weights) | {"names": [" ".join(n) for n in names]}
    return found


def names_by(model: ch.TopicModel, documents: ch.Corpus) -> dict[str, list[list[str]]]:
    """For each way the names of all topics, as lists of words."""
    topics, shares = model.topics, model.prevalence
    vocabulary = [str(word) for word in model.vocabulary]
    first = first_order_words(topics, shares)
    return {
        "own order": model.top_word_lists(WORDS),
        "λ = 0.6": model.top_word_lists(WORDS, by="relevance", lam=0.6),
        "λ = 0.3": model.top_word_lists(WORDS, by="relevance", lam=0.3),
        "first-order relevance": [[vocabulary[column] for column in each] for each in first],
        PHRASE: phrases(topics, vocabulary, documents),
    }


def first_order_words(topics: Array, shares: Array) -> list[NDArray[np.intp]]:
    """The columns of each topic's three words by first-order relevance in the model."""
    joint = topics * shares[:, None]
    overall = joint.sum(axis=0)
    given = np.divide(joint, overall, out=np.zeros_like(joint), where=overall > 0)
    best = []
    for topic in topics:
        candidates = np.argsort(-topic, kind="stable")[:CANDIDATES]
        candidates = candidates[topic[candidates] > 0]
        # p(w|l) = Σ_t p(t|l) p(w|t), and PMI(w, l) = log p(w|l) − log p(w).
        of_label = given[:, candidates].T @ topics
        said = topic > 0
        logs = np.log(of_label[:, said]) - np.log(overall[said])
        relevance = np.round(logs @ topic[said], 12)
        best.append(candidates[np.argsort(-relevance, kind="stable")[:WORDS]])
    return best


def phrases(topics: Array, vocabulary: Sequence[str], documents: ch.Corpus) -> list[list[str]]:
    """Each topic's pair of words by first-order relevance, counted in the documents."""
    pairs, holders = candidate_pairs(documents)
    present = (documents.counts > 0).astype(np.float64)
    n, of_word = present.shape[0], np.asarray(present.sum(axis=0)).ravel()
    together = np.stack(
        [np.asarray(present[rows].sum(axis=0)).ravel() for rows in holders]
    )  # pairs × words
    by_chance = np.array([len(rows) for rows in holders])[:, None] * of_word / n
    # As if seen once more as often as by chance: 0 of a word that no document has.
    seen = np.divide(
        together + by_chance, 2 * by_chance, out=np.ones_like(together), where=by_chance > 0
    )
    pmi = np.log(seen)
    best = (topics @ pmi.T).argmax(axis=1)
    return [[vocabulary[column] for column in pairs[number]] for number in best]


def candidate_pairs(documents: ch.Corpus) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """Pairs of words that stand together, by a t-test, and which documents have each."""
    column_of = {str(word): column for column, word in enumerate(documents.vocabulary)}
    tokenizer = documents.vectorizer.tokenizer
    times: Counter[tuple[int, int]] = Counter()
    single: Counter[int] = Counter()
    holders: dict[tuple[int, int], list[int]] = {}
    for row, text in enumerate(documents.texts):
        columns = [column_of.get(word, -1) for word in tokenizer.words(text)]
        single.update(columns)
        pairs = [pair for pair in pairwise(columns) if min(pair) >= 0 and pair[0] != pair[1]]
        times.update(pairs)
        for pair in set(pairs):
            holders.setdefault(pair, []).append(row)
    n = sum(single.values())
    known = [pair for pair, rows in holders.items() if len(rows) >= LEAST]
    t = {p: (times[p] - single[p[0]] * single[p[1]] / n) / times[p] ** 0.5 for p in known}
    best = sorted(known, key=lambda pair: (-t[pair], pair))[:PHRASES]
    return best, [holders[pair] for pair in best]


def judged(names: Sequence[Sequence[str]], held_out: ch.Corpus, weights: Array) -> dict[str, float]:
    """What names of topics are worth on documents with these weights; means over topics."""
    column_of = {str(word): column for column, word in enumerate(held_out.vocabulary)}
    found, covered = [], []
    for number, name in enumerate(names):
        is_in = weights[:, number] >= SHARE
        if min(is_in.sum(), (~is_in).sum()) < LEAST:
            continue
        columns = [column_of[word] for word in name]
        has = np.asarray((held_out.counts[:, columns] > 0).sum(axis=1)).ravel()
        found.append(area(has, is_in))
        covered.append(float((has[is_in] > 0).mean()))
    times = Counter(word for name in names for word in set(name))
    distinct = [fmean(times[word] == 1 for word in name) for name in names if name]
    npmi = float(ch.evaluate([list(n) for n in names], held_out, measures=["npmi"])["value"][0])
    return {
        "found": fmean(found), "covered": fmean(covered), "NPMI": npmi,
        "distinct": fmean(distinct), "topics": float(len(found)),
    }  # fmt: skip


def area(values: Array, is_in: NDArray[np.bool_]) -> float:
    """How often one that is in has a higher value than one that isn't; ties count half.

    >>> area(np.array([2, 1, 1, 0]), np.array([True, True, False, False]))
    0.875
    """
    ranks = rankdata(values)[is_in].sum()
    n, m = int(is_in.sum()), int((~is_in).sum())
    return float((ranks - n * (n + 1) / 2) / (n * m))


def mean_of(found: Sequence[Record], way: str, figure: str, cell: tuple[str, str]) -> float:
    """The mean over seeds of a corpus and a learner."""
    return fmean(row[way][figure] for row in found if (row["corpus"], row["learner"]) == cell)


def cells_of(found: Sequence[Record]) -> list[tuple[str, str]]:
    """The corpora and learners that there are."""
    return list(dict.fromkeys((row["corpus"], row["learner"]) for row in found))


def overall(found: Sequence[Record], way: str, figure: str) -> float:
    """The mean over all corpora and learners of the means over seeds."""
    return fmean(mean_of(found, way, figure, cell) for cell in cells_of(found))


def against(found: Sequence[Record], way: str) -> list[str]:
    """What the rule has against a way to take the present one's place; nothing if it may."""
    cells = cells_of(found)
    better = sum(
        mean_of(found, way, "found", cell) > mean_of(found, PRESENT, "found", cell)
        for cell in cells
    )
    reasons = []
    if better < ENOUGH * len(cells):
        reasons.append(f"finds documents better in {better} of {len(cells)}")
    for figure in FIGURES[1:]:
        lower = overall(found, PRESENT, figure) - overall(found, way, figure)
        if lower > TOLERANCE:
            reasons.append(f"{figure} is lower by {lower:.3f}")
    gain = overall(found, way, "found") - overall(found, PRESENT, "found")
    if way == PHRASE and gain < TOLERANCE:
        reasons.append(f"needs texts, and finds better by {gain:.3f}")
    return reasons


def chosen(found: Sequence[Record]) -> str:
    """The way that the rule chooses."""
    allowed = [way for way in WAYS if way != PRESENT and not against(found, way)]
    return max(allowed, key=lambda way: overall(found, way, "found"), default=PRESENT)


def page(found: Sequence[Record], k: int) -> str:
    """A table for each figure: a row for each corpus and learner, a column for each way."""
    lines = ["# Names of topics", "", (__doc__ or "").split("\n\n", 1)[1].strip(), ""]
    for figure in FIGURES:
        lines += [f"## {figure}", "", "| | " + " | ".join(WAYS) + " |"]
        lines += ["|---|" + "---:|" * len(WAYS)]
        for corpus, learner in cells_of(found):
            cells = [_cell(found, way, figure, (corpus, learner)) for way in WAYS]
            lines.append(f"| {corpus}, {learner} | " + " | ".join(cells) + " |")
        means = [f"**{overall(found, way, figure):.3f}**" for way in WAYS]
        lines += ["| **mean** | " + " | ".join(means) + " |", ""]
    seeds = sorted({row["seed"] for row in found})
    lines += [
        f"k = {k}. Each figure is the mean over seeds {', '.join(map(str, seeds))}, each with a "
        "split and a start of its own, with the least and the most. Corpora have at most 6,000 "
        f"documents, a million tokens and {MOST_WORDS:,} words.",
        "",
        f"**By the rule: {chosen(found)}.**",
        "",
    ]
    for way in WAYS:
        if way != PRESENT:
            reasons = against(found, way)
            lines.append(f"- {way}: {'; '.join(reasons) if reasons else 'nothing against it'}.")
    lines += ["", "## The names of one fit each", ""]
    for corpus, learner in cells_of(found):
        row = next(r for r in found if (r["corpus"], r["learner"]) == (corpus, learner))
        lines += [f"### {corpus}, {learner}", "", "| topic | " + " | ".join(WAYS) + " |"]
        lines += ["|---:|" + "---|" * len(WAYS)]
        for topic in range(k):
            cells = [row[way]["names"][topic] for way in WAYS]
            lines.append(f"| {topic} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _cell(found: Sequence[Record], way: str, figure: str, cell: tuple[str, str]) -> str:
    values = [row[way][figure] for row in found if (row["corpus"], row["learner"]) == cell]
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
    add_places(parser, "naming.md; printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    parser = options()
    given = parser.parse_args(arguments)
    if given.topics < 2:
        parser.error("names are to be told apart, so there must be at least 2 topics")
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
        (given.output / "naming.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
