"""Pictures have a panel for each measure, say which way is better, and are the same every time."""

import subprocess
import sys

import pandas as pd
import pytest

from chatham.errors import InputError
from chatham.measures.compare import comparison
from chatham.measures.evaluate import evaluate
from chatham.plots.panels import save_figure
from chatham.plots.scores import (
    plot_comparison,
    plot_curves,
    plot_evaluation,
    plot_models,
    plot_per_topic,
)

pytest.importorskip("matplotlib")

LISTS = {
    "nmf-2": [["cats", "purr"], ["dogs", "bark"]],
    "nmf-3": [["cats", "purr"], ["dogs", "bark"], ["cats", "sleep"]],
    "lda-2": [["cats", "dogs"], ["dogs", "cats"]],
}
SIZES = {name: len(lists) for name, lists in LISTS.items()}
MEASURES = ["topic_diversity", "overlap", "unique_words"]


def scores(measure, value, higher=True, per_topic=None):
    row = [measure, value, higher, per_topic, {}, ""]
    names = ["measure", "value", "higher_is_better", "per_topic", "settings", "source"]
    return pd.DataFrame([row], columns=names)


@pytest.fixture(scope="module")
def tables():
    return {name: evaluate(lists, measures=MEASURES) for name, lists in LISTS.items()}


def written(axes):
    return [text.get_text() for text in axes.texts]


def lengths(axes):
    return [bar.get_width() for bar in axes.patches]


def test_topics_without_a_value_are_said():
    figure = plot_per_topic(scores("npmi", 0.3, True, [0.5, None, 0.1]), "npmi")
    (axes,) = figure.axes
    assert lengths(axes) == [0.5, 0.1]
    assert " no value" in written(axes)
    named = plot_per_topic(scores("npmi", 0.3, True, [0.5, 0.1]), "npmi", [["a$b", "c"], ["d"]])
    assert [label.get_text() for label in named.axes[0].get_yticklabels()] == ["0  a\\$b c", "1  d"]
    with pytest.raises(
        InputError, match="no values by topic for 'uci'; measures that have them: 'npmi'"
    ):
        plot_per_topic(scores("npmi", 0.3, True, [0.5]), "uci")


def test_the_best_of_several_stands_out(tables):
    table = comparison(tables)
    figure = plot_comparison(table)
    axes = figure.axes[0]
    assert lengths(axes) == table.loc[0, list(LISTS)].tolist()
    best = list(LISTS).index(table.loc[0, "best"])
    colours = [bar.get_facecolor() for bar in axes.patches]
    assert colours.count(colours[best]) == 1
    assert "higher is better ↑" in written(axes)


def test_values_close_together_are_points_and_need_no_zero():
    close = comparison({"a": scores("x", -100.0), "b": scores("x", -101.0)})
    (axes,) = plot_comparison(close).axes
    assert lengths(axes) == []
    assert axes.get_xlim()[0] < -101
    assert axes.get_xlim()[1] < -50
    assert axes.get_xlabel() == "axis without 0"
    far = comparison({"a": scores("x", -100.0), "b": scores("x", -10.0)})
    (axes,) = plot_comparison(far).axes
    assert lengths(axes) == [-100, -10]
    assert axes.get_xlim()[1] == 0
    assert axes.get_xlabel() == ""


def test_a_model_without_a_value_says_so():
    missing = comparison({"a": scores("x", 1.0), "b": scores("y", 2.0)})
    figure = plot_comparison(missing)
    assert " no value" in written(figure.axes[0])


def test_curves_go_through_the_means_over_the_number_of_topics():
    tables = {"nmf-2": scores("x", 1.0), "nmf-3": scores("x", 3.0), "lda-2": scores("x", 5.0)}
    tables |= {"nmf-again-3": scores("x", 4.0)}
    sizes = {"nmf-2": 2, "nmf-3": 3, "lda-2": 2, "nmf-again-3": 3}
    names = {"nmf-2": "nmf", "nmf-3": "nmf", "lda-2": "lda", "nmf-again-3": "nmf"}
    (axes,) = plot_curves(tables, sizes, names).axes
    lines = {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
    assert lines["nmf"] == [[2, 1], [3, 3.5]]
    assert lines["lda"] == [[2, 5]]
    assert "axis without 0" in written(axes)
    crossing = {**tables, "lda-2": scores("x", -5.0)}
    assert "axis without 0" not in written(plot_curves(crossing, sizes, names).axes[0])


def test_the_picture_suits_the_models(tables):
    assert plot_models(tables, SIZES).axes[0].get_ylim()[0] < 1.2  # values: curves
    assert plot_models(tables, SIZES).axes[0].lines
    two = {name: tables[name] for name in ("nmf-2", "lda-2")}
    assert len(plot_models(two, SIZES).axes[0].patches) == 2
    assert len(plot_models({"nmf-2": tables["nmf-2"]}, SIZES).axes) == 3
    lines = dict.fromkeys(LISTS, "one")  # two of them with 2 topics: no curve, no mean
    assert len(plot_models(tables, SIZES, lines).axes[0].patches) == 3


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_bytes_every_time(tables, tmp_path, ending):
    for number in (1, 2):
        save_figure(plot_models(tables, SIZES), tmp_path / f"{number}.{ending}")
    first, second = ((tmp_path / f"{number}.{ending}").read_bytes() for number in (1, 2))
    assert first == second
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    assert first.startswith(begins[ending])
    assert b"Date" not in first


def test_labels_overlap_nowhere(tables):
    """Every panel's title, numbers and ticks stay clear of each other and inside the picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    wide = {f"a-model-with-a-very-long-name-{n}": scores("x", v, True) for n, v in
            enumerate([1.0, -3.0, 0.001, 12345.0])}  # fmt: skip
    alone = plot_evaluation(pd.concat([tables["nmf-3"]] * 4, ignore_index=True))
    for figure in (plot_models(tables, SIZES), plot_comparison(comparison(wide)), alone):
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        page = figure.bbox
        for axes in figure.axes:
            boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
            for place, box in enumerate(boxes):
                assert page.x0 <= box.x0
                assert box.x1 <= page.x1
                assert not any(box.overlaps(other) for other in boxes[:place])


def test_an_ending_that_says_no_format_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"\.png"):
        save_figure(plot_evaluation(scores("x", 1.0)), tmp_path / "x.gif")


def test_without_matplotlib_one_sentence_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import pandas as pd\n"
        "from chatham.plots.scores import plot_evaluation\n"
        "row = dict(measure='x', value=1.0, higher_is_better=True, per_topic=None)\n"
        "try: plot_evaluation(pd.DataFrame([row]))\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("InputError Figures need Matplotlib")
    assert "pip install 'matplotlib" in said.stdout


def test_drawing_leaves_no_global_state(tables):
    import matplotlib

    before = {name: value for name, value in matplotlib.rcParams.items() if name != "backend"}
    plot_models(tables, SIZES)
    after = {name: value for name, value in matplotlib.rcParams.items() if name != "backend"}
    assert after == before
