"""Do Algorithm 11's design and the audit's default say the same of the same documents?

Algorithm 11 (thesis, 3.2) fits databases for one document at a time: 200 with it, 200 without. The
default lets many documents enter each of 400 databases by coins of their own, so that two groups of
fits serve 50 documents. Both are run on the same documents, with databases of the same size, the
same learner and the same totals; then the statistics of both are laid side by side: for each
document the distance of Kolmogorov and Smirnov, and the area under the curve (AUC: how often a
statistic is higher with the document than without it).

Intervals of areas draw databases anew, with putting back: in Algorithm 11's design for each
document by itself, in the default one for all documents of a group together, since these share
their databases. Rank correlations draw documents anew.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.stats import ks_2samp, rankdata, spearmanr

import chatham as ch
from chatham.audit.intervals import Estimate
from chatham.audit.mechanisms import FitMechanism
from chatham.audit.neighbours import CoinFlips, OneByOne, random_targets
from chatham.audit.samples import Plan, Samples
from chatham.audit.sampling import sample
from chatham.model.fit import corpus_for, learner_for_text

TIME = "With Enron's mail it takes about ten minutes on two cores."
ENRON = "enron_ham.parquet"
DRAWS = 400
LEVEL = 0.95
THESIS = "topic_weights"
"""σ = a·w² of section 3.4."""

Values = NDArray[np.float64]
Indices = NDArray[np.int64]


class Both(NamedTuple):
    """The samples of the two designs."""

    one_by_one: Samples
    coins: Samples


def run_both(
    corpus: ch.Corpus, *, topics: int, size: int, documents: int, an_arm: int,
    folder: Path | None, n_jobs: int, seed: int = 0,
) -> Both:  # fmt: skip
    """Both designs on the same documents, or what of them isn't in the folder yet."""
    parameters = {"n_components": topics, "random_state": seed}
    learner = learner_for_text("nmf", parameters, between_parties=True)
    read = corpus_for(learner, corpus, "auto")
    assert read is not None
    learner._index_words(read.vocabulary)
    counts = sp.csr_array(read.counts)
    with_words = np.flatnonzero(np.diff(counts.indptr))
    targets = with_words[random_targets(documents, len(with_words), seed)]
    mechanism, n = FitMechanism(learner, others=2), counts.shape[0]
    designs = {
        "coins": CoinFlips(n, targets, size, 2 * an_arm),
        "one_by_one": OneByOne(n, targets, size, an_arm),
    }
    samples = {}
    for name, design in designs.items():
        began = time.perf_counter()
        place = None if folder is None else folder / name
        samples[name] = sample(Plan(mechanism, counts, design, seed), place, n_jobs=n_jobs)
        print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return Both(**samples)


def area(values: Values, present: NDArray[np.bool_]) -> float:
    """How often a value is higher with the document than without it; ties count half."""
    n, m = int(present.sum()), int((~present).sum())
    if not n or not m:
        return 0.5
    return float((rankdata(values)[present].sum() - n * (n + 1) / 2) / (n * m))


class Cases(NamedTuple):
    """What one statistic says of each document: databases, values, and whether it is there."""

    databases: list[Indices]
    values: list[Values]
    present: list[NDArray[np.bool_]]

    @classmethod
    def of(cls, samples: Samples, name: str) -> Cases:
        """The cases of all documents."""
        records = samples.records([name])
        chosen = [records.target == t for t in range(len(samples.plan.design.targets))]
        return cls(
            [records.database[each] for each in chosen],
            [records.values[each, 0] for each in chosen],
            [records.present[each] for each in chosen],
        )

    def areas(self) -> Values:
        """The area of each document."""
        return np.array([area(v, p) for v, p in zip(self.values, self.present, strict=True)])

    def distances(self) -> Values:
        """The distance of Kolmogorov and Smirnov for each document."""
        pairs = zip(self.values, self.present, strict=True)
        return np.array([ks_2samp(v[p], v[~p]).statistic for v, p in pairs])

    def drawn_areas(self, draws: int, seed: int) -> Values:
        """Draws × documents: documents that share databases share what is drawn of them."""
        generator = np.random.default_rng(seed)
        found = np.empty((draws, len(self.values)))
        for draw in range(draws):
            again: dict[int, Indices] = {}
            for document, databases in enumerate(self.databases):
                group = int(databases[0])
                if group not in again:
                    again[group] = generator.integers(len(databases), size=len(databases))
                taken = again[group]
                found[draw, document] = area(
                    self.values[document][taken], self.present[document][taken]
                )
        return found


def interval(value: float, again: Any) -> Estimate:
    """Percentiles of a bootstrap."""
    low, high = np.quantile(again, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, min(float(low), value), max(float(high), value), LEVEL)


def rank_correlation(one: Values, other: Values, seed: int) -> Estimate:
    """Spearman's, over documents."""
    generator, n = np.random.default_rng(seed), len(one)
    taken = [generator.integers(n, size=n) for _ in range(DRAWS)]
    again = [spearmanr(one[each], other[each]).statistic for each in taken]
    return interval(float(spearmanr(one, other).statistic), np.nan_to_num(again))


def compared(both: Both, name: str, seed: int = 0) -> tuple[dict[str, Any], pd.DataFrame]:
    """One statistic in both designs: over all documents, and document by document."""
    first, second = (Cases.of(samples, name) for samples in both)
    areas = first.areas(), second.areas()
    drawn = first.drawn_areas(DRAWS, seed), second.drawn_areas(DRAWS, seed + 1)
    differences = areas[0] - areas[1]
    errors = np.sqrt(drawn[0].var(axis=0) + drawn[1].var(axis=0))
    apart = np.abs(differences) > 1.96 * np.maximum(errors, 1e-12)
    row = {
        "statistic": name,
        "one_by_one": interval(float(areas[0].mean()), drawn[0].mean(axis=1)),
        "coins": interval(float(areas[1].mean()), drawn[1].mean(axis=1)),
        "difference": interval(
            float(differences.mean()), drawn[0].mean(axis=1) - drawn[1].mean(axis=1)
        ),
        "correlation": rank_correlation(*areas, seed),
        "apart": int(apart.sum()),
    }
    table = pd.DataFrame(
        {
            "D, one by one": first.distances(),
            "D, coins": second.distances(),
            "AUC, one by one": _with_ends(areas[0], drawn[0]),
            "AUC, coins": _with_ends(areas[1], drawn[1]),
        }
    )
    return row, table


def _with_ends(values: Values, drawn: Values) -> list[str]:
    return [shown(interval(float(v), d)) for v, d in zip(values, drawn.T, strict=True)]


def shown(estimate: Estimate) -> str:
    """An estimate with its interval."""
    return f"{estimate.estimate:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


def page(both: Both, about: str) -> str:
    """Both tables."""
    names = [name for name in both.coins.statistics if name in both.one_by_one.statistics]
    found = {name: compared(both, name) for name in names}
    n = len(both.coins.plan.design.targets)
    plans = both.one_by_one.plan, both.coins.plan
    lines = ["# Algorithm 11's design and the default, side by side", ""]
    lines += [__doc__.split("\n\n", 1)[1].strip(), ""]
    lines += [
        f"{about} Algorithm 11: {plans[0].design.databases:,} fits; default: "
        f"{plans[1].design.databases:,}.",
        "",
        f"- Algorithm 11: {plans[0].design.neighbours}",
        f"- Default: {plans[1].design.neighbours}",
        "",
        f"## All {n} documents together",
        "",
        "| statistic | mean AUC, one by one | mean AUC, coins | mean difference | rank correlation "
        f"of AUCs | documents that differ (of {n}) |",
        "|---|---|---|---|---|---|",
    ]
    for name, (row, _) in found.items():
        cells = [shown(row[key]) for key in ("one_by_one", "coins", "difference", "correlation")]
        lines.append(f"| {name} | {' | '.join(cells)} | {row['apart']} |")
    lines += [
        "",
        f"Intervals are at {100 * LEVEL:g} %. A document *differs* if its two areas are more than "
        f"1.96 standard errors apart, which {0.05 * n:.1f} of {n} would be by chance.",
    ]
    strongest = max(names, key=lambda each: abs(found[each][0]["one_by_one"].estimate - 0.5))
    for name in dict.fromkeys([each for each in (THESIS, strongest) if each in found]):
        table = found[name][1].sort_values("D, one by one", ascending=False, kind="stable")
        lines += ["", f"## {name}, document by document", ""]
        lines += ["| document | " + " | ".join(table.columns) + " |", "|" + "---|" * 5]
        for number, each in table.iterrows():
            cells = [v if isinstance(v, str) else f"{v:.3f}" for v in each]
            lines.append(f"| {number} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"a folder with {ENRON}; the bundled sample if not given",
    )  # fmt: skip
    parser.add_argument("--topics", type=int, default=7)
    parser.add_argument("--size", type=int, default=800, help="documents in a database")
    parser.add_argument("--documents", type=int, default=50, help="documents in question")
    parser.add_argument("--an-arm", type=int, default=200, help="databases with each, and without")
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER",
        help="keep what was observed there; a run that was interrupted goes on from it",
    )  # fmt: skip
    parser.add_argument("--jobs", type=int, default=-1, metavar="N")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="for the page; printed if not given"
    )
    return parser


def main(words: Sequence[str] | None = None) -> None:
    """Run both, and write the page."""
    asked = options().parse_args(words)
    if asked.data is None:
        corpus, name = ch.sample_corpus(), "The bundled sample"
    else:
        file = asked.data / ENRON
        corpus, name = ch.read_corpus(file, text="text", id="id", keep_texts=False), "Enron's mail"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both = run_both(
            corpus, topics=asked.topics, size=asked.size, documents=asked.documents,
            an_arm=asked.an_arm, folder=asked.folder, n_jobs=asked.jobs,
        )  # fmt: skip
        about = (
            f"{name}, {len(corpus):,} documents; NMF with {asked.topics} topics, the totals of a "
            f"session between two parties; databases of {asked.size:,} documents."
        )
        text = page(both, about)
    if asked.output is None:
        print(text, end="")
    else:
        asked.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
