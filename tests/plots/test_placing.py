"""Labels lie beside their points, inside the frame, and cover nothing."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chatham.plots.anchors import RINGS
from chatham.plots.labels import DIRECTIONS, Labels, _alternating, _beside

FRAME = (0.0, 0.0, 200.0, 100.0)


def cover(one, other):
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return wide > 1e-9 and high > 1e-9


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60))
def test_labels_cover_nothing_and_stay_inside(seed, n):
    rng = np.random.default_rng(seed)
    points = rng.uniform(0, [200, 100], (n, 2))
    spots = [(x - 2, y - 2, x + 2, y + 2) for x, y in points]
    labels = Labels(FRAME, spots)
    sizes = zip(rng.uniform(5, 50, n), rng.uniform(5, 10, n), strict=True)
    boxes = [
        labels.place(point, size, angle, RINGS)
        for point, size, angle in zip(points, sizes, rng.uniform(-4, 4, n), strict=True)
    ]
    placed = [box for box in boxes if box is not None]
    assert placed
    for number, box in enumerate(placed):
        assert box[0] >= 0 and box[1] >= 0 and box[2] <= 200 and box[3] <= 100  # noqa: PT018
        assert not any(cover(box, other) for other in spots + placed[:number])


def test_the_first_choice_is_outward_and_the_gap_is_kept():
    point = np.array([100.0, 50.0])
    box = Labels(FRAME).place(point, (20.0, 8.0), 0.0, RINGS)
    np.testing.assert_allclose(box, (103, 46, 123, 54))
    for angle in np.linspace(0, 6, 20):
        left, bottom, right, top = _beside(point, (20.0, 8.0), angle, 5.0)
        np.testing.assert_allclose([right - left, top - bottom], [20, 8])
        direction = np.array([np.cos(angle), np.sin(angle)])
        edge = point + 5.0 * direction  # on the line to the centre the box begins after the gap
        nearest = np.clip(edge, [left, bottom], [right, top])
        np.testing.assert_allclose(nearest, edge, atol=1e-9)
        within = (left + 1e-6 < edge[0] < right - 1e-6) and (bottom + 1e-6 < edge[1] < top - 1e-6)
        assert not within


def test_all_directions_are_tried_nearest_first():
    turns = np.array(_alternating())
    assert len(turns) == DIRECTIONS
    assert len(np.unique(np.round(turns % (2 * np.pi), 9))) == DIRECTIONS
    assert (np.diff(np.abs(turns)) >= -1e-12).all()


def test_where_nothing_is_free_there_is_no_place():
    full = Labels(FRAME, [FRAME])
    assert full.place(np.array([100.0, 50.0]), (10.0, 5.0), 0.0, RINGS) is None
