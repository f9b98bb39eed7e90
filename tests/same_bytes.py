"""Whether this tree gives the same bytes as another commit, in everything that users see.

    make same-bytes BASE=main EXCEPT='help/*'
    python -m tests.same_bytes main --except 'help/*' --only 'nmf*'

The other commit is checked out in a temporary folder. The program of `same_bytes_cases` runs once
with its code and once with this tree's (what isn't committed included), each compiling its own
kernels, and what they computed is compared byte for byte: fitted arrays, weights, model files,
ledgers, measures, corpora, public names, what commands say. The exit code is 1 if anything differs
that no --except names. Not a part of `make test`: it takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from tests.same_bytes_cases import read_rows

ROOT = Path(__file__).resolve().parents[1]
MOST_SHOWN = 60
"""Rows that differ and are shown one by one."""


class Compared(NamedTuple):
    """One row of both versions."""

    name: str
    why: str
    """How they differ, or nothing."""
    excepted: bool = False

    @property
    def case(self) -> str:
        """What it is about, and where the documents were."""
        return "/".join(self.name.split("/")[:2])


def compare(
    base: Mapping[str, np.ndarray], here: Mapping[str, np.ndarray], excepted: Sequence[str] = ()
) -> list[Compared]:
    """Every row of either version, in the order in which they were computed.

    >>> compare({"a/b/c": np.zeros(2)}, {"a/b/c": np.array([0.0, 0.5]), "a/b/d": np.ones(1)})
    [Compared(name='a/b/c', why='1 of 2 numbers, by up to 0.5', excepted=False),
     Compared(name='a/b/d', why='only here', excepted=False)]
    """
    return [
        Compared(name, why, bool(why) and any(fnmatchcase(name, each) for each in excepted))
        for name in dict.fromkeys([*base, *here])
        for why in [difference(base.get(name), here.get(name))]
    ]


def difference(base: np.ndarray | None, here: np.ndarray | None) -> str:
    """How two arrays differ; nothing if they are the same to the last bit, signs of zeros too."""
    if base is None or here is None:
        return "only here" if base is None else "only in the base"
    if (base.dtype, base.shape) == (here.dtype, here.shape) and base.tobytes() == here.tobytes():
        return ""
    if base.dtype == here.dtype == np.uint8:
        return in_texts(base.tobytes(), here.tobytes())
    if (base.dtype, base.shape) != (here.dtype, here.shape):
        return f"{base.dtype}{list(base.shape)} became {here.dtype}{list(here.shape)}"
    return in_numbers(base, here)


def in_numbers(base: np.ndarray, here: np.ndarray) -> str:
    """How many numbers differ, and by how much."""
    mine, theirs = here.astype(np.float64), base.astype(np.float64)
    apart = (mine != theirs) & ~(np.isnan(mine) & np.isnan(theirs))
    if not apart.any():
        return "bits alone: signs of zeros, or kinds of NaN"
    return f"{apart.sum()} of {apart.size} numbers, by up to {np.abs(mine - theirs).max():.2g}"


def in_texts(base: bytes, here: bytes) -> str:
    """Where two texts part, with a little of both.

    >>> in_texts(b"the same, then this", b"the same, then that")
    "from byte 17: 'is' became 'at'"
    """
    shorter = min(len(base), len(here))
    place = next((n for n in range(shorter) if base[n] != here[n]), shorter)
    try:
        base.decode()
    except UnicodeDecodeError:  # no text, but the arrays of a model file
        return f"from byte {place} of {len(base)}"
    was, became = (text[place : place + 60].decode("utf-8", "replace") for text in (base, here))
    return f"from byte {place}: {was!r} became {became!r}"


def report(rows: Sequence[Compared], excepted: Sequence[str] = ()) -> Iterator[str]:
    """A line for each case, then each row that differs, then the outcome."""
    cases: dict[str, list[Compared]] = {}
    for row in rows:
        cases.setdefault(row.case, []).append(row)
    width = max(map(len, cases), default=4)
    yield f"{'case':<{width}}  equal  different  excepted"
    for case, found in cases.items():
        bad = sum(bool(row.why) and not row.excepted for row in found)
        known = sum(row.excepted for row in found)
        yield f"{case:<{width}}  {len(found) - bad - known:>5}  {bad or '':>9}  {known or '':>8}"
    different = [row for row in rows if row.why]
    for row in different[:MOST_SHOWN]:
        yield f"{'excepted ' if row.excepted else ''}{row.name}: {row.why}"
    if len(different) > MOST_SHOWN:
        yield f"… and {len(different) - MOST_SHOWN} more rows that differ"
    for pattern in excepted:
        if not any(fnmatchcase(row.name, pattern) for row in different):
            yield f"--except {pattern!r} names no row that differs; leave it out."
    bad = sum(not row.excepted for row in different)
    yield f"{len(rows)} rows: {len(rows) - len(different)} equal, {bad} different, " + (
        f"{len(different) - bad} different as expected."
    )


def failed(rows: Sequence[Compared]) -> bool:
    """Whether anything differs that may not; no rows at all prove nothing."""
    return not rows or any(row.why and not row.excepted for row in rows)


# -- both versions


@contextmanager
def checked_out(revision: str, folder: Path) -> Iterator[Path]:
    """The tree of a revision, for a while."""
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), revision], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def computed(source: Path, folder: Path, only: Sequence[str]) -> dict[str, np.ndarray]:
    """What the Chatham in `source` computes, in a process of its own with kernels of its own."""
    folder.mkdir()
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP")}
    environment = os.environ | threads | {
        "PYTHONPATH": str(source),
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
        "PYTHONHASHSEED": "0",
    }  # fmt: skip
    environment.pop("COLUMNS", None)
    rows = folder / "rows.npz"
    words = ["-m", "tests.same_bytes_cases", str(rows), "--source", str(source)]
    words += [word for pattern in only for word in ("--only", pattern)]
    began = perf_counter()
    subprocess.run([sys.executable, *words], cwd=ROOT, env=environment, check=True)
    print(f"{source}: {perf_counter() - began:.0f} s")
    return read_rows(rows)


def main(words: Sequence[str] | None = None) -> int:
    """Compare, and say what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument(
        "--except", dest="excepted", action="append", default=[], metavar="PATTERN",
        help="rows that may differ, as in 'nmf*/three secure/*'; may be given again",
    )  # fmt: skip
    parser.add_argument(
        "--only", action="append", default=[], metavar="CASE",
        help="these cases alone, as in 'nmf*'; may be given again",
    )  # fmt: skip
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="same-bytes-") as name:
        folder = Path(name)
        with checked_out(given.base, folder / "tree") as tree:
            base = computed(tree / "src", folder / "base", given.only)
        here = computed(ROOT / "src", folder / "here", given.only)
    rows = compare(base, here, given.excepted)
    print("\n".join(report(rows, given.excepted)))
    return int(failed(rows))


if __name__ == "__main__":
    sys.exit(main())
