"""The notebooks run from beginning to end, show what they end with, and are stored without outputs.

Their cells run here as they do in a notebook, one after the other in one namespace, without a
server and without a network.
"""

import ast
import json
import re
import socket
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")


def cells(notebook, kind):
    """The texts of the cells of a kind."""
    read = json.loads(notebook.read_text("utf-8"))
    return ["".join(cell["source"]) for cell in read["cells"] if cell["cell_type"] == kind]


def run(cell, namespace):
    """Run a cell; what its last line gives, as a notebook shows it."""
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), namespace)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
    return shown(value)


def shown(value):
    """The richest form that a notebook would show."""
    if hasattr(value, "_repr_mimebundle_"):
        return value._repr_mimebundle_()
    if hasattr(value, "_repr_html_"):
        return value._repr_html_()
    return repr(value)


@pytest.fixture(scope="module")
def offline():
    """Nothing may be fetched."""
    patch = pytest.MonkeyPatch()

    def refused(*_):
        raise OSError("A notebook reached for the network.")

    patch.setattr(socket.socket, "connect", refused)
    yield
    patch.undo()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_notebooks_run(notebook, offline, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for number, cell in enumerate(cells(notebook, "code")):
        found = run(cell, namespace)
        assert found is None or found, f"cell {number} shows nothing"
        # A comparison that ends a cell says that something holds, and it must.
        assert found != "False", f"cell {number} ends with False"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_notebooks_are_stored_without_outputs(notebook):
    read = json.loads(notebook.read_text("utf-8"))
    assert (read["nbformat"], read["nbformat_minor"]) == (4, 5)
    names = [cell["id"] for cell in read["cells"]]
    assert len(set(names)) == len(names)
    for cell in read["cells"]:
        assert cell["metadata"] == {}
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
    assert read["cells"][0]["source"][0].startswith("# ")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_links_of_notebooks_lead_somewhere(notebook):
    links = [link for cell in cells(notebook, "markdown") for link in LINK.findall(cell)]
    lost = [link for link in links if not (FOLDER / unquote(link)).exists()]
    assert lost == []
    assert links


def test_all_notebooks_are_named_in_the_readme():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(NOTEBOOKS) == 3
    assert all(f"examples/{notebook.name}" in readme for notebook in NOTEBOOKS)


def test_a_cell_shows_its_last_line_alone(capsys):
    namespace = {}
    assert run("x = 1\nx + 1", namespace) == "2"
    assert run("y = x", namespace) is None
    assert run("print(y)\n'text'", namespace) == "'text'"
    assert capsys.readouterr().out == "1\n"
