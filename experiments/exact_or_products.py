"""What do anchor words between parties lose by products instead of one exact total?

By default parties add up a few products with the co-occurrence, and each leaves out of its part the
words that fewer than ten of its own documents have; where all know what an exact total gives away,
they add up the co-occurrence itself. Both on documents drawn from known topics (ℓ1 error) and on
parties as they are: newsrooms, and the communities of the bundled sample (completion of held-out
documents, and NPMI).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import chatham as ch
from chatham.commons import Simulated
from chatham.federation.words import agree_vocabulary, recounted
from chatham.federation.words.rules import WordRules
from chatham.learners.anchor.products import FEWEST, words_of_enough
from chatham.learners.documents import Documents, with_words
from uplift_study.documents import FILES, NEWSROOMS, SAMPLE, read

HELD_OUT = 0.2
POLICY = {"own_df": 5, "min_parties": 2, "min_df": 5}
"""How parties agree on words: a session's default rules."""
WORDS = 3000
"""At most so many: an exact total has half as many numbers as their square."""
DRAWN, LENGTH, HOLDERS = 6000, 100, 3
"""Documents of known topics, the words of each, and the parties that they are dealt to."""
TITLE = "# Anchor words between parties: an exact total, or products\n"
INTRODUCTION = """
{topics} topics, {seeds} seeds; ± is half the distance of the smallest and the largest. *Exact* is
one total of co-occurrences, with which all must know what it gives away. *Products* is the default:
five sums of products, each party without the words that fewer than ten of its own documents have.
*Anchors* are those in common with the exact total's, and *tokens* what parties keep of theirs.
`refine` is the number of sweeps after the spectral solution; 20 is the default. A smaller
`l1_to_truth` is better, and a larger `completion` and `npmi`. Completion counts every word that was
agreed on, also those that a party leaves out. With `own_df=10` parties offer only words that they
also tell, so fewer words are agreed on, and hardly one of them is left out everywhere.
"""


@dataclass(frozen=True, eq=False)
class Case:
    """Documents that parties have, and what a model of them is measured by."""

    corpus: str
    parts: list[sp.csr_array]
    vocabulary: Any
    evidence: dict[str, Any]
    measures: tuple[str, ...]


def drawn(seed: int, topics: int) -> Case:
    """Documents of known topics, those of a model of the sample."""
    sample = ch.sample_corpus(max_features=2000)
    model = ch.fit("lda", sample, n_components=topics, random_state=0, max_iter=300)
    found = ch.synthetic_corpus(model, DRAWN, lengths=LENGTH, anchors="top", random_state=seed)
    counts = sp.csr_array(found.corpus.counts)
    parts = [sp.csr_array(counts[start::HOLDERS]) for start in range(HOLDERS)]
    truth = {"true_topics": found.topics}
    return Case("known topics", parts, found.corpus.vocabulary, truth, ("l1_to_truth",))


def natural(name: str, folder: Path | None, seed: int, own_df: int = POLICY["own_df"]) -> Case:
    """Parties as they are, with the words that they agree on, and a share held out."""
    corpus = read(folder, name)
    owners = np.array(list(corpus.labels))
    parties = [corpus.rows(np.flatnonzero(owners == owner)) for owner in np.unique(owners)]
    policy = {**POLICY, "own_df": own_df, "max_features": WORDS}
    words = WordRules.of({"stop_words": "en", **policy})
    agreed = agree_vocabulary(Simulated([words.offered(each) for each in parties]), policy=policy)
    rng, fitted, held_out = np.random.default_rng(seed), [], []
    for party in parties:
        counts = sp.csr_array(recounted(party, agreed.words).counts)
        unseen = rng.random(counts.shape[0]) < HELD_OUT
        fitted.append(sp.csr_array(counts[~unseen]))
        held_out.append(counts[unseen])
    evidence = {
        "corpus": ch.Corpus(sp.csr_array(sp.vstack(fitted)), agreed.words),
        "held_out": ch.Corpus(sp.csr_array(sp.vstack(held_out)), agreed.words),
    }
    said = name if own_df == POLICY["own_df"] else f"{name}, own_df={own_df}"
    return Case(said, fitted, agreed.words, evidence, ("completion", "npmi"))


def cases(folder: Path | None, seed: int, topics: int) -> Iterator[Case]:
    """All corpora of one seed."""
    yield drawn(seed, topics)
    for own_df in (POLICY["own_df"], FEWEST):
        yield natural(SAMPLE, None, seed, own_df)
        if folder is not None:
            yield natural(NEWSROOMS, folder, seed, own_df)


def measured(case: Case, topics: int, refine: int, seed: int) -> dict[str, Any]:
    """Each way's measures, the anchors in common, and the share of tokens that parties keep."""
    found: dict[str, Any] = {}
    anchors = {}
    for way, exact in (("exact", True), ("products", False)):
        learner = ch.AnchorWords(topics, refine=refine, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            commons = Simulated(case.parts, secure=True, exact_totals=exact)
            model = ch.fit(learner, commons, vocabulary=case.vocabulary)
            table = ch.evaluate(model, measures=list(case.measures), **case.evidence)
        found[way] = dict(zip(table["measure"], table["value"], strict=True))
        anchors[way] = set(model.estimator.anchors_.tolist())
    found["anchors"] = len(anchors["exact"] & anchors["products"])
    found["tokens"] = tokens_kept(case.parts)
    return found


def tokens_kept(parts: Sequence[sp.csr_array]) -> float:
    """The share of all tokens whose words enough of their party's own documents have."""
    kept = [with_words(part, words_of_enough(Documents(part))).sum() for part in parts]
    return float(sum(kept) / sum(part.sum() for part in parts))


def table_of(results: dict[tuple[str, int, int], dict[str, Any]]) -> str:
    """One row for each corpus, number of sweeps and measure."""
    lines = [
        "| documents | parties | words | refine | measure | exact | products | anchors | tokens |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    shown = {(name, refine): [] for name, refine, _ in results}
    for (name, refine, _), result in results.items():
        shown[name, refine].append(result)
    for (name, refine), found in shown.items():
        for measure in found[0]["exact"]:
            ways = [spread([each[way][measure] for each in found]) for way in ("exact", "products")]
            anchors = ", ".join(str(each["anchors"]) for each in found)
            tokens = f"{np.mean([each['tokens'] for each in found]):.0%}"
            head = f"{name} | {found[0]['parties']} | {found[0]['words']} | {refine} | {measure}"
            lines.append(f"| {head} | {ways[0]} | {ways[1]} | {anchors} | {tokens} |")
    return "\n".join(lines) + "\n"


def spread(values: Sequence[float]) -> str:
    """The mean, and half the distance of the extremes."""
    return f"{np.mean(values):.4f} ± {(max(values) - min(values)) / 2:.4f}"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {FILES[NEWSROOMS]} is; without it newsrooms are left out",
    )  # fmt: skip
    parser.add_argument("--topics", type=int, default=15, help="(15)")
    parser.add_argument("--seeds", type=int, default=3, help="(3)")
    parser.add_argument("--refine", type=int, nargs="+", default=(0, 20), help="(0 20)")
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="for exact_or_products.md; else printed only"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    chosen = options().parse_args(arguments)
    results = {}
    for seed in range(chosen.seeds):
        for case in cases(chosen.data, seed, chosen.topics):
            for refine in chosen.refine:
                result = measured(case, chosen.topics, refine, seed)
                result |= {"parties": len(case.parts), "words": case.parts[0].shape[1]}
                results[case.corpus, refine, seed] = result
                print(case.corpus, refine, seed, result, file=sys.stderr)
    said = INTRODUCTION.format(topics=chosen.topics, seeds=chosen.seeds)
    page = TITLE + said + "\n" + table_of(results)
    if chosen.output is not None:
        chosen.output.mkdir(parents=True, exist_ok=True)
        (chosen.output / "exact_or_products.md").write_text(page, "utf-8")
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
