"""`chatham demo`: three parties, one model, nothing pooled."""

from __future__ import annotations

from typing import Annotated

import typer

from chatham.cli.options import LARGEST_SEED, Json, Quiet


def demo(
    topics: Annotated[
        int, typer.Option("-k", "--topics", min=1, metavar="K", help="How many topics.")
    ] = 10,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", min=0, max=LARGEST_SEED, metavar="N", help="Another seed, another start."
        ),
    ] = 0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Three parties fit one model and pool nothing: see how.

    The bundled sample, 2,887 abstracts, is parted among three communities. Each fits a model
    alone; then they fit one together, by sums; then all documents are pooled, which is what
    parties can't do. Everything runs on this machine and nothing is sent anywhere.

    \b
    Example:
      chatham demo
    """
    from chatham.cli.demo_study import study
    from chatham.cli.output import print_json
    from chatham.cli.progress import progress
    from chatham.corpus import sample_corpus

    with progress(quiet or as_json) as shown:
        shown.stage("Reading the sample")
        corpus = sample_corpus(keep_texts=False)
        found = study(corpus, by="community", k=topics, seed=seed, stage=shown.stage)
    if as_json:
        print_json(found.to_dict())
        return
    from chatham.cli.demo_view import show

    show(found)
