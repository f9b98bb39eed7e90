"""What does rectifying the co-occurrence of words do for anchor words?

Lee (2018): lists of words of NIPS and of films with and without it (Tables 2.2 and 3.1, appendix
A.4), and ten measures against the number of topics (Figures 2.5, 3.2 and A.1).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import chatham as ch
from chatham.plots.panels import save_figure
from rectification_study.documents import FILES, FILMS, MOVIES, read_corpora, read_films
from rectification_study.films import Films
from rectification_study.films_page import films_page
from rectification_study.picture import plot_measures
from rectification_study.plan import Plan
from rectification_study.report import measures_page, slug, words_page
from rectification_study.study import Record, study
from shared_options import add_seeds, seeds_of
from shared_spread import over_seeds

USUAL = Plan()
TIME = """\
With --data the first seed takes about half an hour on a core; the others less, since only Gibbs and
diagonal completion depend on it. Without --data, with --words 300 --topics 3 5, some seconds. An
interrupted run with --keep goes on where it was."""


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--data",
        type=Path,
        metavar="FOLDER",
        help=f"where {', '.join((*FILES.values(), FILMS))} are; the bundled sample if not given",
    )
    add("--words", type=int, default=5000, help="of each text corpus at most (5000)")
    add("--topics", type=int, nargs="+", default=USUAL.topics, metavar="K")
    add(
        "--gibbs-topics",
        type=int,
        nargs="+",
        default=USUAL.gibbs_topics,
        metavar="K",
        help="those of them that Gibbs is run for",
    )
    add("--projections", type=int, default=USUAL.projections, help="of AP, at most (150)")
    add("--tol", type=float, default=USUAL.tol, help="relative change that ends AP (1e-4)")
    add("--runs", type=int, default=USUAL.runs, help="of diagonal completion (10)")
    add("--sweeps", type=int, default=USUAL.sweeps, help="of Gibbs (300)")
    add(
        "--most-draws",
        type=float,
        default=USUAL.most_draws,
        help="sweeps × tokens; of a larger corpus there are fewer sweeps (1e9)",
    )
    add(
        "--anchor-df",
        type=int,
        default=USUAL.anchor_df,
        help="documents that an anchor must be in (4)",
    )
    add_seeds(parser)
    add("--n-jobs", type=int, default=USUAL.n_jobs, help="threads (1)")
    add(
        "--keep",
        type=Path,
        metavar="FILE",
        help="a line of JSON for each model; a run that was interrupted goes on from there",
    )
    add(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="for pages and figures; without it the pages are printed, and nothing is drawn",
    )
    return parser  # fmt: skip


def plan_of(given: argparse.Namespace) -> Plan:
    """The plan that was asked for."""
    return Plan(
        tuple(given.topics), tuple(given.gibbs_topics), given.projections, given.tol, given.runs,
        given.sweeps, given.most_draws, given.anchor_df, given.seed, given.n_jobs,
    )  # fmt: skip


def pages_of(
    plan: Plan,
    corpora: Mapping[str, ch.Corpus],
    found: Mapping[int, Sequence[Record]],
    data: Path | None,
) -> dict[str, str]:
    """The pages by the names of their files: numbers over seeds, lists of the first of them."""
    plans = {seed: replace(plan, seed=seed) for seed in found}
    listed, first = found[plan.seed], next(iter(corpora))
    pages = {
        "rectification_words.md": {
            seed: words_page(plans[seed], records, listed, first) for seed, records in found.items()
        },
        "rectification_measures.md": {
            seed: measures_page(plans[seed], records) for seed, records in found.items()
        },
    }
    if data is not None:
        films = Films(corpora[MOVIES], read_films(data))
        pages["rectification_films.md"] = {
            seed: films_page(plans[seed], records, listed, films) for seed, records in found.items()
        }
    return {name: over_seeds(of_seeds) for name, of_seeds in pages.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment and write what it found."""
    parser = options()
    given = parser.parse_args(arguments)
    if min(given.topics) < 2 or min(given.runs, given.sweeps, given.projections, given.words) < 1:
        parser.error("--topics must be at least 2; --runs, --sweeps and the like at least 1")
    plan = plan_of(given)
    try:
        corpora = read_corpora(given.data, given.words)
        found = {
            seed: study(replace(plan, seed=seed), corpora, given.keep) for seed in seeds_of(given)
        }
        pages = pages_of(plan, corpora, found, given.data)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    if given.output is None:
        print("\n".join(pages.values()), end="")
        return 0
    given.output.mkdir(parents=True, exist_ok=True)
    for name, page in pages.items():
        (given.output / name).write_text(page, encoding="utf-8")
    for corpus in corpora:
        figure = plot_measures(found[plan.seed], corpus, plan.anchor_df)
        save_figure(figure, given.output / f"rectification_{slug(corpus)}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
