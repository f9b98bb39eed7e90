"""The figure of a history shows every topic and slice, marks what happened, and stays inside."""

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.model.history import History
from chatham.plots import plot_history, save_figure
from chatham.plots.history import GREEN
from chatham.plots.palette import ACCENT
from tests.model.test_history import STORY, slice_of

pytest.importorskip("matplotlib")

TABLE = History(STORY).table()
LISTED = [[f"word{topic}", "and", "more"] for topic in range(5)]


def lines_of(figure, **look):
    lines = figure.axes[0].lines
    return [
        line
        for line in lines
        if all(getattr(line, f"get_{name}")() == value for name, value in look.items())
        and line.get_ydata()[0] > 0.5  # above the legend
    ]


def test_topics_and_slices_are_there_and_inside():
    figure = plot_history(TABLE, LISTED)
    figure.canvas.draw()
    texts = [text for text in figure.axes[0].texts if text.get_text()]
    shown = [text.get_text() for text in texts]
    assert [f"{topic}  word{topic} and more" in shown for topic in range(5)] == [True] * 5
    assert {"one", "two", "three", "four", "five"} <= set(shown)
    for text in texts:
        place = text.get_window_extent()
        assert place.x0 >= 0
        assert place.x1 <= figure.bbox.width + 1
        assert place.y0 >= 0
        assert place.y1 <= figure.bbox.height + 1


def test_births_deaths_splits_and_merges_are_marked():
    figure = plot_history(TABLE, LISTED)
    assert len(lines_of(figure, marker="o", markeredgecolor=GREEN)) == 2 + 1  # one of them split
    assert len(lines_of(figure, marker="x", color=ACCENT)) == 2  # one died, one merged
    grown = lines_of(figure, marker="^") + lines_of(figure, marker="v")
    assert len(grown) == (TABLE["event"].isin(["grew", "shrank"])).sum()
    leading = [line for line in lines_of(figure, marker="None") if line.get_color() == GREEN]
    assert len(leading) == 1  # from topic 0 to topic 4, which split off
    heights = [text.get_position()[1] for text in figure.axes[0].texts]
    assert leading[0].get_ydata()[0] in heights
    assert leading[0].get_ydata()[-1] in heights


def test_bands_are_as_thick_as_shares():
    figure = plot_history(TABLE, LISTED)
    bands = figure.axes[0].collections[:5]
    for topic, band in enumerate(bands):
        rows = TABLE[TABLE["topic"] == topic]
        across = band.get_paths()[0].vertices
        widest = across[:, 1].max() - across[:, 1].min()
        assert widest == pytest.approx(rows["share"].max() * 0.8 * 0.36 / 0.6)


def test_one_slice_and_many(tmp_path):
    one = History((slice_of("only", [0.6, 0.4]),)).table()
    many = [slice_of(f"week {number}", [0.6, 0.4]) for number in range(30)]
    for table in (one, History(tuple(many)).table()):
        save_figure(plot_history(table, LISTED[:2], "a $title$"), tmp_path / "a.png")
        save_figure(plot_history(table, LISTED[:2], "a $title$"), tmp_path / "b.png")
        assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_what_is_no_history_is_refused():
    with pytest.raises(InputError, match="lacks share"):
        plot_history(TABLE.drop(columns="share"), LISTED)
    with pytest.raises(InputError, match="has no row"):
        plot_history(TABLE.iloc[:0], LISTED)
    with pytest.raises(InputError, match="must be those of 5 topics; got 2 lists"):
        plot_history(TABLE, LISTED[:2])
    assert np.isfinite(TABLE["share"]).all()
