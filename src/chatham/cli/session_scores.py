"""The measures of `chatham session`, and the documents that are held out for them."""

from __future__ import annotations

from typing import Any

import typer

from chatham.errors import InputError, SessionError
from chatham.federation.scores import check_score
from chatham.federation.session import Session
from chatham.measures.registry import measures_named

USUAL_SHARE = 0.1
"""Held out if a measure needs it."""


def scores(named: list[str] | None, held_out: float | None) -> dict[str, Any]:
    """What the parties measure; documents are held out if a measure asks for some."""
    names = [name.strip() for part in named or [] for name in part.split(",") if name.strip()]
    if not names:
        if held_out is not None or named:
            raise typer.BadParameter(
                "Documents are held out for measures; name some, such as perplexity.",
                param_hint="--score",
            )
        return {}
    try:
        measures = measures_named(names)
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--score") from None
    needed = any("held_out" in measure.needs for measure in measures)
    share = held_out if held_out is not None else USUAL_SHARE if needed else 0.0
    found: dict[str, Any] = {"measures": [measure.name for measure in measures]}
    return found | ({"held_out": share} if share else {})


def check_scores(made: Session) -> None:
    """Refuse measures that parties couldn't take together."""
    try:
        check_score(made)
    except SessionError as error:
        raise typer.BadParameter(str(error), param_hint="--score") from None
