"""From which topics should NMF begin: random ones, singular vectors, or everybody's own?

Figures 2.4 and 2.5 of Tsikhanovich's thesis: `random`, `random_2x`, nndsvd through PD-SVD and
PD-NMF-Init, on 20 Newsgroups, Enron and MovieLens-1M with 5 and 50 topics between nine parties; and
between three, 27 and the natural ones, and against rounds and bytes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import chatham as ch
from chatham.plots.panels import save_figure
from initialisations_study.documents import FILES, read_sources
from initialisations_study.picture import plot_costs, plot_iterations
from initialisations_study.report import page
from initialisations_study.study import Effort, Plan, study
from shared_options import add_places

TIME = """\
With --data it takes about an hour on a core, half of it for 50 topics of films; an interrupted
run with --keep goes on where it was."""


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = Plan()
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {', '.join(FILES.values())} are; the bundled sample alone if not given",
    )  # fmt: skip
    for name, what in (
        ("topics", "numbers of topics"),
        ("trials", "for each of these"),
        ("others", "trials of what chance hardly matters to"),
    ):
        numbers = [getattr(effort, name) for effort in usual.efforts]
        parser.add_argument(
            f"--{name}", type=int, nargs="+", default=numbers, metavar="N",
            help=f"{what} ({' '.join(map(str, numbers))})",
        )  # fmt: skip
    parser.add_argument(
        "--iterations", type=int, default=usual.iterations, help=f"({usual.iterations})"
    )
    parser.add_argument("--seed", type=int, default=usual.seed)
    add_places(parser, "initialisations.md and its two figures; the page is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figures."""
    parser = options()
    given = parser.parse_args(arguments)
    numbers = given.topics, given.trials, given.others
    if len(set(map(len, numbers))) > 1 or min(map(min, numbers)) < 1 or given.iterations < 1:
        parser.error("--topics, --trials and --others go together, and all are at least 1")
    efforts = tuple(Effort(*each) for each in zip(*numbers, strict=True))
    plan = Plan(efforts, given.iterations, seed=given.seed)
    try:
        cases = study(plan, read_sources(given.data), given.keep)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(plan, cases)
    if given.output is None:
        print(written, end="")
        return 0
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "initialisations.md").write_text(written, encoding="utf-8")
    save_figure(plot_iterations(cases), given.output / "initialisations.png")
    save_figure(plot_costs(cases), given.output / "initialisations_cost.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
