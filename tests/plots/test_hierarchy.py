"""The picture of a hierarchy shows every topic, its words, and edges as wide as their weights."""

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.learners.anchor.hierarchy import Hierarchy, Level
from chatham.plots.panels import save_figure
from chatham.plots.tree import THICKEST, THINNEST, plot_hierarchy

pytest.importorskip("matplotlib")


def level(topics, prevalence):
    """A level of given topics; whatever its supertopics, they never meet."""
    joint = (topics * prevalence[:, None]).T
    shares = joint / joint.sum(axis=1, keepdims=True)
    return Level(topics, shares, np.diag(prevalence), shares.argmax(axis=0))


def chain(sizes, seed=0):
    """A made-up hierarchy of so many topics, level 1 first."""
    rng = np.random.default_rng(seed)
    pairs = zip(sizes[1:], sizes[:-1], strict=True)
    levels = [
        level(rng.dirichlet(np.full(below, 0.3), above), rng.dirichlet(np.ones(above)))
        for above, below in pairs
    ]
    return Hierarchy(np.diag(rng.dirichlet(np.ones(sizes[0]))), levels)


def some_words(sizes, n=4):
    return [
        [[f"word{number}of{topic}" for number in range(n)] for topic in range(size)]
        for size in sizes
    ]


def boxes(figure):
    """The places of all words as drawn, in pixels."""
    figure.canvas.draw()
    texts = figure.axes[0].texts
    return [text.get_window_extent() for text in texts if "word" in text.get_text()]


def overlap(first, second):
    across = min(first.x1, second.x1) - max(first.x0, second.x0)
    return across > 0 and min(first.y1, second.y1) - max(first.y0, second.y0) > 0


@pytest.mark.parametrize("sizes", [[25, 5], [25, 10, 3], [4, 2, 1], [60, 12, 4], [3, 1], [70, 30]])
def test_words_never_overlap_nor_leave_the_picture(sizes):
    figure = plot_hierarchy(chain(sizes), some_words(sizes), "a title")
    places = boxes(figure)
    assert len(places) == sum(sizes)
    for number, place in enumerate(places):
        assert not any(overlap(place, other) for other in places[number + 1 :])
        assert place.x0 >= 0
        assert place.x1 <= figure.bbox.width
        assert place.y0 >= 0
        assert place.y1 <= figure.bbox.height


def test_edges_are_as_wide_as_their_weights():
    sizes = [12, 4, 2]
    hierarchy = chain(sizes)
    curves = plot_hierarchy(hierarchy, some_words(sizes), least=0.1).axes[0].patches
    expected = [max(THINNEST, THICKEST * weight) for weight in hierarchy.edges(0.1)["weight"]]
    assert sorted(curve.get_linewidth() for curve in curves) == pytest.approx(sorted(expected))


def test_edges_lead_from_supertopics_down_to_their_topics():
    hierarchy = chain([6, 2])
    axes = plot_hierarchy(hierarchy, some_words([6, 2])).axes[0]
    circles = {tuple(dot.get_offsets()[0]) for dot in axes.collections}
    heads = {text.get_position() for text in axes.texts if "%" in text.get_text()[:4]}
    ends = {tuple(curve.get_path().vertices[-1]) for curve in axes.patches}
    starts = {tuple(curve.get_path().vertices[0]) for curve in axes.patches}
    assert ends == circles
    assert starts == heads
    assert min(y for _, y in starts) > max(y for _, y in ends)


def test_topics_stand_together_under_their_main_parent():
    hierarchy = chain([20, 4], seed=3)
    axes = plot_hierarchy(hierarchy, some_words([20, 4])).axes[0]
    dots = sorted(axes.collections, key=lambda dot: dot.get_offsets()[0][0])
    colours = [tuple(dot.get_facecolor()[0]) for dot in dots]
    changes = sum(colours[place] != colours[place - 1] for place in range(1, 20))
    assert changes == len(set(colours)) - 1


def test_words_are_no_formulas_and_long_ones_are_cut():
    words = [[["a$b$", "x" * 40], ["c"]], [["d\x1b"]]]
    axes = plot_hierarchy(chain([2, 1]), words).axes[0]
    written = [text.get_text() for text in axes.texts]
    assert "a\\$b\\$\n" + "x" * 10 + "…" + "x" * 11 in written
    assert "100%\nd\\x1b" in written


def test_every_topic_has_its_number_over_its_words():
    sizes = [20, 3, 2]
    texts = plot_hierarchy(chain(sizes), some_words(sizes)).axes[0].texts
    numbers = {text.get_text(): text for text in texts if text.get_fontweight() == "bold"}
    assert sorted(map(int, numbers)) == list(range(20))
    for topic in range(20):
        words = "\n".join(some_words(sizes)[0][topic])
        under = [text for text in texts if text.get_text() == words]
        across, high = numbers[str(topic)].get_position()
        assert [text.get_position()[0] for text in under] == [across]
        assert 0 < high - under[0].get_position()[1] < 0.2


def test_the_same_picture_every_time(tmp_path):
    for name in ("one.png", "two.png"):
        save_figure(plot_hierarchy(chain([6, 2]), some_words([6, 2])), tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_words_of_other_topics_are_refused():
    with pytest.raises(InputError, match=r"words must be those of \[6, 2\] topics.*Got \[6\]"):
        plot_hierarchy(chain([6, 2]), some_words([6]))
