"""Figures over time and by group: what is drawn is what the tables say."""

import numpy as np
import pytest

import chatham as ch
from chatham.errors import InputError
from chatham.plots import plot_by_group, plot_over_time

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    n = 120
    counts = rng.poisson(rng.dirichlet([1, 1], n) @ [[9, 1, 1], [1, 1, 9]]) + 1
    import pandas as pd

    when = pd.DataFrame({"date": [f"{2010 + row % 5 + (row % 5 > 1)}" for row in range(n)]})
    labels = [f"group {row % 45:02d}" for row in range(n)]
    corpus = ch.Corpus(counts, ["tea", "milk", "beer"], labels=labels, metadata=when)
    model = ch.fit("nmf", corpus, n_components=2, random_state=0)
    return model.over_time(corpus), model.by_group(corpus, "label")


def test_lines_are_the_shares_and_break_at_gaps(tables):
    over_time, _ = tables
    figure = plot_over_time(over_time, ["tea & co", "beer $5"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["0  tea & co", r"1  beer \$5"]
    for topic, axes in enumerate(figure.axes):
        drawn = axes.lines[0].get_ydata()
        expected = over_time[over_time["topic"] == topic]["share"].to_numpy()
        np.testing.assert_array_equal(drawn, expected)
        assert np.isnan(drawn[2])
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


def test_cells_are_the_shares_of_the_largest_groups(tables):
    _, by_group = tables
    figure = plot_by_group(by_group)
    axes = figure.axes[0]
    assert len(axes.get_xticklabels()) == 40
    assert any("5 smaller groups" in text.get_text() for text in figure.texts)
    first = by_group[(by_group["label"] == "group 00") & (by_group["topic"] == 0)]["share"].item()
    assert axes.texts[0].get_text() == f"{100 * first:.0f}"


def test_another_table_is_refused(tables):
    over_time, by_group = tables
    with pytest.raises(InputError, match="no table of over_time"):
        plot_over_time(by_group)
    with pytest.raises(InputError, match="There is no topic 7"):
        plot_over_time(over_time, topics=[7])


def test_a_span_that_is_not_told_breaks_the_line(tables):
    over_time, _ = tables
    told = over_time[over_time["span"] != "2014"].copy()
    told.attrs = dict(over_time.attrs)
    figure = plot_over_time(told)
    drawn = figure.axes[0].lines[0].get_ydata()
    assert np.isnan(drawn).tolist() == [False, False, True, False, True, False]
