"""The ranking of an audit, as `chatham audit -o report.json` wrote it, for the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chatham.errors import InputError
from chatham.naming import path_shown

MOST_BYTES = 1 << 26


def read_risks(path: Path) -> dict[str, Any]:
    """The documents by risk, most at risk first; of several party sizes, those of the first."""
    try:
        if path.exists() and not (path.is_file() and path.stat().st_size <= MOST_BYTES):
            raise InputError(_refusal(path))
        told = json.loads(path.read_text("utf-8"))
        audit = (told["decisions"][0] if "decisions" in told else told)["audit"]
        return {
            "summary": str(audit["summary"]),
            "documents": [
                {
                    "id": str(each["document"]),
                    "outcome": str(each["outcome"]),
                    "in_words": str(each["in_words"]),
                    "right": _share(each["right"]["estimate"]),
                }
                for each in audit["documents"]
            ],
        }
    except OSError as error:
        raise InputError(f"{path_shown(path)} can't be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise InputError(_refusal(path)) from None


def _share(told: Any) -> float:
    """A share of guesses.

    >>> _share(0.75)
    0.75
    """
    if type(told) not in (int, float) or not 0 <= told <= 1:
        raise ValueError
    return float(told)


def _refusal(path: Path) -> str:
    return (
        f"{path_shown(path)} is no report of an audit; give what 'chatham audit -o report.json' "
        "wrote."
    )
