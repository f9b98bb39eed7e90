"""`chatham merge`: one topic model from the summaries that several parties published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from chatham.cli.options import Folder, Jobs, Json, Quiet, Words, seed_option
from chatham.cli.parse import as_settings
from chatham.interrupts import SAVED, say_instead
from chatham.naming import value_shown


def merge(
    summaries: Annotated[
        list[Path],
        typer.Argument(
            metavar="SUMMARY...",
            help="Files that 'chatham publish' wrote, all of one kind.",
            show_default=False,
        ),
    ],
    topics: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--topics",
            min=1,
            metavar="K",
            help="How many topics; by default as many as the summary with most.",
        ),
    ] = None,
    output: Folder = None,
    rescale: Annotated[
        bool,
        typer.Option(
            "--rescale",
            help="For lda: divide counts by twice the number of parties and round up, which is "
            "faster; --set rescale=N divides by N.",
        ),
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of the merge, such as weights=gram for nmf, n_init=10 for plsa, or "
            "max_iter=100 for lda; may be repeated.",
        ),
    ] = None,
    party: Annotated[
        list[str] | None,
        typer.Option(
            "--party",
            metavar="NAME=KEY",
            help="A party and its public key, as 'chatham keygen' printed them; then every "
            "summary must be signed by one of these. May be repeated.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw which base topic went where, as .png, .svg or .pdf.",
        ),
    ] = None,
    words: Words = 10,
    seed: Annotated[int, seed_option("The same seed gives the same model.")] = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Merge published summaries into one topic model.

    Nobody's documents are needed, and the parties needn't be there. Summaries are of one kind, nmf,
    plsa or lda; their numbers of topics and their words may differ. With -o the model is saved in a
    folder that the other commands read.

    The report says which party has which topic: a party has it if at least a quarter of one of its
    own topics went there. Agreement is how alike the parties' versions of a topic are, from 0 to 1.
    In the examples $NORTH is the public key that 'chatham keygen North' printed.

    \b
    Examples:
      chatham merge north.summary south.summary -k 20 -o model/
      chatham merge *.summary -k 20 -o model/ --plot merged.png
      chatham merge *.summary --party North=$NORTH --party South=$SOUTH
    """
    from chatham.cli.merge.view import Outcome, draw, print_as_json, print_for_people
    from chatham.cli.paths import check_figure
    from chatham.cli.progress import progress
    from chatham.ensembles.merge import merge as merged_from

    keys = _parties(party)
    _check_output(output)
    check_figure(plot)
    how = _settings(settings, rescale)
    with progress(quiet or as_json) as reporter:
        reporter.stage("Merging")
        model = merged_from(summaries, topics, random_state=seed, n_jobs=jobs, parties=keys, **how)
        if plot is not None:
            reporter.stage("Drawing")
            draw(model, plot)
    if output is not None:
        model.save(output)
        say_instead(SAVED.format(f"'{output}'"))
    outcome = Outcome(model, list(summaries), reporter.warnings, output, plot)
    if as_json:
        print_as_json(outcome, words)
    else:
        print_for_people(outcome, words, quiet)


def _settings(settings: list[str] | None, rescale: bool) -> dict[str, Any]:
    how = as_settings(settings or [])
    return {**how, "rescale": True} if rescale else how


def _parties(pairs: list[str] | None) -> dict[str, str] | None:
    """Names and public keys."""
    if pairs is None:
        return None
    keys: dict[str, str] = {}
    for pair in pairs:
        name, equals, key = pair.rpartition("=")
        if not equals or not name or len(key) != 64 or set(key) - set("0123456789abcdef"):
            raise typer.BadParameter(
                f"{value_shown(pair)} must be NAME=KEY, as 'chatham keygen' printed it: the key "
                "has 64 hexadecimal digits.",
                param_hint="--party",
            )
        keys[name] = key
    return keys


def _check_output(output: Path | None) -> None:
    from chatham.cli.paths import check_folder
    from chatham.model.folder import check_writable

    if output is not None:
        check_writable(output)
        check_folder(output)
