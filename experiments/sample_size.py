"""How near are topics to the true ones, by the number of documents?

Figures 2 to 4 of Arora et al. (2013): documents drawn from topics that were fitted to real ones, as
they are, with an anchor added to each, and with correlated topics; ℓ1 error of the three Recover
algorithms, of rectified anchor words, of those refined, and of Gibbs sampling.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import chatham as ch
from chatham.plots.panels import save_figure
from sample_size_study.picture import plot_errors
from sample_size_study.report import page
from sample_size_study.study import Plan, study
from sample_size_study.truth import FILE
from shared_options import add_places, add_seeds, seeds_of
from shared_spread import over_seeds

TIME = """\
With --data a seed takes about an hour on a core, most for RecoverKL and Gibbs; a stopped run with
--keep goes on where it was."""


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = Plan()
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help=f"where {FILE} is; topics are fitted to the bundled sample if not given",
    )  # fmt: skip
    parser.add_argument("--words", type=int, default=usual.words, help=f"({usual.words})")
    parser.add_argument("--topics", type=int, default=usual.topics, help=f"({usual.topics})")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=usual.sizes, metavar="N",
        help=f"numbers of documents ({' '.join(map(str, usual.sizes))})",
    )  # fmt: skip
    parser.add_argument(
        "--kl-sizes", type=int, nargs="*", default=usual.kl_sizes, metavar="N",
        help=f"those at which RecoverKL is tried ({' '.join(map(str, usual.kl_sizes))})",
    )  # fmt: skip
    parser.add_argument(
        "--gibbs-tokens", type=int, default=usual.gibbs_tokens, metavar="N",
        help=f"the most tokens that are sampled ({usual.gibbs_tokens})",
    )  # fmt: skip
    add_seeds(parser)
    parser.add_argument("--n-jobs", type=int, default=1, help="threads (1)")
    add_places(parser, "sample_size.md and sample_size.png; the page is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figure."""
    parser = options()
    given = parser.parse_args(arguments)
    if given.topics < 2 or min(given.sizes) < 1:
        parser.error("--topics must be at least 2 and --sizes at least 1")
    plan = Plan(
        given.words, given.topics, tuple(sorted(set(given.sizes))), tuple(given.kl_sizes),
        given.gibbs_tokens, given.seed, given.n_jobs,
    )  # fmt: skip
    plans = [replace(plan, seed=seed) for seed in seeds_of(given)]
    try:
        found = [study(plan, given.data, given.keep) for plan in plans]
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = over_seeds(
        {plan.seed: page(plan, of_one) for plan, of_one in zip(plans, found, strict=True)}
    )
    if given.output is None:
        print(written, end="")
    else:
        (given.output / "sample_size.md").write_text(written, encoding="utf-8")
        save_figure(plot_errors(found[0], plan.sizes), given.output / "sample_size.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
