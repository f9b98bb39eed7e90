"""The page's files: as they are for the server, and as one file for a report.

The scripts are plain modules, and nothing is built. In one file they can't import each other, so
there each becomes a function that returns what it exports, in the order in which they need each
other, and an import takes its names from there.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

MEDIA_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
START = "main.js"
IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.M)
EXPORT = re.compile(r"^export (async function|function|const|class) (\w+)", re.M)
POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


@cache
def page_files() -> dict[str, str]:
    """All files of the page by their names, such as panels/map.js."""
    return dict(_walk(files("chatham.explorer") / "page", ""))


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            found += _walk(each, f"{prefix}{each.name}/")
        elif each.name.rpartition(".")[2] in MEDIA_TYPES:
            found.append((f"{prefix}{each.name}", each.read_text("utf-8")))
    return found


def one_script() -> str:
    """All scripts as one.

    >>> "import {" in one_script()
    False
    """
    order: list[str] = []
    _visit(START, order)
    parts = [_as_function(name) for name in order]
    return '"use strict";\n' + "\n".join(parts)


def _visit(name: str, order: list[str]) -> None:
    """Put what a module needs before it."""
    if name in order:
        return
    for _, source in IMPORT.findall(page_files()[name]):
        _visit(_resolved(name, source), order)
    order.append(name)


def _resolved(name: str, source: str) -> str:
    """A module's name from a path relative to another's.

    >>> _resolved("panels/map.js", "../dom.js"), _resolved("panels/map.js", "./words.js")
    ('dom.js', 'panels/words.js')
    """
    folder = name.split("/")[:-1]
    for part in source.split("/"):
        if part == "..":
            folder.pop()
        elif part != ".":
            folder.append(part)
    return "/".join(folder)


def _as_function(name: str) -> str:
    text = page_files()[name]
    exported = [found[1] for found in EXPORT.findall(text)]
    text = IMPORT.sub(
        lambda found: (
            f"const {{{found[1].replace(' as ', ': ')}}} = "
            f"{_variable(_resolved(name, found[2]))};\n"
        ),
        text,
    )
    text = EXPORT.sub(r"\1 \2", text)
    return f"const {_variable(name)} = (() => {{\n{text}return {{{', '.join(exported)}}};\n}})();"


def _variable(name: str) -> str:
    return "_" + re.sub(r"\W", "_", name)


def one_file(data: str, said: str) -> str:
    """The whole page as one file that asks nobody for anything; `data` and `said` are JSON."""
    script, style = one_script(), page_files()["style.css"]
    policy = POLICY.format(script=_digest(script), style=_digest(style))
    page = page_files()["index.html"]
    replaced = {
        "<!-- policy -->": f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<link rel="stylesheet" href="/page/style.css">': f"<style>{style}</style>",
        '<script type="module" src="/page/main.js"></script>': (
            f'<script type="application/json" id="data">{data}</script>'
            f'<script type="application/json" id="said">{said}</script>'
            f"<script>{script}</script>"
        ),
    }
    for place, content in replaced.items():
        before, found, after = page.partition(place)
        assert found, place
        page = before + content + after
    return page


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
