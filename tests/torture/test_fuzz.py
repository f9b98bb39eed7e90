"""The page says what the parsers were fed; where atheris is installed, it finds what is planted."""

from importlib.util import find_spec

import pytest

from tests.conftest import excused
from tests.torture.fuzz import HEADING, NEXT, PARSERS, Fuzzed, fuzz, section, with_section

FUZZED = [Fuzzed(parser, 1234, "") for parser in PARSERS]


def test_a_part_takes_the_place_of_an_older_one():
    page = f"# Page\n\n{NEXT}\n\n- Two\n"
    first = with_section(page, section(FUZZED, 5))
    again = with_section(first, section([Fuzzed("frame", 9, "KeyError: 'x'")], 7))
    assert first.count(HEADING) == again.count(HEADING) == 1
    assert "| 1,234 | none |" in first
    assert "1,234" not in again
    assert "| 9 | KeyError: 'x' |" in again
    assert with_section(again, "").replace(section([], 0), "") == page


def test_it_is_said_if_there_was_no_fuzzing():
    assert "isn't installed" in section([], 5)


@pytest.mark.parametrize("parser", PARSERS)
def test_a_parser_holds_for_a_second(parser):
    if not find_spec("atheris"):
        excused("atheris, of the extra 'fuzz', isn't installed; `make torture` does")
    found = fuzz(parser, 1)
    assert found.inputs > 0
    assert not found.wrong
