"""docs/algorithms.md leads from each line of an algorithm to a function, which is there."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "algorithms.md").read_text()
NAMES = sorted(set(re.findall(r"`((?:ensembles|gossip|learners|numerics)\.[\w.]+)`", PAGE)))
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, flags=re.DOTALL | re.MULTILINE))
ALGORITHMS = {
    "Thesis, Algorithm 1": 5,
    "Thesis, Algorithm 2": 14,
    "Thesis, Algorithm 3": 5,
    "Thesis, Algorithm 4": 6,
    "Colin and Dupuy, equation 2": 7,
    "Thesis, Algorithm 6": 4,
    "Thesis, Algorithm 8": 7,
    "Thesis, Algorithms 9 and 10": 3,
    "Lee, Algorithm 1": 7,
    "Lee, Algorithms 2 and 8": 7,
    "Lee, Algorithm 3": 6,
    "Lee, Algorithm 4": 3,
    "Lee, Algorithms 5 and 6": 6,
    "Lee, Algorithm 7": 3,
    "Colin and Dupuy, Algorithm 1": 6,
}
"""Each with its number of lines, or of groups of lines that one function does."""


def found(name):
    """What a dotted name below chatham stands for."""
    parts = ["chatham", *name.split(".")]
    for length in range(len(parts), 0, -1):
        try:
            there = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            there = getattr(there, part)
        return there
    raise AssertionError(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_function_is_there_and_says_what_it_does(name):
    there = found(name)
    assert callable(there) or name.endswith("WORST")
    assert inspect.getdoc(there)


def test_there_are_names_at_all():
    assert len(NAMES) > 70


@pytest.mark.parametrize(("title", "lines"), ALGORITHMS.items(), ids=ALGORITHMS)
def test_each_line_has_a_function(title, lines):
    (section,) = (text for heading, text in SECTIONS.items() if heading.startswith(f"{title}:"))
    rows = re.findall(r"^\| (?!line|---)(.*) \|$", section, flags=re.MULTILINE)
    assert len(rows) == lines
    for row in rows:
        _, where, *_ = re.split(r"(?<!\\) \| ?", row)
        assert re.search(r"`[\w.]+`", where), row


def test_every_section_is_known():
    assert {heading.split(":")[0] for heading in SECTIONS} == set(ALGORITHMS)
