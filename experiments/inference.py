"""Which way from topics to documents' weights is best: PADD, SPI, TLI, or a posterior mean?

Lee (2018), Figs. 4.3 and 4.4 and Table 4.1: semi-synthetic, semi-real and fully-real documents; and
beyond the source, completion and labels of real documents, which is what a default depends on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import chatham as ch
from chatham.plots.panels import save_figure
from inference_study.cases import Plan
from inference_study.documents import FILES, MODELLED, read
from inference_study.pictures import plot_completion, plot_measures
from inference_study.real import run_real
from inference_study.real_report import real_page
from inference_study.records import Records
from inference_study.report import page
from inference_study.scores import MEASURES, PRIOR
from inference_study.study import run
from inference_study.ways import Chain
from shared_options import add_seeds, seeds_of
from shared_spread import over_seeds

SIZES = (5, 10, 25, 50)
REAL_SIZES = (20, 50)
DRAWN = [name for name in MEASURES if name != "non_support"]
PARTS = ("real", "documents")
FIGURES = {
    "SS": ("inference_ss.png", DRAWN),
    "SR": ("inference_sr.png", DRAWN),
    "FR, unseen": ("inference_fr.png", [*DRAWN[:-1], "non_support", PRIOR]),
}


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {', '.join(FILES.values())} are; the bundled sample alone if not given",
    )  # fmt: skip
    parser.add_argument(
        "--topics", type=int, nargs="+", default=SIZES, metavar="K",
        help="5 10 25 50 if not given; the source goes to 100",
    )  # fmt: skip
    parser.add_argument(
        "--real-topics", type=int, nargs="+", default=REAL_SIZES, metavar="K",
        help="where documents are completed (20 50)",
    )  # fmt: skip
    parser.add_argument(
        "--parts", nargs="+", choices=PARTS, default=PARTS,
        help="real documents, those whose weights are known, or both (both)",
    )  # fmt: skip
    parser.add_argument("--documents", type=int, default=1000, help="drawn for each K (1000)")
    parser.add_argument("--real", type=int, default=400, help="training documents of FR (400)")
    parser.add_argument("--words", type=int, default=3000, help="of each corpus at most (3000)")
    parser.add_argument(
        "--sweeps", type=int, nargs=2, default=(50, 250), metavar=("BURN_IN", "KEPT"),
        help="of Gibbs where it is the truth (50 250); the source has 200 1000",
    )  # fmt: skip
    add_seeds(parser)
    parser.add_argument("--n-jobs", type=int, default=1, help="threads (1)")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE",
        help="a line of JSON for each result; a run that was interrupted goes on from there",
    )  # fmt: skip
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", default=Path(__file__).parent / "results",
        help="where pages and figures go (results)",
    )  # fmt: skip
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both parts, and write their pages and figures."""
    given = options().parse_args(arguments)
    plan = Plan(
        given.documents, given.real, long=Chain(*given.sweeps), seed=given.seed, n_jobs=given.n_jobs
    )
    try:
        _run(given, plan)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _run(given: argparse.Namespace, plan: Plan) -> None:
    records, folder = Records(given.keep), given.output
    folder.mkdir(parents=True, exist_ok=True)
    plans = {seed: replace(plan, seed=seed) for seed in seeds_of(given)}
    if "real" in given.parts:
        real = read(given.data, FILES, given.words)
        found = {s: run_real(real, given.real_topics, p, records) for s, p in plans.items()}
        pages = {seed: real_page(plans[seed], real, of_one) for seed, of_one in found.items()}
        _write(folder / "inference_default.md", over_seeds(pages))
        save_figure(plot_completion(found[given.seed]), folder / "inference_default.png")
    if "documents" in given.parts:
        corpora = read(given.data, MODELLED, given.words)
        found = {s: run(corpora, given.topics, p, records) for s, p in plans.items()}
        pages = {seed: page(plans[seed], corpora, of_one) for seed, of_one in found.items()}
        _write(folder / "inference_documents.md", over_seeds(pages))
        for case, (file, measures) in FIGURES.items():
            save_figure(plot_measures(found[given.seed], case, measures), folder / file)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
