"""What goes into a session: its parties, as 'chatham keygen' made them, measures and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from chatham.cli.wording import as_options
from chatham.errors import InputError, SessionError
from chatham.federation.program import check_score, check_tables
from chatham.federation.session import Session
from chatham.federation.tables import TableRules
from chatham.measures.registry import measures_named
from chatham.naming import value_shown

if TYPE_CHECKING:
    from chatham.federation.session import Member

LARGEST_CERTIFICATE = 10**6
_LINE = re.compile(r"\s*(.*\S)\s*=\s*([0-9A-Fa-f]{64})\s*", re.DOTALL)
USUAL_SHARE = 0.1
"""The share held out by default if a measure needs it."""


def roster(parties: Iterable[str]) -> tuple[Member, ...]:
    """Each party, from NAME=KEY or from its public file."""
    return tuple(_member(party) for party in parties)


def _member(party: str) -> Member:
    from chatham.federation.session import Member, read_member

    line = _LINE.fullmatch(party)
    if line is not None:
        return Member(line[1], line[2].lower())
    if _is_file(party):
        return read_member(Path(party))
    raise typer.BadParameter(
        f"{value_shown(party)} must be NAME=KEY, the line that 'chatham keygen' printed, with a "
        "key of 64 hexadecimal digits, or the .party file that it wrote; there is no file of that "
        "name.",
        param_hint="--party",
    )


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # far too long, or with a zero byte
        return False


def certificate(path: Path | None) -> str:
    """The text of a file with a certificate."""
    if path is None:
        return ""
    try:
        content = path.read_bytes()[: LARGEST_CERTIFICATE + 1]
        if len(content) > LARGEST_CERTIFICATE:
            raise InputError(f"'{path}' is too long for a certificate.")
        return content.decode("ascii")
    except UnicodeDecodeError:
        raise InputError(f"'{path}' isn't a certificate in PEM.") from None
    except OSError as error:
        raise InputError(f"'{path}' can't be read: {error.strerror}.") from None


def scores(options: list[str] | None, held_out: float | None) -> dict[str, Any]:
    """What the parties measure; documents are held out if a measure needs some."""
    names = [name.strip() for part in options or [] for name in part.split(",") if name.strip()]
    if not names:
        if held_out is not None or options:
            raise typer.BadParameter(
                "Documents are held out for measures; name some, such as perplexity.",
                param_hint="--score",
            )
        return {}
    try:
        measures = measures_named(names)
    except InputError as error:
        raise typer.BadParameter(as_options(error), param_hint="--score") from None
    needed = any("held_out" in measure.needs for measure in measures)
    share = held_out if held_out is not None else USUAL_SHARE if needed else 0.0
    rules: dict[str, Any] = {"measures": [measure.name for measure in measures]}
    return rules | ({"held_out": share} if share else {})


def check_scores(session: Session) -> None:
    """Refuse measures that the parties couldn't compute together."""
    try:
        check_score(session)
    except SessionError as error:
        raise typer.BadParameter(as_options(error), param_hint="--score") from None


def cell_tables(options: list[str] | None) -> tuple[dict[str, Any], ...]:
    """The tables that the parties make: COLUMN, COLUMN:SPAN, COLUMN:SPAN:FROM..TO or COLUMN=A|B.

    >>> cell_tables(["date:month:2016-01..2020-12,section=sport|city"])[0]
    {'column': 'date', 'every': 'month', 'first': '2016-01', 'last': '2020-12'}
    """
    parts = [part.strip() for option in options or [] for part in option.split(",")]
    if options and not any(parts):
        raise _no_table("nothing")
    tables = tuple(_cell_table(part) for part in parts if part)
    try:
        return tuple(rule.as_plain() for rule in TableRules.of(tables).rules)
    except SessionError as error:
        raise typer.BadParameter(str(error), param_hint="--tables") from None


def _cell_table(part: str) -> dict[str, Any]:
    column, named, groups = part.partition("=")
    if named:
        return {"column": column.strip(), "groups": [each.strip() for each in groups.split("|")]}
    column, dated, rest = part.partition(":")
    if not dated:
        return {"column": column.strip()}
    every, ends, span = rest.partition(":")
    table = {"column": column.strip(), "every": every.strip()}
    if not ends:
        return table
    first, dots, last = span.partition("..")
    if not dots:
        raise _no_table(value_shown(part))
    return table | {"first": first.strip(), "last": last.strip()}


def _no_table(given: str) -> typer.BadParameter:
    return typer.BadParameter(
        f"A table is a column, as section or 'section=sport|politics', or a column of dates with a "
        f"span, as date:month or date:month:2016-01..2020-12; got {given}.",
        param_hint="--tables",
    )


def check_made(session: Session) -> None:
    """Refuse tables that the parties couldn't make together."""
    try:
        check_tables(session)
    except SessionError as error:
        raise typer.BadParameter(as_options(error), param_hint="--tables") from None
