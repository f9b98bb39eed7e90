"""The figure of a merge shows every topic, every party, and nothing outside."""

import pandas as pd
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.plots import plot_merged, save_figure
from tests.ensembles.parts import plsa_summary

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def merged():
    rows = [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]]
    parts = [
        plsa_summary(rows, [5, 4, 3], name="North, the first"),
        plsa_summary(rows[:2], [5, 4], name="South"),
    ]
    return ch.merge(parts, 3)


def drawn(merged):
    told = merged.agreement
    return plot_merged(told.topics, told.base, merged.top_word_lists(3))


def test_topics_parties_and_numbers_are_there_and_inside(merged):
    figure = drawn(merged)
    figure.canvas.draw()
    texts = [text for text in figure.axes[0].texts if text.get_text()]
    shown = [text.get_text() for text in texts]
    assert any("South" in text for text in shown)
    assert [text for text in shown if text.startswith("0  ")]
    assert "one party alone" in shown
    assert "all parties" in shown
    for text in texts:
        place = text.get_window_extent()
        assert place.x0 >= 0
        assert place.x1 <= figure.bbox.width + 1
        assert place.y0 >= 0
        assert place.y1 <= figure.bbox.height + 1


def test_circles_are_filled_where_a_party_has_the_topic(merged):
    circles = drawn(merged).axes[0].collections
    filled = [len(circle.get_facecolors()) > 0 for circle in circles]
    assert len(filled) == 6
    assert filled.count(True) == 5


def test_a_filled_circle_always_has_a_number():
    """Where only a part of a topic went, which is mainly in another, it is in brackets."""
    halves = [[0.48, 0.02, 0.48, 0.02], [0.02, 0.48, 0.02, 0.48]]
    own = [[0.94, 0.02, 0.02, 0.02], [0.02, 0.02, 0.94, 0.02], [0.02, 0.48, 0.02, 0.48]]
    merged = ch.merge([plsa_summary(halves, [5, 4], name="A"),
                       plsa_summary(own, [50, 40, 40], name="B")], 3)  # fmt: skip
    base = merged.agreement.base
    parted = base[(base["party"] == "A") & (base["topic"] == 0)]
    assert [len(others) for others in parted["also_in"]] == [1]
    (other,), main = parted["also_in"].iloc[0], parted["goes_to"].iloc[0]
    assert merged.shares["A"][0, other] >= 0.25
    assert other != main
    texts = [text.get_text() for text in drawn(merged).axes[0].texts]
    assert "(0)" in texts
    filled = sum(len(c.get_facecolors()) > 0 for c in drawn(merged).axes[0].collections)
    numbers = [t for t in texts if t.strip("()").isdigit()]
    assert filled == len(numbers) == int(merged.agreement.has.sum())


def test_the_same_figure_has_the_same_bytes(merged, tmp_path):
    for name in ("a.png", "b.png"):
        save_figure(drawn(merged), tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_words_must_be_those_of_the_topics(merged):
    told = merged.agreement
    with pytest.raises(InputError, match="must be those of 3 topics; got 1"):
        plot_merged(told.topics, told.base, [["a"]])
    assert isinstance(told.topics, pd.DataFrame)
