"""Results as lines of JSON, one a cell of the experiment: a run that was interrupted goes on."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Record = dict[str, Any]


class Records:
    """What was found, by what was asked; kept in a file if one is given."""

    def __init__(self, keep: Path | None) -> None:
        self._keep = keep
        self._found = {_key(record["asked"]): record["found"] for record in _read(keep)}

    def has(self, asked: Mapping[str, Any]) -> bool:
        """Say whether this was found already."""
        return _key(asked) in self._found

    def get(self, asked: Mapping[str, Any]) -> Record:
        """What was asked, and what was found, in one."""
        return {**asked, **self._found[_key(asked)]}

    def add(self, asked: Mapping[str, Any], found: Mapping[str, Any]) -> None:
        """Keep one more."""
        self._found[_key(asked)] = dict(found)
        print(*list(asked.values())[:4], file=sys.stderr, flush=True)
        if self._keep is not None:
            _append(self._keep, json.dumps({"asked": asked, "found": found}))


def _key(asked: Mapping[str, Any]) -> str:
    return json.dumps(asked, sort_keys=True)


def _append(keep: Path, line: str) -> None:
    text = keep.read_text(encoding="utf-8") if keep.exists() else ""
    broken = "\n" if text and not text.endswith("\n") else ""
    with keep.open("a", encoding="utf-8") as file:
        file.write(broken + line + "\n")


def _read(keep: Path | None) -> list[Record]:
    records = []
    if keep is not None and keep.exists():
        for line in keep.read_text(encoding="utf-8").splitlines():
            # A line that is cut off was being written when the run was interrupted.
            with contextlib.suppress(json.JSONDecodeError):
                records.append(json.loads(line))
    return records
