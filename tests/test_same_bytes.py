"""The parts of `same_bytes` that decide; the whole of it is `make same-bytes`."""

import numpy as np
import pytest

from tests.same_bytes import compare, difference, failed, report
from tests.same_bytes_cases import as_array, masked, read_rows, write_rows


@pytest.mark.parametrize(
    ("base", "here", "why"),
    [
        (np.arange(3.0), np.arange(3.0), ""),
        (np.array([np.nan]), np.array([np.nan]), ""),
        (np.zeros(0), np.zeros(0), ""),
        (np.zeros(2), np.array([0.0, -0.0]), "bits alone"),
        (np.ones(2), np.array([1.0, np.nextafter(1, 2)]), "1 of 2 numbers, by up to 2.2e-16"),
        (np.ones(2), np.ones((1, 2)), "float64[2] became float64[1, 2]"),
        (np.ones(2), np.ones(2, np.float32), "float64[2] became float32[2]"),
        (np.array([True]), np.array([False]), "1 of 1 numbers, by up to 1"),
        (as_array("tea"), as_array("teas"), "from byte 3: '' became 's'"),
        (as_array(b"\xff\x00"), as_array(b"\xff\x01"), "from byte 1 of 2"),
        (None, np.ones(1), "only here"),
        (np.ones(1), None, "only in the base"),
    ],
)
def test_only_the_same_bytes_are_the_same(base, here, why):
    found = difference(base, here)
    assert found.startswith(why)
    assert bool(found) == bool(why)


def test_what_differs_fails_unless_it_is_excepted():
    base = {"nmf/alone/a": np.ones(1), "nmf/three/a": np.ones(1)}
    here = {"nmf/alone/a": np.ones(1), "nmf/three/a": np.zeros(1)}
    assert failed(compare(base, here))
    assert failed(compare(base, here, ["lda/*"]))
    assert not failed(compare(base, here, ["nmf/three/*"]))
    assert not failed(compare(base, base))
    assert failed(compare({}, {}))


def test_the_report_names_what_differs_and_what_is_excepted_in_vain():
    base, here = {"a/b/c": np.ones(1), "a/b/d": np.ones(1)}, {"a/b/c": np.ones(1)}
    patterns = ["a/b/d", "x/*"]
    told = list(report(compare(base, here, patterns), patterns))
    assert told[1].split() == ["a/b", "1", "1"]
    assert "excepted a/b/d: only in the base" in told
    assert "--except 'x/*' names no row that differs; leave it out." in told
    assert told[-1] == "2 rows: 1 equal, 0 different, 1 different as expected."


def test_rows_are_read_as_they_were_written(tmp_path):
    rows = {"a/ü/1": np.eye(2, dtype=np.float32), "../b": as_array({"x": [1.5, None]})}
    with (tmp_path / "rows.npz").open("wb") as file:
        write_rows(file, rows)
    found = read_rows(tmp_path / "rows.npz")
    assert list(found) == list(rows)
    assert not any(difference(rows[name], found[name]) for name in rows)


def test_numbers_that_are_results_are_not_masked():
    text = '{"topics": 3, "weight": 0.123, "words": ["id", "hash"], "perplexity": 18.34}'
    assert masked(text) == text
