"""How good are ensembles of topic models, and how quick? Figures 6 to 8 of Shen et al. (2010).

Documents are dealt to parties at random; each fits PLSA or LDA to its own, and their topics, as
pseudo-documents, are merged (PLSA-E; LDA-E with and without rescaled counts). Beside them a model
of all documents: perplexity and the processor's time against the number of topics and of parties,
and how well topics tell classes apart, pair by pair, beside a bag of words.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import chatham as ch
from chatham.plots.panels import save_figure
from ensembles_study.corpora import FOLDS, SOURCES, USUAL
from ensembles_study.pictures import plot_classes, plot_scores
from ensembles_study.report import page
from ensembles_study.study import Plan, run
from inference_study.records import Records
from shared_options import add_places, at_least_one

TIME = "With --data it takes about a minute and a half of a processor for each fold."


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=TIME, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    files = ", ".join(source.file for source in SOURCES.values())
    add("--data", type=Path, metavar="FOLDER", help=f"where {files} are; the sample if not given")
    add("--corpora", nargs="+", choices=SOURCES, default=list(USUAL),
        help=f"of {', '.join(SOURCES)} ({', '.join(USUAL)})")  # fmt: skip
    for name, usual, what in (
        ("words", 2000, "those with the highest information gain"),
        ("documents", 2000, "of each corpus, drawn at random"),
        ("parties", 5, "with every number of topics"),
        ("at", 120, "so many topics for what follows"),
    ):
        add(f"--{name}", type=at_least_one, default=usual, metavar="N", help=f"{what} ({usual})")
    add("--topics", type=at_least_one, nargs="+", default=[60, 120, 180, 240], metavar="T")
    add("--more", type=at_least_one, nargs="*", default=[10], metavar="C",
        help="other numbers of parties (10)")  # fmt: skip
    add("--sizes", type=at_least_one, nargs="*", default=[8000, 16000], metavar="N",
        help="other numbers of documents, of 20 Newsgroups (8000 16000)")  # fmt: skip
    add("--folds", type=int, choices=range(1, FOLDS + 1), default=3,
        help=f"of {FOLDS}, each tested once (3)")  # fmt: skip
    add("--as-is", action="store_true", help="only write the page of what --keep has so far")
    add_places(parser, "ensembles.md and two figures; the page is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page and figures."""
    given = options().parse_args(arguments)
    plan = Plan(
        given.words, given.documents, tuple(given.topics), given.parties, tuple(given.more),
        given.at, tuple(given.sizes),
    )  # fmt: skip
    try:
        found = run(
            given.data, given.corpora, plan, given.folds, Records(given.keep), as_is=given.as_is
        )
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(found, plan)
    if given.output is None:
        print(written, end="")
        return 0
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / "ensembles.md").write_text(written, encoding="utf-8")
    save_figure(plot_scores(found, plan), given.output / "ensembles.png")
    save_figure(plot_classes(found, plan), given.output / "ensembles_classes.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
