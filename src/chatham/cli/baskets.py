"""Items in baskets on the command line: the options, and what doesn't go with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from chatham.corpus.scale import SCALE

Basket = Annotated[
    str | None,
    typer.Option(
        "--basket",
        metavar="COLUMN",
        help="Read items in baskets, one row each time, and not texts: the column that says whose "
        "basket it is, such as a user or a playlist.",
    ),
]
Item = Annotated[
    str | None,
    typer.Option("--item", metavar="COLUMN", help="The column with the items, with --basket."),
]
Rating = Annotated[
    str | None,
    typer.Option(
        "--rating",
        metavar="COLUMN",
        help="The column with ratings, by which items count; once a row if not given.",
    ),
]
Names = Annotated[
    Path | None,
    typer.Option(
        "--names",
        metavar="FILE",
        help="A table of what items are called, in which their column is named as in FILE.",
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        "--title", metavar="COLUMN", help="The column of titles, in --names or in FILE itself."
    ),
]
Scale = Annotated[
    float, typer.Option("--scale", metavar="X", help="How often a rating of one counts.")
]
Least = Annotated[
    int,
    typer.Option("--least", min=0, metavar="N", help="Leave out baskets that count less in all."),
]


def as_baskets(
    basket: str | None,
    item: str | None,
    rating: str | None,
    names: Path | None,
    title: str | None,
    scale: float,
    *,
    least: int = 0,
    refused: Mapping[str, Any],
) -> dict[str, Any]:
    """What `read_baskets` is to be told, or nothing where no basket is meant.

    `refused` are options that are for documents, each with what was given, or something false.
    """
    given = {"basket": basket, "item": item, "rating": rating, "names": names, "title": title}
    more = {"scale": scale if scale != SCALE else None, "least": least or None}
    asked = [f"--{name}" for name, value in (given | more).items() if value is not None]
    if not asked:
        return {}
    for name in ("basket", "item"):
        if given[name] is None:
            raise typer.BadParameter(
                f"Items in baskets need both --basket and --item; give it beside {asked[0]}.",
                param_hint=f"--{name}",
            )
    for option, value in refused.items():
        if value:
            raise typer.BadParameter(
                f"{option} is for documents, and --basket reads items; leave one of them out.",
                param_hint=option,
            )
    return {**given, "scale": scale, "least": least}
