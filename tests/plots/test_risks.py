"""The figure of an audit shows every document's interval and estimate where they are."""

import pandas as pd
import pytest

from chatham.errors import InputError
from chatham.plots.panels import save_figure
from chatham.plots.risks import MOST, plot_risks

pytest.importorskip("matplotlib")


def table(n):
    outcome = ["exposed", "doubtful", *["nothing found"] * (n - 2)]
    right = [0.9, 0.6, *[0.5] * (n - 2)]
    return pd.DataFrame(
        {
            "document": [f"d${i}" for i in range(n)],
            "outcome": outcome,
            "right": right,
            "right_low": [each - 0.06 for each in right],
            "right_high": [each + 0.04 for each in right],
        }
    )


def test_every_document_has_its_interval_and_its_estimate(tmp_path):
    figure = plot_risks(table(5))
    (axes,) = figure.axes
    intervals = {
        tuple(segment.ravel().round(3).tolist())
        for lines in axes.collections
        for segment in lines.get_segments()
    }
    assert (0.84, 0.0, 0.94, 0.0) in intervals
    assert (0.54, 1.0, 0.64, 1.0) in intervals
    assert len(intervals) == 5
    points = {
        (float(x), int(y)) for line in axes.lines if line.get_marker() == "o"
        for x, y in zip(*line.get_data(), strict=True)
    }  # fmt: skip
    assert points == {(0.9, 0), (0.6, 1), (0.5, 2), (0.5, 3), (0.5, 4)}
    for name in ("one.png", "other.png"):
        save_figure(plot_risks(table(5)), tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "other.png").read_bytes()


def test_of_very_many_documents_those_at_most_risk_are_drawn_and_it_says_so():
    (axes,) = plot_risks(table(MOST + 7)).axes
    assert len(axes.get_yticklabels()) == MOST
    assert [each.get_text() for each in axes.texts] == ["and 7 documents with less risk"]


def test_nothing_is_not_drawn():
    with pytest.raises(InputError, match="no document was judged"):
        plot_risks(table(5).head(0))
