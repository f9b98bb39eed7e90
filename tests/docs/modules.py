"""The map of the modules, made from the tree: `python -m tests.docs.modules --write`.

A row is a folder: what its `__init__` says that it is, and its files, those that others in the
folder stand on first.
"""

import ast
import sys
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "chatham"
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- modules -->\n", "<!-- /modules -->\n"
ROOMS = (
    "", "numerics", "commons", "corpus", "learners", "model", "measures", "documents", "groups",
    "looking", "plots", "federation", "ensembles", "gossip", "audit", "explorer", "cli",
)  # fmt: skip
"""The rooms as the import contract has them, bottom-up."""


def module_map() -> str:
    """The table."""
    rows = [row for room in ROOMS for row in _rows_below(PACKAGE / room, room)]
    return "\n".join(["| folder | what it is | files |", "|---|---|---|", *rows, ""])


def _rows_below(folder: Path, room: str) -> list[str]:
    inner = [path.parent for path in sorted(folder.rglob("__init__.py")) if path.parent != folder]
    return [_row(each) for each in ([folder, *inner] if room else [folder])]


def _row(folder: Path) -> str:
    name = folder.relative_to(PACKAGE).as_posix()
    what = _first_line(folder / "__init__.py").removesuffix(".")
    files = ", ".join(f"`{stem}`" for stem in _bottom_up(folder))
    return f"| `{name if name != '.' else 'chatham'}` | {what} | {files} |"


def _first_line(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n")[0]


def _bottom_up(folder: Path) -> list[str]:
    """The folder's files, none before one that it imports; alike ones by name."""
    stems = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("__"))
    sorter = TopologicalSorter({stem: _imported(folder, stem, stems) for stem in stems})
    sorter.prepare()
    order: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order += ready
        sorter.done(*ready)
    return order


def _imported(folder: Path, stem: str, stems: list[str]) -> set[str]:
    """Files of the folder that a file imports when it is itself imported."""
    package = ".".join(["chatham", *folder.relative_to(PACKAGE).parts])
    found = set()
    for node in ast.parse((folder / f"{stem}.py").read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            places = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            found |= {other for other in stems if f"{package}.{other}" in places}
    return found


def page() -> str:
    """CONTRIBUTING with the table as it must be."""
    text = PAGE.read_text("utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    return f"{before}{BEGIN}{module_map()}{END}{after}"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page(), "utf-8")
    else:
        print(module_map(), end="")
