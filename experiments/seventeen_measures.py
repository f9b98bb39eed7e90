"""Which of LDA, NMF and k-means is best, by each of the thesis's seventeen measures?

Tables 1.4 to 1.6 of the thesis (section 1.5) on 20 Newsgroups, Reuters and NIPS: settings drawn at
random stand in for Hyperband, and the best trial of each algorithm counts for each measure.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import chatham as ch
from seventeen.documents import FILES, read_parts
from seventeen.report import page
from seventeen.search import Plan, search
from shared_options import add_seeds, seeds_of
from shared_spread import over_seeds

TIME = """\
With --most-topics 50 a seed takes 0.1 processor hours; without --data, with --most-topics 15 and
--trials 2, some seconds. The default of 200 topics hasn't been run: NMF with a positive penalty on
weights takes most of the time, which grows with the cube of the number of topics. An interrupted
run with --keep goes on where it was."""


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {', '.join(FILES.values())} are; the bundled sample alone if not given",
    )  # fmt: skip
    parser.add_argument("--trials", type=int, default=9, help="settings of each algorithm (9)")
    parser.add_argument(
        "--most-topics", type=int, default=200, metavar="K", help="k is 5, 10, … or K (200)"
    )
    parser.add_argument("--iterations", type=int, default=81, help="of each model (81)")
    parser.add_argument(
        "--loss", choices=("absolute", "relative"), default="absolute",
        help="of NMF and k-means: the thesis's, or the one that ch.fit has for text",
    )  # fmt: skip
    add_seeds(parser)
    parser.add_argument("--n-jobs", type=int, default=1, help="threads (1)")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE",
        help="a line of JSON for each trial; a run that was interrupted goes on from there",
    )  # fmt: skip
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="the page; printed if not given"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment and write its page."""
    parser = options()
    given = parser.parse_args(arguments)
    if given.trials < 1 or given.most_topics < 5:
        parser.error("--trials must be at least 1 and --most-topics at least 5")
    plan = Plan(
        given.trials, given.most_topics, given.iterations, given.loss, given.seed, given.n_jobs
    )
    pages = {}
    try:
        for seed in seeds_of(given):
            plan = replace(plan, seed=seed)
            corpora = read_parts(given.data, seed)
            pages[seed] = page(plan, corpora, search(plan, corpora, given.keep))
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = over_seeds(pages)
    if given.output is None:
        print(written, end="")
    else:
        given.output.write_text(written, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
