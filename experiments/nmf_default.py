"""Which of NMF's settings suit text, so that `ch.fit` sets them?

On the simplex one topic takes most documents. Why, and what helps: other constraints, the thesis's
penalties, counts, a background topic; by main topics against labels, coherence and completion.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import chatham as ch
from inference_study.records import Record, Records
from nmf_default_study.corpora import SAMPLE, SOURCES, parts_of, read
from nmf_default_study.diagnosis import diagnose
from nmf_default_study.report import page
from nmf_default_study.study import run
from nmf_default_study.ways import AS_BEFORE, EVEN, FREE, MAIN, OTHERS, TOGETHER
from shared_options import add_places

TIME = "With --data it takes about an hour on a core; an interrupted run with --keep goes on."
DIAGNOSED = ("20 Newsgroups", "Reuters", SAMPLE)
LABELLED = ("BBC", "Reuters", "20 Newsgroups", SAMPLE)
"""Where all settings are tried; the main ones, and those between parties, on all corpora."""
COMPARED = tuple(way for way in MAIN if way.name in (AS_BEFORE, FREE))
ALL_PARTS = {"main": MAIN, "even": EVEN, "others": OTHERS, "together": TOGETHER}
PARTS = {**ALL_PARTS, "compared": COMPARED}


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
    parser.add_argument("--parts", nargs="+", choices=("diagnosis", *PARTS), metavar="PART",
                        default=["diagnosis", *ALL_PARTS],
                        help=f"of the study: diagnosis, {', '.join(PARTS)} (all; compared is the "
                        "first two of main)")  # fmt: skip
    parser.add_argument("--topics", type=int, nargs="+", default=[20, 50], metavar="K",
                        help="the first with all settings, others with two (20 50)")  # fmt: skip
    parser.add_argument("--seeds", type=int, default=3, help="each with a split of its own (3)")
    parser.add_argument(
        "--only-kept",
        action="store_true",
        help="write the page of what --keep has, and fit nothing",
    )
    add_places(parser, "nmf_default.md, or nmf_default_K.md without 20 topics; it is printed")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment, and write its page."""
    given = options().parse_args(arguments)
    try:
        records, diagnoses = _kept(given.keep) if given.only_kept else _found(given)
    except ch.ChathamError as error:
        print(error, file=sys.stderr)
        return 1
    written = page(records, diagnoses)
    if given.output is None:
        print(written, end="")
        return 0
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / _file(given.topics)).write_text(written, encoding="utf-8")
    return 0


def _file(topics: Sequence[int]) -> str:
    return "nmf_default.md" if 20 in topics else f"nmf_default_{topics[0]}.md"


def _kept(keep: Path | None) -> tuple[list[Record], list[Record]]:
    """What was found so far, in the order in which it is shown."""
    if keep is None or not keep.exists():
        raise ch.InputError("There is nothing to write a page of; give --keep a file of results.")
    lines = map(json.loads, keep.read_text(encoding="utf-8").splitlines())
    found = [{**line["asked"], **line["found"]} for line in lines]
    names = [*SOURCES, SAMPLE]
    records = [record for record in found if "way" in record]
    records.sort(key=lambda record: (record["k"], names.index(record["corpus"]), record["seed"]))
    return records, [record for record in found if "diagnosis" in record]


def _found(given: argparse.Namespace) -> tuple[list[Record], list[Record]]:
    kept, seeds = Records(given.keep), range(given.seeds)
    corpora, first = dict(read(given.data, given.corpora)), given.topics[0]
    diagnoses = [
        record
        for name, corpus in corpora.items()
        for seed in seeds
        if "diagnosis" in given.parts and name in DIAGNOSED
        for record in diagnose(parts_of(name, corpus, seed), first, seed, kept)
    ]
    records: list[Record] = []
    for part, ways in PARTS.items():
        for name, corpus in corpora.items():
            if part in given.parts and (part != "others" or name in LABELLED):
                records += run(name, corpus, first, seeds, ways, kept)
    for k in given.topics[1:] if "main" in given.parts else []:
        for name, corpus in corpora.items():
            records += run(name, corpus, k, seeds, COMPARED, kept)
    return records, diagnoses


if __name__ == "__main__":
    sys.exit(main())
