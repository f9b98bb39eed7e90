"""Are the corners of a low-dimensional hull better anchors than greedy ones?

Figures 1.4 to 1.9 and Table 1.2 of Lee's thesis (section 1.4): words embedded in three dimensions
by t-SNE or principal components, the corners of their hull as anchors, against FastAnchorWords on
a sparse random projection; topics are recovered in the same way from all of them. Words are rows
of p(other word | word), and once more rows of the joint probabilities.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import chatham as ch
from chatham.plots.panels import save_figure
from hulls_study.documents import SOURCES, read_parts
from hulls_study.picture import plot_measures
from hulls_study.report import page
from hulls_study.study import FEWEST_TOPICS, Plan, study
from shared_options import add_places, add_seeds, seeds_of
from shared_spread import over_seeds

TIME = """\
With --data and one start of t-SNE a seed takes about half an hour on a core, most for t-SNE and
for the likelihood; an interrupted run with --keep goes on where it was."""


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
    usual = Plan().topics
    parser.add_argument(
        "--topics", type=int, nargs="+", default=usual, metavar="K",
        help=f"numbers of topics, as far as a hull has corners ({' '.join(map(str, usual))})",
    )  # fmt: skip
    parser.add_argument("--starts", type=int, default=1, help="random starts of t-SNE (1)")
    add_seeds(parser)
    parser.add_argument("--n-jobs", type=int, default=1, help="threads (1)")
    add_places(parser, "hulls.md and hulls.png; the page is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    parser = options()
    given = parser.parse_args(arguments)
    topics = tuple(sorted(set(given.topics)))
    if topics[0] < FEWEST_TOPICS or given.starts < 1:
        parser.error(f"--topics must be at least {FEWEST_TOPICS} and --starts at least 1")
    pages, first = {}, None
    try:
        for seed in seeds_of(given):
            plan = Plan(topics, given.starts, seed, given.n_jobs)
            corpora = read_parts(given.data, seed)
            found = study(plan, corpora, given.keep)
            pages[seed] = page(plan, corpora, found)
            first = found if first is None else first
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = over_seeds(pages)
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "hulls.md").write_text(written, encoding="utf-8")
        save_figure(plot_measures(first), given.output / "hulls.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
