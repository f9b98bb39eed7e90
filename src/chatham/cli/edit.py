"""`chatham edit`: topics merged, dropped and split, and all of it undone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chatham.cli.options import (
    Delimiter,
    Encoding,
    Format,
    Id,
    Json,
    KnownLearners,
    Model,
    NoHeader,
    Quiet,
    SkipBadRows,
    Text,
    Words,
    seed_option,
)
from chatham.cli.sources import as_reading, called

if TYPE_CHECKING:
    from chatham.model.topic_model import TopicModel


def edit(
    model: Model,
    merge: Annotated[
        list[str] | None,
        typer.Option(
            "--merge",
            metavar="N,N",
            help="Make these topics one; may be repeated, for several groups.",
        ),
    ] = None,
    drop: Annotated[
        str | None,
        typer.Option("--drop", metavar="N[,N…]", help="Show these topics no more."),
    ] = None,
    split: Annotated[
        int | None,
        typer.Option(
            "--split", metavar="N", min=0, help="Make this topic several, by --documents."
        ),
    ] = None,
    into: Annotated[
        int, typer.Option("--into", metavar="M", min=2, help="How many parts --split makes.")
    ] = 2,
    documents: Annotated[
        list[Path] | None,
        typer.Option(
            "--documents",
            metavar="FILE",
            help="The documents that --split tells parts apart by: best those that the model was "
            "fitted to, in any form that 'chatham fit' reads; may be repeated.",
        ),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the last edit back.")] = False,
    original: Annotated[bool, typer.Option("--original", help="Take all edits back.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Another folder for the edited model; by default the model's own.",
        ),
    ] = None,
    words: Words = 10,
    text: Text = None,
    id_column: Id = None,
    encoding: Encoding = None,
    format: Format = None,
    delimiter: Delimiter = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    seed: Annotated[int, seed_option("By this --split finds the parts.")] = 0,
    learner: KnownLearners = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Merge, drop or split topics; the fitted model stays as it is beneath, and all can be undone.

    Numbers are ids: merged topics keep the smallest of their numbers, dropped ones leave a gap, and
    the parts of a split one get new numbers. Documents' weights follow, and are scaled to sum to
    one where topics were dropped. Several edits of one command are made in the order merge, drop,
    split, and each can be undone by itself. Without an edit, those that were made are printed.

    \b
    Examples:
      chatham edit model/ --merge 3,7 --merge 1,2,5
      chatham edit model/ --drop 4
      chatham edit model/ --split 6 --into 3 --documents news.csv
      chatham edit model/ --undo
    """
    from chatham.model.file import load

    groups = [_numbers(group, "--merge") for group in merge or ()]
    dropped = None if drop is None else _numbers(drop, "--drop")
    edits = bool(groups) + (dropped is not None) + (split is not None)
    _check(edits, undo, original, split is not None, documents)
    before = load(model)
    after = before.undo() if undo else before.original if original else before
    if groups:
        after = after.merge(groups)
    if dropped is not None:
        after = after.drop(dropped)
    if split is not None:
        reading = {
            "text": text,
            "id": id_column,
            **as_reading(encoding, format, delimiter, no_header, skip_bad_rows),
        }
        after = _split(after, split, (into, seed), documents or [], reading, quiet or as_json)
    folder = output or model
    if edits or undo or original or output is not None:
        after.save(folder)
    _tell(after, folder, words, quiet, as_json)


def _numbers(listed: str, option: str) -> list[int]:
    parts = [part.strip() for part in listed.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise typer.BadParameter(
            "Topics are given by their numbers with commas between them, such as 3,7.",
            param_hint=option,
        )
    return [int(part) for part in parts]


def _check(
    edits: int, undo: bool, original: bool, splits: bool, documents: list[Path] | None
) -> None:
    if undo and original:
        raise typer.BadParameter("All edits are more than the last one; leave one of the two out.",
                                 param_hint="--undo")  # fmt: skip
    if (undo or original) and edits:
        raise typer.BadParameter(
            "Edits are taken back or made, not both in one command.",
            param_hint="--undo" if undo else "--original",
        )
    if splits and not documents:
        raise typer.BadParameter(
            "A topic is split by documents; give them with --documents.", param_hint="--split"
        )
    if documents and not splits:
        raise typer.BadParameter(
            "Documents are for --split alone; leave them out.", param_hint="--documents"
        )


def _split(
    model: TopicModel,
    topic: int,
    how: tuple[int, int],
    documents: list[Path],
    reading: dict[str, Any],
    quiet: bool,
) -> TopicModel:
    from chatham.cli.progress import print_notes, progress
    from chatham.cli.sources import read_for_model
    from chatham.cli.wording import news

    with progress(quiet) as reporter:
        reporter.stage(f"Reading {called(documents)}")
        corpus = read_for_model(documents, model, reading, reporter.count)
        reporter.stage(f"Splitting topic {topic}")
        edited = model.split(topic, corpus, into=how[0], random_state=how[1])
    if not quiet:
        print_notes(tuple(news(corpus.notes)))
    return edited


def _tell(model: TopicModel, folder: Path, words: int, quiet: bool, as_json: bool) -> None:
    from chatham.cli.output import console, plain, print_json, topic_table, topics_as_json
    from chatham.learners.words import printable

    listed = model.top_word_lists(words)
    if as_json:
        print_json(
            {
                "saved": str(folder),
                "edits": plain(model.edits.to_dict(orient="records")),
                "topics": topics_as_json(model, listed),
            }
        )
    elif not quiet:
        screen = console()
        screen.print(topic_table(model, listed))
        sentence = "As fitted, without edits." if model._edits is None else model._edits.sentence()
        screen.print(f"\n{sentence}", soft_wrap=True)
        screen.print(f"Saved in {printable(str(folder))}.", soft_wrap=True)
