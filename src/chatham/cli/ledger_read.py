"""A party's ledger by kind of sum: what it means, in which rounds, in what shapes, how large."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from chatham.errors import InputError
from chatham.federation.party.ledger import DIRECT, NAME, read_ledger


@dataclass
class Kind:
    """One statistic, all rounds of it."""

    statistic: str
    meaning: str
    rounds: list[int] = field(default_factory=list)
    shapes: list[str] = field(default_factory=list)
    """Each array's shape; shapes that change from round to round as "n ×"."""
    bits: list[int] = field(default_factory=list)
    bytes: int = 0
    first: str = ""
    last: str = ""
    direct: bool = False
    """Whether it went in shares over direct links, and not masked through the relay."""


@dataclass
class Crossed:
    """All that left, and how much of it came back as totals."""

    kinds: list[Kind]
    rounds: int
    completed: int
    bytes: int
    first: str
    last: str
    plain: bool

    def to_dict(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return asdict(self)


def crossed(folder: Path) -> Crossed:
    """Read a party's ledger."""
    if not (folder / NAME).is_file():
        raise InputError(
            f"There is no ledger in '{folder}'; give the folder that 'chatham join' was given."
        )
    lines = [line for line in read_ledger(folder) if is_sound(line)]
    left = [line for line in lines if line["event"] == "left"]
    return Crossed(
        kinds=list(_kinds(left)),
        rounds=len({line["round"] for line in left}),
        completed=len({line["round"] for line in lines if line["event"] == "came"}),
        bytes=sum(line["bytes"] for line in left),
        first=min((line["time"] for line in lines), default=""),
        last=max((line["time"] for line in lines), default=""),
        plain=(folder / "plain").is_dir(),
    )


def is_sound(line: dict[str, Any]) -> bool:
    """Whether a line is as the ledger writes them; anybody may have touched the file."""
    types: dict[str, type] = {"event": str, "round": int, "time": str, "bytes": int}
    if line.get("event") == "left":
        types |= {"statistic": str, "meaning": str, "shape": list, "bits": int, "array": int}
    sound = all(isinstance(line.get(name), kind) for name, kind in types.items())
    return sound and all(isinstance(n, int) for n in line.get("shape", []))


def _kinds(left: Iterable[dict[str, Any]]) -> Iterable[Kind]:
    """In the order in which they first crossed."""
    lines: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in left:
        lines.setdefault((line["statistic"], line["meaning"]), []).append(line)
    for (statistic, meaning), found in lines.items():
        arrays = sorted({line["array"] for line in found})
        times = [line["time"] for line in found]
        yield Kind(
            statistic,
            meaning,
            rounds=sorted({line["round"] for line in found}),
            shapes=[_shape([li["shape"] for li in found if li["array"] == a]) for a in arrays],
            bits=sorted({line["bits"] for line in found}),
            bytes=sum(line["bytes"] for line in found),
            first=min(times),
            last=max(times),
            direct=any(line.get("way") == DIRECT for line in found),
        )


def _shape(shapes: list[list[int]]) -> str:
    """A shape, from least to most where it isn't always the same.

    >>> _shape([[3, 10], [7, 10]]), _shape([[]])
    ('3…7 × 10', '1')
    """
    if len({len(shape) for shape in shapes}) > 1:
        return "several"
    if not shapes[0]:
        return "1"
    lengths = zip(*shapes, strict=True)
    return " × ".join(
        f"{min(n):,}" if min(n) == max(n) else f"{min(n):,}…{max(n):,}" for n in lengths
    )
