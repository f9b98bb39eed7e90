"""Do a few sweeps over the documents from the spectral start do what Gibbs sampling does?

Arora et al. (2013, section 6) looked for such a hybrid and found none. Here anchor words are
refined by 5 to 40 sweeps and held against Gibbs sampling from random and from spectral starts, all
scored alike on documents that nobody has seen; then limits for anchors, priors and other updates.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import chatham as ch
from chatham.plots.panels import save_figure
from inference_study.records import Record, Records
from refinement_study.documents import SAMPLE, SOURCES, read
from refinement_study.peers import has_tomotopy
from refinement_study.pictures import plot_refinement
from refinement_study.planted import Planting, run_planted
from refinement_study.report import page
from refinement_study.starts import AUTO
from refinement_study.study import run, warm_up
from refinement_study.ways import (
    BETAS,
    CONTROL,
    FROM_START,
    GIBBS,
    PARTS,
    PEER_SWEEPS,
    SWEEPS,
    Usual,
)
from shared_options import add_seeds, seeds_of
from shared_spread import over_seeds

ONLY_ON = {
    "updates": ("NIPS", "20 Newsgroups", "Reuters"),
    "peer": ("NIPS", "20 Newsgroups"),
    "chains": ("NIPS", "BBC", "AP", "KOS", "Blog", "Reuters"),
}
"""Other updates on one corpus of long documents and two of short ones; a peer on two; and chance
where Gibbs sampling is quick."""
TIME = "An interrupted run with --keep goes on where it was."


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {', '.join(source.file for source in SOURCES.values())} are; the bundled "
        "sample alone if not given",
    )  # fmt: skip
    parser.add_argument("--corpora", nargs="+", choices=SOURCES, default=list(SOURCES))
    parser.add_argument("--parts", nargs="+", choices=(*PARTS, "planted"), metavar="PART",
                        default=[*PARTS, "planted"],
                        help=f"of the study: {', '.join(PARTS)}, planted (all)")  # fmt: skip
    parser.add_argument("--topics", type=int, nargs="+", default=[50], metavar="K")
    parser.add_argument("--least", type=_share, default=AUTO, help="min_anchor_df (auto)")
    parser.add_argument("--beta", type=float, default=BETAS[1])
    parser.add_argument("--sweeps", type=int, nargs="+", default=SWEEPS, help="of refinement")
    parser.add_argument("--gibbs", type=int, nargs="+", default=GIBBS, help="from random starts")
    parser.add_argument("--from-start", type=int, nargs="+", default=FROM_START)
    parser.add_argument("--peer-sweeps", type=int, default=PEER_SWEEPS)
    parser.add_argument("--control", type=int, nargs="+", default=CONTROL,
                        help="sweeps of refinement from a random start")  # fmt: skip
    parser.add_argument("--planted", type=int, nargs=4, default=(20, 2000, 5000, 100),
                        metavar=("K", "D", "DOCUMENTS", "LENGTH"))  # fmt: skip
    parser.add_argument("--planted-seeds", type=int, default=4, help="planted corpora (4)")
    add_seeds(parser)
    parser.add_argument("--n-jobs", type=int, default=1, help="threads (1)")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE",
        help="a line of JSON for each model; a run that was interrupted goes on from there",
    )  # fmt: skip
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", default=Path(__file__).parent / "results",
        help="where the page and the figure go (results)",
    )  # fmt: skip
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study, and write its page and its figure."""
    given = options().parse_args(arguments)
    usual = Usual(
        given.least,
        given.beta,
        given.sweeps,
        given.gibbs,
        given.from_start,
        given.peer_sweeps,
        given.control,
    )
    try:
        found, planted = _found(given, usual)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    given.output.mkdir(parents=True, exist_ok=True)
    pages = {seed: page(usual, records, planted) for seed, records in found.items()}
    (given.output / "refinement.md").write_text(over_seeds(pages), encoding="utf-8")
    if {"sweeps", "gibbs"} <= set(given.parts):
        figure = plot_refinement(usual, found[given.seed])
        save_figure(figure, given.output / "refinement.png")
    return 0


def _found(given: argparse.Namespace, usual: Usual) -> tuple[dict[int, list[Record]], list[Record]]:
    """Of real corpora by seed, each with a split of its own; and of planted ones."""
    warm_up(given.n_jobs)
    kept = Records(given.keep)
    found: dict[int, list[Record]] = {seed: [] for seed in seeds_of(given)}
    for seed, records in found.items():
        for parts in read(given.data, given.corpora, seed):
            wanted = [part for part in given.parts if _suits(part, parts.name)]
            for k in given.topics:
                records += run(parts, k, wanted, usual, kept, seed=seed, n_jobs=given.n_jobs)
    planted: list[Record] = []
    if "planted" in given.parts:
        planting = Planting(*given.planted)
        planted = run_planted(planting, range(given.planted_seeds), usual, kept, given.n_jobs)
    return found, planted


def _suits(part: str, corpus: str) -> bool:
    if part == "peer" and not has_tomotopy():
        return False
    return part in PARTS and corpus in (*ONLY_ON.get(part, SOURCES), SAMPLE)


def _share(text: str) -> float | str:
    return text if text == AUTO else float(text)


if __name__ == "__main__":
    sys.exit(main())
