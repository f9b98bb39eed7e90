"""The parties of `chatham session`, from the lines and the files that 'chatham keygen' made."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from chatham.errors import InputError

if TYPE_CHECKING:
    from chatham.federation.session import Member

LARGEST_CERTIFICATE = 10**6
_LINE = re.compile(r"\s*(.*\S)\s*=\s*([0-9A-Fa-f]{64})\s*", re.DOTALL)


def roster(given: Iterable[str]) -> tuple[Member, ...]:
    """Each party, from NAME=KEY or from its public file."""
    return tuple(_member(word) for word in given)


def _member(word: str) -> Member:
    from chatham.federation.session import Member, read_member

    line = _LINE.fullmatch(word)
    if line is not None:
        return Member(line[1], line[2].lower())
    if _is_file(word):
        return read_member(Path(word))
    raise typer.BadParameter(
        f"{word[:80]!r} must be NAME=KEY, the line that 'chatham keygen' printed, with a key of 64 "
        "hexadecimal digits, or the .party file that it wrote; there is no file of that name.",
        param_hint="--party",
    )


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
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
