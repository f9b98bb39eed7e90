"""Items in baskets on the command line: the options, and which others they exclude."""

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
        help="Read items in baskets instead of texts, one row per item: the column that identifies "
        "the basket, such as a user or a playlist.",
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
        help="The column with the ratings that items are counted by; if not given, each row counts "
        "once.",
    ),
]
Names = Annotated[
    Path | None,
    typer.Option(
        "--names",
        metavar="FILE",
        help="A table of item titles; its item column must have the same name as in FILE.",
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        "--title", metavar="COLUMN", help="The column of titles, in --names or in FILE itself."
    ),
]
Scale = Annotated[float, typer.Option("--scale", metavar="X", help="The count for a rating of 1.")]
Least = Annotated[
    int,
    typer.Option(
        "--least", min=0, metavar="N", help="Leave out baskets with a smaller total count."
    ),
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
    """The arguments of `read_baskets`, or an empty dict if no option for baskets was used.

    `refused` are options for documents, each with its value, which is false if it wasn't used.
    """
    texts = {"basket": basket, "item": item, "rating": rating, "names": names, "title": title}
    numbers = {"scale": scale if scale != SCALE else None, "least": least or None}
    used = [f"--{name}" for name, value in (texts | numbers).items() if value is not None]
    if not used:
        return {}
    for name in ("basket", "item"):
        if texts[name] is None:
            raise typer.BadParameter(
                f"Items in baskets need both --basket and --item; give it along with {used[0]}.",
                param_hint=f"--{name}",
            )
    for option, value in refused.items():
        if value:
            raise typer.BadParameter(
                f"{option} is for documents, and --basket reads items; leave one of them out.",
                param_hint=option,
            )
    return {**texts, "scale": scale, "least": least}
