"""Pages of several seeds as one: means with the least and the most, and what some seeds say."""

import doctest

import pytest

import shared_spread
from shared_options import add_seeds, seeds_of
from shared_spread import NOTE, over_seeds

PAGE = """# Teas

Written by `teas.py --seed {seed}`.

- Cups: 3. Seed {seed}.
- Milk: {milk}.

| tea | K | NPMI | best | wins |
| --- | --- | --- | --- | --- |
| green | 5 | {green} | {best} | {wins} |
| black | 5 | −7.100 | **a** | 3 |
"""


def page(seed, milk="none", green="0.200", best="**a**", wins="3/4 (+2%)"):
    return PAGE.format(seed=seed, milk=milk, green=green, best=best, wins=wins)


def test_examples():
    assert doctest.testmod(shared_spread).failed == 0


def test_one_seed_is_its_own_page():
    assert over_seeds({4: page(4)}) == page(4)


def test_numbers_become_means_and_the_rest_is_listed():
    merged = over_seeds(
        {
            0: page(0, green="**0.200**"),
            1: page(1, green="0.260", best="b", wins="4/4 (+9%)"),
            2: page(2, "much", "**0.140**"),
        }
    )
    lines = merged.splitlines()
    assert lines[:3] == ["# Teas", "", NOTE]
    assert "Written by `teas.py --seed 0 --seeds 3`." in lines
    assert "- Cups: 3. Seeds 0, 1, 2." in lines
    assert lines[lines.index("- Cups: 3. Seeds 0, 1, 2.") + 1 :][:3] == [
        "- *Seed 0:* Milk: none.", "- *Seed 1:* Milk: none.", "- *Seed 2:* Milk: much.",
    ]  # fmt: skip
    row = "| green | 5 | 0.200 (0.140 to 0.260) | a; b; a | 3/4 (+2%); 4/4 (+9%); 3/4 (+2%) |"
    assert row in lines
    assert "| black | 5 | −7.100 | **a** | 3 |" in lines


def test_bold_is_what_every_seed_has_bold():
    merged = over_seeds({0: page(0, green="**0.2**"), 1: page(1, green="**0.3**")})
    assert "| **0.2 (0.2 to 0.3)** |" in merged


def test_tables_of_other_rows_stand_one_after_the_other():
    other = page(1).replace("| black |", "| white |")
    merged = over_seeds({0: page(0), 1: other})
    assert "Seed 0:\n\n| tea |" in merged
    assert "Seed 1:\n\n| tea |" in merged
    assert "white" in merged


def test_pages_of_other_parts_stand_one_after_the_other():
    longer = page(1) + "\nThis seed alone has more to say.\n"
    assert over_seeds({0: page(0), 1: longer}) == page(0) + "\n" + longer


def test_seeds_of_the_command_line():
    from argparse import ArgumentParser

    parser = ArgumentParser()
    add_seeds(parser)
    assert list(seeds_of(parser.parse_args([]))) == [0, 1, 2]
    assert list(seeds_of(parser.parse_args(["--seed", "5", "--seeds", "2"]))) == [5, 6]
    with pytest.raises(SystemExit):
        parser.parse_args(["--seeds", "0"])
