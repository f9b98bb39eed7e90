"""`chatham bench`: side by side with the peers that are installed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chatham.cli.options import Json, Quiet

DEFAULT_DATA = Path("../shared/data")


def bench(
    only: Annotated[
        str,
        typer.Option("--only", metavar="NAMES", help="Which contests; all if not given."),
    ] = "nmf,plsa,lda,fits,coherence,left-to-right,anchors,inference,planted",
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="FOLDER",
            help="The folder with 20newsgroups_clean.parquet and nips12_bow.npz; ../shared/data "
            "if it is there, and the bundled sample otherwise.",
        ),
    ] = None,
    tries: Annotated[
        int, typer.Option("--tries", min=1, metavar="N", help="The best of this many counts.")
    ] = 3,
    topics: Annotated[
        list[int] | None,
        typer.Option(
            "-k", "--topics", min=1, metavar="K", help="Other numbers of topics; may be repeated."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the page to this file too."),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Measure speed and quality against the peers that are installed.

    scikit-learn is always there; tomotopy and gensim come with the extra 'bench', and anchor-topic
    takes part where it is installed. Contenders take turns in one run, the best try of each counts,
    and quality is shown beside every time.

    \b
    Examples:
      chatham bench
      chatham bench --only nmf,plsa --tries 1 -o results.md
    """
    from dataclasses import asdict

    from chatham.bench.corpora import corpora
    from chatham.bench.report import as_markdown, machine
    from chatham.bench.run import CONTESTS, run
    from chatham.cli.output import print_json
    from chatham.cli.parse import as_choices
    from chatham.cli.places import check_file, unwritable
    from chatham.cli.progress import progress
    from chatham.learners.base import listening

    folder = data or (DEFAULT_DATA if DEFAULT_DATA.is_dir() else None)
    names = as_choices(only, CONTESTS, "--only")
    check_file(output)
    with progress(quiet or as_json) as shown:
        shown.stage("Reading the corpora")
        found = corpora(folder)
        with listening(None):  # what a contender is doing is not ours to show
            results = run(found, names, tries, topics, shown.stage)
    page = as_markdown(results, {name: counts.sum() for name, counts in found.items()}, tries)
    if output is not None:
        try:
            output.write_text(page, encoding="utf-8")
        except OSError as error:
            raise unwritable(output, error) from None
    if as_json:
        print_json({"machine": machine(), "results": [asdict(result) for result in results]})
    else:
        print(page, end="")
