"""Columns go below each other where they don't fit beside each other."""

import io

from rich.console import Console

from chatham.cli.output import Column, blocks, print_blocks

KEY = Column("key", "left", ["a", "bb"])
REST = [Column(f"c{number}", "right", ["1234567", "1"]) for number in range(3)]


def names(made):
    return [[column.name for column in block] for block in made]


def test_as_many_as_fit_and_the_key_in_each():
    # key 3, and 3 + 7 for each of the others: two of them take 23.
    assert names(blocks([KEY], REST, 33)) == [["key", "c0", "c1", "c2"]]
    assert names(blocks([KEY], REST, 32)) == [["key", "c0", "c1"], ["key", "c2"]]
    assert names(blocks([KEY], REST, 23)) == [["key", "c0", "c1"], ["key", "c2"]]
    assert names(blocks([KEY], REST, 22)) == [["key", "c0"], ["key", "c1"], ["key", "c2"]]
    assert names(blocks([KEY], REST, 1)) == [["key", "c0"], ["key", "c1"], ["key", "c2"]]
    assert names(blocks([KEY], [], 80)) == [["key"]]


def test_what_was_computed_is_what_is_printed():
    for width in (1, 22, 23, 32, 33):
        screen = Console(width=width, record=True, file=io.StringIO())
        print_blocks(screen, blocks([KEY], REST, width))
        printed = screen.export_text()
        assert printed.count("1234567") == 3
        assert max(map(len, printed.splitlines())) <= max(width, 13)


def test_wide_letters_take_two_places():
    assert Column("漢字", "left", ["x"]).width == 4
