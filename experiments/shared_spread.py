"""The pages of several seeds as one, so that a ranking shows how far it is luck.

A number in a table is the mean over seeds, with the least and the most in brackets where they
differ. What is bold is bold by every seed. Cells that are more than one number have that of each
seed, as lines of text that differ do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

NUMBER = re.compile(r"[+−-]?\d[\d,]*(?:\.\d+)?(?:e[+−-]?\d+)?%?")
NOTE = (
    "Where seeds differ, a number is the mean over them, with the least and the most in brackets; "
    "other cells and lines have what each seed gave. Bold is what is so by every seed. Figures are "
    "of the first."
)


def over_seeds(pages: Mapping[int, str]) -> str:
    """One page of several, which were written alike by seeds of these numbers."""
    if len(pages) == 1:
        return next(iter(pages.values()))
    blocks = [_blocks(_named_alike(page, seed, list(pages))) for seed, page in pages.items()]
    if len({len(of_one) for of_one in blocks}) > 1:  # one seed has a paragraph more than another
        return "\n".join(pages.values())
    title, *rest = (_merged(alike, list(pages)) for alike in zip(*blocks, strict=True))
    merged = "\n\n".join([title, NOTE, *rest]) + "\n"
    return re.sub(r"(?m)^(- .*)\n\n(?=- )", r"\1\n", merged)  # items of one list


def _named_alike(page: str, seed: int, seeds: Sequence[int]) -> str:
    """Whatever says which seed it is of says all of them."""
    every = ", ".join(map(str, seeds))
    page = re.sub(rf"(--seed) {seed}\b", rf"\1 {seeds[0]} --seeds {len(seeds)}", page)
    page = re.sub(rf"\bSeed {seed}\b", f"Seeds {every}", page)
    return re.sub(rf"(?<!-)\bseed {seed}\b", f"seeds {every}", page)


def _blocks(page: str) -> list[list[str]]:
    """Headings, paragraphs, lists and tables; a list is a block of each of its items."""
    blocks = []
    for block in page.rstrip("\n").split("\n\n"):
        lines = block.split("\n")
        for is_table, run in groupby(lines, key=lambda line: line.startswith("|")):
            rows = list(run)
            blocks += [rows] if is_table else [[line] for line in rows]
    return blocks


def _merged(alike: Sequence[list[str]], seeds: Sequence[int]) -> str:
    if all(block == alike[0] for block in alike):
        return "\n".join(alike[0])
    if alike[0][0].startswith("|"):
        return _merged_table(alike, seeds)
    item = "- " * alike[0][0].startswith("- ")
    return "\n\n".join(
        f"{item}*Seed {seed}:* {block[0].removeprefix(item)}"
        for seed, block in zip(seeds, alike, strict=True)
    )


def _merged_table(tables: Sequence[list[str]], seeds: Sequence[int]) -> str:
    """Row by row where all seeds have the same rows, else one table after the other."""
    cells = [[[cell.strip() for cell in row.split(" | ")] for row in _bare(t)] for t in tables]
    labels = {tuple(row[0] for row in table) for table in cells}
    shapes = {tuple(len(row) for row in table) for table in cells}
    if len(labels) > 1 or len(shapes) > 1:
        listed = zip(seeds, tables, strict=True)
        return "\n\n".join(f"Seed {seed}:\n\n" + "\n".join(table) for seed, table in listed)
    head, rule, *rows = (
        [_merged_cell(list(each)) for each in zip(*alike, strict=True)]
        for alike in zip(*cells, strict=True)
    )
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def _bare(table: Sequence[str]) -> list[str]:
    return [row.removeprefix("|").removesuffix("|").strip() for row in table]


def _merged_cell(cells: list[str]) -> str:
    if len(set(cells)) == 1:
        return cells[0]
    bold = all(cell.startswith("**") for cell in cells)
    plain = [cell.removeprefix("**").removesuffix("**") for cell in cells]
    if all(NUMBER.fullmatch(cell) for cell in plain):
        shown = _spread(plain)
    else:
        shown = plain[0] if len(set(plain)) == 1 else "; ".join(plain)
    return f"**{shown}**" if bold else shown


def _spread(cells: list[str]) -> str:
    """The mean with the digits that the cells have, and the least and the most.

    >>> _spread(["−7.004", "−7.010", "−6.998"]), _spread(["1,200", "1,201"]), _spread(["3", "3"])
    ('−7.004 (−7.010 to −6.998)', '1,200.5 (1,200 to 1,201)', '3')
    """
    if len(set(cells)) == 1:
        return cells[0]
    values = sorted((_value(cell), cell) for cell in cells)
    digits = max((len(cell.partition(".")[2].rstrip("%")) for cell in cells), default=0)
    unit = "%" if cells[0].endswith("%") else ""
    mean = sum(value for value, _ in values) / len(values)
    if any("e" in cell for cell in cells):
        shown = f"{mean:.3g}"
    else:
        grouping = "," if any("," in cell for cell in cells) else ""
        shown = f"{mean:{grouping}.{digits or 1}f}"
    minus = "−" if any("−" in cell for cell in cells) else "-"
    return f"{shown.replace('-', minus)}{unit} ({values[0][1]} to {values[-1][1]})"


def _value(cell: str) -> float:
    return float(cell.replace("−", "-").replace(",", "").rstrip("%"))
