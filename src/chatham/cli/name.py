"""`chatham name`: what the topics of a model are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from chatham.cli.options import Json, KnownLearners, Model, Quiet

if TYPE_CHECKING:
    from chatham.model.topic_model import TopicModel


def name(
    model: Model,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NUMBER=NAME...",
            help='Topics with their new names, such as 3="child custody"; nothing behind the = '
            "gives the topic the name back that it has by itself.",
            show_default=False,
        ),
    ] = None,
    learner: KnownLearners = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Give topics names, or print those that they have.

    Each topic is called by the words that tell most about it, until it gets a name. Names are kept
    in the model's folder, and stand in its tables and pictures. Numbers never change.

    \b
    Examples:
      chatham name model/ 3="child custody" 7="court dates"
      chatham name model/ 3=
      chatham name model/
    """
    from chatham.cli.output import console, plain_table, print_json
    from chatham.learners.words import printable
    from chatham.model.file import load

    assigned = dict(map(_assignment, names or []))
    named = load(model)
    _assign(named, assigned)
    if assigned:
        named.save(model)
    if as_json:
        given = named.names.given
        rows = [
            {"topic": number, "name": name, "given": number in given}
            for number, name in named.names.items()
        ]
        print_json({"topics": rows})
    elif not (quiet and assigned):
        table = plain_table((named.kind, "right"), ("name", "fold"))
        for number in assigned or named.names:
            table.add_row(str(number), printable(named.names[number]))
        console().print(table)


def _assignment(written: str) -> tuple[int, str]:
    number, separator, called = written.partition("=")
    if not separator or not number.strip().isdecimal():
        raise typer.BadParameter(
            'A name is given as NUMBER=NAME, such as 3="child custody"; the number is that of '
            "'chatham topics'.",
            param_hint="NUMBER=NAME",
        )
    return int(number), called


def _assign(model: TopicModel, assigned: dict[int, str]) -> None:
    """All names at once, so that two topics can change theirs."""
    for number in assigned:
        del model.names[number]
    for number, called in assigned.items():
        if called.strip():
            model.names[number] = called
