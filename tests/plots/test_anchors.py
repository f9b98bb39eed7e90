"""The picture of anchors: all are marked, names cover no other names, the same bytes every time."""

import numpy as np
import pytest

from chatham.errors import InputError
from chatham.learners.anchor.conditional import Conditional
from chatham.learners.anchor.hull import hull_vertices, principal_components
from chatham.plots.panels import save_figure

pytest.importorskip("matplotlib")

from chatham.plots.anchors import plot_anchor_words, plot_anchors

RNG = np.random.default_rng(0)
POINTS = RNG.standard_normal((60, 2))
NAMES = [f"word{place}" for place in range(100)]
WORDS = np.arange(40, 100)
ANCHORS = [np.array([45]), np.array([50, 77]), np.array([99])]


def joint(d=60, k=3):
    """C of a separable model with anchors at 0, 1, …"""
    rng = np.random.default_rng(1)
    topics = rng.dirichlet(np.full(d, 0.3), k)
    topics[:, :k] = 0.05 * np.eye(k)
    topics /= topics.sum(axis=1, keepdims=True)
    return topics.T @ (0.1 + np.eye(k)) @ topics / (topics.T @ (0.1 + np.eye(k)) @ topics).sum()


def written(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def strong(figure):
    texts = figure.axes[0].texts
    return sorted(text.get_text() for text in texts if text.get_fontweight() == "bold")


def extents(figure):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()
    return [text.get_window_extent(renderer).extents for text in figure.axes[0].texts]


def test_anchors_are_marked_and_named():
    figure = plot_anchors(POINTS, WORDS, ANCHORS, names=NAMES, title="a $title")
    others, marked = figure.axes[0].collections
    assert len(others.get_offsets()) == 56
    np.testing.assert_allclose(marked.get_offsets(), POINTS[[5, 10, 37, 59]])
    assert strong(figure) == ["word45", "word50", "word77", "word99"]
    assert figure.get_suptitle() == r"a \$title"


def test_the_hull_is_drawn_around_all_words():
    figure = plot_anchors(POINTS, WORDS, ANCHORS, names=NAMES)
    (hull,) = figure.axes[0].patches
    drawn = hull.get_xy()
    corners = POINTS[hull_vertices(POINTS)]
    np.testing.assert_allclose(np.unique(drawn, axis=0), np.unique(corners, axis=0))
    sides = np.diff(drawn, axis=0)
    turns = np.cross(
        np.c_[sides, np.zeros(len(sides))], np.c_[np.roll(sides, -1, 0), sides[:, 0] * 0]
    )
    assert (turns[:, 2] > 0).all()  # once around, always to the left


def test_areas_follow_sizes():
    sizes = np.linspace(1, 100, 60)
    figure = plot_anchors(POINTS, WORDS, [np.array([40])], names=NAMES, sizes=sizes)
    areas = figure.axes[0].collections[0].get_sizes()
    np.testing.assert_allclose(areas[-30:] / areas[-1], sizes[-30:] / 100)
    faint = set(written(figure)) - {"word40"}
    assert faint <= {f"word{place}" for place in range(70, 100)}  # the most probable alone


@pytest.mark.parametrize("n", [5, 60])
def test_names_cover_no_names(n):
    points = np.random.default_rng(n).standard_normal((60, 2))
    anchors = [np.array([word]) for word in WORDS[:n]]
    figure = plot_anchors(points, WORDS, anchors, names=NAMES)
    boxes = extents(figure)
    assert len(strong(figure)) >= min(n, 40)
    for number, one in enumerate(boxes):
        for other in boxes[:number]:
            wide = min(one[2], other[2]) - max(one[0], other[0])
            high = min(one[3], other[3]) - max(one[1], other[1])
            assert wide <= 0 or high <= 0


def test_names_without_room_are_counted():
    crowd = np.vstack([np.full((57, 2), 0.5) + 1e-9 * POINTS[:57], [[0, 0], [1, 0], [0, 1]]])
    anchors = [np.array([word]) for word in WORDS]
    figure = plot_anchors(crowd, WORDS, anchors, names=[name * 3 for name in NAMES])
    missing = 60 - len(strong(figure))
    assert missing > 0
    label = figure.axes[0].get_xlabel()
    assert label == f"There was no room for the names of {missing} anchors."


def test_one_name_without_room_is_one_anchor_on_a_line_of_its_own():
    crowd = np.vstack([np.full((57, 2), 0.5), [[0, 0], [1, 0], [0, 1]]])
    names = [name * 3 for name in NAMES]
    for n in range(5, 58):
        anchors = [np.array([word]) for word in WORDS[:n]]
        figure = plot_anchors(crowd, WORDS, anchors, names=names, caption="Some words.")
        if len(strong(figure)) < n:
            break
    assert len(strong(figure)) == n - 1
    label = figure.axes[0].get_xlabel()
    assert label == "Some words.\nThere was no room for the names of 1 anchor."


@pytest.mark.parametrize("title", [None, "a title"])
@pytest.mark.parametrize("lines", [1, 2])
def test_the_caption_is_whole_and_there_is_room_for_a_title_only_if_there_is_one(title, lines):
    caption = "\n".join(["Some words, gjpqy."] * lines)
    figure = plot_anchors(POINTS, WORDS, ANCHORS, names=NAMES, title=title, caption=caption)
    figure.draw_without_rendering()
    low, high = figure.axes[0].xaxis.label.get_window_extent().intervaly / figure.dpi
    panel = figure.axes[0].get_window_extent().intervaly / figure.dpi
    whole = figure.get_figheight()
    assert 0.03 < low < high < panel[0]
    assert (0.3 if title else 0.0) < whole - panel[1] < (0.5 if title else 0.15)


def test_both_directions_have_one_scale():
    for stretch in ([1, 1], [5, 1], [1, 5]):
        figure = plot_anchors(POINTS * stretch, WORDS, ANCHORS, names=NAMES)
        axes = figure.axes[0]
        seen = axes.transData.transform([[0, 0], [1, 0], [0, 1]])
        np.testing.assert_allclose(seen[1, 0] - seen[0, 0], seen[2, 1] - seen[0, 1], rtol=1e-9)
        low, high = np.transpose([axes.get_xlim(), axes.get_ylim()])
        assert (POINTS * stretch > low).all()
        assert (POINTS * stretch < high).all()


def test_points_without_a_hull_are_drawn_all_the_same():
    line = np.outer(np.arange(60.0), [1.0, 2.0])
    assert not plot_anchors(line, WORDS, ANCHORS, names=NAMES).axes[0].patches
    assert not plot_anchors(np.zeros((60, 2)), WORDS, ANCHORS, names=NAMES).axes[0].patches


def test_from_the_cooccurrence_itself():
    matrix = joint()
    anchors = [np.array([place]) for place in range(3)]
    figure = plot_anchor_words(matrix, anchors, NAMES[:60], n_words=20)
    assert strong(figure) == ["word0", "word1", "word2"]
    conditional = Conditional(matrix)
    words = np.union1d(np.argsort(-conditional.totals)[:20], [0, 1, 2])
    points = principal_components(conditional, words, 2)
    np.testing.assert_allclose(figure.axes[0].collections[1].get_offsets(), points[:3])
    np.testing.assert_allclose(len(figure.axes[0].patches[0].get_xy()), 4)  # a triangle, closed
    assert "principal components" in figure.axes[0].get_xlabel()
    other = plot_anchor_words(matrix, anchors, NAMES[:60], method="tsne", n_words=20)
    assert "t-SNE" in other.axes[0].get_xlabel()


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_bytes_are_the_same_every_time(tmp_path, ending):
    for number in range(2):
        figure = plot_anchor_words(joint(), [np.array([0])], NAMES[:60])
        save_figure(figure, tmp_path / f"{number}.{ending}")
    assert (tmp_path / f"0.{ending}").read_bytes() == (tmp_path / f"1.{ending}").read_bytes()


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(
        InputError, match=r"anchor words with indices \[3\] are not among the 60 words"
    ):
        plot_anchors(POINTS, WORDS, [np.array([3])], names=NAMES)
    with pytest.raises(InputError, match="vocabulary has 100 words and the co-occurrence 60"):
        plot_anchor_words(joint(), [np.array([0])], NAMES)
    with pytest.raises(InputError, match="at least 3 words; n_words is 2"):
        plot_anchor_words(joint(), [np.array([0])], NAMES[:60], n_words=2)
