"""How many projections does rectification need, and what do more of them buy?

Anchor words after a fixed number of projections, and after as many as `tol` asks for; alone, and
refined by 20 sweeps. Every seed holds out other documents.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import chatham as ch
from chatham.learners.anchor.correlations import dirichlet_prior
from chatham.learners.anchor.refine import refine
from chatham.learners.anchor.spectral import Spectral, spectral_solution
from document_lengths import parts_of, shown
from inference_study.markdown import bold, listed, markdown
from inference_study.records import Record, Records
from refinement_study.documents import HELD_OUT, SAMPLE, Parts
from refinement_study.scores import own_scores
from shared_options import add_places

REAL = ("20 Newsgroups", "Reuters", "NIPS", "AP", "KOS")
FIXED = (5, 15, 50, 150)
TOLERANCES = (0.03,)
DOCUMENTS = 2500
"""Of a corpus at most: the first ones."""
MOST = 300
"""Of projections, where a tolerance ends them."""
SWEEPS, BETA = 20, 0.03
WAYS: dict[str, dict[str, Any]] = {
    **{str(most): {"max_iter": most, "tol": 0.0} for most in FIXED},
    **{f"tol={tol:g}": {"max_iter": MOST, "tol": tol} for tol in TOLERANCES},
}
MEASURES = {
    "completion": "completion", "npmi": "NPMI",
    "refined_completion": f"completion after {SWEEPS} sweeps",
    "refined_npmi": f"NPMI after {SWEEPS} sweeps",
    "shared": f"share of the anchors that {FIXED[-1]} projections find",
    "projections": "projections",
    "cpu": f"seconds of work, relative to {FIXED[1]} projections (without sweeps)",
}  # fmt: skip
LEAST_IS_BEST = ("projections", "cpu")


def cells(given: argparse.Namespace, kept: Records) -> Iterator[Record]:
    """All measures, for each seed, corpus, number of topics and way."""
    for seed in range(given.seeds):
        for name in given.corpora if given.data else [SAMPLE]:
            parts = None
            for k in given.topics:
                for way, settings in WAYS.items():
                    asked = {"corpus": name, "seed": seed, "k": k, "way": way,
                             "words": given.words}  # fmt: skip
                    if not kept.has(asked):
                        parts = parts or parts_of(name, given.data, given.words, seed, DOCUMENTS)
                        kept.add(asked, found(parts, k, settings))
                    yield kept.get(asked)


def found(parts: Parts, k: int, settings: dict[str, Any]) -> Record:
    """The scores of one spectral solution, alone and refined."""
    commons = ch.Alone(parts.train.counts)
    with commons.fitting():
        started = time.process_time()
        solution = solved(commons, ch.AnchorWords(k, **settings))
        cpu = time.process_time() - started
        better = refine(
            commons, solution.topics, solution.shares, solution.unigram, sweeps=SWEEPS, beta=BETA
        )
    alone = own_scores(solution.topics, dirichlet_prior(solution.correlations), parts, 1)
    refined = own_scores(better.topics, better.alpha, parts, 1)
    return {
        "completion": round(alone["completion"], 5), "npmi": round(alone["npmi"], 5),
        "refined_completion": round(refined["completion"], 5),
        "refined_npmi": round(refined["npmi"], 5),
        "anchors": sorted(int(group[0]) for group in solution.anchors),
        "projections": len(solution.changes) + 1, "seconds": round(cpu, 3),
    }  # fmt: skip


def solved(commons: ch.Alone, learner: ch.AnchorWords) -> Spectral:
    """What `AnchorWords` begins with."""
    return spectral_solution(
        commons, learner, [], single=False, seed=0, report=lambda number, value: None
    )


def compared(records: Sequence[Record]) -> list[Record]:
    """The records with what they are beside others of the same corpus, topics and seed."""
    of = {(r["corpus"], r["k"], r["seed"], r["way"]): r for r in records}
    complete = []
    for r in records:
        last, usual = (of[r["corpus"], r["k"], r["seed"], str(n)] for n in (FIXED[-1], FIXED[1]))
        shared = len(set(r["anchors"]) & set(last["anchors"])) / r["k"]
        complete.append(r | {"shared": shared, "cpu": r["seconds"] / max(usual["seconds"], 1e-3)})
    return complete


def table(records: Sequence[Record], measure: str) -> str:
    """A row for each corpus, a column for each way; the best mean in bold."""
    rows = []
    for name, k in dict.fromkeys((r["corpus"], r["k"]) for r in records):
        values = {
            way: [r[measure] for r in records if (r["corpus"], r["k"], r["way"]) == (name, k, way)]
            for way in WAYS
        }
        means = [mean(each) for each in values.values()]
        best = min(means) if measure in LEAST_IS_BEST else max(means)
        row = [bold(shown(each), mean(each) == best) for each in values.values()]
        rows.append([f"{name}, K = {k}", *row])
    overall = [[r[measure] for r in records if r["way"] == way] for way in WAYS]
    rows.append(["all", *(f"{mean(each):.3f}".replace("-", "−") for each in overall)])
    return markdown(["corpus", *WAYS], rows)


def page(given: argparse.Namespace, records: Sequence[Record]) -> str:
    """The page."""
    parts = [
        "# How many projections rectification needs",
        "Written by `projections.py`; what we make of it is in "
        "[docs/anchors.md](../../docs/anchors.md).",
        listed([
            f"Each cell: the mean over {given.seeds} seeds (least to most), each with other "
            f"{HELD_OUT:.0%} of the documents held out; at most {given.words:,} words and "
            f"{DOCUMENTS:,} documents.",
            "Columns: a fixed number of projections, or as many as the tolerance asks for (at most "
            f"{MOST}): the largest ℓ1 distance that an anchor's row would move by in as many "
            "projections again.",
            "Completion is the log-probability of an unseen token with the model's own α.",
        ]),
    ]  # fmt: skip
    for measure, called in MEASURES.items():
        parts += [f"## {called[0].upper()}{called[1:]}", table(records, measure)]
    return "\n\n".join(parts) + "\n"


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="FOLDER",
                        help="where the corpora are; the bundled sample if not given")  # fmt: skip
    parser.add_argument("--corpora", nargs="+", choices=REAL, default=list(REAL))
    parser.add_argument("--topics", type=int, nargs="+", default=[20], metavar="K")
    parser.add_argument("--words", type=int, default=1000, help="of a corpus at most (1000)")
    parser.add_argument("--seeds", type=int, default=3)
    add_places(parser, "the page, which is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment and write its page."""
    given = options().parse_args(arguments)
    try:
        with warnings.catch_warnings(action="ignore"):
            records = compared(list(cells(given, Records(given.keep))))
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(given, records)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "projections.md").write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
