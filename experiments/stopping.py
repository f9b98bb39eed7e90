"""How long should a fit go on? Long fits of NMF, PLSA and k-means, watched on the way.

Each is fitted as `ch.fit` sets it up, but without a tolerance, and the topics that cross are
remembered; so one fit shows what every earlier stop would have left undone: how far its topics are
from the last ones, how much of the objective is missing, and whether anybody would see a difference
(NPMI of the ten words shown; completion of documents that nobody has seen).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from inference_study.records import Records
from refinement_study.documents import SAMPLE, read
from stopping_study.pace import NOTE, clock_of, with_seconds
from stopping_study.report import page
from stopping_study.trajectories import watch

CORPORA = ("20 Newsgroups", "Reuters", "NIPS", "AP", "ACL")
LEARNERS = ("kmeans", "nmf", "plsa")


def options() -> argparse.ArgumentParser:
    """What can be said on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, metavar="FOLDER", help="where the corpora are; the sample if not given"
    )
    parser.add_argument("--corpora", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    parser.add_argument("--topics", type=int, default=20, metavar="K")
    parser.add_argument("--most", type=int, default=600, help="iterations of the long fits")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--keep", type=Path, metavar="FILE", help="a line of JSON for each fit")
    parser.add_argument(
        "--as-is", action="store_true", help="only write the page of what is kept so far"
    )
    parser.add_argument(
        "--time", type=Path, metavar="PAGE",
        help="add seconds to this page, by the pace of the first --most iterations",
    )  # fmt: skip
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the page goes")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Watch what isn't kept yet, and write the page."""
    chosen = options().parse_args(arguments)
    names = chosen.corpora if chosen.data else [SAMPLE]
    text = _timed(chosen, names) if chosen.time else _watched(chosen, names)
    if chosen.output is None:
        sys.stdout.write(text)
    else:
        chosen.output.write_text(text, encoding="utf-8")


def _timed(chosen: argparse.Namespace, names: Sequence[str]) -> str:
    """The page that was given, with seconds."""
    seed = chosen.seeds[0]
    clocks = {
        (parts.name, learner): clock_of(parts, learner, chosen.topics, chosen.most, seed)
        for parts in read(chosen.data, list(names), seed)
        for learner in chosen.learners
    }
    note = NOTE.format(most=chosen.most, seed=seed)
    return with_seconds(chosen.time.read_text(encoding="utf-8"), clocks, note)


def _watched(chosen: argparse.Namespace, names: Sequence[str]) -> str:
    """The page of all fits, those that are kept and those that are watched now."""
    records, asked = Records(chosen.keep), []
    for seed in chosen.seeds:
        for name in names:
            cells = [
                {"corpus": name, "learner": learner, "seed": seed, "k": chosen.topics,
                 "most": chosen.most}
                for learner in chosen.learners
            ]  # fmt: skip
            asked += cells
            missing = [cell for cell in cells if not records.has(cell)]
            if not missing or chosen.as_is:
                continue
            for parts in read(chosen.data, [name], seed):
                for cell in missing:
                    found = watch(parts, cell["learner"], cell["k"], cell["most"], seed)
                    records.add(cell, found)
    return page([records.get(cell) for cell in asked if records.has(cell)])


if __name__ == "__main__":
    main()
