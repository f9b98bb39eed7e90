"""`chatham publish`: a summary of a model, which others can merge with theirs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import (
    Delimiter,
    Encoding,
    Format,
    Id,
    Jobs,
    Json,
    Model,
    NoHeader,
    Quiet,
    SkipBadRows,
    Text,
    Vocabulary,
    seed_option,
)
from chatham.cli.sources import as_reading, called

if TYPE_CHECKING:
    from chatham.commons.secure.keys import Identity
    from chatham.ensembles.summary import Summary


def publish(
    model: Model,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="The documents that the model was fitted to, in any form that 'chatham fit' "
            "reads.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The summary's file; it gets the ending .summary.",
            show_default=False,
        ),
    ],
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="What others call you, such as 'North'.")
    ] = "",
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            metavar="FILE",
            help="Sign the summary with this private key, which 'chatham keygen' made; needs a "
            "name.",
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Tell topics and sums to the last digit, from which words of single documents "
            "can be found: for documents that may be known. (Summaries of lda are told alike.)",
        ),
    ] = False,
    text: Text = None,
    id_column: Id = None,
    vocabulary: Vocabulary = None,
    encoding: Encoding = None,
    format: Format = None,
    delimiter: Delimiter = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    seed: Annotated[int, seed_option("By this, tokens are drawn for a summary of LDA.")] = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Publish a summary of a model, for others to merge with theirs.

    A summary has the model's topics and sums over documents, coarse ones unless --exact is given,
    and nothing of any single one; its size doesn't depend on their number. Topics that fewer than
    five documents carry, and words that fewer than five have, are left out. What the summary
    reveals is printed before it is written, and stands in it too.

    It can be of nmf, plsa or lda. Whoever has several merges them with 'chatham merge'; you needn't
    be there. With --key they see that it is yours.

    \b
    Examples:
      chatham publish model/ news.csv -o ours.summary
      chatham publish model/ news.csv -o ours.summary --name North --key north.key
    """
    from chatham.cli.paths import check_file
    from chatham.ensembles.file import named, write_summary

    path = named(output)
    check_file(path)
    _check_name(name, key)
    identity = None if key is None else _identity(key)
    reading = {
        "text": text,
        "id": id_column,
        "vocabulary": vocabulary,
        **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
    }
    outcome = _summarised(model, files, reading, (name, exact), seed, jobs, quiet or as_json)
    if not (quiet or as_json):
        _tell(outcome)
    write_summary(outcome.summary, path, sign_as=identity)
    if as_json:
        _print_json(outcome, path)
    elif not quiet:
        print(f"\nSaved in {path} ({path.stat().st_size:,} bytes).")


@dataclass
class Outcome:
    """The summary, what was left out of it, and what there is to say."""

    summary: Summary
    topics_left_out: int
    words_left_out: int
    warnings: tuple[str, ...] = ()


def _check_name(name: str, key: Path | None) -> None:
    from chatham.naming import is_name

    if name and not is_name(name):
        raise typer.BadParameter(
            "A name has 1 to 60 letters, digits, blanks or characters such as . , & ' -, and "
            "doesn't begin or end with a blank.",
            param_hint="--name",
        )
    if key is not None and not name:
        raise typer.BadParameter(
            "A summary that is signed says whose it is; give --name too.", param_hint="--key"
        )


def _summarised(
    folder: Path,
    files: list[Path],
    reading: dict[str, Any],
    how: tuple[str, bool],
    seed: int,
    jobs: int,
    quiet: bool,
) -> Outcome:
    from chatham.cli.progress import progress
    from chatham.cli.sources import read_for_model
    from chatham.ensembles.publish import publish as summarise
    from chatham.model.file import load

    with progress(quiet) as reporter:
        model = load(folder)
        reporter.stage(f"Reading {called(files)}")
        corpus = read_for_model(files, model, reading, reporter.count)
        reporter.stage("Adding up what a merge needs")
        summary = summarise(
            model, corpus, name=how[0], exact=how[1], random_state=seed, n_jobs=jobs
        )
    left = model.n_topics - summary.n_topics, len(model.vocabulary) - len(summary.vocabulary)
    return Outcome(summary, *left, reporter.warnings)


def _tell(outcome: Outcome) -> None:
    """What it reveals, and what was left out, before anything is written."""
    from chatham.cli.output import console
    from chatham.learners.words import printable
    from chatham.naming import plural

    screen = console()
    screen.print("What this summary reveals:")
    for sentence in outcome.summary.reveals:
        screen.print(f"- {printable(sentence)}", soft_wrap=True)
    left_out = [
        plural(number, noun)
        for number, noun in (
            (outcome.topics_left_out, "topic"),
            (outcome.words_left_out, "word"),
        )
        if number
    ]
    if left_out:
        screen.print(f"Left out, as too few documents have them: {' and '.join(left_out)}.")


def _identity(key: Path) -> Identity:
    """The key that signs; one that can't be read is said before anything is added up."""
    from chatham.federation.extra import need_federation

    need_federation()
    from chatham.commons.secure.keys import Identity

    return Identity.load(key)


def _print_json(outcome: Outcome, path: Path) -> None:
    from chatham.cli.output import print_json

    summary = outcome.summary
    print_json(
        {
            "saved": str(path),
            "bytes": path.stat().st_size,
            "kind": summary.kind,
            "name": summary.name,
            "exact": summary.exact,
            "topics": summary.n_topics,
            "words": len(summary.vocabulary),
            "documents": summary.documents,
            "tokens": summary.tokens,
            "topics_left_out": outcome.topics_left_out,
            "words_left_out": outcome.words_left_out,
            "reveals": summary.reveals,
            "warnings": list(outcome.warnings),
        }
    )
