"""What does a party gain from learning together with others, rather than alone?

Section 3.3 of the thesis (Figures 3.7a, 3.7b and 3.8): by how much a party's error on what it holds
out is less with the common model, by the party's size, for topics, a recommender and low-rank
approximation; and the same for parties as they are, newsrooms and mailboxes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import chatham as ch
from chatham.plots.panels import save_figure
from inference_study.records import Records
from shared_options import add_places
from uplift_study.documents import FILES, NEWSROOMS, RATINGS, SAMPLE
from uplift_study.parties_report import parties_page
from uplift_study.picture import plot_parties, plot_sizes, plot_small
from uplift_study.plan import Plan
from uplift_study.rating_study import study_ratings
from uplift_study.report import page
from uplift_study.small import study_small
from uplift_study.study import Source, study

USUAL = Plan()
NUMBERS = {
    "topics": "of NMF",
    "relative": "of NMF with the relative loss",
    "ranks": "of the SVD",
    "natural_ranks": "of the SVD, for natural parties",
    "rating_topics": "of NMF of ratings",
}
TIME = """\
With --data it takes about half an hour on a core; a stopped run with --keep goes on where it
was. Without --data the bundled sample is all there is, and no ratings."""


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {', '.join((*FILES.values(), RATINGS))} are; the bundled sample if not given",
    )  # fmt: skip
    for name, what in NUMBERS.items():
        usual = getattr(USUAL, name)
        add(
            f"--{name.replace('_', '-')}", type=int, nargs="+", default=usual, metavar="K",
            help=f"{what} ({' '.join(map(str, usual))})",
        )  # fmt: skip
    add("--seeds", type=int, default=USUAL.seeds, help=f"({USUAL.seeds})")
    add("--rating-seeds", type=int, default=USUAL.rating_seeds, help=f"({USUAL.rating_seeds})")
    add("--n-jobs", type=int, default=1, help="threads (1)")
    add_places(parser, "uplift.md, uplift_parties.md and figures; pages are printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its pages and figures."""
    parser = options()
    given = parser.parse_args(arguments)
    numbers: dict[str, Any] = {name: tuple(getattr(given, name)) for name in NUMBERS}
    if min(*(k for each in numbers.values() for k in each), given.seeds, given.rating_seeds) < 1:
        parser.error("numbers of topics and of seeds must be at least 1")
    plan = replace(
        USUAL, **numbers, seeds=given.seeds, rating_seeds=given.rating_seeds, n_jobs=given.n_jobs
    )
    try:
        return run(plan, given.data, given.keep, given.output)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1


def run(plan: Plan, data: Path | None, keep: Path | None, output: Path | None) -> int:
    """Everything that is planned."""
    records = Records(keep)
    found = study(plan, data, records)
    rated = None if data is None else study_ratings(plan, data, records)
    small = study_small(plan, Source(data, SAMPLE if data is None else NEWSROOMS), records)
    pages = {
        "uplift.md": page(plan, found, rated),
        "uplift_parties.md": parties_page(plan, found, small),
    }
    if output is None:
        print("\n".join(pages.values()), end="")
        return 0
    output.mkdir(parents=True, exist_ok=True)
    for name, written in pages.items():
        (output / name).write_text(written, encoding="utf-8")
    save_figure(plot_sizes(found, [] if rated is None else rated.records), output / "uplift.png")
    save_figure(plot_parties(found), output / "uplift_parties.png")
    save_figure(plot_small(small), output / "uplift_small.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
