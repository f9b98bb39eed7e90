"""Colours can be told apart by people with any colour vision."""

from itertools import pairwise

import pytest

from chatham.plots.palette import ACCENT, BLUE, COLOURS, INK, PALE, SHADES, SIDES, colour_of
from tests.plots.colours import SIMULATED, difference, least_difference, lightness

LEAST = 15.0
"""Of ΔE; about 2 is the least that is seen side by side."""


@pytest.mark.parametrize("vision", SIMULATED)
def test_no_two_colours_look_alike(vision):
    found, pair = least_difference(COLOURS, vision)
    assert found >= LEAST, pair


@pytest.mark.parametrize("vision", SIMULATED)
def test_less_and_more_look_different_and_so_do_signs(vision):
    assert difference(SIDES[0], SIDES[-1], vision) > 40
    assert difference(SIDES[1], SIDES[-2], vision) > 40
    assert difference(BLUE, ACCENT, vision) > 40


def test_shades_get_darker_step_by_step():
    for scale in (SHADES, SIDES[len(SIDES) // 2 :], SIDES[len(SIDES) // 2 :: -1]):
        steps = [lightness(one) - lightness(other) for one, other in pairwise(scale)]
        assert min(steps) > 5


def test_text_can_be_read_on_white():
    for colour in (INK, PALE, BLUE):
        luminance = ((lightness(colour) + 16) / 116) ** 3
        assert 1.05 / (luminance + 0.05) >= 4.5  # WCAG's contrast of text


def test_the_simulation_knows_what_can_t_be_told_apart():
    red, green = "#A05000", "#607000"  # confused without long or without middle cones
    assert difference(red, green, "full colour vision") > 30
    assert difference(red, green, "protanopia") < 15 or difference(red, green, "deuteranopia") < 15
    for vision in SIMULATED:
        assert difference("#808080", "#828282", vision) < 2


def test_colours_begin_again():
    assert [colour_of(0), colour_of(len(COLOURS))] == [COLOURS[0]] * 2
