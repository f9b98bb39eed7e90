"""The picture of one model: bars by topic, and a list of the values that are alone."""

import pytest

from chatham.errors import InputError
from chatham.measures.evaluate import evaluate
from chatham.plots.scores import plot_evaluation
from tests.plots.test_scores import scores

pytest.importorskip("matplotlib")

LISTS = [["cats", "purr"], ["dogs", "bark"], ["cats", "sleep"]]


@pytest.fixture(scope="module")
def table():
    return evaluate(LISTS, measures=["topic_diversity", "overlap", "unique_words"])


def written(axes):
    return [text.get_text() for text in axes.texts]


def test_topics_are_bars_and_lone_values_are_written(table):
    figure = plot_evaluation(table, "a model")
    listing, overlap, unique = figure.axes
    assert "topic diversity" in written(listing)
    assert not listing.patches
    assert unique.get_title(loc="left") == "unique words"
    assert [bar.get_height() for bar in unique.patches] == table["per_topic"].iloc[2]
    assert "lower is better ↓" in written(overlap)


def test_bars_begin_at_zero_and_gaps_are_marked():
    (axes,) = plot_evaluation(scores("npmi", 0.3, True, [0.52, None, 0.5])).axes
    assert [round(bar.get_x() + bar.get_width() / 2) for bar in axes.patches] == [0, 2]
    assert axes.get_ylim()[0] <= 0
    assert axes.lines[0].get_xdata().tolist() == [1]
    assert "over all 0.3" in written(axes)


def test_topics_without_any_value_are_a_lone_value():
    (listing,) = plot_evaluation(scores("npmi", 0.3, True, [None, None])).axes
    assert "NPMI" in written(listing)


def test_nothing_to_draw_is_refused():
    with pytest.raises(InputError, match="nothing to draw"):
        plot_evaluation(scores("x", 1.0).iloc[:0])
