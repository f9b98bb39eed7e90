"""Compiled kernels: all are cached, and made of nothing but what the cache is keyed by.

And none leaves it to the machine in which order it adds up, where that could differ by thread.
"""

import ast

import pytest

from conftest import HERE, KERNELS, SOURCES

ALL = {path.relative_to(HERE / "src").as_posix(): path for path in KERNELS}


def kernels(path):
    """The compiled functions of a file, each with its decorator as text."""
    for node in ast.walk(ast.parse(SOURCES[path])):
        if isinstance(node, ast.FunctionDef):
            told = [text for text in map(ast.unparse, node.decorator_list) if "jit" in text]
            yield from ((node, text) for text in told)


def imported(path):
    """Where each name comes from that a file has from another of ours."""
    for node in ast.parse(SOURCES[path]).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("chatham"):
            file = HERE / "src" / f"{node.module.replace('.', '/')}.py"
            yield from ((alias.asname or alias.name, file) for alias in node.names)


def test_there_are_kernels():
    assert sum(len(list(kernels(path))) for path in SOURCES) > 50


@pytest.mark.parametrize("name", ALL)
def test_every_kernel_is_cached(name):
    for kernel, decorator in kernels(ALL[name]):
        assert "cache=True" in decorator, kernel.name


def test_a_kernel_whose_sums_may_be_reordered_stores_nothing():
    """A reordered loop that also stores is chosen by where arrays lie: see `leaning.py`."""
    reordered = [kernel for path in SOURCES for kernel, text in kernels(path) if "fastmath" in text]
    assert [kernel.name for kernel in reordered] == ["dot"]
    for kernel in reordered:
        stores = [n for n in ast.walk(kernel) if isinstance(getattr(n, "ctx", None), ast.Store)]
        assert all(isinstance(node, ast.Name) for node in stores), kernel.name


def names_in(nodes):
    return {found.id for node in nodes for found in ast.walk(node) if isinstance(found, ast.Name)}


@pytest.mark.parametrize("name", ALL)
def test_kernels_use_nothing_from_a_file_that_the_cache_is_not_keyed_by(name):
    elsewhere = dict(imported(ALL[name]))
    lines = [line for kernel, _ in kernels(ALL[name]) for line in kernel.body]
    constants = [n for n in ast.parse(SOURCES[ALL[name]]).body if isinstance(n, ast.Assign)]
    for found in names_in(lines + constants) & elsewhere.keys():
        assert elsewhere[found] in KERNELS, found
